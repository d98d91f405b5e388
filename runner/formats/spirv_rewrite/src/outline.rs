//! Instructions as a function of their own.

use std::collections::BTreeSet;

use crate::random::Random;
use rspirv::dr::{Block, Function, Instruction, Operand};
use rspirv::spirv::{FunctionControl, Op, StorageClass};

use crate::draft::{Draft, effect, ids, result};
use crate::pieces::rename;
use crate::place::{Place, TRIES, epilogue, prologue};

/// Most instructions of such a function.
const MOST: usize = 20;
/// Most parameters.
const MOST_PARAMETERS: usize = 12;

/// Moves instructions to a new function, and calls it.
pub(crate) fn outline(draft: &mut Draft, random: &mut Random) -> bool {
    let Some((function, flow)) = draft.any_function(random) else { return false };
    for _ in 0..TRIES {
        let Some(place) = draft.any_place(function, &flow, random) else { continue };
        let body = draft.body(function, place.block);
        let first = place.index.max(prologue(body));
        let last = epilogue(body).min(first + random.between(1, MOST));
        let count = body[first..last.max(first)].iter().take_while(|i| is_outlined(i)).count();
        let place = Place { index: first, ..place };
        let end = first + count;
        let escaping = draft.used_outside(place, end);
        let Some(inputs) = inputs(draft, place, end) else { continue };
        let is_small = inputs.len() <= MOST_PARAMETERS;
        if count > 0 && is_small && escaping.iter().all(|&id| draft.is_plain(id)) {
            move_out(draft, place, end, &inputs, &escaping);
            return true;
        }
    }
    false
}

/// True if an instruction may be in any function.
fn is_outlined(instruction: &Instruction) -> bool {
    use Op as O;
    let op = instruction.class.opcode;
    crate::place::is_arithmetic(op)
        || matches!(
            op,
            O::Load
                | O::Store
                | O::AccessChain
                | O::ExtInst
                | O::FunctionCall
                | O::Undef
                | O::DPdx
                | O::DPdy
                | O::Fwidth
                | O::ImageSampleImplicitLod
                | O::ImageSampleExplicitLod
                | O::ImageFetch
                | O::ImageRead
                | O::ImageWrite
        )
}

/// Values and variables of the function that instructions use; `None` if one cannot be passed on.
fn inputs(draft: &Draft, place: Place, end: usize) -> Option<Vec<u32>> {
    let function = &draft.module.functions[place.function];
    let piece = &function.blocks[place.block].instructions[place.index..end];
    let made: BTreeSet<u32> = piece.iter().filter_map(|i| i.result_id).collect();
    let is_variable = |id: u32| {
        let of_function = |i: &&Instruction| i.result_id == Some(id);
        let mut all = function.blocks.iter().flat_map(|block| &block.instructions);
        all.find(of_function).is_none_or(|i| i.class.opcode == Op::Variable)
    };
    let locals: BTreeSet<u32> = function
        .all_inst_iter()
        .filter(|i| i.class.opcode != Op::Function && i.class.opcode != Op::Label)
        .filter_map(|i| i.result_id)
        .collect();
    let mut inputs = Vec::new();
    for id in piece.iter().flat_map(|i| &i.operands).filter_map(Operand::id_ref_any) {
        if made.contains(&id) || !locals.contains(&id) || inputs.contains(&id) {
            continue;
        }
        let ty = draft.type_of(id)?;
        let may_pass = match draft.types.pointee(ty) {
            Some((StorageClass::Function, _)) => is_variable(id),
            Some(_) => false,
            None => draft.types.is_plain(ty),
        };
        if !may_pass {
            return None;
        }
        inputs.push(id);
    }
    Some(inputs)
}

/// Moves instructions to a function with parameters, and calls it for the results that are used.
fn move_out(draft: &mut Draft, place: Place, end: usize, inputs: &[u32], escaping: &[u32]) {
    let block = &mut draft.module.functions[place.function].blocks[place.block];
    let mut piece: Vec<Instruction> = block.instructions.drain(place.index..end).collect();
    let mut types = Vec::new();
    let mut parameters = Vec::new();
    for &input in inputs {
        let Some(ty) = draft.type_of(input) else { continue };
        let parameter = draft.fresh_value(ty);
        types.push(ty);
        parameters.push(result(Op::FunctionParameter, ty, parameter, Vec::new()));
        let operands = piece.iter_mut().flat_map(|i| &mut i.operands);
        let uses = operands.filter(|operand| **operand == Operand::IdRef(input));
        uses.for_each(|operand| *operand = Operand::IdRef(parameter));
    }
    let names = rename(draft, &mut piece);
    let inside = |id: &u32| names.iter().find(|(old, _)| old == id).map_or(*id, |(_, new)| *new);
    let results: Vec<u32> = escaping.iter().filter_map(|&id| draft.type_of(id)).collect();
    let arguments = inputs.iter().copied().map(Operand::IdRef);
    let callee = draft.fresh();
    let call: Vec<Operand> = [Operand::IdRef(callee)].into_iter().chain(arguments).collect();
    let mut calling = Vec::new();
    let of = match (escaping, &results[..]) {
        ([], _) => {
            let void = draft.void_type();
            piece.push(effect(Op::Return, Vec::new()));
            let id = draft.fresh();
            calling.push(result(Op::FunctionCall, void, id, call));
            void
        }
        ([one], &[ty]) => {
            piece.push(effect(Op::ReturnValue, ids([inside(one)])));
            calling.push(result(Op::FunctionCall, ty, *one, call));
            ty
        }
        _ => {
            let ty = draft.struct_type(&results);
            let parts = escaping.iter().map(|id| Operand::IdRef(inside(id))).collect();
            let whole = draft.emit(&mut piece, Op::CompositeConstruct, ty, parts);
            piece.push(effect(Op::ReturnValue, ids([whole])));
            let returned = draft.emit(&mut calling, Op::FunctionCall, ty, call);
            for ((&id, &part), index) in escaping.iter().zip(&results).zip(0..) {
                let operands = vec![Operand::IdRef(returned), Operand::LiteralBit32(index)];
                calling.push(result(Op::CompositeExtract, part, id, operands));
            }
            ty
        }
    };
    draft.insert(place, calling);
    let ty = draft.function_type(of, &types);
    let control = Operand::FunctionControl(FunctionControl::NONE);
    let label = draft.fresh();
    let label = Instruction::new(Op::Label, None, Some(label), Vec::new());
    draft.module.functions.push(Function {
        def: Some(result(Op::Function, of, callee, vec![control, Operand::IdRef(ty)])),
        end: Some(effect(Op::FunctionEnd, Vec::new())),
        parameters,
        blocks: vec![Block { label: Some(label), instructions: piece }],
    });
}
