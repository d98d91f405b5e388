//! Observation of the kernels that a GPU executes.

use eu_simulator::trace::Tracer;
use vocabulary::{Stage, Width};

/// A kernel whose threads are about to run.
#[derive(Clone, Copy, Debug)]
pub struct WatchedKernel<'a> {
    /// Stage.
    pub stage: Stage,
    /// Width of its threads.
    pub width: Width,
    /// Address of the first instruction.
    pub address: u64,
    /// Machine code.
    pub code: &'a [u8],
}

/// Receives the kernels of draws and dispatches in the order of their execution.
pub trait Watch {
    /// Threads of a kernel follow. Returns an observer of their instructions, if it is wanted.
    fn kernel(&self, kernel: &WatchedKernel<'_>) -> Option<Tracer>;
}
