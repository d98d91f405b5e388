//! Registers that an instruction reads and writes, implicit ones included.

use crate::field::Field;
use crate::format::Format;
use crate::instruction::{Instruction, Lanes, Modifiers};
use crate::opcode::{Kind, Opcode, Property};
use crate::operand::{Operand, Scalar, Status};
use crate::slot::{Place, Role, Row, Slot};

/// Number of registers that [`Register::index`] distinguishes.
pub const REGISTERS: usize = 128 + 256;

/// A scalar register by its code, or a vector register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Register {
    /// Scalar register.
    Scalar(u8),
    /// Vector register.
    Vector(u8),
}

impl Register {
    /// A number below [`REGISTERS`].
    pub fn index(self) -> usize {
        match self {
            Register::Scalar(code) => usize::from(code & 127),
            Register::Vector(number) => 128 + usize::from(number),
        }
    }
}

impl std::fmt::Display for Register {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Register::Scalar(106) => f.write_str("vcc_lo"),
            Register::Scalar(107) => f.write_str("vcc_hi"),
            Register::Scalar(124) => f.write_str("m0"),
            Register::Scalar(126) => f.write_str("exec_lo"),
            Register::Scalar(127) => f.write_str("exec_hi"),
            Register::Scalar(code) => write!(f, "s{code}"),
            Register::Vector(number) => write!(f, "v{number}"),
        }
    }
}

/// Use of a register by an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The register.
    pub register: Register,
    /// True if it is written.
    pub writes: bool,
    /// True if it is read.
    pub reads: bool,
    /// Kind of the operand; [`Kind::B32`] for implicit registers.
    pub kind: Kind,
}

/// Bits of status that an instruction reads as data.
pub fn reads_status(instruction: &Instruction, status: Status) -> bool {
    instruction.operands.contains(&Operand::Status(status))
}

/// The registers that an instruction reads and writes.
pub fn accesses(row: &Row, instruction: &Instruction) -> Vec<Access> {
    let mut all = Vec::with_capacity(8);
    for (slot, operand) in row.slots.iter().zip(&instruction.operands) {
        let role = role(slot, instruction.opcode, &instruction.modifiers);
        let count = slot.dwords(&instruction.modifiers, row.opcode);
        for offset in 0..count {
            let register = match *operand {
                Operand::Scalar(Scalar(first)) => Register::Scalar(first + offset),
                Operand::Vector(first) => Register::Vector(first + offset),
                _ => continue,
            };
            all.push(Access {
                register,
                writes: role != Role::Read,
                reads: role != Role::Write,
                kind: slot.kind,
            });
        }
    }
    implicit(row, instruction, &mut all);
    all
}

/// Use of an operand: atomics write their data only if they return the old value, parts of a
/// destination keep the rest.
pub fn role(slot: &Slot, opcode: Opcode, modifiers: &Modifiers) -> Role {
    let data = slot.place == Place::Vector(Field::Vdata);
    if data && opcode.is_atomic() && !modifiers.glc {
        return Role::Read;
    }
    let keeps = match modifiers.lanes {
        Lanes::Dpp(dpp) => !dpp.bound_control || dpp.row_mask != 0xf || dpp.bank_mask != 0xf,
        Lanes::Sdwa(sdwa) => sdwa.unused == 2,
        Lanes::Own => false,
    };
    if keeps && slot.role == Role::Write { Role::Both } else { slot.role }
}

fn implicit(row: &Row, instruction: &Instruction, all: &mut Vec<Access>) {
    use Opcode::*;
    let mut add = |code: u8, count: u8, reads: bool, writes: bool| {
        for register in (code..code + count).map(Register::Scalar) {
            all.push(Access { register, writes, reads, kind: Kind::B32 });
        }
    };
    let opcode = row.opcode;
    if matches!(opcode, VDivFmasF32 | VDivFmasF64 | SCbranchVccz | SCbranchVccnz) {
        add(Scalar::VCC.0, 2, true, false);
    }
    if opcode.has(Property::SavesExec) {
        add(Scalar::EXEC.0, 2, true, true);
    }
    if opcode.has(Property::SetsExec) {
        add(Scalar::EXEC.0, 2, false, true);
    }
    if row.format.is_vector_alu() && !ignores_exec(opcode)
        || row.format.is_vector_memory()
        || matches!(row.format, Format::Exp | Format::Ds)
        || matches!(opcode, SCbranchExecz | SCbranchExecnz)
    {
        add(Scalar::EXEC.0, 2, true, false);
    }
    if reads_m0(row, instruction) {
        add(Scalar::M0.0, 1, true, false);
    }
}

/// True for operations that disregard EXEC.
pub fn ignores_exec(opcode: Opcode) -> bool {
    matches!(
        opcode,
        Opcode::VReadlaneB32 | Opcode::VWritelaneB32 | Opcode::VReadfirstlaneB32 | Opcode::VNop
    )
}

/// True if M0 is an implicit source.
pub fn reads_m0(row: &Row, instruction: &Instruction) -> bool {
    use Opcode::*;
    match row.format {
        Format::Ds => uses_local_memory(row.opcode),
        Format::Vintrp => true,
        Format::Mubuf => instruction.modifiers.lds,
        _ => matches!(
            row.opcode,
            SMovrelsB32
                | SMovrelsB64
                | SMovreldB32
                | SMovreldB64
                | VMovrelsB32
                | VMovreldB32
                | VMovrelsdB32
                | SSendmsg
                | SSendmsghalt
                | STtracedata
        ),
    }
}

/// True for DS operations that access memory; the others exchange values of lanes.
pub fn uses_local_memory(opcode: Opcode) -> bool {
    !matches!(
        opcode,
        Opcode::DsSwizzleB32 | Opcode::DsPermuteB32 | Opcode::DsBpermuteB32 | Opcode::DsNop
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names are regular where a property goes with a part of them.
    #[test]
    fn properties_agree_with_names() {
        for &opcode in Opcode::ALL {
            let name = opcode.mnemonic();
            let share = name.starts_with("ds_");
            for (property, expected) in [
                (Property::SavesExec, name.contains("_saveexec_")),
                (Property::SetsExec, name.starts_with("v_cmpx") || name.starts_with("v_cmpsx")),
                (Property::Atomic, name.contains("_atomic_")),
                (Property::Stores, name.contains("_store") && !share),
            ] {
                assert_eq!(opcode.has(property), expected, "{name}: {property:?}");
            }
            let changes = opcode.has(Property::Stores) || opcode.has(Property::Atomic);
            assert!(!(opcode.has(Property::Loads) && changes), "{name}");
        }
    }
}
