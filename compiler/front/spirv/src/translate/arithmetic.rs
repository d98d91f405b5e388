//! Arithmetic, bit and logical instructions.

use program::{BinaryOp as B, BuiltinFunction as F, ExprId, ExprKind, Scalar, UnaryOp};
use rspirv::spirv::{Decoration, Op};

use super::state::ShaderBuilder;
use crate::error::Error;
use crate::module::Instruction;

/// The signed integer of a width.
pub(crate) fn signed(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::Uint8 => Scalar::Int8,
        Scalar::Uint16 => Scalar::Int16,
        Scalar::Uint => Scalar::Int,
        Scalar::Uint64 => Scalar::Int64,
        other => other,
    }
}

/// The unsigned integer of a width.
pub(crate) fn unsigned(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::Int8 => Scalar::Uint8,
        Scalar::Int16 => Scalar::Uint16,
        Scalar::Int => Scalar::Uint,
        Scalar::Int64 => Scalar::Uint64,
        other => other,
    }
}

/// The type in which an operation takes the bits of integers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum As {
    /// As those of the result's type.
    Result,
    Signed,
    Unsigned,
}

/// The operator of an instruction with two operands of one shape.
fn operator(op: Op) -> Option<(B, As)> {
    Some(match op {
        Op::IAdd | Op::FAdd => (B::Add, As::Result),
        Op::ISub | Op::FSub => (B::Sub, As::Result),
        Op::IMul | Op::FMul => (B::Mul, As::Result),
        Op::FDiv => (B::Div, As::Result),
        Op::UDiv => (B::Div, As::Unsigned),
        Op::SDiv => (B::Div, As::Signed),
        Op::UMod => (B::Mod, As::Unsigned),
        Op::BitwiseAnd => (B::BitAnd, As::Result),
        Op::BitwiseOr => (B::BitOr, As::Result),
        Op::BitwiseXor => (B::BitXor, As::Result),
        _ => return None,
    })
}

/// The function of an instruction of SPV_INTEL_shader_integer_functions2, and the sign of its
/// operands.
fn integer_function(op: Op) -> Option<(F, As)> {
    Some(match op {
        Op::UCountLeadingZerosINTEL => (F::CountLeadingZeros, As::Unsigned),
        Op::UCountTrailingZerosINTEL => (F::CountTrailingZeros, As::Unsigned),
        Op::AbsISubINTEL => (F::AbsoluteDifference, As::Signed),
        Op::AbsUSubINTEL => (F::AbsoluteDifference, As::Unsigned),
        Op::IAddSatINTEL => (F::AddSaturate, As::Signed),
        Op::UAddSatINTEL => (F::AddSaturate, As::Unsigned),
        Op::IAverageINTEL => (F::Average, As::Signed),
        Op::UAverageINTEL => (F::Average, As::Unsigned),
        Op::IAverageRoundedINTEL => (F::AverageRounded, As::Signed),
        Op::UAverageRoundedINTEL => (F::AverageRounded, As::Unsigned),
        Op::ISubSatINTEL => (F::SubtractSaturate, As::Signed),
        Op::USubSatINTEL => (F::SubtractSaturate, As::Unsigned),
        Op::IMul32x16INTEL => (F::Multiply32x16, As::Signed),
        Op::UMul32x16INTEL => (F::Multiply32x16, As::Unsigned),
        _ => return None,
    })
}

