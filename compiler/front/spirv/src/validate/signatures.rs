//! Types of results and operands of arithmetic, bit, logical and conversion instructions.

use rspirv::spirv::Op;

use super::view::{Kind, NumericShape, is_derivative};
use crate::error::Error;
use crate::module::{Instruction, Module};

/// Type of a result.
#[derive(Clone, Copy, PartialEq, Eq)]
enum R {
    Float,
    Int,
    Unsigned,
    Bool,
    /// A single boolean.
    OneBool,
    /// A float of 32 bits.
    Float32,
}

/// Type of an operand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum O {
    /// That of the result.
    Same,
    /// An integer of the result's width and count.
    Like,
    /// An integer of the result's count.
    Int,
    /// An integer of the result's count and another width.
    OtherInt,
    /// A float of the result's count.
    Float,
    /// A float of the result's count and another width.
    OtherFloat,
    /// A single integer.
    OneInt,
    /// A vector of booleans.
    Bools,
    /// That of the first operand, a float.
    FirstFloat,
    /// An integer of the first operand's width.
    FirstInt,
}

fn signature(op: Op) -> Option<(R, &'static [O])> {
    Some(match op {
        Op::FNegate => (R::Float, &[O::Same]),
        Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FRem | Op::FMod => {
            (R::Float, &[O::Same, O::Same])
        }
        Op::SNegate | Op::Not => (R::Int, &[O::Like]),
        Op::IAdd | Op::ISub | Op::IMul | Op::SDiv | Op::SRem | Op::SMod => {
            (R::Int, &[O::Like, O::Like])
        }
        Op::BitwiseAnd | Op::BitwiseOr | Op::BitwiseXor => (R::Int, &[O::Like, O::Like]),
        Op::UDiv | Op::UMod => (R::Unsigned, &[O::Same, O::Same]),
        Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic => {
            (R::Int, &[O::Like, O::Int])
        }
        Op::BitCount => (R::Int, &[O::Int]),
        Op::BitReverse => (R::Int, &[O::Same]),
        Op::UCountLeadingZerosINTEL | Op::UCountTrailingZerosINTEL => (R::Unsigned, &[O::Same]),
        Op::AbsISubINTEL
        | Op::AbsUSubINTEL
        | Op::IAddSatINTEL
        | Op::UAddSatINTEL
        | Op::IAverageINTEL
        | Op::UAverageINTEL
        | Op::IAverageRoundedINTEL
        | Op::UAverageRoundedINTEL
        | Op::ISubSatINTEL
        | Op::USubSatINTEL
        | Op::IMul32x16INTEL
        | Op::UMul32x16INTEL => (R::Int, &[O::Like, O::Like]),
        Op::BitFieldInsert => (R::Int, &[O::Same, O::Same, O::OneInt, O::OneInt]),
        Op::BitFieldSExtract | Op::BitFieldUExtract => (R::Int, &[O::Same, O::OneInt, O::OneInt]),
        Op::LogicalAnd | Op::LogicalOr | Op::LogicalEqual | Op::LogicalNotEqual => {
            (R::Bool, &[O::Same, O::Same])
        }
        Op::LogicalNot => (R::Bool, &[O::Same]),
        Op::Any | Op::All => (R::OneBool, &[O::Bools]),
        Op::IsNan | Op::IsInf => (R::Bool, &[O::Float]),
        Op::FOrdEqual
        | Op::FUnordEqual
        | Op::FOrdNotEqual
        | Op::FUnordNotEqual
        | Op::FOrdLessThan
        | Op::FUnordLessThan
        | Op::FOrdGreaterThan
        | Op::FUnordGreaterThan
        | Op::FOrdLessThanEqual
        | Op::FUnordLessThanEqual
        | Op::FOrdGreaterThanEqual
        | Op::FUnordGreaterThanEqual
        | Op::LessOrGreater
        | Op::Ordered
        | Op::Unordered => (R::Bool, &[O::Float, O::FirstFloat]),
        Op::IEqual
        | Op::INotEqual
        | Op::ULessThan
        | Op::ULessThanEqual
        | Op::UGreaterThan
        | Op::UGreaterThanEqual
        | Op::SLessThan
        | Op::SLessThanEqual
        | Op::SGreaterThan
        | Op::SGreaterThanEqual => (R::Bool, &[O::Int, O::FirstInt]),
        Op::ConvertFToU => (R::Unsigned, &[O::Float]),
        Op::ConvertFToS => (R::Int, &[O::Float]),
        Op::ConvertSToF | Op::ConvertUToF => (R::Float, &[O::Int]),
        Op::UConvert => (R::Unsigned, &[O::OtherInt]),
        Op::SConvert => (R::Int, &[O::OtherInt]),
        Op::FConvert => (R::Float, &[O::OtherFloat]),
        Op::QuantizeToF16 => (R::Float32, &[O::Same]),
        op if is_derivative(op) => (R::Float32, &[O::Same]),
        _ => return None,
    })
}

