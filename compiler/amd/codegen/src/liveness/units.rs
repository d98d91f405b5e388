//! Numbers of the dwords of registers.

use crate::machine::{Program, Reg, Use};
use cranelift_entity::SecondaryMap;
use std::ops::Range;

/// Number of a dword of a register.
pub(super) type Unit = u32;

/// The dwords of all registers.
#[derive(Clone, Debug)]
pub(super) struct Units {
    pub(super) first: SecondaryMap<Reg, usize>,
    pub(super) owners: Vec<Reg>,
}

impl Units {
    pub(super) fn new(program: &Program) -> Units {
        let mut units = Units { first: SecondaryMap::new(), owners: Vec::new() };
        for (reg, data) in program.regs.iter() {
            units.first[reg] = units.owners.len();
            units.owners.extend(std::iter::repeat_n(reg, data.dwords.into()));
        }
        units
    }

    /// Dwords of a use.
    pub(super) fn of(&self, program: &Program, used: &Use) -> Range<Unit> {
        let data = &program.regs[used.part.reg];
        let first = self.first[used.part.reg] as Unit + Unit::from(used.part.dword);
        let left = data.dwords.saturating_sub(used.part.dword);
        first..first + Unit::from(used.dwords.min(left))
    }
}
