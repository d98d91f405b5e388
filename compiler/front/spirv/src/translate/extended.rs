//! Extended instructions of the sets `GLSL.std.450` and `SPV_AMD_shader_trinary_minmax`.

use program::{BuiltinFunction as F, ExprId, Scalar, Statement, TypeId};
use rspirv::spirv::GlslStd450Op as G;

use super::arithmetic::{signed, unsigned};
use super::state::ShaderBuilder;
use crate::error::Error;
use crate::module::Instruction;

/// Index of the first operand behind set and number.
const FIRST: usize = 2;

/// The function of an instruction that has one of the same operands.
fn function(op: G) -> Option<F> {
    Some(match op {
        G::Round => F::Round,
        G::RoundEven => F::RoundEven,
        G::Trunc => F::Trunc,
        G::FAbs | G::SAbs => F::Abs,
        G::FSign | G::SSign => F::Sign,
        G::Floor => F::Floor,
        G::Ceil => F::Ceil,
        G::Fract => F::Fract,
        G::Radians => F::Radians,
        G::Degrees => F::Degrees,
        G::Sin => F::Sin,
        G::Cos => F::Cos,
        G::Tan => F::Tan,
        G::Asin => F::Asin,
        G::Acos => F::Acos,
        G::Atan | G::Atan2 => F::Atan,
        G::Sinh => F::Sinh,
        G::Cosh => F::Cosh,
        G::Tanh => F::Tanh,
        G::Asinh => F::Asinh,
        G::Acosh => F::Acosh,
        G::Atanh => F::Atanh,
        G::Pow => F::Pow,
        G::Exp => F::Exp,
        G::Log => F::Log,
        G::Exp2 => F::Exp2,
        G::Log2 => F::Log2,
        G::Sqrt => F::Sqrt,
        G::InverseSqrt => F::InverseSqrt,
        G::Determinant => F::Determinant,
        G::MatrixInverse => F::Inverse,
        G::FMin | G::NMin | G::UMin | G::SMin => F::Min,
        G::FMax | G::NMax | G::UMax | G::SMax => F::Max,
        G::FClamp | G::NClamp | G::UClamp | G::SClamp => F::Clamp,
        G::FMix => F::Mix,
        G::Step => F::Step,
        G::SmoothStep => F::Smoothstep,
        G::Fma => F::Fma,
        G::Ldexp => F::Ldexp,
        G::PackSnorm4x8 => F::PackSnorm4x8,
        G::PackUnorm4x8 => F::PackUnorm4x8,
        G::PackSnorm2x16 => F::PackSnorm2x16,
        G::PackUnorm2x16 => F::PackUnorm2x16,
        G::PackHalf2x16 => F::PackHalf2x16,
        G::PackDouble2x32 => F::PackDouble2x32,
        G::UnpackSnorm2x16 => F::UnpackSnorm2x16,
        G::UnpackUnorm2x16 => F::UnpackUnorm2x16,
        G::UnpackHalf2x16 => F::UnpackHalf2x16,
        G::UnpackSnorm4x8 => F::UnpackSnorm4x8,
        G::UnpackUnorm4x8 => F::UnpackUnorm4x8,
        G::UnpackDouble2x32 => F::UnpackDouble2x32,
        G::Length => F::Length,
        G::Distance => F::Distance,
        G::Cross => F::Cross,
        G::Normalize => F::Normalize,
        G::FaceForward => F::Faceforward,
        G::Reflect => F::Reflect,
        G::Refract => F::Refract,
        G::FindILsb => F::FindLsb,
        G::FindSMsb | G::FindUMsb => F::FindMsb,
        _ => return None,
    })
}

