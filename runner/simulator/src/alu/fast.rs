//! Specialised implementations.

use super::Modes;
use crate::op::Op;
use crate::regs::Registers;

/// Which specialised implementation serves an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fast {
    /// None: the generic one.
    None,
}

/// Picks the implementation.
pub fn select(_op: &Op) -> Fast {
    Fast::None
}

/// Executes `op` on `enabled` channels; `false` if it is left to the generic implementation.
#[inline]
pub fn execute(_registers: &mut Registers, op: &Op, _enabled: u32, _selected: u32, _modes: &Modes) -> bool {
    op.fast != Fast::None
}
