//! Conversions and bit casts.

use program::{BinaryOp, BuiltinFunction as F, ExprId, ExprKind, Scalar, TypeId};
use rspirv::spirv::{Decoration, FPRoundingMode, Op};

use super::arithmetic::{As, signed, unsigned};
use super::state::ShaderBuilder;
use crate::error::Error;
use crate::module::Instruction;

impl ShaderBuilder<'_> {
    /// The result of a conversion.
    pub(crate) fn conversion(&mut self, i: &Instruction) -> Result<Option<ExprId>, Error> {
        self.demand_nearest(i)?;
        let value = match i.op {
            Op::ConvertFToU | Op::ConvertFToS | Op::FConvert => self.operand(i, 0)?,
            Op::ConvertSToF | Op::SConvert => self.taken(i, 0, As::Signed)?,
            Op::ConvertUToF | Op::UConvert => self.taken(i, 0, As::Unsigned)?,
            Op::QuantizeToF16 => return self.quantized(i).map(Some),
            Op::Bitcast => return self.bit_cast(i).map(Some),
            _ => return Ok(None),
        };
        let ty = self.result_type(i)?;
        let (wanted, _) = self.shape(ty);
        // The result's type does not say how to convert: the instruction does.
        let value = match i.op {
            Op::ConvertFToU | Op::UConvert => self.cast(value, unsigned(wanted)),
            Op::ConvertFToS | Op::SConvert => self.cast(value, signed(wanted)),
            _ => value,
        };
        Ok(Some(self.cast_to(value, ty)))
    }

    /// Refuses results that are rounded to another number than the nearest.
    fn demand_nearest(&self, i: &Instruction) -> Result<(), Error> {
        let mode = self.module.literal(i.id, Decoration::FPRoundingMode);
        match mode.and_then(FPRoundingMode::from_u32) {
            None | Some(FPRoundingMode::RTE) => Ok(()),
            Some(mode) => Err(self.unsupported(i, format!("the rounding mode {mode:?} is"))),
        }
    }

    fn bit_cast(&mut self, i: &Instruction) -> Result<ExprId, Error> {
        let value = self.operand(i, 0)?;
        let to = self.result_type(i)?;
        match self.cast_bits(value, to) {
            Some(value) => Ok(value),
            None => Err(self.unsupported(i, "a cast between these types is")),
        }
    }

    /// The bits of a value as one of another type.
    fn cast_bits(&mut self, value: ExprId, to: TypeId) -> Option<ExprId> {
        let ((from, size), (wanted, count)) = (self.shape(self.ty(value)), self.shape(to));
        if from == wanted && size == count {
            return Some(value);
        }
        if from.bits() == wanted.bits() {
            return Some(self.same_width(value, from, wanted));
        }
        self.other_width(value, to, (from, size), (wanted, count))
    }

    fn same_width(&mut self, value: ExprId, from: Scalar, wanted: Scalar) -> ExprId {
        use Scalar as S;
        let function = match (from, wanted) {
            (S::Float, S::Int) => F::FloatBitsToInt,
            (S::Float, S::Uint) => F::FloatBitsToUint,
            (S::Int, S::Float) => F::IntBitsToFloat,
            (S::Uint, S::Float) => F::UintBitsToFloat,
            (S::Double, S::Int64) => F::DoubleBitsToInt64,
            (S::Double, S::Uint64) => F::DoubleBitsToUint64,
            (S::Int64, S::Double) => F::Int64BitsToDouble,
            (S::Uint64, S::Double) => F::Uint64BitsToDouble,
            (S::Float16, S::Int16) => F::Float16BitsToInt16,
            (S::Float16, S::Uint16) => F::Float16BitsToUint16,
            (S::Int16, S::Float16) => F::Int16BitsToFloat16,
            (S::Uint16, S::Float16) => F::Uint16BitsToFloat16,
            _ => return self.cast(value, wanted),
        };
        let ty = self.with_scalar(self.ty(value), wanted);
        self.builtin(function, vec![value], ty)
    }

    /// Casts between components of different width, as far as there are functions for them.
    fn other_width(
        &mut self,
        value: ExprId,
        to: TypeId,
        from: (Scalar, u8),
        wanted: (Scalar, u8),
    ) -> Option<ExprId> {
        use Scalar as S;
        let ((scalar, size), (result, count)) = (from, wanted);
        let (function, operand, made) = match (scalar.bits(), size, result.bits(), count) {
            (32, 2, 64, 1) if result == S::Double => (F::PackDouble2x32, S::Uint, S::Double),
            (32, 2, 64, 1) => (F::PackUint2x32, S::Uint, S::Uint64),
            (64, 1, 32, 2) if scalar == S::Double => (F::UnpackDouble2x32, S::Double, S::Uint),
            (64, 1, 32, 2) => (F::UnpackUint2x32, S::Uint64, S::Uint),
            (16, 2, 32, 1) => (F::PackUint2x16, S::Uint16, S::Uint),
            (32, 1, 16, 2) => (F::UnpackUint2x16, S::Uint, S::Uint16),
            (16, 4, 64, 1) => (F::PackUint4x16, S::Uint16, S::Uint64),
            (64, 1, 16, 4) => (F::UnpackUint4x16, S::Uint64, S::Uint16),
            (8, ..) | (.., 8, _) => return self.bytes(value, to, from, wanted),
            _ => return None,
        };
        let argument_type = self.with_scalar(self.ty(value), operand);
        let argument = self.cast_bits(value, argument_type)?;
        let made_type = self.with_scalar(to, made);
        let call = self.builtin(function, vec![argument], made_type);
        self.cast_bits(call, to)
    }

    /// Joins bytes to integers of at most 32 bits, or takes such apart.
    fn bytes(
        &mut self,
        value: ExprId,
        to: TypeId,
        (scalar, size): (Scalar, u8),
        (result, count): (Scalar, u8),
    ) -> Option<ExprId> {
        let is_whole = u32::from(size) * scalar.bits() == u32::from(count) * result.bits();
        if !is_whole || scalar.bits().max(result.bits()) > 32 {
            return None;
        }
        let words = self.with_scalar(self.ty(value), unsigned_of(scalar.bits())?);
        let words = self.cast_bits(value, words)?;
        let word_of = |this: &mut Self, index: u8| {
            let vector = this.copy(words);
            let component = this.swizzle(vector, &[index]);
            this.cast(component, Scalar::Uint)
        };
        let ratio = (scalar.bits().max(result.bits()) / scalar.bits().min(result.bits())) as u8;
        let mut parts = Vec::new();
        for index in 0..count {
            parts.push(if scalar.bits() == 8 {
                let mut joined = word_of(self, index * ratio);
                for byte in 1..ratio {
                    let high = word_of(self, index * ratio + byte);
                    let bits = self.scalar(Scalar::Uint, 8 * u64::from(byte));
                    let high = self.binary(BinaryOp::ShiftLeft, high, bits);
                    joined = self.binary(BinaryOp::BitOr, joined, high);
                }
                joined
            } else {
                let word = word_of(self, index / ratio);
                let bits = self.scalar(Scalar::Uint, 8 * u64::from(index % ratio));
                self.binary(BinaryOp::ShiftRight, word, bits)
            });
        }
        let narrow = unsigned_of(result.bits())?;
        let parts: Vec<ExprId> = parts.into_iter().map(|part| self.cast(part, narrow)).collect();
        let of_result = self.with_scalar(to, narrow);
        let made = match parts.as_slice() {
            &[one] => one,
            _ => self.push(ExprKind::Compose(parts), of_result),
        };
        self.cast_bits(made, to)
    }

    /// Each component rounded to 16 bits and back.
    fn quantized(&mut self, i: &Instruction) -> Result<ExprId, Error> {
        let value = self.operand(i, 0)?;
        let ty = self.ty(value);
        let (_, size) = self.shape(ty);
        let (vec2, uint) = (self.types.vector(Scalar::Float, 2), self.types.scalar(Scalar::Uint));
        let mut components = Vec::new();
        for component in 0..size {
            let base = self.copy(value);
            let one = self.swizzle(base, &[component]);
            let pair = self.splat(one, vec2);
            let packed = self.builtin(F::PackHalf2x16, vec![pair], uint);
            let rounded = self.builtin(F::UnpackHalf2x16, vec![packed], vec2);
            components.push(self.swizzle(rounded, &[0]));
        }
        Ok(match components.as_slice() {
            &[one] => one,
            _ => self.push(ExprKind::Compose(components), ty),
        })
    }
}

/// The unsigned integer of a width up to 32 bits.
fn unsigned_of(bits: u32) -> Option<Scalar> {
    match bits {
        8 => Some(Scalar::Uint8),
        16 => Some(Scalar::Uint16),
        32 => Some(Scalar::Uint),
        _ => None,
    }
}
