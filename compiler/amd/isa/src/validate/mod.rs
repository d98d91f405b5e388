//! The rules that programs have to obey, each with a name.
//!
//! A rule of one instruction is a row of `instructions::RULES`. Rules of whole programs follow the
//! paths through it: control flow, exports, M0, waits, hazards.

mod exports;
mod facts;
mod flow;
mod hazards;
mod instructions;
mod memory_register;
mod program;
mod waits;

use crate::chip::Chip;
use crate::encoding::{Located, decode_meaning};
use crate::format::Format;
use crate::hazards::HAZARDS;
use crate::instruction::Instruction;
use flow::Flow;
use program::Program;

pub use facts::{HardwareStage, ProgramFacts, Violation};

/// Every broken rule of a program, in the order of the instructions.
pub fn validate(chip: Chip, facts: &ProgramFacts, words: &[u32]) -> Vec<Violation> {
    let mut instructions = match decode_meaning(chip, words) {
        Ok(instructions) => instructions,
        Err(error) => {
            return vec![Violation { offset: 0, rule: "decode", message: error.to_string() }];
        }
    };
    let mut violations = Vec::new();
    for located in instructions.iter_mut().filter(|l| l.instruction.format == Format::Mimg) {
        // Descriptors decide how many registers an address has.
        let Instruction { opcode, modifiers, .. } = &mut located.instruction;
        modifiers.address_dwords = opcode.least_address_dwords();
    }
    for located in &instructions {
        instructions::check(chip, facts, located, &mut violations);
    }
    let flow = Flow::of(&instructions, &mut violations);
    let program = Program { chip, facts, instructions: &instructions, flow };
    exports::check(&program, &mut violations);
    memory_register::check(&program, &mut violations);
    waits::check(&program, &mut violations);
    hazards::check(&program, &mut violations);
    violations.sort_by_key(|violation| violation.offset);
    violations
}

/// Every broken rule of one instruction; rules of programs are not tried.
pub fn validate_instruction(
    chip: Chip,
    facts: &ProgramFacts,
    instruction: &Instruction,
) -> Vec<Violation> {
    let mut violations = Vec::new();
    let located = Located { offset: 0, dwords: 1, instruction: *instruction };
    instructions::check(chip, facts, &located, &mut violations);
    violations
}

/// Names of all rules.
pub fn rule_names() -> impl Iterator<Item = &'static str> {
    let programs = [flow::RULES, exports::RULES, memory_register::RULES, waits::RULES];
    let hazards = HAZARDS.iter().filter(|h| Chip::ALL.iter().any(|chip| h.is_required(*chip)));
    ["decode"]
        .into_iter()
        .chain(instructions::RULES.iter().map(|rule| rule.name))
        .chain(programs.into_iter().flatten().copied())
        .chain(hazards.map(|hazard| hazard.name))
}
