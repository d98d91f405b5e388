//! Limits of the work of a batch: a driver under test may ask for anything.

use std::cell::Cell;
use std::fmt;
use std::time::{Duration, Instant};

use crate::error::{CommandError, Outcome, not_modeled};

/// Maximum number of vertices of an instance of a draw, and of those that a stage makes of them.
const MAX_VERTICES: u32 = 1 << 22;
/// Time between two calls of `is_abandoned`.
const INTERVAL: Duration = Duration::from_millis(20);

/// Stops batches whose process has ended.
pub struct Guard {
    is_abandoned: Box<dyn Fn() -> bool>,
    called: Cell<Instant>,
}

impl Guard {
    /// Creates a guard that calls `is_abandoned` from time to time.
    #[must_use]
    pub fn new(is_abandoned: Box<dyn Fn() -> bool>) -> Guard {
        Guard { is_abandoned, called: Cell::new(Instant::now()) }
    }

    /// Fails if the batch is abandoned. Called for each command, instance and thread.
    ///
    /// # Errors
    /// The batch is abandoned.
    pub fn check(&self) -> Outcome<()> {
        if self.called.get().elapsed() < INTERVAL {
            return Ok(());
        }
        self.called.set(Instant::now());
        if (self.is_abandoned)() { Err(CommandError::Abandoned) } else { Ok(()) }
    }
}

impl Default for Guard {
    fn default() -> Guard {
        Guard::new(Box::new(|| false))
    }
}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guard").field("called", &self.called).finish_non_exhaustive()
    }
}

/// Returns a number of vertices of an instance.
///
/// # Errors
/// Fails if they are too many.
pub fn vertex_count(count: usize) -> Outcome<u32> {
    match u32::try_from(count) {
        Ok(count) if count <= MAX_VERTICES => Ok(count),
        _ => not_modeled("instances of more than 2²² vertices"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abandoned_work_stops() {
        let guard = Guard::new(Box::new(|| true));
        while guard.check().is_ok() {
            assert!(guard.called.get().elapsed() < Duration::from_secs(60));
        }
        assert_eq!(Guard::default().check(), Ok(()));
    }

    #[test]
    fn vertices_are_limited() {
        assert_eq!(vertex_count(1 << 22), Ok(1 << 22));
        assert!(vertex_count((1 << 22) + 1).is_err());
    }
}
