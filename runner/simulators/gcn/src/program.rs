//! Decoded programs.

use amd_isa::{
    Chip, DecodeError, Format, Instruction, Located, decode_first, decode_meaning,
    print_instruction,
};
use thiserror::Error;

use crate::decoded::{Decoded, Facts};
use crate::native::{Heat, Native};

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
    decoded: Decoded,
    heat: Heat,
}

impl Program {
    /// Decodes the dwords of a program.
    ///
    /// # Errors
    /// A dword is not an instruction of the chip, or there is none.
    pub fn new(chip: Chip, words: &[u32]) -> Result<Program, ProgramError> {
        let instructions = decode_meaning(chip, words)?;
        if instructions.is_empty() {
            return Err(ProgramError::Empty);
        }
        Ok(Program::of(chip, instructions, words.len()))
    }

    /// Decodes the program that the dwords begin with, which ends with the first `s_endpgm` or
    /// `s_branch` that no jump before it goes past. Returns its length in dwords, too.
    ///
    /// # Errors
    /// A dword is not an instruction of the chip, or there is no end.
    pub fn first(chip: Chip, words: &[u32]) -> Result<(Program, usize), ProgramError> {
        let (instructions, length) = decode_first(chip, words)?;
        Ok((Program::of(chip, instructions, length), length))
    }

    fn of(chip: Chip, mut instructions: Vec<Located>, length: usize) -> Program {
        for located in instructions.iter_mut().filter(|l| l.instruction.format == Format::Mimg) {
            // The descriptor of an access decides how many registers its address has.
            let Instruction { opcode, modifiers, .. } = &mut located.instruction;
            modifiers.address_dwords = opcode.least_address_dwords();
        }
        let facts = |located: &Located| {
            let Instruction { format, opcode, .. } = located.instruction;
            chip.row(format, opcode).map(|row| Facts::new(chip, row, &located.instruction))
        };
        let mut facts: Vec<Facts> = instructions.iter().filter_map(facts).collect();
        // Most programs have no first part of the hazards that many instructions can end.
        let begun = facts.iter().fold(0, |bits, facts| bits | facts.begins);
        for facts in &mut facts {
            facts.hazards.retain(|(bit, _)| begun & bit != 0);
        }
        let mut starts = vec![None; length];
        for (index, located) in instructions.iter().enumerate() {
            starts[located.offset] = Some(index);
        }
        let heat = Heat::of(instructions.len());
        Program { decoded: Decoded { chip, instructions, facts, starts }, heat }
    }

    /// This program without implementations on whole registers: every vector instruction executes
    /// lane by lane. Slow, and the definition of what the fast ones must do.
    #[must_use]
    pub fn generic(mut self) -> Program {
        for facts in &mut self.decoded.facts {
            facts.plan = None;
        }
        self.heat = Heat::after(u64::MAX);
        self
    }

    /// This program, translated to the host's code after this many executed instructions instead of
    /// the usual number: 0 at once, [`u64::MAX`] never.
    #[must_use]
    pub fn native_after(mut self, instructions: u64) -> Program {
        self.heat = Heat::after(instructions);
        self
    }

    /// Number of instructions with a translation to the host's code.
    pub fn native_instructions(&self) -> usize {
        Native::of(&self.decoded, 0).map_or(0, |native| native.instructions())
    }

    pub(crate) fn heat(&self) -> &Heat {
        &self.heat
    }

    /// The translated form, if the program is hot after some more instructions.
    pub(crate) fn native(&self, executed: u64) -> Option<&Native> {
        if self.heat.left() > executed {
            return None;
        }
        self.heat.native(|after| Native::of(&self.decoded, after))
    }

    /// Number of instructions with an implementation on whole registers.
    pub fn fast_instructions(&self) -> usize {
        self.decoded.facts.iter().filter(|facts| facts.plan.is_some()).count()
    }

    /// The chip.
    pub fn chip(&self) -> Chip {
        self.decoded.chip
    }

    /// The instructions with their places.
    pub fn instructions(&self) -> &[Located] {
        &self.decoded.instructions
    }

    pub(crate) fn facts(&self, index: usize) -> &Facts {
        &self.decoded.facts[index]
    }

    /// Offset in dwords after the last instruction.
    pub(crate) fn end(&self) -> usize {
        self.decoded.instructions.last().map_or(0, |last| last.offset + last.dwords)
    }

    /// Number of the instruction at an offset in dwords.
    pub(crate) fn at(&self, offset: usize) -> Option<usize> {
        self.decoded.at(offset)
    }

    /// The text of an instruction.
    pub fn text(&self, index: usize) -> String {
        print_instruction(self.decoded.chip, &self.decoded.instructions[index].instruction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first end comes after a jump, and something else follows the second.
    #[test]
    fn programs_end_where_no_jump_goes_past() {
        let text = "s_cbranch_scc0 L0\ns_endpgm\nL0:\nv_mov_b32 v0, 1.0\ns_endpgm\ns_nop 0";
        let words = amd_isa::assemble(Chip::Vi, text).expect("a program");
        let (program, length) = Program::first(Chip::Vi, &words).expect("a program");
        assert_eq!((program.instructions().len(), length), (4, 4));
        assert!(Program::first(Chip::Vi, &words[..3]).is_err());
        // The last jump goes backwards.
        let text = "L0:\ns_cbranch_scc0 L1\ns_endpgm\nL1:\ns_branch L0\ns_nop 0";
        let words = amd_isa::assemble(Chip::Vi, text).expect("a program");
        let (_, length) = Program::first(Chip::Vi, &words).expect("a program");
        assert_eq!(length, 3);
    }
}
