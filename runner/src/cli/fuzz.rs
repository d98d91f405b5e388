//! `runner fuzz`: random or damaged tests.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use clap::Args;

use super::args::{BundleArgs, ExecuteArgs};
use super::exit::{EXPECTED, NOTHING, UNEXPECTED};
use super::options::{changed_options, command_options, execute_options};
use super::output::{print, write_test};
use super::reduce::{ReduceArgs, reduce};
use super::revision::REVISION;
use super::values::{Avoided, Generations, avoided, generations, process_arguments};
use super::workers::{self, Split};
use crate::bundles::{BundlePolicy, BundleWriter};
use crate::console::message::message;
use crate::console::{Console, Described, DescribedCase, DescribedTest};
use crate::schedule::{self, Limits, Plan};
use crate::select::{FileKinds, TestFile, find_tests, located};
use crate::virtual_gpu::VirtualGpu;
use execute::{CaseOverride, Mode};
use results::event::Reporter;
use results::names::{EXTENSION, printable_line, quoted};
use results::verdict::{Outcome, Status, TestResult, Verdict};
use results::{
    Header, Repeat, RepeatTest, ResultsWriter, RunFolder, RunRecord, TEST_BYTES, read_regular,
};
use supervise::{Finished, Pool, Request};
use tools::fuzz::{
    Defect, Kind, VULKAN_KINDS, expected_test, generate_without, mutate, vulkan_test,
};
use vocabulary::Target;

/// Default number of tests.
const COUNT: u64 = 100;
/// Maximum number of tests with `--until-failure`.
const UNTIL_FAILURE: u64 = 20_000;
/// Folder of failed tests in the run's folder. Names of tests start below it.
const TESTS: &str = "tests";

#[derive(Debug, Args)]
pub(super) struct FuzzArgs {
    /// Generations: a comma list of names and groups (default: intel).
    #[arg(long = "gen", value_name = "LIST", default_value = "intel", hide_default_value = true, value_parser = generations)]
    generations: Generations,
    /// Seed of the tests.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Number of tests (default: 100).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    count: Option<u64>,
    /// Stop at the first failure.
    #[arg(long)]
    until_failure: bool,
    /// Only test K of the seed.
    #[arg(long, value_name = "K", conflicts_with_all = ["count", "until_failure"])]
    only: Option<u64>,
    /// Stages under test, in turn (default: all).
    #[arg(long, value_enum, value_name = "LIST", value_delimiter = ',', conflicts_with = "mutate")]
    stage: Vec<Kind>,
    /// Leave out constructs on which drivers have known defects.
    #[arg(
        long,
        value_parser = avoided(),
        value_name = "LIST|all",
        value_delimiter = ',',
        conflicts_with = "mutate"
    )]
    avoid: Vec<Avoided>,
    /// Tests of Vulkan, with the values of the interpreter (default with --gen vk).
    #[arg(long, conflicts_with = "mutate")]
    vulkan: bool,
    /// Damage these tests instead; only crashes and timeouts count.
    #[arg(long, value_name = "PATH", num_args = 1..)]
    mutate: Vec<PathBuf>,
    /// Print the tests and run nothing.
    #[arg(long)]
    print: bool,
    /// Reduce failed tests, as `runner reduce` does.
    #[arg(long)]
    reduce: bool,
    /// Run only the interpreter, with the union of all generations' capabilities.
    #[arg(long, conflicts_with_all = ["no_reference", "generations"])]
    reference_only: bool,
    /// Concurrent test cases (default: one per core).
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Folder of results and failed tests (default: results/<date>-<n>).
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    bundles: BundleArgs,
    #[command(flatten)]
    pub(super) execute: ExecuteArgs,
}

impl FuzzArgs {
    /// Returns the generations of every test.
    pub(super) fn generations(&self) -> Vec<Target> {
        if self.reference_only { vec![Target::REFERENCE] } else { self.generations.0.clone() }
    }

