//! Runs of a folder: their results, differences and history.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use anyhow::bail;
use serde::Serialize;

use results::diff::{self, Diff, Metric};
use results::history::{HISTORY_FILE, History, RunEntry, Series};
use results::{RESULTS_FILE, ResultRef, RunFile};

/// Maximum number of listed runs, the latest ones.
const MOST_RUNS: usize = 500;
/// Maximum length of a reason in tables, in characters.
const REASON: usize = 160;
/// Number of past runs in a history.
const PAST: usize = 100;

/// The folder of runs.
#[derive(Clone, Debug)]
pub struct Runs {
    folder: PathBuf,
}

/// A run of the folder.
#[derive(Debug, Serialize)]
pub(super) struct RunFacts {
    name: String,
    /// Time of the last change in seconds since 1970.
    time: u64,
}

/// The results of a run.
#[derive(Debug, Serialize)]
pub(super) struct RunTable {
    name: String,
    options: String,
    revision: Option<String>,
    unfinished: usize,
    /// Rows in order: test, generation, variant, status, outcome, phase, first line of the reason.
    results: Vec<[String; 7]>,
}

/// The results of a test on a generation over time.
#[derive(Debug, Serialize)]
pub(super) struct TestHistory {
    generation: String,
    variant: String,
    /// Name of the run, its time in seconds since 1970, status and phase.
    points: Vec<(String, i64, &'static str, &'static str)>,
}

impl Runs {
    /// Returns the runs in a folder, which need not exist.
    pub fn new(folder: PathBuf) -> Runs {
        Runs { folder }
    }

    /// Lists the runs, the latest first.
    pub(super) fn list(&self) -> Vec<RunFacts> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut runs: Vec<RunFacts> = entries.filter_map(|entry| facts(&entry).ok()).collect();
        runs.sort_by(|a, b| (b.time, &b.name).cmp(&(a.time, &a.name)));
        runs.truncate(MOST_RUNS);
        runs
    }

    /// Returns the folder of a listed run.
    fn folder_of(&self, name: &str) -> anyhow::Result<PathBuf> {
        match self.list().into_iter().any(|run| run.name == name) {
            true => Ok(self.folder.join(name)),
            false => bail!("no run is called `{name}`"),
        }
    }

    /// Reads the results of a run.
    pub(super) fn table(&self, name: &str) -> anyhow::Result<RunTable> {
        let file = RunFile::read(&self.folder_of(name)?)?;
        let run = file.parse()?;
        Ok(RunTable {
            name: name.to_owned(),
            options: run.header.variant(),
            revision: run.header.revision.clone(),
            unfinished: run.unfinished(),
            results: run.results.iter().map(row).collect(),
        })
    }

    /// Compares two runs, as `runner diff --format json` does.
    pub(super) fn diff(&self, old: &str, new: &str) -> anyhow::Result<String> {
        let [old, new] = [old, new].map(|name| anyhow::Ok(RunFile::read(&self.folder_of(name)?)?));
        let (old, new) = (old?, new?);
        let (old, new) = (old.parse()?, new.parse()?);
        let pairs = diff::run_pairs(&old, &new);
        let selection =
            diff::CodeSelection { metrics: Metric::COMPARED.to_vec(), stages: Vec::new() };
        Ok(diff::json(&Diff::of_runs(&pairs, &old, &new, &selection), &[])?)
    }

    /// Returns the results of a test over time, as far as a history is recorded.
    pub(super) fn history(&self, test: &str) -> anyhow::Result<Vec<TestHistory>> {
        let Some(name) = Path::new(HISTORY_FILE).file_name() else { return Ok(Vec::new()) };
        let path = self.folder.join(name);
        if !path.exists() {
            return Ok(Vec::new());
        }
        let history = History::read(&path)?;
        let mut runs = history.runs()?;
        runs.drain(..runs.len().saturating_sub(PAST));
        let series = history.test(&runs, test)?;
        Ok(series.iter().map(|series| of_series(series, &runs)).collect())
    }
}

fn facts(entry: &fs::DirEntry) -> io::Result<RunFacts> {
    // A link such as `latest` names a run a second time.
    if !entry.file_type()?.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    let name = entry.file_name().into_string().map_err(|_| io::ErrorKind::InvalidData)?;
    let changed = fs::metadata(entry.path().join(RESULTS_FILE))?.modified()?;
    let time = changed.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    Ok(RunFacts { name, time })
}

fn row(result: &ResultRef<'_>) -> [String; 7] {
    let first = result.reason().and_then(|reason| reason.lines().next()).unwrap_or_default();
    let outcome = serde_json::to_value(result.outcome).ok();
    [
        result.test.clone().into_owned(),
        result.generation.clone().into_owned(),
        result.variant.clone().into_owned(),
        result.status.name().to_owned(),
        outcome.and_then(|outcome| outcome.as_str().map(str::to_owned)).unwrap_or_default(),
        result.phase.map_or("", |phase| phase.name()).to_owned(),
        first.chars().take(REASON).collect(),
    ]
}

fn of_series(series: &Series, runs: &[RunEntry]) -> TestHistory {
    let point = |point: &results::history::Point| {
        let run = runs.get(point.run)?;
        let phase = point.phase.map_or("", |phase| phase.name());
        Some((run.name.clone(), run.time, point.status.name(), phase))
    };
    TestHistory {
        generation: series.generation.clone(),
        variant: series.variant.clone(),
        points: series.points.iter().filter_map(point).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_listed_runs_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let runs = folder.path().join("results");
        fs::create_dir_all(runs.join("one")).unwrap();
        fs::create_dir_all(runs.join("none")).unwrap();
        fs::create_dir_all(folder.path().join("secret")).unwrap();
        fs::write(runs.join("one").join(RESULTS_FILE), "").unwrap();
        fs::write(folder.path().join("secret").join(RESULTS_FILE), "").unwrap();
        let runs = Runs::new(runs);
        let names: Vec<String> = runs.list().into_iter().map(|run| run.name).collect();
        assert_eq!(names, ["one"]);
        assert!(runs.folder_of("one").is_ok());
        let absolute = folder.path().join("secret").display().to_string();
        for name in ["../secret", "one/../../secret", "none", "", ".", "..", &absolute] {
            assert!(runs.folder_of(name).is_err(), "{name}");
        }
    }

    #[test]
    fn there_need_be_no_folder() {
        let runs = Runs::new("/nowhere/at/all".into());
        assert!(runs.list().is_empty() && runs.history("a").unwrap().is_empty());
        assert!(runs.table("a").is_err() && runs.diff("a", "b").is_err());
    }
}
