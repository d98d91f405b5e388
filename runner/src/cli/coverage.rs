//! `runner coverage PATH…`: coverage of compiler and hardware by tests.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use clap::Args;
use serde::Serialize;

use super::args::{ExecuteArgs, SelectArgs};
use super::exit::{EXPECTED, NOTHING, UNEXPECTED};
use super::list;
use super::options::execute_options;
use super::output::print;
use super::values::process_arguments;
use super::values::{Generations, generations};
use super::workers::{self, Split};
use crate::console::message::message;
use crate::console::{Console, Described, DescribedCase, DescribedTest};
use crate::schedule::{self, Limits, Plan};
use crate::select::{FileKinds, TestFile};
use execute::CaseOverride;
use results::coverage::Kind;
use results::names::printable_line;
use results::replace_file;
use results::verdict::{Outcome, TestResult, Verdict};
use supervise::{Finished, Pool, Request};
use tools::coverage::{Coverage, Part, all, table};
use vocabulary::Target;

/// File with all data, in the folder of `--out`.
const FILE: &str = "coverage.json";

#[derive(Debug, Args)]
pub(super) struct CoverageArgs {
    #[command(flatten)]
    select: SelectArgs,
    /// Generations: a comma list of names and groups (default: intel).
    #[arg(long = "gen", value_name = "LIST", default_value = "intel", hide_default_value = true, value_parser = generations)]
    pub(super) generations: Generations,
    /// Folder of coverage.json (default: none).
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Also find the quirks whose handling the tests need: every test is compiled again without it.
    #[arg(long)]
    quirks: bool,
    /// Fail if less than this percentage of a kind is covered on a generation, for example
    /// opcodes=60 (repeatable).
    #[arg(long, value_name = "KIND=PERCENT", value_parser = minimum)]
    min: Vec<(Kind, f64)>,
    /// Concurrent test cases (default: one per core).
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    #[command(flatten)]
    pub(super) execute: ExecuteArgs,
}

fn minimum(text: &str) -> Result<(Kind, f64), String> {
    let names = || Kind::ALL.map(Kind::name).join(", ");
    let (name, percent) = text.split_once('=').ok_or("KIND=PERCENT")?;
    let kind = Kind::ALL.into_iter().find(|kind| kind.name() == name);
    let percent = percent.parse().map_err(|_| "a number of percent".to_owned())?;
    Ok((kind.ok_or_else(|| format!("kinds: {}", names()))?, percent))
}

/// Contents of `coverage.json`.
#[derive(Serialize)]
struct Report<'a> {
    format: u32,
    tests: usize,
    parts: &'a [Part],
}

/// Measures coverage; exit code 1 if it is below a minimum.
pub(super) fn coverage(args: &CoverageArgs) -> anyhow::Result<u8> {
    super::choices::with_meaning(&args.execute.device, &args.generations.0)?;
    anyhow::ensure!(
        args.generations.0.iter().any(|&target| execute::executor(target).runs_our_code()),
        "coverage has no meaning for --gen gl: nothing shows the driver's compiler and hardware"
    );
    execute_options(&args.execute, false)?;
    let kinds = match args.execute.file_kinds() {
        FileKinds::Tests => FileKinds::Scripts,
        kinds => kinds,
    };
    let selection = list::select(&args.select, kinds)?;
    if selection.tests.is_empty() {
        message!("{}", selection.nothing());
        return Ok(NOTHING);
    }
    let tests = selection.tests;
    let (count, generations) = (tests.len(), args.generations.0.clone());
    let (coverage, interrupted) = measure(args, tests)?;
    let without: &[Kind] = if args.quirks { &[] } else { &[Kind::Quirks] };
    let parts = coverage.parts(&generations, without);
    print(table(&parts).as_bytes())?;
    if let Some(folder) = &args.out {
        std::fs::create_dir_all(folder)?;
        let report = Report { format: 1, tests: count, parts: &parts };
        replace_file(&folder.join(FILE), &serde_json::to_vec_pretty(&report)?)?;
    }
    let mut enough = !interrupted;
    for (kind, least) in &args.min {
        for part in parts.iter().filter(|part| part.kind == *kind) {
            if part.percent().is_some_and(|percent| percent < *least) {
                message!("{} [{}]: less than {least} %", kind.title(), part.generation);
                enough = false;
            }
        }
    }
    Ok(if enough { EXPECTED } else { UNEXPECTED })
}

