//! Hazards: pairs of instructions that the hardware does not keep apart. A program has to place
//! `s_nop` or other instructions between them.
//!
//! Sources: the tables of LLVM's and ACO's passes for hazards, and AMD's manuals.

use std::borrow::Cow;

use crate::access::{Access, Register, accesses, reads_status};
use crate::chip::Chip;
use crate::format::Format;
use crate::instruction::{Instruction, Lanes};
use crate::opcode::{Kind, Opcode, Property};
use crate::operand::{Operand, Scalar, Status};
use crate::slot::{Place, Row};

/// Property of the first instruction of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum First {
    /// The vector ALU writes a scalar register.
    VectorWritesScalar,
    /// The scalar ALU writes a scalar register.
    ScalarWritesScalar,
    /// The vector ALU writes VCC.
    VectorWritesVcc,
    /// The vector ALU writes VCC or EXEC.
    VectorWritesMask,
    /// The vector ALU writes EXEC.
    VectorWritesExec,
    /// The vector ALU writes a vector register.
    VectorWritesVector,
    /// The scalar ALU writes M0.
    ScalarWritesM0,
    /// `s_setreg`.
    SetRegister,
    /// Interpolation writes a vector register.
    InterpolationWrites,
    /// A store of more than 64 bits.
    WideStore,
}

/// Property of the second instruction of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Second {
    /// Scalar memory reads the register.
    ScalarMemoryReads,
    /// A scalar load from a buffer reads the register as part of its descriptor.
    ScalarLoadDescriptor,
    /// Vector memory reads the register.
    VectorMemoryReads,
    /// The vector ALU reads VCCZ or EXECZ as data.
    VectorReadsStatus,
    /// `v_div_fmas`.
    DivFmas,
    /// `v_readlane` or `v_writelane` has the register as lane number.
    LaneNumber,
    /// A message, an access to the global data share, or trace data.
    Message,
    /// `s_getreg` or `s_setreg` of the same register.
    SameHardwareRegister,
    /// `v_readlane` or `v_readfirstlane` reads the register.
    ReadlaneReads,
    /// The vector ALU writes the stored register.
    VectorOverwrites,
    /// Data-parallel primitives.
    Dpp,
    /// Data-parallel primitives read the register.
    DppReads,
}

impl Second {
    /// True if the instruction reads the register that the first one writes.
    fn reads_registers(self) -> bool {
        matches!(
            self,
            Second::ScalarMemoryReads
                | Second::ScalarLoadDescriptor
                | Second::VectorMemoryReads
                | Second::LaneNumber
                | Second::ReadlaneReads
                | Second::DppReads
        )
    }
}

/// A pair of instructions with the wait states between them.
#[derive(Clone, Copy, Debug)]
pub struct Hazard {
    /// Name in messages and tests.
    pub name: &'static str,
    first: First,
    second: Second,
    /// Wait states that have to be between the two.
    pub states: u8,
    /// Chips on which a program without the states is wrong.
    chips: &'static [Chip],
    /// Chips on which only some sources want the states: programs should have them, but those that
    /// lack them are not refused.
    advised: &'static [Chip],
}

const BOTH: &[Chip] = &[Chip::Si, Chip::Vi];
const SI: &[Chip] = &[Chip::Si];
const VI: &[Chip] = &[Chip::Vi];

/// Declares the hazards: name, first, second, states, chips, chips with advice.
macro_rules! hazards {
    ($($name:literal $first:ident $second:ident $states:literal $chips:ident $advised:expr;)*) => {
        &[$(Hazard {
            name: $name,
            first: First::$first,
            second: Second::$second,
            states: $states,
            chips: $chips,
            advised: $advised,
        },)*]
    };
}

/// Every hazard.
pub const HAZARDS: &[Hazard] = hazards! {
    "smrd-sgpr" VectorWritesScalar ScalarMemoryReads 4 SI &[];
    "smrd-descriptor" ScalarWritesScalar ScalarLoadDescriptor 4 SI &[];
    "vmem-sgpr" VectorWritesScalar VectorMemoryReads 5 VI SI;
    "vccz-execz" VectorWritesMask VectorReadsStatus 5 BOTH &[];
    "div-fmas" VectorWritesVcc DivFmas 4 BOTH &[];
    "lane-number" VectorWritesScalar LaneNumber 4 BOTH &[];
    "m0-message" ScalarWritesM0 Message 1 BOTH &[];
    "setreg" SetRegister SameHardwareRegister 2 BOTH &[];
    "interp-readlane" InterpolationWrites ReadlaneReads 1 SI &[];
    "wide-store" WideStore VectorOverwrites 1 VI &[];
    "dpp-exec" VectorWritesExec Dpp 5 VI &[];
    "dpp-vgpr" VectorWritesVector DppReads 2 VI &[];
};

