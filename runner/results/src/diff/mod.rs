//! Comparison of two runs: statuses by strict rules, generated code in shader-db's manner; and
//! tables of one run by directory.

mod codegen;
mod csv;
mod directories;
mod metric;
mod render;
mod text;
mod totals;

pub use codegen::{
    CodeChanges, GroupChange, MetricChange, ShaderChange, ShaderParts, Spread, WidthChange,
};
pub use csv::csv;
pub use directories::by_directory;
pub use metric::{CodeSelection, Metric};
pub use render::{DiffDocument, Listing, json, markdown, percent, terminal};
pub use text::{TextDiff, texts, unified};
pub use totals::{CodeTotals, TotalsDocument};

use std::cmp::Ordering;

use serde::Serialize;

use crate::verdict::{Phase, Status};
use crate::{DriverHeader, ResultRef, RunResults};

/// The change of a test case from one run to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// Worse than before; a missing result is worst of all.
    Regression,
    /// A new test case that fails.
    NewFailure,
    /// A pass where there was none.
    Fix,
    /// A change that counts as neither better nor worse: a crash that fails now, a failure that is
    /// skipped now.
    Other,
    /// A new test case that does not fail.
    New,
    /// Not comparable: the run without a result was killed or stopped before it got there.
    NotRun,
    /// The same status.
    Same,
}

fn is_good(status: Option<Status>) -> bool {
    matches!(status, Some(Status::Pass | Status::Warn))
}

/// Returns true if a status is worse than another; a missing result is worst.
fn worse(new: Option<Status>, old: Option<Status>) -> bool {
    match (new, old) {
        (Some(new), Some(old)) => new.severity() > old.severity(),
        (None, Some(_)) => true,
        (_, None) => false,
    }
}

/// Judges a pair of statuses; `None` means no result.
///
/// The rules are stricter than piglit's summary, which leaves skips and vanished tests out of its
/// regressions: anything worse than before is a regression, and a failure that is skipped now is
/// not a fix.
pub fn change(old: Option<Status>, new: Option<Status>) -> Change {
    match (old, new) {
        (None, None) => Change::Same,
        (None, Some(Status::Fail | Status::Crash | Status::Timeout)) => Change::NewFailure,
        (None, Some(_)) => Change::New,
        _ if old == new => Change::Same,
        _ if worse(new, old) => Change::Regression,
        _ if is_good(new) => Change::Fix,
        _ => Change::Other,
    }
}

/// A test case that changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Changed {
    /// Name of the test.
    pub test: String,
    /// Generation.
    #[serde(rename = "gen")]
    pub generation: String,
    /// The variant, if a run has several of the test on that generation; else empty.
    pub variant: String,
    /// Kind of the change.
    pub change: Change,
    /// Old status; `None` means no result.
    pub old: Option<Status>,
    /// New status; `None` means no result.
    pub new: Option<Status>,
    /// The phase that broke in the new run.
    #[serde(rename = "layer")]
    pub phase: Option<Phase>,
    /// The reason in the new run.
    pub reason: Option<String>,
    /// True if expectations cover the new status.
    pub expected: bool,
}

/// A test case with the same status for another reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reworded {
    /// Name of the test.
    pub test: String,
    /// Generation.
    #[serde(rename = "gen")]
    pub generation: String,
    /// Status in both runs.
    pub status: Status,
    /// Old phase and reason.
    pub old: String,
    /// New phase and reason.
    pub new: String,
}

/// A comparison of two runs.
#[derive(Clone, Debug, Serialize)]
pub struct Diff {
    /// Options of the runs that differ from the defaults; empty if unknown.
    pub options: [String; 2],
    /// OpenGL drivers of generation `gl`, as `renderer (version)`; empty without one.
    pub drivers: [String; 2],
    /// Number of results of the old run.
    pub old_rows: usize,
    /// Number of results of the new run.
    pub new_rows: usize,
    /// Numbers of planned results that the old and the new run lack; not 0 if a run was killed or
    /// stopped.
    pub unfinished: [usize; 2],
    /// Number of test cases with the same status.
    pub same: usize,
    /// Changed test cases, the worst kind first, then by name.
    pub changes: Vec<Changed>,
    /// Test cases that do not pass for another reason than before, by name.
    pub reworded: Vec<Reworded>,
    /// Changes of the code that both runs generated.
    pub code: CodeChanges,
}

