//! A resolved instruction: operands, channels, implementation.

use intel_isa::Opcode;
use native::Operation;

use super::call::{Call, Operands};
use super::runner::Runner;
use crate::op::{Op, PredKind};
use crate::regs::{CR0_ALT, Effect, Registers};

/// Bits of cr0 that must be clear: rounding to nearest even, no ALT mode.
const OTHER_MODES: u32 = CR0_ALT | 3 << 4;

/// A predicate: bits of a flag register, in the order of channels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Predicate {
    flag: u8,
    /// Bit of the first channel.
    base: u8,
    inverse: bool,
    /// True for SEL, whose predicate chooses between the sources.
    selects: bool,
}

impl Predicate {
    /// The predicate of an instruction whose channels have bits of their own, in order; `None`
    /// inside if there is no predicate.
    pub(crate) fn of(op: &Op) -> Option<Option<Predicate>> {
        let halves = op.shape.halves == 2 || op.shape.channels == 32;
        if halves && op.second_enables != op.shape.channels / 2 {
            return None;
        }
        let Some(predicate) = op.pred else { return Some(None) };
        (predicate.kind == PredKind::Normal).then_some(Some(Predicate {
            flag: op.flag_nr,
            base: op.flag_base,
            inverse: predicate.inverse,
            selects: op.opcode == Opcode::Sel,
        }))
    }

    /// As the translator to the host's code takes it.
    pub(crate) fn native(self) -> native::Predicate {
        let Predicate { flag, base, inverse, .. } = self;
        native::Predicate { flag, base, inverse }
    }

    /// The value for each channel.
    #[inline(always)]
    pub(crate) fn channels(self, flags: &[u32; 2]) -> u32 {
        let flag = flags[usize::from(self.flag & 1)].rotate_right(self.base.into());
        if self.inverse { !flag } else { flag }
    }
}

/// Demands of an instruction that is executed in all lanes on subnormal singles, and its effect on
/// them: registers are a bit each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subnormals {
    /// Registers that must hold none for the implementation that does not look for them; for a
    /// copy, for its result to hold none.
    pub(crate) reads: u128,
    /// Registers that are written.
    pub(crate) written: u128,
    /// True for copies of known sources to whole registers.
    pub(crate) copies: bool,
    /// The effect where subnormal singles are flushed. That of a copy is the worst.
    pub(crate) effect: Effect,
}

/// A resolved instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quick {
    /// The operation for the translator to the host's code.
    pub(super) operation: Operation,
    pub(super) runner: Runner,
    /// The implementation where all channels are enabled.
    pub(super) full: Runner,
    /// That where also no row of the sources holds subnormal singles, and they are flushed.
    pub(super) normal: Runner,
    pub(super) subnormals: Subnormals,
    pub(super) operands: Operands,
    /// Channels that can be written.
    pub(super) channels: u32,
    /// Bit of the first channel in the execution mask; `None` if that is ignored.
    pub(super) group: Option<u8>,
    pub(super) predicate: Option<Predicate>,
    /// True if the result depends on the floating-point modes.
    pub(super) floating: bool,
}

impl Quick {
    /// True if the modes that the instruction depends on are those that it is made for.
    #[inline(always)]
    pub(crate) fn fits(&self, registers: &Registers) -> bool {
        !self.floating || Quick::fits_modes(registers)
    }

    /// True if the modes are those that all floating-point instructions are made for.
    #[inline(always)]
    pub(crate) fn fits_modes(registers: &Registers) -> bool {
        registers.control[0] & OTHER_MODES == 0
    }

    /// True if the result depends on the floating-point modes.
    pub(crate) fn is_floating(&self) -> bool {
        self.floating
    }

    /// Demands on subnormal singles, and the effect on them.
    pub(crate) fn subnormals(&self) -> Subnormals {
        self.subnormals
    }

    /// Demands nothing of subnormal singles any more.
    pub(crate) fn look_for_subnormals(&mut self) {
        self.normal = self.full;
        self.subnormals.reads = 0;
        self.subnormals.copies = false;
    }

    /// Channels in positions of the execution mask that must be active for all of the instruction's
    /// to be enabled; `None` if some never are.
    pub(crate) fn required(&self) -> Option<u32> {
        let Some(group) = self.group else { return Some(0) };
        let shifted = u64::from(self.channels) << group;
        u32::try_from(shifted).ok()
    }

    /// Executes the instruction, which [fits](Quick::fits), on a thread's active channels.
    #[inline(always)]
    pub(crate) fn execute(&self, registers: &mut Registers, active: u32) {
        let enabled = self.group.map_or(self.channels, |group| self.channels & active >> group);
        let (enabled, selected) = self.predicated(registers, enabled);
        if enabled != 0 {
            let call = Call { operands: &self.operands, enabled, selected };
            self.runner.run(&call, &mut [&mut *registers]);
            registers.grf.note(Effect::unknown(self.subnormals.written));
        }
    }

    /// As [`Quick::execute`], in threads of which all [required](Quick::required) channels are
    /// active; the caller notes the effect on subnormal singles. `normal`: they are flushed, and
    /// there are none where the instruction [demands](Quick::subnormals) that.
    #[inline(always)]
    pub(crate) fn execute_full(&self, threads: &mut [&mut Registers], normal: bool) {
        let full = if normal { &self.normal } else { &self.full };
        if self.predicate.is_none() {
            let (enabled, selected) = (self.channels, u32::MAX);
            full.run(&Call { operands: &self.operands, enabled, selected }, threads);
            return;
        }
        for registers in threads {
            let (enabled, selected) = self.predicated(registers, self.channels);
            let call = Call { operands: &self.operands, enabled, selected };
            if enabled == self.channels {
                full.run(&call, std::slice::from_mut(registers));
            } else if enabled != 0 {
                self.runner.run(&call, std::slice::from_mut(registers));
            }
        }
    }

    /// The enabled channels, with the predicate applied, and the predicate.
    #[inline(always)]
    fn predicated(&self, registers: &Registers, enabled: u32) -> (u32, u32) {
        let Some(predicate) = self.predicate else { return (enabled, u32::MAX) };
        let selected = predicate.channels(&registers.flags);
        (if predicate.selects { enabled } else { enabled & selected }, selected)
    }
}
