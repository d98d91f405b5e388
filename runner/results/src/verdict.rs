//! Results of test cases: status, phase, outcome, and the record that results files hold.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::coverage::CoverageSample;
use crate::names::shortened;
use crate::passes::ScopePasses;
use vocabulary::{Stage, Width};

pub use vocabulary::Phase;

/// Maximum length of a reason in results.
pub const REASON_BYTES: usize = 64 << 10;

/// The status of an executed test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// All expectations of the script hold.
    Pass,
    /// An expectation of the script is violated.
    Fail,
    /// The runner itself crashed on the test.
    Crash,
    /// The test exceeded its step limit or the wall-clock limit.
    Timeout,
    /// A requirement of the test is not met.
    Skip,
    /// The test gave only warnings.
    Warn,
}

impl Status {
    /// Every status in the order of the summary line.
    pub const ALL: [Status; 6] =
        [Status::Skip, Status::Warn, Status::Pass, Status::Fail, Status::Crash, Status::Timeout];

    /// Returns the name in results.
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

    /// Returns the status with this name.
    pub fn from_name(name: &str) -> Option<Status> {
        Status::ALL.into_iter().find(|status| status.name() == name)
    }

    /// Returns the name in deqp-runner's files.
    pub fn capitalized(self) -> &'static str {
        match self {
            Status::Pass => "Pass",
            Status::Fail => "Fail",
            Status::Crash => "Crash",
            Status::Timeout => "Timeout",
            Status::Skip => "Skip",
            Status::Warn => "Warn",
        }
    }

    /// Returns how bad a result is, compared with another one of the same test.
    pub fn severity(self) -> u8 {
        match self {
            Status::Pass => 0,
            Status::Warn => 1,
            Status::Skip => 2,
            Status::Fail => 3,
            Status::Timeout => 4,
            Status::Crash => 5,
        }
    }

    /// Returns the precedence: of several results of one test the one with the highest counts.
    /// It grows with the severity, except that a skip gives way to every other result.
    pub fn precedence(self) -> u8 {
        match self {
            Status::Skip => 0,
            other => other.severity() + 1,
        }
    }

    /// Returns the outcome of a test without any stated expectation.
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

/// The meaning of a status with respect to the expectations.
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
    /// Returns true if a run with such a result succeeds; `differed` as in [`TestResult`].
    pub fn is_good(self, differed: bool) -> bool {
        match self {
            Outcome::Expected => true,
            Outcome::Flake => !differed,
            Outcome::Unexpected | Outcome::Improved | Outcome::Missing => false,
        }
    }
}

/// Statistics of the code generated for one stage at one width.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StageStatistics {
    /// The stage, by its [`Stage::name`].
    #[serde(with = "crate::stage_name")]
    pub stage: Stage,
    /// The width.
    pub width: Width,
    /// Number of instructions.
    pub instructions: u32,
    /// Number of loops.
    pub loops: u32,
    /// Static estimate of cycles by this project's model; 0 if it is not known.
    pub cycles: u64,
    /// Instructions that a thread executed on average, rounded; 0 if none ran or it is not known.
    #[serde(default, skip_serializing_if = "is_zero_u64")]
    pub executed: u64,
    /// Number of registers written to scratch memory.
    pub spills: u32,
    /// Number of registers read from scratch memory.
    pub fills: u32,
    /// Number of messages sent.
    pub sends: u32,
    /// Number of general registers in use; of vector registers where there are scalar ones.
    pub registers: u32,
    /// Number of scalar registers in use (AMD).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub scalar_registers: u32,
    /// Number of instructions that wait for memory (AMD).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub waits: u32,
    /// BLAKE3 of the kernel's bytes, in hexadecimal.
    pub sha: String,
}

impl StageStatistics {
    /// Returns the instructions that a thread executed on average, rounded; 0 if none ran.
    pub fn average(instructions: u64, threads: u64) -> u64 {
        (instructions + threads / 2).checked_div(threads).unwrap_or(0)
    }

    /// Returns statistics of zeros.
    pub fn new(stage: Stage, width: Width) -> StageStatistics {
        StageStatistics {
            stage,
            width,
            instructions: 0,
            loops: 0,
            cycles: 0,
            executed: 0,
            spills: 0,
            fills: 0,
            sends: 0,
            registers: 0,
            scalar_registers: 0,
            waits: 0,
            sha: String::new(),
        }
    }
}

/// True for numbers that results leave out.
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// As [`is_zero`].
fn is_zero_u64(number: &u64) -> bool {
    *number == 0
}

/// A named part of a test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subtest {
    /// Name of the part.
    pub name: String,
    /// Status of the part.
    pub status: Status,
}

