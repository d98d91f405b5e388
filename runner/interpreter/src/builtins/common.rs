//! Angle, exponential, common and relational functions (GLSL 4.60 sections 8.1 to 8.3, 8.7): all
//! component-wise.

use program::builtin_function::{
    AngleFunction, CommonFunction, ExponentialFunction, RelationalFunction,
};
use program::{BinaryOp, Scalar};

use super::arguments::{Arguments, real1, real2, real3, undefined_where};
use crate::environment::Error;
use crate::lanes::Value;
use crate::scalar;

type Computed = Result<Value, Error>;

/// Angle from which on a sine has no value to rely on. The precision of trigonometric functions is
/// undefined (GLSL 4.60 section 4.7.1), and 16 units in the last place of such an angle, which two
/// correct computations of it may differ by, are a hundredth.
const LARGE_ANGLE: f64 = 8192.0;

/// Calls an angle or trigonometry function.
pub(super) fn angle(f: AngleFunction, args: &Arguments) -> Computed {
    use AngleFunction as F;
    let function: fn(f64) -> f64 = match f {
        F::Radians => |x| x * (std::f64::consts::PI / 180.0),
        F::Degrees => |x| x * (180.0 / std::f64::consts::PI),
        F::Sin => libm::sin,
        F::Cos => libm::cos,
        F::Tan => libm::tan,
        F::Asin => libm::asin,
        F::Acos => libm::acos,
        F::Atan if args.values.len() == 1 => libm::atan,
        F::Sinh => libm::sinh,
        F::Cosh => libm::cosh,
        F::Tanh => libm::tanh,
        F::Asinh => libm::asinh,
        F::Acosh => libm::acosh,
        F::Atanh => libm::atanh,
        F::Atan => {
            let ty = args.scalar(0)?;
            let (y, x) = (args.value(0)?, args.value(1)?);
            let mut value = real2(y, x, ty, libm::atan2);
            // atan(0, 0) is undefined.
            for c in 0..value.components() {
                for lane in 0..value.lanes() {
                    let zero = |v: &Value| scalar::to_f64(ty, v.get(c, lane)) == 0.0;
                    if zero(y) && zero(x) {
                        value.mark_undefined(c, lane);
                    }
                }
            }
            return Ok(value);
        }
    };
    let (x, ty) = (args.value(0)?, args.scalar(0)?);
    let value = real1(x, ty, function);
    let outside: fn(f64) -> bool = match f {
        F::Sin | F::Cos | F::Tan => |x| x.abs() >= LARGE_ANGLE,
        F::Asin | F::Acos => |x| x.abs() > 1.0,
        F::Acosh => |x| x < 1.0,
        F::Atanh => |x| x.abs() >= 1.0,
        F::Radians | F::Degrees | F::Atan | F::Sinh | F::Cosh | F::Tanh | F::Asinh => {
            return Ok(value);
        }
    };
    Ok(undefined_where(value, x, ty, outside))
}

/// Calls an exponential function.
pub(super) fn exponential(f: ExponentialFunction, args: &Arguments, components: usize) -> Computed {
    use ExponentialFunction as F;
    let function: fn(f64) -> f64 = match f {
        F::Exp => libm::exp,
        F::Log => libm::log,
        F::Exp2 => libm::exp2,
        F::Log2 => libm::log2,
        F::Sqrt => libm::sqrt,
        F::InverseSqrt => |x| 1.0 / libm::sqrt(x),
        F::Pow => {
            let ty = args.scalar(0)?;
            let (x, y) = (args.widened(0, components)?, args.widened(1, components)?);
            let mut value = real2(&x, &y, ty, libm::pow);
            for c in 0..value.components() {
                for lane in 0..value.lanes() {
                    let (x, y) =
                        (scalar::to_f64(ty, x.get(c, lane)), scalar::to_f64(ty, y.get(c, lane)));
                    if x < 0.0 || (x == 0.0 && y <= 0.0) {
                        value.mark_undefined(c, lane);
                    }
                }
            }
            return Ok(value);
        }
    };
    let (x, ty) = (args.value(0)?, args.scalar(0)?);
    let value = real1(x, ty, function);
    let outside: fn(f64) -> bool = match f {
        F::Log | F::Log2 | F::InverseSqrt => |x| x <= 0.0,
        F::Sqrt => |x| x < 0.0,
        F::Exp | F::Exp2 | F::Pow => return Ok(value),
    };
    Ok(undefined_where(value, x, ty, outside))
}

