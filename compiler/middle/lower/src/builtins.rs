//! Built-in functions, by family.

use ir::{AluOp, AluOp as A, Fields, IntrinsicOp, Value};
use program::builtin_function::*;
use program::{AtomicOp, BuiltinFunction, ExprId, Scalar};
use vocabulary::{InternalError, Phase};

use crate::error::LowerError;
use crate::lowerer::Lowerer;
use crate::value::Val;

impl Lowerer<'_, '_> {
    /// Calls a built-in function.
    pub(crate) fn builtin(
        &mut self,
        function: BuiltinFunction,
        arguments: &[ExprId],
    ) -> Result<Val, LowerError> {
        use BuiltinFamily as B;
        let call = Call { function, arguments };
        match function.family() {
            B::OutParameter(f) => self.out_parameter_function(f, arguments),
            B::Interpolation(f) => self.interpolate(f, arguments),
            B::AtomicCounter(f) => self.atomic_counter(f, arguments),
            B::Matrix(f) => self.with_values(call, |l, values, _| l.matrix_function(f, values)),
            B::Angle(f) => self.with_leaves(call, |l, v, _| l.angle(f, v, function.name())),
            B::Exponential(f) => {
                self.with_leaves(call, |l, v, _| l.exponential(f, v, function.name()))
            }
            B::Common(f) => self.with_leaves(call, |l, v, scalar| Ok(l.common(f, v, scalar))),
            // Values have no type in the IR, only their operations do.
            B::BitCast(_) => self.with_leaves(call, |_, v, _| Ok(v[0])),
            B::Packing(f) => self.with_leaves(call, |l, v, _| Ok(l.packing(f, v))),
            B::Repacking(f) => self.with_leaves(call, |l, v, _| Ok(l.repacking(f, v))),
            B::Geometric(f) => self.with_leaves(call, |l, v, _| l.geometric(f, v)),
            B::Noise(f) => self.with_leaves(call, |l, _, _| Ok(l.noise(f))),
            B::Integer(f) => self.with_leaves(call, |l, v, scalar| Ok(l.integer(f, v, scalar))),
            B::Relational(f) => self.with_leaves(call, |l, v, scalar| l.relational(f, v, scalar)),
            B::Derivative(f) => self.with_leaves(call, |l, v, _| Ok(l.derivative(f, v))),
            B::Emission(f) => self.with_values(call, |l, values, _| l.emission(f, values)),
            B::Synchronization(f) => self.with_values(call, |l, _, _| Ok(l.synchronization(f))),
            B::Invocation(f) => self.with_leaves(call, |l, v, _| l.invocation(f, v)),
        }
    }

    /// Evaluates the arguments and calls `body` with them and the component type of the first.
    fn with_values(
        &mut self,
        Call { function, arguments }: Call<'_>,
        body: impl FnOnce(&mut Self, &[Val], Scalar) -> Result<Val, LowerError>,
    ) -> Result<Val, LowerError> {
        let scalar = arguments.first().and_then(|&a| self.types.scalar_of(self.expr_type(a)));
        let values = arguments.iter().map(|&a| self.eval(a)).collect::<Result<Vec<_>, _>>()?;
        let selects =
            values.get(2).is_some_and(|v| v.leaf().is_ok_and(|v| self.builder.shader.bits(v) == 1));
        if scalar == Some(Scalar::Float16) && has_inexact_steps(function) && !selects {
            let values = values.iter().map(|v| self.widened(v)).collect::<Result<Vec<_>, _>>()?;
            let result = body(self, &values, Scalar::Float)?;
            return result.try_map(&mut |v| Ok(self.builder.f2f16(v)));
        }
        body(self, &values, scalar.unwrap_or(Scalar::Uint))
    }

    /// As [`Self::with_values`], for functions of scalars and vectors with such a result.
    fn with_leaves(
        &mut self,
        call: Call<'_>,
        body: impl FnOnce(&mut Self, &[Value], Scalar) -> Result<Value, LowerError>,
    ) -> Result<Val, LowerError> {
        self.with_values(call, |l, values, scalar| {
            let leaves = values.iter().map(Val::leaf).collect::<Result<Vec<_>, _>>()?;
            body(l, &leaves, scalar).map(Val::from)
        })
    }

    /// Returns `float16_t` components as `float`.
    pub(crate) fn widened(&mut self, value: &Val) -> Result<Val, LowerError> {
        value.try_map(&mut |v| Ok(self.builder.f2f32(v)))
    }

