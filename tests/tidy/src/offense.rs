//! A violation of a rule, with its place.

use std::fmt;

/// A violation of a rule at a line of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Offense {
    /// Path below the root of the repository.
    pub path: String,
    /// Line, from 1.
    pub line: usize,
    /// Name of the check.
    pub check: &'static str,
    /// The offending text and its remedy.
    pub message: String,
}

impl fmt::Display for Offense {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}: {}", self.path, self.line, self.check, self.message)
    }
}
