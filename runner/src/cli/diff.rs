//! `runner diff` and `runner summary`: comparing runs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::{EXPECTED, UNEXPECTED, print};
use crate::diff::{self, Diff};
use crate::names::printable;
use crate::results::Run;
use crate::verdict::{Counts, Status};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people.
    Terminal,
    /// For a merge request.
    Markdown,
    /// For programs.
    Json,
}

#[derive(Debug, Args)]
pub(super) struct DiffArgs {
    /// The run before: its folder or results.jsonl.
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// The run after.
    #[arg(value_name = "NEW")]
    new: PathBuf,
    /// How the comparison is written.
    #[arg(long, value_enum, value_name = "HOW", default_value = "terminal")]
    format: Format,
}

#[derive(Debug, Args)]
pub(super) struct SummaryArgs {
    /// The runs, a column each.
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<PathBuf>,
    /// List all tests, not only those that differ between the runs.
    #[arg(long)]
    all: bool,
    /// Instead a Markdown table of all runs together: directories, by the first parts of names, and generations.
    #[arg(long, value_name = "PARTS", num_args = 0..=1, require_equals = true, default_missing_value = "3")]
    #[arg(conflicts_with = "all")]
    by_directory: Option<usize>,
}

/// Compares two runs; regressions give exit code 1.
pub(super) fn diff(args: &DiffArgs) -> anyhow::Result<u8> {
    let (old, new) = (read(&args.old)?, read(&args.new)?);
    let diff = Diff::new(&old.rows, &new.rows);
    let text = match args.format {
        Format::Terminal => diff::terminal(&diff),
        Format::Markdown => diff::markdown(&diff),
        Format::Json => diff::json(&diff)?,
    };
    print(text.as_bytes())?;
    Ok(if diff.is_bad() { UNEXPECTED } else { EXPECTED })
}

/// Statuses of several runs side by side.
pub(super) fn summary(args: &SummaryArgs) -> anyhow::Result<u8> {
    let runs = args.runs.iter().map(|path| read(path)).collect::<anyhow::Result<Vec<_>>>()?;
    if let Some(depth) = args.by_directory {
        print(diff::by_directory(runs.iter().flat_map(|run| &run.rows), depth).as_bytes())?;
        return Ok(EXPECTED);
    }
    let columns: Vec<BTreeMap<(&str, &str), Status>> = runs
        .iter()
        .map(|run| run.rows.iter().map(|row| ((&*row.test, &*row.target), row.status)).collect())
        .collect();
    let keys: BTreeSet<(&str, &str)> = columns.iter().flat_map(|column| column.keys().copied()).collect();
    let mut text = String::new();
    for key in keys {
        let statuses: Vec<Option<Status>> = columns.iter().map(|column| column.get(&key).copied()).collect();
        if args.all || statuses.windows(2).any(|pair| pair[0] != pair[1]) {
            let name = |status: &Option<Status>| status.map_or("missing", Status::name);
            let words: Vec<&str> = statuses.iter().map(name).collect();
            writeln!(text, "{} [{}]: {}", printable(key.0), key.1, words.join(" "))?;
        }
    }
    if !text.is_empty() {
        text.push('\n');
    }
    let counts: Vec<Counts> = columns
        .iter()
        .map(|column| {
            let mut counts = Counts::default();
            column.values().for_each(|&status| counts.add(status));
            counts
        })
        .collect();
    for status in Status::ALL.into_iter().filter(|&status| counts.iter().any(|c| c.of(status) > 0)) {
        row(&mut text, status.name(), counts.iter().map(|c| c.of(status)))?;
    }
    row(&mut text, "total", counts.iter().map(Counts::total))?;
    print(text.as_bytes())?;
    Ok(EXPECTED)
}

fn row(text: &mut String, name: &str, numbers: impl Iterator<Item = usize>) -> std::fmt::Result {
    write!(text, "{name:8}")?;
    numbers.into_iter().try_for_each(|number| write!(text, " {number:>8}"))?;
    writeln!(text)
}

fn read(path: &Path) -> anyhow::Result<Run> {
    let run = Run::read(path)?;
    if run.truncated {
        eprintln!("warning: {}: the last line was cut short and left out", run.path.display());
    }
    Ok(run)
}
