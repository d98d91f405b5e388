//! `runner resume` and `runner rerun`: continuing a run, repeating unexpected results.

use std::collections::BTreeSet;
use std::ffi::OsString;

use anyhow::Context;
use clap::Parser;

use super::args::{RerunArgs, ResumeArgs, RunArgs};
use super::command::{Cli, Command};
use super::exit::EXPECTED;
use super::output::print;
use super::plan::Key;
use super::run::{Resumed, Start, start};
use crate::console::message::message;
use results::shard::Shard;
use results::{Run, RunFolder, RunRecord};

/// Completes a run: keeps finished results and executes the rest with the original options.
pub(super) fn resume(args: &ResumeArgs) -> anyhow::Result<u8> {
    let path = args.run.canonicalize().with_context(|| args.run.display().to_string())?;
    let record = RunRecord::read(&path)?;
    // From here on, no other process can write there.
    let folder = RunFolder::open(&path)?;
    let run = if folder.has_results() { Some(Run::read(&path)?) } else { None };
    if let Some(run) = run.as_ref().filter(|run| run.truncated) {
        message!("warning: {}: the last line was cut short and is run again", run.path.display());
    }
    go_to(&record)?;
    // Any limit on failures that stopped the run is lifted.
    let run_args = parse(&record)?;
    let run_args = RunArgs { max_fails: None, jobs: args.jobs.or(run_args.jobs), ..run_args };
    let shard =
        record.shard.as_deref().map(Shard::parse).transpose().map_err(anyhow::Error::msg)?;
    let only = record.only.map(|only| only.into_iter().collect());
    let resumed = Some(Resumed { folder, run, shard });
    start(&run_args, &Start { arguments: record.arguments, only, resumed })
}

/// Executes the test cases with unexpected results again.
pub(super) fn rerun(args: &RerunArgs) -> anyhow::Result<u8> {
    let out = args.out.as_deref().map(std::path::absolute).transpose()?;
    let path = args.run.canonicalize().with_context(|| args.run.display().to_string())?;
    let (record, run) = (RunRecord::read(&path)?, Run::read(&path)?);
    run.warnings().iter().for_each(|warning| message!("warning: {warning}"));
    go_to(&record)?;
    let bad = run.results.iter().filter(|result| !result.is_good());
    let only: BTreeSet<Key> =
        bad.map(|result| (result.test.clone(), result.generation.clone())).collect();
    if only.is_empty() {
        print(b"everything was as expected: nothing to run again\n")?;
        return Ok(EXPECTED);
    }
    // A shard has only its own test cases to repeat.
    let run_args = RunArgs { out, shard: None, ..parse(&record)? };
    start(&run_args, &Start { arguments: record.arguments, only: Some(only), resumed: None })
}

/// Changes to the directory in which the run was started: the base of the paths among its
/// arguments.
fn go_to(record: &RunRecord) -> anyhow::Result<()> {
    std::env::set_current_dir(&record.directory)
        .with_context(|| record.directory.display().to_string())
}

/// Parses the arguments of a run; its paths are those that names meant when it was started.
pub(super) fn parse(record: &RunRecord) -> anyhow::Result<RunArgs> {
    let words = std::iter::once("runner".to_owned())
        .chain(record.arguments.iter().cloned())
        .map(OsString::from);
    let cli =
        Cli::try_parse_from(words).context("run.json: these are not the arguments of a run")?;
    let mut run = match cli.command {
        None => cli.run,
        Some(Command::Piglit(run)) => *run,
        Some(_) => anyhow::bail!("run.json: these are not the arguments of a run"),
    };
    if !record.paths.is_empty() {
        run.select.paths.clone_from(&record.paths);
    }
    Ok(run)
}
