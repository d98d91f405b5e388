//! Arithmetic on single components, held as raw bits in a `u64`.
//!
//! `float` operands and results that are subnormal become zeros of the same sign (GLSL 4.60 section
//! 4.7.1 allows it, and so does the simulated hardware); `double` and `float16_t` keep theirs.
//! Every operation rounds once, to nearest even.

use program::builtin_function::RelationalFunction;
use program::{BinaryOp, Scalar, UnaryOp};

use crate::half;
use crate::lanes::Value;

/// A function of one component.
pub(crate) type UnaryFunction = fn(u64) -> u64;
/// A function of two components.
pub(crate) type BinaryFunction = fn(u64, u64) -> u64;

/// Flushes a subnormal to a zero of its sign.
pub(crate) fn flush(x: f32) -> f32 {
    let bits = x.to_bits();
    f32::from_bits(if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits })
}

/// Returns the `float` of a component, flushed.
pub(crate) fn f32_of(bits: u64) -> f32 {
    flush(f32::from_bits(bits as u32))
}

/// Returns the component of a `float`, flushed.
pub(crate) fn of_f32(x: f32) -> u64 {
    u64::from(flush(x).to_bits())
}

/// Returns the `double` of a component.
pub(crate) fn f64_of(bits: u64) -> f64 {
    f64::from_bits(bits)
}

/// Returns the component of a `double`.
pub(crate) fn of_f64(x: f64) -> u64 {
    x.to_bits()
}

/// Returns the `float16_t` of a component.
pub(crate) fn f16_of(bits: u64) -> f64 {
    half::to_f64(bits as u16)
}

/// Returns the component of a `float16_t`, rounded once.
pub(crate) fn of_f16(x: f64) -> u64 {
    u64::from(half::from_f64(x))
}

/// Returns the component of a `bool`.
pub(crate) fn of_bool(x: bool) -> u64 {
    u64::from(x)
}

/// Truncates an integer to its width: sign-extended for signed types, zero-extended for unsigned
/// ones.
pub(crate) fn wrap(scalar: Scalar, x: u64) -> u64 {
    match scalar {
        Scalar::Int8 => x as i8 as i64 as u64,
        Scalar::Uint8 => u64::from(x as u8),
        Scalar::Int16 => x as i16 as i64 as u64,
        Scalar::Uint16 => u64::from(x as u16),
        Scalar::Int => x as i32 as i64 as u64,
        Scalar::Uint => u64::from(x as u32),
        _ => x,
    }
}

/// Returns x − y·⌊x/y⌋ without intermediate rounding: the exact remainder with the sign of the
/// divisor.
pub(crate) fn floored_modulo(x: f64, y: f64) -> f64 {
    let remainder = libm::fmod(x, y);
    if remainder == 0.0 {
        // Equal numbers differ by +0.
        return 0.0;
    }
    if (remainder < 0.0) != (y < 0.0) { remainder + y } else { remainder }
}

macro_rules! float_ops {
    ($op:expr, $get:ident, $put:ident) => {
        match $op {
            BinaryOp::Add => |a, b| $put($get(a) + $get(b)),
            BinaryOp::Sub => |a, b| $put($get(a) - $get(b)),
            BinaryOp::Mul => |a, b| $put($get(a) * $get(b)),
            BinaryOp::Div => |a, b| $put($get(a) / $get(b)),
            BinaryOp::Less => |a, b| of_bool($get(a) < $get(b)),
            BinaryOp::LessEqual => |a, b| of_bool($get(a) <= $get(b)),
            BinaryOp::Greater => |a, b| of_bool($get(a) > $get(b)),
            BinaryOp::GreaterEqual => |a, b| of_bool($get(a) >= $get(b)),
            BinaryOp::Equal => |a, b| of_bool($get(a) == $get(b)),
            BinaryOp::NotEqual => |a, b| of_bool($get(a) != $get(b)),
            _ => return None,
        }
    };
}

