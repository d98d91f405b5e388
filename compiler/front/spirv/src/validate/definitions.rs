//! Definitions before uses, and blocks behind their dominators.

use rspirv::spirv::Op;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::dominance::Dominance;
use crate::error::Error;
use crate::grammar::name_of;
use crate::module::{Function, Module};

/// True for the instructions to which `OpSampledImage` may hand its result, in the same block.
fn takes_joined(op: Op) -> bool {
    let name = name_of(op);
    let is_lookup = name.starts_with("ImageSample") || name.starts_with("ImageSparseSample");
    let is_gather = name.starts_with("Image") && name.ends_with("Gather");
    is_lookup || is_gather || matches!(op, Op::Image | Op::ImageQueryLod | Op::CopyObject)
}

/// A block comes before those that it dominates.
fn sequence(module: &Module, function: &Function, order: &Dominance) -> Result<(), Error> {
    let mut seen = FxHashSet::default();
    for block in &function.blocks {
        seen.insert(block.label);
        if let Some(parent) = order.parent(block.label).filter(|parent| !seen.contains(parent)) {
            let definition = module.get(block.label).unwrap_or(&module.instructions[0]);
            let parent = module.name(parent);
            return Err(module.error(definition, format!("before {parent}, which dominates it")));
        }
    }
    Ok(())
}

/// Each use of a result of the function is dominated by its definition.
pub(crate) fn check(module: &Module, function: &Function, order: &Dominance) -> Result<(), Error> {
    sequence(module, function, order)?;
    let mut places: FxHashMap<u32, (u32, usize)> = FxHashMap::default();
    for block in &function.blocks {
        for index in block.body.clone() {
            places.insert(module.instructions[index].id, (block.label, index));
        }
    }
    for parameter in &module.instructions[function.parameters.clone()] {
        let first = function.blocks.first().map_or(0, |block| block.label);
        places.insert(parameter.id, (first, 0));
    }
    for block in &function.blocks {
        for index in block.body.clone() {
            let i = &module.instructions[index];
            for (number, operand) in i.operands.iter().enumerate() {
                let crate::module::Operand::Id(id) = *operand else { continue };
                let at = module.index_of(id).unwrap_or(0);
                let definition = &module.instructions[at];
                if at < module.first_function || matches!(definition.op, Op::Label | Op::Function) {
                    continue;
                }
                let Some(&(from, place)) = places.get(&id) else {
                    return Err(
                        module.error(i, format!("{} is another function's", module.name(id)))
                    );
                };
                let fits = match i.op {
                    Op::Phi => {
                        let user = i.id_at(number + 1).unwrap_or(0);
                        !order.is_reached(user) || order.dominates(from, user)
                    }
                    _ if from == block.label => place < index,
                    _ => !order.is_reached(block.label) || order.dominates(from, block.label),
                };
                let is_joined = definition.op == Op::SampledImage;
                let is_here = from == block.label && takes_joined(i.op);
                module.demand(i, !is_joined || is_here, "the sampled image is not for it")?;
                if !fits {
                    let message = format!("{} does not dominate its use", module.name(id));
                    return Err(module.error(i, message));
                }
            }
        }
    }
    Ok(())
}