    /// Returns the numbers of the tests.
    fn numbers(&self) -> std::ops::Range<u64> {
        let count = self.count.unwrap_or(if self.until_failure { UNTIL_FAILURE } else { COUNT });
        self.only.map_or(0..count, |only| only..only.saturating_add(1))
    }

    /// Returns the defects to avoid.
    fn defects(&self) -> Vec<Defect> {
        let defects = self.avoid.iter().flat_map(|avoided| match avoided {
            Avoided::All => self.all_defects(),
            Avoided::One(defect) => vec![*defect],
        });
        defects.collect()
    }

    /// Returns the defects that programs in the chosen form can have.
    fn all_defects(&self) -> Vec<Defect> {
        let known = Defect::ALL.iter().copied();
        known.filter(|defect| self.execute.modules.spirv || !defect.is_of_spirv()).collect()
    }

    fn source(&self) -> anyhow::Result<Source> {
        if !self.mutate.is_empty() {
            return Ok(Source::Damaged(find_tests(
                &located(&self.mutate)?,
                FileKinds::AllScripts,
            )?));
        }
        let is_vulkan = self.vulkan || self.generations().contains(&execute::vulkan::TARGET);
        let all = if is_vulkan { VULKAN_KINDS.to_vec() } else { Kind::ALL.to_vec() };
        let kinds = if self.stage.is_empty() { all.clone() } else { self.stage.clone() };
        if let Some(kind) = kinds.iter().find(|kind| !all.contains(kind)) {
            anyhow::bail!("there are no {} tests for Vulkan", kind.name());
        }
        Ok(match (is_vulkan, self.execute.modules.spirv) {
            (true, _) => Source::Vulkan(kinds, self.defects()),
            (false, true) => Source::Expected(kinds, self.defects()),
            (false, false) => Source::Generated(kinds, self.defects()),
        })
    }
}

/// Source of tests.
enum Source {
    /// Generated tests of these kinds in turn, without the constructs of known defects.
    Generated(Vec<Kind>, Vec<Defect>),
    /// The same with the values that the interpreter computes from the GLSL.
    Expected(Vec<Kind>, Vec<Defect>),
    /// The same for Vulkan.
    Vulkan(Vec<Kind>, Vec<Defect>),
    /// Damaged files.
    Damaged(Vec<TestFile>),
}

impl Source {
    fn name(&self, seed: u64, number: u64) -> String {
        let kind = match self {
            Source::Generated(kinds, _) | Source::Expected(kinds, _) | Source::Vulkan(kinds, _) => {
                chosen(kinds, number).map_or("", |kind| kind.name())
            }
            Source::Damaged(_) => "damaged",
        };
        format!("fuzz-{seed}/{kind}-{number}")
    }

    /// Returns the extension of a test's file.
    fn extension(&self, number: u64) -> &str {
        match self {
            Source::Generated(..) | Source::Expected(..) => EXTENSION,
            Source::Vulkan(..) => "amber",
            Source::Damaged(files) => {
                let file = chosen(files, number).and_then(|file| file.path.extension()?.to_str());
                file.unwrap_or(EXTENSION)
            }
        }
    }

    /// Returns a file name with each extension.
    fn examples(&self) -> BTreeSet<PathBuf> {
        let count = if let Source::Damaged(files) = self { files.len() as u64 } else { 1 };
        let example = |number| PathBuf::from(format!("random.{}", self.extension(number)));
        (0..count).map(example).collect()
    }

