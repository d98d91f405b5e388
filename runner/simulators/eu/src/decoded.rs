//! Storage of decoded instructions, shared by kernels.

use std::array;
use std::sync::{Arc, OnceLock};

use intel_isa::Inst;
use intel_isa::desc::{Lengths, Message};

use crate::alu::fast::{self, Machine, Plan};
use crate::op::Op;
use crate::quirks::Quirks;

const CHUNKS: usize = 64;
const CHUNK: usize = 32;

/// An instruction and its operation: everything that does not depend on its position in a kernel.
#[derive(Clone, Debug)]
pub struct DecodedInstruction {
    pub(crate) inst: Inst,
    pub(crate) op: Op,
    /// A specialized implementation, if its operands allow one.
    pub(crate) plan: Option<Plan>,
    /// The message of a send whose descriptor is in the instruction, once it has been sent.
    pub(crate) message: OnceLock<(Message, Lengths)>,
}

impl DecodedInstruction {
    /// Resolves `inst` for a device with `quirks`.
    pub fn new(quirks: &Quirks, inst: Inst) -> DecodedInstruction {
        let op = Op::resolve(quirks, &inst);
        let plan = fast::select(&op, Machine::detect());
        DecodedInstruction { inst, op, plan, message: OnceLock::new() }
    }
}

/// Properties of an instruction that a kernel's layout depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstructionLayout {
    /// True if the instruction steers, see [`Inst::steers`].
    pub steers: bool,
    /// True if the instruction is compacted: 8 bytes instead of 16.
    pub compacted: bool,
}

impl InstructionLayout {
    /// The layout properties of `inst`.
    pub fn of(inst: &Inst) -> InstructionLayout {
        InstructionLayout { steers: inst.steers(), compacted: inst.compacted }
    }

    /// Bytes of the instruction.
    pub(crate) fn len_bytes(self) -> usize {
        if self.compacted { 8 } else { 16 }
    }
}

type Chunk = Box<[OnceLock<DecodedInstruction>; CHUNK]>;

/// Instructions that never change or move, so that kernels read them while others are added.
///
/// A kernel keeps all of them alive: counting references per instruction takes longer than decoding
/// it.
#[derive(Debug)]
pub(crate) struct Chunks([OnceLock<Chunk>; CHUNKS]);

impl Default for Chunks {
    fn default() -> Chunks {
        Chunks(array::from_fn(|_| OnceLock::new()))
    }
}

impl Chunks {
    /// Instruction `index`.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<&DecodedInstruction> {
        self.0.get(index / CHUNK)?.get()?.get(index % CHUNK)?.get()
    }

    /// Sets instruction `index`, which is unset and below the capacity.
    fn set(&self, index: usize, make: impl FnOnce() -> DecodedInstruction) {
        let chunk =
            self.0[index / CHUNK].get_or_init(|| Box::new(array::from_fn(|_| OnceLock::new())));
        chunk[index % CHUNK].get_or_init(make);
    }
}

/// Append-only storage of decoded instructions. Kernels share it and keep it alive.
#[derive(Debug, Default)]
pub struct DecodedInstructions {
    chunks: Arc<Chunks>,
    len: usize,
}

impl DecodedInstructions {
    /// Maximum number of instructions of one storage: about a megabyte.
    pub const CAPACITY: usize = CHUNKS * CHUNK;

    /// Number of instructions.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no instructions.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Instruction `index`.
    pub fn get(&self, index: u32) -> Option<&DecodedInstruction> {
        self.chunks.get(index as usize)
    }

    /// Appends an instruction, constructed in place, and returns its index. A full storage is
    /// cleared first.
    pub fn push(&mut self, make: impl FnOnce() -> DecodedInstruction) -> u32 {
        if self.len == Self::CAPACITY {
            self.clear();
        }
        self.chunks.set(self.len, make);
        self.len += 1;
        self.len as u32 - 1
    }

    /// Removes all instructions. Kernels keep those that they share.
    pub fn clear(&mut self) {
        *self = DecodedInstructions::default();
    }

    pub(crate) fn chunks(&self) -> &Arc<Chunks> {
        &self.chunks
    }
}
