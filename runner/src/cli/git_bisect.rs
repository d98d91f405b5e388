//! `--git-bisect`: what a run says to `git bisect run`.

use std::collections::BTreeMap;

use super::{EXPECTED, UNEXPECTED, UNTESTABLE};
use execute::UNREADABLE;
use results::diff::{self, Change};
use results::verdict::{Outcome, Phase, Status, TestResult};

/// What one row says about the revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    Good,
    Bad,
    /// Nothing: it was not to be run here.
    Nothing,
    /// Nothing, although it should.
    Broken,
}

/// The exit code: bad if any row is, else good if any row was executed and all that should be could be.
pub(super) fn exit_code(rows: &[TestResult], previous: &[TestResult], interrupted: bool) -> u8 {
    let previous: BTreeMap<_, _> = previous.iter().map(|row| ((&*row.test, &*row.target), row)).collect();
    let says: Vec<Says> = rows
        .iter()
        .map(|row| says(row, previous.get(&(&*row.test, &*row.target)).map(|row| row.status)))
        .collect();
    if says.contains(&Says::Bad) {
        UNEXPECTED
    } else if interrupted || says.contains(&Says::Broken) || !says.contains(&Says::Good) {
        UNTESTABLE
    } else {
        EXPECTED
    }
}

/// With a status of an earlier run only what is worse is bad, else what is worse than expected. To do better than
/// expected is good here: whoever looks for the revision that broke something did not ask for baselines that are true.
fn says(row: &TestResult, previous: Option<Status>) -> Says {
    if row.outcome == Outcome::Missing || is_unreadable(row) {
        return Says::Broken;
    }
    let bad = match (row.status, previous) {
        (Status::Skip, _) => return Says::Nothing,
        (now, Some(previous)) => diff::change(Some(previous), Some(now)) == Change::Regression,
        (_, None) => row.outcome == Outcome::Unexpected || (row.outcome == Outcome::Flake && row.differed),
    };
    if bad { Says::Bad } else { Says::Good }
}

fn is_unreadable(row: &TestResult) -> bool {
    row.layer == Some(Phase::Script) && row.reason.as_ref().is_some_and(|r| r.starts_with(UNREADABLE))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(test: &str, status: Status, outcome: Outcome) -> TestResult {
        TestResult { outcome, ..TestResult::plain(test, "ivb", status) }
    }

    #[test]
    fn rows_and_codes() {
        let pass = || row("a", Status::Pass, Outcome::Expected);
        let fail = || row("b", Status::Fail, Outcome::Unexpected);
        let known = || row("b", Status::Fail, Outcome::Expected);
        let better = || row("b", Status::Pass, Outcome::Improved);
        let skip = || row("c", Status::Skip, Outcome::Expected);
        let missing = || row("d", Status::Skip, Outcome::Missing);
        let flake = |differed| TestResult { differed, ..row("e", Status::Fail, Outcome::Flake) };
        let script = |reason: &str| TestResult {
            layer: Some(Phase::Script),
            reason: Some(reason.into()),
            ..row("f", Status::Fail, Outcome::Unexpected)
        };
        let crash = || row("b", Status::Crash, Outcome::Unexpected);
        let table: [(&[TestResult], &[TestResult], u8); 22] = [
            (&[], &[], 125),
            (&[pass()], &[], 0),
            (&[row("a", Status::Warn, Outcome::Expected)], &[], 0),
            (&[fail()], &[], 1),
            (&[crash()], &[], 1),
            (&[row("a", Status::Timeout, Outcome::Unexpected)], &[], 1),
            (&[pass(), fail(), skip()], &[], 1),
            (&[known()], &[], 0),
            (&[better()], &[], 0),
            (&[skip()], &[], 125),
            (&[skip(), pass()], &[], 0),
            (&[missing(), pass()], &[], 125),
            (&[missing(), fail()], &[], 1),
            (&[flake(false)], &[], 0),
            (&[flake(true)], &[], 1),
            // A file that is not there says nothing, one that does not parse does.
            (&[script("cannot read the file: No such file or directory")], &[], 125),
            (&[script("line 3: expected a number")], &[], 1),
            // Compared with an earlier run.
            (&[fail(), pass()], &[fail()], 0),
            (&[crash()], &[fail()], 1),
            (&[fail()], &[row("b", Status::Skip, Outcome::Expected)], 1),
            (&[fail()], &[pass()], 1),
            (&[skip()], &[row("c", Status::Pass, Outcome::Expected)], 125),
        ];
        for (number, (rows, previous, code)) in table.iter().enumerate() {
            assert_eq!(exit_code(rows, previous, false), *code, "case {number}");
        }
        assert_eq!((exit_code(&[pass()], &[], true), exit_code(&[fail()], &[], true)), (125, 1));
    }
}
