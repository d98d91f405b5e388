//! Test cases under examination, and the interface by which tools execute them.

use std::error::Error;
use std::path::PathBuf;

use execute::CaseOverride;
use results::verdict::Verdict;
use vocabulary::Target;

/// A test on a generation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Name of the test.
    pub name: String,
    /// File of the test.
    pub path: PathBuf,
    /// The generation.
    pub generation: Target,
}

/// Executes test cases with overrides. The command implements it with worker processes, so that a
/// crash is a verdict.
pub trait CaseRunner {
    /// Executes a test case once per override; the verdicts are in the same order.
    ///
    /// # Errors
    /// Fails if the user interrupts the execution, or if nothing can be executed.
    fn run(&mut self, case: &Case, overrides: Vec<CaseOverride>) -> Result<Vec<Verdict>, RunError>;

    /// Returns the number of executions so far.
    fn count(&self) -> usize;
}

/// The reason why a test case has no verdict.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The user interrupted the execution.
    #[error("interrupted")]
    Interrupted,
    /// Nothing can be executed.
    #[error(transparent)]
    Failed(Box<dyn Error + Send + Sync>),
}
