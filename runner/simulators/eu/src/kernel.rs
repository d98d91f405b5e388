//! Decoding a binary once into resolved instructions.

use std::sync::Arc;

use intel_isa::{DevInfo, Form, Inst, InstructionOffsets, Opcode, ProgramEnd, jump_targets};
use vocabulary::{InternalError, Phase};

use crate::alu::fast::{self, Machine, Plan};
use crate::alu::math::MathMode;
use crate::decoded::{Chunks, DecodedInstruction, DecodedInstructions, InstructionLayout};
use crate::error::DecodeError;
use crate::heat::Heat;
use crate::hot::Hot;
use crate::jump::Jump;
use crate::native::Native;
use crate::op::Op;
use crate::quirks::Quirks;

/// A decoded kernel: every instruction resolved, every jump checked.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub(crate) devinfo: &'static DevInfo,
    pub(crate) quirks: Quirks,
    pub(crate) heat: Heat,
    list: InstructionList,
    /// Byte offset past the last instruction.
    end: usize,
}

/// An instruction of a kernel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KernelInstruction<'a> {
    pub decoded: &'a DecodedInstruction,
    pub jump: &'a Jump,
}

impl<'a> KernelInstruction<'a> {
    pub(crate) fn op(&self) -> &'a Op {
        &self.decoded.op
    }

    pub(crate) fn inst(&self) -> &'a Inst {
        &self.decoded.inst
    }
}

impl Kernel {
    /// Decodes the kernel at the start of `bytes`. Decoding stops where no instruction and no jump
    /// leads on (see [`ProgramEnd`]), so padding, data and further kernels may follow; see
    /// [`Kernel::decode_from`] for those.
    ///
    /// # Errors
    /// `bytes` are empty or too many, an instruction does not decode, or a jump leads to none.
    pub fn decode(devinfo: &'static DevInfo, bytes: &[u8]) -> Result<Kernel, DecodeError> {
        Kernel::decode_from(devinfo, bytes, 0)
    }

    /// As [`Kernel::decode`], of the kernel that starts at byte `offset`.
    ///
    /// # Errors
    /// `offset` is not a multiple of 8 or past the end; else as [`Kernel::decode`].
    pub fn decode_from(
        devinfo: &'static DevInfo,
        bytes: &[u8],
        offset: usize,
    ) -> Result<Kernel, DecodeError> {
        let quirks = Quirks::of(devinfo);
        let mut builder = KernelBuilder::new(devinfo, bytes, offset)?;
        let mut instructions = DecodedInstructions::default();
        while let Some(rest) = builder.rest(bytes) {
            let (inst, _) =
                intel_isa::decode(devinfo, rest).map_err(|error| builder.error(&error))?;
            let index = instructions.push(|| DecodedInstruction::new(&quirks, inst));
            builder.push(&instructions, index, InstructionLayout::of(&inst));
        }
        builder.finish()
    }

    /// Builds a kernel from instructions at consecutive positions from byte 0.
    ///
    /// # Errors
    /// A jump leads to no instruction.
    pub fn from_insts(devinfo: &'static DevInfo, insts: Vec<Inst>) -> Result<Kernel, DecodeError> {
        let quirks = Quirks::of(devinfo);
        let mut builder = KernelBuilder::at(devinfo, 0, insts.len());
        let mut instructions = DecodedInstructions::default();
        for inst in insts {
            let index = instructions.push(|| DecodedInstruction::new(&quirks, inst));
            builder.push(&instructions, index, InstructionLayout::of(&inst));
        }
        builder.finish()
    }

    /// This kernel without specialized implementations: every instruction executes channel by
    /// channel. Slow, and the definition of what the fast ones must do.
    #[must_use]
    pub fn generic(self) -> Kernel {
        self.with_plans(|_| None).hot_after(u64::MAX)
    }

    /// This kernel with specialized implementations for the baseline of the target, without the
    /// vector instructions of this machine.
    #[must_use]
    pub fn baseline(self) -> Kernel {
        self.with_plans(|op| fast::select(op, Machine::Baseline)).hot_after(u64::MAX)
    }

