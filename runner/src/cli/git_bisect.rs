//! `--git-bisect`: exit codes for `git bisect run`.

use std::collections::BTreeMap;

use super::exit::{EXPECTED, UNEXPECTED, UNTESTABLE};
use execute::UNREADABLE;
use results::diff::{self, Change};
use results::verdict::{Outcome, Phase, Status, TestResult};

/// Evidence of one result about the revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    Good,
    Bad,
    /// None: the test case was not to be executed.
    Nothing,
    /// None, although the test case should have been executed.
    Broken,
}

/// Returns the exit code: bad if any result is; else good if any test case was executed and none
/// failed to be.
pub(super) fn exit_code(results: &[TestResult], previous: &[TestResult], interrupted: bool) -> u8 {
    let previous: BTreeMap<_, _> =
        previous.iter().map(|result| ((&*result.test, &*result.generation), result)).collect();
    let says: Vec<Says> = results
        .iter()
        .map(|result| {
            says(
                result,
                previous.get(&(&*result.test, &*result.generation)).map(|result| result.status),
            )
        })
        .collect();
    if says.contains(&Says::Bad) {
        UNEXPECTED
    } else if interrupted || says.contains(&Says::Broken) || !says.contains(&Says::Good) {
        UNTESTABLE
    } else {
        EXPECTED
    }
}

/// With a status of an earlier run, only a worse status is bad; otherwise only one worse than
/// expected. A better status than expected is good here: the search for a regression does not
/// depend on up-to-date baselines.
fn says(result: &TestResult, previous: Option<Status>) -> Says {
    if result.outcome == Outcome::Missing || is_unreadable(result) {
        return Says::Broken;
    }
    let bad = match (result.status, previous) {
        (Status::Skip, _) => return Says::Nothing,
        (now, Some(previous)) => diff::change(Some(previous), Some(now)) == Change::Regression,
        (_, None) => {
            result.outcome == Outcome::Unexpected
                || (result.outcome == Outcome::Flake && result.differed)
        }
    };
    if bad { Says::Bad } else { Says::Good }
}

fn is_unreadable(result: &TestResult) -> bool {
    result.phase == Some(Phase::Script)
        && result.reason.as_ref().is_some_and(|r| r.starts_with(UNREADABLE))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(test: &str, status: Status, outcome: Outcome) -> TestResult {
        TestResult { outcome, ..TestResult::plain(test, "ivb", status) }
    }

    #[test]
    fn rows_and_codes() {
        let pass = || result("a", Status::Pass, Outcome::Expected);
        let fail = || result("b", Status::Fail, Outcome::Unexpected);
        let known = || result("b", Status::Fail, Outcome::Expected);
        let better = || result("b", Status::Pass, Outcome::Improved);
        let skip = || result("c", Status::Skip, Outcome::Expected);
        let missing = || result("d", Status::Skip, Outcome::Missing);
        let flake = |differed| TestResult { differed, ..result("e", Status::Fail, Outcome::Flake) };
        let script = |reason: &str| TestResult {
            phase: Some(Phase::Script),
            reason: Some(reason.into()),
            ..result("f", Status::Fail, Outcome::Unexpected)
        };
        let crash = || result("b", Status::Crash, Outcome::Unexpected);
        let table: [(&[TestResult], &[TestResult], u8); 22] = [
            (&[], &[], 125),
            (&[pass()], &[], 0),
            (&[result("a", Status::Warn, Outcome::Expected)], &[], 0),
            (&[fail()], &[], 1),
            (&[crash()], &[], 1),
            (&[result("a", Status::Timeout, Outcome::Unexpected)], &[], 1),
            (&[pass(), fail(), skip()], &[], 1),
            (&[known()], &[], 0),
            (&[better()], &[], 0),
            (&[skip()], &[], 125),
            (&[skip(), pass()], &[], 0),
            (&[missing(), pass()], &[], 125),
            (&[missing(), fail()], &[], 1),
            (&[flake(false)], &[], 0),
            (&[flake(true)], &[], 1),
            // A missing file is no evidence, a malformed one is.
            (&[script("cannot read the file: No such file or directory")], &[], 125),
            (&[script("line 3: expected a number")], &[], 1),
            // Comparison with an earlier run.
            (&[fail(), pass()], &[fail()], 0),
            (&[crash()], &[fail()], 1),
            (&[fail()], &[result("b", Status::Skip, Outcome::Expected)], 1),
            (&[fail()], &[pass()], 1),
            (&[skip()], &[result("c", Status::Pass, Outcome::Expected)], 125),
        ];
        for (number, (results, previous, code)) in table.iter().enumerate() {
            assert_eq!(exit_code(results, previous, false), *code, "case {number}");
        }
        assert_eq!((exit_code(&[pass()], &[], true), exit_code(&[fail()], &[], true)), (125, 1));
    }
}
