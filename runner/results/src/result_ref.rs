//! Results borrowed from the lines of a file: text is copied only where it contains escapes, so
//! that large runs are read at the speed of a scan.

use std::borrow::Cow;

use serde::Deserialize;

use crate::verdict::{Outcome, Phase, StageStatistics, Status, Subtest, TestResult};
use vocabulary::{Stage, Width};

/// Text inside another value; serde borrows it only within a type of its own.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Text<'a>(#[serde(borrow)] pub Cow<'a, str>);

/// One line of a results file, borrowed; the fields are those of [`TestResult`].
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ResultRef<'a> {
    /// Test name.
    #[serde(borrow)]
    pub test: Cow<'a, str>,
    /// Generation, or `reference`.
    #[serde(borrow, rename = "gen")]
    pub generation: Cow<'a, str>,
    /// Sorted options that can change verdicts.
    #[serde(borrow)]
    pub variant: Cow<'a, str>,
    /// Status of the test.
    pub status: Status,
    /// The first phase that broke.
    #[serde(rename = "layer")]
    pub phase: Option<Phase>,
    /// Reason in one or a few lines.
    #[serde(borrow)]
    pub reason: Option<Text<'a>>,
    /// Meaning of the status.
    pub outcome: Outcome,
    /// Execution time in microseconds.
    pub duration_us: u64,
    /// Statistics of the generated code.
    #[serde(borrow)]
    pub stages: Vec<Code<'a>>,
    /// Named parts.
    #[serde(borrow)]
    pub subtests: Vec<Part<'a>>,
    /// True if repetitions gave different results although no list of flakes allows it.
    #[serde(default)]
    pub differed: bool,
}

/// Code generated for one stage at one width, borrowed; the fields are those of
/// [`StageStatistics`].
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[expect(missing_docs, reason = "the fields are the keys of results format 1")]
pub struct Code<'a> {
    #[serde(with = "crate::stage_name")]
    pub stage: Stage,
    pub width: Width,
    pub instructions: u32,
    pub loops: u32,
    pub cycles: u64,
    #[serde(default)]
    pub executed: u64,
    pub spills: u32,
    pub fills: u32,
    pub sends: u32,
    pub registers: u32,
    #[serde(default)]
    pub scalar_registers: u32,
    #[serde(default)]
    pub waits: u32,
    #[serde(borrow)]
    pub sha: Cow<'a, str>,
}

/// A named part of a test, borrowed.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Part<'a> {
    /// Its name.
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    /// Status of the part.
    pub status: Status,
}

impl ResultRef<'_> {
    /// Returns the sort key.
    pub fn key(&self) -> (&str, &str, &str) {
        (&self.test, &self.generation, &self.variant)
    }

    /// Returns why the test did not pass, in one or a few lines.
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_ref().map(|text| &*text.0)
    }

    /// Returns the status unless the result is missing.
    pub fn known_status(&self) -> Option<Status> {
        (self.outcome != Outcome::Missing).then_some(self.status)
    }

    /// Returns true if a run with this result succeeds.
    pub fn is_good(&self) -> bool {
        self.outcome.is_good(self.differed)
    }

    /// Returns true if two lines are equal except for durations.
    pub fn same_result(&self, other: &ResultRef<'_>) -> bool {
        self.key() == other.key()
            && (self.status, self.phase, self.outcome) == (other.status, other.phase, other.outcome)
            && self.reason() == other.reason()
            && (self.differed, &self.stages) == (other.differed, &other.stages)
            && self.subtests == other.subtests
    }

    /// Returns the result with owned text.
    pub fn to_result(&self) -> TestResult {
        TestResult {
            test: self.test.clone().into_owned(),
            generation: self.generation.clone().into_owned(),
            variant: self.variant.clone().into_owned(),
            status: self.status,
            phase: self.phase,
            reason: self.reason().map(str::to_owned),
            outcome: self.outcome,
            duration_us: self.duration_us,
            stages: self.stages.iter().map(Code::to_statistics).collect(),
            subtests: self
                .subtests
                .iter()
                .map(|part| Subtest { name: part.name.clone().into_owned(), status: part.status })
                .collect(),
            differed: self.differed,
        }
    }
}

impl Code<'_> {
    fn to_statistics(&self) -> StageStatistics {
        StageStatistics {
            stage: self.stage,
            width: self.width,
            instructions: self.instructions,
            loops: self.loops,
            cycles: self.cycles,
            executed: self.executed,
            spills: self.spills,
            fills: self.fills,
            sends: self.sends,
            registers: self.registers,
            scalar_registers: self.scalar_registers,
            waits: self.waits,
            sha: self.sha.clone().into_owned(),
        }
    }
}

impl<'a> From<&'a TestResult> for ResultRef<'a> {
    fn from(result: &'a TestResult) -> ResultRef<'a> {
        ResultRef {
            test: Cow::from(&result.test),
            generation: Cow::from(&result.generation),
            variant: Cow::from(&result.variant),
            status: result.status,
            phase: result.phase,
            reason: result.reason.as_deref().map(|text| Text(Cow::from(text))),
            outcome: result.outcome,
            duration_us: result.duration_us,
            stages: result.stages.iter().map(Code::from).collect(),
            subtests: result
                .subtests
                .iter()
                .map(|part| Part { name: Cow::from(&part.name), status: part.status })
                .collect(),
            differed: result.differed,
        }
    }
}

impl<'a> From<&'a StageStatistics> for Code<'a> {
    fn from(s: &'a StageStatistics) -> Code<'a> {
        Code {
            stage: s.stage,
            width: s.width,
            instructions: s.instructions,
            loops: s.loops,
            cycles: s.cycles,
            executed: s.executed,
            spills: s.spills,
            fills: s.fills,
            sends: s.sends,
            registers: s.registers,
            scalar_registers: s.scalar_registers,
            waits: s.waits,
            sha: Cow::from(&s.sha),
        }
    }
}
