//! The interface of a virtual GPU to its service.

use packets::Memory;
use submission::{KernelUse, Submission};
use vocabulary::Generation;

use crate::clock::Clock;
use crate::error::GpuError;

/// A GPU as one process sees it.
pub trait Processor {
    /// Executes a batch and returns the number of its commands.
    ///
    /// # Errors
    /// Names the first command that cannot be executed.
    fn execute(&mut self, memory: &dyn Memory, submission: &Submission) -> Result<usize, GpuError>;

    /// Forgets the state of a context.
    fn destroy_context(&mut self, context: u32);

    /// Returns the kernels that draws and dispatches of the program used since the last call, and
    /// their work. Those with which the driver clears and copies do not count.
    fn take_used_kernels(&mut self) -> Vec<KernelUse>;
}

/// Surroundings of a new GPU, which the service gives it.
pub struct Start {
    /// Generation.
    pub generation: Generation,
    /// The time stamp counter.
    pub clock: Clock,
    /// True once the process has ended, so that its batch can be stopped.
    pub is_abandoned: Box<dyn Fn() -> bool>,
    /// Note the use of kernels.
    pub counts_kernels: bool,
}

/// A kind of GPU.
#[derive(Clone, Copy)]
pub struct Model {
    /// Ticks of the time stamp in a second.
    pub frequency: u32,
    /// Starts the clock of a process with this many ticks in a second.
    pub clock: fn(u32) -> Clock,
    /// Version of the hardware.
    pub version: u32,
    /// Creates a GPU for a process.
    pub create: fn(Start) -> Box<dyn Processor>,
}