impl ShaderBuilder<'_> {
    /// The result of an arithmetic instruction.
    pub(crate) fn arithmetic(&mut self, i: &Instruction) -> Result<Option<ExprId>, Error> {
        if let Some((op, taken)) = operator(i.op) {
            let (a, b) = (self.taken(i, 0, taken)?, self.taken(i, 1, taken)?);
            let value = self.binary(op, a, b);
            return self.finished(i, value).map(Some);
        }
        if let Some((function, taken)) = integer_function(i.op) {
            return self.integer_call(i, function, taken).map(Some);
        }
        let value = match i.op {
            Op::SNegate | Op::FNegate => {
                let a = self.taken(i, 0, As::Result)?;
                self.unary(UnaryOp::Negate, a)
            }
            Op::Not => {
                let a = self.taken(i, 0, As::Result)?;
                self.unary(UnaryOp::BitNot, a)
            }
            Op::SRem => self.remainder(i)?,
            Op::SMod => self.modulus(i)?,
            Op::FMod => {
                let (a, b) = (self.operand(i, 0)?, self.operand(i, 1)?);
                let ty = self.ty(a);
                self.builtin(F::Mod, vec![a, b], ty)
            }
            Op::FRem => self.float_remainder(i)?,
            Op::ShiftLeftLogical => self.shift(i, B::ShiftLeft, As::Result)?,
            Op::ShiftRightLogical => self.shift(i, B::ShiftRight, As::Unsigned)?,
            Op::ShiftRightArithmetic => self.shift(i, B::ShiftRight, As::Signed)?,
            Op::VectorTimesScalar | Op::MatrixTimesScalar => {
                let (a, b) = (self.operand(i, 0)?, self.operand(i, 1)?);
                let ty = self.ty(a);
                let b = self.splat(b, ty);
                self.binary(B::Mul, a, b)
            }
            Op::VectorTimesMatrix => self.linear(i, B::VectorTimesMatrix)?,
            Op::MatrixTimesVector => self.linear(i, B::MatrixTimesVector)?,
            Op::MatrixTimesMatrix => self.linear(i, B::MatrixTimesMatrix)?,
            Op::OuterProduct => self.call(i, F::OuterProduct, 2)?,
            Op::Transpose => self.call(i, F::Transpose, 1)?,
            Op::Dot => self.call(i, F::Dot, 2)?,
            Op::BitReverse => self.call(i, F::BitfieldReverse, 1)?,
            Op::BitCount => {
                let a = self.operand(i, 0)?;
                let ty = self.with_scalar(self.ty(a), Scalar::Int);
                self.builtin(F::BitCount, vec![a], ty)
            }
            Op::BitFieldInsert => {
                let (base, insert) = (self.taken(i, 0, As::Result)?, self.taken(i, 1, As::Result)?);
                let (offset, count) = (self.as_int(i, 2)?, self.as_int(i, 3)?);
                let ty = self.ty(base);
                self.builtin(F::BitfieldInsert, vec![base, insert, offset, count], ty)
            }
            Op::BitFieldSExtract => self.bit_field(i, As::Signed)?,
            Op::BitFieldUExtract => self.bit_field(i, As::Unsigned)?,
            Op::Select => {
                let condition = self.operand(i, 0)?;
                let (a, b) = (self.operand(i, 1)?, self.operand(i, 2)?);
                self.choose(condition, a, b)
            }
            Op::CopyObject | Op::CopyLogical if self.is_value(i) => self.operand(i, 0)?,
            _ => return Ok(None),
        };
        self.finished(i, value).map(Some)
    }

    /// A function of SPV_INTEL_shader_integer_functions2.
    fn integer_call(&mut self, i: &Instruction, function: F, taken: As) -> Result<ExprId, Error> {
        let arguments: Vec<ExprId> = (0..i.operands.len())
            .map(|index| self.taken(i, index, taken))
            .collect::<Result<_, _>>()?;
        let own = arguments.first().map_or(self.result_type(i)?, |&first| self.ty(first));
        let ty = match function {
            F::AbsoluteDifference => self.with_scalar(own, Scalar::Uint),
            _ => own,
        };
        let value = self.builtin(function, arguments, ty);
        self.finished(i, value)
    }

    /// True if the operand is a value, not a place.
    fn is_value(&self, i: &Instruction) -> bool {
        use super::state::Value;
        let value = i.id_at(0).and_then(|id| self.values.get(&id));
        !matches!(value, Some(Value::Pointer(_) | Value::Opaque(_)))
    }

    /// An operand with the sign that an operation takes it with.
    pub(crate) fn taken(
        &mut self,
        i: &Instruction,
        index: usize,
        taken: As,
    ) -> Result<ExprId, Error> {
        let value = self.operand(i, index)?;
        let (own, _) = self.shape(self.ty(value));
        let scalar = match taken {
            As::Signed => signed(own),
            As::Unsigned => unsigned(own),
            As::Result => {
                let ty = self.result_type(i)?;
                match self.types.scalar_of(ty) {
                    Some(scalar) if scalar.bits() == own.bits() => scalar,
                    _ => own,
                }
            }
        };
        Ok(self.cast(value, scalar))
    }

    /// A result as a value of the instruction's type, exact if so decorated.
    pub(crate) fn finished(&mut self, i: &Instruction, value: ExprId) -> Result<ExprId, Error> {
        let is_preserved = || {
            let scalar = self.types.scalar_of(self.ty(value));
            scalar.is_some_and(|s| s.is_float() && self.preserved.contains(&s.bits()))
        };
        if self.module.has(i.id, Decoration::NoContraction) || is_preserved() {
            self.shader.exprs[value].precise = true;
        }
        let ty = self.result_type(i)?;
        Ok(self.cast_to(value, ty))
    }

    fn linear(&mut self, i: &Instruction, op: B) -> Result<ExprId, Error> {
        let (a, b) = (self.operand(i, 0)?, self.operand(i, 1)?);
        let ty = self.result_type(i)?;
        Ok(self.push(ExprKind::Binary(op, a, b), ty))
    }

    /// A built-in function of the first operands, with a result of the instruction's type.
    fn call(&mut self, i: &Instruction, function: F, count: usize) -> Result<ExprId, Error> {
        let arguments: Result<Vec<ExprId>, Error> =
            (0..count).map(|k| self.operand(i, k)).collect();
        let ty = self.result_type(i)?;
        Ok(self.builtin(function, arguments?, ty))
    }

    fn as_int(&mut self, i: &Instruction, index: usize) -> Result<ExprId, Error> {
        let value = self.operand(i, index)?;
        Ok(self.cast(value, Scalar::Int))
    }

    fn bit_field(&mut self, i: &Instruction, taken: As) -> Result<ExprId, Error> {
        let base = self.taken(i, 0, taken)?;
        let (offset, count) = (self.as_int(i, 1)?, self.as_int(i, 2)?);
        let ty = self.ty(base);
        Ok(self.builtin(F::BitfieldExtract, vec![base, offset, count], ty))
    }

    fn shift(&mut self, i: &Instruction, op: B, taken: As) -> Result<ExprId, Error> {
        let (base, count) = (self.taken(i, 0, taken)?, self.operand(i, 1)?);
        let (scalar, _) = self.shape(self.ty(count));
        let count = if scalar.bits() == 32 { count } else { self.cast(count, Scalar::Uint) };
        Ok(self.binary(op, base, count))
    }

    /// a - b * (a / b): the sign is that of a.
    fn remainder(&mut self, i: &Instruction) -> Result<ExprId, Error> {
        let (a, b) = (self.taken(i, 0, As::Signed)?, self.taken(i, 1, As::Signed)?);
        let (a2, b2) = (self.copy(a), self.copy(b));
        let quotient = self.binary(B::Div, a, b);
        let product = self.binary(B::Mul, quotient, b2);
        Ok(self.binary(B::Sub, a2, product))
    }

    /// The remainder, and the divisor added if the signs of both differ: the sign is that of b.
    fn modulus(&mut self, i: &Instruction) -> Result<ExprId, Error> {
        let (first, second) = (self.remainder(i)?, self.remainder(i)?);
        let third = self.remainder(i)?;
        let (b, b2) = (self.taken(i, 1, As::Signed)?, self.taken(i, 1, As::Signed)?);
        let ty = self.ty(first);
        let (zero, zero2) = (self.number(ty, 0), self.number(ty, 0));
        let signs = self.binary(B::BitXor, first, b);
        let differ = self.ordered_less(signs, zero);
        let is_zero = self.equal(second, zero2);
        let zero3 = self.number(ty, 0);
        let wanted = self.choose(differ, b2, zero3);
        let zero4 = self.number(ty, 0);
        let correction = self.choose(is_zero, zero4, wanted);
        Ok(self.binary(B::Add, third, correction))
    }

    /// a - b * trunc(a / b): the sign is that of a.
    fn float_remainder(&mut self, i: &Instruction) -> Result<ExprId, Error> {
        let (a, b) = (self.operand(i, 0)?, self.operand(i, 1)?);
        let (a2, b2, ty) = (self.copy(a), self.copy(b), self.ty(a));
        let quotient = self.binary(B::Div, a, b);
        let whole = self.builtin(F::Trunc, vec![quotient], ty);
        let product = self.binary(B::Mul, b2, whole);
        Ok(self.binary(B::Sub, a2, product))
    }
}
