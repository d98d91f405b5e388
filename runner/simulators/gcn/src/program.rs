//! Decoded programs.

use amd_isa::hazards::{HAZARDS, Hazard, HazardView};
use amd_isa::{
    Access, Chip, DecodeError, Format, Instruction, Located, Row, accesses, decode_first,
    decode_meaning, print_instruction,
};
use thiserror::Error;

use crate::class::Class;
use crate::native::{Heat, Native};
use crate::rows::Plan;

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
    heat: Heat,
}

/// Properties of an instruction that each execution needs.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub row: &'static Row,
    pub class: Class,
    /// An implementation on rows, if there is one.
    pub plan: Option<Plan>,
    pub accesses: Vec<Access>,
    /// Hazards that the instruction can be the second part of, with their bits.
    pub hazards: Vec<(u32, &'static Hazard)>,
    /// Bits of the hazards that the instruction can be the first part of.
    pub begins: u32,
}

impl Facts {
    fn new(chip: Chip, row: &'static Row, instruction: &Instruction) -> Facts {
        let view = HazardView::new(row, instruction);
        let required = || {
            let bits = (0..).map(|index| 1_u32 << index).zip(HAZARDS);
            bits.filter(|(_, hazard)| hazard.is_required(chip))
        };
        let hazards = required().filter(|(_, hazard)| hazard.concerns(&view)).collect();
        let begun = required().filter(|(_, hazard)| hazard.begins(&view));
        let begins = begun.fold(0, |bits, (bit, _)| bits | bit);
        let class = Class::of(row.format, row.opcode);
        let plan = Plan::of(class, row, instruction);
        Facts { row, class, plan, accesses: accesses(row, instruction), hazards, begins }
    }
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
        Program { chip, instructions, facts, starts, heat }
    }

    /// This program without implementations on whole registers: every vector instruction executes
    /// lane by lane. Slow, and the definition of what the fast ones must do.
    #[must_use]
    pub fn generic(mut self) -> Program {
        for facts in &mut self.facts {
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
        Native::of(self, 0).map_or(0, |native| native.instructions())
    }

    pub(crate) fn heat(&self) -> &Heat {
        &self.heat
    }

    /// The translated form, if the program is hot after some more instructions.
    pub(crate) fn native(&self, executed: u64) -> Option<&Native> {
        if self.heat.left() > executed {
            return None;
        }
        self.heat.native(|after| Native::of(self, after))
    }

    /// Number of instructions with an implementation on whole registers.
    pub fn fast_instructions(&self) -> usize {
        self.facts.iter().filter(|facts| facts.plan.is_some()).count()
    }

    /// The chip.
    pub fn chip(&self) -> Chip {
        self.chip
    }

    /// The instructions with their places.
    pub fn instructions(&self) -> &[Located] {
        &self.instructions
    }

    pub(crate) fn facts(&self, index: usize) -> &Facts {
        &self.facts[index]
    }

    /// Offset in dwords after the last instruction.
    pub(crate) fn end(&self) -> usize {
        self.instructions.last().map_or(0, |last| last.offset + last.dwords)
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
