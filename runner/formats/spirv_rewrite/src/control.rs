//! Branches in other forms.

use crate::random::Random;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::Op;

use crate::draft::{Draft, branch, effect, ids, result, selection_merge};
use crate::flow::Flow;
use crate::pieces::{add_block, end_with, split};
use crate::place::{Place, epilogue};
use crate::types::Kind;

/// Negates the condition of a branch.
pub(crate) fn invert_branch(draft: &mut Draft, random: &mut Random) -> bool {
    let Some((function, block, _)) = any_branch(draft, random, |_, _, _| true) else {
        return false;
    };
    let bool_type = draft.bool_type();
    let body = draft.body(function, block);
    let (place, last) = (Place { function, block, index: epilogue(body) }, body.len() - 1);
    let Some(condition) = body[last].operands[0].id_ref_any() else { return false };
    let mut list = Vec::new();
    let negated = draft.emit(&mut list, Op::LogicalNot, bool_type, ids([condition]));
    let instructions = &mut draft.module.functions[function].blocks[block].instructions;
    let operands = &mut instructions[last].operands;
    operands[0] = Operand::IdRef(negated);
    operands.swap(1, 2);
    // The weights change places, too.
    if operands.len() > 4 {
        operands.swap(3, 4);
    }
    draft.insert(place, list);
    true
}

/// Makes a selection of two branches a switch.
pub(crate) fn branch_to_switch(draft: &mut Draft, random: &mut Random) -> bool {
    let found = any_branch(draft, random, is_plain_selection);
    let Some((function, block, _)) = found else { return false };
    let int = draft.int_type(random.chance(50));
    let number = random.bits() >> random.below(32);
    let (here, other) = (draft.constant(int, number), draft.constant(int, number ^ 1));
    let body = draft.body(function, block);
    let (place, last) = (Place { function, block, index: epilogue(body) }, body.len() - 1);
    let [Operand::IdRef(condition), Operand::IdRef(yes), Operand::IdRef(no), ..] =
        body[last].operands[..]
    else {
        return false;
    };
    let mut list = Vec::new();
    let selector = draft.emit(&mut list, Op::Select, int, ids([condition, here, other]));
    let (default, case, literal) =
        if random.chance(50) { (no, yes, number) } else { (yes, no, number ^ 1) };
    let mut operands = ids([selector, default]);
    operands.extend([Operand::LiteralBit32(literal), Operand::IdRef(case)]);
    let instructions = &mut draft.module.functions[function].blocks[block].instructions;
    instructions[last] = effect(Op::Switch, operands);
    draft.insert(place, list);
    true
}

/// Makes `OpSelect` a branch and a phi.
pub(crate) fn select_to_branch(draft: &mut Draft, random: &mut Random) -> bool {
    let Some((function, flow)) = draft.any_function(random) else { return false };
    let mut all = Vec::new();
    for (block, of) in draft.module.functions[function].blocks.iter().enumerate() {
        let has_image = of.instructions.iter().any(|i| i.class.opcode == Op::SampledImage);
        if has_image || flow.is_loop_header(block) || !flow.is_reachable(block) {
            continue;
        }
        for (index, instruction) in of.instructions.iter().enumerate() {
            if is_scalar_select(draft, instruction) {
                all.push(Place { function, block, index });
            }
        }
    }
    if all.is_empty() {
        return false;
    }
    let place = random.pick(&all);
    let halves = split(draft, Place { index: place.index + 1, ..place });
    let block = &mut draft.module.functions[function].blocks[place.block];
    let Some(select) = block.instructions.pop() else { return false };
    let (Some(ty), Some(id), [Operand::IdRef(condition), Operand::IdRef(yes), Operand::IdRef(no)]) =
        (select.result_type, select.result_id, &select.operands[..])
    else {
        return false;
    };
    let tail = halves.tail_label;
    let (one, other) = (draft.fresh(), draft.fresh());
    // One way may be the shortest.
    let is_direct = random.chance(50);
    let to_yes = if is_direct { tail } else { one };
    let ends = vec![
        selection_merge(tail),
        effect(Op::BranchConditional, ids([*condition, to_yes, other])),
    ];
    end_with(draft, function, halves.head, ends);
    add_block(draft, function, halves.head + 1, other, Vec::new(), branch(tail));
    let from_yes = if is_direct { halves.head_label } else { one };
    if !is_direct {
        add_block(draft, function, halves.head + 1, one, Vec::new(), branch(tail));
    }
    let phi = result(Op::Phi, ty, id, ids([*yes, from_yes, *no, other]));
    let tail = halves.head + if is_direct { 2 } else { 3 };
    draft.module.functions[function].blocks[tail].instructions.insert(0, phi);
    true
}

fn is_scalar_select(draft: &Draft, instruction: &Instruction) -> bool {
    let condition = instruction.operands.first().and_then(Operand::id_ref_any);
    let is_scalar = |id| draft.type_of(id).is_some_and(|ty| *draft.types.kind(ty) == Kind::Bool);
    instruction.class.opcode == Op::Select
        && condition.is_some_and(is_scalar)
        && instruction.result_id.is_some_and(|id| draft.is_plain(id))
}

/// A random conditional branch: its function, block, and the flow.
fn any_branch(
    draft: &Draft,
    random: &mut Random,
    fits: impl Fn(&Draft, (usize, usize), &Flow) -> bool,
) -> Option<(usize, usize, Flow)> {
    let (function, flow) = draft.any_function(random)?;
    let blocks = draft.module.functions[function].blocks.iter().enumerate();
    let all: Vec<usize> = blocks
        .filter(|(block, of)| {
            let last = of.instructions.last();
            last.is_some_and(|i| {
                // With one target the condition decides nothing.
                i.class.opcode == Op::BranchConditional && i.operands[1] != i.operands[2]
            }) && flow.is_reachable(*block)
                && fits(draft, (function, *block), &flow)
        })
        .map(|(block, _)| block)
        .collect();
    let block = (!all.is_empty()).then(|| random.pick(&all))?;
    Some((function, block, flow))
}

/// True if a branch begins a selection whose ways lead to its end, or out of or on with a loop.
/// A way out of an outer switch would be one out of the new switch.
fn is_plain_selection(draft: &Draft, (function, block): (usize, usize), flow: &Flow) -> bool {
    let body = draft.body(function, block);
    let [.., merge, branch] = body else { return false };
    if merge.class.opcode != Op::SelectionMerge {
        return false;
    }
    let end = merge.operands[0].id_ref_any().and_then(|label| flow.number(label));
    let Some(end) = end else { return false };
    let is_jump = |to: usize| flow.loops.iter().any(|of| of.merge == to || of.target == to);
    let direct = branch.operands[1..3].iter().filter_map(Operand::id_ref_any);
    if direct.filter_map(|label| flow.number(label)).any(|to| to != end && is_jump(to)) {
        return false;
    }
    // Blocks behind an exit of a construct around may have no other way than through the selection.
    let around = flow.merges.iter().filter(|(header, merge)| {
        *header != block && flow.dominates(*header, block) && !flow.dominates(*merge, block)
    });
    let around: Vec<usize> = around.map(|(_, merge)| *merge).collect();
    let is_inside = |of: usize| {
        flow.dominates(block, of)
            && !flow.dominates(end, of)
            && !around.iter().any(|&merge| flow.dominates(merge, of))
    };
    let blocks = 0..draft.module.functions[function].blocks.len();
    let mut edges = blocks.filter(|&of| is_inside(of)).flat_map(|of| &flow.next[of]);
    edges.all(|&to| is_inside(to) || to == end || is_jump(to))
}
