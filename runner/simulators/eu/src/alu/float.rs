//! Floating-point operations on bit patterns of the execution format.

use intel_isa::{CondMod, MathFn, Opcode};

use super::convert::{compare_floats, satisfies};
use super::math::{self, Function};
use super::{Modes, Value};
use crate::soft_float::{self, Format, Round};

/// `a + b`, flushing operands and result.
pub fn add(fmt: Format, a: u64, b: u64, modes: &Modes) -> u64 {
    if modes.round == Round::Even {
        match fmt {
            soft_float::F => return result32(f32::from_bits(a as u32) + f32::from_bits(b as u32)),
            soft_float::DF => return result64(f64::from_bits(a) + f64::from_bits(b)),
            _ => {}
        }
    }
    soft_float::add(fmt, a, b, modes.round)
}

/// `a · b`.
pub fn mul(fmt: Format, a: u64, b: u64, modes: &Modes) -> u64 {
    if modes.alt && (fmt.is_zero(a) || fmt.is_zero(b)) {
        return 0;
    }
    if modes.round == Round::Even {
        match fmt {
            soft_float::F => return result32(f32::from_bits(a as u32) * f32::from_bits(b as u32)),
            soft_float::DF => return result64(f64::from_bits(a) * f64::from_bits(b)),
            _ => {}
        }
    }
    soft_float::mul(fmt, a, b, modes.round)
}

/// The default NaN for any NaN the host's arithmetic made.
fn result32(x: f32) -> u64 {
    if x.is_nan() { soft_float::F.nan() } else { x.to_bits().into() }
}

fn result64(x: f64) -> u64 {
    if x.is_nan() { soft_float::DF.nan() } else { x.to_bits() }
}

/// A value as double, exactly (every execution format fits).
pub fn widen(fmt: Format, bits: u64) -> f64 {
    if fmt == soft_float::F {
        return f64::from(f32::from_bits(bits as u32));
    }
    f64::from_bits(soft_float::convert(fmt, soft_float::DF, bits, Round::Even))
}

/// A double in the execution format.
pub fn narrow(fmt: Format, value: f64, round: Round) -> u64 {
    if fmt == soft_float::F && round == Round::Even {
        return result32(value as f32);
    }
    soft_float::convert(soft_float::DF, fmt, value.to_bits(), round)
}

/// One-, two- and three-source arithmetic on flushed operands. `None`: not a float operation of one
/// channel.
pub fn evaluate(opcode: Opcode, fmt: Format, operands: [u64; 3], modes: &Modes) -> Option<u64> {
    let [a, b, c] = operands;
    Some(match opcode {
        Opcode::Add => add(fmt, a, b, modes),
        Opcode::Mul => mul(fmt, a, b, modes),
        Opcode::Mad if modes.alt && (fmt.is_zero(b) || fmt.is_zero(c)) => add(fmt, a, 0, modes),
        Opcode::Mad => soft_float::fma(fmt, b, c, a, modes.round),
        Opcode::Lrp => {
            let [x, y, z] = [a, b, c].map(|bits| widen(fmt, bits));
            narrow(fmt, x * y + (1.0 - x) * z, modes.round)
        }
        Opcode::Frc => {
            let floor = soft_float::round_integral(fmt, a, Round::Down);
            // The fraction of a tiny negative number must stay below one.
            let fraction = soft_float::add(fmt, a, floor ^ fmt.sign(), modes.round);
            if fraction == fmt.one() { fmt.one() - 1 } else { fraction }
        }
        Opcode::Rndd => soft_float::round_integral(fmt, a, Round::Down),
        Opcode::Rndu => soft_float::round_integral(fmt, a, Round::Up),
        Opcode::Rnde => soft_float::round_integral(fmt, a, Round::Even),
        Opcode::Rndz => soft_float::round_integral(fmt, a, Round::Zero),
        _ => return None,
    })
}

/// The plane (PLN) or line (LINE) equation: `p·u + q·v + r`, rounded once.
pub fn plane(coefficients: [u64; 3], u: u64, v: u64, modes: &Modes) -> u64 {
    let [p, q, r] = coefficients.map(|bits| widen(soft_float::F, modes.flush(soft_float::F, bits)));
    let [u, v] = [u, v].map(|bits| widen(soft_float::F, modes.flush(soft_float::F, bits)));
    narrow(soft_float::F, p * u + q * v + r, modes.round)
}

/// The dot products: the number of products and whether the second operand's w counts as 1 (DPH).
pub fn dot(fmt: Format, a: [u64; 4], b: [u64; 4], opcode: Opcode, modes: &Modes) -> u64 {
    let products = match opcode {
        Opcode::Dp2 => 2,
        Opcode::Dp3 | Opcode::Dph => 3,
        _ => 4,
    };
    let wide = |bits: u64| widen(fmt, modes.flush(fmt, bits));
    let sum: f64 = (0..products).map(|k| wide(a[k]) * wide(b[k])).sum();
    let sum = if opcode == Opcode::Dph { sum + wide(b[3]) } else { sum };
    narrow(fmt, sum, modes.round)
}

/// SEL with a condition: minimum (`l`) and maximum (`ge`), and any other comparison. A number wins
/// over a NaN.
pub fn select(fmt: Format, cond: Option<CondMod>, a: u64, b: u64) -> u64 {
    if matches!(cond, Some(CondMod::L | CondMod::Ge | CondMod::Le | CondMod::G)) {
        if fmt.is_nan(a) {
            return b;
        }
        if fmt.is_nan(b) {
            return a;
        }
    }
    if satisfies(cond, compare_floats(fmt, a, b)) { a } else { b }
}

/// CMP and CMPN; the latter is also true when src1 is a NaN, so that minimum and maximum take src0
/// then.
pub fn compare(opcode: Opcode, fmt: Format, cond: Option<CondMod>, a: u64, b: u64) -> bool {
    if opcode == Opcode::Cmpn && fmt.is_nan(b) && cond != Some(CondMod::U) {
        return true;
    }
    satisfies(cond, compare_floats(fmt, a, b))
}

/// The floating-point functions of the math unit on flushed operands of `fmt`.
pub fn math(function: MathFn, fmt: Format, a: u64, b: u64, modes: &Modes) -> Option<u64> {
    let function = match function {
        MathFn::Inv => Function::Inv,
        MathFn::Log => Function::Log,
        MathFn::Exp => Function::Exp,
        MathFn::Sqrt => Function::Sqrt,
        MathFn::Rsq => Function::Rsq,
        MathFn::Sin => Function::Sin,
        MathFn::Cos => Function::Cos,
        MathFn::Fdiv => Function::Fdiv,
        MathFn::Pow => Function::Pow,
        _ => return None,
    };
    let positive = modes.alt
        && matches!(function, Function::Log | Function::Rsq | Function::Sqrt | Function::Pow);
    let single = |bits: u64| {
        f32::from_bits(soft_float::convert(fmt, soft_float::F, bits, Round::Even) as u32)
    };
    let x = if positive { single(a).abs() } else { single(a) };
    let result = math::evaluate(function, x, single(b), modes.math);
    Some(soft_float::convert(soft_float::F, fmt, result32(result), Round::Even))
}

/// Applies source modifiers to a float.
pub fn modify(fmt: Format, bits: u64, negate: bool, abs: bool) -> u64 {
    let bits = if abs { bits & !fmt.sign() } else { bits };
    if negate { bits ^ fmt.sign() } else { bits }
}

/// A float result as a [`Value`], flushed.
pub fn value(fmt: Format, bits: u64, modes: &Modes) -> Value {
    Value::Float(fmt, modes.flush(fmt, bits))
}
