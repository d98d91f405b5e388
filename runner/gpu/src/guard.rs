//! Limits of the work of a batch: a driver under test may ask for anything.

use std::cell::Cell;
use std::fmt;
use std::time::{Duration, Instant};

use crate::error::{CommandError, Outcome, not_modeled};

/// Most vertices of an instance of a draw, and most vertices that a stage makes of them.
const MOST_VERTICES: usize = 1 << 22;
/// Time between two questions whether anybody waits for the batch.
const INTERVAL: Duration = Duration::from_millis(20);

/// Stops work that nobody waits for, and work that needs too much memory.
pub(crate) struct Guard {
    is_abandoned: Box<dyn Fn() -> bool>,
    asked: Cell<Instant>,
}

impl Guard {
    /// Creates a guard that asks `is_abandoned` from time to time.
    pub(crate) fn new(is_abandoned: Box<dyn Fn() -> bool>) -> Guard {
        Guard { is_abandoned, asked: Cell::new(Instant::now()) }
    }

    /// Fails if nobody waits for the batch. For each thread, instance or group.
    pub(crate) fn check(&self) -> Outcome<()> {
        if self.asked.get().elapsed() < INTERVAL {
            return Ok(());
        }
        self.asked.set(Instant::now());
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
        f.debug_struct("Guard").field("asked", &self.asked).finish_non_exhaustive()
    }
}

/// Fails if an instance has too many vertices.
pub(crate) fn check_vertices(count: usize) -> Outcome<()> {
    if count > MOST_VERTICES {
        return not_modeled("instances of more than 2²² vertices");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abandoned_work_stops() {
        let guard = Guard::new(Box::new(|| true));
        while guard.check().is_ok() {
            assert!(guard.asked.get().elapsed() < Duration::from_secs(60));
        }
        assert_eq!(Guard::default().check(), Ok(()));
    }

    #[test]
    fn vertices_are_limited() {
        assert_eq!(check_vertices(1 << 22), Ok(()));
        assert!(check_vertices((1 << 22) + 1).is_err());
    }
}
