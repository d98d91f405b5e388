//! `runner PATH…`: runs tests.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use softgl::observe::ShadeMode;

use super::{DeviceArgs, EXPECTED, NOTHING, Order, RunArgs, ShardChoice, UNEXPECTED};
use crate::console::Console;
use crate::execute::{self, DeviceOptions, Devices, Executors, RunOptions};
use crate::expect::Expectations;
use crate::names::{piglit_name, printable};
use crate::results::{Header, JUNIT_FILE, ResultsWriter, Run, RunFolder, RunRecord};
use crate::schedule::{self, Limits, Plan};
use crate::select::TestFile;
use crate::shard::{Durations, Shard, ShardHeader, selection_hash};
use crate::target::Target;
use crate::verdict::{Outcome, TestResult, Verdict};

/// Wall-clock time after which a test is given up: far beyond what the step limits allow any test.
const GUARD: Duration = Duration::from_secs(300);

pub(super) fn run(args: &RunArgs) -> anyhow::Result<u8> {
    let arguments = std::env::args_os().skip(1).map(|a| a.to_string_lossy().into_owned()).collect();
    start(args, &Start::New { only: None, arguments })
}

/// How a run begins.
pub(super) enum Start {
    /// From nothing, possibly with some of the rows only: test and generation.
    New {
        /// The rows.
        only: Option<BTreeSet<(String, String)>>,
        /// The arguments, as `run.json` keeps them.
        arguments: Vec<String>,
    },
    /// From what another process finished.
    Resumed {
        /// The folder.
        folder: PathBuf,
        /// What is there.
        run: Box<Run>,
        /// Which rows were meant.
        only: Option<BTreeSet<(String, String)>>,
        /// The shard, if the engine chose it then.
        shard: Option<Shard>,
    },
}

/// Runs what the arguments say.
pub(super) fn start(args: &RunArgs, start: &Start) -> anyhow::Result<u8> {
    let (found, tests) = super::list::select(&args.select)?;
    if tests.is_empty() {
        eprintln!("error: no tests are selected");
        return Ok(NOTHING);
    }
    let targets = if args.reference_only { vec![Target::Reference] } else { args.targets.0.clone() };
    let options = run_options(args)?;
    let expectations = Expectations::load(&args.expect.sources(), &targets)?;
    super::expect::warn_unmatched(&expectations, &found);
    let durations = args.durations.as_deref().map(Durations::read).transpose()?;
    let shard = shard(args, start)?;
    let changed = changed_options(args, &options.device);
    let mut header = Header::new(targets.iter().map(|t| t.name().to_owned()).collect(), changed.clone());
    let mut rows = planned(&tests, &targets, start);
    if let Some(shard) = shard {
        header.shard = Some(shard_header(shard, &tests, rows.len(), durations.as_ref()));
        let weights = durations.as_ref().map(|d| d.weights(tests.iter().map(|test| &*test.name)));
        let mine: BTreeSet<usize> = shard.positions(tests.len(), weights.as_deref()).into_iter().collect();
        rows.retain(|row| mine.contains(&row.test));
    }
    order(&mut rows, &tests, args.order, durations.as_ref());
    let (folder, mut writer, done) = open(args, start, &header, shard)?;
    rows.retain(|row| !done.contains(&(tests[row.test].name.clone(), row.target.name().to_owned())));
    let mut console = Console::new(commands(&tests, &rows, args, &changed)).after(writer.rows());
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let limits = Limits {
        jobs: args.jobs.map_or(cores, usize::from),
        guard: GUARD,
        max_fails: args.max_fails.map(|n| n as usize),
    };
    let variant = changed.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(",");
    let plan = Rows { tests, rows, options, variant, expectations };
    let summary = schedule::run(Arc::new(plan), limits, &mut [&mut writer, &mut console])?;
    if args.shard == Some(ShardChoice::Auto) {
        tell_bazel(&folder)?;
    }
    let good = summary.unexpected == 0 && !summary.interrupted && writer.all_good();
    Ok(if good { EXPECTED } else { UNEXPECTED })
}

/// The shard to run, if the run is split.
fn shard(args: &RunArgs, start: &Start) -> anyhow::Result<Option<Shard>> {
    match (args.shard, start) {
        (_, Start::Resumed { shard: Some(shard), .. }) => Ok(Some(*shard)),
        (Some(ShardChoice::Given(shard)), _) => Ok(Some(shard)),
        (Some(ShardChoice::Auto), _) => {
            let variable = |name: &str| std::env::var(name).ok();
            Shard::from_environment(&variable)
                .map(Some)
                .map_err(|message| anyhow::anyhow!("--shard auto: {message}"))
        }
        (None, _) => Ok(None),
    }
}