    /// This kernel, resolved further once it has executed this many instructions: 0 for at once,
    /// `u64::MAX` for never. Results do not depend on it.
    #[must_use]
    pub fn hot_after(mut self, instructions: u64) -> Kernel {
        self.heat = self.heat.with(Some(instructions), None);
        self
    }

    /// This kernel, translated to the host's code once it is hot and has executed this many
    /// instructions: 0 for at once, `u64::MAX` for never. Results do not depend on it.
    #[must_use]
    pub fn native_after(mut self, instructions: u64) -> Kernel {
        self.heat = self.heat.with(None, Some(instructions));
        self
    }

    /// Number of instructions that are resolved further when the kernel is hot.
    pub fn hot_instructions(&self) -> usize {
        self.resolved(MathMode::Exact).resolved()
    }

    /// Number of instructions of arithmetic that are translated for threads that flush subnormal
    /// singles.
    pub fn native_instructions(&self) -> usize {
        let hot = self.resolved(MathMode::Exact);
        Native::of(hot.steps(), self.decoded(), true, 0).map_or(0, |native| native.instructions())
    }

    /// The resolved form for threads of a math mode.
    pub(crate) fn resolved(&self, math: MathMode) -> Hot {
        let entries = (0..self.list.entries.len())
            .filter_map(|index| Some((self.list.decoded(index)?, *self.list.jump(index))));
        Hot::new(math, entries)
    }

    /// The translated form of the kernel, if it has executed enough.
    pub(crate) fn native(&self, hot: &Hot, flushes: bool) -> Option<&Native> {
        let instructions = self.decoded();
        self.heat.native(|after| Native::of(hot.steps(), instructions, flushes, after))
    }

    fn with_plans(mut self, plan: impl Fn(&Op) -> Option<Plan>) -> Kernel {
        let list = &mut self.list;
        let (mut instructions, mut storage) = (DecodedInstructions::default(), Vec::new());
        for index in 0..list.entries.len() {
            let Some(decoded) = list.decoded(index) else { continue };
            let mut decoded = decoded.clone();
            decoded.plan = plan(&decoded.op);
            let new = instructions.push(|| decoded);
            list.entries[index].at = position(&mut storage, &instructions, new);
        }
        list.storage = storage;
        self
    }

    /// Number of instructions with a specialized implementation.
    pub fn fast_instructions(&self) -> usize {
        self.decoded().filter(|decoded| decoded.plan.is_some()).count()
    }

    /// The device the kernel is for.
    pub fn devinfo(&self) -> &'static DevInfo {
        self.devinfo
    }

    /// Bytes from the start of the decoded binary to the end of the kernel.
    pub fn end(&self) -> usize {
        self.end
    }

    /// The decoded instructions, in order.
    pub fn instructions(&self) -> impl Iterator<Item = &Inst> {
        self.decoded().map(|decoded| &decoded.inst)
    }

    fn decoded(&self) -> impl Iterator<Item = &DecodedInstruction> {
        (0..self.list.entries.len()).filter_map(|index| self.list.decoded(index))
    }

    /// The instruction with this index.
    #[inline]
    pub(crate) fn instruction(&self, index: u32) -> Option<KernelInstruction<'_>> {
        let decoded = self.list.decoded(index as usize)?;
        Some(KernelInstruction { decoded, jump: self.list.jump(index as usize) })
    }

    /// Byte offset of an instruction in the binary; past the last one, that of its end.
    pub(crate) fn offset(&self, index: u32) -> u32 {
        self.list.offsets.at(index as usize).unwrap_or(self.end) as u32
    }

    /// Index of the instruction that starts at byte `offset`.
    pub(crate) fn index_of(&self, offset: i64) -> Option<u32> {
        self.list.offsets.index_of(offset).map(|index| index as u32)
    }
}

/// A binary larger than this is not a shader.
const MAX_BYTES: usize = 1 << 29;