/// The result of one test case: one test on one generation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestResult {
    /// Name of the test.
    pub test: String,
    /// Generation, or `reference`.
    #[serde(rename = "gen")]
    pub generation: String,
    /// Sorted options of the run that differ from the defaults and can change verdicts.
    pub variant: String,
    /// Status of the test.
    pub status: Status,
    /// The first phase that broke; `None` on pass.
    #[serde(rename = "layer")]
    pub phase: Option<Phase>,
    /// Reason in one or a few lines; `None` on pass.
    pub reason: Option<String>,
    /// Meaning of the status.
    pub outcome: Outcome,
    /// Execution time in microseconds.
    pub duration_us: u64,
    /// Statistics of the generated code, sorted by stage and width.
    pub stages: Vec<StageStatistics>,
    /// Named parts.
    pub subtests: Vec<Subtest>,
    /// True if repetitions gave different results although no list of flakes allows it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub differed: bool,
}

impl TestResult {
    /// Returns a result with a status and nothing else, without any expectation.
    pub fn plain(
        test: impl Into<String>,
        generation: impl Into<String>,
        status: Status,
    ) -> TestResult {
        TestResult {
            test: test.into(),
            generation: generation.into(),
            variant: String::new(),
            status,
            phase: None,
            reason: None,
            outcome: status.plain_outcome(),
            duration_us: 0,
            stages: Vec::new(),
            subtests: Vec::new(),
            differed: false,
        }
    }

    /// Returns true if a run with this result succeeds.
    pub fn is_good(&self) -> bool {
        self.outcome.is_good(self.differed)
    }

    /// Returns the sort key.
    pub fn key(&self) -> (&str, &str, &str) {
        (&self.test, &self.generation, &self.variant)
    }
}

/// Line of a probe's failure whose observed value is undefined by the specification, as far as the
/// reference interpreter knows.
pub const UNDEFINED: &str = "Undefined: the specification does not determine the observed value";

/// The verdict of an executor on one test case: a result without names and expectations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Status of the test.
    pub status: Status,
    /// Phase and reason of a status other than pass.
    pub cause: Option<(Phase, String)>,
    /// Statistics of the generated code.
    pub stages: Vec<StageStatistics>,
    /// Named parts.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub subtests: Box<[Subtest]>,
    /// Optional passes that ran, if requested.
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    pub passes: Box<[ScopePasses]>,
    /// Items that the test exercised, if requested.
    #[serde(default, skip_serializing_if = "CoverageSample::is_empty")]
    pub coverage: CoverageSample,
    /// True if repetitions of the test gave different results.
    pub differed: bool,
}

impl Verdict {
    /// Truncates a reason of more than [`REASON_BYTES`] and appends a note.
    #[must_use]
    pub fn cut(mut self) -> Verdict {
        if let Some((_, reason)) = &mut self.cause
            && reason.len() > REASON_BYTES
        {
            let end = shortened(reason, REASON_BYTES).len();
            let left = reason.len() - end;
            reason.truncate(end);
            reason.push_str(&format!("…\n[cut: {left} more bytes]"));
        }
        self
    }

    /// Adds to the reason of a failed probe that the observed value is undefined.
    #[must_use]
    pub fn with_undefined(mut self) -> Verdict {
        if let Some((Phase::Probe, reason)) = &mut self.cause {
            reason.push_str("\n  ");
            reason.push_str(UNDEFINED);
        }
        self
    }

    /// Returns true if the value that failed a probe is undefined.
    pub fn is_undefined(&self) -> bool {
        let reason = self.cause.as_ref().map_or("", |(_, reason)| reason);
        reason.lines().any(|line| line.trim() == UNDEFINED)
    }

    /// Returns a pass.
    pub fn pass() -> Verdict {
        Verdict {
            status: Status::Pass,
            cause: None,
            stages: Vec::new(),
            subtests: Box::default(),
            passes: Box::default(),
            coverage: CoverageSample::default(),
            differed: false,
        }
    }

    /// Returns a verdict other than a pass.
    pub fn new(status: Status, phase: Phase, reason: impl Into<String>) -> Verdict {
        Verdict { status, cause: Some((phase, reason.into())), ..Verdict::pass() }
    }

    /// Returns a failure.
    #[cold]
    pub fn fail(phase: Phase, reason: impl Into<String>) -> Verdict {
        Verdict::new(Status::Fail, phase, reason)
    }

    /// Returns a skip, whose phase is always [`Phase::Require`].
    pub fn skip(reason: impl Into<String>) -> Verdict {
        Verdict::new(Status::Skip, Phase::Require, reason)
    }
}

/// Counts of statuses, as in the summary line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    by_status: [usize; 6],
}

impl Counts {
    /// Adds one status.
    pub fn add(&mut self, status: Status) {
        if let Some(index) = Status::ALL.iter().position(|&s| s == status) {
            self.by_status[index] += 1;
        }
    }

    /// Returns the count of a status.
    pub fn of(&self, status: Status) -> usize {
        Status::ALL.iter().position(|&s| s == status).map_or(0, |index| self.by_status[index])
    }

    /// True if some status is not `skip`.
    pub fn has_executed(&self) -> bool {
        self.of(Status::Skip) < self.total()
    }

    /// Returns the total count.
    pub fn total(&self) -> usize {
        self.by_status.iter().sum()
    }
}