fn shard_header(shard: Shard, tests: &[TestFile], rows: usize, durations: Option<&Durations>) -> ShardHeader {
    ShardHeader {
        index: shard.index,
        count: shard.count,
        rows: rows as u64,
        selection: selection_hash(tests.iter().map(|test| &*test.name)),
        durations: durations.map(|durations| durations.hash.clone()),
    }
}

/// Every test on every target, tests first, as far as they are meant.
fn planned(tests: &[TestFile], targets: &[Target], start: &Start) -> Vec<Row> {
    let only = match start {
        Start::New { only, .. } | Start::Resumed { only, .. } => only.as_ref(),
    };
    let meant = |row: &Row| {
        only.is_none_or(|only| only.contains(&(tests[row.test].name.clone(), row.target.name().to_owned())))
    };
    (0..tests.len())
        .flat_map(|test| targets.iter().map(move |&target| Row { test, target }))
        .filter(meant)
        .collect()
}

/// Sorts the rows; what is not told apart stays in the order of names.
fn order(rows: &mut [Row], tests: &[TestFile], order: Order, durations: Option<&Durations>) {
    let latest = || Run::read(Path::new("results/latest")).ok();
    match order {
        Order::Name => {}
        Order::LastFailed => {
            let rows_before = latest().map(|run| run.rows).unwrap_or_default();
            let failed: BTreeSet<(&str, &str)> = rows_before
                .iter()
                .filter(|row| !row.outcome.is_good())
                .map(|row| (&*row.test, &*row.target))
                .collect();
            rows.sort_by_key(|row| !failed.contains(&(&*tests[row.test].name, row.target.name())));
        }
        Order::SlowestFirst => {
            let earlier = durations.cloned().or_else(|| Durations::read(Path::new("results/latest")).ok());
            let Some(durations) = earlier else { return };
            let weights = durations.weights(tests.iter().map(|test| &*test.name));
            rows.sort_by_key(|row| std::cmp::Reverse(weights[row.test]));
        }
    }
}

/// The folder, a writer into it, and the rows that are there already.
type Opened = (PathBuf, ResultsWriter, BTreeSet<(String, String)>);

fn open(args: &RunArgs, start: &Start, header: &Header, shard: Option<Shard>) -> anyhow::Result<Opened> {
    match start {
        Start::New { only, arguments } => {
            let folder = RunFolder::create(args.out.as_deref())?.path;
            let writer = ResultsWriter::create(&folder, header.clone())?;
            let record = RunRecord {
                arguments: arguments.clone(),
                directory: std::env::current_dir()?,
                only: only.as_ref().map(|only| only.iter().cloned().collect()),
                shard: shard.map(|shard| format!("{}/{}", shard.index, shard.count)),
            };
            record.write(&folder)?;
            Ok((folder, writer, BTreeSet::new()))
        }
        Start::Resumed { folder, run, .. } => {
            if run.header != *header {
                anyhow::bail!(
                    "{}: begun by another version, or with other options, tests or durations; start a new run",
                    run.path.display()
                );
            }
            let done = run.rows.iter().map(|row| (row.test.clone(), row.target.clone())).collect();
            Ok((folder.clone(), ResultsWriter::resume(folder, Run::clone(run))?, done))
        }
    }
}

/// What Bazel's test runner waits for: that shards are understood, and the report at its place.
fn tell_bazel(folder: &Path) -> anyhow::Result<()> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(path) = variable("TEST_SHARD_STATUS_FILE") {
        std::fs::write(&path, "").with_context(|| path.display().to_string())?;
    }
    if let Some(path) = variable("XML_OUTPUT_FILE") {
        std::fs::copy(folder.join(JUNIT_FILE), &path).with_context(|| path.display().to_string())?;
    }
    Ok(())
}

/// One row: a test by number, on a target.
#[derive(Clone, Copy, Debug)]
struct Row {
    test: usize,
    target: Target,
}

/// The rows to run.
struct Rows {
    tests: Vec<TestFile>,
    rows: Vec<Row>,
    options: RunOptions,
    variant: String,
    expectations: Expectations,
}

impl Rows {
    fn row_of(&self, job: usize) -> (&TestFile, Target) {
        let Row { test, target } = self.rows[job];
        (&self.tests[test], target)
    }
}

