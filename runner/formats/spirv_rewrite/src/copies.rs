//! Values that take a way around: copies, parts put together again, variables.

use crate::random::Random;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Op, StorageClass};

use crate::draft::{Draft, effect, ids};

/// Uses a copy of a value: `OpCopyObject`.
pub(crate) fn copy_value(draft: &mut Draft, random: &mut Random) -> bool {
    replace(
        draft,
        random,
        |_, _| true,
        |draft, list, id, _| {
            let ty = draft.type_of(id)?;
            Some(draft.emit(list, Op::CopyObject, ty, ids([id])))
        },
    )
}

/// Uses a composite that is put together from its parts.
pub(crate) fn rebuild_composite(draft: &mut Draft, random: &mut Random) -> bool {
    let has_parts = |draft: &Draft, ty: u32| draft.types.parts(ty).is_some();
    replace(draft, random, has_parts, |draft, list, id, random| {
        let ty = draft.type_of(id)?;
        let parts = draft.types.parts(ty)?;
        let mut extracted = Vec::new();
        for (part, index) in parts.iter().zip(0..) {
            let operands = vec![Operand::IdRef(id), Operand::LiteralBit32(index)];
            extracted.push(draft.emit(list, Op::CompositeExtract, *part, operands));
        }
        if random.chance(60) {
            let operands = extracted.into_iter().map(Operand::IdRef).collect();
            return Some(draft.emit(list, Op::CompositeConstruct, ty, operands));
        }
        // Each part replaces that of a zero.
        let mut whole = draft.null(ty);
        for (part, index) in extracted.into_iter().zip(0..) {
            let mut operands = ids([part, whole]);
            operands.push(Operand::LiteralBit32(index));
            whole = draft.emit(list, Op::CompositeInsert, ty, operands);
        }
        Some(whole)
    })
}

/// Uses a value that a variable kept.
pub(crate) fn through_variable(draft: &mut Draft, random: &mut Random) -> bool {
    let Some((function, flow)) = draft.any_function(random) else { return false };
    let fits = |draft: &Draft, id| draft.type_of(id).is_some_and(|ty| draft.types.is_storable(ty));
    let Some(found) = draft.any_use(function, &flow, random, |draft, found| fits(draft, found.id))
    else {
        return false;
    };
    let Some(ty) = draft.type_of(found.id) else { return false };
    let initial = random.chance(50).then(|| draft.null(ty));
    let variable = draft.local(function, ty, initial);
    let mut list = vec![effect(Op::Store, ids([variable, found.id]))];
    let loaded = draft.emit(&mut list, Op::Load, ty, ids([variable]));
    draft.replace_use(found, list, loaded);
    true
}

/// Loads or stores through a copy of a pointer.
pub(crate) fn copy_pointer(draft: &mut Draft, random: &mut Random) -> bool {
    let Some(place) = draft.any_instruction(random, is_access) else { return false };
    let access = &draft.body(place.function, place.block)[place.index];
    let Some(pointer) = access.operands[0].id_ref_any() else { return false };
    let Some(ty) = draft.type_of(pointer) else { return false };
    let mut list = Vec::new();
    let copy = draft.emit(&mut list, Op::CopyObject, ty, ids([pointer]));
    let block = &mut draft.module.functions[place.function].blocks[place.block];
    block.instructions[place.index].operands[0] = Operand::IdRef(copy);
    draft.insert(place, list);
    true
}

/// True if an instruction loads or stores a plain value.
fn is_access(draft: &Draft, instruction: &Instruction) -> bool {
    let pointer = match instruction.class.opcode {
        Op::Load | Op::Store => instruction.operands.first().and_then(Operand::id_ref_any),
        _ => None,
    };
    let pointee = pointer.and_then(|id| draft.types.pointee(draft.type_of(id)?));
    pointee.is_some_and(|(class, to)| {
        let is_memory = !matches!(class, StorageClass::UniformConstant | StorageClass::Image);
        is_memory && draft.types.is_plain(to)
    })
}

/// Replaces a use of a value whose type fits by what `make` computes of it.
pub(crate) fn replace(
    draft: &mut Draft,
    random: &mut Random,
    fits: impl Fn(&Draft, u32) -> bool,
    make: impl FnOnce(&mut Draft, &mut Vec<Instruction>, u32, &mut Random) -> Option<u32>,
) -> bool {
    let Some((function, flow)) = draft.any_function(random) else { return false };
    let found = draft.any_use(function, &flow, random, |draft, found| {
        draft.type_of(found.id).is_some_and(|ty| fits(draft, ty))
    });
    let Some(found) = found else { return false };
    let mut list = Vec::new();
    let Some(by) = make(draft, &mut list, found.id, random) else { return false };
    draft.replace_use(found, list, by);
    true
}
