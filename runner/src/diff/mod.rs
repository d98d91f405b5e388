//! Comparing two runs: statuses by strict rules, generated code in shader-db's manner; and one run by directory.

mod codegen;
mod directories;
mod render;

pub use codegen::{CodeChanges, METRICS, MetricChange, WidthChange};
pub use directories::by_directory;
pub use render::{json, markdown, terminal};

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::verdict::{Layer, Outcome, Status, TestResult};

/// What happened to a row from one run to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// It became worse; to vanish is worst of all.
    Regression,
    /// It is new and fails.
    NewFailure,
    /// It passes where it did not.
    Fix,
    /// It is neither better nor worse in a way that counts: a crash that fails now, a failure that is skipped now.
    Other,
    /// It is new and does not fail.
    New,
    /// The status is the same.
    Same,
}

/// How bad a status is; no result at all is worst.
fn badness(status: Option<Status>) -> u8 {
    match status {
        Some(Status::Pass) => 0,
        Some(Status::Warn) => 1,
        Some(Status::Skip) => 2,
        Some(Status::Fail) => 3,
        Some(Status::Timeout) => 4,
        Some(Status::Crash) => 5,
        None => 6,
    }
}

/// Judges a pair of statuses; `None`: no result.
///
/// Stricter than piglit's summary, which leaves skips and vanished tests out of its regressions: whatever is worse than
/// before is a regression, and a failure that is merely skipped now is no fix.
pub fn change(old: Option<Status>, new: Option<Status>) -> Change {
    let good = matches!(new, Some(Status::Pass | Status::Warn));
    match (old, new) {
        (None, None) => Change::Same,
        (None, Some(Status::Fail | Status::Crash | Status::Timeout)) => Change::NewFailure,
        (None, Some(_)) => Change::New,
        _ if old == new => Change::Same,
        _ if badness(new) > badness(old) => Change::Regression,
        _ if good => Change::Fix,
        _ => Change::Other,
    }
}

/// A row that changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Changed {
    /// The test.
    pub test: String,
    /// The generation.
    #[serde(rename = "gen")]
    pub target: String,
    /// What happened.
    pub change: Change,
    /// Status before; `None`: no result.
    pub old: Option<Status>,
    /// Status now; `None`: no result.
    pub new: Option<Status>,
    /// The layer that broke now.
    pub layer: Option<Layer>,
    /// Why, now.
    pub reason: Option<String>,
    /// Whether expectations excuse the status of now.
    pub expected: bool,
}

/// A comparison of two runs.
#[derive(Clone, Debug, Serialize)]
pub struct Diff {
    /// Rows of the old run.
    pub old_rows: usize,
    /// Rows of the new run.
    pub new_rows: usize,
    /// Rows whose status is the same.
    pub same: usize,
    /// Rows that changed, the worst kind first, then by name.
    pub changes: Vec<Changed>,
    /// Code generated for what both runs have.
    pub code: CodeChanges,
}

impl Diff {
    /// Compares rows by test and generation. Options may differ: that is what many comparisons are about.
    pub fn new(old: &[TestResult], new: &[TestResult]) -> Diff {
        let before = by_key(old);
        let after = by_key(new);
        let keys: BTreeSet<_> = before.keys().chain(after.keys()).copied().collect();
        let mut changes = Vec::new();
        let mut same = 0;
        for key in keys {
            let (a, b) = (before.get(&key).copied(), after.get(&key).copied());
            let (old, new) = (a.and_then(status), b.and_then(status));
            match change(old, new) {
                Change::Same => same += 1,
                change => changes.push(Changed {
                    test: key.0.to_owned(),
                    target: key.1.to_owned(),
                    change,
                    old,
                    new,
                    layer: b.and_then(|row| row.layer),
                    reason: b.and_then(|row| row.reason.clone()),
                    expected: b.is_some_and(|row| row.is_good()),
                }),
            }
        }
        changes.sort_by(|a, b| {
            a.change.cmp(&b.change).then_with(|| (&a.test, &a.target).cmp(&(&b.test, &b.target)))
        });
        let shared = before.iter().filter_map(|(key, a)| Some((*key, *a, *after.get(key)?)));
        Diff { old_rows: old.len(), new_rows: new.len(), same, changes, code: CodeChanges::new(shared) }
    }

    /// Rows of one kind.
    pub fn of(&self, change: Change) -> impl Iterator<Item = &Changed> {
        self.changes.iter().filter(move |changed| changed.change == change)
    }

    /// Whether something regressed, or a new test fails unexpectedly.
    pub fn is_bad(&self) -> bool {
        self.of(Change::Regression).next().is_some() || self.of(Change::NewFailure).any(|new| !new.expected)
    }
}

fn by_key(rows: &[TestResult]) -> BTreeMap<(&str, &str), &TestResult> {
    rows.iter().map(|row| ((&*row.test, &*row.target), row)).collect()
}

fn status(row: &TestResult) -> Option<Status> {
    (row.outcome != Outcome::Missing).then_some(row.status)
}

#[cfg(test)]
mod tests;
