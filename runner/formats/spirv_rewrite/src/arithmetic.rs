//! Other instructions for the same values.

use crate::random::Random;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::Op;

use crate::copies::replace;
use crate::draft::{Draft, ids, result};
use crate::place::Place;
use crate::types::Kind;

/// Exchanges the operands of an instruction that permits it, or of a comparison that is turned.
pub(crate) fn commute(draft: &mut Draft, random: &mut Random) -> bool {
    let Some(place) = draft.any_instruction(random, |_, i| turned(i.class.opcode).is_some()) else {
        return false;
    };
    let old = instruction_at(draft, place);
    let Some(op) = turned(old.class.opcode) else { return false };
    let operands = vec![old.operands[1].clone(), old.operands[0].clone()];
    *old = Instruction::new(op, old.result_type, old.result_id, operands);
    true
}

/// Replaces a comparison by the negation of its opposite.
pub(crate) fn invert_comparison(draft: &mut Draft, random: &mut Random) -> bool {
    let Some(place) = draft.any_instruction(random, |_, i| opposite(i.class.opcode).is_some())
    else {
        return false;
    };
    let old = instruction_at(draft, place).clone();
    let (Some(op), Some(ty), Some(id)) =
        (opposite(old.class.opcode), old.result_type, old.result_id)
    else {
        return false;
    };
    let other = draft.fresh_value(ty);
    let list =
        vec![result(op, ty, other, old.operands), result(Op::LogicalNot, ty, id, ids([other]))];
    exchange(draft, place, list);
    true
}

/// Computes the components of a vector one by one.
pub(crate) fn by_components(draft: &mut Draft, random: &mut Random) -> bool {
    let is_vector = |draft: &Draft, i: &Instruction| {
        let of_vector = |ty| matches!(draft.types.kind(ty), Kind::Vector(..));
        is_by_component(i.class.opcode) && i.result_type.is_some_and(of_vector)
    };
    let Some(place) = draft.any_instruction(random, is_vector) else { return false };
    let old = instruction_at(draft, place).clone();
    let (Some(ty), Some(id)) = (old.result_type, old.result_id) else { return false };
    let (component, count) = draft.types.components(ty);
    let mut list = Vec::new();
    let mut components = Vec::new();
    for index in 0..count {
        let mut operands = Vec::new();
        for vector in old.operands.iter().filter_map(Operand::id_ref_any) {
            let Some(of) = draft.type_of(vector) else { return false };
            let part = draft.types.components(of).0;
            let extract = vec![Operand::IdRef(vector), Operand::LiteralBit32(index)];
            let part = draft.emit(&mut list, Op::CompositeExtract, part, extract);
            operands.push(Operand::IdRef(part));
        }
        let computed = draft.emit(&mut list, old.class.opcode, component, operands);
        draft.decorate_like(computed, id);
        components.push(Operand::IdRef(computed));
    }
    list.push(result(Op::CompositeConstruct, ty, id, components));
    exchange(draft, place, list);
    true
}

/// Uses a value after operations that give it back.
pub(crate) fn add_identity(draft: &mut Draft, random: &mut Random) -> bool {
    let is_scalar_or_vector = |draft: &Draft, ty: u32| {
        let (component, _) = draft.types.components(ty);
        match draft.types.kind(component) {
            Kind::Bool => true,
            Kind::Int(bits, _) | Kind::Float(bits) => *bits == 32,
            _ => false,
        }
    };
    replace(draft, random, is_scalar_or_vector, |draft, list, id, random| {
        let ty = draft.type_of(id)?;
        let (component, count) = draft.types.components(ty);
        match draft.types.kind(component).clone() {
            Kind::Bool => Some(bool_identity(draft, list, ty, id, random)),
            Kind::Int(..) => Some(int_identity(draft, list, ty, id, random)),
            _ => {
                let int = draft.int_type(random.chance(50));
                let int = if count == 1 { int } else { draft.vector_type(int, count) };
                let bits = draft.emit(list, Op::Bitcast, int, ids([id]));
                let same = int_identity(draft, list, int, bits, random);
                Some(draft.emit(list, Op::Bitcast, ty, ids([same])))
            }
        }
    })
}

fn bool_identity(
    draft: &mut Draft,
    list: &mut Vec<Instruction>,
    ty: u32,
    id: u32,
    random: &mut Random,
) -> u32 {
    let zero = draft.null(ty);
    match random.below(4) {
        0 => {
            let not = draft.emit(list, Op::LogicalNot, ty, ids([id]));
            draft.emit(list, Op::LogicalNot, ty, ids([not]))
        }
        1 => draft.emit(list, Op::LogicalOr, ty, ids([zero, id])),
        2 => draft.emit(list, Op::LogicalNotEqual, ty, ids([id, zero])),
        _ => draft.emit(list, Op::LogicalAnd, ty, ids([id, id])),
    }
}

fn int_identity(
    draft: &mut Draft,
    list: &mut Vec<Instruction>,
    ty: u32,
    id: u32,
    random: &mut Random,
) -> u32 {
    let zero = draft.null(ty);
    match random.below(7) {
        0 => draft.emit(list, Op::IAdd, ty, ids([id, zero])),
        1 => draft.emit(list, Op::BitwiseXor, ty, ids([zero, id])),
        2 => {
            let not = draft.emit(list, Op::Not, ty, ids([id]));
            draft.emit(list, Op::Not, ty, ids([not]))
        }
        3 => {
            let negative = draft.emit(list, Op::SNegate, ty, ids([id]));
            draft.emit(list, Op::ISub, ty, ids([zero, negative]))
        }
        4 => draft.emit(list, Op::BitwiseAnd, ty, ids([id, id])),
        5 => {
            let double = draft.emit(list, Op::IAdd, ty, ids([id, id]));
            draft.emit(list, Op::ISub, ty, ids([double, id]))
        }
        _ => {
            let ones = draft.emit(list, Op::Not, ty, ids([zero]));
            draft.emit(list, Op::BitwiseAnd, ty, ids([ones, id]))
        }
    }
}