    /// Returns the text of a test; an unreadable file is empty. A test without values is no script,
    /// so that it fails with the reason in its text.
    fn text(&self, seed: u64, number: u64) -> String {
        match self {
            Source::Generated(kinds, avoid) => {
                let text = |&kind| generate_without(seed, number, kind, avoid);
                chosen(kinds, number).map(text).unwrap_or_default()
            }
            Source::Expected(kinds, avoid) => {
                let text = |&kind| valued(expected_test(seed, number, kind, avoid));
                chosen(kinds, number).map(text).unwrap_or_default()
            }
            Source::Vulkan(kinds, avoid) => {
                let text = |&kind| valued(vulkan_test(seed, number, kind, avoid));
                chosen(kinds, number).map(text).unwrap_or_default()
            }
            Source::Damaged(files) => {
                let text = |number| {
                    let bytes = chosen(files, number)
                        .and_then(|file| read_regular(&file.path, TEST_BYTES).ok());
                    String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned()
                };
                // The index of the other file differs from the first and between seeds.
                let other = number.wrapping_mul(0x9e37_79b9).wrapping_add(seed);
                mutate(seed, number, &text(number), &text(other))
            }
        }
    }
}

/// Returns a test, or a text that says why it has no values.
fn valued(test: Result<String, String>) -> String {
    test.unwrap_or_else(|reason| format!("the interpreter has no values: {reason}"))
}

/// Returns the elements of a list in turn.
fn chosen<T>(list: &[T], number: u64) -> Option<&T> {
    list.get(usize::try_from(number % list.len().max(1) as u64).ok()?)
}

/// Executes random tests.
pub(super) fn fuzz(args: &FuzzArgs) -> anyhow::Result<u8> {
    anyhow::ensure!(
        args.execute.device.binaries.is_none(),
        "--binaries are those of tests that exist"
    );
    let source = args.source()?;
    if matches!(&source, Source::Damaged(files) if files.is_empty()) {
        message!("error: no tests are selected: no script below the paths of --mutate");
        return Ok(NOTHING);
    }
    if args.print {
        let texts: Vec<String> =
            args.numbers().map(|number| source.text(args.seed, number)).collect();
        print(texts.concat().as_bytes())?;
        return Ok(EXPECTED);
    }
    let Tested { good, failed, nothing } = run_tests(args, source)?;
    if args.reduce {
        for (path, generation) in failed {
            let extension = path.extension().unwrap_or_default().to_string_lossy();
            let small = path.with_extension(format!("small.{extension}"));
            print(format!("{} [{generation}]\n", small.display()).as_bytes())?;
            reduce(&ReduceArgs::of(path, generation, small, args.jobs, args.execute.clone()))?;
        }
    }
    Ok(match (good, nothing) {
        (true, true) => NOTHING,
        (true, false) => EXPECTED,
        (false, _) => UNEXPECTED,
    })
}

/// The end of the tests.
struct Tested {
    /// True if all are as expected.
    good: bool,
    /// The failed ones.
    failed: Failed,
    /// True if all were skipped.
    nothing: bool,
}

/// Files of failed tests, each with the first generation on which it failed.
type Failed = BTreeMap<PathBuf, Target>;

