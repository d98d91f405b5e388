//! Events of a run: the one stream that feeds console, results files and bundles.

use std::time::Duration;

use crate::verdict::{Counts, TestResult};

/// An event of a run.
#[derive(Clone, Debug)]
pub enum TestEvent {
    /// The run begins.
    RunStarted {
        /// Number of test cases.
        total: usize,
    },
    /// A test case begins.
    Started {
        /// Index of the test case in the plan.
        case: usize,
    },
    /// A test case is finished.
    Finished {
        /// Index of the test case in the plan.
        case: usize,
        /// Its result.
        result: Box<TestResult>,
    },
    /// A clock tick, about ten times a second.
    Tick,
    /// The run is over.
    RunFinished {
        /// Counts of the finished test cases.
        counts: Counts,
        /// Number of planned test cases.
        total: usize,
        /// True if the run stopped before all test cases were finished.
        interrupted: bool,
        /// Wall-clock time.
        elapsed: Duration,
    },
}

/// A receiver of events.
pub trait Reporter {
    /// Processes an event.
    ///
    /// # Errors
    /// Fails if the receiver cannot continue (for example on a full disk); the run stops.
    fn event(&mut self, event: &TestEvent) -> anyhow::Result<()>;
}