fn instruction_at(draft: &mut Draft, place: Place) -> &mut Instruction {
    &mut draft.module.functions[place.function].blocks[place.block].instructions[place.index]
}

/// Replaces an instruction.
fn exchange(draft: &mut Draft, place: Place, list: Vec<Instruction>) {
    let block = &mut draft.module.functions[place.function].blocks[place.block];
    block.instructions.splice(place.index..=place.index, list);
}

/// The instruction that computes the same of exchanged operands.
fn turned(op: Op) -> Option<Op> {
    use Op as O;
    Some(match op {
        O::IAdd
        | O::IMul
        | O::FAdd
        | O::FMul
        | O::BitwiseAnd
        | O::BitwiseOr
        | O::BitwiseXor
        | O::LogicalAnd
        | O::LogicalOr
        | O::LogicalEqual
        | O::LogicalNotEqual
        | O::IEqual
        | O::INotEqual
        | O::FOrdEqual
        | O::FUnordEqual
        | O::FOrdNotEqual
        | O::FUnordNotEqual
        | O::Dot => op,
        O::SLessThan => O::SGreaterThan,
        O::SGreaterThan => O::SLessThan,
        O::SLessThanEqual => O::SGreaterThanEqual,
        O::SGreaterThanEqual => O::SLessThanEqual,
        O::ULessThan => O::UGreaterThan,
        O::UGreaterThan => O::ULessThan,
        O::ULessThanEqual => O::UGreaterThanEqual,
        O::UGreaterThanEqual => O::ULessThanEqual,
        O::FOrdLessThan => O::FOrdGreaterThan,
        O::FOrdGreaterThan => O::FOrdLessThan,
        O::FOrdLessThanEqual => O::FOrdGreaterThanEqual,
        O::FOrdGreaterThanEqual => O::FOrdLessThanEqual,
        O::FUnordLessThan => O::FUnordGreaterThan,
        O::FUnordGreaterThan => O::FUnordLessThan,
        O::FUnordLessThanEqual => O::FUnordGreaterThanEqual,
        O::FUnordGreaterThanEqual => O::FUnordLessThanEqual,
        _ => return None,
    })
}

/// The comparison that is true where another one is false.
fn opposite(op: Op) -> Option<Op> {
    use Op as O;
    Some(match op {
        O::IEqual => O::INotEqual,
        O::INotEqual => O::IEqual,
        O::LogicalEqual => O::LogicalNotEqual,
        O::LogicalNotEqual => O::LogicalEqual,
        O::SLessThan => O::SGreaterThanEqual,
        O::SGreaterThanEqual => O::SLessThan,
        O::SGreaterThan => O::SLessThanEqual,
        O::SLessThanEqual => O::SGreaterThan,
        O::ULessThan => O::UGreaterThanEqual,
        O::UGreaterThanEqual => O::ULessThan,
        O::UGreaterThan => O::ULessThanEqual,
        O::ULessThanEqual => O::UGreaterThan,
        O::FOrdEqual => O::FUnordNotEqual,
        O::FUnordNotEqual => O::FOrdEqual,
        O::FOrdNotEqual => O::FUnordEqual,
        O::FUnordEqual => O::FOrdNotEqual,
        O::FOrdLessThan => O::FUnordGreaterThanEqual,
        O::FUnordGreaterThanEqual => O::FOrdLessThan,
        O::FOrdGreaterThan => O::FUnordLessThanEqual,
        O::FUnordLessThanEqual => O::FOrdGreaterThan,
        O::FOrdLessThanEqual => O::FUnordGreaterThan,
        O::FUnordGreaterThan => O::FOrdLessThanEqual,
        O::FOrdGreaterThanEqual => O::FUnordLessThan,
        O::FUnordLessThan => O::FOrdGreaterThanEqual,
        _ => return None,
    })
}

/// True if an instruction computes each component of a vector from those of its operands.
fn is_by_component(op: Op) -> bool {
    use Op as O;
    let is_computed = matches!(
        op,
        O::IAdd
            | O::ISub
            | O::IMul
            | O::FAdd
            | O::FSub
            | O::FMul
            | O::BitwiseAnd
            | O::BitwiseOr
            | O::BitwiseXor
            | O::Not
            | O::SNegate
            | O::FNegate
            | O::LogicalNot
            | O::ShiftLeftLogical
            | O::ShiftRightLogical
            | O::ShiftRightArithmetic
            | O::ConvertSToF
            | O::ConvertUToF
    );
    is_computed || turned(op).is_some_and(|_| op != O::Dot)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opposites_and_turned_comparisons_come_back() {
        let all = (0..1000).filter_map(Op::from_u32);
        for op in all {
            assert_eq!(opposite(op).and_then(opposite), opposite(op).map(|_| op), "{op:?}");
            assert_eq!(turned(op).and_then(turned), turned(op).map(|_| op), "{op:?}");
        }
    }
}
