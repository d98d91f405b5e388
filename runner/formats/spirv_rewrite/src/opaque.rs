//! Truths and constants that a compiler does not see at once.

use crate::random::Random;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{BuiltIn, Decoration, Op, StorageClass};

use crate::draft::{Draft, ids};
use crate::flow::Flow;
use crate::place::{Place, is_total};
use crate::types::Kind;

/// Depth of the search for definite values.
const DEPTH: usize = 6;

/// Uses a value that is a constant behind a condition, or kept by a variable.
pub(crate) fn hide_constant(draft: &mut Draft, random: &mut Random) -> bool {
    let Some((function, flow)) = draft.any_function(random) else { return false };
    let is_hideable = |draft: &Draft, id: u32| {
        let is_constant = draft.global(id).is_some_and(|i| {
            matches!(
                i.class.opcode,
                Op::Constant | Op::ConstantTrue | Op::ConstantFalse | Op::ConstantComposite
            )
        });
        is_constant && draft.type_of(id).is_some_and(|ty| draft.types.is_storable(ty))
    };
    let found = draft.any_use(function, &flow, random, |draft, found| is_hideable(draft, found.id));
    let Some(found) = found else { return false };
    let mut list = Vec::new();
    let by = hidden(draft, &mut list, found.id, found.place, &flow, random);
    draft.replace_use(found, list, by);
    true
}

/// Makes a constant index of an array or vector in a function's memory a computed one.
pub(crate) fn hide_index(draft: &mut Draft, random: &mut Random) -> bool {
    let Some((function, flow)) = draft.any_function(random) else { return false };
    let mut all = Vec::new();
    for (block, of) in draft.module.functions[function].blocks.iter().enumerate() {
        for (index, instruction) in of.instructions.iter().enumerate() {
            let place = Place { function, block, index };
            let steps = steps_of_arrays(draft, instruction);
            all.extend(steps.into_iter().filter(|_| flow.is_reachable(block)).map(|s| (place, s)));
        }
    }
    if all.is_empty() {
        return false;
    }
    let (place, step) = random.pick(&all);
    let index = draft.body(function, place.block)[place.index].operands[step].id_ref_any();
    let Some(index) = index else { return false };
    let mut list = Vec::new();
    let by = hidden(draft, &mut list, index, place, &flow, random);
    let instructions = &mut draft.module.functions[function].blocks[place.block].instructions;
    instructions[place.index].operands[step] = Operand::IdRef(by);
    draft.insert(place, list);
    true
}

/// Operands of an access chain into a function's memory that are constant indices of arrays and
/// vectors.
fn steps_of_arrays(draft: &Draft, instruction: &Instruction) -> Vec<usize> {
    let is_chain = matches!(instruction.class.opcode, Op::AccessChain | Op::InBoundsAccessChain);
    let base = instruction.operands.first().and_then(Operand::id_ref_any);
    let pointee = base.and_then(|id| draft.types.pointee(draft.type_of(id)?));
    let Some((StorageClass::Function | StorageClass::Private, mut ty)) =
        pointee.filter(|_| is_chain)
    else {
        return Vec::new();
    };
    let mut steps = Vec::new();
    for (operand, step) in instruction.operands.iter().enumerate().skip(1) {
        let literal = step.id_ref_any().and_then(|id| draft.literal(id));
        let part = match draft.types.kind(ty) {
            Kind::Struct(members) => literal.and_then(|i| members.get(i as usize)).copied(),
            Kind::Array(part, _) | Kind::Vector(part, _) | Kind::Matrix(part, _) => {
                steps.extend(literal.map(|_| operand));
                Some(*part)
            }
            _ => None,
        };
        let Some(part) = part else { break };
        ty = part;
    }
    steps
}