impl Diff {
    /// Compares two runs, whose pairs are those of [`run_pairs`], and their selected code.
    pub fn of_runs(
        pairs: &[Pair<'_, '_>],
        old: &RunResults<'_>,
        new: &RunResults<'_>,
        selection: &CodeSelection,
    ) -> Diff {
        Diff {
            options: [old, new].map(|run| run.header.variant()),
            drivers: [old, new].map(|run| {
                let driver = run.header.driver.as_ref();
                driver.map(DriverHeader::describe).unwrap_or_default()
            }),
            unfinished: [old, new].map(RunResults::unfinished),
            ..Diff::new(pairs, selection)
        }
    }

    /// Compares the results of two runs, and their selected code.
    pub fn new(pairs: &[Pair<'_, '_>], selection: &CodeSelection) -> Diff {
        let mut diff = Diff {
            options: Default::default(),
            drivers: Default::default(),
            old_rows: pairs.iter().filter(|pair| pair.old.is_some()).count(),
            new_rows: pairs.iter().filter(|pair| pair.new.is_some()).count(),
            unfinished: [0; 2],
            same: 0,
            changes: Vec::new(),
            reworded: Vec::new(),
            code: CodeChanges::new(pairs.iter().filter_map(Pair::both), selection),
        };
        pairs.iter().for_each(|pair| diff.add(pair));
        // The sort is stable: within a kind the order of names stays.
        diff.changes.sort_by_key(|changed| changed.change);
        diff
    }

    fn add(&mut self, pair: &Pair<'_, '_>) {
        let (old, new) = (
            pair.old.and_then(ResultRef::known_status),
            pair.new.and_then(ResultRef::known_status),
        );
        let Some(result) = pair.new.or(pair.old) else { return };
        let changed = |test: String, change, old, new| Changed {
            test,
            generation: result.generation.to_string(),
            variant: if pair.several { result.variant.to_string() } else { String::new() },
            change,
            old,
            new,
            phase: pair.new.and_then(|result| result.phase),
            reason: pair.new.and_then(ResultRef::reason).map(str::to_owned),
            expected: pair.new.is_some_and(|result| result.is_good()),
        };
        match pair.change() {
            Change::Same => {
                self.same += 1;
                self.reworded.extend(pair.both().and_then(reworded));
            }
            change => self.changes.push(changed(result.test.to_string(), change, old, new)),
        }
        let Some((before, after)) = pair.both() else { return };
        for (name, old, new) in subtests(before, after) {
            match change(old, new) {
                Change::Same => {}
                change => {
                    self.changes.push(changed(format!("{}@{name}", result.test), change, old, new))
                }
            }
        }
    }

    /// Returns the changes of one kind.
    pub fn of(&self, change: Change) -> impl Iterator<Item = &Changed> {
        self.changes.iter().filter(move |changed| changed.change == change)
    }

    /// Returns true if there is a regression or an unexpected new failure, or if the new run cannot
    /// prove that there is none, since it is unfinished.
    pub fn is_bad(&self) -> bool {
        self.unfinished[1] > 0
            || self.of(Change::Regression).next().is_some()
            || self.of(Change::NewFailure).any(|new| !new.expected)
    }
}

/// Returns the parts of a test that either run has, with their statuses.
fn subtests<'r>(
    old: &'r ResultRef<'_>,
    new: &'r ResultRef<'_>,
) -> impl Iterator<Item = (&'r str, Option<Status>, Option<Status>)> {
    let status = |result: &ResultRef<'_>, name: &str| {
        result.subtests.iter().find(|p| p.name == name).map(|p| p.status)
    };
    let added = new.subtests.iter().filter(move |part| status(old, &part.name).is_none());
    let names = old.subtests.iter().chain(added).map(|part| &*part.name);
    names.map(move |name| (name, status(old, name), status(new, name)))
}

fn reworded((old, new): (&ResultRef<'_>, &ResultRef<'_>)) -> Option<Reworded> {
    let words = |result: &ResultRef<'_>| match result.phase {
        Some(phase) => format!("{phase}: {}", result.reason().unwrap_or("")),
        None => result.reason().unwrap_or("").to_owned(),
    };
    ((old.phase, old.reason()) != (new.phase, new.reason())).then(|| Reworded {
        test: new.test.to_string(),
        generation: new.generation.to_string(),
        status: new.status,
        old: words(old),
        new: words(new),
    })
}