    fn out_parameter_function(
        &mut self,
        f: OutParameterFunction,
        arguments: &[ExprId],
    ) -> Result<Val, LowerError> {
        use OutParameterFunction as F;
        match f {
            F::Modf => {
                let x = self.eval(arguments[0])?.leaf()?;
                let whole = self.builder.ftrunc(x);
                // Infinity has no fraction: inf − inf would be NaN.
                let difference = self.builder.fsub(x, whole);
                let zero = self.constant_like(x, 0.0);
                let same = self.builder.feq(x, whole);
                let fraction = self.builder.bcsel(same, zero, difference);
                // Both results have the argument's sign, a fraction of zero too.
                let bits = self.builder.shader.bits(x);
                let sign = self.builder.constant(bits, &[1 << (bits - 1)]);
                let sign = self.builder.iand(x, sign);
                let fraction = self.builder.ior(fraction, sign);
                let ty = self.scalar_of(self.expr_type(arguments[0]))?;
                self.store_arguments(ty, &[(arguments[1], whole)])?;
                Ok(fraction.into())
            }
            F::Frexp => {
                let x = self.eval(arguments[0])?.leaf()?;
                let exponent = self.builder.frexp_exp(x);
                let narrow =
                    self.types.scalar_of(self.expr_type(arguments[1])) == Some(Scalar::Int16);
                let (ty, exponent) = match narrow {
                    true => (Scalar::Int16, self.builder.i2i16(exponent)),
                    false => (Scalar::Int, exponent),
                };
                self.store_arguments(ty, &[(arguments[1], exponent)])?;
                Ok(self.builder.frexp_sig(x).into())
            }
            F::UaddCarry | F::UsubBorrow => {
                let (x, y) = (self.eval(arguments[0])?.leaf()?, self.eval(arguments[1])?.leaf()?);
                let (result, flag) = if f == F::UaddCarry {
                    (self.builder.iadd(x, y), self.builder.uadd_carry(x, y))
                } else {
                    (self.builder.isub(x, y), self.builder.usub_borrow(x, y))
                };
                self.store_arguments(Scalar::Uint, &[(arguments[2], flag)])?;
                Ok(result.into())
            }
            F::UmulExtended | F::ImulExtended => {
                let (x, y) = (self.eval(arguments[0])?.leaf()?, self.eval(arguments[1])?.leaf()?);
                let (ty, high) = if f == F::UmulExtended {
                    (Scalar::Uint, self.builder.umul_high(x, y))
                } else {
                    (Scalar::Int, self.builder.imul_high(x, y))
                };
                let low = self.builder.imul(x, y);
                self.store_arguments(ty, &[(arguments[2], high), (arguments[3], low)])?;
                Ok(Val::List(Vec::new()))
            }
        }
    }

    /// Writes the `out` arguments of parameters of type `from`, converted to their own type (GLSL
    /// 4.60 section 6.1.1). Places are found before the first of them is written.
    fn store_arguments(
        &mut self,
        from: Scalar,
        outs: &[(ExprId, Value)],
    ) -> Result<(), LowerError> {
        let places = outs.iter().map(|&(argument, _)| self.place_of(argument));
        let places = places.collect::<Result<Vec<_>, _>>()?;
        for (place, &(argument, value)) in places.iter().zip(outs) {
            let to = self.scalar_of(self.expr_type(argument))?;
            let value = self.convert(from, to, value)?;
            self.store(place, &value.into())?;
        }
        Ok(())
    }

    fn interpolate(
        &mut self,
        f: InterpolationFunction,
        arguments: &[ExprId],
    ) -> Result<Val, LowerError> {
        use InterpolationFunction as F;
        let operand = arguments.get(1).map(|&a| self.eval(a)?.leaf()).transpose()?;
        // A float16_t interpolant has its offset in float16_t.
        let operand = operand
            .map(|v| if self.builder.shader.bits(v) == 16 { self.builder.f2f32(v) } else { v });
        let op = match f {
            F::InterpolateAtCentroid => IntrinsicOp::LoadBarycentric,
            F::InterpolateAtSample => IntrinsicOp::LoadBarycentricAtSample,
            F::InterpolateAtOffset => IntrinsicOp::LoadBarycentricAtOffset,
        };
        self.interpolate_at(arguments[0], op, operand)
    }