/// An instruction with what the hazards want to know about it.
#[derive(Clone, Debug)]
pub struct HazardView<'a> {
    row: &'a Row,
    instruction: &'a Instruction,
    accesses: Cow<'a, [Access]>,
}

impl<'a> HazardView<'a> {
    /// The view of an instruction; `row` is its row in the chip's opcode table.
    pub fn new(row: &'a Row, instruction: &'a Instruction) -> HazardView<'a> {
        HazardView { row, instruction, accesses: accesses(row, instruction).into() }
    }

    /// The view of an instruction whose accesses are known.
    pub fn of(
        row: &'a Row,
        instruction: &'a Instruction,
        accesses: &'a [Access],
    ) -> HazardView<'a> {
        HazardView { row, instruction, accesses: accesses.into() }
    }

    fn reads(&self, register: Register) -> bool {
        self.accesses.iter().any(|access| access.reads && access.register == register)
    }

    /// The registers that the instruction writes.
    pub fn written(&self) -> impl Iterator<Item = Register> + '_ {
        self.accesses.iter().filter(|access| access.writes).map(|access| access.register)
    }

    fn writes_any(&self, registers: &[Register]) -> bool {
        self.accesses.iter().any(|access| access.writes && registers.contains(&access.register))
    }
}

/// Wait states that an instruction takes.
pub fn wait_states(instruction: &Instruction) -> u32 {
    match (instruction.opcode, instruction.operands[0]) {
        (Opcode::SNop, Operand::Immediate(count)) => (count & 7) + 1,
        _ => 1,
    }
}

impl Hazard {
    /// True if a program of the chip without the states is wrong.
    pub fn is_required(&self, chip: Chip) -> bool {
        self.chips.contains(&chip)
    }

    /// True if a compiler should keep the states on the chip.
    pub fn is_advised(&self, chip: Chip) -> bool {
        self.is_required(chip) || self.advised.contains(&chip)
    }

    /// True if an instruction can be the second of the pair.
    pub fn concerns(&self, second: &HazardView<'_>) -> bool {
        let HazardView { row, instruction, accesses } = second;
        match self.second {
            Second::ScalarMemoryReads => row.format == Format::Smem,
            Second::ScalarLoadDescriptor => {
                row.format == Format::Smem && row.slots.iter().any(|s| s.kind == Kind::Resource)
            }
            Second::VectorMemoryReads => row.format.is_vector_memory(),
            Second::VectorReadsStatus => {
                row.format.is_vector_alu()
                    && (reads_status(instruction, Status::Vccz)
                        || reads_status(instruction, Status::Execz))
            }
            Second::DivFmas => {
                matches!(row.opcode, Opcode::VDivFmasF32 | Opcode::VDivFmasF64)
            }
            Second::LaneNumber => accesses.iter().any(|access| access.kind == Kind::Lane),
            Second::Message => {
                let message = matches!(
                    row.opcode,
                    Opcode::SSendmsg | Opcode::SSendmsghalt | Opcode::STtracedata
                );
                message || instruction.modifiers.gds
            }
            Second::SameHardwareRegister => hardware_register(row, instruction).is_some(),
            Second::ReadlaneReads => {
                matches!(row.opcode, Opcode::VReadlaneB32 | Opcode::VReadfirstlaneB32)
            }
            Second::VectorOverwrites => row.format.is_vector_alu(),
            Second::Dpp | Second::DppReads => {
                matches!(instruction.modifiers.lanes, Lanes::Dpp(_))
            }
        }
    }

    /// True if an instruction can be the first of the pair.
    pub fn begins(&self, first: &HazardView<'_>) -> bool {
        !self.registers(first).is_empty()
    }

    /// True if the two instructions are a pair of this hazard. `second` is one that it
    /// [concerns](Hazard::concerns).
    pub fn conflicts(&self, first: &HazardView<'_>, second: &HazardView<'_>) -> bool {
        self.conflicts_over(first, second, &[])
    }