/// The integer type with the bits of another that an instruction takes.
fn taken(op: G) -> fn(Scalar) -> Scalar {
    match op {
        G::SAbs | G::SSign | G::SMin | G::SMax | G::SClamp | G::Ldexp | G::FindSMsb => signed,
        G::UMin
        | G::UMax
        | G::UClamp
        | G::PackDouble2x32
        | G::UnpackSnorm2x16
        | G::UnpackUnorm2x16
        | G::UnpackHalf2x16
        | G::UnpackSnorm4x8
        | G::UnpackUnorm4x8
        | G::FindUMsb => unsigned,
        _ => |scalar| scalar,
    }
}

/// The type that a function gives where it is not that of the instruction.
fn made(function: F) -> Option<Scalar> {
    match function {
        F::PackSnorm4x8
        | F::PackUnorm4x8
        | F::PackSnorm2x16
        | F::PackUnorm2x16
        | F::PackHalf2x16
        | F::UnpackDouble2x32 => Some(Scalar::Uint),
        F::FindLsb | F::FindMsb => Some(Scalar::Int),
        _ => None,
    }
}

impl ShaderBuilder<'_> {
    /// Appends an extended instruction.
    pub(crate) fn extended_instruction(
        &mut self,
        i: &Instruction,
        out: &mut Vec<Statement>,
    ) -> Result<(), Error> {
        let set = self.id(i, 0)?;
        let name = self.definition(i, set)?.text_at(0).unwrap_or_default();
        if name.starts_with("NonSemantic.") || name == "OpenCL.DebugInfo.100" {
            return Ok(());
        }
        let number = self.literal(i, 1)?;
        let op = match name {
            "GLSL.std.450" => G::from_u32(number),
            "SPV_AMD_shader_trinary_minmax" => return self.of_three(i, number, out),
            _ => return Err(self.unsupported(i, format!("the set `{name}` is"))),
        };
        let Some(op) = op else {
            return Err(self.module.error(i, format!("GLSL.std.450 has no instruction {number}")));
        };
        match op {
            G::Modf | G::Frexp => self.with_place(i, op, out),
            G::ModfStruct | G::FrexpStruct => self.with_structure(i, op, out),
            G::InterpolateAtCentroid | G::InterpolateAtSample | G::InterpolateAtOffset => {
                self.interpolate(i, op, out)
            }
            _ => {
                let value = self.extended_value(i, op)?;
                self.define(i, value, true, out);
                Ok(())
            }
        }
    }

    /// An instruction of `SPV_AMD_shader_trinary_minmax`: least, greatest or middle of three
    /// numbers, each of floats, unsigned and signed integers.
    fn of_three(
        &mut self,
        i: &Instruction,
        number: u32,
        out: &mut Vec<Statement>,
    ) -> Result<(), Error> {
        let kind = number.saturating_sub(1);
        let function = [F::Min3, F::Max3, F::Mid3][(kind / 3).min(2) as usize];
        let taken: [fn(Scalar) -> Scalar; 3] = [|scalar| scalar, unsigned, signed];
        let taken = taken[(kind % 3) as usize];
        let mut arguments = Vec::new();
        for index in FIRST..i.operands.len() {
            let value = self.operand(i, index)?;
            let (scalar, _) = self.shape(self.ty(value));
            arguments.push(self.cast(value, taken(scalar)));
        }
        let ty = arguments.first().map(|&first| self.ty(first));
        let own = self.result_type(i)?;
        let value = self.builtin(function, arguments, ty.unwrap_or(own));
        let value = self.finished(i, value)?;
        self.define(i, value, true, out);
        Ok(())
    }

    fn extended_value(&mut self, i: &Instruction, op: G) -> Result<ExprId, Error> {
        let Some(function) = function(op) else {
            return Err(self.unsupported(i, format!("{op:?} is")));
        };
        let mut arguments = Vec::new();
        for index in FIRST..i.operands.len() {
            let value = self.operand(i, index)?;
            let (scalar, _) = self.shape(self.ty(value));
            let wanted = taken(op)(scalar);
            let value = self.cast(value, wanted);
            let is_long = op == G::Ldexp && wanted == Scalar::Int64;
            arguments.push(if is_long { self.short_exponent(value) } else { value });
        }
        let ty = self.result_type(i)?;
        let own = self.made_type(function, ty, arguments.first().copied());
        let value = self.builtin(function, arguments, own);
        self.finished(i, value)
    }

    /// An exponent of 64 bits as one of 32: no number has exponents beyond the limits.
    fn short_exponent(&mut self, exponent: ExprId) -> ExprId {
        let ty = self.ty(exponent);
        let limits = [-100_000, 100_000].map(|limit| self.number(ty, limit));
        let clamped = self.builtin(F::Clamp, vec![exponent, limits[0], limits[1]], ty);
        self.cast(clamped, Scalar::Int)
    }

    /// The type that a function gives.
    fn made_type(&mut self, function: F, ty: TypeId, first: Option<ExprId>) -> TypeId {
        if let Some(scalar) = made(function) {
            return self.with_scalar(ty, scalar);
        }
        let takes_own = matches!(function, F::Abs | F::Sign | F::Min | F::Max | F::Clamp);
        match first {
            Some(first) if takes_own => self.ty(first),
            _ => ty,
        }
    }

    /// `Modf` and `Frexp`, which write through a pointer.
    fn with_place(
        &mut self,
        i: &Instruction,
        op: G,
        out: &mut Vec<Statement>,
    ) -> Result<(), Error> {
        let value = self.operand(i, FIRST)?;
        let pointer = self.operand_place(i, FIRST + 1)?;
        let (result, second) = self.in_two(op, value, out);
        let second = self.local(second);
        self.store(i, &pointer, second, out)?;
        let result = self.local(result);
        let ty = self.result_type(i)?;
        let result = self.cast_to(result, ty);
        self.define(i, result, false, out);
        Ok(())
    }

    /// `ModfStruct` and `FrexpStruct`.
    fn with_structure(
        &mut self,
        i: &Instruction,
        op: G,
        out: &mut Vec<Statement>,
    ) -> Result<(), Error> {
        let value = self.operand(i, FIRST)?;
        let (result, second) = self.in_two(op, value, out);
        self.pair(i, [result, second], out)
    }

    /// Calls a function of two results, and keeps both.
    fn in_two(
        &mut self,
        op: G,
        value: ExprId,
        out: &mut Vec<Statement>,
    ) -> (program::LocalId, program::LocalId) {
        let ty = self.ty(value);
        let is_modf = matches!(op, G::Modf | G::ModfStruct);
        let int = if self.shape(ty).0 == Scalar::Float16 { Scalar::Int16 } else { Scalar::Int };
        let (function, second) = match is_modf {
            true => (F::Modf, ty),
            false => (F::Frexp, self.with_scalar(ty, int)),
        };
        let second = self.declared("second", second, None, out);
        let place = self.local(second);
        let call = self.builtin(function, vec![value, place], ty);
        (self.declared("first", ty, Some(call), out), second)
    }

    fn interpolate(
        &mut self,
        i: &Instruction,
        op: G,
        out: &mut Vec<Statement>,
    ) -> Result<(), Error> {
        let place = self.operand_place(i, FIRST)?;
        let mut arguments = vec![self.place_expr(i, &place)?];
        let function = match op {
            G::InterpolateAtCentroid => F::InterpolateAtCentroid,
            G::InterpolateAtSample => F::InterpolateAtSample,
            _ => F::InterpolateAtOffset,
        };
        if op != G::InterpolateAtCentroid {
            let second = self.operand(i, FIRST + 1)?;
            let is_sample = op == G::InterpolateAtSample;
            arguments.push(if is_sample { self.cast(second, Scalar::Int) } else { second });
        }
        let ty = self.result_type(i)?;
        let value = self.builtin(function, arguments, ty);
        self.define(i, value, false, out);
        Ok(())
    }
}