macro_rules! int_ops {
    ($op:expr, $ty:ty, $shift:expr) => {
        match $op {
            BinaryOp::Add => |a, b| (a as $ty).wrapping_add(b as $ty) as i64 as u64,
            BinaryOp::Sub => |a, b| (a as $ty).wrapping_sub(b as $ty) as i64 as u64,
            BinaryOp::Mul => |a, b| (a as $ty).wrapping_mul(b as $ty) as i64 as u64,
            BinaryOp::Div => {
                |a, b| (a as $ty).checked_div(b as $ty).unwrap_or(-1i32 as $ty) as i64 as u64
            }
            BinaryOp::Mod => {
                |a, b| (a as $ty).checked_rem(b as $ty).unwrap_or(-1i32 as $ty) as i64 as u64
            }
            BinaryOp::ShiftLeft => |a, b| (a as $ty).wrapping_shl(b as u32 & $shift) as i64 as u64,
            BinaryOp::ShiftRight => |a, b| (a as $ty).wrapping_shr(b as u32 & $shift) as i64 as u64,
            BinaryOp::BitAnd => |a, b| (a & b),
            BinaryOp::BitOr => |a, b| (a | b),
            BinaryOp::BitXor => |a, b| (a ^ b),
            BinaryOp::Less => |a, b| of_bool((a as $ty) < (b as $ty)),
            BinaryOp::LessEqual => |a, b| of_bool((a as $ty) <= (b as $ty)),
            BinaryOp::Greater => |a, b| of_bool((a as $ty) > (b as $ty)),
            BinaryOp::GreaterEqual => |a, b| of_bool((a as $ty) >= (b as $ty)),
            BinaryOp::Equal => |a, b| of_bool(a as $ty == b as $ty),
            BinaryOp::NotEqual => |a, b| of_bool(a as $ty != b as $ty),
            _ => return None,
        }
    };
}

/// The operator that compares components as a relational function does.
pub(crate) fn comparison(function: RelationalFunction) -> Option<BinaryOp> {
    use RelationalFunction as F;
    match function {
        F::LessThan => Some(BinaryOp::Less),
        F::LessThanEqual => Some(BinaryOp::LessEqual),
        F::GreaterThan => Some(BinaryOp::Greater),
        F::GreaterThanEqual => Some(BinaryOp::GreaterEqual),
        F::Equal => Some(BinaryOp::Equal),
        F::NotEqual => Some(BinaryOp::NotEqual),
        F::Not | F::Any | F::All => None,
    }
}

/// Returns the function of a component-wise binary operator on components of type `scalar`; results
/// of integer arithmetic still need [`wrap`]. `None` when the operator is not component-wise on
/// that type.
pub(crate) fn binary(op: BinaryOp, scalar: Scalar) -> Option<BinaryFunction> {
    Some(match scalar {
        Scalar::Float => float_ops!(op, f32_of, of_f32),
        Scalar::Double => float_ops!(op, f64_of, of_f64),
        Scalar::Float16 => float_ops!(op, f16_of, of_f16),
        Scalar::Int8 => int_ops!(op, i8, 7),
        Scalar::Uint8 => int_ops!(op, u8, 7),
        Scalar::Int16 => int_ops!(op, i16, 15),
        Scalar::Uint16 => int_ops!(op, u16, 15),
        Scalar::Int => int_ops!(op, i32, 31),
        Scalar::Uint => int_ops!(op, u32, 31),
        Scalar::Int64 => int_ops!(op, i64, 63),
        Scalar::Uint64 => int_ops!(op, u64, 63),
        Scalar::Bool => match op {
            BinaryOp::Equal => |a, b| of_bool((a != 0) == (b != 0)),
            BinaryOp::NotEqual | BinaryOp::LogicalXor => |a, b| of_bool((a != 0) != (b != 0)),
            BinaryOp::LogicalAnd | BinaryOp::BitAnd => |a, b| of_bool(a != 0 && b != 0),
            BinaryOp::LogicalOr | BinaryOp::BitOr => |a, b| of_bool(a != 0 || b != 0),
            _ => return None,
        },
    })
}

