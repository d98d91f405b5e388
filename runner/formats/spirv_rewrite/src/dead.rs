//! Code that never runs, or has no effect.

use std::collections::BTreeSet;

use crate::random::Random;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{ExecutionModel, Op, StorageClass};

use crate::draft::{Draft, branch, effect, ids, selection_merge};
use crate::flow::{Flow, Loop};
use crate::opaque::opaque;
use crate::pieces::{add_block, end_with, split};
use crate::place::{Place, TRIES, is_arithmetic, is_total};

/// Adds a block behind a condition that is false.
pub(crate) fn add_dead_block(draft: &mut Draft, random: &mut Random) -> bool {
    let Some((function, flow)) = draft.any_function(random) else { return false };
    let found = (0..TRIES).find_map(|_| draft.place_to_split(function, &flow, random));
    let Some(place) = found else { return false };
    let ending = ending(draft, place, &flow, random);
    add_dead(draft, place, &flow, random, ending);
    true
}

/// Adds a jump to the end or the step of a loop behind a condition that is false.
pub(crate) fn add_dead_jump(draft: &mut Draft, random: &mut Random) -> bool {
    let Some((function, flow)) = draft.any_function(random) else { return false };
    for _ in 0..TRIES {
        let Some(place) = draft.place_to_split(function, &flow, random) else { continue };
        let Some(inside) = flow.innermost_loop(place.block) else { continue };
        let Loop { merge, target, header } = inside;
        if flow.dominates(target, place.block) || target == header {
            continue;
        }
        let to = if random.chance(60) { merge } else { target };
        let is_step_one_block = to == target && place.block == target;
        let label = flow.label(to);
        let phis = draft.body(function, to).iter().filter(|i| i.class.opcode == Op::Phi);
        let types: Vec<u32> = phis.filter_map(|phi| phi.result_type).collect();
        if is_step_one_block || !types.iter().all(|&ty| draft.types.is_plain(ty)) {
            continue;
        }
        let dead = add_dead(draft, place, &flow, random, Some(branch(label)));
        add_parent(draft, function, label, dead, &types);
        return true;
    }
    false
}

/// Computes something of values that are there, and does not use it.
pub(crate) fn donate(draft: &mut Draft, random: &mut Random) -> bool {
    let Some((function, flow)) = draft.any_function(random) else { return false };
    let Some(place) = draft.any_place(function, &flow, random) else { return false };
    let mut list = Vec::new();
    for _ in 0..random.between(1, 5) {
        donated(draft, &mut list, place, &flow, random, is_total);
    }
    let is_empty = list.is_empty();
    draft.insert(place, list);
    !is_empty
}

/// Puts a block behind a condition that is false, and returns its label. It goes on behind the
/// place unless it has another end.
fn add_dead(
    draft: &mut Draft,
    place: Place,
    flow: &Flow,
    random: &mut Random,
    ending: Option<Instruction>,
) -> u32 {
    let mut dead = Vec::new();
    for _ in 0..random.between(0, 3) {
        match random.below(3) {
            0 => store(draft, &mut dead, place, flow, random),
            _ => donated(draft, &mut dead, place, flow, random, is_arithmetic),
        }
    }
    let truth = random.chance(50);
    let mut head = Vec::new();
    let condition = opaque(draft, &mut head, truth, place, flow, random);
    let halves = split(draft, place);
    let (label, tail) = (draft.fresh(), halves.tail_label);
    let ways = if truth { [tail, label] } else { [label, tail] };
    head.push(selection_merge(tail));
    head.push(effect(Op::BranchConditional, ids([condition, ways[0], ways[1]])));
    end_with(draft, place.function, halves.head, head);
    let ending = ending.unwrap_or_else(|| branch(tail));
    add_block(draft, place.function, halves.head + 1, label, dead, ending);
    label
}