    fn atomic_counter(
        &mut self,
        f: AtomicCounterFunction,
        arguments: &[ExprId],
    ) -> Result<Val, LowerError> {
        use AtomicCounterFunction as F;
        let place = self.place_of(arguments[0])?;
        let data =
            arguments[1..].iter().map(|&a| self.eval(a)?.leaf()).collect::<Result<Vec<_>, _>>()?;
        let one = self.builder.imm(1);
        let (op, operands) = match f {
            F::AtomicCounter => return self.load(&place),
            F::AtomicCounterIncrement => (AtomicOp::Add, vec![one]),
            F::AtomicCounterDecrement => {
                let minus = self.builder.imm(u32::MAX);
                let old = self.atomic(AtomicOp::Add, &place, &[minus], Scalar::Uint)?;
                return Ok(self.builder.isub(old, one).into());
            }
            F::AtomicCounterSubtract => {
                (AtomicOp::Add, data.iter().map(|&d| self.builder.ineg(d)).collect())
            }
            F::AtomicCounterAdd => (AtomicOp::Add, data),
            F::AtomicCounterMin => (AtomicOp::Min, data),
            F::AtomicCounterMax => (AtomicOp::Max, data),
            F::AtomicCounterAnd => (AtomicOp::And, data),
            F::AtomicCounterOr => (AtomicOp::Or, data),
            F::AtomicCounterXor => (AtomicOp::Xor, data),
            F::AtomicCounterExchange => (AtomicOp::Exchange, data),
            F::AtomicCounterCompSwap => (AtomicOp::CompareSwap, data),
        };
        Ok(self.atomic(op, &place, &operands, Scalar::Uint)?.into())
    }

    fn matrix_function(&mut self, f: MatrixFunction, values: &[Val]) -> Result<Val, LowerError> {
        use MatrixFunction as F;
        Ok(match f {
            F::MatrixCompMult => {
                let mut others = values[1].leaves().into_iter();
                values[0].try_map(&mut |a| {
                    let b = others.next().ok_or(LowerError::Malformed("matrix shapes differ"))?;
                    Ok(self.builder.fmul(a, b))
                })?
            }
            F::OuterProduct => {
                let (column, row) = (values[0].leaf()?, values[1].leaf()?);
                self.outer_product(column, row)
            }
            F::Transpose => self.transpose(&values[0])?,
            F::Determinant => self.determinant(&values[0])?.into(),
            F::Inverse => self.inverse(&values[0])?,
        })
    }

    fn angle(
        &mut self,
        f: AngleFunction,
        v: &[Value],
        name: &'static str,
    ) -> Result<Value, LowerError> {
        use AngleFunction as F;
        let x = v[0];
        let value = match f {
            F::Sin => return Ok(self.builder.alu(A::Fsin, v)),
            F::Cos => return Ok(self.builder.alu(A::Fcos, v)),
            F::Radians => {
                let scale = self.constant_like(x, std::f64::consts::PI / 180.0);
                self.builder.fmul(x, scale)
            }
            F::Degrees => {
                let scale = self.constant_like(x, 180.0 / std::f64::consts::PI);
                self.builder.fmul(x, scale)
            }
            F::Tan => self.tan(x),
            F::Asin => self.asin(x),
            F::Acos => self.acos(x),
            F::Atan if v.len() == 2 => self.atan2(x, v[1]),
            F::Atan => self.atan(x),
            F::Sinh => self.sinh(x),
            F::Cosh => self.cosh(x),
            F::Tanh => self.tanh(x),
            F::Asinh => self.asinh(x),
            F::Acosh => self.acosh(x),
            F::Atanh => self.atanh(x),
        };
        self.single_only(x, name)?;
        Ok(value)
    }

    fn exponential(
        &mut self,
        f: ExponentialFunction,
        v: &[Value],
        name: &'static str,
    ) -> Result<Value, LowerError> {
        use ExponentialFunction as F;
        let op = match f {
            F::Pow => A::Fpow,
            F::Exp2 => A::Fexp2,
            F::Log2 => A::Flog2,
            F::Sqrt => A::Fsqrt,
            F::InverseSqrt => A::Frsq,
            F::Exp | F::Log => {
                let value = if f == F::Exp { self.exp(v[0]) } else { self.log(v[0]) };
                self.single_only(v[0], name)?;
                return Ok(value);
            }
        };
        Ok(self.builder.alu(op, v))
    }

    fn minimum(&mut self, scalar: Scalar, a: Value, b: Value) -> Value {
        match scalar {
            s if s.is_float() => self.builder.fmin(a, b),
            s if s.is_signed_integer() => self.builder.imin(a, b),
            _ => self.builder.umin(a, b),
        }
    }

    fn maximum(&mut self, scalar: Scalar, a: Value, b: Value) -> Value {
        match scalar {
            s if s.is_float() => self.builder.fmax(a, b),
            s if s.is_signed_integer() => self.builder.imax(a, b),
            _ => self.builder.umax(a, b),
        }
    }