/// The results of one test case in both runs.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'r, 'a> {
    /// Old result.
    pub old: Option<&'r ResultRef<'a>>,
    /// New result.
    pub new: Option<&'r ResultRef<'a>>,
    /// True if a run has more than one variant of the test on that generation.
    pub several: bool,
    /// True if one run has no result of the test case because it is unfinished.
    pub not_run: bool,
}

impl<'r, 'a> Pair<'r, 'a> {
    /// Returns the change of the test case.
    pub fn change(&self) -> Change {
        let (old, new) = (
            self.old.and_then(ResultRef::known_status),
            self.new.and_then(ResultRef::known_status),
        );
        // Kernel messages in imported runs of piglit are worse than the same status without them.
        let kernel = |result: Option<&ResultRef<'_>>| {
            result.is_some_and(|result| {
                result.phase.is_none() && result.reason().is_some_and(|r| r.starts_with("dmesg-"))
            })
        };
        match change(old, new) {
            _ if self.not_run => Change::NotRun,
            // The old run planned the test case but has no result.
            Change::New if self.old.is_some() && is_good(new) => Change::Fix,
            Change::Same if kernel(self.new) && !kernel(self.old) => Change::Regression,
            Change::Same if kernel(self.old) && !kernel(self.new) && is_good(new) => Change::Fix,
            Change::Same if kernel(self.old) && !kernel(self.new) => Change::Other,
            change => change,
        }
    }

    /// Returns the results if both runs have one.
    pub fn both(&self) -> Option<(&'r ResultRef<'a>, &'r ResultRef<'a>)> {
        self.old.zip(self.new)
    }
}

/// Pairs the results of two runs. A result that an unfinished run lacks on one of its generations
/// is not missing, since the run may have planned it.
pub fn run_pairs<'r, 'a>(old: &'r RunResults<'a>, new: &'r RunResults<'a>) -> Vec<Pair<'r, 'a>> {
    let mut pairs = pairs(&old.results, &new.results);
    let planned = |run: &RunResults<'_>, result: &ResultRef<'_>| {
        run.unfinished() > 0 && run.header.generations.iter().any(|name| *name == result.generation)
    };
    for pair in &mut pairs {
        pair.not_run = match (pair.old, pair.new) {
            (Some(result), None) => planned(new, result),
            (None, Some(result)) => planned(old, result),
            _ => false,
        };
    }
    pairs
}

/// Pairs the results of two runs, each sorted by key and with one result per key. Where a run has
/// several variants of a test on a generation, equal variants are paired; otherwise the options may
/// differ, since many comparisons are about options.
pub fn pairs<'r, 'a>(old: &'r [ResultRef<'a>], new: &'r [ResultRef<'a>]) -> Vec<Pair<'r, 'a>> {
    let groups =
        |results: &'r [ResultRef<'a>]| results.chunk_by(|a, b| place(a) == place(b)).peekable();
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

/// Returns test and generation.
fn place<'r>(result: &'r ResultRef<'_>) -> (&'r str, &'r str) {
    (&result.test, &result.generation)
}

/// Pairs the variants of one test on one generation.
fn pair_variants<'r, 'a>(
    old: &'r [ResultRef<'a>],
    new: &'r [ResultRef<'a>],
    pairs: &mut Vec<Pair<'r, 'a>>,
) {
    let several = old.len() > 1 || new.len() > 1;
    if let ([before], [after]) = (old, new) {
        pairs.push(Pair { old: Some(before), new: Some(after), several, not_run: false });
        return;
    }
    let of = |results: &'r [ResultRef<'a>], result: &ResultRef<'a>| {
        results.iter().find(|r| r.variant == result.variant)
    };
    pairs.extend(old.iter().map(|result| Pair {
        old: Some(result),
        new: of(new, result),
        several,
        not_run: false,
    }));
    let added = new.iter().filter(|result| of(old, result).is_none());
    pairs.extend(added.map(|result| Pair {
        old: None,
        new: Some(result),
        several,
        not_run: false,
    }));
}

#[cfg(test)]
mod tests;