/// Applies a common component-wise operator to whole values, in loops of its own; `None` for the
/// others. The results are those of [`binary`], wrapped.
pub(crate) fn zip(op: BinaryOp, scalar: Scalar, a: &Value, b: &Value) -> Option<Value> {
    macro_rules! floats {
        ($result:expr) => {
            a.zip(b, |x, y| $result(f32_of(x), f32_of(y)))
        };
    }
    macro_rules! integers {
        ($ty:ty, $result:expr) => {
            a.zip(b, |x, y| $result(x as $ty, y as $ty))
        };
    }
    let signed = |x: i32| i64::from(x) as u64;
    Some(match (scalar, op) {
        (Scalar::Float, BinaryOp::Add) => floats!(|x, y| of_f32(x + y)),
        (Scalar::Float, BinaryOp::Sub) => floats!(|x, y| of_f32(x - y)),
        (Scalar::Float, BinaryOp::Mul) => floats!(|x, y| of_f32(x * y)),
        (Scalar::Float, BinaryOp::Less) => floats!(|x, y| of_bool(x < y)),
        (Scalar::Float, BinaryOp::LessEqual) => floats!(|x, y| of_bool(x <= y)),
        (Scalar::Float, BinaryOp::Greater) => floats!(|x, y| of_bool(x > y)),
        (Scalar::Float, BinaryOp::GreaterEqual) => floats!(|x, y| of_bool(x >= y)),
        (Scalar::Int, BinaryOp::Add) => integers!(i32, |x: i32, y| signed(x.wrapping_add(y))),
        (Scalar::Int, BinaryOp::Sub) => integers!(i32, |x: i32, y| signed(x.wrapping_sub(y))),
        (Scalar::Int, BinaryOp::Mul) => integers!(i32, |x: i32, y| signed(x.wrapping_mul(y))),
        (Scalar::Int, BinaryOp::Less) => integers!(i32, |x, y| of_bool(x < y)),
        (Scalar::Int, BinaryOp::LessEqual) => integers!(i32, |x, y| of_bool(x <= y)),
        (Scalar::Int, BinaryOp::Greater) => integers!(i32, |x, y| of_bool(x > y)),
        (Scalar::Int, BinaryOp::GreaterEqual) => integers!(i32, |x, y| of_bool(x >= y)),
        (Scalar::Uint, BinaryOp::Add) => integers!(u32, |x: u32, y| u64::from(x.wrapping_add(y))),
        (Scalar::Uint, BinaryOp::Sub) => integers!(u32, |x: u32, y| u64::from(x.wrapping_sub(y))),
        (Scalar::Uint, BinaryOp::Mul) => integers!(u32, |x: u32, y| u64::from(x.wrapping_mul(y))),
        (Scalar::Int | Scalar::Uint, BinaryOp::BitAnd) => a.zip(b, |x, y| x & y),
        (Scalar::Int | Scalar::Uint, BinaryOp::BitOr) => a.zip(b, |x, y| x | y),
        (Scalar::Int | Scalar::Uint, BinaryOp::BitXor) => a.zip(b, |x, y| x ^ y),
        _ => return None,
    })
}

/// True if GLSL leaves the result undefined: integer division by zero (or of the smallest value by
/// −1), a shift by the width or more, and `float` division by more than 2¹²⁶, for which section
/// 4.7.1 gives no bound (a reciprocal underflows there).
pub(crate) fn binary_is_undefined(op: BinaryOp, scalar: Scalar, a: u64, b: u64) -> bool {
    if scalar == Scalar::Float && op == BinaryOp::Div {
        let divisor = f32_of(b).abs();
        return divisor.is_finite() && divisor > 1.0 / f32::MIN_POSITIVE;
    }
    if !scalar.is_integer() {
        return false;
    }
    match op {
        BinaryOp::Div | BinaryOp::Mod => {
            let minus_one = wrap(scalar, u64::MAX);
            let lowest = wrap(scalar, 1 << (scalar.bits() - 1));
            let negative_operand = op == BinaryOp::Mod
                && scalar.is_signed_integer()
                && ((a as i64) < 0 || (b as i64) < 0);
            b == 0
                || negative_operand
                || (scalar.is_signed_integer() && b == minus_one && a == lowest)
        }
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight => b >= u64::from(scalar.bits()),
        _ => false,
    }
}

