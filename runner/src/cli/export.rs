//! `runner export`: unexpected results in the formats of services that show them beside changes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::diff::parse;
use super::exit::EXPECTED;
use super::merge::Parse;
use super::output::print;
use crate::console::message::message;
use crate::select::{FileKinds, find_tests, located};
use results::annotations::{findings, github, gitlab};
use results::verdict::TestResult;
use results::{ResultRef, RunFile, RunRecord};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Workflow commands of GitHub Actions: the ten annotations that a step may have.
    Github,
    /// Code-quality report of GitLab.
    Gitlab,
}

#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    /// The run: its folder or results.jsonl.
    #[arg(value_name = "RUN", default_value = "results/latest")]
    run: PathBuf,
    /// Format.
    #[arg(long, value_enum, value_name = "HOW")]
    format: Format,
    /// Folders and files of the tests (default: those that the run was started with).
    #[arg(long, value_name = "PATH", num_args = 1..)]
    tests: Vec<PathBuf>,
}

/// Prints the results that are not as expected. Their number does not matter to the exit code: the
/// run's own says whether there are any.
pub(super) fn export(args: &ExportArgs, parse_record: Parse) -> anyhow::Result<u8> {
    let file = RunFile::read(&args.run)?;
    let run = parse(&file)?;
    let bad = run.results.iter().filter(|result| !result.is_good());
    let bad: Vec<TestResult> = bad.map(ResultRef::to_result).collect();
    let files = if bad.is_empty() { BTreeMap::new() } else { files(args, &file, parse_record)? };
    let root = repository(&std::env::current_dir()?);
    let path = |test: &str| match files.get(test) {
        Some(path) => path.strip_prefix(&root).unwrap_or(path).display().to_string(),
        None => test.to_owned(),
    };
    let findings = findings(&bad, path);
    let text = match args.format {
        Format::Github => github(&findings),
        Format::Gitlab => gitlab(&findings)?,
    };
    print(text.as_bytes())?;
    Ok(EXPECTED)
}

/// Returns the files of tests by name.
fn files(
    args: &ExportArgs,
    file: &RunFile,
    parse_record: Parse,
) -> anyhow::Result<BTreeMap<String, PathBuf>> {
    if !args.tests.is_empty() {
        return found(&args.tests);
    }
    let recorded = || {
        let record = RunRecord::read(file.folder())?;
        let paths = parse_record(&record)?.select.paths;
        found(&paths.iter().map(|path| record.directory.join(path)).collect::<Vec<_>>())
    };
    Ok(recorded().unwrap_or_else(|error| {
        message!("warning: tests stand for their files, give --tests: {error}");
        BTreeMap::new()
    }))
}

fn found(paths: &[PathBuf]) -> anyhow::Result<BTreeMap<String, PathBuf>> {
    let tests = find_tests(&located(paths)?, FileKinds::Tests)?;
    let absolute = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    Ok(tests.into_iter().map(|test| (test.name, absolute(&test.path))).collect())
}

/// Returns the repository around a folder, or the folder itself.
fn repository(folder: &Path) -> PathBuf {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let root = folder.ancestors().find(|ancestor| ancestor.join(".git").exists());
    root.unwrap_or(&folder).to_owned()
}