    fn common(&mut self, f: CommonFunction, v: &[Value], scalar: Scalar) -> Value {
        use CommonFunction as F;
        match f {
            F::Abs => self.builder.alu(by_type(scalar, A::Fabs, A::Iabs, A::Mov), v),
            F::Sign => self.builder.alu(by_type(scalar, A::Fsign, A::Isign, A::Mov), v),
            F::Floor => self.builder.alu(A::Ffloor, v),
            F::Trunc => self.builder.alu(A::Ftrunc, v),
            F::Round | F::RoundEven => self.builder.alu(A::FroundEven, v),
            F::Ceil => self.builder.alu(A::Fceil, v),
            F::Fract => self.builder.alu(A::Ffract, v),
            F::Mod => self.builder.alu(A::Fmod, v),
            F::Min => self.builder.alu(by_type(scalar, A::Fmin, A::Imin, A::Umin), v),
            F::Max => self.builder.alu(by_type(scalar, A::Fmax, A::Imax, A::Umax), v),
            F::Fma => self.builder.alu(A::Ffma, v),
            F::Ldexp => {
                let exponent = match self.builder.shader.bits(v[1]) {
                    32 => v[1],
                    _ => self.builder.i2i32(v[1]),
                };
                self.builder.fldexp(v[0], exponent)
            }
            F::Clamp => {
                let low = self.maximum(scalar, v[0], v[1]);
                self.minimum(scalar, low, v[2])
            }
            F::Min3 => {
                let low = self.minimum(scalar, v[0], v[1]);
                self.minimum(scalar, low, v[2])
            }
            F::Max3 => {
                let high = self.maximum(scalar, v[0], v[1]);
                self.maximum(scalar, high, v[2])
            }
            F::Mid3 => {
                let (low, high) =
                    (self.minimum(scalar, v[0], v[1]), self.maximum(scalar, v[0], v[1]));
                let high = self.minimum(scalar, high, v[2]);
                self.maximum(scalar, low, high)
            }
            F::Mix if self.builder.shader.bits(v[2]) == 1 => self.builder.bcsel(v[2], v[1], v[0]),
            F::Mix => self.builder.flrp(v[0], v[1], v[2]),
            F::Step => {
                let below = self.builder.flt(v[1], v[0]);
                let (zero, one) = (self.constant_like(v[1], 0.0), self.constant_like(v[1], 1.0));
                self.builder.bcsel(below, zero, one)
            }
            F::Smoothstep => {
                let (range, offset) =
                    (self.builder.fsub(v[1], v[0]), self.builder.fsub(v[2], v[0]));
                let ratio = self.builder.fdiv(offset, range);
                let t = self.builder.fsat(ratio);
                let (two, three) = (self.constant_like(t, 2.0), self.constant_like(t, 3.0));
                let double = self.builder.fmul(t, two);
                let factor = self.builder.fsub(three, double);
                let square = self.builder.fmul(t, t);
                self.builder.fmul(square, factor)
            }
            F::IsNan => self.builder.fneu(v[0], v[0]),
            F::IsInf => {
                let magnitude = self.builder.fabs(v[0]);
                let infinity = self.constant_like(v[0], f64::INFINITY);
                self.builder.feq(magnitude, infinity)
            }
        }
    }

    fn packing(&mut self, f: PackingFunction, v: &[Value]) -> Value {
        use PackingFunction as F;
        let op = match f {
            F::PackUnorm2x16 => A::PackUnorm2x16,
            F::PackSnorm2x16 => A::PackSnorm2x16,
            F::PackUnorm4x8 => A::PackUnorm4x8,
            F::PackSnorm4x8 => A::PackSnorm4x8,
            F::UnpackUnorm2x16 => A::UnpackUnorm2x16,
            F::UnpackSnorm2x16 => A::UnpackSnorm2x16,
            F::UnpackUnorm4x8 => A::UnpackUnorm4x8,
            F::UnpackSnorm4x8 => A::UnpackSnorm4x8,
            F::PackHalf2x16 => A::PackHalf2x16,
            F::UnpackHalf2x16 => A::UnpackHalf2x16,
        };
        self.builder.alu(op, v)
    }

