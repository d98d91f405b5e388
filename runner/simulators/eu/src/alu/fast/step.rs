//! Instructions and steps in execution: what implementations read and write.

use super::access::{Access, Steps};
use crate::alu::Modes;
use crate::op::{Op, low_bits};
use crate::regs::Registers;

/// Operands of an implementation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operands {
    pub(super) steps: Steps,
    pub(super) src: [Access; 3],
    pub(super) dst: Access,
}

/// One instruction being executed.
pub(super) struct Call<'a> {
    pub(super) op: &'a Op,
    pub(super) operands: &'a Operands,
    pub(super) modes: &'a Modes,
    pub(super) enabled: u32,
    pub(super) selected: u32,
}

/// One step of an instruction being executed.
pub(super) struct Step<'a> {
    pub(super) op: &'a Op,
    pub(super) operands: &'a Operands,
    pub(super) modes: &'a Modes,
    /// Number of the step, and its first channel.
    pub(super) index: usize,
    pub(super) first: usize,
    /// Enabled lanes.
    pub(super) enabled: u32,
    /// Value of the predicate per lane.
    pub(super) selected: u32,
}

/// An implementation of a family of instructions.
pub(super) trait Job {
    /// Executes a step on `N` lanes. `FMA`: the machine multiplies and adds in one instruction.
    fn step<const N: usize, const FMA: bool>(step: &Step, registers: &mut Registers);
}

impl Call<'_> {
    #[inline(always)]
    pub(super) fn steps<J: Job, const N: usize, const FMA: bool>(&self, registers: &mut Registers) {
        let width = self.operands.steps.channels;
        for index in 0..usize::from(self.operands.steps.count) {
            let first = index * usize::from(width);
            let step = Step {
                op: self.op,
                operands: self.operands,
                modes: self.modes,
                index,
                first,
                enabled: self.enabled >> first & low_bits(width),
                selected: self.selected >> first,
            };
            if step.enabled != 0 {
                J::step::<N, FMA>(&step, registers);
            }
        }
    }
}

impl Step<'_> {
    /// The elements of source `index`, zero-extended.
    #[inline(always)]
    pub(super) fn raw<const N: usize>(&self, registers: &Registers, index: usize) -> [u32; N] {
        self.operands.src[index].read(registers, self.op, index, self.index, self.first)
    }

    /// The 64-bit elements of source `index`.
    #[inline(always)]
    pub(super) fn raw_wide<const N: usize>(&self, registers: &Registers, index: usize) -> [u64; N] {
        self.operands.src[index].read_wide(registers, self.op, index, self.index, self.first)
    }

    /// Writes results of at most 32 bits.
    #[inline(always)]
    pub(super) fn store<const N: usize>(&self, registers: &mut Registers, values: &[u32; N]) {
        let at = (self.index, self.first);
        self.operands.dst.write(registers, self.op, at, self.enabled, values);
    }

    /// Writes 64-bit results.
    #[inline(always)]
    pub(super) fn store_wide<const N: usize>(&self, registers: &mut Registers, values: &[u64; N]) {
        let at = (self.index, self.first);
        self.operands.dst.write_wide(registers, self.op, at, self.enabled, values);
    }

    /// Writes the flag bits of the enabled lanes.
    #[inline(always)]
    pub(super) fn store_flags(&self, registers: &mut Registers, truths: u32) {
        if !self.op.writes_flag {
            return;
        }
        let place =
            |lanes: u32| self.op.scatter(lanes << self.first).rotate_left(self.op.flag_base.into());
        let (written, truths) = (place(self.enabled), place(truths & self.enabled));
        let flag = &mut registers.flags[usize::from(self.op.flag_nr)];
        *flag = (*flag & !written) | truths;
    }
}