/// Builds a kernel from decoded instructions, in order.
///
/// The caller decodes the instruction at the start of [`KernelBuilder::rest`] and pushes it, until
/// there is none; see [`Kernel::decode_from`].
#[derive(Debug)]
pub struct KernelBuilder {
    devinfo: &'static DevInfo,
    list: InstructionList,
    /// Byte offset of the next instruction.
    offset: usize,
    end: ProgramEnd,
    ended: bool,
}

impl KernelBuilder {
    /// A builder of the kernel at byte `entry` of `bytes`.
    ///
    /// # Errors
    /// `entry` is not a multiple of 8 or past the end, or there are too many bytes.
    pub fn new(
        devinfo: &'static DevInfo,
        bytes: &[u8],
        entry: usize,
    ) -> Result<KernelBuilder, DecodeError> {
        if !entry.is_multiple_of(8) || entry >= bytes.len() || bytes.len() > MAX_BYTES {
            return Err(DecodeError::Entry { offset: entry });
        }
        Ok(KernelBuilder::at(devinfo, entry, (bytes.len() - entry) / 16))
    }

    /// A builder with space for `count` instructions from byte `entry` on.
    fn at(devinfo: &'static DevInfo, entry: usize, count: usize) -> KernelBuilder {
        let list = InstructionList::new(entry, count);
        KernelBuilder { devinfo, list, offset: entry, end: ProgramEnd::default(), ended: false }
    }

    /// The bytes from the next instruction on; `None` after the kernel's end.
    pub fn rest<'a>(&self, bytes: &'a [u8]) -> Option<&'a [u8]> {
        bytes.get(self.offset..).filter(|rest| !rest.is_empty() && !self.ended)
    }

    /// Adds instruction `index` of `instructions`.
    pub fn push(
        &mut self,
        instructions: &DecodedInstructions,
        index: u32,
        layout: InstructionLayout,
    ) {
        self.list.push(instructions, index, layout.steers, self.offset);
        if let Some(steering) = instructions.get(index).filter(|_| layout.steers) {
            self.ended = self.end.ends_after(self.devinfo, &steering.inst, self.offset);
        }
        self.offset += layout.len_bytes();
    }

    /// The error of the next instruction.
    pub fn error(&self, error: &intel_isa::DecodeError) -> DecodeError {
        DecodeError::Instruction { offset: self.offset, reason: error.to_string() }
    }

    /// Resolves the jumps.
    ///
    /// # Errors
    /// A jump leads to no instruction.
    pub fn finish(self) -> Result<Kernel, DecodeError> {
        let KernelBuilder { devinfo, mut list, offset: end, .. } = self;
        list.resolve_jumps(devinfo, end)?;
        let heat = Heat::of(list.entries.len());
        Ok(Kernel { devinfo, quirks: Quirks::of(devinfo), heat, list, end })
    }
}

/// The instructions of a kernel, in order.
#[derive(Clone, Debug)]
struct InstructionList {
    entries: Vec<Entry>,
    /// Storage of the decoded instructions.
    storage: Vec<Arc<Chunks>>,
    /// Jumps; the first is the empty one of all instructions without targets.
    jumps: Vec<Jump>,
    /// Byte offsets in the binary.
    offsets: InstructionOffsets,
    /// Indices of the instructions that steer.
    steering: Vec<usize>,
}

/// One instruction of the list.
#[derive(Clone, Copy, Debug)]
struct Entry {
    at: Position,
    /// Index of its jump.
    jump: u32,
}

/// Position of a decoded instruction: index of the storage and index within it.
#[derive(Clone, Copy, Debug)]
struct Position {
    storage: u16,
    index: u16,
}

/// The position of instruction `index` of `instructions`, whose chunks are added to `storage` if
/// missing.
fn position(
    storage: &mut Vec<Arc<Chunks>>,
    instructions: &DecodedInstructions,
    index: u32,
) -> Position {
    // A full storage is replaced, so the one in use is the last.
    if !storage.last().is_some_and(|last| Arc::ptr_eq(last, instructions.chunks())) {
        storage.push(instructions.chunks().clone());
    }
    Position { storage: storage.len() as u16 - 1, index: index as u16 }
}