    fn repacking(&mut self, f: RepackingFunction, v: &[Value]) -> Value {
        use RepackingFunction as F;
        match f {
            F::PackDouble2x32 | F::PackInt2x32 | F::PackUint2x32 => {
                self.builder.alu(A::PackVec64, v)
            }
            F::UnpackDouble2x32 | F::UnpackInt2x32 | F::UnpackUint2x32 => {
                self.builder.alu(A::UnpackVec64, v)
            }
            F::PackFloat2x16 | F::PackInt2x16 | F::PackUint2x16 => {
                self.builder.alu(A::PackVec32, v)
            }
            F::UnpackFloat2x16 | F::UnpackInt2x16 | F::UnpackUint2x16 => {
                self.builder.alu(A::UnpackVec32, v)
            }
            F::PackInt4x16 | F::PackUint4x16 => {
                let low = self.builder.swizzle(v[0], &[0, 1]);
                let high = self.builder.swizzle(v[0], &[2, 3]);
                let (low, high) = (self.builder.pack_32_2x16(low), self.builder.pack_32_2x16(high));
                self.builder.pack_64_2x32_split(low, high)
            }
            F::UnpackInt4x16 | F::UnpackUint4x16 => {
                let low = self.builder.unpack_64_2x32_split_x(v[0]);
                let high = self.builder.unpack_64_2x32_split_y(v[0]);
                let (low, high) =
                    (self.builder.unpack_32_2x16(low), self.builder.unpack_32_2x16(high));
                let mut all = self.builder.channels(low);
                all.extend(self.builder.channels(high));
                self.builder.vec(&all)
            }
        }
    }

    fn derivative(&mut self, f: DerivativeFunction, v: &[Value]) -> Value {
        use DerivativeFunction as F;
        match f {
            F::DFdx => self.builder.alu(A::Fddx, v),
            F::DFdy => self.builder.alu(A::Fddy, v),
            F::DFdxFine => self.builder.alu(A::FddxFine, v),
            F::DFdyFine => self.builder.alu(A::FddyFine, v),
            F::DFdxCoarse => self.builder.alu(A::FddxCoarse, v),
            F::DFdyCoarse => self.builder.alu(A::FddyCoarse, v),
            F::Fwidth => self.width(A::Fddx, A::Fddy, v),
            F::FwidthFine => self.width(A::FddxFine, A::FddyFine, v),
            F::FwidthCoarse => self.width(A::FddxCoarse, A::FddyCoarse, v),
        }
    }

    /// Returns |dx| + |dy|.
    fn width(&mut self, dx: AluOp, dy: AluOp, v: &[Value]) -> Value {
        let (dx, dy) = (self.builder.alu(dx, v), self.builder.alu(dy, v));
        let (dx, dy) = (self.builder.fabs(dx), self.builder.fabs(dy));
        self.builder.fadd(dx, dy)
    }

    fn noise(&mut self, f: NoiseFunction) -> Value {
        use NoiseFunction as F;
        let components = match f {
            F::Noise1 => 1,
            F::Noise2 => 2,
            F::Noise3 => 3,
            F::Noise4 => 4,
        };
        self.builder.zero(32, components)
    }

    fn geometric(&mut self, f: GeometricFunction, v: &[Value]) -> Result<Value, LowerError> {
        use GeometricFunction as F;
        Ok(match f {
            F::Length => self.length(v[0]),
            F::Distance => {
                let difference = self.builder.fsub(v[0], v[1]);
                self.length(difference)
            }
            F::Dot => self.builder.fdot(v[0], v[1]),
            F::Cross => {
                let a1 = self.builder.swizzle(v[0], &[1, 2, 0]);
                let b1 = self.builder.swizzle(v[1], &[2, 0, 1]);
                let a2 = self.builder.swizzle(v[0], &[2, 0, 1]);
                let b2 = self.builder.swizzle(v[1], &[1, 2, 0]);
                let (first, second) = (self.builder.fmul(a1, b1), self.builder.fmul(a2, b2));
                self.builder.fsub(first, second)
            }
            F::Normalize if self.builder.shader.components(v[0]) == 1 => self.builder.fsign(v[0]),
            F::Normalize => {
                let square = self.builder.fdot(v[0], v[0]);
                let scale = self.builder.frsq(square);
                self.builder.fmul(v[0], scale)
            }
            F::Faceforward => {
                let dot = self.builder.fdot(v[2], v[1]);
                let zero = self.constant_like(dot, 0.0);
                let keep = self.builder.flt(dot, zero);
                let flipped = self.builder.fneg(v[0]);
                self.builder.bcsel(keep, v[0], flipped)
            }
            F::Reflect => {
                let dot = self.builder.fdot(v[1], v[0]);
                let two = self.constant_like(dot, 2.0);
                let scale = self.builder.fmul(dot, two);
                let along = self.builder.fmul(v[1], scale);
                self.builder.fsub(v[0], along)
            }
            F::Refract => self.refract(v[0], v[1], v[2]),
            // The front end replaces it by an expression where it has a meaning.
            F::Ftransform => return Err(LowerError::Unsupported("ftransform")),
        })
    }