fn measure(args: &CoverageArgs, tests: Vec<TestFile>) -> anyhow::Result<(Coverage, bool)> {
    let arguments = process_arguments();
    let jobs = workers::jobs(args.jobs);
    let split = Split::of(&args.execute, false, &args.generations.0);
    let settings = workers::settings(&args.execute, split, jobs, &arguments)?;
    let runtime = schedule::runtime()?;
    let entered = runtime.enter();
    let pool = Pool::start(&settings, None);
    drop(entered);
    let generations = args.generations.0.clone();
    let plan =
        CoveragePlan { tests, generations, quirks: args.quirks, pool, coverage: Mutex::default() };
    let test = |test: &TestFile| DescribedTest {
        name: printable_line(&test.name),
        path: test.path.clone(),
        command: None,
    };
    let case = |case| DescribedCase {
        test: case / plan.generations.len(),
        generation: plan.case_at(case).1,
    };
    let mut console = Console::new(Described {
        tests: plan.tests.iter().map(test).collect(),
        cases: (0..plan.len()).map(case).collect(),
    });
    let plan = Arc::new(plan);
    let limits = Limits { jobs: jobs * 2, max_fails: None };
    let summary = runtime.block_on(schedule::run(plan.clone(), limits, &mut [&mut console]))?;
    let coverage =
        std::mem::take(&mut *plan.coverage.lock().unwrap_or_else(PoisonError::into_inner));
    Ok((coverage, summary.interrupted))
}

/// The plan: every test on every generation.
struct CoveragePlan {
    tests: Vec<TestFile>,
    generations: Vec<Target>,
    /// True if quirks are tried.
    quirks: bool,
    pool: Pool,
    coverage: Mutex<Coverage>,
}

impl CoveragePlan {
    fn case_at(&self, case: usize) -> (&TestFile, Target) {
        let count = self.generations.len();
        (&self.tests[case / count], self.generations[case % count])
    }

    async fn execute(&self, case: usize, task: usize, case_override: CaseOverride) -> Finished {
        let (test, generation) = self.case_at(case);
        let request = Request::execution(case, &test.on(generation), Some(case_override));
        self.pool.run(task, request).await
    }

    /// Returns the quirks whose handling no test needed so far.
    fn open_quirks(&self, generation: Target) -> Vec<String> {
        let coverage = self.coverage.lock().unwrap_or_else(PoisonError::into_inner);
        let all = if self.quirks {
            all(Kind::Quirks, generation).unwrap_or_default()
        } else {
            Vec::new()
        };
        all.into_iter().filter(|quirk| !coverage.has(Kind::Quirks, generation, quirk)).collect()
    }
}

/// Returns the part of a verdict that the handling of a quirk can change.
fn code(verdict: &Verdict) -> Vec<&str> {
    verdict.stages.iter().map(|stage| &*stage.sha).collect()
}

impl Plan for CoveragePlan {
    fn len(&self) -> usize {
        self.tests.len() * self.generations.len()
    }

    async fn run(&self, case: usize, task: usize) -> Finished {
        let mut first = self
            .execute(
                case,
                task,
                CaseOverride { sample_coverage: true, log_passes: true, ..CaseOverride::default() },
            )
            .await;
        let (_, generation) = self.case_at(case);
        let mut sample = std::mem::take(&mut first.verdict.coverage);
        if !first.verdict.stages.is_empty() {
            for quirk in self.open_quirks(generation) {
                let case_override = CaseOverride {
                    disabled_quirks: vec![quirk.clone()],
                    ..CaseOverride::default()
                };
                let other = self.execute(case, task, case_override).await.verdict;
                if other.status != first.verdict.status || code(&other) != code(&first.verdict) {
                    sample.insert(Kind::Quirks, quirk);
                }
            }
        }
        self.coverage.lock().unwrap_or_else(PoisonError::into_inner).add(generation, &sample);
        first
    }

    fn result(&self, case: usize, finished: Finished) -> TestResult {
        let (test, generation) = self.case_at(case);
        let Finished { verdict, duration, .. } = finished;
        let (phase, reason) = verdict.cause.unzip();
        TestResult {
            phase,
            reason,
            // A failing test has a coverage, too.
            outcome: Outcome::Expected,
            duration_us: u64::try_from(duration.as_micros()).unwrap_or(u64::MAX),
            ..TestResult::plain(&*test.name, generation.name(), verdict.status)
        }
    }
}
