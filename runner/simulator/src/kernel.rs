//! Decoding a binary once into resolved instructions.

use eu::{DevInfo, Form, Inst, KnownInsts, Opcode};

use crate::error::DecodeError;
use crate::op::Op;
use crate::quirks::Quirks;

/// A decoded kernel: every instruction resolved, every jump checked.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub(crate) devinfo: &'static DevInfo,
    pub(crate) quirks: Quirks,
    pub(crate) ops: Vec<Op>,
    pub(crate) insts: Vec<Inst>,
    /// Byte offset of each instruction in the binary, ascending.
    pub(crate) offsets: Vec<u32>,
    /// The whole binary, which may hold further kernels.
    bytes: Vec<u8>,
}

impl Kernel {
    /// Decodes the kernel at the start of `bytes`. Decoding stops after an end-of-thread message that no jump passes, so
    /// padding, data and further kernels may follow; see [`Kernel::entry`] for those.
    ///
    /// # Errors
    /// `bytes` are empty or too many, an instruction does not decode, or a jump leads to none.
    pub fn decode(devinfo: &'static DevInfo, bytes: &[u8]) -> Result<Kernel, DecodeError> {
        Kernel::decode_known(&mut KnownInsts::new(devinfo), bytes)
    }

    /// As [`Kernel::decode`], with the help of instructions seen before.
    ///
    /// # Errors
    /// As [`Kernel::decode`].
    pub fn decode_known(known: &mut KnownInsts, bytes: &[u8]) -> Result<Kernel, DecodeError> {
        Kernel::decode_at(known, bytes.to_vec(), 0)
    }

    /// The kernel that starts at byte `offset` of the same binary.
    ///
    /// # Errors
    /// `offset` is no multiple of 8 or past the end; else as [`Kernel::decode`].
    pub fn entry(&self, offset: usize) -> Result<Kernel, DecodeError> {
        Kernel::decode_at(&mut KnownInsts::new(self.devinfo), self.bytes.clone(), offset)
    }

    fn decode_at(known: &mut KnownInsts, bytes: Vec<u8>, entry: usize) -> Result<Kernel, DecodeError> {
        let devinfo = known.devinfo();
        if !entry.is_multiple_of(8) || entry >= bytes.len() || bytes.len() > MAX_BYTES {
            return Err(DecodeError::Entry { offset: entry });
        }
        let (mut insts, mut offsets) = (Vec::new(), Vec::new());
        let (mut offset, mut furthest) = (entry, 0i64);
        while let Some(rest) = bytes.get(offset..).filter(|rest| !rest.is_empty()) {
            let (inst, length) = known
                .decode(rest)
                .map_err(|error| DecodeError::Instruction { offset, reason: error.to_string() })?;
            for target in targets(devinfo, &inst, offset as i64).into_iter().flatten() {
                furthest = furthest.max(target);
            }
            insts.push(inst);
            offsets.push(offset as u32);
            offset += length;
            if inst.send.is_some_and(|send| send.eot) && furthest < offset as i64 {
                break;
            }
        }
        Kernel::resolve(devinfo, insts, offsets, offset as u32, bytes)
    }

    /// Builds a kernel from instructions that stand back to back from byte 0.
    ///
    /// # Errors
    /// A jump leads to no instruction.
    pub fn from_insts(devinfo: &'static DevInfo, insts: Vec<Inst>) -> Result<Kernel, DecodeError> {
        let mut offsets = Vec::with_capacity(insts.len());
        let mut offset = 0u32;
        for inst in &insts {
            offsets.push(offset);
            offset += inst.len_bytes() as u32;
        }
        Kernel::resolve(devinfo, insts, offsets, offset, Vec::new())
    }

    fn resolve(
        devinfo: &'static DevInfo,
        insts: Vec<Inst>,
        offsets: Vec<u32>,
        end: u32,
        bytes: Vec<u8>,
    ) -> Result<Kernel, DecodeError> {
        let quirks = Quirks::of(devinfo);
        let mut ops: Vec<Op> = insts.iter().map(|inst| Op::resolve(&quirks, inst)).collect();
        resolve_jumps(devinfo, &insts, &offsets, end, &mut ops)?;
        Ok(Kernel { devinfo, quirks, ops, insts, offsets, bytes })
    }