    fn length(&mut self, v: Value) -> Value {
        if self.builder.shader.components(v) == 1 {
            return self.builder.fabs(v);
        }
        let square = self.builder.fdot(v, v);
        self.builder.fsqrt(square)
    }

    fn refract(&mut self, incident: Value, normal: Value, eta: Value) -> Value {
        // eta is a float even for double vectors in some overloads; the checker converted it to the
        // vector's type.
        let dot = self.builder.fdot(normal, incident);
        let one = self.constant_like(dot, 1.0);
        let square = self.builder.fmul(dot, dot);
        let rest = self.builder.fsub(one, square);
        let eta_square = self.builder.fmul(eta, eta);
        let scaled = self.builder.fmul(eta_square, rest);
        let k = self.builder.fsub(one, scaled);
        let root = self.builder.fsqrt(k);
        let along = self.builder.fmul(eta, dot);
        let factor = self.builder.fadd(along, root);
        let bent = self.builder.fmul(incident, eta);
        let inward = self.builder.fmul(normal, factor);
        let result = self.builder.fsub(bent, inward);
        let zero = self.constant_like(k, 0.0);
        let total = self.builder.flt(k, zero);
        self.builder.bcsel(total, zero, result)
    }

    fn integer(&mut self, f: IntegerFunction, v: &[Value], scalar: Scalar) -> Value {
        use IntegerFunction as F;
        let signed = scalar.is_signed_integer();
        match f {
            F::BitfieldReverse => self.builder.alu(A::BitfieldReverse, v),
            F::BitCount => self.builder.alu(A::BitCount, v),
            F::FindLsb => self.builder.alu(A::FindLsb, v),
            F::FindMsb => {
                self.builder.alu(by_type(scalar, A::UfindMsb, A::IfindMsb, A::UfindMsb), v)
            }
            F::BitfieldInsert => self.builder.alu(A::BitfieldInsert, v),
            F::BitfieldExtract => {
                let op =
                    by_type(scalar, A::UbitfieldExtract, A::IbitfieldExtract, A::UbitfieldExtract);
                self.builder.alu(op, v)
            }
            F::CountLeadingZeros => {
                let msb = self.builder.ufind_msb(v[0]);
                let top = self.builder.imm(31);
                self.builder.isub(top, msb)
            }
            F::CountTrailingZeros => {
                let lsb = self.builder.find_lsb(v[0]);
                let all = self.builder.imm(32);
                self.builder.umin(lsb, all)
            }
            F::AbsoluteDifference => {
                let (low, high) =
                    (self.minimum(scalar, v[0], v[1]), self.maximum(scalar, v[0], v[1]));
                self.builder.isub(high, low)
            }
            F::AddSaturate | F::SubtractSaturate => {
                self.saturating(f == F::AddSaturate, signed, v[0], v[1])
            }
            F::Average | F::AverageRounded => {
                self.average(f == F::AverageRounded, signed, v[0], v[1])
            }
            F::Multiply32x16 => {
                let shift = self.builder.imm(16);
                let high = self.builder.ishl(v[1], shift);
                let half = if signed {
                    self.builder.ishr(high, shift)
                } else {
                    self.builder.ushr(high, shift)
                };
                self.builder.imul(v[0], half)
            }
        }
    }

    fn saturating(&mut self, add: bool, signed: bool, a: Value, b: Value) -> Value {
        let bits = self.builder.shader.bits(a);
        let result = if add { self.builder.iadd(a, b) } else { self.builder.isub(a, b) };
        if !signed {
            let (limit, wrapped) = if add {
                (self.builder.iconst(bits, -1), self.builder.ult(result, a))
            } else {
                (self.builder.iconst(bits, 0), self.builder.ult(a, b))
            };
            return self.builder.bcsel(wrapped, limit, result);
        }
        // Overflow when the operands' signs say so: (a ^ r) & (±b ^ r) negative for sums, (a ^ b) &
        // (a ^ r) for differences.
        let first = self.builder.ixor(a, result);
        let second = if add { self.builder.ixor(b, result) } else { self.builder.ixor(a, b) };
        let both = self.builder.iand(first, second);
        let zero = self.builder.iconst(bits, 0);
        let overflow = self.builder.ilt(both, zero);
        let lowest = self.builder.iconst(bits, i64::MIN >> (64 - bits));
        let highest = self.builder.iconst(bits, !(i64::MIN >> (64 - bits)));
        let negative = self.builder.ilt(a, zero);
        let limit = self.builder.bcsel(negative, lowest, highest);
        self.builder.bcsel(overflow, limit, result)
    }

