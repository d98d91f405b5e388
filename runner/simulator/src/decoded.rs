//! Storage of decoded instructions, shared by kernels.

use std::array;
use std::sync::{Arc, OnceLock};

use eu::{Inst, InstructionStorage};

use crate::op::Op;
use crate::quirks::Quirks;

/// Most instructions of one [`DecodedInstructions`]: three quarters of a megabyte.
pub(crate) const CAPACITY: usize = CHUNKS * CHUNK;
const CHUNKS: usize = 64;
const CHUNK: usize = 32;

/// An instruction and its operation: everything that does not depend on its position in a kernel.
#[derive(Clone, Debug)]
pub(crate) struct DecodedInstruction {
    pub inst: Inst,
    pub op: Op,
}

impl DecodedInstruction {
    pub fn new(quirks: &Quirks, inst: Inst) -> DecodedInstruction {
        DecodedInstruction { inst, op: Op::resolve(quirks, &inst) }
    }
}

type Chunk = Box<[OnceLock<DecodedInstruction>; CHUNK]>;

/// Append-only storage: instructions never change or move, so kernels read them while others are added.
///
/// A kernel keeps the storage alive as a whole: counting references per instruction takes longer than decoding it.
#[derive(Debug)]
pub(crate) struct DecodedInstructions {
    chunks: [OnceLock<Chunk>; CHUNKS],
}

impl Default for DecodedInstructions {
    fn default() -> DecodedInstructions {
        DecodedInstructions { chunks: array::from_fn(|_| OnceLock::new()) }
    }
}

impl DecodedInstructions {
    /// Instruction `index`.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&DecodedInstruction> {
        self.chunks.get(index / CHUNK)?.get()?.get(index % CHUNK)?.get()
    }

    /// Sets instruction `index`, which is unset and below [`CAPACITY`].
    fn set(&self, index: usize, make: impl FnOnce() -> DecodedInstruction) {
        let chunk = self.chunks[index / CHUNK].get_or_init(|| Box::new(array::from_fn(|_| OnceLock::new())));
        chunk[index % CHUNK].get_or_init(make);
    }
}

/// Appends to a [`DecodedInstructions`], and to a new one when that is full.
#[derive(Debug, Default)]
pub(crate) struct DecodedInstructionWriter {
    instructions: Arc<DecodedInstructions>,
    len: usize,
}

impl DecodedInstructionWriter {
    /// The storage that the next instruction goes to, unless it is full.
    pub fn instructions(&self) -> &Arc<DecodedInstructions> {
        &self.instructions
    }

    /// Instruction `index` of the storage.
    pub fn get(&self, index: u32) -> Option<&DecodedInstruction> {
        self.instructions.get(index as usize)
    }

    /// Appends an instruction, constructed in place.
    pub fn push(&mut self, make: impl FnOnce() -> DecodedInstruction) {
        if self.len == CAPACITY {
            self.clear();
        }
        self.instructions.set(self.len, make);
        self.len += 1;
    }
}

impl InstructionStorage for DecodedInstructionWriter {
    fn len(&self) -> usize {
        self.len
    }

    fn copy_from(&mut self, other: &DecodedInstructionWriter, index: u32) {
        if let Some(decoded) = other.get(index) {
            self.push(|| decoded.clone());
        }
    }

    /// Starts a new storage; kernels keep the old one alive.
    fn clear(&mut self) {
        *self = DecodedInstructionWriter::default();
    }
}
