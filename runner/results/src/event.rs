//! The one stream of events that console, results and reports are fed from.

use std::time::Duration;

use crate::verdict::{Counts, TestResult};

/// Something that happened in a run.
#[derive(Clone, Debug)]
pub enum TestEvent {
    /// The run begins.
    RunStarted {
        /// Rows to come.
        total: usize,
    },
    /// A row is being worked on.
    Started {
        /// Position in the plan.
        job: usize,
    },
    /// A row is finished.
    Finished {
        /// Position in the plan.
        job: usize,
        /// The row.
        result: Box<TestResult>,
    },
    /// Time passes; sent about ten times a second.
    Tick,
    /// The run is over.
    RunFinished {
        /// Counts of what was finished.
        counts: Counts,
        /// Rows that were planned.
        total: usize,
        /// Whether the run was stopped before all rows were finished.
        interrupted: bool,
        /// Wall-clock time.
        elapsed: Duration,
    },
}

/// A receiver of events.
pub trait Reporter {
    /// Takes note of an event.
    ///
    /// # Errors
    /// When it can no longer do its work (a full disk, say); the run stops.
    fn event(&mut self, event: &TestEvent) -> anyhow::Result<()>;
}