    /// (a + b) / 2 without overflow: common bits plus half of the differing ones.
    fn average(&mut self, rounded: bool, signed: bool, a: Value, b: Value) -> Value {
        let one = self.builder.imm(1);
        let differ = self.builder.ixor(a, b);
        let half =
            if signed { self.builder.ishr(differ, one) } else { self.builder.ushr(differ, one) };
        if rounded {
            let either = self.builder.ior(a, b);
            return self.builder.isub(either, half);
        }
        let common = self.builder.iand(a, b);
        self.builder.iadd(common, half)
    }

    fn relational(
        &mut self,
        f: RelationalFunction,
        v: &[Value],
        scalar: Scalar,
    ) -> Result<Value, LowerError> {
        use RelationalFunction as F;
        use program::BinaryOp as B;
        let float = scalar.is_float();
        match f {
            F::LessThan => self.componentwise(B::Less, scalar, v[0], v[1]),
            F::LessThanEqual => self.componentwise(B::LessEqual, scalar, v[0], v[1]),
            F::GreaterThan => self.componentwise(B::Greater, scalar, v[0], v[1]),
            F::GreaterThanEqual => self.componentwise(B::GreaterEqual, scalar, v[0], v[1]),
            F::Equal if float => Ok(self.builder.feq(v[0], v[1])),
            F::Equal => Ok(self.builder.ieq(v[0], v[1])),
            F::NotEqual if float => Ok(self.builder.fneu(v[0], v[1])),
            F::NotEqual => Ok(self.builder.ine(v[0], v[1])),
            F::Any => Ok(self.builder.any(v[0])),
            F::All => Ok(self.builder.all(v[0])),
            F::Not => Ok(self.builder.alu(A::Inot, v)),
        }
    }

    fn emission(&mut self, f: EmissionFunction, values: &[Val]) -> Result<Val, LowerError> {
        use EmissionFunction as F;
        let stream =
            values.first().map(|stream| self.constant_stream(stream)).transpose()?.unwrap_or(0);
        let op = match f {
            F::EmitVertex | F::EmitStreamVertex => {
                self.store_outputs_of_stream(Some(stream.into()))?;
                IntrinsicOp::EmitVertex
            }
            F::EndPrimitive | F::EndStreamPrimitive => IntrinsicOp::EndPrimitive,
        };
        self.builder.intrinsic(op, &[], Fields { stream, ..Fields::default() }, None);
        Ok(Val::List(Vec::new()))
    }

    /// Returns the stream that an argument names: a constant, as the front end checks.
    fn constant_stream(&self, stream: &Val) -> Result<u8, LowerError> {
        let stream = self.builder.shader.as_const_u64(stream.leaf()?);
        stream.map(|stream| stream as u8).ok_or_else(|| {
            InternalError::new(Phase::Lower, "the stream of a vertex is not constant").into()
        })
    }

    fn synchronization(&mut self, f: SynchronizationFunction) -> Val {
        use SynchronizationFunction as F;
        use ir::intrinsics::{SCOPE_ATOMIC, SCOPE_BUFFER, SCOPE_IMAGE, SCOPE_SHARED};
        let all = SCOPE_BUFFER | SCOPE_IMAGE | SCOPE_SHARED | SCOPE_ATOMIC;
        let (op, scope) = match f {
            F::Barrier => (IntrinsicOp::Barrier, None),
            F::BeginInvocationInterlock => (IntrinsicOp::BeginInterlock, None),
            F::EndInvocationInterlock => (IntrinsicOp::EndInterlock, None),
            F::MemoryBarrier | F::GroupMemoryBarrier => (IntrinsicOp::MemoryBarrier, Some(all)),
            F::MemoryBarrierAtomicCounter => (IntrinsicOp::MemoryBarrier, Some(SCOPE_ATOMIC)),
            F::MemoryBarrierBuffer => (IntrinsicOp::MemoryBarrier, Some(SCOPE_BUFFER)),
            F::MemoryBarrierImage => (IntrinsicOp::MemoryBarrier, Some(SCOPE_IMAGE)),
            F::MemoryBarrierShared => (IntrinsicOp::MemoryBarrier, Some(SCOPE_SHARED)),
        };
        let default = Fields::default();
        let fields = Fields { scope: scope.unwrap_or(default.scope), ..default };
        self.builder.intrinsic(op, &[], fields, None);
        Val::List(Vec::new())
    }

