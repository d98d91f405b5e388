//! State that persists from packet to packet.

use crate::registers::Registers;
use crate::statistics::Statistics;

/// State of a context: registers, and what packets set beside them.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    /// Registers.
    pub(crate) registers: Registers,
    /// Bytes of an index.
    pub(crate) index_bytes: u32,
    /// Address and number of indices.
    pub(crate) indices: (u64, u32),
    /// Instances of a draw.
    pub(crate) instances: u32,
    /// Base of the parameters of indirect draws and dispatches.
    pub(crate) indirect_base: u64,
    /// Draws with the flag of predication are executed.
    pub(crate) predicate: bool,
    /// A result of predication was not zero: samples, primitives without room, a value. Packets
    /// that continue others add theirs to it.
    pub(crate) seen: bool,
    /// Bytes that were written to each buffer of stream output, in double words.
    pub(crate) filled: [u32; 4],
    /// Primitives of each stream that were written, and that would have been with enough room.
    pub(crate) primitives: [[u64; 2]; 4],
    /// Counts of the stages.
    pub(crate) statistics: Statistics,
    /// Samples that passed all tests since the start.
    pub(crate) passed_samples: u64,
}

impl Default for Context {
    fn default() -> Context {
        Context {
            registers: Registers::default(),
            index_bytes: 2,
            indices: (0, 0),
            instances: 1,
            indirect_base: 0,
            predicate: true,
            seen: false,
            filled: [0; 4],
            primitives: [[0; 2]; 4],
            statistics: Statistics::default(),
            passed_samples: 0,
        }
    }
}
