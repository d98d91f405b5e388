//! Blocks in pieces: splits, and pieces in selections and loops of their own.

use crate::random::Random;
use rspirv::dr::{Block, Instruction, Operand};
use rspirv::spirv::{LoopControl, Op};

use crate::draft::{Draft, branch, effect, ids, result, selection_merge};
use crate::flow::{Flow, targets};
use crate::opaque::{decision, opaque};
use crate::place::{Place, TRIES, epilogue, is_alone};

/// Most instructions of a piece.
const MOST: usize = 12;

/// Instructions of a block: from a place to before an index.
struct Piece {
    place: Place,
    end: usize,
    flow: Flow,
}

/// A block without a terminator and the block of the rest, with their labels.
pub(crate) struct Halves {
    pub(crate) head: usize,
    pub(crate) head_label: u32,
    pub(crate) tail_label: u32,
}

/// Splits a block with a branch.
pub(crate) fn split_block(draft: &mut Draft, random: &mut Random) -> bool {
    let Some((function, flow)) = draft.any_function(random) else { return false };
    let found = (0..TRIES).find_map(|_| draft.place_to_split(function, &flow, random));
    let Some(place) = found else { return false };
    let halves = split(draft, place);
    end_with(draft, function, halves.head, vec![branch(halves.tail_label)]);
    true
}

/// Puts instructions behind a condition that is true.
pub(crate) fn wrap_in_selection(draft: &mut Draft, random: &mut Random) -> bool {
    let Some(Piece { place, end, flow }) = any_piece(draft, random, is_movable) else {
        return false;
    };
    let escaping = draft.used_outside(place, end);
    if !escaping.iter().all(|&id| draft.is_plain(id)) {
        return false;
    }
    let truth = random.chance(50);
    let mut head = Vec::new();
    let condition = opaque(draft, &mut head, truth, place, &flow, random);
    let (halves, piece) = take(draft, place, end);
    let inside = draft.fresh();
    let tail = halves.tail_label;
    let ways = if truth { [inside, tail] } else { [tail, inside] };
    head.push(selection_merge(tail));
    head.push(effect(Op::BranchConditional, ids([condition, ways[0], ways[1]])));
    end_with(draft, place.function, halves.head, head);
    add_block(draft, place.function, halves.head + 1, inside, piece, branch(tail));
    for id in escaping {
        let Some(ty) = draft.type_of(id) else { return false };
        let zero = draft.null(ty);
        let merged = [(id, inside), (zero, halves.head_label)];
        merge_values(draft, place.function, halves.head + 2, &[inside], id, merged);
    }
    true
}

/// Puts instructions into a loop with one iteration.
pub(crate) fn wrap_in_loop(draft: &mut Draft, random: &mut Random) -> bool {
    let Some(Piece { place, end, flow }) = any_piece(draft, random, is_movable) else {
        return false;
    };
    let function = place.function;
    let (halves, mut piece) = take(draft, place, end);
    let tail = halves.tail_label;
    let [header, body, step] = [(); 3].map(|()| draft.fresh());
    let controls = [LoopControl::NONE, LoopControl::UNROLL, LoopControl::DONT_UNROLL];
    let mut merge = ids([tail, step]);
    merge.push(Operand::LoopControl(random.pick(&controls)));
    let merge = effect(Op::LoopMerge, merge);
    end_with(draft, function, halves.head, vec![branch(header)]);
    let at = halves.head + 1;
    if random.chance(50) {
        // The body ends the loop.
        let truth = random.chance(50);
        let condition = opaque(draft, &mut piece, truth, place, &flow, random);
        let ways = if truth { [tail, step] } else { [step, tail] };
        let ends = effect(Op::BranchConditional, ids([condition, ways[0], ways[1]]));
        add_block(draft, function, at, header, vec![merge], branch(body));
        add_block(draft, function, at + 1, body, piece, ends);
        add_block(draft, function, at + 2, step, Vec::new(), branch(header));
        return true;
    }
    // A counter ends it.
    let (int, bool_type) = (draft.int_type(random.chance(50)), draft.bool_type());
    let [zero, one] = [0, 1].map(|number| draft.constant(int, number));
    let [count, next, again] = [int, int, bool_type].map(|ty| draft.fresh_value(ty));
    let phi = result(Op::Phi, int, count, ids([zero, halves.head_label, next, step]));
    let counted = vec![
        result(Op::IAdd, int, next, ids([count, one])),
        result(Op::ULessThan, bool_type, again, ids([next, one])),
    ];
    let ends = effect(Op::BranchConditional, ids([again, header, tail]));
    add_block(draft, function, at, header, vec![phi, merge], branch(body));
    add_block(draft, function, at + 1, body, piece, branch(step));
    add_block(draft, function, at + 2, step, counted, ends);
    true
}

/// Puts instructions into both branches of a condition.
pub(crate) fn duplicate(draft: &mut Draft, random: &mut Random) -> bool {
    let Some(Piece { place, end, flow }) = any_piece(draft, random, is_alone) else {
        return false;
    };
    let function = place.function;
    let escaping = draft.used_outside(place, end);
    if !escaping.iter().all(|&id| draft.is_plain(id)) {
        return false;
    }
    let mut ends = Vec::new();
    let condition = decision(draft, &mut ends, place, &flow, random);
    let (halves, piece) = take(draft, place, end);
    let [one, other] = [(); 2].map(|()| draft.fresh());
    let mut copy = piece.clone();
    let names = rename(draft, &mut copy);
    let tail = halves.tail_label;
    ends.push(selection_merge(tail));
    ends.push(effect(Op::BranchConditional, ids([condition, one, other])));
    end_with(draft, function, halves.head, ends);
    add_block(draft, function, halves.head + 1, one, piece, branch(tail));
    add_block(draft, function, halves.head + 2, other, copy, branch(tail));
    for id in escaping {
        let same = names.iter().find(|(old, _)| *old == id).map_or(id, |(_, new)| *new);
        let merged = [(id, one), (same, other)];
        merge_values(draft, function, halves.head + 3, &[one, other], id, merged);
    }
    true
}