/// Executes the tests.
fn run_tests(args: &FuzzArgs, source: Source) -> anyhow::Result<Tested> {
    let (generations, numbers) = (args.generations(), args.numbers());
    super::choices::with_meaning(&args.execute.device, &generations)?;
    let chosen = &args.execute.device.driver;
    let gpu = super::driver::virtual_gpu(chosen, &generations)?;
    let driver = {
        let files = source.examples();
        let files = files.iter().map(PathBuf::as_path);
        let drivers = super::driver::of_files(chosen, &generations, files);
        super::driver::identify(chosen, &drivers, gpu.as_ref(), true)?
    };
    let options = execute_options(&args.execute, args.reference_only)?;
    let changed = changed_options(&args.execute, &options.execution);
    let arguments = process_arguments();
    let jobs = workers::jobs(args.jobs);
    let split = Split::of(&args.execute, false, &generations);
    let mut settings = workers::settings(&args.execute, split, jobs, &arguments)?;
    settings.program.environment = gpu.as_ref().map(VirtualGpu::environment).unwrap_or_default();
    let names = generations.iter().map(|t| t.name().to_owned()).collect();
    let header = Header { driver: driver.clone(), ..Header::new(names, changed.clone(), REVISION) };
    let folder = RunFolder::create(args.out.as_deref())?;
    folder.forget_results()?;
    let record = RunRecord::new(arguments, std::env::current_dir()?);
    record.write(&folder.path)?;
    let variant = header.variant();
    let mut writer = ResultsWriter::create(&folder.path, header)?;
    let switches: String = command_options(&args.execute, &changed)
        .iter()
        .map(|(_, option)| format!(" {option}"))
        .collect();
    let tests = folder.path.join(TESTS);
    let runtime = schedule::runtime()?;
    let entered = runtime.enter();
    let pool = Arc::new(Pool::start(&settings, None));
    let plan = FuzzPlan {
        source,
        seed: args.seed,
        numbers,
        generations,
        variant,
        time_limit: settings.time_limit,
        tests,
        pool: pool.clone(),
        made: Mutex::default(),
        failed: Mutex::default(),
    };
    drop(entered);
    let mut console = Console::new(plan.described(&switches));
    let files = plan.numbers.clone().map(|number| {
        let name = plan.source.name(args.seed, number);
        let file = plan.file(number);
        (name, file)
    });
    // Mock tests have no explanation.
    let keep = if args.execute.mock { BundlePolicy::None } else { args.bundles.keep };
    let repeat = Repeat { files: files.collect(), options: switches, arguments: Vec::new() };
    let limits = Limits { jobs: jobs * 2, max_fails: args.until_failure.then_some(1) };
    let plan = Arc::new(plan);
    let (summary, explained) = runtime.block_on(async {
        let mut bundles =
            BundleWriter::new(&folder.path, (keep, Mode::Execute), repeat, &[], driver, pool, jobs);
        let reporters: &mut [&mut dyn Reporter] = &mut [&mut writer, &mut console, &mut bundles];
        let summary = schedule::run(plan.clone(), limits, reporters).await?;
        anyhow::Ok((summary, bundles.finish(summary.interrupted).await))
    })?;
    super::driver::finish(runtime, gpu, summary.counts.has_executed())?;
    let kept =
        std::mem::take(&mut *plan.failed.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
    let good = summary.unexpected == 0 && !summary.interrupted && explained;
    if let Some(text) = skipped(writer.results()) {
        message!("{text}");
    }
    let nothing = !summary.counts.has_executed();
    Ok(Tested { good, failed: kept.result()?, nothing })
}

/// Describes the number of skipped test cases and their most frequent reason; `None` without any.
fn skipped(results: &[TestResult]) -> Option<String> {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for result in results.iter().filter(|result| result.status == Status::Skip) {
        let reason = result.reason.as_deref().unwrap_or_default();
        *reasons.entry(reason.lines().next().unwrap_or_default()).or_default() += 1;
    }
    let (reason, most) = reasons.iter().max_by_key(|(_, count)| **count)?;
    let (count, all) = (reasons.values().sum::<usize>(), results.len());
    Some(match most == &count {
        true => format!("skipped: {count} of {all}: {}", printable_line(reason)),
        false => format!("skipped: {count} of {all}; {most} of them: {}", printable_line(reason)),
    })
}

/// The plan: every test on every generation.
struct FuzzPlan {
    source: Source,
    seed: u64,
    numbers: std::ops::Range<u64>,
    generations: Vec<Target>,
    variant: String,
    /// Wall-clock limit of a test case.
    time_limit: Duration,
    /// Folder of failed tests.
    tests: PathBuf,
    pool: Arc<Pool>,
    /// The latest generated test.
    made: Mutex<(u64, String)>,
    failed: Mutex<Kept>,
}

/// Failed tests that were written.
#[derive(Default)]
struct Kept {
    failed: Failed,
    error: Option<anyhow::Error>,
}

impl Kept {
    fn result(self) -> anyhow::Result<Failed> {
        self.error.map_or(Ok(self.failed), Err)
    }
}

impl FuzzPlan {
    fn case_at(&self, case: usize) -> (u64, Target) {
        let count = self.generations.len();
        (self.numbers.start + (case / count) as u64, self.generations[case % count])
    }

    fn name(&self, case: usize) -> String {
        self.source.name(self.seed, self.case_at(case).0)
    }

    /// Returns the text of a test, which is needed for several generations in a row.
    fn text(&self, number: u64) -> String {
        let mut made = self.made.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if made.1.is_empty() || made.0 != number {
            *made = (number, self.source.text(self.seed, number));
        }
        made.1.clone()
    }

    fn file(&self, number: u64) -> PathBuf {
        let name = self.source.name(self.seed, number);
        self.tests.join(format!("{name}.{}", self.source.extension(number)))
    }

    /// Returns the console's description of the plan; `switches` are options of the run.
    fn described(&self, switches: &str) -> Described {
        let test = |number| {
            let name = self.source.name(self.seed, number);
            let path = self.file(number);
            let before = format!(" {}", quoted(&path.display().to_string()));
            let command = Some(RepeatTest { before, after: switches.to_owned() });
            DescribedTest { name: printable_line(&name), path, command }
        };
        let case = |case| DescribedCase {
            test: case / self.generations.len(),
            generation: self.case_at(case).1,
        };
        Described {
            tests: self.numbers.clone().map(test).collect(),
            cases: (0..self.len()).map(case).collect(),
        }
    }

    /// Returns the outcome of a verdict. Damaged tests only have to end in an orderly way within
    /// the time limit.
    fn outcome(&self, verdict: &Verdict, duration: Duration) -> Outcome {
        match (&self.source, verdict.status) {
            (Source::Damaged(_), Status::Crash) => Outcome::Unexpected,
            (Source::Damaged(_), Status::Timeout) if duration >= self.time_limit => {
                Outcome::Unexpected
            }
            (Source::Damaged(_), _) => Outcome::Expected,
            (_, status) => status.plain_outcome(),
        }
    }

    /// Writes a failed test.
    fn keep(&self, case: usize) {
        let (number, generation) = self.case_at(case);
        let path = self.file(number);
        let written = write_test(&path, self.text(number).as_bytes());
        let mut kept = self.failed.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match written {
            Ok(()) => drop(kept.failed.entry(path).or_insert(generation)),
            Err(error) => kept.error = Some(error),
        }
    }
}

impl Plan for FuzzPlan {
    fn len(&self) -> usize {
        usize::try_from(self.numbers.end - self.numbers.start).unwrap_or(0) * self.generations.len()
    }

    async fn run(&self, case: usize, task: usize) -> Finished {
        let (number, generation) = self.case_at(case);
        let name = self.name(case);
        let case_override =
            Some(CaseOverride { text: Some(self.text(number)), ..CaseOverride::default() });
        let test = TestFile::new(name, self.file(number));
        let request = Request::execution(case, &test.on(generation), case_override);
        self.pool.run(task, request).await
    }

    fn result(&self, case: usize, finished: Finished) -> TestResult {
        let (name, (_, generation)) = (self.name(case), self.case_at(case));
        let Finished { verdict, duration, .. } = finished;
        let outcome = self.outcome(&verdict, duration);
        if outcome != Outcome::Expected {
            self.keep(case);
        }
        let (phase, reason) = verdict.cause.unzip();
        TestResult {
            variant: self.variant.clone(),
            phase,
            reason,
            outcome,
            duration_us: u64::try_from(duration.as_micros()).unwrap_or(u64::MAX),
            stages: verdict.stages,
            differed: verdict.differed,
            ..TestResult::plain(name, generation.name(), verdict.status)
        }
    }
}