pub(crate) fn check(module: &Module, i: &Instruction) -> Result<(), Error> {
    let Some((result, operands)) = signature(i.op) else { return linear(module, i) };
    let Some(shape) = module.shape(i.ty) else {
        return Err(module.error(i, "the result is no scalar or vector"));
    };
    let fits = match result {
        R::Float => shape.is_float(),
        R::Int => shape.is_int(),
        R::Unsigned => shape.is_unsigned(),
        R::Bool => shape.is_bool(),
        R::OneBool => shape.is_bool() && shape.count == 1,
        R::Float32 => shape.is_float() && shape.bits() == 32,
    };
    module.demand(i, fits, "the result has another type")?;
    for (index, &operand) in operands.iter().enumerate() {
        if !fits_operand(module, i, shape, index, operand)? {
            return Err(module.error(i, format!("operand {index} has another type")));
        }
    }
    Ok(())
}

fn fits_operand(
    module: &Module,
    i: &Instruction,
    result: NumericShape,
    index: usize,
    wanted: O,
) -> Result<bool, Error> {
    let ty = module.operand_type(i, index)?;
    if wanted == O::Same {
        return Ok(ty == i.ty);
    }
    let own = module.operand_shape(i, index)?;
    let is_count = own.count == result.count;
    Ok(match wanted {
        O::Same => false,
        O::Like => own.is_int() && is_count && own.bits() == result.bits(),
        O::Int => own.is_int() && is_count,
        O::OtherInt => own.is_int() && is_count && own.bits() != result.bits(),
        O::Float => own.is_float() && is_count,
        O::OtherFloat => own.is_float() && is_count && own.bits() != result.bits(),
        O::OneInt => own.is_int() && own.count == 1,
        O::Bools => own.is_bool() && own.count > 1,
        O::FirstFloat => own.is_float() && ty == module.operand_type(i, 0)?,
        O::FirstInt => own.is_int() && is_count && own.bits() == module.operand_shape(i, 0)?.bits(),
    })
}

