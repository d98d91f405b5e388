//! Expectations on the command line, and `runner expect`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, Subcommand};
use similar::TextDiff;

use super::exit::EXPECTED;
use super::output::print;
use super::values::process_arguments;
use crate::console::message::message;
use crate::select::TestFile;
use results::expect::update::{self, Edited, Ran};
use results::expect::{Expectations, ScopedFile, Sources, update_config};
use results::names::{printable, printable_line};
use results::verdict::{Outcome, TestResult};
use results::{Run, replace_file};
use vocabulary::Target;

/// Maximum number of unmatched statements listed per file.
const LISTED: usize = 5;

/// Files of expectations.
#[derive(Debug, Default, Args)]
pub(super) struct ExpectArgs {
    /// Expected failures, lines of name,Status (repeatable).
    #[arg(long, value_name = "[GEN=]FILE")]
    baseline: Vec<String>,
    /// Patterns of tests to skip (repeatable).
    #[arg(long, value_name = "[GEN=]FILE")]
    skips: Vec<String>,
    /// Patterns of tests whose failures are ignored (repeatable).
    #[arg(long, value_name = "[GEN=]FILE")]
    flakes: Vec<String>,
    /// Expectations with reasons, in YAML.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl ExpectArgs {
    /// Warns about files on the command line that are for none of the generations. A file of
    /// settings lists those of every run.
    pub(super) fn warn_unused(&self, generations: &[Target]) {
        let given = process_arguments();
        let lists =
            [("baseline", &self.baseline), ("skips", &self.skips), ("flakes", &self.flakes)];
        for (option, files) in lists {
            for text in files.iter().filter(|text| given.iter().any(|word| word.ends_with(*text))) {
                let file = ScopedFile::parse(text);
                if !generations.iter().any(|&generation| file.covers(generation)) {
                    message!(
                        "warning: --{option} {}: none of its generations is run",
                        printable_line(text)
                    );
                }
            }
        }
    }

    pub(super) fn sources(&self) -> Sources {
        let files = |list: &[String]| list.iter().map(|text| ScopedFile::parse(text)).collect();
        Sources {
            baseline: files(&self.baseline),
            skips: files(&self.skips),
            flakes: files(&self.flakes),
            config: self.config.clone(),
        }
    }
}

#[derive(Debug, Subcommand)]
pub(super) enum ExpectCommand {
    /// Edit baselines and runner.yaml after a run: remove or change what the run proves stale.
    Update(UpdateArgs),
}

