//! A resolved instruction: operands, channels, implementation.

use super::call::{Call, Operands, Pool};
use super::runner::Runner;
use crate::regs::{CR0_ALT, Registers};

/// Bits of cr0 that must be clear: rounding to nearest even, no ALT mode.
const OTHER_MODES: u32 = CR0_ALT | 3 << 4;

/// A predicate: bits of a flag register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Predicate {
    pub(super) flag: u8,
    /// Bit of the first channel.
    pub(super) base: u8,
    pub(super) inverse: bool,
    /// True for SEL, whose predicate chooses between the sources.
    pub(super) selects: bool,
}

/// A resolved instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quick {
    pub(super) runner: Runner,
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
    /// Executes the instruction on a thread's active channels; `false` if it is left to others.
    #[inline(always)]
    pub(crate) fn execute(&self, pool: &Pool, registers: &mut Registers, active: u32) -> bool {
        if self.floating && registers.control[0] & OTHER_MODES != 0 {
            return false;
        }
        let mut enabled = self.channels;
        if let Some(group) = self.group {
            enabled &= active >> group;
        }
        let mut selected = u32::MAX;
        if let Some(predicate) = self.predicate {
            let flag = registers.flags[usize::from(predicate.flag & 1)];
            selected = flag.rotate_right(predicate.base.into());
            if predicate.inverse {
                selected = !selected;
            }
            if !predicate.selects {
                enabled &= selected;
            }
        }
        if enabled != 0 {
            self.runner.run(&Call { operands: &self.operands, pool, enabled, selected }, registers);
        }
        true
    }
}