/// Linear algebra, and instructions whose operands differ in kind.
fn linear(module: &Module, i: &Instruction) -> Result<(), Error> {
    let ty = |index| module.operand_type(i, index);
    let fits = match i.op {
        Op::Dot => {
            let (a, b) = (module.operand_shape(i, 0)?, ty(1)?);
            a.is_float() && a.count > 1 && b == ty(0)? && module.kind(i.ty) == a.scalar
        }
        Op::VectorTimesScalar => {
            let a = module.operand_shape(i, 0)?;
            a.is_float() && a.count > 1 && ty(0)? == i.ty && module.kind(ty(1)?) == a.scalar
        }
        Op::MatrixTimesScalar => {
            let matrix = matrix(module, ty(0)?);
            matrix.is_some_and(|m| {
                Some(m.scalar) == module.shape(ty(1).unwrap_or(0)).map(|s| s.scalar)
            }) && ty(0)? == i.ty
                && module.operand_shape(i, 1)?.count == 1
        }
        Op::VectorTimesMatrix => {
            let (vector, result) = (module.operand_shape(i, 0)?, module.shape(i.ty));
            matrix(module, ty(1)?).is_some_and(|m| {
                vector == NumericShape { scalar: m.scalar, count: m.rows }
                    && result == Some(NumericShape { scalar: m.scalar, count: m.columns })
            })
        }
        Op::MatrixTimesVector => {
            let (vector, result) = (module.operand_shape(i, 1)?, module.shape(i.ty));
            matrix(module, ty(0)?).is_some_and(|m| {
                vector == NumericShape { scalar: m.scalar, count: m.columns }
                    && result == Some(NumericShape { scalar: m.scalar, count: m.rows })
            })
        }
        Op::MatrixTimesMatrix => {
            match (matrix(module, ty(0)?), matrix(module, ty(1)?), matrix(module, i.ty)) {
                (Some(a), Some(b), Some(r)) => {
                    a.scalar == b.scalar
                        && a.scalar == r.scalar
                        && (a.columns, a.rows, b.columns) == (b.rows, r.rows, r.columns)
                }
                _ => false,
            }
        }
        Op::OuterProduct => {
            let (a, b) = (module.operand_shape(i, 0)?, module.operand_shape(i, 1)?);
            matrix(module, i.ty).is_some_and(|m| {
                a == NumericShape { scalar: m.scalar, count: m.rows }
                    && b == NumericShape { scalar: m.scalar, count: m.columns }
            })
        }
        Op::Transpose => match (matrix(module, ty(0)?), matrix(module, i.ty)) {
            (Some(a), Some(r)) => {
                a.scalar == r.scalar && (a.columns, a.rows) == (r.rows, r.columns)
            }
            _ => false,
        },
        Op::Select => select(module, i)?,
        Op::Bitcast => bit_cast(module, i)?,
        Op::IAddCarry | Op::ISubBorrow | Op::UMulExtended | Op::SMulExtended => pair(module, i)?,
        _ => return Ok(()),
    };
    module.demand(i, fits, "types of operands and result do not fit")
}

struct MatrixShape {
    scalar: Kind,
    columns: u32,
    rows: u32,
}

fn matrix(module: &Module, ty: u32) -> Option<MatrixShape> {
    let Kind::Matrix { column, count } = module.kind(ty) else { return None };
    let column = module.shape(column)?;
    Some(MatrixShape { scalar: column.scalar, columns: count, rows: column.count })
}

fn select(module: &Module, i: &Instruction) -> Result<bool, Error> {
    let condition = module.operand_shape(i, 0)?;
    let count = module.shape(i.ty).map(|shape| shape.count);
    let is_whole = condition.count == 1 && module.version >= 0x10400;
    let is_kind = count.is_some()
        || matches!(module.kind(i.ty), Kind::Pointer { .. })
        || is_whole
            && matches!(module.kind(i.ty), Kind::Struct | Kind::Array { .. } | Kind::Matrix { .. });
    Ok(condition.is_bool()
        && is_kind
        && (is_whole || condition.count == count.unwrap_or(1))
        && module.operand_type(i, 1)? == i.ty
        && module.operand_type(i, 2)? == i.ty)
}

fn bit_cast(module: &Module, i: &Instruction) -> Result<bool, Error> {
    let from = module.operand_type(i, 0)?;
    let is_pointer = |ty| matches!(module.kind(ty), Kind::Pointer { .. });
    if is_pointer(from) || is_pointer(i.ty) {
        return Ok(is_pointer(from) && is_pointer(i.ty));
    }
    let bits =
        |ty| module.shape(ty).filter(|s| s.is_int() || s.is_float()).map(|s| s.bits() * s.count);
    Ok(bits(from).is_some() && bits(from) == bits(i.ty))
}

/// A structure of two members of the operands' type.
fn pair(module: &Module, i: &Instruction) -> Result<bool, Error> {
    let members: Vec<u32> = match module.kind(i.ty) {
        Kind::Struct => module.get(i.ty).map_or(Vec::new(), |ty| ty.ids_from(0).collect()),
        _ => return Ok(false),
    };
    let &[first, second] = members.as_slice() else { return Ok(false) };
    let Some(shape) = module.shape(first) else { return Ok(false) };
    let is_number = if i.op == Op::SMulExtended { shape.is_int() } else { shape.is_unsigned() };
    Ok(is_number
        && first == second
        && module.operand_type(i, 0)? == first
        && module.operand_type(i, 1)? == first)
}
