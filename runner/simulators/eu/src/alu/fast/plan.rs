//! Execution of an instruction by its specialized implementation.

use super::machine::Runner;
use super::step::{Call, Operands};
use crate::alu::Modes;
use crate::op::Op;
use crate::regs::Registers;
use crate::soft_float::Round;

/// A specialized implementation with its operands laid out.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub(super) runner: Runner,
    /// True if the result depends on the floating-point modes.
    pub(super) floating: bool,
    pub(super) operands: Operands,
}

/// Executes `op` on `enabled` channels; `false` if it is left to the generic implementation.
#[inline]
pub fn execute(
    registers: &mut Registers,
    plan: &Plan,
    op: &Op,
    (enabled, selected): (u32, u32),
    modes: &Modes,
) -> bool {
    if plan.floating && (modes.round != Round::Even || modes.alt) {
        return false;
    }
    let enabled = enabled & op.dst.enables;
    let call = Call { op, operands: &plan.operands, modes, enabled, selected };
    plan.runner.run(&call, registers);
    true
}
