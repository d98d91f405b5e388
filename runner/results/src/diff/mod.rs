//! Comparing two runs: statuses by strict rules, generated code in shader-db's manner; and one run by directory.

mod codegen;
mod directories;
mod render;
mod text;

pub use codegen::{CodeChanges, METRICS, MetricChange, ShaderChange, Spread, WidthChange};
pub use directories::by_directory;
pub use render::{json, markdown, percent, terminal};
pub use text::{TextDiff, texts, unified};

use std::cmp::Ordering;

use serde::Serialize;

use crate::Row;
use crate::verdict::{Phase, Status};

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

fn is_good(status: Option<Status>) -> bool {
    matches!(status, Some(Status::Pass | Status::Warn))
}

/// Judges a pair of statuses; `None`: no result.
///
/// Stricter than piglit's summary, which leaves skips and vanished tests out of its regressions: whatever is worse than
/// before is a regression, and a failure that is merely skipped now is no fix.
pub fn change(old: Option<Status>, new: Option<Status>) -> Change {
    match (old, new) {
        (None, None) => Change::Same,
        (None, Some(Status::Fail | Status::Crash | Status::Timeout)) => Change::NewFailure,
        (None, Some(_)) => Change::New,
        _ if old == new => Change::Same,
        _ if badness(new) > badness(old) => Change::Regression,
        _ if is_good(new) => Change::Fix,
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
    /// The variant, where a run has several of the test on that generation; else empty.
    pub variant: String,
    /// What happened.
    pub change: Change,
    /// Status before; `None`: no result.
    pub old: Option<Status>,
    /// Status now; `None`: no result.
    pub new: Option<Status>,
    /// The layer that broke now.
    pub layer: Option<Phase>,
    /// Why, now.
    pub reason: Option<String>,
    /// Whether expectations excuse the status of now.
    pub expected: bool,
}

/// A row whose status is the same, for another reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reworded {
    /// The test.
    pub test: String,
    /// The generation.
    #[serde(rename = "gen")]
    pub target: String,
    /// The status of both.
    pub status: Status,
    /// Phase and reason before.
    pub old: String,
    /// Phase and reason now.
    pub new: String,
}

/// A comparison of two runs.
#[derive(Clone, Debug, Serialize)]
pub struct Diff {
    /// Options of the runs that differ from the defaults; empty when they are not told.
    pub options: [String; 2],
    /// Rows of the old run.
    pub old_rows: usize,
    /// Rows of the new run.
    pub new_rows: usize,
    /// Rows whose status is the same.
    pub same: usize,
    /// Rows that changed, the worst kind first, then by name.
    pub changes: Vec<Changed>,
    /// Rows that do not pass for another reason than before, by name.
    pub reworded: Vec<Reworded>,
    /// Code generated for what both runs have.
    pub code: CodeChanges,
}

impl Diff {
    /// Compares the rows of two runs.
    pub fn new(pairs: &[Pair<'_, '_>]) -> Diff {
        let mut diff = Diff {
            options: Default::default(),
            old_rows: pairs.iter().filter(|pair| pair.old.is_some()).count(),
            new_rows: pairs.iter().filter(|pair| pair.new.is_some()).count(),
            same: 0,
            changes: Vec::new(),
            reworded: Vec::new(),
            code: CodeChanges::new(pairs.iter().filter_map(Pair::both)),
        };
        pairs.iter().for_each(|pair| diff.add(pair));
        // Stable: within a kind the order of names stays.
        diff.changes.sort_by_key(|changed| changed.change);
        diff
    }

