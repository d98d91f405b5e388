//! Numbers of uses of virtual registers in the facts that a pass remembers: most registers that an
//! instruction names have none.

use crate::lir::{Operand, Program, VReg};
use cranelift_entity::SecondaryMap;

/// Number of uses of each virtual register.
pub(in crate::opt) struct UseCounts(SecondaryMap<VReg, u32>);

impl UseCounts {
    pub(in crate::opt) fn new(program: &Program) -> UseCounts {
        UseCounts(program.vreg_table())
    }

    pub(in crate::opt) fn add<'o>(&mut self, operands: impl IntoIterator<Item = &'o Operand>) {
        operands.into_iter().filter_map(Operand::vreg).for_each(|v| self.0[v] += 1);
    }

    /// Takes back what was added before.
    pub(in crate::opt) fn remove<'o>(&mut self, operands: impl IntoIterator<Item = &'o Operand>) {
        operands.into_iter().filter_map(Operand::vreg).for_each(|v| self.0[v] -= 1);
    }

    /// True if the operand's register may be among the remembered ones; other registers than
    /// virtual ones always may.
    pub(in crate::opt) fn may_use(&self, operand: &Operand) -> bool {
        operand.vreg().is_none_or(|v| self.0[v] != 0)
    }
}
