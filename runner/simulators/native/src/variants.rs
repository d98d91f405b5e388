//! Code of a region, made once it pays.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Code for threads in which all channels are active, and for others.
#[derive(Debug)]
pub struct Variants<C> {
    full: OnceLock<Option<C>>,
    partial: OnceLock<Option<C>>,
    /// Instructions after which the code for others is made, and those so far.
    partial_after: u64,
    executed_partly: AtomicU64,
}

impl<C> Variants<C> {
    /// No code so far. That for threads in which not all channels are active is made after so many
    /// instructions of theirs.
    pub fn new(partial_after: u64) -> Variants<C> {
        Variants {
            full: OnceLock::new(),
            partial: OnceLock::new(),
            partial_after,
            executed_partly: AtomicU64::new(0),
        }
    }

    /// The code for a thread that is about to execute some `instructions`; `full`: all channels are
    /// active. `None` if it does not pay, or `translate` gives none.
    #[inline]
    pub fn get(
        &self,
        full: bool,
        instructions: impl FnOnce() -> usize,
        translate: impl FnOnce(bool) -> Option<C>,
    ) -> Option<&C> {
        if full {
            return self.full.get_or_init(|| translate(true)).as_ref();
        }
        if let Some(code) = self.partial.get() {
            return code.as_ref();
        }
        let executed = self.executed_partly.fetch_add(instructions() as u64, Ordering::Relaxed);
        if executed < self.partial_after {
            return None;
        }
        self.partial.get_or_init(|| translate(false)).as_ref()
    }
}