/// True if an instruction may be put behind a condition that is true for all invocations.
fn is_movable(instruction: &Instruction) -> bool {
    use Op as O;
    let op = instruction.class.opcode;
    is_alone(instruction)
        || matches!(
            op,
            O::FunctionCall
                | O::DPdx
                | O::DPdy
                | O::Fwidth
                | O::ExtInst
                | O::EmitVertex
                | O::ImageSampleImplicitLod
                | O::ImageQueryLod
                | O::ImageQuerySizeLod
        )
}

/// A random piece of a function whose instructions fit.
fn any_piece(
    draft: &Draft,
    random: &mut Random,
    fits: impl Fn(&Instruction) -> bool,
) -> Option<Piece> {
    let (function, flow) = draft.any_function(random)?;
    for _ in 0..TRIES {
        let Some(place) = draft.place_to_split(function, &flow, random) else { continue };
        let body = draft.body(function, place.block);
        let last = epilogue(body).min(place.index + random.between(1, MOST));
        let fitting = body[place.index..last].iter().take_while(|i| fits(i)).count();
        if fitting > 0 {
            return Some(Piece { place, end: place.index + fitting, flow });
        }
    }
    None
}

/// Takes a piece out of its block, whose rest becomes a block.
fn take(draft: &mut Draft, place: Place, end: usize) -> (Halves, Vec<Instruction>) {
    let halves = split(draft, Place { index: end, ..place });
    let block = &mut draft.module.functions[place.function].blocks[place.block];
    let piece = block.instructions.split_off(place.index);
    (halves, piece)
}

/// Moves the instructions behind a place to a block of their own. The first half has no terminator.
pub(crate) fn split(draft: &mut Draft, place: Place) -> Halves {
    let tail_label = draft.fresh();
    let function = &mut draft.module.functions[place.function];
    let head = &mut function.blocks[place.block];
    let head_label = head.label_id().unwrap_or(0);
    let rest = head.instructions.split_off(place.index);
    let successors = rest.last().map(targets).unwrap_or_default();
    for block in &mut function.blocks {
        if successors.contains(&block.label_id().unwrap_or(0)) {
            rename_parent(&mut block.instructions, head_label, tail_label);
        }
    }
    function.blocks.insert(place.block + 1, labeled(tail_label, rest));
    Halves { head: place.block, head_label, tail_label }
}

/// Renames a block from which the values of phis come.
fn rename_parent(instructions: &mut [Instruction], old: u32, new: u32) {
    let phis = instructions.iter_mut().filter(|i| i.class.opcode == Op::Phi);
    for phi in phis {
        let parents = phi.operands.iter_mut().skip(1).step_by(2);
        parents.filter(|o| **o == Operand::IdRef(old)).for_each(|o| *o = Operand::IdRef(new));
    }
}

fn labeled(label: u32, instructions: Vec<Instruction>) -> Block {
    let label = Instruction::new(Op::Label, None, Some(label), Vec::new());
    Block { label: Some(label), instructions }
}

/// Appends instructions to a block without a terminator.
pub(crate) fn end_with(draft: &mut Draft, function: usize, block: usize, list: Vec<Instruction>) {
    draft.module.functions[function].blocks[block].instructions.extend(list);
}

/// Adds a block with a number.
pub(crate) fn add_block(
    draft: &mut Draft,
    function: usize,
    number: usize,
    label: u32,
    mut list: Vec<Instruction>,
    terminator: Instruction,
) {
    list.push(terminator);
    draft.module.functions[function].blocks.insert(number, labeled(label, list));
}

/// Merges the values of two blocks in front of the block after them, and uses the result in place
/// of an id everywhere but in the blocks that make the values.
fn merge_values(
    draft: &mut Draft,
    function: usize,
    block: usize,
    makers: &[u32],
    id: u32,
    values: [(u32, u32); 2],
) {
    let Some(ty) = draft.type_of(id) else { return };
    let merged = draft.fresh_value(ty);
    let [(a, from_a), (b, from_b)] = values;
    for of in &mut draft.module.functions[function].blocks {
        if makers.contains(&of.label_id().unwrap_or(0)) {
            continue;
        }
        let operands = of.instructions.iter_mut().flat_map(|i| &mut i.operands);
        operands.filter(|o| **o == Operand::IdRef(id)).for_each(|o| *o = Operand::IdRef(merged));
    }
    let phi = result(Op::Phi, ty, merged, ids([a, from_a, b, from_b]));
    draft.module.functions[function].blocks[block].instructions.insert(0, phi);
}

/// Renames the results of instructions, also where they use them. Returns old and new ids.
pub(crate) fn rename(draft: &mut Draft, list: &mut [Instruction]) -> Vec<(u32, u32)> {
    let mut names = Vec::new();
    for instruction in list {
        for operand in &mut instruction.operands {
            if let Operand::IdRef(id) = operand
                && let Some((_, new)) = names.iter().find(|(old, _)| old == id)
            {
                *id = *new;
            }
        }
        if let (Some(id), Some(ty)) = (instruction.result_id, instruction.result_type) {
            let new = draft.fresh_value(ty);
            draft.decorate_like(new, id);
            instruction.result_id = Some(new);
            names.push((id, new));
        }
    }
    names
}
