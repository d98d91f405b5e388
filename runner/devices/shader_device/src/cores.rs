//! Cores of a process: each test in execution uses one, and heavy draws borrow idle ones.

use std::sync::Arc;
use std::sync::atomic::{AtomicIsize, Ordering};

/// Stack size in bytes of threads that execute tests: the front end recurses over nested source
/// within limits that fit this size.
pub const STACK: usize = 64 << 20;

/// Counter of the idle cores of a process. Clones count the same cores.
#[derive(Clone, Debug, Default)]
pub struct Cores {
    idle: Arc<AtomicIsize>,
}

impl Cores {
    /// Creates a counter of `count` idle cores.
    pub fn new(count: usize) -> Cores {
        let count = isize::try_from(count).unwrap_or(isize::MAX);
        Cores { idle: Arc::new(AtomicIsize::new(count)) }
    }

    /// Takes a core for a test, even if none is idle. It is idle again when the result is dropped.
    pub fn enter(&self) -> TakenCores {
        self.idle.fetch_sub(1, Ordering::Relaxed);
        TakenCores { cores: self.clone(), count: 1 }
    }

    /// Returns the number of idle cores.
    pub fn idle(&self) -> usize {
        usize::try_from(self.idle.load(Ordering::Relaxed)).unwrap_or(0)
    }

    /// Takes at most `most` idle cores, possibly none.
    pub fn borrow(&self, most: usize) -> TakenCores {
        let most = isize::try_from(most).unwrap_or(isize::MAX);
        let taken = |idle: isize| idle.min(most).max(0);
        let update = |idle| Some(idle - taken(idle));
        let before = self.idle.fetch_update(Ordering::Relaxed, Ordering::Relaxed, update);
        let count = before.map_or(0, taken);
        TakenCores { cores: self.clone(), count: count.unsigned_abs() }
    }
}

/// Cores in use.
#[derive(Debug)]
pub struct TakenCores {
    cores: Cores,
    count: usize,
}

impl TakenCores {
    /// Returns their number.
    pub fn count(&self) -> usize {
        self.count
    }
}

impl Drop for TakenCores {
    fn drop(&mut self) {
        self.cores.idle.fetch_add(self.count as isize, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_idle_cores_are_borrowed() {
        let cores = Cores::new(4);
        let tests = [cores.enter(), cores.enter()];
        let borrowed = cores.borrow(8);
        assert_eq!((borrowed.count(), cores.borrow(8).count()), (2, 0));
        let late = cores.enter();
        drop(borrowed);
        assert_eq!((cores.idle(), cores.borrow(1).count()), (1, 1));
        drop((tests, late));
        assert_eq!(cores.idle(), 4);
    }
}
