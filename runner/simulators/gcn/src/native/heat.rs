//! Instructions that a program has executed, and its translated form.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Native;

/// Instructions that a program executes before it is translated, for each that it has: as much time
/// as its translation takes.
const AFTER: u64 = 4096;

/// Counter of a program's instructions, and its translated form.
#[derive(Debug)]
pub(crate) struct Heat {
    /// Number of instructions after which the program is translated.
    after: u64,
    executed: AtomicU64,
    native: OnceLock<Option<Native>>,
}

/// A copy of a program starts cold.
impl Clone for Heat {
    fn clone(&self) -> Heat {
        Heat::after(self.after)
    }
}

impl Heat {
    /// Heat of a program with some instructions.
    pub(crate) fn of(instructions: usize) -> Heat {
        let usual = AFTER.saturating_mul(instructions.max(16) as u64);
        Heat::after(::native::threshold().unwrap_or(usual))
    }

    /// A program that is translated after this many instructions.
    pub(crate) fn after(after: u64) -> Heat {
        Heat { after, executed: AtomicU64::new(0), native: OnceLock::new() }
    }

    /// Number of instructions until the program is hot.
    pub(crate) fn left(&self) -> u64 {
        self.after.saturating_sub(self.executed.load(Ordering::Relaxed))
    }

    /// Counts executed instructions.
    pub(crate) fn add(&self, executed: u64) {
        self.executed.fetch_add(executed, Ordering::Relaxed);
    }

    /// The translated form of a hot program, made by `translate` for the first thread that asks;
    /// `translate` gets the number of instructions that code for some waves needs to pay.
    pub(crate) fn native(&self, translate: impl FnOnce(u64) -> Option<Native>) -> Option<&Native> {
        self.native.get_or_init(|| translate(self.after)).as_ref()
    }
}
