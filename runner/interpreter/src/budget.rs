//! Work of a group of invocations, and its limits.

use crate::environment::Error;

/// Maximum nesting of expressions and statements, across calls: evaluation recurses through it.
const MAX_NESTING: usize = 4000;

/// Statements executed, and nesting.
#[derive(Debug)]
pub(crate) struct Budget {
    /// Statements executed.
    pub(crate) steps: u64,
    /// Maximum number of statements.
    limit: u64,
    /// Expressions and statements being executed, one inside the other.
    nesting: usize,
}

impl Budget {
    /// Allows a number of statements.
    pub(crate) fn new(limit: u64) -> Budget {
        Budget { steps: 0, limit, nesting: 0 }
    }

    /// Counts a statement.
    pub(crate) fn step(&mut self) -> Result<(), Error> {
        self.steps += 1;
        if self.steps > self.limit { Err(Error::StepLimit(self.limit)) } else { Ok(()) }
    }

    /// Enters an expression or statement.
    pub(crate) fn enter(&mut self) -> Result<(), Error> {
        if self.nesting >= MAX_NESTING {
            return Err(Error::Nesting(MAX_NESTING));
        }
        self.nesting += 1;
        Ok(())
    }

    /// Leaves an expression or statement.
    pub(crate) fn leave(&mut self) {
        self.nesting -= 1;
    }
}
