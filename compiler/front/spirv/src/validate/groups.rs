//! Instructions on the invocations of a subgroup: scopes, types, and sizes of clusters.

use rspirv::spirv::{GroupOperation, Op, Scope};

use super::memory::scope_or_semantics;
use super::view::{Kind, NumericShape};
use crate::error::Error;
use crate::module::{Instruction, Module};

/// A type of a result or an operand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum T {
    /// A scalar or vector.
    Value,
    /// A scalar or vector of integers.
    Ints,
    /// A scalar or vector of unsigned integers.
    Unsigned,
    /// A scalar or vector of floats.
    Floats,
    /// A scalar or vector of booleans.
    Bools,
    /// A single boolean.
    Bool,
    /// A single unsigned integer.
    Number,
    /// Four unsigned integers of 32 bits.
    Ballot,
    /// That of the result.
    Same,
}

/// The type of the result, and those of the operands behind scope and group operation.
fn signature(op: Op) -> Option<(T, &'static [T])> {
    Some(match op {
        Op::GroupNonUniformElect => (T::Bool, &[]),
        Op::GroupNonUniformAll | Op::GroupNonUniformAny => (T::Bool, &[T::Bool]),
        Op::GroupNonUniformAllEqual => (T::Bool, &[T::Value]),
        Op::GroupNonUniformBroadcastFirst => (T::Value, &[T::Same]),
        Op::GroupNonUniformBroadcast
        | Op::GroupNonUniformQuadBroadcast
        | Op::GroupNonUniformQuadSwap
        | Op::GroupNonUniformShuffle
        | Op::GroupNonUniformShuffleXor
        | Op::GroupNonUniformShuffleUp
        | Op::GroupNonUniformShuffleDown => (T::Value, &[T::Same, T::Number]),
        Op::GroupNonUniformBallot => (T::Ballot, &[T::Bool]),
        Op::GroupNonUniformInverseBallot => (T::Bool, &[T::Ballot]),
        Op::GroupNonUniformBallotBitExtract => (T::Bool, &[T::Ballot, T::Number]),
        Op::GroupNonUniformBallotBitCount
        | Op::GroupNonUniformBallotFindLSB
        | Op::GroupNonUniformBallotFindMSB => (T::Number, &[T::Ballot]),
        Op::GroupNonUniformFAdd
        | Op::GroupNonUniformFMul
        | Op::GroupNonUniformFMin
        | Op::GroupNonUniformFMax => (T::Floats, &[T::Same]),
        Op::GroupNonUniformUMin | Op::GroupNonUniformUMax => (T::Unsigned, &[T::Same]),
        Op::GroupNonUniformIAdd
        | Op::GroupNonUniformIMul
        | Op::GroupNonUniformSMin
        | Op::GroupNonUniformSMax
        | Op::GroupNonUniformBitwiseAnd
        | Op::GroupNonUniformBitwiseOr
        | Op::GroupNonUniformBitwiseXor => (T::Ints, &[T::Same]),
        Op::GroupNonUniformLogicalAnd
        | Op::GroupNonUniformLogicalOr
        | Op::GroupNonUniformLogicalXor => (T::Bools, &[T::Same]),
        _ => return None,
    })
}

fn is_of(shape: NumericShape, wanted: T) -> bool {
    match wanted {
        T::Value | T::Same => true,
        T::Ints => shape.is_int(),
        T::Unsigned => shape.is_unsigned(),
        T::Floats => shape.is_float(),
        T::Bools => shape.is_bool(),
        T::Bool => shape.is_bool() && shape.count == 1,
        T::Number => shape.is_unsigned() && shape.count == 1,
        T::Ballot => shape.is_unsigned() && shape.bits() == 32 && shape.count == 4,
    }
}

fn types(module: &Module, i: &Instruction) -> Result<(), Error> {
    let Some((result, operands)) = signature(i.op) else { return Ok(()) };
    let fits = module.shape(i.ty).is_some_and(|shape| is_of(shape, result));
    module.demand(i, fits, "the result has another type")?;
    let has_operation = i.literal_at(1).is_some();
    for (index, &wanted) in (1 + usize::from(has_operation)..).zip(operands) {
        let fits = match wanted {
            T::Same => module.operand_type(i, index)? == i.ty,
            _ => is_of(module.operand_shape(i, index)?, wanted),
        };
        if !fits {
            return Err(module.error(i, format!("operand {index} has another type")));
        }
    }
    Ok(())
}

pub(crate) fn check(module: &Module, i: &Instruction) -> Result<(), Error> {
    let numbers = Op::GroupNonUniformElect as u32..=Op::GroupNonUniformQuadSwap as u32;
    if !numbers.contains(&(i.op as u32)) {
        return Ok(());
    }
    scope_or_semantics(module, i, 0)?;
    let scope = i.id_at(0).and_then(|id| module.fixed_integer(id));
    let fits = scope.is_none_or(|scope| {
        [Scope::Subgroup, Scope::Workgroup].into_iter().any(|own| scope == own as u64)
    });
    module.demand(i, fits, "the scope is neither a subgroup nor a work group")?;
    types(module, i)?;
    if module.version < 0x10500
        && matches!(i.op, Op::GroupNonUniformBroadcast | Op::GroupNonUniformQuadBroadcast)
    {
        let is_constant = i.id_at(2).is_some_and(|id| module.is_constant_id(id));
        module.demand(i, is_constant, "the invocation is no constant before version 1.5")?;
    }
    if i.literal_at(1) != Some(GroupOperation::ClusteredReduce as u32) || i.operands.len() < 4 {
        return Ok(());
    }
    let size = module.operand_shape(i, 3)?;
    let is_number = matches!(size.scalar, Kind::Int { signed: false, .. }) && size.count == 1;
    module.demand(i, is_number, "the size of clusters is no unsigned integer")
}
