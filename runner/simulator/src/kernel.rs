//! Decoding a binary once into resolved instructions.

use eu::{DevInfo, Form, Inst, Opcode};

use crate::error::DecodeError;
use crate::op::Op;
use crate::quirks::Quirks;

/// A decoded binary: every instruction resolved, every jump checked.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub(crate) devinfo: &'static DevInfo,
    pub(crate) quirks: Quirks,
    pub(crate) ops: Vec<Op>,
    pub(crate) insts: Vec<Inst>,
    pub(crate) offsets: Vec<u32>,
    pub(crate) entry: u32,
}

impl Kernel {
    /// Builds a kernel from already decoded instructions that stand back to back from byte 0.
    pub fn from_insts(devinfo: &'static DevInfo, insts: Vec<Inst>) -> Result<Kernel, DecodeError> {
        let quirks = Quirks::of(devinfo);
        let mut offsets = Vec::with_capacity(insts.len());
        let mut offset = 0u32;
        for inst in &insts {
            offsets.push(offset);
            offset += inst.len_bytes() as u32;
        }
        let mut ops: Vec<Op> = insts.iter().map(|inst| Op::resolve(&quirks, inst)).collect();
        resolve_jumps(devinfo, &insts, &offsets, offset, &mut ops)?;
        Ok(Kernel { devinfo, quirks, ops, insts, offsets, entry: 0 })
    }

    /// This kernel started at byte `offset` of the binary: a binary can hold several.
    pub fn entry(&self, offset: usize) -> Result<Kernel, DecodeError> {
        let mut kernel = self.clone();
        kernel.set_entry(offset)?;
        Ok(kernel)
    }

    /// Sets the byte offset at which threads start.
    pub fn set_entry(&mut self, offset: usize) -> Result<(), DecodeError> {
        let index = self.index_of(offset as i64).ok_or(DecodeError::Entry { offset })?;
        self.entry = index;
        Ok(())
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

/// Turns distances into instruction indices and marks where waiting channels may resume.
fn resolve_jumps(
    devinfo: &DevInfo,
    insts: &[Inst],
    offsets: &[u32],
    end: u32,
    ops: &mut [Op],
) -> Result<(), DecodeError> {
    let unit = i64::from(devinfo.jump_unit_bytes);
    let find = |from: usize, target: i64| -> Result<u32, DecodeError> {
        let known = u32::try_from(target).ok().and_then(|target| {
            // The end of the binary is a legal target: a jump there is an error only if taken.
            if target == end { Some(insts.len()) } else { offsets.binary_search(&target).ok() }
        });
        known.map(|index| index as u32).ok_or(DecodeError::Jump { offset: offsets[from] as usize, target })
    };
    let mut joins = vec![false; insts.len() + 2];
    let mut everywhere = false;
    for (index, inst) in insts.iter().enumerate() {
        let here = i64::from(offsets[index]);
        let (mut jip, mut uip) = (0, 0);
        match inst.opcode.form() {
            Form::Branch | Form::Call if inst.opcode != Opcode::Calla && inst.opcode != Opcode::Goto => {
                jip = find(index, here + i64::from(inst.jip) * unit)?;
                uip = jip;
                if inst.opcode.has_uip(devinfo.generation) {
                    uip = find(index, here + i64::from(inst.uip) * unit)?;
                }
                if inst.opcode == Opcode::Break && insts.get(uip as usize).is_some_and(|at| at.opcode == Opcode::While) {
                    // UIP names the WHILE; a channel that left the loop resumes after it.
                    uip += 1;
                }
            }
            Form::Jmpi if inst.src[0].is_imm() => {
                let next = here + inst.len_bytes() as i64;
                jip = find(index, next + i64::from(inst.src[0].imm_bits() as i32) * unit)?;
                uip = jip;
            }
            _ => {}
        }
        if inst.opcode.is_control_flow() {
            for target in [jip, uip, index as u32 + 1] {
                joins[target as usize] = true;
            }
        }
        everywhere |= inst.opcode == Opcode::Ret || inst.opcode.form() == Form::Jmpi && !inst.src[0].is_imm();
        if let Some(op) = ops.get_mut(index) {
            (op.jip, op.uip) = (jip, uip);
        }
    }
    for (op, join) in ops.iter_mut().zip(joins) {
        op.join = join || everywhere;
    }
    Ok(())
}
