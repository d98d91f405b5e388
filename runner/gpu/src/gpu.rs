//! Execution of batches.

use packets::{Fault, Memory, Table, WalkError, Walker};
use vocabulary::Generation;

use crate::clock::Clock;

/// Why a batch cannot be executed further.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GpuError {
    /// The batch cannot be walked.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// A command failed.
    #[error("{name} ({header:#010x}) at {address:#x}: {text}")]
    Command {
        /// Name of the command.
        name: &'static str,
        /// First double word.
        header: u32,
        /// Address of the command.
        address: u64,
        /// Reason.
        text: String,
    },
}

/// The GPU as one process sees it.
#[derive(Debug)]
pub struct Gpu {
    table: &'static Table,
}

impl Gpu {
    /// Creates a GPU without contexts.
    #[must_use]
    pub fn new(generation: Generation, _clock: Clock) -> Gpu {
        Gpu { table: Table::of(generation) }
    }

    /// Forgets the state of a context.
    pub fn destroy_context(&mut self, _context: u32) {}

    /// Executes the batch at an address and returns the number of its commands.
    ///
    /// # Errors
    /// Names the first command that cannot be executed.
    pub fn execute(
        &mut self,
        memory: &dyn Memory,
        _context: u32,
        address: u64,
    ) -> Result<usize, GpuError> {
        let mut walker = Walker::new(self.table, memory, address);
        let mut count = 0;
        while let Some(_command) = walker.advance()? {
            count += 1;
        }
        Ok(count)
    }
}

impl From<Fault> for GpuError {
    fn from(fault: Fault) -> GpuError {
        GpuError::Walk(WalkError::Fault { at: fault.address, fault })
    }
}
