//! What a test's run came to: status, the layer that broke, outcome, and the row that results files hold.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::coverage::Seen;
use crate::passes::ScopePasses;

pub use vocabulary::Phase;

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Everything was as expected.
    Pass,
    /// Something was not.
    Fail,
    /// The runner itself broke down on the test.
    Crash,
    /// The test used up its steps, or the wall-clock guard behind them ran out.
    Timeout,
    /// A requirement is not met.
    Skip,
    /// Only warnings.
    Warn,
}

impl Status {
    /// Every status in the order of the summary line.
    pub const ALL: [Status; 6] =
        [Status::Skip, Status::Warn, Status::Pass, Status::Fail, Status::Crash, Status::Timeout];

    /// The name in results.
    pub fn name(self) -> &'static str {
        match self {
            Status::Pass => "pass",
            Status::Fail => "fail",
            Status::Crash => "crash",
            Status::Timeout => "timeout",
            Status::Skip => "skip",
            Status::Warn => "warn",
        }
    }

    /// The status of that name.
    pub fn from_name(name: &str) -> Option<Status> {
        Status::ALL.into_iter().find(|status| status.name() == name)
    }

    /// The name in deqp-runner's files.
    pub fn capitalised(self) -> &'static str {
        match self {
            Status::Pass => "Pass",
            Status::Fail => "Fail",
            Status::Crash => "Crash",
            Status::Timeout => "Timeout",
            Status::Skip => "Skip",
            Status::Warn => "Warn",
        }
    }

    /// The higher the worse: of several results of one test the worst counts.
    pub fn badness(self) -> u8 {
        match self {
            Status::Skip => 0,
            Status::Pass => 1,
            Status::Warn => 2,
            Status::Fail => 3,
            Status::Timeout => 4,
            Status::Crash => 5,
        }
    }

    /// The outcome of a test about which no expectation was stated.
    pub fn plain_outcome(self) -> Outcome {
        match self {
            Status::Pass | Status::Skip | Status::Warn => Outcome::Expected,
            Status::Fail | Status::Crash | Status::Timeout => Outcome::Unexpected,
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What the status means in the light of what was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// As expected.
    Expected,
    /// Not as expected.
    Unexpected,
    /// Better than expected.
    Improved,
    /// A known flake that failed, or a test whose repetitions differ ([`TestResult::differed`]).
    Flake,
    /// No result at all.
    Missing,
}

impl Outcome {
    /// Whether a run with such a row in it succeeds; `differed` as in [`TestResult`].
    pub fn is_good(self, differed: bool) -> bool {
        match self {
            Outcome::Expected => true,
            Outcome::Flake => !differed,
            Outcome::Unexpected | Outcome::Improved | Outcome::Missing => false,
        }
    }
}

/// Code generated for one stage at one width.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StageStatistics {
    /// `vertex`, `tessellation control`, …
    pub stage: String,
    /// `vec4`, `SIMD8`, `SIMD16` or `SIMD32`.
    pub width: String,
    /// Instructions.
    pub instructions: u32,
    /// Loops.
    pub loops: u32,
    /// Our own static estimate.
    pub cycles: u64,
    /// Registers written to scratch memory.
    pub spills: u32,
    /// Registers read back from scratch memory.
    pub fills: u32,
    /// Messages sent.
    pub sends: u32,
    /// General registers in use.
    pub registers: u32,
    /// BLAKE3 of the kernel's bytes, in hexadecimal.
    pub sha: String,
}

/// A named part of a test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subtest {
    /// Its name.
    pub name: String,
    /// How it ended.
    pub status: Status,
}

/// One row of the results: one test on one generation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestResult {
    /// Test name.
    pub test: String,
    /// Generation, or `reference`.
    #[serde(rename = "gen")]
    pub target: String,
    /// Sorted options of the run that differ from the defaults and can change verdicts.
    pub variant: String,
    /// How it ended.
    pub status: Status,
    /// The first layer that broke; `None` on pass.
    pub layer: Option<Phase>,
    /// Why, in one or a few lines; `None` on pass.
    pub reason: Option<String>,
    /// What the status means.
    pub outcome: Outcome,
    /// Microseconds of work.
    pub duration_us: u64,
    /// Code generated, sorted by stage and width.
    pub stages: Vec<StageStatistics>,
    /// Named parts.
    pub subtests: Vec<Subtest>,
    /// Repetitions of the row gave different results although no list of flakes allows it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub differed: bool,
}

impl TestResult {
    /// A row that says how a test ended and nothing more, with nothing expected of it.
    pub fn plain(test: impl Into<String>, target: impl Into<String>, status: Status) -> TestResult {
        TestResult {
            test: test.into(),
            target: target.into(),
            variant: String::new(),
            status,
            layer: None,
            reason: None,
            outcome: status.plain_outcome(),
            duration_us: 0,
            stages: Vec::new(),
            subtests: Vec::new(),
            differed: false,
        }
    }

    /// Whether a run with this row in it succeeds.
    pub fn is_good(&self) -> bool {
        self.outcome.is_good(self.differed)
    }

    /// What rows are sorted by.
    pub fn key(&self) -> (&str, &str, &str) {
        (&self.test, &self.target, &self.variant)
    }
}

