//! Instructions that a kernel has executed, and the faster forms that it has for them.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::alu::math::MathMode;
use crate::hot::Hot;
use crate::native::Native;

/// Instructions that a kernel executes before it is hot: as much time as its resolution takes.
const HOT_AFTER: u64 = 4096;
/// Instructions that a kernel executes before it is translated, for each that it has: as much time
/// as its translation takes.
const NATIVE_AFTER: u64 = 16384;

/// Counter of a kernel's instructions, and its faster forms.
#[derive(Debug)]
pub(crate) struct Heat {
    /// Number of instructions after which the kernel is hot, and is translated.
    after: u64,
    native_after: u64,
    executed: AtomicU64,
    hot: OnceLock<Hot>,
    native: OnceLock<Option<Native>>,
}

/// A copy of a kernel starts cold.
impl Clone for Heat {
    fn clone(&self) -> Heat {
        Heat::after(self.after, self.native_after)
    }
}

impl Heat {
    /// Heat of a kernel with some instructions.
    pub(crate) fn of(instructions: usize) -> Heat {
        let usual = NATIVE_AFTER.saturating_mul(instructions.max(16) as u64);
        ::native::threshold().map_or(Heat::after(HOT_AFTER, usual), |number| {
            Heat::after(HOT_AFTER.min(number), number)
        })
    }

    /// A kernel that is hot after this many instructions, and translated after these.
    fn after(after: u64, native_after: u64) -> Heat {
        Heat {
            after,
            native_after,
            executed: AtomicU64::new(0),
            hot: OnceLock::new(),
            native: OnceLock::new(),
        }
    }

    /// This heat with other numbers, of a kernel that has not been executed.
    pub(crate) fn with(&self, after: Option<u64>, native_after: Option<u64>) -> Heat {
        Heat::after(after.unwrap_or(self.after), native_after.unwrap_or(self.native_after))
    }

    /// Number of instructions until the kernel is hot.
    pub(crate) fn left(&self) -> u64 {
        self.after.saturating_sub(self.executed.load(Ordering::Relaxed))
    }

    /// Counts executed instructions.
    pub(crate) fn add(&self, executed: u64) {
        self.executed.fetch_add(executed, Ordering::Relaxed);
    }

    /// The resolved form for threads of a math mode; `None` if it is for another one, or the
    /// kernel is cold.
    #[inline]
    pub(crate) fn hot(&self, math: MathMode) -> Option<&Hot> {
        self.hot.get().filter(|hot| hot.math == math)
    }

    /// The resolved form, made by `resolve` if the kernel has become hot.
    pub(crate) fn warm(&self, math: MathMode, resolve: impl FnOnce() -> Hot) -> Option<&Hot> {
        if self.left() == 0 {
            self.hot.get_or_init(resolve);
        }
        self.hot(math)
    }

    /// The translated form of a hot kernel, made by `translate` once it has executed so many
    /// instructions that the code for some threads pays.
    #[inline]
    pub(crate) fn native(&self, translate: impl FnOnce(u64) -> Option<Native>) -> Option<&Native> {
        let made = self.native.get();
        if made.is_none() && self.executed.load(Ordering::Relaxed) >= self.native_after {
            return self.native.get_or_init(|| translate(self.native_after)).as_ref();
        }
        made?.as_ref()
    }
}
