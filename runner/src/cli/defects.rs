//! `runner defects`: executes the small tests of known defects on a driver.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context;
use clap::Args;
use serde::Serialize;

use super::args::DriverArgs;
use super::driver;
use super::exit::{EXPECTED, UNEXPECTED};
use super::output::{Format, print, print_json, write_test};
use super::revision::REVISION;
use super::values::{Generations, generations, process_arguments};
use super::workers;
use crate::temporary_folder::TemporaryFolder;
use results::names::quoted;
use results::verdict::Status;
use results::{DriverHeader, Run};
use tools::defects::KnownDefect;
use vocabulary::{Target, nearest};

#[derive(Debug, Args)]
#[command(after_help = "\
A star marks a cell that is not as the test's file says for this version of the driver: the defect
is new there, or gone. The exit code is 1 if there is one.")]
pub(super) struct DefectsArgs {
    /// Names of defects (default: all).
    #[arg(value_name = "DEFECT")]
    names: Vec<String>,
    /// Generations: a comma list of names and groups (default: intel, or gl with --driver DIR).
    #[arg(long = "gen", value_name = "LIST", value_parser = generations)]
    generations: Option<Generations>,
    #[command(flatten)]
    driver: DriverArgs,
    /// Concurrent test cases (default: one per core).
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Wall-clock limit of a test case.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..), default_value_t = 300)]
    timeout: u32,
    /// Format; JSON has everything that is known of each defect, too.
    #[arg(long, value_enum, value_name = "HOW", default_value = "terminal")]
    format: Format,
    /// The same as --format json.
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

/// Results of all tests.
#[derive(Serialize)]
struct Report {
    command: String,
    /// Day of the run.
    date: String,
    #[serde(skip)]
    version: &'static str,
    revision: Option<&'static str>,
    /// Names of the driver by target.
    drivers: BTreeMap<Target, DriverHeader>,
    generations: Vec<Target>,
    defects: Vec<Row>,
}

/// Results of the test of a defect.
#[derive(Serialize)]
struct Row {
    #[serde(flatten)]
    defect: KnownDefect,
    results: BTreeMap<Target, Cell>,
}

/// A result on a generation.
#[derive(Serialize)]
struct Cell {
    status: Status,
    reason: Option<String>,
    /// True if the file of the defect says so, too; `None` if it does not know this driver.
    as_recorded: Option<bool>,
}

/// Executes the tests and prints the table.
pub(super) fn defects(args: &DefectsArgs) -> anyhow::Result<u8> {
    let defects = chosen(&args.names)?;
    let default = if args.driver.folder().is_some() { "gl" } else { "intel" };
    let generations = match &args.generations {
        Some(Generations(list)) => list.clone(),
        None => Target::parse_list(default)?,
    };
    super::choices::driver(&args.driver, &generations)?;
    let folder = TemporaryFolder::create("defects")?;
    for defect in &defects {
        let file = tests(&folder).join(defect.name).with_extension(results::names::EXTENSION);
        write_test(&file, defect.test.as_bytes())?;
    }
    let words: Vec<String> = process_arguments().iter().map(|word| quoted(word)).collect();
    let mut report = Report {
        command: format!("runner {}", words.join(" ")),
        date: time::OffsetDateTime::now_utc().date().to_string(),
        version: env!("CARGO_PKG_VERSION"),
        revision: REVISION,
        drivers: BTreeMap::new(),
        generations,
        defects: defects
            .into_iter()
            .map(|defect| Row { defect, results: BTreeMap::new() })
            .collect(),
    };
    for generation in report.generations.clone() {
        report.add(generation, execute(args, generation, &folder)?);
    }
    match args.json || args.format == Format::Json {
        true => print_json("defects", &report)?,
        false => print(report.table().as_bytes())?,
    }
    Ok(if report.is_as_recorded() { EXPECTED } else { UNEXPECTED })
}

/// Returns the defects of these names, or all.
fn chosen(names: &[String]) -> anyhow::Result<Vec<KnownDefect>> {
    let defects = KnownDefect::all()?;
    for name in names {
        let known = defects.iter().map(|defect| defect.name);
        if !known.clone().any(|other| other == name) {
            let hint = nearest(name, known).map(|near| format!("; did you mean `{near}`?"));
            anyhow::bail!("no known defect is `{name}`{}", hint.unwrap_or_default());
        }
    }
    let is_chosen =
        |defect: &KnownDefect| names.is_empty() || names.iter().any(|n| n == defect.name);
    Ok(defects.into_iter().filter(is_chosen).collect())
}

/// Returns the folder of the tests.
fn tests(folder: &TemporaryFolder) -> PathBuf {
    folder.path().join("defects")
}

/// Runs the tests of the folder on a generation, in a process of their own: a virtual GPU is one of
/// a single generation.
fn execute(
    args: &DefectsArgs,
    generation: Target,
    folder: &TemporaryFolder,
) -> anyhow::Result<Run> {
    let out = folder.path().join(generation.name());
    let mut command = Command::new(workers::program()?);
    command.arg(tests(folder)).args(driver::words(&args.driver));
    if args.driver.is_virtual() {
        command.args(["--driver", "mesa"]);
    }
    command.args(["--gen", generation.name(), "--out"]).arg(&out);
    // Probes judge. A part of a run is not recorded in the history.
    command.args(["--no-reference", "--keep", "none", "--settings", "none", "--shard", "1/1"]);
    command.args(["--timeout", &args.timeout.to_string()]);
    if let Some(jobs) = args.jobs {
        command.args(["--jobs", &jobs.to_string()]);
    }
    let output = command.stdin(Stdio::null()).output().context("the tests")?;
    if ![EXPECTED, UNEXPECTED].iter().any(|code| output.status.code() == Some((*code).into())) {
        anyhow::bail!("{generation}: {}", workers::error_of(&output));
    }
    Ok(Run::read(&out)?)
}

