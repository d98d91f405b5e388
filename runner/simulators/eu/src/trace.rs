//! Observation of a running thread.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use intel_isa::Inst;

use crate::regs::Registers;

/// One executed instruction.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// Instructions that the thread executed before it.
    pub executed: u64,
    /// Index of the instruction in the kernel.
    pub index: usize,
    /// Its byte offset in the binary.
    pub offset: usize,
    /// The instruction.
    pub inst: &'a Inst,
    /// Channels of the instruction that were enabled (before predication).
    pub enabled: u32,
    /// Registers before it.
    pub before: &'a Registers,
    /// Registers after it.
    pub after: &'a Registers,
}

impl Step<'_> {
    /// Numbers of the general registers that changed, with their bytes before and after.
    pub fn changed(&self) -> impl Iterator<Item = (usize, [u32; 8], [u32; 8])> + '_ {
        (0..crate::regs::GRF_COUNT).filter_map(|nr| {
            let (before, after) = (self.before.register(nr), self.after.register(nr));
            (before != after).then_some((nr, before, after))
        })
    }
}

/// Receives every executed instruction. Running without one costs nothing.
pub trait Trace {
    /// Called after each instruction.
    fn step(&mut self, step: &Step);
}

/// An observer that a thread carries along. Clones of the thread report to the same one.
#[derive(Clone)]
pub struct Tracer(Arc<Mutex<dyn Trace + Send>>);

impl Tracer {
    /// Shares an observer.
    pub fn new<T: Trace + Send + 'static>(trace: Arc<Mutex<T>>) -> Tracer {
        Tracer(trace)
    }
}

impl Trace for Tracer {
    fn step(&mut self, step: &Step) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).step(step);
    }
}

impl fmt::Debug for Tracer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tracer")
    }
}