/// Calls a common function.
pub(super) fn common(
    f: CommonFunction,
    args: &Arguments,
    result: Option<Scalar>,
    components: usize,
) -> Computed {
    use CommonFunction as F;
    let wide = |i| args.widened(i, components);
    let wide3 = || Ok::<_, Error>((wide(0)?, wide(1)?, wide(2)?));
    let ty =
        result.ok_or(Error::Malformed("common function with a result that is not a number"))?;
    let operands = || (0..args.values.len()).map(wide).collect::<Result<Vec<Value>, Error>>();
    // Functions whose result is one of the operands.
    let choice = |value| Ok(mark_open_choices(value, ty, &operands()?, true));
    let number = |value| Ok(mark_open_choices(value, ty, &operands()?, false));
    match f {
        F::Floor => Ok(real1(args.value(0)?, ty, f64::floor)),
        F::Trunc => Ok(real1(args.value(0)?, ty, f64::trunc)),
        F::Round | F::RoundEven => Ok(real1(args.value(0)?, ty, libm::rint)),
        F::Ceil => Ok(real1(args.value(0)?, ty, f64::ceil)),
        F::Fract => Ok(real1(args.value(0)?, ty, |x| x - x.floor())),
        F::Ldexp => {
            let (ty, exponent) = (args.scalar(0)?, wide(1)?);
            let scale = |x, e: u64| {
                let exponent = (e as i64).clamp(-5000, 5000) as i32;
                scalar::from_f64(ty, libm::scalbn(scalar::to_f64(ty, x), exponent))
            };
            Ok(args.value(0)?.zip(&exponent, scale))
        }
        F::Mod => Ok(real2(args.value(0)?, &wide(1)?, args.scalar(0)?, scalar::floored_modulo)),
        F::Fma => fma(args),
        F::IsNan => test(args, f64::is_nan),
        F::IsInf => test(args, f64::is_infinite),
        F::Abs if ty.is_float() => Ok(args.value(0)?.map(|x| x & !sign_bit(ty))),
        F::Abs => Ok(args.value(0)?.map(|x| scalar::wrap(ty, (x as i64).wrapping_abs() as u64))),
        F::Sign if ty.is_float() => number(real1(args.value(0)?, ty, sign)),
        F::Sign => Ok(args.value(0)?.map(|x| (x as i64).signum() as u64)),
        F::Min => choice(wide(0)?.zip(&wide(1)?, |x, y| min(ty, x, y))),
        F::Max => choice(wide(0)?.zip(&wide(1)?, |x, y| max(ty, x, y))),
        F::Clamp => choice(clamp(ty, &wide(0)?, &wide(1)?, &wide(2)?)),
        F::Min3 => {
            let (a, b, c) = wide3()?;
            choice(a.zip3(&b, &c, |x, y, z| min(ty, min(ty, x, y), z)))
        }
        F::Max3 => {
            let (a, b, c) = wide3()?;
            choice(a.zip3(&b, &c, |x, y, z| max(ty, max(ty, x, y), z)))
        }
        F::Mid3 => {
            let (a, b, c) = wide3()?;
            let middle = |x, y, z| max(ty, min(ty, x, y), min(ty, max(ty, x, y), z));
            choice(a.zip3(&b, &c, middle))
        }
        F::Mix if args.scalar(2)? == Scalar::Bool => {
            let (a, b, c) = wide3()?;
            Ok(c.choose(&b, &a))
        }
        F::Mix => {
            let (a, b, c) = wide3()?;
            Ok(real3(&a, &b, &c, ty, |x, y, a| x * (1.0 - a) + y * a))
        }
        F::Step => {
            number(real2(&wide(0)?, &wide(1)?, ty, |edge, x| if x < edge { 0.0 } else { 1.0 }))
        }
        F::Smoothstep => number(smoothstep(ty, &wide(0)?, &wide(1)?, &wide(2)?)),
    }
}

fn fma(args: &Arguments) -> Computed {
    let ty = args.scalar(0)?;
    let (a, b, c) = (args.value(0)?, args.value(1)?, args.value(2)?);
    Ok(match ty {
        Scalar::Float => a.zip3(b, c, |x, y, z| {
            scalar::of_f32(libm::fmaf(scalar::f32_of(x), scalar::f32_of(y), scalar::f32_of(z)))
        }),
        _ => real3(a, b, c, ty, libm::fma),
    })
}