    fn invocation(&mut self, f: InvocationFunction, v: &[Value]) -> Result<Value, LowerError> {
        use InvocationFunction as F;
        let of = |l: &mut Self, op, bits, components| {
            l.builder.load(op, v, Fields::default(), bits, components)
        };
        Ok(match f {
            F::AnyInvocation => of(self, IntrinsicOp::VoteAny, 1, 1),
            F::AllInvocations => of(self, IntrinsicOp::VoteAll, 1, 1),
            F::AllInvocationsEqual => of(self, IntrinsicOp::VoteEq, 1, 1),
            F::Ballot => of(self, IntrinsicOp::Ballot, 64, 1),
            F::ReadInvocation | F::ReadFirstInvocation => {
                let (bits, components) =
                    (self.builder.shader.bits(v[0]), self.builder.shader.components(v[0]));
                let op = if f == F::ReadInvocation {
                    IntrinsicOp::ReadInvocation
                } else {
                    IntrinsicOp::ReadFirstInvocation
                };
                of(self, op, bits, components)
            }
            F::HelperInvocation => of(self, IntrinsicOp::HelperInvocation, 1, 1),
            F::Clock2x32 => of(self, IntrinsicOp::Clock, 32, 2),
            F::QuadBroadcast => {
                let (bits, components) =
                    (self.builder.shader.bits(v[0]), self.builder.shader.components(v[0]));
                let base = self.builder.shader.as_const_u64(v[1]).ok_or_else(|| {
                    InternalError::new(Phase::Lower, "the invocation of a quad is not constant")
                })? as u32;
                let fields = Fields { base, ..Fields::default() };
                self.builder.load(IntrinsicOp::QuadBroadcast, &v[..1], fields, bits, components)
            }
            F::Clock => {
                let clock = of(self, IntrinsicOp::Clock, 32, 2);
                self.builder.pack_64_2x32(clock)
            }
        })
    }
}

/// A call of a built-in function.
#[derive(Clone, Copy)]
struct Call<'a> {
    function: BuiltinFunction,
    arguments: &'a [ExprId],
}

/// Returns the operation for components of this type.
fn by_type(scalar: Scalar, float: AluOp, signed: AluOp, unsigned: AluOp) -> AluOp {
    match scalar {
        s if s.is_float() => float,
        s if s.is_signed_integer() => signed,
        _ => unsigned,
    }
}

/// Returns true for functions of several steps that round. `float16_t` computes them in `float` and
/// rounds once more at the end: in its own precision the steps' errors would add up to visible
/// ones, and squares overflow from 256 on. Functions of one step and those that cannot round are
/// computed in `float16_t`; `ir::passes::lower_half` lowers those without a 16-bit instruction.
fn has_inexact_steps(function: BuiltinFunction) -> bool {
    use BuiltinFamily as B;
    match function.family() {
        B::Angle(f) => {
            use AngleFunction as F;
            match f {
                F::Radians | F::Degrees | F::Tan | F::Asin | F::Acos | F::Atan | F::Sinh => true,
                F::Cosh | F::Tanh | F::Asinh | F::Acosh | F::Atanh => true,
                F::Sin | F::Cos => false,
            }
        }
        B::Exponential(f) => {
            use ExponentialFunction as F;
            match f {
                F::Exp | F::Log => true,
                F::Pow | F::Exp2 | F::Log2 | F::Sqrt | F::InverseSqrt => false,
            }
        }
        B::Common(f) => {
            use CommonFunction as F;
            match f {
                F::Mix | F::Smoothstep => true,
                F::Abs | F::Sign | F::Floor | F::Trunc | F::Round | F::RoundEven | F::Ceil => false,
                F::Fract | F::Mod | F::Min | F::Max | F::Clamp | F::Step | F::IsNan => false,
                F::IsInf | F::Fma | F::Ldexp | F::Min3 | F::Max3 | F::Mid3 => false,
            }
        }
        B::Geometric(f) => {
            use GeometricFunction as F;
            match f {
                F::Length | F::Distance | F::Dot | F::Cross | F::Normalize => true,
                F::Faceforward | F::Reflect | F::Refract => true,
                F::Ftransform => false,
            }
        }
        B::Matrix(f) => {
            use MatrixFunction as F;
            match f {
                F::Determinant | F::Inverse => true,
                F::MatrixCompMult | F::OuterProduct | F::Transpose => false,
            }
        }
        B::OutParameter(_) | B::BitCast(_) | B::Packing(_) | B::Repacking(_) => false,
        B::Relational(_) | B::Integer(_) | B::AtomicCounter(_) | B::Emission(_) => false,
        B::Derivative(_) | B::Interpolation(_) | B::Invocation(_) | B::Noise(_) => false,
        B::Synchronization(_) => false,
    }
}