    fn add(&mut self, pair: &Pair<'_, '_>) {
        let (old, new) = (pair.old.and_then(Row::known_status), pair.new.and_then(Row::known_status));
        let Some(row) = pair.new.or(pair.old) else { return };
        let changed = |test: String, change, old, new| Changed {
            test,
            target: row.target.to_string(),
            variant: if pair.several { row.variant.to_string() } else { String::new() },
            change,
            old,
            new,
            layer: pair.new.and_then(|row| row.layer),
            reason: pair.new.and_then(Row::reason).map(str::to_owned),
            expected: pair.new.is_some_and(|row| row.is_good()),
        };
        match pair.change() {
            Change::Same => {
                self.same += 1;
                self.reworded.extend(pair.both().and_then(reworded));
            }
            change => self.changes.push(changed(row.test.to_string(), change, old, new)),
        }
        let Some((before, after)) = pair.both() else { return };
        for (name, old, new) in subtests(before, after) {
            match change(old, new) {
                Change::Same => {}
                change => self.changes.push(changed(format!("{}@{name}", row.test), change, old, new)),
            }
        }
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

/// The parts of a test that either run has, with their statuses.
fn subtests<'r>(
    old: &'r Row<'_>,
    new: &'r Row<'_>,
) -> impl Iterator<Item = (&'r str, Option<Status>, Option<Status>)> {
    let status = |row: &Row<'_>, name: &str| row.subtests.iter().find(|p| p.name == name).map(|p| p.status);
    let added = new.subtests.iter().filter(move |part| status(old, &part.name).is_none());
    let names = old.subtests.iter().chain(added).map(|part| &*part.name);
    names.map(move |name| (name, status(old, name), status(new, name)))
}

fn reworded((old, new): (&Row<'_>, &Row<'_>)) -> Option<Reworded> {
    let words = |row: &Row<'_>| match row.layer {
        Some(layer) => format!("{layer}: {}", row.reason().unwrap_or("")),
        None => row.reason().unwrap_or("").to_owned(),
    };
    ((old.layer, old.reason()) != (new.layer, new.reason())).then(|| Reworded {
        test: new.test.to_string(),
        target: new.target.to_string(),
        status: new.status,
        old: words(old),
        new: words(new),
    })
}

/// A row of the old run beside that of the new one.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'r, 'a> {
    /// Before.
    pub old: Option<&'r Row<'a>>,
    /// Now.
    pub new: Option<&'r Row<'a>>,
    /// Whether a run has more than one variant of the test on that generation.
    pub several: bool,
}

impl<'r, 'a> Pair<'r, 'a> {
    /// What happened to the row.
    pub fn change(&self) -> Change {
        let (old, new) = (self.old.and_then(Row::known_status), self.new.and_then(Row::known_status));
        // piglit's statuses for kernel messages, of imported runs: worse than the same status without.
        let kernel = |row: Option<&Row<'_>>| {
            row.is_some_and(|row| {
                row.layer.is_none() && row.reason().is_some_and(|r| r.starts_with("dmesg-"))
            })
        };
        match change(old, new) {
            // It was to run before, and gave no result.
            Change::New if self.old.is_some() && is_good(new) => Change::Fix,
            Change::Same if kernel(self.new) && !kernel(self.old) => Change::Regression,
            Change::Same if kernel(self.old) && !kernel(self.new) && is_good(new) => Change::Fix,
            Change::Same if kernel(self.old) && !kernel(self.new) => Change::Other,
            change => change,
        }
    }

    /// The rows, if both runs have one.
    pub fn both(&self) -> Option<(&'r Row<'a>, &'r Row<'a>)> {
        self.old.zip(self.new)
    }
}

/// Pairs the rows of two runs, each sorted by key and with one row per key. Where a run has several variants of a test
/// on a generation, equal ones are compared; otherwise options may differ: that is what many comparisons are about.
pub fn pairs<'r, 'a>(old: &'r [Row<'a>], new: &'r [Row<'a>]) -> Vec<Pair<'r, 'a>> {
    let groups = |rows: &'r [Row<'a>]| rows.chunk_by(|a, b| place(a) == place(b)).peekable();
    let (mut olds, mut news) = (groups(old), groups(new));
    let mut pairs = Vec::with_capacity(old.len().max(new.len()));
    loop {
        let order = match (olds.peek(), news.peek()) {
            (None, None) => return pairs,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(a), Some(b)) => place(&a[0]).cmp(&place(&b[0])),
        };
        let before = if order.is_le() { olds.next() } else { None };
        let after = if order.is_ge() { news.next() } else { None };
        pair_variants(before.unwrap_or_default(), after.unwrap_or_default(), &mut pairs);
    }
}

/// Test and generation.
fn place<'r>(row: &'r Row<'_>) -> (&'r str, &'r str) {
    (&row.test, &row.target)
}

/// Pairs the variants of one test on one generation.
fn pair_variants<'r, 'a>(old: &'r [Row<'a>], new: &'r [Row<'a>], pairs: &mut Vec<Pair<'r, 'a>>) {
    let several = old.len() > 1 || new.len() > 1;
    if let ([before], [after]) = (old, new) {
        pairs.push(Pair { old: Some(before), new: Some(after), several });
        return;
    }
    let of = |rows: &'r [Row<'a>], row: &Row<'a>| rows.iter().find(|r| r.variant == row.variant);
    pairs.extend(old.iter().map(|row| Pair { old: Some(row), new: of(new, row), several }));
    let added = new.iter().filter(|row| of(old, row).is_none());
    pairs.extend(added.map(|row| Pair { old: None, new: Some(row), several }));
}

#[cfg(test)]
mod tests;