/// Computes a constant in another way.
fn hidden(
    draft: &mut Draft,
    list: &mut Vec<Instruction>,
    id: u32,
    place: Place,
    flow: &Flow,
    random: &mut Random,
) -> u32 {
    let Some(ty) = draft.type_of(id) else { return id };
    let is_scalar = matches!(draft.types.kind(ty), Kind::Bool | Kind::Int(..) | Kind::Float(_));
    match random.below(3) {
        0 if is_scalar => {
            let truth = random.chance(50);
            let condition = opaque(draft, list, truth, place, flow, random);
            let other = draft.any_value(ty, place, flow, random);
            let operands =
                if truth { ids([condition, id, other]) } else { ids([condition, other, id]) };
            draft.emit(list, Op::Select, ty, operands)
        }
        1 if matches!(draft.types.kind(ty), Kind::Int(32, _)) => {
            let known = definite(draft, place, flow, |kind| matches!(kind, Kind::Int(32, _)));
            let of_type: Vec<u32> =
                known.into_iter().filter(|(_, of)| *of == ty).map(|(id, _)| id).collect();
            let mask = match of_type.is_empty() {
                true => draft.constant(ty, random.bits()),
                false => random.pick(&of_type),
            };
            let mixed = draft.emit(list, Op::BitwiseXor, ty, ids([mask, id]));
            draft.emit(list, Op::BitwiseXor, ty, ids([mixed, mask]))
        }
        _ => kept(draft, list, ty, id, place.function, random),
    }
}

/// Loads a constant from a variable that keeps it.
fn kept(
    draft: &mut Draft,
    list: &mut Vec<Instruction>,
    ty: u32,
    id: u32,
    function: usize,
    random: &mut Random,
) -> u32 {
    let variable = match random.chance(70) {
        true => draft.local(function, ty, Some(id)),
        false => draft.private(ty, id),
    };
    draft.kept.insert(variable);
    draft.emit(list, Op::Load, ty, ids([variable]))
}

/// Computes true or false.
pub(crate) fn opaque(
    draft: &mut Draft,
    list: &mut Vec<Instruction>,
    value: bool,
    place: Place,
    flow: &Flow,
    random: &mut Random,
) -> u32 {
    let bool_type = draft.bool_type();
    let known = definite(draft, place, flow, |kind| matches!(kind, Kind::Int(32, _)));
    let truth = if known.is_empty() || random.chance(30) {
        let ty = draft.int_type(true);
        let number = draft.constant(ty, random.bits() & 0xff);
        let loaded = kept(draft, list, ty, number, place.function, random);
        draft.emit(list, Op::IEqual, bool_type, ids([loaded, number]))
    } else {
        let (id, ty) = random.pick(&known);
        always(draft, list, id, ty, random)
    };
    match value {
        true => truth,
        false => draft.emit(list, Op::LogicalNot, bool_type, ids([truth])),
    }
}

/// A comparison that is true for all values of an integer of 32 bits.
fn always(
    draft: &mut Draft,
    list: &mut Vec<Instruction>,
    id: u32,
    ty: u32,
    random: &mut Random,
) -> u32 {
    let bool_type = draft.bool_type();
    let [one, two, three] = [1, 2, 3].map(|number| draft.constant(ty, number));
    let zero = draft.constant(ty, 0);
    match random.below(4) {
        // Squares are 0 or 1 modulo 4.
        0 => {
            let square = draft.emit(list, Op::IMul, ty, ids([id, id]));
            let low = draft.emit(list, Op::BitwiseAnd, ty, ids([square, three]));
            draft.emit(list, Op::ULessThan, bool_type, ids([low, two]))
        }
        // One of two neighbors is even.
        1 => {
            let next = draft.emit(list, Op::IAdd, ty, ids([id, one]));
            let product = draft.emit(list, Op::IMul, ty, ids([id, next]));
            let low = draft.emit(list, Op::BitwiseAnd, ty, ids([product, one]));
            draft.emit(list, Op::IEqual, bool_type, ids([low, zero]))
        }
        2 => {
            let odd = draft.emit(list, Op::BitwiseOr, ty, ids([id, one]));
            draft.emit(list, Op::INotEqual, bool_type, ids([odd, zero]))
        }
        _ => {
            let low = draft.emit(list, Op::BitwiseAnd, ty, ids([id, two]));
            draft.emit(list, Op::ULessThanEqual, bool_type, ids([low, three]))
        }
    }
}