impl Report {
    /// Adds the results of a generation.
    fn add(&mut self, generation: Target, run: Run) {
        let driver = run.header.driver.as_ref().map(|driver| driver.version.clone());
        for result in run.results {
            let row = self
                .defects
                .iter_mut()
                .find(|row| Path::new(&result.test).ends_with(row.defect.name));
            let Some(row) = row else { continue };
            let driver = driver.as_deref().unwrap_or_default();
            let is_seen = row.defect.is_seen(driver, generation);
            let as_recorded = is_seen
                .filter(|_| result.status != Status::Skip)
                .map(|is_seen| is_seen == is_defect(result.status));
            row.results.insert(
                generation,
                Cell { status: result.status, reason: result.reason, as_recorded },
            );
        }
        if let Some(driver) = run.header.driver {
            self.drivers.insert(generation, driver);
        }
    }

    /// True if no cell contradicts the file of its defect.
    fn is_as_recorded(&self) -> bool {
        let mut cells = self.defects.iter().flat_map(|row| row.results.values());
        cells.all(|cell| cell.as_recorded != Some(false))
    }

    /// Returns the table, in Markdown.
    fn table(&self) -> String {
        let mut text = self.head();
        let names: Vec<&str> = self.generations.iter().map(|g| g.name()).collect();
        let _ = writeln!(text, "| defect | {} |", names.join(" | "));
        let _ = writeln!(text, "|---|{}", "---|".repeat(names.len()));
        for row in &self.defects {
            let _ = write!(text, "| `{}` |", row.defect.name);
            for generation in &self.generations {
                let _ = write!(text, " {} |", row.results.get(generation).map_or("", Cell::text));
                if row.results.get(generation).is_some_and(|cell| cell.as_recorded == Some(false)) {
                    text.insert(text.len() - 2, '*');
                }
            }
            text.push('\n');
        }
        let _ = write!(text, "| defects of {} |", self.defects.len());
        for generation in &self.generations {
            let cells = self.defects.iter().filter_map(|row| row.results.get(generation));
            let _ = write!(text, " {} |", cells.filter(|cell| is_defect(cell.status)).count());
        }
        text.push('\n');
        text
    }

    /// Returns command, revision and drivers.
    fn head(&self) -> String {
        let revision = self.revision.map_or_else(String::new, |r| format!(", revision {r}"));
        let Report { command, date, version, .. } = self;
        let mut text = format!("`{command}` on {date}, version {version}{revision}:\n\n");
        for (generation, driver) in &self.drivers {
            let DriverHeader { renderer, version, .. } = driver;
            let _ = writeln!(text, "* {generation}: {renderer}, {version}");
        }
        if !self.drivers.is_empty() {
            text.push('\n');
        }
        text
    }
}

impl Cell {
    /// Returns the text in the table: nothing where the test passes.
    fn text(&self) -> &'static str {
        match self.status {
            Status::Pass | Status::Warn => "-",
            status => status.name(),
        }
    }
}

/// True for the status of a test that shows its defect.
fn is_defect(status: Status) -> bool {
    !matches!(status, Status::Pass | Status::Warn | Status::Skip)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let defects = KnownDefect::all().expect("good files").into_iter().take(2);
        let cell = |status, as_recorded| Cell { status, reason: None, as_recorded };
        let results = BTreeMap::from([
            (Target::IVB, cell(Status::Fail, Some(true))),
            (Target::SKL, cell(Status::Pass, Some(false))),
        ]);
        let mut results = Some(results);
        let row = |defect| Row { defect, results: results.take().unwrap_or_default() };
        Report {
            command: "runner defects".to_owned(),
            date: "2026-11-28".to_owned(),
            version: "1",
            revision: None,
            drivers: BTreeMap::new(),
            generations: vec![Target::IVB, Target::SKL],
            defects: defects.map(row).collect(),
        }
    }

    #[test]
    fn tables() {
        assert_eq!(
            report().table(),
            "`runner defects` on 2026-11-28, version 1:\n\n| defect | ivb | skl |\n|---|---|---|\n\
             | `block-swizzle-index` | fail | -* |\n| `boolean-array` |  |  |\n\
             | defects of 2 | 1 | 0 |\n"
        );
        assert!(!report().is_as_recorded());
    }

    #[test]
    fn names_are_checked() {
        let names = |name: &str| chosen(&[name.to_owned()]).map(|list| list.len());
        assert_eq!(names("loop-length").expect("a defect"), 1);
        let error = names("loop-lenth").expect_err("an error").to_string();
        assert_eq!(error, "no known defect is `loop-lenth`; did you mean `loop-length`?");
        assert_eq!(chosen(&[]).expect("all").len(), KnownDefect::all().expect("all").len());
    }
}
