//! `runner summary`: statuses or code of several runs side by side.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::diff::{CodeArgs, parse};
use super::exit::{EXPECTED, NOTHING};
use super::output::{Format, print, print_json};
use crate::console::message::message;
use results::diff::{CodeTotals, Metric, by_directory};
use results::names::printable;
use results::verdict::{Counts, Status, TestResult};
use results::{ResultRef, RunFile, RunResults};

#[derive(Debug, Args)]
pub(super) struct SummaryArgs {
    /// The runs, one per column.
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<PathBuf>,
    /// List all tests, not only those that differ between the runs.
    #[arg(long)]
    all: bool,
    /// Print a Markdown table: directories, by the first parts of names, and generations. Runs of
    /// different tests share the columns; runs with tests in common have columns of their own.
    #[arg(long, value_name = "PARTS", num_args = 0..=1, require_equals = true, default_missing_value = "3")]
    #[arg(conflicts_with = "all")]
    by_directory: Option<usize>,
    /// Print totals of the generated code for each generation, stage and width; implied by --metric
    /// and --stage.
    #[arg(long, conflicts_with_all = ["all", "by_directory"])]
    code: bool,
    #[command(flatten)]
    selection: CodeArgs,
    /// Print the totals as CSV.
    #[arg(long)]
    csv: bool,
    /// Format.
    #[arg(long, value_enum, value_name = "HOW", default_value = "terminal")]
    #[arg(conflicts_with_all = ["by_directory", "csv"])]
    format: Format,
}

/// Statuses of several runs in JSON.
#[derive(Serialize)]
struct Statuses<'a> {
    runs: Vec<RunCounts>,
    tests: Vec<TestStatuses<'a>>,
}

/// A run in JSON.
#[derive(Serialize)]
struct RunCounts {
    name: String,
    counts: BTreeMap<&'static str, usize>,
    /// Results that a killed or stopped run lacks.
    not_run: usize,
    total: usize,
}

/// A test case in JSON; no status means no result.
#[derive(Serialize)]
struct TestStatuses<'a> {
    test: &'a str,
    #[serde(rename = "gen")]
    generation: &'a str,
    variant: &'a str,
    statuses: Vec<Option<Status>>,
}

/// Prints totals of the generated code of the runs.
fn code(args: &SummaryArgs, runs: &[RunResults<'_>]) -> anyhow::Result<u8> {
    let names = args.runs.iter().map(|path| path.display().to_string());
    let runs: Vec<(String, &[ResultRef<'_>])> =
        names.zip(runs.iter().map(|run| &*run.results)).collect();
    let totals = CodeTotals::new(&runs, &args.selection.selection(&Metric::ALL));
    if totals.is_empty() {
        message!("error: the runs have no such code in common");
        return Ok(NOTHING);
    }
    if args.format == Format::Json {
        print_json("code", &totals.document())?;
        return Ok(EXPECTED);
    }
    let text = match args.csv {
        true => totals.csv(),
        false => totals.text(args.selection.limit.unwrap_or(0)),
    };
    print(text.as_bytes())?;
    Ok(EXPECTED)
}

/// Prints the statuses of several runs side by side.
pub(super) fn summary(args: &SummaryArgs) -> anyhow::Result<u8> {
    let files = args.runs.iter().map(|path| RunFile::read(path)).collect::<Result<Vec<_>, _>>()?;
    let runs = files.iter().map(parse).collect::<anyhow::Result<Vec<_>>>()?;
    if args.code || args.selection.is_selective() {
        return code(args, &runs);
    }
    if args.csv || args.selection.limit.is_some() {
        anyhow::bail!("--csv and --limit belong to the totals of --code");
    }
    if let Some(depth) = args.by_directory {
        let results: Vec<Vec<TestResult>> =
            runs.iter().map(|run| run.results.iter().map(ResultRef::to_result).collect()).collect();
        let names = args.runs.iter().map(|path| path.display().to_string());
        let runs: Vec<(String, &[TestResult])> =
            names.zip(results.iter().map(Vec::as_slice)).collect();
        print(by_directory(&runs, depth).as_bytes())?;
        return Ok(EXPECTED);
    }
    let mut lines: BTreeMap<(&str, &str, &str), Vec<Option<Status>>> = BTreeMap::new();
    // Variants get separate lines only if a run has several; otherwise different options are
    // compared.
    let mut counts = vec![Counts::default(); runs.len()];
    for (column, run) in runs.iter().enumerate() {
        for group in run.results.chunk_by(|a, b| a.test == b.test && a.generation == b.generation) {
            for result in group {
                let variant = if group.len() > 1 { &*result.variant } else { "" };
                let line = lines.entry((&result.test, &result.generation, variant));
                line.or_insert_with(|| vec![None; runs.len()])[column] =
                    ResultRef::known_status(result);
                counts[column].add(result.status);
            }
        }
    }
    lines.retain(|_, statuses| args.all || statuses.windows(2).any(|pair| pair[0] != pair[1]));
    if args.format == Format::Json {
        let statuses = Statuses {
            runs: run_counts(args, &runs, &counts),
            tests: lines.into_iter().map(TestStatuses::of).collect(),
        };
        print_json("summary", &statuses)?;
        return Ok(EXPECTED);
    }
    let mut text = String::new();
    for ((test, generation, variant), statuses) in lines {
        let words: Vec<&str> =
            statuses.iter().zip(&runs).map(|(s, run)| status_name(*s, run)).collect();
        let separator = if variant.is_empty() { "" } else { " " };
        let (test, generation, variant) =
            (printable(test), printable(generation), printable(variant));
        writeln!(text, "{test} [{generation}{separator}{variant}]: {}", words.join(" "))?;
    }
    if !text.is_empty() {
        text.push('\n');
    }
    for status in Status::ALL.into_iter().filter(|&status| counts.iter().any(|c| c.of(status) > 0))
    {
        row(&mut text, status.name(), counts.iter().map(|c| c.of(status)))?;
    }
    if runs.iter().any(|run| run.unfinished() > 0) {
        row(&mut text, "not run", runs.iter().map(RunResults::unfinished))?;
    }
    row(&mut text, "total", counts.iter().map(Counts::total))?;
    print(text.as_bytes())?;
    Ok(EXPECTED)
}

/// Returns the runs with their counts.
fn run_counts(args: &SummaryArgs, runs: &[RunResults<'_>], counts: &[Counts]) -> Vec<RunCounts> {
    let of = |((path, run), counts): ((&PathBuf, &RunResults<'_>), &Counts)| RunCounts {
        name: path.display().to_string(),
        counts: Status::ALL.map(|status| (status.name(), counts.of(status))).into(),
        not_run: run.unfinished(),
        total: counts.total(),
    };
    args.runs.iter().zip(runs).zip(counts).map(of).collect()
}

impl<'a> TestStatuses<'a> {
    fn of(
        ((test, generation, variant), statuses): ((&'a str, &'a str, &'a str), Vec<Option<Status>>),
    ) -> TestStatuses<'a> {
        TestStatuses { test, generation, variant, statuses }
    }
}

/// Returns the name of a status; without one, the test case is missing or was not reached.
fn status_name(status: Option<Status>, run: &RunResults<'_>) -> &'static str {
    match status {
        Some(status) => status.name(),
        None if run.unfinished() > 0 => "not-run",
        None => "missing",
    }
}

fn row(text: &mut String, name: &str, numbers: impl Iterator<Item = usize>) -> std::fmt::Result {
    write!(text, "{name:8}")?;
    numbers.into_iter().try_for_each(|number| write!(text, " {number:>8}"))?;
    writeln!(text)
}
