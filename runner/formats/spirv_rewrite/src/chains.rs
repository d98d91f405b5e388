//! Access chains in several steps.

use crate::random::Random;
use rspirv::dr::Operand;
use rspirv::spirv::Op;

use crate::draft::Draft;
use crate::place::Place;
use crate::types::Kind;

/// Splits an access chain into one after the other.
pub(crate) fn split_chain(draft: &mut Draft, random: &mut Random) -> bool {
    let Some((function, _)) = draft.any_function(random) else { return false };
    let mut all = Vec::new();
    for (block, of) in draft.module.functions[function].blocks.iter().enumerate() {
        for (index, instruction) in of.instructions.iter().enumerate() {
            let is_chain = matches!(instruction.class.opcode, Op::AccessChain);
            if is_chain && instruction.operands.len() > 2 {
                all.push(Place { function, block, index });
            }
        }
    }
    if all.is_empty() {
        return false;
    }
    let place = random.pick(&all);
    let chain = draft.body(function, place.block)[place.index].clone();
    let steps: Vec<u32> = chain.operands.iter().filter_map(Operand::id_ref_any).collect();
    let cut = random.between(2, steps.len() - 1);
    let Some((class, mut ty)) = draft.type_of(steps[0]).and_then(|ty| draft.types.pointee(ty))
    else {
        return false;
    };
    for step in &steps[1..cut] {
        let part = match draft.types.kind(ty) {
            Kind::Struct(members) => {
                draft.literal(*step).and_then(|index| members.get(index as usize)).copied()
            }
            Kind::Array(part, _) | Kind::Vector(part, _) | Kind::Matrix(part, _) => Some(*part),
            _ => None,
        };
        let Some(part) = part else { return false };
        ty = part;
    }
    let pointer = draft.pointer_type(class, ty);
    let mut list = Vec::new();
    let first = chain.operands[..cut].to_vec();
    let middle = draft.emit(&mut list, Op::AccessChain, pointer, first);
    draft.insert(place, list);
    let rest = [&[Operand::IdRef(middle)], &chain.operands[cut..]].concat();
    let instructions = &mut draft.module.functions[function].blocks[place.block].instructions;
    instructions[place.index + 1].operands = rest;
    true
}
