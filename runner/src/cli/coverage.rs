//! `runner coverage PATH…`: what tests exercise, and what they do not.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use clap::Args;
use serde::Serialize;

use super::options::execute_options;
use super::{EXPECTED, ExecuteArgs, NOTHING, SelectArgs, Targets, UNEXPECTED, list, print, run, targets};
use crate::console::{Console, Described};
use crate::schedule::{self, Limits, Plan};
use crate::select::TestFile;
use crate::supervise::{Finished, Pool, Request};
use execute::Trial;
use results::coverage::Kind;
use results::names::printable_line;
use results::replace_file;
use results::verdict::{Outcome, TestResult, Verdict};
use tools::coverage::{Coverage, Part, all, table};
use vocabulary::Generation;

/// The file with everything, in the folder of `--out`.
const FILE: &str = "coverage.json";

#[derive(Debug, Args)]
pub(super) struct CoverageArgs {
    #[command(flatten)]
    select: SelectArgs,
    /// Generations: a comma list of ivb, hsw, bdw, chv, skl (default: all).
    #[arg(long = "gen", value_name = "LIST", default_value = "all", hide_default_value = true, value_parser = targets)]
    pub(super) targets: Targets,
    /// Where coverage.json goes (default: nowhere).
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Also which quirks' handling the tests need: every test is compiled again without.
    #[arg(long)]
    quirks: bool,
    /// Fail when less than this much of a kind is covered on a generation, for example opcodes=60 (repeatable).
    #[arg(long, value_name = "KIND=PERCENT", value_parser = minimum)]
    min: Vec<(Kind, f64)>,
    /// Rows at a time (default: as many as there are cores).
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

/// `coverage.json`.
#[derive(Serialize)]
struct Report<'a> {
    format: u32,
    tests: usize,
    parts: &'a [Part],
}

/// Measures coverage; exit code 1 when it is less than asked for.
pub(super) fn coverage(args: &CoverageArgs) -> anyhow::Result<u8> {
    execute_options(&args.execute, false)?;
    let tests = list::select(&args.select)?.tests;
    if tests.is_empty() {
        eprintln!("error: no tests are selected");
        return Ok(NOTHING);
    }
    let (count, targets) = (tests.len(), args.targets.0.clone());
    let (coverage, interrupted) = measure(args, tests)?;
    let without: &[Kind] = if args.quirks { &[] } else { &[Kind::Quirks] };
    let parts = coverage.parts(&targets, without);
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
                eprintln!("{} [{}]: less than {least} %", kind.title(), part.target);
                enough = false;
            }
        }
    }
    Ok(if enough { EXPECTED } else { UNEXPECTED })
}

fn measure(args: &CoverageArgs, tests: Vec<TestFile>) -> anyhow::Result<(Coverage, bool)> {
    let arguments = super::arguments();
    let jobs = run::jobs(args.jobs);
    let settings = run::settings(&args.execute, false, jobs, &arguments)?;
    let runtime = schedule::runtime()?;
    let entered = runtime.enter();
    let pool = Pool::start(&settings, None);
    drop(entered);
    let targets = args.targets.0.clone();
    let rows = Rows { tests, targets, quirks: args.quirks, pool, coverage: Mutex::default() };
    let described = |job| {
        let (test, target) = rows.row_of(job);
        Described { name: format!("{} [{target}]", printable_line(&test.name)), command: String::new() }
    };
    let mut console = Console::new((0..rows.len()).map(described).collect());
    let plan = Arc::new(rows);
    let limits = Limits { jobs: jobs * 2, max_fails: None };
    let summary = runtime.block_on(schedule::run(plan.clone(), limits, &mut [&mut console]))?;
    let coverage = std::mem::take(&mut *plan.coverage.lock().unwrap_or_else(PoisonError::into_inner));
    Ok((coverage, summary.interrupted))
}

/// Every test on every generation.
struct Rows {
    tests: Vec<TestFile>,
    targets: Vec<Generation>,
    /// Whether quirks are tried.
    quirks: bool,
    pool: Pool,
    coverage: Mutex<Coverage>,
}

impl Rows {
    fn row_of(&self, job: usize) -> (&TestFile, Generation) {
        let count = self.targets.len();
        (&self.tests[job / count], self.targets[job % count])
    }

    async fn execute(&self, job: usize, slot: usize, trial: Trial) -> Finished {
        let (test, target) = self.row_of(job);
        let (path, name) = (test.path.clone().into(), test.name.clone());
        let request = Request { job, path, test: name, target, trial: Some(trial) };
        self.pool.run(slot, request).await
    }

    /// The quirks whose handling no test needed so far: those are tried.
    fn open_quirks(&self, target: Generation) -> Vec<String> {
        let coverage = self.coverage.lock().unwrap_or_else(PoisonError::into_inner);
        let all = if self.quirks { all(Kind::Quirks, target).unwrap_or_default() } else { Vec::new() };
        all.into_iter().filter(|quirk| !coverage.has(Kind::Quirks, target, quirk)).collect()
    }
}

/// What a quirk's handling can change.
fn code(verdict: &Verdict) -> Vec<&str> {
    verdict.stages.iter().map(|stage| &*stage.sha).collect()
}

impl Plan for Rows {
    fn len(&self) -> usize {
        self.tests.len() * self.targets.len()
    }

    async fn run(&self, job: usize, slot: usize) -> Finished {
        let mut first =
            self.execute(job, slot, Trial { observe: true, log_passes: true, ..Trial::default() }).await;
        let (_, target) = self.row_of(job);
        let mut seen = std::mem::take(&mut first.verdict.seen);
        if !first.verdict.stages.is_empty() {
            for quirk in self.open_quirks(target) {
                let trial = Trial { disabled_quirks: vec![quirk.clone()], ..Trial::default() };
                let other = self.execute(job, slot, trial).await.verdict;
                if other.status != first.verdict.status || code(&other) != code(&first.verdict) {
                    seen.insert(Kind::Quirks, quirk);
                }
            }
        }
        self.coverage.lock().unwrap_or_else(PoisonError::into_inner).add(target, &seen);
        first
    }

    fn row(&self, job: usize, finished: Finished) -> TestResult {
        let (test, target) = self.row_of(job);
        let Finished { verdict, duration } = finished;
        let (layer, reason) = verdict.cause.unzip();
        TestResult {
            layer,
            reason,
            // A test that fails exercises something all the same.
            outcome: Outcome::Expected,
            duration_us: u64::try_from(duration.as_micros()).unwrap_or(u64::MAX),
            ..TestResult::plain(&*test.name, target.name(), verdict.status)
        }
    }
}
