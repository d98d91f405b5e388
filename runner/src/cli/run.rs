//! `runner PATH…`: runs tests.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;

use super::args::{Order, RunArgs, SelectArgs, ShardChoice};
use super::exit::{EXPECTED, NOTHING, UNEXPECTED, UNTESTABLE};
use super::git_bisect;
use super::history::Recording;
use super::list::Selection;
use super::options::{changed_options, junit, run_options};
use super::plan::{self, Key, RunPlan};
use super::revision::REVISION;
use super::workers::{self, Split};
use crate::bundles::{BundlePolicy, BundleWriter};
use crate::console::Console;
use crate::console::message::message;
use crate::profiles::is_profile;
use crate::schedule::{self, Limits};
use crate::select::{TestFile, located};
use crate::virtual_gpu::VirtualGpu;
use results::ShardHeader;
use results::event::Reporter;
use results::expect::Expectations;
use results::names::quoted;
use results::shard::{Durations, Shard, selection_hash};
use results::{Header, JUNIT_FILE, Repeat, ResultsWriter, Run, RunFolder, RunRecord};
use supervise::Pool;
use vocabulary::Target;

/// Runs tests; `words` is the command line, settings included.
pub(super) fn run(args: RunArgs, words: &[OsString]) -> anyhow::Result<u8> {
    let arguments = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    // Names become paths here, so that the record holds what they meant.
    let paths = located(&args.select.paths)?;
    let args = RunArgs { select: SelectArgs { paths, ..args.select }, ..args };
    start(&args, &Start { arguments, only: None, resumed: None })
}

/// The beginning of a run.
pub(super) struct Start {
    /// Arguments, for `run.json`.
    pub(super) arguments: Vec<String>,
    /// Test cases of a partial run; `None` means all.
    pub(super) only: Option<BTreeSet<Key>>,
    /// State of a resumed run.
    pub(super) resumed: Option<Resumed>,
}

/// A resumed run.
pub(super) struct Resumed {
    /// Folder of the run.
    pub(super) folder: RunFolder,
    /// Finished results; `None` if the run was killed before its first line.
    pub(super) run: Option<Run>,
    /// The shard, if the environment chose it.
    pub(super) shard: Option<Shard>,
}

