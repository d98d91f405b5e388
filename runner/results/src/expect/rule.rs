//! Judgment of a status by its expectation: a pure function.

use std::fmt;

use crate::verdict::{Outcome, Status};

/// The statement of a baseline line about a test. The names are deqp-runner's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Baseline {
    /// The test ends with this status.
    Status(Status),
    /// The test gives no result.
    Missing,
}

impl Baseline {
    /// Parses a status as deqp-runner writes it into `failures.csv` and `results.csv`.
    ///
    /// The result of one run becomes the expectation of the next: `ExpectedFail` is `Fail`,
    /// `UnexpectedImprovement(X)` is `X`, and flakes expect a pass.
    pub fn parse(text: &str) -> Option<Baseline> {
        let text = text.trim();
        let inner =
            text.strip_prefix("UnexpectedImprovement(").and_then(|rest| rest.strip_suffix(')'));
        match inner.unwrap_or(text) {
            "Missing" => Some(Baseline::Missing),
            "ExpectedFail" => Some(Baseline::Status(Status::Fail)),
            "Flake" | "KnownFlake" => Some(Baseline::Status(Status::Pass)),
            name => Status::ALL.into_iter().find(|s| s.capitalized() == name).map(Baseline::Status),
        }
    }

    /// Returns true if the statement expects something bad; other statements have no effect.
    pub fn is_bad(self) -> bool {
        match self {
            Baseline::Status(status) => is_bad(status),
            Baseline::Missing => true,
        }
    }
}

impl fmt::Display for Baseline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Baseline::Status(status) => status.capitalized(),
            Baseline::Missing => "Missing",
        })
    }
}

/// Returns true for statuses that need an expectation to be accepted.
pub fn is_bad(status: Status) -> bool {
    matches!(status, Status::Fail | Status::Crash | Status::Timeout)
}

/// Judges a status (`None` means no result) by the baseline's line, if any, and by the list of
/// known flakes. The rules are deqp-runner's:
///
/// * a bad status that the baseline names is expected;
/// * any good status in place of a bad one is an improvement, and so is a failure in place of a
///   crash, a timeout or no result: the baseline needs an update;
/// * every other bad status is unexpected, unless the test is a known flake.
pub fn judge(status: Option<Status>, baseline: Option<Baseline>, known_flake: bool) -> Outcome {
    let baseline = baseline.filter(|baseline| baseline.is_bad());
    let Some(status) = status else {
        return if baseline == Some(Baseline::Missing) {
            Outcome::Expected
        } else {
            Outcome::Missing
        };
    };
    match baseline {
        Some(expected) if expected == Baseline::Status(status) => Outcome::Expected,
        _ if known_flake && is_bad(status) => Outcome::Flake,
        // A known flake in the baseline may pass, too.
        Some(_) if known_flake => Outcome::Expected,
        Some(_) if !is_bad(status) => Outcome::Improved,
        Some(Baseline::Status(Status::Crash | Status::Timeout) | Baseline::Missing)
            if status == Status::Fail =>
        {
            Outcome::Improved
        }
        _ if is_bad(status) => Outcome::Unexpected,
        _ => Outcome::Expected,
    }
}

/// Returns the result in deqp-runner's words: `Pass`, `ExpectedFail`,
/// `UnexpectedImprovement(Pass)`, `Flake`, `Missing`, …
pub fn label(status: Status, outcome: Outcome) -> String {
    match outcome {
        Outcome::Expected if is_bad(status) => "ExpectedFail".to_owned(),
        Outcome::Improved => format!("UnexpectedImprovement({})", status.capitalized()),
        Outcome::Flake => "Flake".to_owned(),
        Outcome::Missing => "Missing".to_owned(),
        Outcome::Expected | Outcome::Unexpected => status.capitalized().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Outcome::{Expected, Flake, Improved, Missing, Unexpected};

    #[test]
    fn the_table() {
        // Columns: status, then the outcome without a line and with the lines Pass, Fail, Crash,
        // Timeout, Skip, Missing.
        let lines = [
            None,
            Some("Pass"),
            Some("Fail"),
            Some("Crash"),
            Some("Timeout"),
            Some("Skip"),
            Some("Missing"),
        ];
        let table = [
            (
                Some(Status::Pass),
                [Expected, Expected, Improved, Improved, Improved, Expected, Improved],
            ),
            (
                Some(Status::Warn),
                [Expected, Expected, Improved, Improved, Improved, Expected, Improved],
            ),
            (
                Some(Status::Skip),
                [Expected, Expected, Improved, Improved, Improved, Expected, Improved],
            ),
            (
                Some(Status::Fail),
                [Unexpected, Unexpected, Expected, Improved, Improved, Unexpected, Improved],
            ),
            (
                Some(Status::Crash),
                [Unexpected, Unexpected, Unexpected, Expected, Unexpected, Unexpected, Unexpected],
            ),
            (
                Some(Status::Timeout),
                [Unexpected, Unexpected, Unexpected, Unexpected, Expected, Unexpected, Unexpected],
            ),
            (None, [Missing, Missing, Missing, Missing, Missing, Missing, Expected]),
        ];
        for (status, outcomes) in table {
            for (line, outcome) in lines.into_iter().zip(outcomes) {
                let baseline = line.map(|line| Baseline::parse(line).unwrap());
                assert_eq!(judge(status, baseline, false), outcome, "{status:?} with {line:?}");
            }
        }
    }

    #[test]
    fn known_flakes_may_do_what_they_like() {
        let fail = Some(Baseline::Status(Status::Fail));
        for (status, baseline, outcome) in [
            (Status::Pass, None, Expected),
            (Status::Skip, None, Expected),
            (Status::Fail, None, Flake),
            (Status::Crash, None, Flake),
            (Status::Fail, fail, Expected),
            (Status::Crash, fail, Flake),
            (Status::Pass, fail, Expected),
        ] {
            assert_eq!(judge(Some(status), baseline, true), outcome, "{status} with {baseline:?}");
        }
        assert_eq!(judge(None, None, true), Missing);
    }

    #[test]
    fn deqp_runners_words() {
        for (text, baseline) in [
            ("Fail", Some(Baseline::Status(Status::Fail))),
            (" Crash ", Some(Baseline::Status(Status::Crash))),
            ("ExpectedFail", Some(Baseline::Status(Status::Fail))),
            ("UnexpectedImprovement(Pass)", Some(Baseline::Status(Status::Pass))),
            ("UnexpectedImprovement(Fail)", Some(Baseline::Status(Status::Fail))),
            ("Flake", Some(Baseline::Status(Status::Pass))),
            ("Missing", Some(Baseline::Missing)),
            ("fail", None),
            ("", None),
            ("UnexpectedImprovement(Pass", None),
        ] {
            assert_eq!(Baseline::parse(text), baseline, "{text}");
        }
        for (status, outcome, text) in [
            (Status::Pass, Expected, "Pass"),
            (Status::Fail, Expected, "ExpectedFail"),
            (Status::Crash, Expected, "ExpectedFail"),
            (Status::Crash, Unexpected, "Crash"),
            (Status::Pass, Improved, "UnexpectedImprovement(Pass)"),
            (Status::Skip, Improved, "UnexpectedImprovement(Skip)"),
            (Status::Fail, Flake, "Flake"),
            (Status::Skip, Missing, "Missing"),
        ] {
            assert_eq!(label(status, outcome), text);
        }
    }
}