/// Computes a condition that may differ between invocations.
pub(crate) fn decision(
    draft: &mut Draft,
    list: &mut Vec<Instruction>,
    place: Place,
    flow: &Flow,
    random: &mut Random,
) -> u32 {
    let is_number = |kind: &Kind| matches!(kind, Kind::Int(32, _) | Kind::Float(32));
    let known = definite(draft, place, flow, is_number);
    if known.is_empty() {
        let truth = random.chance(50);
        return opaque(draft, list, truth, place, flow, random);
    }
    let bool_type = draft.bool_type();
    let (id, ty) = random.pick(&known);
    if matches!(draft.types.kind(ty), Kind::Float(_)) {
        let limit = draft.constant(ty, (random.below(64) as f32 / 8.0).to_bits());
        return draft.emit(list, Op::FOrdLessThan, bool_type, ids([id, limit]));
    }
    let [bit, zero] = [1 << random.below(4), 0].map(|number| draft.constant(ty, number));
    let masked = draft.emit(list, Op::BitwiseAnd, ty, ids([id, bit]));
    draft.emit(list, Op::INotEqual, bool_type, ids([masked, zero]))
}

/// Values at a place that depend on nothing that was never written, with their types.
fn definite(
    draft: &Draft,
    place: Place,
    flow: &Flow,
    fits: impl Fn(&Kind) -> bool,
) -> Vec<(u32, u32)> {
    let all = draft.results_at(place, flow).into_iter();
    let definite = all.filter_map(|id| {
        let ty = draft.type_of(id).filter(|&ty| fits(draft.types.kind(ty)))?;
        is_definite(draft, place.function, flow, id, DEPTH).then_some((id, ty))
    });
    definite.collect()
}

/// True if a value depends on nothing that was never written. Values of variables may, even if the
/// program never shows them.
fn is_definite(draft: &Draft, function: usize, flow: &Flow, id: u32, depth: usize) -> bool {
    if let Some(global) = draft.global(id) {
        return matches!(global.class.opcode, Op::Constant | Op::ConstantNull | Op::SpecConstant);
    }
    let Some((block, at)) = flow.maker(id) else { return false };
    let made = &draft.body(function, block)[at];
    let mut operands = made.operands.iter().filter_map(Operand::id_ref_any);
    match made.class.opcode {
        Op::Load => operands.next().is_some_and(|pointer| is_given(draft, function, flow, pointer)),
        op if is_total(op) && depth > 0 => {
            operands.all(|operand| is_definite(draft, function, flow, operand, depth - 1))
        }
        _ => false,
    }
}

/// True if a pointer leads to memory that has a value before the program begins.
fn is_given(draft: &Draft, function: usize, flow: &Flow, pointer: u32) -> bool {
    if draft.kept.contains(&pointer) {
        return true;
    }
    let class = draft.type_of(pointer).and_then(|ty| draft.types.pointee(ty));
    match class.map(|(class, _)| class) {
        Some(StorageClass::Uniform | StorageClass::PushConstant) => true,
        Some(StorageClass::Input) => {
            let maker = flow.maker(pointer).map(|(block, at)| &draft.body(function, block)[at]);
            let chain = maker.filter(|i| matches!(i.class.opcode, Op::AccessChain));
            let variable = chain.and_then(|i| i.operands[0].id_ref_any()).unwrap_or(pointer);
            is_given_input(draft, variable)
        }
        _ => false,
    }
}

/// True if an input is one that the implementation computes for every invocation.
fn is_given_input(draft: &Draft, variable: u32) -> bool {
    let given = [
        BuiltIn::FragCoord,
        BuiltIn::GlobalInvocationId,
        BuiltIn::LocalInvocationId,
        BuiltIn::LocalInvocationIndex,
        BuiltIn::WorkgroupId,
        BuiltIn::NumWorkgroups,
        BuiltIn::VertexIndex,
        BuiltIn::InstanceIndex,
        BuiltIn::VertexId,
        BuiltIn::InstanceId,
        BuiltIn::InvocationId,
    ];
    draft.module.annotations.iter().any(|annotation| match annotation.operands[..] {
        [Operand::IdRef(id), Operand::Decoration(Decoration::BuiltIn), Operand::BuiltIn(which)] => {
            id == variable && given.contains(&which)
        }
        _ => false,
    })
}
