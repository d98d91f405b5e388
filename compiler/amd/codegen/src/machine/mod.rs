//! Machine programs on virtual registers: GCN instructions in blocks.
//!
//! A virtual register is a group of dwords in one of the two files. Scalar registers live along the
//! *linear* edges, those that the machine takes; vector registers along the *logical* ones, those
//! of a lane: a write changes active lanes only, so an arm of a branch cannot disturb the other's
//! lanes.

mod emit;
mod print;
mod validate;

pub use emit::{Emitter, SignedArg};
pub(crate) use emit::{bits, constant, inline_double, int};
pub use validate::Failures;

use amd_isa::slot::Role;
use amd_isa::{Chip, Format, Modifiers, Opcode, Scalar};
use cranelift_entity::{PrimaryMap, entity_impl};
use smallvec::SmallVec;
use vocabulary::SourceLine;

/// A virtual register.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reg(u32);
entity_impl!(Reg, "r");

/// A block of the machine program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(u32);
entity_impl!(Label, "l");

/// A register file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum File {
    /// One value for the wave.
    Scalar,
    /// A value per lane.
    Vector,
}

/// Shape of a virtual register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegData {
    /// The file.
    pub file: File,
    /// Number of dwords.
    pub dwords: u8,
    /// Physical register, if it is given: initial registers.
    pub fixed: Option<u8>,
    /// True if the physical register is this register's for the whole program: lanes that are not
    /// active hold values, too.
    pub whole: bool,
}

impl RegData {
    /// Number that the first physical register is a multiple of.
    pub fn alignment(&self) -> u16 {
        match (self.file, self.dwords) {
            (File::Vector, _) | (_, 0 | 1) => 1,
            (_, 2) => 2,
            _ => 4,
        }
    }
}

/// A virtual register from one of its dwords on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Part {
    /// The register.
    pub reg: Reg,
    /// The first dword.
    pub dword: u8,
}

impl Part {
    /// Returns the part that begins this many dwords further on.
    pub fn at(self, dwords: u8) -> Part {
        Part { reg: self.reg, dword: self.dword + dwords }
    }
}

/// An argument of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arg {
    /// A virtual register.
    Part(Part),
    /// A constant or a special register.
    Fixed(amd_isa::Operand),
    /// Target of a jump.
    Label(Label),
}

impl From<Part> for Arg {
    fn from(part: Part) -> Arg {
        Arg::Part(part)
    }
}

impl From<amd_isa::Operand> for Arg {
    fn from(operand: amd_isa::Operand) -> Arg {
        Arg::Fixed(operand)
    }
}

/// The vector condition code.
pub(crate) const VCC: Arg = Arg::Fixed(amd_isa::Operand::Scalar(Scalar::VCC));
/// The execution mask.
pub(crate) const EXEC: Arg = Arg::Fixed(amd_isa::Operand::Scalar(Scalar::EXEC));
/// The memory register.
pub(crate) const M0: Arg = Arg::Fixed(amd_isa::Operand::Scalar(Scalar::M0));
/// Constant zero.
pub(crate) const ZERO: Arg = Arg::Fixed(amd_isa::Operand::Integer(0));

/// An instruction; arguments in the order of the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Inst {
    /// The operation.
    pub opcode: Opcode,
    /// The encoding.
    pub format: Format,
    /// The arguments.
    pub args: SmallVec<[Arg; 6]>,
    /// Everything beside the arguments.
    pub modifiers: Modifiers,
    /// The source line that it came from.
    pub line: SourceLine,
}

impl Inst {
    /// True if the second result is the vector condition code.
    pub(crate) fn writes_carries(&self) -> bool {
        self.opcode.info().destinations.len() == 2 && self.args.get(1) == Some(&VCC)
    }

    /// True if the vector condition code is a source.
    pub(crate) fn reads_carries(&self) -> bool {
        let results = self.opcode.info().destinations.len();
        let implicit = matches!(
            self.opcode,
            Opcode::VDivFmasF32
                | Opcode::VDivFmasF64
                | Opcode::SCbranchVccz
                | Opcode::SCbranchVccnz
        );
        implicit || self.args.iter().skip(results).any(|arg| *arg == VCC)
    }
}

/// Use of virtual registers by an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// The first dword.
    pub part: Part,
    /// Number of dwords.
    pub dwords: u8,
    /// Read, written or both.
    pub role: Role,
}

/// A block: instructions, and the blocks where a lane goes on.
#[derive(Clone, Debug, Default)]
pub struct BlockData {
    /// The instructions; jumps are at the end.
    pub insts: Vec<Inst>,
    /// Logical successors.
    pub logical: SmallVec<[Label; 2]>,
}