impl InstructionList {
    /// An empty list with space for `count` instructions, the first at byte `entry`.
    fn new(entry: usize, count: usize) -> InstructionList {
        InstructionList {
            entries: Vec::with_capacity(count),
            storage: Vec::new(),
            jumps: vec![Jump::default()],
            offsets: InstructionOffsets::new(entry),
            steering: Vec::new(),
        }
    }

    #[inline]
    fn decoded(&self, index: usize) -> Option<&DecodedInstruction> {
        let at = self.entries.get(index)?.at;
        self.storage.get(usize::from(at.storage))?.get(at.index.into())
    }

    #[inline]
    fn jump(&self, index: usize) -> &Jump {
        const NONE: &Jump = &Jump { jip: 0, uip: 0, join: false };
        match self.entries.get(index) {
            Some(&Entry { jump, .. }) if jump > 0 => &self.jumps[jump as usize],
            _ => NONE,
        }
    }

    fn push(
        &mut self,
        instructions: &DecodedInstructions,
        index: u32,
        steers: bool,
        offset: usize,
    ) {
        if steers {
            self.steering.push(self.entries.len());
        }
        self.offsets.push(offset);
        self.entries.push(Entry { at: position(&mut self.storage, instructions, index), jump: 0 });
    }

    /// The jump of instruction `index`, added if missing.
    fn jump_mut(&mut self, index: usize) -> Option<&mut Jump> {
        let entry = self.entries.get_mut(index)?;
        if entry.jump == 0 {
            entry.jump = self.jumps.len() as u32;
            self.jumps.push(Jump::default());
        }
        self.jumps.get_mut(entry.jump as usize)
    }

    /// Index of the instruction at byte `target`, the target of the one at byte `from`.
    fn find(&self, from: usize, target: i64, end: usize) -> Result<u32, DecodeError> {
        // The end of the kernel is a legal target: a jump there is an error only if taken.
        let index = if target == end as i64 {
            Some(self.entries.len())
        } else {
            self.offsets.index_of(target)
        };
        index.map(|index| index as u32).ok_or(DecodeError::Jump { offset: from, target })
    }

    /// Turns distances into instruction indices and marks where waiting channels may resume.
    fn resolve_jumps(&mut self, devinfo: &DevInfo, end: usize) -> Result<(), DecodeError> {
        let mut joins = Vec::new();
        let mut everywhere = false;
        for index in std::mem::take(&mut self.steering) {
            let (Some(here), Some(&DecodedInstruction { inst, .. })) =
                (self.offsets.at(index), self.decoded(index))
            else {
                let message = format!("instruction {index} is not decoded");
                InternalError::new(Phase::Simulate, message).raise()
            };
            let mut jump = Jump::default();
            let [jip, uip] = jump_targets(devinfo, &inst, here);
            if let Some((_, jip)) = jip {
                let uip = uip.map_or(jip, |(_, uip)| uip);
                (jump.jip, jump.uip) = (self.find(here, jip, end)?, self.find(here, uip, end)?);
                let target = self.decoded(jump.uip as usize).map(|decoded| decoded.inst.opcode);
                if inst.opcode == Opcode::Break && target == Some(Opcode::While) {
                    // UIP names the WHILE; a channel that left the loop resumes after it.
                    jump.uip += 1;
                }
            }
            if inst.opcode.is_control_flow() {
                joins.extend([jump.jip, jump.uip, index as u32 + 1]);
            }
            everywhere |= inst.opcode == Opcode::Ret
                || inst.opcode.form() == Form::Jmpi && !inst.src[0].is_imm();
            self.jump_mut(index).into_iter().for_each(|slot| *slot = jump);
        }
        let all = if everywhere { 0..self.entries.len() } else { 0..0 };
        for join in joins.into_iter().map(|join| join as usize).chain(all) {
            self.jump_mut(join).into_iter().for_each(|jump| jump.join = true);
        }
        Ok(())
    }
}