/// Returns the sign as a number; zeros and NaN stay.
fn sign(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        x
    }
}

/// Tests every component.
fn test(args: &Arguments, test: fn(f64) -> bool) -> Computed {
    let ty = args.scalar(0)?;
    Ok(args.value(0)?.map(|x| scalar::of_bool(test(scalar::to_f64(ty, x)))))
}

fn less(ty: Scalar, a: u64, b: u64) -> bool {
    scalar::binary(BinaryOp::Less, ty).is_some_and(|f| f(a, b) != 0)
}

/// Returns `min` of the specification: y if y < x, otherwise x. GLSL leaves the result for a number
/// and a NaN open; it is the number, as with IEEE 754's minNum (the rule of the hardware).
fn min(ty: Scalar, x: u64, y: u64) -> u64 {
    if less(ty, y, x) || is_nan(ty, x) { y } else { x }
}

/// Returns `max` of the specification: y if x < y, otherwise x. NaN is treated as by [`min`].
fn max(ty: Scalar, x: u64, y: u64) -> u64 {
    if less(ty, x, y) || is_nan(ty, x) { y } else { x }
}

fn is_nan(ty: Scalar, x: u64) -> bool {
    ty.is_float() && scalar::to_f64(ty, x).is_nan()
}

/// Marks results that GLSL leaves open: functions of NaN need not return NaN (GLSL 4.60 section
/// 4.7.1), and the order of two zeros is unspecified.
fn mark_open_choices(mut value: Value, ty: Scalar, operands: &[Value], chooses: bool) -> Value {
    if !ty.is_float() {
        return value;
    }
    for c in 0..value.components() {
        for lane in 0..value.lanes() {
            let numbers = || operands.iter().map(|o| scalar::to_f64(ty, o.get(c, lane)));
            let zero = |negative| numbers().any(|x| x == 0.0 && x.is_sign_negative() == negative);
            if numbers().any(f64::is_nan) || chooses && zero(true) && zero(false) {
                value.mark_undefined(c, lane);
            }
        }
    }
    value
}

fn sign_bit(ty: Scalar) -> u64 {
    1 << (ty.bits() - 1)
}

fn clamp(ty: Scalar, x: &Value, low: &Value, high: &Value) -> Value {
    let mut value = x.zip3(low, high, |x, low, high| min(ty, max(ty, x, low), high));
    for c in 0..value.components() {
        for lane in 0..value.lanes() {
            if less(ty, high.get(c, lane), low.get(c, lane)) {
                value.mark_undefined(c, lane);
            }
        }
    }
    value
}

fn smoothstep(ty: Scalar, low: &Value, high: &Value, x: &Value) -> Value {
    let mut value = real3(low, high, x, ty, |low, high, x| {
        let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    });
    for c in 0..value.components() {
        for lane in 0..value.lanes() {
            if !less(ty, low.get(c, lane), high.get(c, lane)) {
                value.mark_undefined(c, lane);
            }
        }
    }
    value
}

/// Returns the operand's bits as another type.
pub(super) fn bit_cast(args: &Arguments, result: Option<Scalar>) -> Computed {
    let to = result.ok_or(Error::Malformed("result of a bit cast is not numeric"))?;
    let mask = u64::MAX >> (64 - to.bits());
    Ok(args.value(0)?.map(|x| scalar::wrap(to, x & mask)))
}

/// Calls a vector relational function.
pub(super) fn relational(f: RelationalFunction, args: &Arguments) -> Computed {
    use RelationalFunction as F;
    match f {
        F::Not => return Ok(args.value(0)?.map(|x| x ^ 1)),
        F::Any | F::All => {
            let any = f == F::Any;
            let fold = |operands: &[&[u64]], out: &mut [u64]| {
                let mut values = operands[0].iter().map(|&x| x != 0);
                out[0] = scalar::of_bool(if any { values.any(|x| x) } else { values.all(|x| x) });
            };
            return Ok(Value::reduce(&[args.value(0)?], 1, fold));
        }
        _ => {}
    }
    let ty = args.scalar(0)?;
    let function = scalar::comparison(f).and_then(|op| scalar::binary(op, ty));
    let function = function.ok_or(Error::Malformed("comparison of this type"))?;
    Ok(args.value(0)?.zip(args.value(1)?, function))
}