/// How one test ended on one generation, before it has a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// How it ended.
    pub status: Status,
    /// Why it did not pass.
    pub cause: Option<(Phase, String)>,
    /// Code generated.
    pub stages: Vec<StageStatistics>,
    /// Optional passes that ran, if that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passes: Vec<ScopePasses>,
    /// What the test exercised, if that was asked for.
    #[serde(default, skip_serializing_if = "Seen::is_empty")]
    pub seen: Seen,
    /// The test does not end the same way every time.
    pub differed: bool,
}

impl Verdict {
    /// A pass.
    pub fn pass() -> Verdict {
        Verdict {
            status: Status::Pass,
            cause: None,
            stages: Vec::new(),
            passes: Vec::new(),
            seen: Seen::default(),
            differed: false,
        }
    }

    /// Anything else.
    pub fn new(status: Status, layer: Phase, reason: impl Into<String>) -> Verdict {
        Verdict { status, cause: Some((layer, reason.into())), ..Verdict::pass() }
    }

    /// A failure.
    #[cold]
    pub fn fail(layer: Phase, reason: impl Into<String>) -> Verdict {
        Verdict::new(Status::Fail, layer, reason)
    }

    /// A skip, whose layer is always the requirements.
    pub fn skip(reason: impl Into<String>) -> Verdict {
        Verdict::new(Status::Skip, Phase::Require, reason)
    }
}

/// Counts of statuses: the summary line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    by_status: [usize; 6],
}

impl Counts {
    /// Counts one more.
    pub fn add(&mut self, status: Status) {
        if let Some(index) = Status::ALL.iter().position(|&s| s == status) {
            self.by_status[index] += 1;
        }
    }

    /// How many there are of a status.
    pub fn of(&self, status: Status) -> usize {
        Status::ALL.iter().position(|&s| s == status).map_or(0, |index| self.by_status[index])
    }

    /// How many there are in all.
    pub fn total(&self) -> usize {
        self.by_status.iter().sum()
    }
}

/// `skip: 14, pass: 1770`: statuses that occur.
impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for status in Status::ALL {
            if self.of(status) > 0 {
                write!(f, "{separator}{status}: {}", self.of(status))?;
                separator = ", ";
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_hide_zeros_and_keep_the_order() {
        let mut counts = Counts::default();
        for (status, n) in
            [(Status::Crash, 50), (Status::Pass, 1770), (Status::Skip, 14), (Status::Fail, 392)]
        {
            (0..n).for_each(|_| counts.add(status));
        }
        assert_eq!(counts.total(), 2226);
        assert_eq!(counts.to_string(), "skip: 14, pass: 1770, fail: 392, crash: 50");
    }

    #[test]
    fn names_agree_with_serde() {
        for status in Status::ALL {
            assert_eq!(serde_json::to_string(&status).unwrap(), format!("\"{}\"", status.name()));
        }
        for layer in Phase::ALL {
            assert_eq!(serde_json::to_string(&layer).unwrap(), format!("\"{}\"", layer.name()));
            assert_eq!(Phase::from_name(layer.name()), Some(layer));
        }
    }

    #[test]
    fn what_a_run_succeeds_with() {
        let row = |outcome, differed| TestResult {
            test: "a".into(),
            target: "ivb".into(),
            variant: String::new(),
            status: Status::Fail,
            layer: None,
            reason: None,
            outcome,
            duration_us: 0,
            stages: Vec::new(),
            subtests: Vec::new(),
            differed,
        };
        for (outcome, differed, good) in [
            (Outcome::Expected, false, true),
            (Outcome::Flake, false, true),
            (Outcome::Flake, true, false),
            (Outcome::Unexpected, false, false),
            (Outcome::Improved, false, false),
            (Outcome::Missing, false, false),
        ] {
            let row = row(outcome, differed);
            assert_eq!(row.is_good(), good, "{outcome:?} {differed}");
            let text = serde_json::to_string(&row).unwrap();
            assert_eq!(text.contains("differed"), differed);
            assert_eq!(serde_json::from_str::<TestResult>(&text).unwrap(), row);
        }
    }

    #[test]
    fn a_row_has_the_documented_fields() {
        let row = TestResult {
            test: "fp64/add".into(),
            target: "ivb".into(),
            variant: String::new(),
            status: Status::Fail,
            layer: Some(Phase::Probe),
            reason: Some("line 9".into()),
            outcome: Outcome::Unexpected,
            duration_us: 12,
            stages: vec![StageStatistics { stage: "vertex".into(), ..StageStatistics::default() }],
            subtests: vec![Subtest { name: "a".into(), status: Status::Pass }],
            differed: false,
        };
        let text = serde_json::to_string(&row).unwrap();
        assert_eq!(
            text,
            "{\"test\":\"fp64/add\",\"gen\":\"ivb\",\"variant\":\"\",\"status\":\"fail\",\"layer\":\"probe\",\
             \"reason\":\"line 9\",\"outcome\":\"unexpected\",\"duration_us\":12,\"stages\":[{\"stage\":\"vertex\",\
             \"width\":\"\",\"instructions\":0,\"loops\":0,\"cycles\":0,\"spills\":0,\"fills\":0,\"sends\":0,\
             \"registers\":0,\"sha\":\"\"}],\"subtests\":[{\"name\":\"a\",\"status\":\"pass\"}]}"
        );
        assert_eq!(serde_json::from_str::<TestResult>(&text).unwrap(), row);
    }
}