impl Plan for Rows {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn run(&self, job: usize) -> Verdict {
        let (test, target) = self.row_of(job);
        if let Some(reason) = self.expectations.skip(&test.name, target) {
            return Verdict::skip(reason);
        }
        execute::run_file(&test.path, &test.name, target, &self.options, &Devices)
    }

    fn row(&self, job: usize, verdict: Verdict, duration: Duration) -> TestResult {
        let (test, target) = self.row_of(job);
        let (layer, reason) = verdict.cause.unzip();
        let outcome = match self.expectations.skip(&test.name, target) {
            Some(_) => Outcome::Expected,
            None => self.expectations.judge(&test.name, target, Some(verdict.status)),
        };
        TestResult {
            test: test.name.clone(),
            target: target.name().to_owned(),
            variant: self.variant.clone(),
            status: verdict.status,
            layer,
            reason,
            outcome,
            duration_us: u64::try_from(duration.as_micros()).unwrap_or(u64::MAX),
            stages: verdict.stages,
            subtests: Vec::new(),
        }
    }
}

fn run_options(args: &RunArgs) -> anyhow::Result<RunOptions> {
    let executors = match (args.reference_only, args.no_reference) {
        (true, _) => Executors::ReferenceOnly,
        (_, true) => Executors::SimulatorOnly,
        _ => Executors::Both,
    };
    let shade = if args.shade == "all" { ShadeMode::All } else { ShadeMode::Observed };
    Ok(RunOptions { executors, shade, device: device_options(&args.device)? })
}

/// The options of compiler and simulator, as the devices take them.
fn device_options(args: &DeviceArgs) -> anyhow::Result<DeviceOptions> {
    if let Some(folder) = args.binaries.as_deref().filter(|folder| !folder.is_dir()) {
        anyhow::bail!("{}: no such folder of binaries", folder.display());
    }
    Ok(DeviceOptions {
        worst_math: args.math == "worst",
        binaries: args.binaries.clone(),
        ..args.compile.device_options()?
    })
}

/// Options that differ from the defaults and can change verdicts, by name. Paths are left out: binaries are told apart
/// by their hashes.
fn changed_options(args: &RunArgs, options: &DeviceOptions) -> BTreeMap<String, String> {
    let mut changed = BTreeMap::new();
    let mut put = |name: &str, value: Option<String>| {
        changed.extend(value.map(|value| (name.to_owned(), value)));
    };
    put("backend", options.backend.map(|b| b.name().to_owned()));
    put("width", options.width.map(|w| w.name().to_owned()));
    put("pass-limit", options.pass_limit.map(|n| n.to_string()));
    put("disable-pass", join(&options.disabled_passes));
    put("disable-quirk", join(&options.disabled_quirks));
    put("math", options.worst_math.then(|| "worst".to_owned()));
    put("shade", (args.shade == "all").then(|| "all".to_owned()));
    put("reference", args.no_reference.then(|| "no".to_owned()));
    put("binaries", options.binaries.as_ref().map(|_| "given".to_owned()));
    changed
}

fn join(list: &[String]) -> Option<String> {
    (!list.is_empty()).then(|| list.join("+"))
}

/// For every row the command that runs it alone.
fn commands(
    tests: &[TestFile],
    rows: &[Row],
    args: &RunArgs,
    changed: &BTreeMap<String, String>,
) -> Vec<String> {
    let mut options: Vec<String> = Vec::new();
    for (name, value) in changed {
        match name.as_str() {
            "reference" => options.push("--no-reference".to_owned()),
            "disable-pass" | "disable-quirk" => {
                options.extend(value.split('+').map(|v| format!("--{name} {v}")));
            }
            "binaries" => {
                let path = args.device.binaries.as_deref().map(|p| quoted(&p.display().to_string()));
                options.extend(path.map(|path| format!("--binaries {path}")));
            }
            _ => options.push(format!("--{name} {value}")),
        }
    }
    let options: String = options.iter().map(|option| format!(" {option}")).collect();
    let command = |test: &TestFile, target: Target| {
        let path = quoted(&test.path.display().to_string());
        let which = match target {
            Target::Reference => "--reference-only".to_owned(),
            _ => format!("--gen {target}"),
        };
        let piglit = if args.select.piglit_names {
            format!("  # {}", printable(&piglit_name(&test.name)))
        } else {
            String::new()
        };
        format!("runner {path} {which}{options}{piglit}")
    };
    rows.iter().map(|row| command(&tests[row.test], row.target)).collect()
}

/// A word as a shell takes it.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=@%:,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", printable(text).replace('\'', "'\\''"))
    }
}