/// Executes a run.
pub(super) fn start(args: &RunArgs, start: &Start) -> anyhow::Result<u8> {
    let jobs = workers::jobs(args.jobs);
    let generations = args.generations();
    super::choices::with_meaning(&args.execute.device, &generations)?;
    let gpu = super::driver::virtual_gpu(&args.execute.device.driver, &generations)?;
    let split = Split::of(&args.execute, args.isolate, &generations);
    let mut settings = workers::settings(&args.execute, split, jobs, &start.arguments)?;
    settings.program.environment = gpu.as_ref().map(VirtualGpu::environment).unwrap_or_default();
    supervise::want_large_pages(false);
    // The first worker starts while the tests are searched for.
    let first = supervise::Process::start(&settings.program);
    let selection = super::list::select(&args.select, args.execute.file_kinds())?;
    let chosen = &args.execute.device.driver;
    let paths = selection.tests.iter().map(|test| &*test.path);
    let drivers = super::driver::of_files(chosen, &generations, paths);
    let is_needed = selection.tests.iter().any(|test| !is_profile(&test.path));
    let driver = super::driver::identify(chosen, &drivers, gpu.as_ref(), is_needed)?;
    let options = run_options(args)?;
    super::choices::check(&args.execute.device, &generations)?;
    let changed = changed_options(&args.execute, &options.execution);
    let expectations = Expectations::load(&args.expect.sources(), &generations)?;
    args.expect.warn_unused(&generations);
    super::expect::warn_unmatched(&expectations, &selection.found);
    let durations = args.durations.as_deref().map(Durations::read).transpose()?;
    let shard = shard(args, start)?;
    let missing_tests = missing_tests(&selection, &expectations, &generations, start.only.as_ref());
    let nothing = selection.nothing();
    let (tests, mut cases) =
        plan::planned(selection.tests, &generations, start.only.as_ref(), &missing_tests);
    if cases.is_empty() {
        message!("{nothing}");
        return Ok(if args.git_bisect { UNTESTABLE } else { NOTHING });
    }
    let previous = args
        .previous
        .as_deref()
        .map(Run::read)
        .transpose()?
        .map(|run| run.results)
        .unwrap_or_default();
    let mut header = Header::new(
        generations.iter().map(|t| t.name().to_owned()).collect(),
        changed.clone(),
        REVISION,
    );
    header.driver = driver;
    if let Some(shard) = shard {
        header.shard = Some(shard_header(shard, &tests, cases.len(), durations.as_ref()));
        let weights = durations.as_ref().map(|d| d.weights(tests.iter().map(|test| &*test.name)));
        let positions: BTreeSet<usize> =
            shard.positions(tests.len(), weights.as_deref()).into_iter().collect();
        cases.retain(|case| positions.contains(&case.test));
    }
    header.planned = Some(cases.len() as u64);
    plan::order(&mut cases, &tests, (args.order, args.order_seed), durations.as_ref());
    if args.order != Order::Random {
        plan::in_blocks(&mut cases, plan::tests_of_a_block(jobs));
    }
    let (folder, writer) = open(args, start, &header, shard)?;
    let mut writer = writer.with_junit(junit(args.junit_failures_only));
    let done: BTreeSet<(&str, &str)> =
        writer.results().iter().map(|result| (&*result.test, &*result.generation)).collect();
    cases.retain(|case| !done.contains(&(&*tests[case.test].name, case.generation.name())));
    let repeat = Repeat {
        files: tests.iter().map(|test| (test.name.clone(), test.path.clone())).collect(),
        options: plan::option_words(args, &changed),
        arguments: start.arguments.clone(),
    };
    let place = quoted(&folder.path.display().to_string());
    let update = format!("runner expect update {place} --add --baseline FILE");
    let mut console = Console::new(plan::described(&tests, &cases, args, &repeat))
        .with_update(update)
        .with_resume(format!("runner resume {place}"))
        .after(writer.results());
    let variant =
        changed.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(",");
    let jobs = jobs.min(cases.len());
    let max_fails = args.max_fails.map(|n| n as usize);
    let limits = Limits { jobs: jobs * ahead(args, &tests), max_fails };
    writer = writer.with_repeat(repeat.clone());
    // Mock tests have no explanation.
    let keep = if args.execute.mock { BundlePolicy::None } else { args.bundles.keep };
    // Only whole runs are compared over time.
    let recording = header.shard.is_none().then(|| {
        let (recording, reader) = Recording::start();
        writer.read_by(reader);
        recording
    });
    let runtime = schedule::runtime()?;
    let (summary, explained) = runtime.block_on(async {
        let pool = Arc::new(Pool::start(&settings, first.ok()));
        let mut bundles = BundleWriter::new(
            &folder.path,
            (keep, options.mode()),
            repeat,
            &previous,
            header.driver.clone(),
            pool.clone(),
            jobs,
        );
        bundles.complete(writer.results());
        let repeat = args.repeat;
        let plan = RunPlan { tests, cases, variant, expectations, repeat, pool };
        let reporters: &mut [&mut dyn Reporter] = &mut [&mut writer, &mut console, &mut bundles];
        let summary = schedule::run(Arc::new(plan), limits, reporters).await?;
        anyhow::Ok((summary, bundles.finish(summary.interrupted).await))
    })?;
    if let Some(recording) = recording.filter(|_| !summary.interrupted) {
        recording.finish();
    }
    super::driver::finish(runtime, gpu, summary.counts.has_executed())?;
    if args.shard == Some(ShardChoice::Auto) {
        report_to_bazel(&folder.path)?;
    }
    if args.git_bisect {
        let stopped = summary.interrupted && args.max_fails.is_none();
        return Ok(git_bisect::exit_code(writer.results(), &previous, stopped));
    }
    let complete = !summary.interrupted && explained;
    let good = summary.unexpected == 0 && complete && writer.all_good();
    Ok(if good { EXPECTED } else { UNEXPECTED })
}

/// Returns the tests that an earlier result names but that have no file (any more), by generation.
fn missing_tests(
    selection: &Selection,
    expectations: &Expectations,
    generations: &[Target],
    only: Option<&BTreeSet<Key>>,
) -> BTreeSet<(String, Target)> {
    let known: BTreeSet<&str> = selection.found.iter().map(|test| &*test.name).collect();
    let each = |generation: Target| -> Vec<(String, Target)> {
        let names: Vec<&str> = match only {
            Some(only) => {
                only.iter().filter(|key| key.1 == generation.name()).map(|key| &*key.0).collect()
            }
            None => {
                let listed = selection.filter.names();
                let ours = |name: &&str| selection.covers(name) && selection.filter.accepts(name);
                expectations.named(generation).chain(listed).filter(ours).collect()
            }
        };
        let missing_tests = names.into_iter().filter(|name| !known.contains(name));
        missing_tests.map(|name| (name.to_owned(), generation)).collect()
    };
    generations.iter().flat_map(|&generation| each(generation)).collect()
}

/// Returns the number of test cases sent per executed one: a free thread finds its next test case
/// waiting, and the supervising process, which shares the cores, may handle several answers at a
/// time. Ctrl-C waits for them. Runs that stop at failures and processes with a single test case
/// send one, and so do runs with programs, which take seconds: one that waits behind another keeps
/// the other processes idle at the end.
fn ahead(args: &RunArgs, tests: &[TestFile]) -> usize {
    let has_programs = tests.iter().any(|test| is_profile(&test.path));
    if args.isolate || args.max_fails.is_some() || has_programs { 1 } else { 4 }
}