/// Returns the function of a unary operator on components of type `scalar`; integer results still
/// need [`wrap`].
pub(crate) fn unary(op: UnaryOp, scalar: Scalar) -> Option<UnaryFunction> {
    Some(match (op, scalar) {
        (UnaryOp::LogicalNot, Scalar::Bool) => |a| of_bool(a == 0),
        (UnaryOp::Negate, Scalar::Float) => |a| a ^ 0x8000_0000,
        (UnaryOp::Negate, Scalar::Double) => |a| a ^ (1 << 63),
        (UnaryOp::Negate, Scalar::Float16) => |a| a ^ 0x8000,
        (UnaryOp::Negate, s) if s.is_integer() => |a| a.wrapping_neg(),
        (UnaryOp::BitNot, s) if s.is_integer() => |a| !a,
        _ => return None,
    })
}

/// Converts a number to `f64`, exactly except for 64-bit integers beyond 2⁵³, which [`convert`]
/// handles separately.
pub(crate) fn to_f64(scalar: Scalar, bits: u64) -> f64 {
    match scalar {
        Scalar::Bool => f64::from(u8::from(bits != 0)),
        Scalar::Float16 => f16_of(bits),
        Scalar::Float => f64::from(f32_of(bits)),
        Scalar::Double => f64_of(bits),
        s if s.is_signed_integer() => bits as i64 as f64,
        _ => bits as f64,
    }
}

/// Rounds an `f64` once to a floating-point component.
pub(crate) fn from_f64(scalar: Scalar, x: f64) -> u64 {
    match scalar {
        Scalar::Float16 => of_f16(x),
        Scalar::Float => of_f32(x as f32),
        _ => of_f64(x),
    }
}

/// Converts one component (GLSL 4.60 section 5.4.1). Also returns whether the result is undefined:
/// a floating-point value outside the integer type's range, or NaN.
pub(crate) fn convert(from: Scalar, to: Scalar, bits: u64) -> (u64, bool) {
    if from == to {
        return (bits, false);
    }
    if to == Scalar::Bool {
        let zero = if from.is_float() { to_f64(from, bits) == 0.0 } else { bits == 0 };
        return (of_bool(!zero), false);
    }
    if from == Scalar::Bool {
        let one = if to.is_float() { from_f64(to, 1.0) } else { 1 };
        return (if bits != 0 { one } else { 0 }, false);
    }
    match (from.is_float(), to.is_float()) {
        (true, true) => (from_f64(to, to_f64(from, bits)), false),
        (true, false) => float_to_int(to, to_f64(from, bits)),
        (false, true) => (int_to_float(from, to, bits), false),
        (false, false) => (wrap(to, bits), false),
    }
}

fn float_to_int(to: Scalar, x: f64) -> (u64, bool) {
    let whole = libm::trunc(x);
    let bits = to.bits() as i32;
    let (low, high) = if to.is_signed_integer() {
        (-libm::ldexp(1.0, bits - 1), libm::ldexp(1.0, bits - 1))
    } else {
        (0.0, libm::ldexp(1.0, bits))
    };
    // Converting a negative value to an unsigned type is undefined; so is everything out of range.
    let undefined = !(whole >= low && whole < high);
    let value = if to.is_signed_integer() {
        match to {
            Scalar::Int8 => (whole as i8) as i64 as u64,
            Scalar::Int16 => (whole as i16) as i64 as u64,
            Scalar::Int => (whole as i32) as i64 as u64,
            _ => (whole as i64) as u64,
        }
    } else {
        match to {
            Scalar::Uint8 => u64::from(whole as u8),
            Scalar::Uint16 => u64::from(whole as u16),
            Scalar::Uint => u64::from(whole as u32),
            _ => whole as u64,
        }
    };
    (value, undefined)
}

fn int_to_float(from: Scalar, to: Scalar, bits: u64) -> u64 {
    let signed = from.is_signed_integer();
    match to {
        Scalar::Float if signed => of_f32(bits as i64 as f32),
        Scalar::Float => of_f32(bits as f32),
        Scalar::Double if signed => of_f64(bits as i64 as f64),
        Scalar::Double => of_f64(bits as f64),
        // Every integer of at most 53 bits is exact in f64; longer ones overflow half precision
        // anyway.
        _ if signed => of_f16(bits as i64 as f64),
        _ => of_f16(bits as f64),
    }
}