impl BlockData {
    /// True if a jump ends the block.
    pub fn jumps(&self) -> bool {
        self.insts.iter().any(|inst| inst.args.iter().any(|arg| matches!(arg, Arg::Label(_))))
    }
}

/// A program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The chip.
    pub chip: Chip,
    /// Virtual registers.
    pub regs: PrimaryMap<Reg, RegData>,
    /// Blocks by label.
    pub blocks: PrimaryMap<Label, BlockData>,
    /// Placed blocks in the order of the code.
    pub order: Vec<Label>,
    /// Vector registers that the program may have.
    pub most_vectors: u16,
    /// Register that spilling will read: the descriptor of scratch memory.
    pub kept: Option<Reg>,
}

/// Vector registers of a wave that has a SIMD to itself.
const ALL_VECTORS: u16 = 256;

impl Program {
    /// Returns an empty program.
    pub fn new(chip: Chip) -> Program {
        Program {
            chip,
            regs: PrimaryMap::new(),
            blocks: PrimaryMap::new(),
            order: Vec::new(),
            most_vectors: ALL_VECTORS,
            kept: None,
        }
    }

    /// Number of registers of a file that the program may have.
    pub fn limit(&self, file: File) -> u16 {
        match (file, self.chip) {
            (File::Vector, _) => self.most_vectors,
            (File::Scalar, Chip::Si) => 102,
            (File::Scalar, Chip::Vi) => 96,
        }
    }

    /// Limits the vector registers so that this many waves fit on a SIMD together.
    pub fn fit_waves(&mut self, waves: u16) {
        self.most_vectors = ALL_VECTORS / waves.max(1) / 4 * 4;
    }

    /// Copies source lines to instructions that a pass added, from those around them in the block.
    pub fn spread_lines(&mut self) {
        for block in self.blocks.values_mut() {
            SourceLine::spread(&mut block.insts, |inst| &mut inst.line);
        }
    }

    /// Returns the uses of virtual registers by an instruction.
    pub fn uses(&self, inst: &Inst) -> SmallVec<[Use; 6]> {
        let Some(row) = self.chip.row(inst.format, inst.opcode) else { return SmallVec::new() };
        let mut uses = SmallVec::new();
        for (slot, arg) in row.slots.iter().zip(&inst.args) {
            if let Arg::Part(part) = *arg {
                let dwords = slot.dwords(&inst.modifiers, inst.opcode).max(1);
                let role = amd_isa::access::role(slot, inst.opcode, &inst.modifiers);
                uses.push(Use { part, dwords, role });
            }
        }
        uses
    }

    /// Returns the successors of each block in the order of the code, by position: the linear
    /// edges.
    pub fn linear_successors(&self) -> Vec<SmallVec<[usize; 2]>> {
        let mut position = cranelift_entity::SecondaryMap::with_default(usize::MAX);
        for (index, &label) in self.order.iter().enumerate() {
            position[label] = index;
        }
        let successors = |index: usize| {
            let mut all: SmallVec<[usize; 2]> = SmallVec::new();
            let mut falls = true;
            for inst in &self.blocks[self.order[index]].insts {
                for arg in &inst.args {
                    if let Arg::Label(label) = arg {
                        all.push(position[*label]);
                    }
                }
                falls &= !matches!(inst.opcode, Opcode::SBranch | Opcode::SEndpgm);
            }
            if falls && index + 1 < self.order.len() {
                all.push(index + 1);
            }
            all
        };
        (0..self.order.len()).map(successors).collect()
    }

    /// Returns the logical successors of each block in the order of the code, by position.
    pub fn logical_successors(&self) -> Vec<SmallVec<[usize; 2]>> {
        let mut position = cranelift_entity::SecondaryMap::with_default(usize::MAX);
        for (index, &label) in self.order.iter().enumerate() {
            position[label] = index;
        }
        self.order
            .iter()
            .map(|&label| {
                let logical = self.blocks[label].logical.iter().map(|&l| position[l]);
                logical.filter(|&p| p != usize::MAX).collect()
            })
            .collect()
    }
}

/// Returns the predecessors of each block, by position.
pub(crate) fn predecessors(successors: &[SmallVec<[usize; 2]>]) -> Vec<SmallVec<[usize; 2]>> {
    let mut all = vec![SmallVec::new(); successors.len()];
    for (index, successors) in successors.iter().enumerate() {
        successors.iter().for_each(|&succ| all[succ].push(index));
    }
    all
}
