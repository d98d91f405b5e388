//! Kernels that have executed many instructions: their most frequent ones are resolved further.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::alu::fast::{Pool, Quick};
use crate::alu::math::MathMode;
use crate::decoded::DecodedInstruction;

/// Instructions that a kernel executes before it is hot: as much time as its resolution takes.
const HOT_AFTER: u64 = 4096;

/// An instruction of a hot kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HotStep {
    /// The resolved form, if the instruction has one.
    pub(crate) quick: Option<Quick>,
    /// True if waiting channels may resume here.
    pub(crate) join: bool,
}

/// The instructions of a hot kernel, in order.
#[derive(Debug)]
pub(crate) struct Hot {
    math: MathMode,
    steps: Vec<HotStep>,
    pool: Pool,
}

impl Hot {
    /// Resolves instructions for threads of a math mode; each comes with whether waiting channels
    /// may resume there.
    pub(crate) fn new<'a>(
        math: MathMode,
        instructions: impl Iterator<Item = (&'a DecodedInstruction, bool)>,
    ) -> Hot {
        let mut pool = Pool::default();
        let steps = instructions
            .map(|(DecodedInstruction { op, plan, .. }, join)| {
                let plan = plan.as_ref();
                HotStep { quick: plan.and_then(|plan| Quick::of(op, plan, math, &mut pool)), join }
            })
            .collect();
        Hot { math, steps, pool }
    }

    /// The instruction with this index.
    #[inline(always)]
    pub(crate) fn step(&self, index: u32) -> Option<&HotStep> {
        self.steps.get(index as usize)
    }

    /// Constants of the instructions.
    #[inline(always)]
    pub(crate) fn pool(&self) -> &Pool {
        &self.pool
    }

    /// Number of resolved instructions.
    pub(crate) fn resolved(&self) -> usize {
        self.steps.iter().filter(|step| step.quick.is_some()).count()
    }
}

/// Counter of a kernel's instructions, and its resolved form.
#[derive(Debug)]
pub(crate) struct Heat {
    /// Number of instructions after which the kernel is hot.
    after: u64,
    executed: AtomicU64,
    hot: OnceLock<Hot>,
}

impl Default for Heat {
    fn default() -> Heat {
        Heat::after(HOT_AFTER)
    }
}

/// A copy of a kernel starts cold.
impl Clone for Heat {
    fn clone(&self) -> Heat {
        Heat::after(self.after)
    }
}

impl Heat {
    /// A kernel that is hot after this many instructions.
    pub(crate) fn after(after: u64) -> Heat {
        Heat { after, executed: AtomicU64::new(0), hot: OnceLock::new() }
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
}
