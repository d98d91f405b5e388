//! `runner diff`: comparison of two runs.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::exit::{EXPECTED, UNEXPECTED};
use super::output::{print, print_json};
use super::values;
use crate::console::message::message;
use results::diff::{self, CodeSelection, Diff, DiffDocument, Listing, Metric, MetricChange};
use results::passes::parse_stage;
use results::threads::joined;
use results::{RunFile, RunResults};
use vocabulary::Stage;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For terminals.
    Terminal,
    /// For a merge request.
    Markdown,
    /// For programs (docs/json.md).
    Json,
    /// Changed shaders, for spreadsheets.
    Csv,
}

#[derive(Debug, Args)]
pub(super) struct DiffArgs {
    /// The old run: its folder or results.jsonl.
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// The new run.
    #[arg(value_name = "NEW")]
    new: PathBuf,
    /// Format of the comparison.
    #[arg(long, value_enum, value_name = "HOW", default_value = "terminal")]
    format: Format,
    /// Show changes of messages, IR and assembly for up to N test cases with failure bundles in
    /// both runs.
    #[arg(long, value_name = "N", default_value_t = 3)]
    texts: usize,
    #[command(flatten)]
    code: CodeArgs,
    /// The same as --format csv.
    #[arg(long, conflicts_with = "format")]
    csv: bool,
    /// Fail if the total of a metric, over the shaders that both runs have, grew by more than this
    /// share.
    #[arg(long, value_name = "PERCENT", value_parser = share, allow_negative_numbers = true)]
    fail_above: Option<f64>,
}

/// Selection of the generated code.
#[derive(Debug, Args)]
pub(super) struct CodeArgs {
    /// Only these numbers of the generated code, with totals of each generation, stage and width.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = values::metric())]
    metric: Vec<Metric>,
    /// Only code of these stages.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_stage)]
    stage: Vec<Stage>,
    /// List at most N shaders of each metric.
    #[arg(long, value_name = "N")]
    pub(super) limit: Option<usize>,
}

impl CodeArgs {
    /// Returns true if metrics or stages are selected.
    pub(super) fn is_selective(&self) -> bool {
        !self.metric.is_empty() || !self.stage.is_empty()
    }

    /// Returns the selection; `otherwise` are the metrics without one.
    pub(super) fn selection(&self, otherwise: &[Metric]) -> CodeSelection {
        let metrics = if self.metric.is_empty() { otherwise } else { &self.metric };
        let is_first = |index: &usize| !metrics[..*index].contains(&metrics[*index]);
        let metrics = (0..metrics.len()).filter(is_first).map(|index| metrics[index]).collect();
        CodeSelection { metrics, stages: self.stage.clone() }
    }
}

/// Parses a share in percent.
fn share(text: &str) -> Result<f64, String> {
    let share: f64 = text.trim_end_matches('%').parse().map_err(|_| "no number".to_owned())?;
    if share.is_finite() { Ok(share) } else { Err("not finite".to_owned()) }
}

/// Compares two runs; exit code 1 if there are regressions, or if the code grew too much.
pub(super) fn diff(args: &DiffArgs) -> anyhow::Result<u8> {
    let (old_file, new_file) = (RunFile::read(&args.old)?, RunFile::read(&args.new)?);
    let (old, new) = std::thread::scope(|scope| {
        let old = scope.spawn(|| parse(&old_file));
        let new = parse(&new_file);
        (joined(old), new)
    });
    let (old, new) = (old?, new?);
    let pairs = diff::run_pairs(&old, &new);
    let diff = Diff::of_runs(&pairs, &old, &new, &args.code.selection(&Metric::COMPARED));
    let texts = || diff::texts(&pairs, old_file.folder(), new_file.folder(), args.texts);
    let listing = Listing {
        shaders: args.code.limit.unwrap_or(Listing::default().shaders),
        groups: args.code.is_selective(),
    };
    let format = if args.csv { Format::Csv } else { args.format };
    match format {
        Format::Terminal => print(diff::terminal(&diff, &texts(), listing).as_bytes())?,
        Format::Markdown => print(diff::markdown(&diff, &texts(), listing).as_bytes())?,
        Format::Json => print_json("diff", &DiffDocument { diff: &diff, texts: &texts() })?,
        Format::Csv => print(diff::csv(&diff, args.code.limit).as_bytes())?,
    }
    let grew = grown(&diff, args.fail_above);
    grew.iter().for_each(|text| message!("{text}"));
    Ok(if diff.is_bad() || !grew.is_empty() { UNEXPECTED } else { EXPECTED })
}

/// Describes the metrics that grew by more than a limit in percent.
fn grown(diff: &Diff, limit: Option<f64>) -> Vec<String> {
    let Some(limit) = limit else { return Vec::new() };
    let above = diff.code.metrics.iter().filter(|metric| metric.growth() > limit);
    let describe = |metric: &MetricChange| {
        let (name, old, new) = (metric.name, metric.total_old, metric.total_new);
        let change = diff::percent(old, new);
        format!("{name} grew by more than {limit}%: {old} -> {new} ({change})")
    };
    above.map(describe).collect()
}

/// Parses a run and warns if parts of it are missing.
pub(super) fn parse(file: &RunFile) -> anyhow::Result<RunResults<'_>> {
    let run = file.parse()?;
    file.warnings(&run).iter().for_each(|warning| message!("warning: {warning}"));
    Ok(run)
}
