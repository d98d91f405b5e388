//! Extended instructions of the set `GLSL.std.450`.

use program::{BuiltinFunction as F, ExprId, ExprKind, Scalar, Statement, TypeId};
use rspirv::spirv::GlslStd450Op as G;

use super::state::ShaderBuilder;
use crate::error::Error;
use crate::module::Instruction;

/// Index of the first operand behind set and number.
const FIRST: usize = 2;

/// How integers are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Take {
    Own,
    Int,
    Uint,
}

/// The function of an instruction that has one of the same operands.
fn function(op: G) -> Option<(F, Take)> {
    let (function, take) = match op {
        G::Round => (F::Round, Take::Own),
        G::RoundEven => (F::RoundEven, Take::Own),
        G::Trunc => (F::Trunc, Take::Own),
        G::FAbs => (F::Abs, Take::Own),
        G::SAbs => (F::Abs, Take::Int),
        G::FSign => (F::Sign, Take::Own),
        G::SSign => (F::Sign, Take::Int),
        G::Floor => (F::Floor, Take::Own),
        G::Ceil => (F::Ceil, Take::Own),
        G::Fract => (F::Fract, Take::Own),
        G::Radians => (F::Radians, Take::Own),
        G::Degrees => (F::Degrees, Take::Own),
        G::Sin => (F::Sin, Take::Own),
        G::Cos => (F::Cos, Take::Own),
        G::Tan => (F::Tan, Take::Own),
        G::Asin => (F::Asin, Take::Own),
        G::Acos => (F::Acos, Take::Own),
        G::Atan | G::Atan2 => (F::Atan, Take::Own),
        G::Sinh => (F::Sinh, Take::Own),
        G::Cosh => (F::Cosh, Take::Own),
        G::Tanh => (F::Tanh, Take::Own),
        G::Asinh => (F::Asinh, Take::Own),
        G::Acosh => (F::Acosh, Take::Own),
        G::Atanh => (F::Atanh, Take::Own),
        G::Pow => (F::Pow, Take::Own),
        G::Exp => (F::Exp, Take::Own),
        G::Log => (F::Log, Take::Own),
        G::Exp2 => (F::Exp2, Take::Own),
        G::Log2 => (F::Log2, Take::Own),
        G::Sqrt => (F::Sqrt, Take::Own),
        G::InverseSqrt => (F::InverseSqrt, Take::Own),
        G::Determinant => (F::Determinant, Take::Own),
        G::MatrixInverse => (F::Inverse, Take::Own),
        G::FMin | G::NMin => (F::Min, Take::Own),
        G::UMin => (F::Min, Take::Uint),
        G::SMin => (F::Min, Take::Int),
        G::FMax | G::NMax => (F::Max, Take::Own),
        G::UMax => (F::Max, Take::Uint),
        G::SMax => (F::Max, Take::Int),
        G::FClamp | G::NClamp => (F::Clamp, Take::Own),
        G::UClamp => (F::Clamp, Take::Uint),
        G::SClamp => (F::Clamp, Take::Int),
        G::FMix => (F::Mix, Take::Own),
        G::Step => (F::Step, Take::Own),
        G::SmoothStep => (F::Smoothstep, Take::Own),
        G::Fma => (F::Fma, Take::Own),
        G::Ldexp => (F::Ldexp, Take::Int),
        G::PackSnorm4x8 => (F::PackSnorm4x8, Take::Own),
        G::PackUnorm4x8 => (F::PackUnorm4x8, Take::Own),
        G::PackSnorm2x16 => (F::PackSnorm2x16, Take::Own),
        G::PackUnorm2x16 => (F::PackUnorm2x16, Take::Own),
        G::PackHalf2x16 => (F::PackHalf2x16, Take::Own),
        G::PackDouble2x32 => (F::PackDouble2x32, Take::Uint),
        G::UnpackSnorm2x16 => (F::UnpackSnorm2x16, Take::Uint),
        G::UnpackUnorm2x16 => (F::UnpackUnorm2x16, Take::Uint),
        G::UnpackHalf2x16 => (F::UnpackHalf2x16, Take::Uint),
        G::UnpackSnorm4x8 => (F::UnpackSnorm4x8, Take::Uint),
        G::UnpackUnorm4x8 => (F::UnpackUnorm4x8, Take::Uint),
        G::UnpackDouble2x32 => (F::UnpackDouble2x32, Take::Own),
        G::Length => (F::Length, Take::Own),
        G::Distance => (F::Distance, Take::Own),
        G::Cross => (F::Cross, Take::Own),
        G::Normalize => (F::Normalize, Take::Own),
        G::FaceForward => (F::Faceforward, Take::Own),
        G::Reflect => (F::Reflect, Take::Own),
        G::Refract => (F::Refract, Take::Own),
        G::FindILsb => (F::FindLsb, Take::Own),
        G::FindSMsb => (F::FindMsb, Take::Int),
        G::FindUMsb => (F::FindMsb, Take::Uint),
        _ => return None,
    };
    Some((function, take))
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

    fn extended_value(&mut self, i: &Instruction, op: G) -> Result<ExprId, Error> {
        let Some((function, take)) = function(op) else {
            return Err(self.unsupported(i, format!("{op:?} is")));
        };
        let mut arguments = Vec::new();
        for index in FIRST..i.operands.len() {
            let value = self.operand(i, index)?;
            let (scalar, _) = self.shape(self.ty(value));
            arguments.push(match take {
                _ if !scalar.is_integer() => value,
                Take::Own => value,
                Take::Int => self.cast(value, signed_of(scalar)),
                Take::Uint => self.cast(value, super::arithmetic::unsigned(scalar)),
            });
        }
        let ty = self.result_type(i)?;
        let own = self.made_type(function, ty, arguments.first().copied());
        let value = self.builtin(function, arguments, own);
        if self.module.has(i.id, rspirv::spirv::Decoration::NoContraction) {
            self.shader.exprs[value].precise = true;
        }
        Ok(self.cast_to(value, ty))
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
        let ty = self.result_type(i)?;
        let members: Vec<TypeId> =
            self.types.members(ty).unwrap_or_default().iter().map(|member| member.ty).collect();
        let mut parts = Vec::new();
        for (local, member) in [result, second].into_iter().zip(members) {
            let part = self.local(local);
            parts.push(self.cast_to(part, member));
        }
        let value = self.push(ExprKind::Aggregate(parts), ty);
        self.define(i, value, false, out);
        Ok(())
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
        let second = self.new_local("second", second);
        out.push(Statement::Declare { local: second, value: None });
        let place = self.local(second);
        let call = self.builtin(function, vec![value, place], ty);
        let first = self.new_local("first", ty);
        out.push(Statement::Declare { local: first, value: Some(call) });
        (first, second)
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

fn signed_of(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::Uint16 => Scalar::Int16,
        Scalar::Uint => Scalar::Int,
        Scalar::Uint64 => Scalar::Int64,
        other => other,
    }
}
