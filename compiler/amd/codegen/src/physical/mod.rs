//! Programs on physical registers: the form in which waits and wait states are added, and encoding.
//! A pass is a file of its own.

mod insert_islands;
mod insert_wait_states;
mod insert_waits;
mod opt_jumps;

pub(crate) use insert_islands::insert_islands;
pub(crate) use insert_wait_states::insert_wait_states;
pub(crate) use insert_waits::insert_waits;
pub(crate) use opt_jumps::opt_jumps;

use crate::allocate::Allocation;
use crate::machine::{Arg, Failures, File, Inst, Label, Part, Program};
use amd_isa::{Chip, Format, Instruction, Opcode, Operand, Row, Scalar};
use cranelift_entity::SecondaryMap;
use ir::{CompileError, IrUnit};
use smallvec::SmallVec;
use vocabulary::{InternalError, LineTable, Phase, SourceLine};

/// An instruction, and the block that it jumps to.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The instruction.
    pub instruction: Instruction,
    /// Number of the target block.
    pub target: Option<usize>,
    /// The source line that it came from.
    pub line: SourceLine,
}

impl Placed {
    /// Returns an instruction of program control with a constant.
    pub fn control(opcode: Opcode, immediate: u32) -> Placed {
        let operands = [Operand::Immediate(immediate)];
        let instruction = Instruction::new(Format::Sopp, opcode, &operands);
        Placed { instruction, target: None, line: SourceLine::UNKNOWN }
    }

    /// Returns the row of the instruction in the chip's table.
    pub fn row(&self, chip: Chip) -> Option<&'static Row> {
        chip.row(self.instruction.format, self.instruction.opcode)
    }
}

/// A program on physical registers.
#[derive(Clone, Debug)]
pub struct Physical {
    /// The chip.
    pub chip: Chip,
    /// Blocks in the order of the code.
    pub blocks: Vec<Vec<Placed>>,
    /// Linear successors of each block.
    pub successors: Vec<SmallVec<[usize; 2]>>,
}

impl Physical {
    /// Replaces virtual registers by physical ones, and drops copies of a register to itself.
    ///
    /// # Errors
    /// A register has no place, or a jump leads to a block that is not in the program.
    pub fn new(program: &Program, allocation: &Allocation) -> Result<Physical, InternalError> {
        let mut position = SecondaryMap::new();
        for (index, &label) in program.order.iter().enumerate() {
            position[label] = Some(index);
        }
        let places = Places { program, allocation, position };
        let mut blocks = Vec::with_capacity(program.order.len());
        for &label in &program.order {
            let insts = &program.blocks[label].insts;
            let mut block = insts
                .iter()
                .map(|inst| places.place(inst).map_err(|error| error.at(inst)))
                .collect::<Result<Vec<Placed>, InternalError>>()?;
            block.retain(|placed| !is_self_copy(&placed.instruction));
            blocks.push(block);
        }
        Ok(Physical::of_blocks(program.chip, blocks))
    }

    /// Returns the program of these blocks.
    pub fn of_blocks(chip: Chip, blocks: Vec<Vec<Placed>>) -> Physical {
        let successors = |(index, block): (usize, &Vec<Placed>)| {
            let mut all: SmallVec<[usize; 2]> =
                block.iter().filter_map(|placed| placed.target).collect();
            let leaves = |placed: &Placed| {
                matches!(placed.instruction.opcode, Opcode::SBranch | Opcode::SEndpgm)
            };
            if !block.iter().any(leaves) && index + 1 < blocks.len() {
                all.push(index + 1);
            }
            all
        };
        let successors = blocks.iter().enumerate().map(successors).collect();
        Physical { chip, blocks, successors }
    }

    /// Returns the dwords of the program, and the source lines of its instructions.
    ///
    /// # Errors
    /// An instruction cannot be encoded, or a jump is too far.
    pub fn encode(&self) -> Result<(Vec<u32>, LineTable), CompileError> {
        let mut starts = Vec::new();
        let mut words: Vec<Vec<Vec<u32>>> = Vec::new();
        let mut offset = 0;
        for block in &self.blocks {
            starts.push(offset);
            let encoded = block.iter().map(|placed| self.encode_instruction(&placed.instruction));
            let encoded = encoded.collect::<Result<Vec<Vec<u32>>, InternalError>>()?;
            offset += encoded.iter().map(Vec::len).sum::<usize>();
            words.push(encoded);
        }
        let mut offset = 0;
        let mut lines = LineTable::default();
        for (block, encoded) in self.blocks.iter().zip(&mut words) {
            for (placed, encoded) in block.iter().zip(encoded) {
                lines.push(4 * offset as u32, placed.line);
                offset += encoded.len();
                let Some(target) = placed.target else { continue };
                let distance = starts[target] as i64 - offset as i64;
                let distance = i16::try_from(distance)
                    .map_err(|_| CompileError::encode("a jump over more than 32767 dwords"))?;
                let mut instruction = placed.instruction;
                instruction.operands[0] = Operand::Jump(distance);
                *encoded = self.encode_instruction(&instruction)?;
            }
        }
        Ok((words.into_iter().flatten().flatten().collect(), lines))
    }