    /// This kernel without specialised implementations: every instruction executes channel by channel. Slow, and the
    /// definition of what the fast ones must do.
    #[must_use]
    pub fn generic(mut self) -> Kernel {
        for op in &mut self.ops {
            op.fast = None;
        }
        self
    }

    /// How many instructions have a specialised implementation.
    pub fn fast_instructions(&self) -> usize {
        self.ops.iter().filter(|op| op.fast.is_some()).count()
    }

    /// The device the kernel is for.
    pub fn devinfo(&self) -> &'static DevInfo {
        self.devinfo
    }

    /// The decoded instructions, in order.
    pub fn instructions(&self) -> &[Inst] {
        &self.insts
    }

    /// Index of the instruction that starts at byte `offset`.
    pub(crate) fn index_of(&self, offset: i64) -> Option<u32> {
        let offset = u32::try_from(offset).ok()?;
        self.offsets.binary_search(&offset).ok().map(|index| index as u32)
    }
}

/// A binary larger than this is not a shader.
const MAX_BYTES: usize = 1 << 30;

/// The byte offsets JIP and UIP (or JMPI's distance) of the instruction at byte `here` lead to.
fn targets(devinfo: &DevInfo, inst: &Inst, here: i64) -> Option<[i64; 2]> {
    let unit = i64::from(devinfo.jump_unit_bytes);
    match inst.opcode.form() {
        Form::Branch | Form::Call if !matches!(inst.opcode, Opcode::Calla | Opcode::Goto) => {
            let jip = here + i64::from(inst.jip) * unit;
            let has_uip = inst.opcode.has_uip(devinfo.generation);
            Some([jip, if has_uip { here + i64::from(inst.uip) * unit } else { jip }])
        }
        Form::Jmpi if inst.src[0].is_imm() => {
            let target = here + inst.len_bytes() as i64 + i64::from(inst.src[0].imm_bits() as i32) * unit;
            Some([target; 2])
        }
        _ => None,
    }
}

/// Turns distances into instruction indices and marks where waiting channels may resume.
fn resolve_jumps(
    devinfo: &DevInfo,
    insts: &[Inst],
    offsets: &[u32],
    end: u32,
    ops: &mut [Op],
) -> Result<(), DecodeError> {
    let find = |from: u32, target: i64| -> Result<u32, DecodeError> {
        let known = u32::try_from(target).ok().and_then(|target| {
            // The end of the kernel is a legal target: a jump there is an error only if taken.
            if target == end { Some(insts.len()) } else { offsets.binary_search(&target).ok() }
        });
        known.map(|index| index as u32).ok_or(DecodeError::Jump { offset: from as usize, target })
    };
    let mut joins = vec![false; insts.len() + 2];
    let mut everywhere = false;
    for (index, ((inst, &here), op)) in insts.iter().zip(offsets).zip(ops.iter_mut()).enumerate() {
        if let Some([jip, uip]) = targets(devinfo, inst, here.into()) {
            (op.jip, op.uip) = (find(here, jip)?, find(here, uip)?);
            let at_while = insts.get(op.uip as usize).is_some_and(|target| target.opcode == Opcode::While);
            if inst.opcode == Opcode::Break && at_while {
                // UIP names the WHILE; a channel that left the loop resumes after it.
                op.uip += 1;
            }
        }
        if inst.opcode.is_control_flow() {
            for target in [op.jip, op.uip, index as u32 + 1] {
                if let Some(join) = joins.get_mut(target as usize) {
                    *join = true;
                }
            }
        }
        everywhere |= inst.opcode == Opcode::Ret || inst.opcode.form() == Form::Jmpi && !inst.src[0].is_imm();
    }
    for (op, join) in ops.iter_mut().zip(joins) {
        op.join = join || everywhere;
    }
    Ok(())
}
