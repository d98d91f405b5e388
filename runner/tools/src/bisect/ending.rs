//! Endings of test cases.

use std::fmt;

use serde::Serialize;

use results::verdict::{Phase, Status, Verdict};

/// The ending of a test case, without its message: two endings may be equal although the messages
/// differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Ending {
    /// The status.
    pub status: Status,
    /// The first phase that broke.
    #[serde(rename = "layer")]
    pub phase: Option<Phase>,
}

impl Ending {
    /// Returns the ending of a verdict.
    pub fn of(verdict: &Verdict) -> Ending {
        Ending { status: verdict.status, phase: verdict.cause.as_ref().map(|(phase, _)| *phase) }
    }

    /// Returns true if nothing is wrong.
    pub fn is_good(self) -> bool {
        matches!(self.status, Status::Pass | Status::Warn)
    }

    /// Returns true if nothing was executed.
    pub fn is_skip(self) -> bool {
        self.status == Status::Skip
    }
}

/// Writes `pass`, or `fail, mismatch`.
impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.status)?;
        match self.phase {
            Some(phase) if self.status != Status::Pass => write!(f, ", {phase}"),
            _ => Ok(()),
        }
    }
}