/// Returns the shard to run, if the run is split.
fn shard(args: &RunArgs, start: &Start) -> anyhow::Result<Option<Shard>> {
    match (args.shard, start.resumed.as_ref().and_then(|resumed| resumed.shard)) {
        (_, Some(shard)) => Ok(Some(shard)),
        (Some(ShardChoice::Given(shard)), _) => Ok(Some(shard)),
        (Some(ShardChoice::Auto), _) => {
            let variable = |name: &str| std::env::var(name).ok();
            let shard = Shard::from_environment(&variable)
                .map_err(|message| anyhow::anyhow!("--shard auto: {message}"))?;
            tell_bazel()?;
            Ok(Some(shard))
        }
        (None, _) => Ok(None),
    }
}

fn shard_header(
    shard: Shard,
    tests: &[TestFile],
    results: usize,
    durations: Option<&Durations>,
) -> ShardHeader {
    ShardHeader {
        index: shard.index,
        count: shard.count,
        results: results as u64,
        selection: selection_hash(tests.iter().map(|test| &*test.name)),
        durations: durations.map(|durations| durations.hash.clone()),
    }
}

/// Returns the folder and a writer into it, which holds the earlier results of a resumed run.
fn open(
    args: &RunArgs,
    start: &Start,
    header: &Header,
    shard: Option<Shard>,
) -> anyhow::Result<(RunFolder, ResultsWriter)> {
    let Some(resumed) = &start.resumed else {
        refuse_test_path(args)?;
        let folder = RunFolder::create(args.out.as_deref())?;
        let record = RunRecord {
            arguments: start.arguments.clone(),
            directory: std::env::current_dir()?,
            only: start.only.as_ref().map(|only| only.iter().cloned().collect()),
            shard: shard.map(|shard| format!("{}/{}", shard.index, shard.count)),
            paths: args.select.paths.clone(),
        };
        folder.forget_results()?;
        record.write(&folder.path)?;
        let writer = ResultsWriter::create(&folder.path, header.clone())?;
        return Ok((folder, writer));
    };
    let folder = resumed.folder.clone();
    let Some(run) = &resumed.run else {
        let writer = ResultsWriter::create(&folder.path, header.clone())?;
        return Ok((folder, writer));
    };
    // A finished file no longer has the number of planned results.
    if let Some(difference) = difference(&run.header, header) {
        anyhow::bail!("{}: begun {difference}; start a new run", run.path.display());
    }
    let writer = ResultsWriter::resume(&folder.path, run.clone(), header.planned)?;
    Ok((folder, writer))
}

/// Fails if the results would be written to one of the paths of the tests.
fn refuse_test_path(args: &RunArgs) -> anyhow::Result<()> {
    let Some(out) = &args.out else { return Ok(()) };
    let Ok(real) = out.canonicalize() else { return Ok(()) };
    let is_out = |path: &&PathBuf| path.is_dir() && path.canonicalize().is_ok_and(|p| p == real);
    match args.select.paths.iter().find(is_out) {
        Some(path) => Ok(results::refuse_tests(out, &path.display().to_string())?),
        None => Ok(()),
    }
}

/// Returns the property in which a run differs from the one that would continue it.
fn difference(old: &Header, new: &Header) -> Option<String> {
    let text = |revision: &Option<String>| revision.clone().unwrap_or_else(|| "-".to_owned());
    if old.version != new.version {
        return Some(format!("by another version ({}, this is {})", old.version, new.version));
    }
    if old.revision != new.revision {
        let [old, new] = [&old.revision, &new.revision].map(text);
        return Some(format!("by another revision ({old}, this is {new})"));
    }
    if old.generations != new.generations || old.options != new.options {
        return Some("with other generations or options".to_owned());
    }
    if old.driver != new.driver {
        let [old, new] = [old, new].map(Header::driver_name);
        return Some(format!("with another driver ({old}, this is {new})"));
    }
    let same = *old == Header { planned: old.planned, ..new.clone() };
    (!same).then(|| "with other tests or durations".to_owned())
}

/// Creates the file by which Bazel's test runner recognizes support for shards.
fn tell_bazel() -> anyhow::Result<()> {
    match path_variable("TEST_SHARD_STATUS_FILE") {
        Some(path) => std::fs::write(&path, "").with_context(|| path.display().to_string()),
        None => Ok(()),
    }
}

/// Copies the report to the place where Bazel's test runner expects it.
fn report_to_bazel(folder: &Path) -> anyhow::Result<()> {
    if let Some(path) = path_variable("XML_OUTPUT_FILE") {
        std::fs::copy(folder.join(JUNIT_FILE), &path)
            .with_context(|| path.display().to_string())?;
    }
    Ok(())
}

fn path_variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}
