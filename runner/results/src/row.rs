//! Rows as they stand in a file: text is borrowed wherever nothing in it is escaped, so that reading large runs costs
//! no more than looking at them.

use std::borrow::Cow;

use serde::Deserialize;

use crate::verdict::{Outcome, Phase, StageStatistics, Status, Subtest, TestResult};

/// A piece of text inside another value; serde borrows it only behind a type of its own.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Text<'a>(#[serde(borrow)] pub Cow<'a, str>);

/// One row of the results, borrowed; the fields are those of [`TestResult`].
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Row<'a> {
    /// Test name.
    #[serde(borrow)]
    pub test: Cow<'a, str>,
    /// Generation, or `reference`.
    #[serde(borrow, rename = "gen")]
    pub target: Cow<'a, str>,
    /// Sorted options that can change verdicts.
    #[serde(borrow)]
    pub variant: Cow<'a, str>,
    /// How it ended.
    pub status: Status,
    /// The first layer that broke.
    pub layer: Option<Phase>,
    /// Why.
    #[serde(borrow)]
    pub reason: Option<Text<'a>>,
    /// What the status means.
    pub outcome: Outcome,
    /// Microseconds of work.
    pub duration_us: u64,
    /// Code generated.
    #[serde(borrow)]
    pub stages: Vec<Code<'a>>,
    /// Named parts.
    #[serde(borrow)]
    pub subtests: Vec<Part<'a>>,
    /// Repetitions gave different results although no list of flakes allows it.
    #[serde(default)]
    pub differed: bool,
}

/// Code generated for one stage at one width, borrowed; the fields are those of [`StageStatistics`].
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[expect(missing_docs)]
pub struct Code<'a> {
    #[serde(borrow)]
    pub stage: Cow<'a, str>,
    #[serde(borrow)]
    pub width: Cow<'a, str>,
    pub instructions: u32,
    pub loops: u32,
    pub cycles: u64,
    pub spills: u32,
    pub fills: u32,
    pub sends: u32,
    pub registers: u32,
    #[serde(borrow)]
    pub sha: Cow<'a, str>,
}

/// A named part of a test, borrowed.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Part<'a> {
    /// Its name.
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    /// How it ended.
    pub status: Status,
}

impl Row<'_> {
    /// What rows are sorted by.
    pub fn key(&self) -> (&str, &str, &str) {
        (&self.test, &self.target, &self.variant)
    }

    /// Why it did not pass, in one or a few lines.
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_ref().map(|text| &*text.0)
    }

    /// The status, unless there is no result at all.
    pub fn known_status(&self) -> Option<Status> {
        (self.outcome != Outcome::Missing).then_some(self.status)
    }

    /// Whether a run with this row in it succeeds.
    pub fn is_good(&self) -> bool {
        self.outcome.is_good(self.differed)
    }

    /// Whether two rows say the same, durations aside.
    pub fn same_result(&self, other: &Row<'_>) -> bool {
        self.key() == other.key()
            && (self.status, self.layer, self.outcome) == (other.status, other.layer, other.outcome)
            && self.reason() == other.reason()
            && (self.differed, &self.stages) == (other.differed, &other.stages)
            && self.subtests == other.subtests
    }

    /// The row with text of its own.
    pub fn to_result(&self) -> TestResult {
        TestResult {
            test: self.test.clone().into_owned(),
            target: self.target.clone().into_owned(),
            variant: self.variant.clone().into_owned(),
            status: self.status,
            layer: self.layer,
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
            stage: self.stage.clone().into_owned(),
            width: self.width.clone().into_owned(),
            instructions: self.instructions,
            loops: self.loops,
            cycles: self.cycles,
            spills: self.spills,
            fills: self.fills,
            sends: self.sends,
            registers: self.registers,
            sha: self.sha.clone().into_owned(),
        }
    }
}

impl<'a> From<&'a TestResult> for Row<'a> {
    fn from(row: &'a TestResult) -> Row<'a> {
        Row {
            test: Cow::from(&row.test),
            target: Cow::from(&row.target),
            variant: Cow::from(&row.variant),
            status: row.status,
            layer: row.layer,
            reason: row.reason.as_deref().map(|text| Text(Cow::from(text))),
            outcome: row.outcome,
            duration_us: row.duration_us,
            stages: row.stages.iter().map(Code::from).collect(),
            subtests: row
                .subtests
                .iter()
                .map(|part| Part { name: Cow::from(&part.name), status: part.status })
                .collect(),
            differed: row.differed,
        }
    }
}

impl<'a> From<&'a StageStatistics> for Code<'a> {
    fn from(s: &'a StageStatistics) -> Code<'a> {
        Code {
            stage: Cow::from(&s.stage),
            width: Cow::from(&s.width),
            instructions: s.instructions,
            loops: s.loops,
            cycles: s.cycles,
            spills: s.spills,
            fills: s.fills,
            sends: s.sends,
            registers: s.registers,
            sha: Cow::from(&s.sha),
        }
    }
}