    /// Returns the dwords of an instruction.
    ///
    /// # Errors
    /// It cannot be encoded.
    pub fn encode_instruction(&self, instruction: &Instruction) -> Result<Vec<u32>, InternalError> {
        amd_isa::encode(self.chip, instruction).map_err(|error| {
            let text = amd_isa::print_instruction(self.chip, instruction);
            InternalError::new(Phase::Encode, error.to_string()).at(text)
        })
    }
}

/// The places of registers and blocks.
struct Places<'a> {
    program: &'a Program,
    allocation: &'a Allocation,
    position: SecondaryMap<Label, Option<usize>>,
}

impl Places<'_> {
    fn place(&self, inst: &Inst) -> Result<Placed, InternalError> {
        let mut operands: SmallVec<[Operand; 6]> = SmallVec::new();
        let mut target = None;
        for arg in &inst.args {
            operands.push(match *arg {
                Arg::Fixed(operand) => operand,
                Arg::Label(label) => {
                    target = Some(self.position[label].ok_or_else(|| {
                        InternalError::new(Phase::Allocate, format!("{label} is not placed"))
                    })?);
                    Operand::Jump(0)
                }
                Arg::Part(part) => self.register(part)?,
            });
        }
        let mut instruction = Instruction::new(inst.format, inst.opcode, &operands);
        instruction.modifiers = inst.modifiers;
        Ok(Placed { instruction, target, line: inst.line })
    }

    fn register(&self, part: Part) -> Result<Operand, InternalError> {
        let first = self.allocation.first[part.reg].ok_or_else(|| {
            InternalError::new(Phase::Allocate, format!("{} has no place", part.reg))
        })?;
        let number = first + part.dword;
        Ok(match self.program.regs[part.reg].file {
            File::Scalar => Operand::Scalar(Scalar(number)),
            File::Vector => Operand::Vector(number),
        })
    }
}

impl std::fmt::Display for Physical {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (block, insts) in self.blocks.iter().enumerate() {
            writeln!(f, "b{block}:")?;
            for Placed { instruction, target, line: _ } in insts {
                let text = amd_isa::print_instruction(self.chip, instruction);
                match target {
                    Some(target) => writeln!(f, "  {text} -> b{target}")?,
                    None => writeln!(f, "  {text}")?,
                }
            }
        }
        Ok(())
    }
}

impl IrUnit for Physical {
    const KIND: &'static str = Program::KIND;
    const PHASE: Phase = Phase::Encode;
    type Failures = Failures;

    fn changed(&mut self) {
        for block in &mut self.blocks {
            SourceLine::spread(block, |placed| &mut placed.line);
        }
    }

    /// The chip has every instruction, and jumps lead to blocks of the program.
    fn validate(&self) -> Result<(), Failures> {
        let mut failures = Vec::new();
        for placed in self.blocks.iter().flatten() {
            let text = || amd_isa::print_instruction(self.chip, &placed.instruction);
            if placed.row(self.chip).is_none() {
                failures.push(format!("`{}`: the chip has no such instruction", text()));
            }
            if placed.target.is_some_and(|target| target >= self.blocks.len()) {
                failures.push(format!("`{}`: the target is not in the program", text()));
            }
        }
        if failures.is_empty() { Ok(()) } else { Err(Failures(failures)) }
    }
}

fn is_self_copy(instruction: &Instruction) -> bool {
    let moves = matches!(instruction.opcode, Opcode::VMovB32 | Opcode::SMovB32 | Opcode::SMovB64);
    moves && instruction.operands[0] == instruction.operands[1]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allocate::allocate;
    use crate::machine::{Emitter, ZERO};

    #[test]
    fn a_register_without_a_place_is_an_internal_error() {
        let mut e = Emitter::new(Chip::Si);
        let part = e.scalar();
        e.sop1(Opcode::SMovB32, part, ZERO);
        let mut allocation = allocate(&e.program).expect("enough registers");
        allocation.first[part.reg] = None;
        let error = Physical::new(&e.program, &allocation).unwrap_err().to_string();
        assert!(error.contains("r0 has no place at `s_mov_b32 r0"), "{error}");
        assert!(error.contains("physical/mod.rs:"), "{error}");
    }

    #[test]
    fn a_jump_to_a_block_that_is_not_placed_is_an_internal_error() {
        let mut e = Emitter::new(Chip::Si);
        let label = e.new_label();
        e.jump(Opcode::SBranch, label);
        let allocation = allocate(&Program::new(Chip::Si)).expect("no register");
        let error = Physical::new(&e.program, &allocation).unwrap_err().to_string();
        assert!(error.contains(&format!("{label} is not placed")), "{error}");
    }
}