/// Writes the statuses that occur: `skip: 14, pass: 1770`.
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

/// Returns the summary line of complete results.
pub fn summary_line(results: &[TestResult]) -> String {
    let (mut counts, mut outcomes) = (Counts::default(), OutcomeCounts::default());
    for result in results {
        counts.add(result.status);
        outcomes.add(result.status, result.outcome);
    }
    format!("[{0}/{0}] {counts}{outcomes}", results.len())
}

/// Counts of outcomes, as at the end of the summary line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutcomeCounts {
    /// In the order of [`OUTCOMES`].
    by_outcome: [usize; OUTCOMES.len()],
    /// True if a result is bad or not as expected.
    any_bad: bool,
}

/// Outcomes in the order of the summary line, with their names there.
const OUTCOMES: [(Outcome, &str); 5] = [
    (Outcome::Expected, "expected"),
    (Outcome::Unexpected, "unexpected"),
    (Outcome::Improved, "improved"),
    (Outcome::Missing, "missing"),
    (Outcome::Flake, "flaky"),
];

impl OutcomeCounts {
    /// Adds the outcome of a result.
    pub fn add(&mut self, status: Status, outcome: Outcome) {
        let known = OUTCOMES.iter().zip(&mut self.by_outcome).find(|((o, _), _)| *o == outcome);
        if let Some((_, count)) = known {
            *count += 1;
        }
        self.any_bad |=
            outcome != Outcome::Expected || status.plain_outcome() == Outcome::Unexpected;
    }

    /// Returns true if all results are expected or known flakes.
    pub fn is_good(&self) -> bool {
        let bad = [Outcome::Unexpected, Outcome::Improved, Outcome::Missing];
        let counts = OUTCOMES.iter().zip(self.by_outcome);
        counts.filter(|((outcome, _), _)| bad.contains(outcome)).all(|(_, count)| count == 0)
    }
}

/// Writes the outcomes that occur, `; expected: 14, unexpected: 2`; nothing if all results are good
/// and expected.
impl fmt::Display for OutcomeCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.any_bad {
            return Ok(());
        }
        let occurring = OUTCOMES.iter().zip(self.by_outcome).filter(|(_, count)| *count > 0);
        for (index, ((_, name), count)) in occurring.enumerate() {
            let separator = if index == 0 { "; " } else { ", " };
            write!(f, "{separator}{name}: {count}")?;
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
        for phase in Phase::ALL {
            assert_eq!(serde_json::to_string(&phase).unwrap(), format!("\"{}\"", phase.name()));
            assert_eq!(Phase::from_name(phase.name()), Some(phase));
        }
    }

    #[test]
    fn what_a_run_succeeds_with() {
        let result = |outcome, differed| TestResult {
            test: "a".into(),
            generation: "ivb".into(),
            variant: String::new(),
            status: Status::Fail,
            phase: None,
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
            let result = result(outcome, differed);
            assert_eq!(result.is_good(), good, "{outcome:?} {differed}");
            let text = serde_json::to_string(&result).unwrap();
            assert_eq!(text.contains("differed"), differed);
            assert_eq!(serde_json::from_str::<TestResult>(&text).unwrap(), result);
        }
    }

    #[test]
    fn long_reasons_are_cut() {
        let text = "é".repeat(REASON_BYTES);
        let (_, reason) = Verdict::fail(Phase::Probe, text).cut().cause.unwrap();
        assert!(reason.len() < REASON_BYTES + 100 && reason.ends_with("more bytes]"));
        let short = Verdict::fail(Phase::Probe, "é");
        assert_eq!(short.clone().cut(), short);
    }

    #[test]
    fn a_row_has_the_documented_fields() {
        let result = TestResult {
            test: "fp64/add".into(),
            generation: "ivb".into(),
            variant: String::new(),
            status: Status::Fail,
            phase: Some(Phase::Probe),
            reason: Some("line 9".into()),
            outcome: Outcome::Unexpected,
            duration_us: 12,
            stages: vec![StageStatistics::new(Stage::Vertex, Width::Simd8)],
            subtests: vec![Subtest { name: "a".into(), status: Status::Pass }],
            differed: false,
        };
        let text = serde_json::to_string(&result).unwrap();
        assert_eq!(
            text,
            "{\"test\":\"fp64/add\",\"gen\":\"ivb\",\"variant\":\"\",\"status\":\"fail\",\"layer\":\"probe\",\
             \"reason\":\"line 9\",\"outcome\":\"unexpected\",\"duration_us\":12,\"stages\":[{\"stage\":\"vertex\",\
             \"width\":\"SIMD8\",\"instructions\":0,\"loops\":0,\"cycles\":0,\"spills\":0,\"fills\":0,\"sends\":0,\
             \"registers\":0,\"sha\":\"\"}],\"subtests\":[{\"name\":\"a\",\"status\":\"pass\"}]}"
        );
        assert_eq!(serde_json::from_str::<TestResult>(&text).unwrap(), result);
    }
}
