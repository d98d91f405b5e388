//! Jump targets.

use intel_isa::Opcode;

/// Jump targets of an instruction.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Jump {
    /// Instruction index of JIP.
    pub jip: u32,
    /// Instruction index of UIP.
    pub uip: u32,
    /// True if waiting channels may resume here.
    pub join: bool,
}

/// True for branches that lead to JIP, UIP or the next instruction.
pub(crate) fn is_structured(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::If
            | Opcode::Else
            | Opcode::Endif
            | Opcode::While
            | Opcode::Break
            | Opcode::Cont
            | Opcode::Halt
            | Opcode::Brc
            | Opcode::Brd
    )
}

/// The bit of an instruction among those where channels may wait.
pub(crate) fn bit(index: u32) -> u64 {
    1 << (index & 63)
}
