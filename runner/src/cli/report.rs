//! `runner report`: a run as HTML.

use std::path::PathBuf;

use clap::Args;

use super::diff::parse;
use super::exit::EXPECTED;
use super::merge::Parse;
use super::output::print;
use crate::console::message::message;
use results::history::{HISTORY_FILE, History};
use results::report::{self, Sources, Written};
use results::{Repeat, RunFile, RunRecord};

#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// The run: its folder or results.jsonl.
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// An earlier run to compare with.
    #[arg(long, value_name = "OLD")]
    previous: Option<PathBuf>,
    /// Folder of the report: empty, new, or with an earlier report.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// History for the trends (default: results/history.sqlite, if it exists).
    #[arg(long, value_name = "FILE")]
    history: Option<PathBuf>,
}

pub(super) fn report(args: &ReportArgs, parse_record: Parse) -> anyhow::Result<u8> {
    let file = RunFile::read(&args.run)?;
    let run = parse(&file)?;
    let previous = args.previous.as_deref().map(RunFile::read).transpose()?;
    let previous_run = previous.as_ref().map(parse).transpose()?;
    let (runs, series) = past(args)?;
    let sources = Sources {
        file: &file,
        run: &run,
        repeat: &repeat(&file, parse_record),
        previous: previous.as_ref().zip(previous_run.as_ref()),
        runs: &runs,
        series: &series,
    };
    let Written { results, pages, left_out } = report::write(&args.out, &sources)?;
    let index = args.out.join("index.html");
    let more =
        if left_out > 0 { format!(" ({left_out} more would be too large)") } else { String::new() };
    print(format!("{}: {results} results, {pages} pages{more}\n", index.display()).as_bytes())?;
    Ok(EXPECTED)
}

/// Returns the commands of a run's test cases, as far as its record has them. Those of `fuzz` are
/// in the bundles.
fn repeat(file: &RunFile, parse: Parse) -> Repeat {
    let record = RunRecord::read(file.folder()).ok();
    let record = record.filter(|record| parse(record).is_ok());
    let arguments = record.map(|record| record.arguments).unwrap_or_default();
    Repeat { arguments, ..Repeat::default() }
}

type Past = (Vec<results::history::RunEntry>, Vec<results::history::Series>);

/// Number of past runs in trends.
const RUNS: usize = 40;

/// Reads the given history, or the default one as far as it is usable.
fn past(args: &ReportArgs) -> anyhow::Result<Past> {
    let read = |path: &std::path::Path| {
        let history = History::read(path)?;
        let mut runs = history.runs()?;
        runs.drain(..runs.len().saturating_sub(RUNS));
        let series = history.all(&runs)?;
        Ok::<Past, results::history::HistoryError>((runs, series))
    };
    if let Some(path) = &args.history {
        return Ok(read(path)?);
    }
    let usual = std::path::Path::new(HISTORY_FILE);
    if !usual.exists() {
        return Ok(Past::default());
    }
    Ok(read(usual).unwrap_or_else(|error| {
        message!("warning: no trends: {error}");
        Past::default()
    }))
}
