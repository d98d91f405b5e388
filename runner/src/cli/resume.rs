//! `runner resume` and `runner rerun`: going on with a run, repeating what was not as expected.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, Parser};

use super::run::{Start, start};
use super::{Cli, EXPECTED, RunArgs};
use crate::results::{Run, RunRecord};
use crate::shard::Shard;

#[derive(Debug, Args)]
pub(super) struct ResumeArgs {
    /// The run's folder.
    #[arg(value_name = "RUN")]
    run: PathBuf,
}

#[derive(Debug, Args)]
pub(super) struct RerunArgs {
    /// The run's folder.
    #[arg(value_name = "RUN", default_value = "results/latest")]
    run: PathBuf,
    /// Where the results go (default: results/<date>-<n>).
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Completes a run: what is finished stays, the rest runs as it was meant to.
pub(super) fn resume(args: &ResumeArgs) -> anyhow::Result<u8> {
    let (folder, record, run) = read(&args.run)?;
    if run.truncated {
        eprintln!("warning: {}: the last line was cut short and is run again", run.path.display());
    }
    // Whatever stopped the run, this time it is to be completed.
    let run_args = RunArgs { max_fails: None, ..parse(&record)? };
    let shard = record.shard.as_deref().map(Shard::parse).transpose().map_err(anyhow::Error::msg)?;
    let only = record.only.map(|only| only.into_iter().collect());
    start(&run_args, &Start::Resumed { folder, run: Box::new(run), only, shard })
}

/// Runs the rows of a run again that were not as expected.
pub(super) fn rerun(args: &RerunArgs) -> anyhow::Result<u8> {
    let out = args.out.as_deref().map(std::path::absolute).transpose()?;
    let (_, record, run) = read(&args.run)?;
    let bad = run.rows.iter().filter(|row| !row.outcome.is_good());
    let only: BTreeSet<(String, String)> = bad.map(|row| (row.test.clone(), row.target.clone())).collect();
    if only.is_empty() {
        println!("everything was as expected: nothing to run again");
        return Ok(EXPECTED);
    }
    // Of a shard only its own rows are there to be repeated.
    let run_args = RunArgs { out, shard: None, ..parse(&record)? };
    start(&run_args, &Start::New { only: Some(only), arguments: record.arguments })
}

/// The folder, how the run was started, and its rows. The process goes to the directory the run was started in.
fn read(path: &Path) -> anyhow::Result<(PathBuf, RunRecord, Run)> {
    let folder = path.canonicalize().with_context(|| path.display().to_string())?;
    let record = RunRecord::read(&folder)?;
    let run = Run::read(&folder)?;
    std::env::set_current_dir(&record.directory).with_context(|| record.directory.display().to_string())?;
    Ok((folder, record, run))
}

fn parse(record: &RunRecord) -> anyhow::Result<RunArgs> {
    let words =
        std::iter::once("runner".to_owned()).chain(record.arguments.iter().cloned()).map(OsString::from);
    let cli = Cli::try_parse_from(words).context("run.json: these are not the arguments of a run")?;
    anyhow::ensure!(cli.command.is_none(), "run.json: these are not the arguments of a run");
    Ok(cli.run)
}