    /// As [`conflicts`](Hazard::conflicts), with registers that instructions between the two write:
    /// the second instruction reads their values, not those of the first. ACO counts so.
    pub fn conflicts_over(
        &self,
        first: &HazardView<'_>,
        second: &HazardView<'_>,
        overwritten: &[Register],
    ) -> bool {
        let mut registers = self.registers(first);
        if self.second.reads_registers() {
            registers.retain(|register| !overwritten.contains(register));
        }
        if registers.is_empty() {
            return false;
        }
        match self.second {
            Second::ScalarMemoryReads | Second::VectorMemoryReads => {
                registers.iter().any(|r| matches!(r, Register::Scalar(0..126)) && second.reads(*r))
            }
            Second::ReadlaneReads => registers.iter().any(|r| second.reads(*r)),
            // The first source is another lane's. ACO counts so; LLVM looks at all sources.
            Second::DppReads => match second.instruction.operands[1] {
                Operand::Vector(source) => registers.contains(&Register::Vector(source)),
                _ => false,
            },
            Second::ScalarLoadDescriptor => second.accesses.iter().any(|access| {
                access.kind == Kind::Resource && registers.contains(&access.register)
            }),
            Second::LaneNumber => second
                .accesses
                .iter()
                .any(|access| access.kind == Kind::Lane && registers.contains(&access.register)),
            Second::SameHardwareRegister => {
                hardware_register(first.row, first.instruction)
                    == hardware_register(second.row, second.instruction)
            }
            Second::VectorOverwrites => second.writes_any(&registers),
            Second::VectorReadsStatus => {
                let of = |status, code| {
                    reads_status(second.instruction, status)
                        && registers
                            .iter()
                            .any(|r| matches!(r, Register::Scalar(c) if c & !1 == code))
                };
                of(Status::Vccz, Scalar::VCC.0) || of(Status::Execz, Scalar::EXEC.0)
            }
            Second::DivFmas | Second::Message | Second::Dpp => true,
        }
    }

    /// The registers by which an instruction is the first of the pair; none if it is not.
    fn registers(&self, first: &HazardView<'_>) -> Vec<Register> {
        let HazardView { row, instruction, accesses } = first;
        let vector = row.format.is_vector_alu();
        let written = |accept: &dyn Fn(Register) -> bool| -> Vec<Register> {
            let written = accesses.iter().filter(|access| access.writes && accept(access.register));
            written.map(|access| access.register).collect()
        };
        let is_scalar = |r: Register| matches!(r, Register::Scalar(_));
        let is_vcc = |r: Register| matches!(r, Register::Scalar(106 | 107));
        let is_exec = |r: Register| matches!(r, Register::Scalar(126 | 127));
        match self.first {
            First::VectorWritesScalar if vector => written(&is_scalar),
            First::ScalarWritesScalar if row.format.is_scalar_alu() => written(&is_scalar),
            First::VectorWritesVcc if vector => written(&is_vcc),
            First::VectorWritesMask if vector => written(&|r| is_vcc(r) || is_exec(r)),
            First::VectorWritesExec if vector => written(&is_exec),
            First::VectorWritesVector if vector => written(&|r| !is_scalar(r)),
            First::ScalarWritesM0 if row.format.is_scalar_alu() => {
                written(&|r| r == Register::Scalar(Scalar::M0.0))
            }
            First::SetRegister if hardware_register(row, instruction).is_some() => {
                let sets = matches!(row.opcode, Opcode::SSetregB32 | Opcode::SSetregImm32B32);
                if sets { vec![Register::Scalar(0)] } else { Vec::new() }
            }
            First::InterpolationWrites if row.format == Format::Vintrp => {
                written(&|r| !is_scalar(r))
            }
            First::WideStore if is_wide_store(row, instruction) => accesses
                .iter()
                .filter(|access| access.reads && is_data(access.kind))
                .map(|access| access.register)
                .collect(),
            _ => Vec::new(),
        }
    }
}

/// True for the kinds of stored data of more than 64 bits.
fn is_data(kind: Kind) -> bool {
    matches!(kind, Kind::B96 | Kind::B128 | Kind::Image)
}

/// True for stores of more than 64 bits that read their data late: of buffers with a constant as
/// scalar offset, of images with a descriptor of 4 dwords, of flat memory.
fn is_wide_store(row: &Row, instruction: &Instruction) -> bool {
    let wide = row
        .slots
        .iter()
        .any(|slot| is_data(slot.kind) && slot.dwords(&instruction.modifiers, row.opcode) > 2);
    if !wide || !row.opcode.has(Property::Stores) {
        return false;
    }
    match row.format {
        Format::Mubuf | Format::Mtbuf => {
            !row.slots.iter().zip(&instruction.operands).any(|(slot, operand)| {
                matches!(slot.place, Place::ScalarSource(_))
                    && matches!(operand, Operand::Scalar(_))
            })
        }
        Format::Mimg => instruction.modifiers.r128,
        Format::Flat => true,
        _ => false,
    }
}

/// Number of the hardware register of `s_getreg` and `s_setreg`.
fn hardware_register(row: &Row, instruction: &Instruction) -> Option<u32> {
    let index = row.slots.iter().position(|slot| slot.kind == Kind::HwReg)?;
    match instruction.operands[index] {
        Operand::Immediate(value) => Some(value & 63),
        _ => None,
    }
}
