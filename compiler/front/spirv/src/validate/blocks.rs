//! Blocks of a function: the sequence of instructions in them, `OpPhi`s, merge instructions.

use rspirv::spirv::{LoopControl as L, Op};
use rustc_hash::{FxHashMap, FxHashSet};

use super::constants::is_extended;
use super::view::Kind;
use crate::error::Error;
use crate::module::{Function, Instruction, Module};

/// Most cases of a switch (SPIR-V 1.6 section 2.17).
const MAX_CASES: usize = 16383;

pub(crate) fn check(module: &Module, function: &Function) -> Result<(), Error> {
    let labels: FxHashSet<u32> = function.blocks.iter().map(|block| block.label).collect();
    let mut before: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for block in &function.blocks {
        for i in &module.instructions[block.body.clone()] {
            for target in i.targets() {
                module.demand(
                    i,
                    labels.contains(&target),
                    "the target is no block of the function",
                )?;
                before.entry(target).or_default().push(block.label);
            }
        }
    }
    for (number, block) in function.blocks.iter().enumerate() {
        let body = &module.instructions[block.body.clone()];
        if number == 0 && before.contains_key(&block.label) {
            return Err(module.error(&body[0], "a branch to the first block of a function"));
        }
        sequence(module, body, number == 0)?;
        merge(module, body, &labels)?;
        for i in body {
            match i.op {
                Op::Phi => phi(module, i, before.get(&block.label).map_or(&[], Vec::as_slice))?,
                Op::BranchConditional => {
                    let condition = module.operand_type(i, 0)?;
                    module.demand(
                        i,
                        module.kind(condition) == Kind::Bool,
                        "the condition is not bool",
                    )?;
                    let targets = i.targets();
                    let differ = module.version < 0x10600 || targets[0] != targets[1];
                    module.demand(i, differ, "both targets are one block")?;
                    let weights = i.operands.len();
                    module.demand(
                        i,
                        weights == 3 || weights == 5,
                        "there are no weights or two",
                    )?;
                }
                Op::Switch => {
                    let shape = module.operand_shape(i, 0)?;
                    module.demand(
                        i,
                        shape.is_int() && shape.count == 1,
                        "the selector is no integer",
                    )?;
                    let count = i.ids_from(2).count();
                    module.demand(i, count <= MAX_CASES, "there are too many cases")?;
                    let literals = (2..i.operands.len()).filter_map(|index| i.literal_at(index));
                    let fits = literals.into_iter().all(|word| is_extended(shape.scalar, word));
                    module.demand(i, fits, "high bits of a case do not extend its value")?;
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// `OpPhi`s and the variables of the first block come before other instructions.
fn sequence(module: &Module, body: &[Instruction], is_first: bool) -> Result<(), Error> {
    let mut others = false;
    for i in body {
        match i.op {
            Op::Line | Op::NoLine => {}
            Op::Phi => module.demand(i, !others && !is_first, "after other instructions")?,
            Op::Variable => {
                module.demand(i, is_first && !others, "not at the start of the first block")?;
            }
            _ => others = true,
        }
    }
    Ok(())
}

/// The hints of a loop do not exclude each other.
fn loop_control(module: &Module, i: &Instruction) -> Result<(), Error> {
    let control = L::from_bits_truncate(i.literal_at(2).unwrap_or(0));
    let excluded = L::UNROLL | L::PEEL_COUNT | L::PARTIAL_COUNT;
    let fits = !(control.contains(L::DONT_UNROLL) && control.intersects(excluded));
    module.demand(i, fits, "DontUnroll excludes other hints")?;
    // Hints with a number have it in the order of their bits.
    let counted =
        [L::DEPENDENCY_LENGTH, L::MIN_ITERATIONS, L::MAX_ITERATIONS, L::ITERATION_MULTIPLE];
    let before = counted.iter().filter(|&&bit| control.contains(bit)).count();
    let multiple = i.literal_at(2 + before).unwrap_or(0);
    let has_multiple = control.contains(L::ITERATION_MULTIPLE);
    module.demand(i, !has_multiple || multiple != 0, "the multiple of iterations is zero")
}

/// A merge instruction is the last but one, before the branch that it is for.
fn merge(module: &Module, body: &[Instruction], labels: &FxHashSet<u32>) -> Result<(), Error> {
    for (index, i) in body.iter().enumerate() {
        let targets: &[usize] = match i.op {
            Op::SelectionMerge => &[0],
            Op::LoopMerge => &[0, 1],
            _ => continue,
        };
        let next = body.get(index + 1).map(|next| next.op);
        let fits = match i.op {
            Op::SelectionMerge => matches!(next, Some(Op::BranchConditional | Op::Switch)),
            _ => matches!(next, Some(Op::Branch | Op::BranchConditional)),
        };
        module.demand(i, fits, "the next instruction is no branch that it is for")?;
        if i.op == Op::LoopMerge {
            loop_control(module, i)?;
        }
        for &target in targets {
            let is_label = i.id_at(target).is_some_and(|id| labels.contains(&id));
            module.demand(i, is_label, "an operand is no block of the function")?;
        }
    }
    Ok(())
}

/// A value from each block before, and from no other.
fn phi(module: &Module, i: &Instruction, before: &[u32]) -> Result<(), Error> {
    let is_joined = matches!(module.kind(i.ty), Kind::SampledImage { .. });
    module.demand(i, !is_joined, "a sampled image comes from one place")?;
    module.demand(i, module.kind(i.ty) != Kind::Void, "the result has no value")?;
    module.demand(i, i.operands.len().is_multiple_of(2), "a value has no block")?;
    let before: FxHashSet<u32> = before.iter().copied().collect();
    let mut given = FxHashSet::default();
    for pair in 0..i.operands.len() / 2 {
        let block = i.id_at(2 * pair + 1).unwrap_or(0);
        module.demand(i, before.contains(&block), "a value is from a block that is not before")?;
        module.demand(i, given.insert(block), "two values are from one block")?;
        module.demand(i, module.operand_type(i, 2 * pair)? == i.ty, "a value has another type")?;
    }
    module.demand(i, given.len() == before.len(), "there is no value from a block before")
}
