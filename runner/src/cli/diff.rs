//! `runner diff`: comparison of two runs.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::exit::{EXPECTED, UNEXPECTED};
use super::output::print;
use crate::console::message::message;
use results::diff::{self, Diff};
use results::threads::joined;
use results::{RunFile, RunRows};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For terminals.
    Terminal,
    /// For a merge request.
    Markdown,
    /// For programs.
    Json,
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
}

/// Compares two runs; exit code 1 if there are regressions.
pub(super) fn diff(args: &DiffArgs) -> anyhow::Result<u8> {
    let (old_file, new_file) = (RunFile::read(&args.old)?, RunFile::read(&args.new)?);
    let (old, new) = std::thread::scope(|scope| {
        let old = scope.spawn(|| parse(&old_file));
        let new = parse(&new_file);
        (joined(old), new)
    });
    let (old, new) = (old?, new?);
    let pairs = diff::run_pairs(&old, &new);
    let diff = Diff::of_runs(&pairs, &old, &new);
    let texts = diff::texts(&pairs, old_file.folder(), new_file.folder(), args.texts);
    let text = match args.format {
        Format::Terminal => diff::terminal(&diff, &texts),
        Format::Markdown => diff::markdown(&diff, &texts),
        Format::Json => diff::json(&diff, &texts)?,
    };
    print(text.as_bytes())?;
    Ok(if diff.is_bad() { UNEXPECTED } else { EXPECTED })
}

/// Parses a run and warns if parts of it are missing.
pub(super) fn parse(file: &RunFile) -> anyhow::Result<RunRows<'_>> {
    let run = file.parse()?;
    file.warnings(&run).iter().for_each(|warning| message!("warning: {warning}"));
    Ok(run)
}
