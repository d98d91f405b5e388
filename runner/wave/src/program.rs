//! Decoded programs.

use std::collections::HashMap;

use gcn::{
    Chip, DecodeError, Format, Instruction, Located, Row, decode_program, print_instruction,
};
use thiserror::Error;

/// Reason why dwords are no program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProgramError {
    /// A dword is no instruction.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// There is no instruction.
    #[error("the program is empty")]
    Empty,
}

/// A decoded program.
#[derive(Clone, Debug)]
pub struct Program {
    chip: Chip,
    instructions: Vec<Located>,
    rows: Vec<&'static Row>,
    /// Number of the instruction at an offset in dwords.
    starts: HashMap<usize, usize>,
}

impl Program {
    /// Decodes the dwords of a program.
    ///
    /// # Errors
    /// A dword is no instruction of the chip, or there is none.
    pub fn new(chip: Chip, words: &[u32]) -> Result<Program, ProgramError> {
        let mut instructions = decode_program(chip, words)?;
        if instructions.is_empty() {
            return Err(ProgramError::Empty);
        }
        for located in instructions.iter_mut().filter(|l| l.instruction.format == Format::Mimg) {
            // The descriptor of an access decides how many registers its address has.
            let Instruction { opcode, modifiers, .. } = &mut located.instruction;
            modifiers.address_dwords = opcode.least_address_dwords();
        }
        let row = |located: &Located| {
            let Instruction { format, opcode, .. } = located.instruction;
            chip.row(format, opcode)
        };
        let rows: Vec<&'static Row> = instructions.iter().filter_map(row).collect();
        let starts = instructions
            .iter()
            .enumerate()
            .map(|(index, located)| (located.offset, index))
            .collect();
        Ok(Program { chip, instructions, rows, starts })
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
        self.rows[index]
    }

    /// Number of the instruction at an offset in dwords.
    pub(crate) fn at(&self, offset: usize) -> Option<usize> {
        self.starts.get(&offset).copied()
    }

    /// The text of an instruction.
    pub fn text(&self, index: usize) -> String {
        print_instruction(self.chip, &self.instructions[index].instruction)
    }
}
