//! Decoded programs.

use amd_isa::hazards::{HAZARDS, Hazard, HazardView};
use amd_isa::{
    Access, Chip, DecodeError, Format, Instruction, Located, Row, accesses, decode_meaning,
    print_instruction,
};
use thiserror::Error;

/// Reason why dwords are no program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProgramError {
    /// A dword is not an instruction.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// There is not an instruction.
    #[error("the program is empty")]
    Empty,
}

/// A decoded program.
#[derive(Clone, Debug)]
pub struct Program {
    chip: Chip,
    instructions: Vec<Located>,
    facts: Vec<Facts>,
    /// Number of the instruction at each offset in dwords.
    starts: Vec<Option<usize>>,
}

/// Properties of an instruction that each execution needs.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub row: &'static Row,
    pub accesses: Vec<Access>,
    /// Hazards that the instruction can be the second part of.
    pub hazards: Vec<&'static Hazard>,
}

impl Facts {
    fn new(chip: Chip, row: &'static Row, instruction: &Instruction) -> Facts {
        let view = HazardView::new(row, instruction);
        let concerned = |hazard: &&Hazard| hazard.is_required(chip) && hazard.concerns(&view);
        let hazards = HAZARDS.iter().filter(concerned).collect();
        Facts { row, accesses: accesses(row, instruction), hazards }
    }
}

impl Program {
    /// Decodes the dwords of a program.
    ///
    /// # Errors
    /// A dword is not an instruction of the chip, or there is none.
    pub fn new(chip: Chip, words: &[u32]) -> Result<Program, ProgramError> {
        let mut instructions = decode_meaning(chip, words)?;
        if instructions.is_empty() {
            return Err(ProgramError::Empty);
        }
        for located in instructions.iter_mut().filter(|l| l.instruction.format == Format::Mimg) {
            // The descriptor of an access decides how many registers its address has.
            let Instruction { opcode, modifiers, .. } = &mut located.instruction;
            modifiers.address_dwords = opcode.least_address_dwords();
        }
        let facts = |located: &Located| {
            let Instruction { format, opcode, .. } = located.instruction;
            chip.row(format, opcode).map(|row| Facts::new(chip, row, &located.instruction))
        };
        let facts: Vec<Facts> = instructions.iter().filter_map(facts).collect();
        let mut starts = vec![None; words.len()];
        for (index, located) in instructions.iter().enumerate() {
            starts[located.offset] = Some(index);
        }
        Ok(Program { chip, instructions, facts, starts })
    }

    /// The chip.
    pub fn chip(&self) -> Chip {
        self.chip
    }

    /// The instructions with their places.
    pub fn instructions(&self) -> &[Located] {
        &self.instructions
    }

    pub(crate) fn row(&self, index: usize) -> &'static Row {
        self.facts[index].row
    }

    pub(crate) fn facts(&self, index: usize) -> &Facts {
        &self.facts[index]
    }

    /// Number of the instruction at an offset in dwords.
    pub(crate) fn at(&self, offset: usize) -> Option<usize> {
        self.starts.get(offset).copied().flatten()
    }

    /// The text of an instruction.
    pub fn text(&self, index: usize) -> String {
        print_instruction(self.chip, &self.instructions[index].instruction)
    }
}