/// A terminator that ends more than the block, where one may be.
fn ending(
    draft: &mut Draft,
    place: Place,
    flow: &Flow,
    random: &mut Random,
) -> Option<Instruction> {
    if flow.is_in_step(place.block) || random.chance(50) {
        return None;
    }
    let models: Vec<ExecutionModel> = draft
        .module
        .entry_points
        .iter()
        .filter_map(|entry| match entry.operands.first() {
            Some(Operand::ExecutionModel(model)) => Some(*model),
            _ => None,
        })
        .collect();
    let is_fragment = models.iter().all(|model| *model == ExecutionModel::Fragment);
    match random.below(3) {
        0 if is_fragment => Some(effect(Op::Kill, Vec::new())),
        1 => Some(effect(Op::Unreachable, Vec::new())),
        _ => {
            let of = draft.module.functions[place.function].def.as_ref()?.result_type?;
            if of == draft.void_type() {
                return Some(effect(Op::Return, Vec::new()));
            }
            let is_plain = draft.types.is_plain(of);
            is_plain.then(|| {
                let zero = draft.null(of);
                effect(Op::ReturnValue, ids([zero]))
            })
        }
    }
}

/// Adds values for one more block before a block to its phis.
fn add_parent(draft: &mut Draft, function: usize, label: u32, parent: u32, types: &[u32]) {
    let zeros: Vec<u32> = types.iter().map(|&ty| draft.null(ty)).collect();
    let blocks = &mut draft.module.functions[function].blocks;
    let Some(block) = blocks.iter_mut().find(|block| block.label_id() == Some(label)) else {
        return;
    };
    let phis = block.instructions.iter_mut().filter(|i| i.class.opcode == Op::Phi);
    for (phi, zero) in phis.zip(zeros) {
        phi.operands.extend(ids([zero, parent]));
    }
}

/// Stores a value to a variable that the function uses.
fn store(
    draft: &mut Draft,
    list: &mut Vec<Instruction>,
    place: Place,
    flow: &Flow,
    random: &mut Random,
) {
    let function = &draft.module.functions[place.function];
    let used: BTreeSet<u32> = function
        .blocks
        .iter()
        .flat_map(|block| &block.instructions)
        .filter(|i| matches!(i.class.opcode, Op::Load | Op::Store | Op::AccessChain))
        .filter_map(|i| i.operands.first()?.id_ref_any())
        .filter(|id| draft.global(*id).is_some())
        .collect();
    let mut pointers = draft.results_at(place, flow);
    pointers.extend(used);
    let is_control = |entry: &Instruction| {
        let model = Operand::ExecutionModel(ExecutionModel::TessellationControl);
        entry.operands.first() == Some(&model)
    };
    let has_control = draft.module.entry_points.iter().any(is_control);
    pointers.retain(|&id| {
        let pointee = draft.type_of(id).and_then(|ty| draft.types.pointee(ty));
        pointee.is_some_and(|(class, to)| {
            let may_write = match class {
                StorageClass::Function => true,
                StorageClass::Private | StorageClass::Workgroup => true,
                // Invocations write their own vertex only.
                StorageClass::Output => !has_control,
                _ => false,
            };
            may_write && draft.types.is_storable(to) && !draft.kept.contains(&id)
        })
    });
    if pointers.is_empty() {
        return;
    }
    let pointer = random.pick(&pointers);
    let pointee = draft.type_of(pointer).and_then(|ty| draft.types.pointee(ty));
    let Some((_, to)) = pointee else { return };
    let value = draft.any_value(to, place, flow, random);
    list.push(effect(Op::Store, ids([pointer, value])));
}

/// Computes what another instruction of the module computes, of other values.
fn donated(
    draft: &mut Draft,
    list: &mut Vec<Instruction>,
    place: Place,
    flow: &Flow,
    random: &mut Random,
    fits: impl Fn(Op) -> bool,
) {
    let blocks = draft.module.functions.iter().flat_map(|function| &function.blocks);
    let all: Vec<&Instruction> = blocks
        .flat_map(|block| &block.instructions)
        .filter(|i| {
            let mut operands = i.operands.iter().filter_map(Operand::id_ref_any);
            fits(i.class.opcode)
                && i.result_type.is_some_and(|ty| draft.types.is_plain(ty))
                && operands.all(|id| draft.is_plain(id))
        })
        .collect();
    if all.is_empty() {
        return;
    }
    let mut donor = all[random.below(all.len())].clone();
    let Some(ty) = donor.result_type else { return };
    for operand in &mut donor.operands {
        if let Operand::IdRef(id) = operand
            && let Some(of) = draft.type_of(*id)
        {
            *id = draft.any_value(of, place, flow, random);
        }
    }
    let made = draft.emit(list, donor.class.opcode, ty, donor.operands);
    if draft.types.is_storable(ty) && random.chance(50) {
        let variable = draft.local(place.function, ty, None);
        list.push(effect(Op::Store, ids([variable, made])));
    }
}