#[derive(Debug, Args)]
pub(super) struct UpdateArgs {
    /// The run: its folder or results.jsonl.
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// A baseline (repeatable).
    #[arg(long, value_name = "[GEN=]FILE", required_unless_present = "config")]
    baseline: Vec<String>,
    /// Expectations with reasons, in YAML.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Append tests that fail on every generation of a baseline that ran; a new file is created.
    #[arg(long)]
    add: bool,
    /// Show the changes without writing.
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn expect(command: &ExpectCommand) -> anyhow::Result<u8> {
    match command {
        ExpectCommand::Update(args) => update(args),
    }
}

/// Warns about names and patterns that apply to none of the tests.
pub(super) fn warn_unmatched(expectations: &Expectations, tests: &[TestFile]) {
    let mut by_file: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for unmatched in expectations.unmatched(tests.iter().map(|test| &*test.name)) {
        let text =
            format!("{}: `{}` matches no test", unmatched.place, printable_line(&unmatched.text));
        by_file.entry(unmatched.file).or_default().push(text);
    }
    for (file, texts) in by_file {
        for text in texts.iter().take(LISTED) {
            message!("warning: {text}");
        }
        if texts.len() > LISTED {
            message!("warning: {file}: {} more lines match no test", texts.len() - LISTED);
        }
    }
}

fn update(args: &UpdateArgs) -> anyhow::Result<u8> {
    let run = Run::read(&args.run)?;
    run.warnings().iter().for_each(|warning| message!("warning: {warning}"));
    let ran = Ran::new(&run.results);
    let files: Vec<ScopedFile> = args.baseline.iter().map(|text| ScopedFile::parse(text)).collect();
    // A file that does not exist is created.
    let is_new = |file: &ScopedFile| args.add && !file.path.exists();
    let existing = files.iter().filter(|file| !is_new(file)).cloned().collect();
    let sources = Sources { baseline: existing, ..Sources::default() };
    // Every line is checked before anything is written.
    let expectations = Expectations::load(&sources, &Target::ALL)?;
    let mut report = String::new();
    let mut added: BTreeSet<(String, Target)> = BTreeSet::new();
    for file in &files {
        let new = is_new(file);
        let text = if new { String::new() } else { read_text(&file.path)? };
        let known = |name: &str, generation: Target| {
            expectations.baseline(name, generation).is_some()
                || added.contains(&(name.to_owned(), generation))
        };
        let edited = update::baseline(&text, file, &ran, args.add, &known, &run.results);
        if new && edited.text.is_empty() {
            writeln!(report, "{}: not created, nothing to add", file.path.display())?;
            continue;
        }
        apply(&file.path, &text, &edited, args.dry_run, &mut report)?;
        added.extend(edited.additions);
    }
    if args.add {
        left_out(&mut report, &run.results, &|name, generation| {
            expectations.baseline(name, generation).is_some()
                || added.contains(&(name.to_owned(), generation))
        })?;
    }
    if let Some(path) = &args.config {
        let text = read_text(path)?;
        apply(path, &text, &update_config(&text, path, &ran)?, args.dry_run, &mut report)?;
    }
    print(report.as_bytes())?;
    Ok(EXPECTED)
}

/// Lists the unexpected results that no line covers, with the reason.
fn left_out(
    report: &mut String,
    results: &[TestResult],
    covered: &dyn Fn(&str, Target) -> bool,
) -> std::fmt::Result {
    let mut failures: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut others: BTreeMap<&str, &str> = BTreeMap::new();
    for result in results.iter().filter(|result| !result.is_good()) {
        let known = Target::from_name(&result.generation);
        let covered = known.is_some_and(|generation| covered(&result.test, generation));
        match (update::is_addable(result), result.outcome) {
            (true, _) if !covered => {
                failures.entry(&result.test).or_default().insert(&result.generation);
            }
            (false, Outcome::Flake) => {
                others.insert(&result.test, "its repetitions differ, which is a line of --flakes");
            }
            // Improved and missing tests are removed from the file that names them.
            _ => {}
        }
    }
    let count = failures.len() + others.len();
    let failures = failures.into_iter().map(|(test, generations)| {
        let scope = generations.into_iter().collect::<Vec<_>>().join(",");
        (test, format!("fails only on {scope} or differently there: --baseline {scope}=FILE"))
    });
    let others = others.into_iter().map(|(test, reason)| (test, reason.to_owned()));
    for (test, reason) in failures.chain(others).take(LISTED) {
        writeln!(report, "left out: {}: {reason}", printable_line(test))?;
    }
    if count > LISTED {
        writeln!(report, "left out: {} more", count - LISTED)?;
    }
    Ok(())
}

/// Writes an edited file, or only shows the changes.
fn apply(
    path: &Path,
    old: &str,
    edited: &Edited,
    dry_run: bool,
    report: &mut String,
) -> anyhow::Result<()> {
    if dry_run {
        report.push_str(&difference(path, old, &edited.text));
    } else if edited.text != old {
        replace_file(path, edited.text.as_bytes())?;
    }
    describe(report, path, edited)?;
    Ok(())
}

fn difference(path: &Path, old: &str, new: &str) -> String {
    let name = path.display().to_string();
    if old == new {
        return String::new();
    }
    let diff = TextDiff::from_lines(old, new);
    // Tests' names are untrusted: the terminal gets only escaped text.
    diff.unified_diff()
        .header(&name, &name)
        .to_string()
        .lines()
        .map(|line| printable(line) + "\n")
        .collect()
}

fn describe(report: &mut String, path: &Path, edited: &Edited) -> std::fmt::Result {
    let Edited { removed, changed, added, undecided, .. } = edited;
    writeln!(report, "{}: {removed} removed, {changed} changed, {added} added", path.display())?;
    if let Some(first) = undecided.first() {
        let count = undecided.len();
        let first = printable(first);
        writeln!(
            report,
            "{}: {count} lines kept that hold for more generations than this run can judge, `{first}` first",
            path.display()
        )?;
    }
    Ok(())
}

/// Reads a file that an option names.
fn read_text(path: &Path) -> anyhow::Result<String> {
    let place = || path.display().to_string();
    let bytes = results::read_regular(path, results::OPTION_BYTES).with_context(place)?;
    String::from_utf8(bytes).map_err(|_| anyhow::anyhow!("{}: not UTF-8 text", place()))
}
