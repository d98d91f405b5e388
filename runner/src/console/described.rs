//! The plan as the console knows it.

use std::path::PathBuf;

use results::RepeatTest;
use vocabulary::Target;

/// The console's description of a test.
#[derive(Clone, Debug, Default)]
pub struct DescribedTest {
    /// Name, escaped for a terminal.
    pub name: String,
    /// File; empty if there is none.
    pub path: PathBuf,
    /// The command that executes the test alone.
    pub command: Option<RepeatTest>,
}

/// A test case of the plan.
#[derive(Clone, Copy, Debug)]
pub struct DescribedCase {
    /// Index of the test.
    pub test: usize,
    /// Generation.
    pub generation: Target,
}

/// The tests and test cases of a plan.
#[derive(Clone, Debug, Default)]
pub struct Described {
    /// Tests.
    pub tests: Vec<DescribedTest>,
    /// Test cases by number.
    pub cases: Vec<DescribedCase>,
}

impl Described {
    /// Returns the test of a test case.
    pub(super) fn test(&self, case: usize) -> Option<&DescribedTest> {
        self.tests.get(self.cases.get(case)?.test)
    }

    /// Returns `test [gen]`.
    pub(super) fn name(&self, case: usize) -> Option<String> {
        let test = self.test(case)?;
        Some(format!("{} [{}]", test.name, self.cases.get(case)?.generation))
    }
}
