//! Conversion of results to the destination type, saturation, and the conditions evaluated on them.

use intel_isa::{CondMod, Type};

use super::{Modes, Value, format};
use crate::regs::mask;
use crate::soft_float::{self, Format};

/// Smallest and largest value of an integer type.
pub fn bounds(ty: Type) -> (i128, i128) {
    let bits = ty.size() * 8;
    if ty.is_signed_integer() {
        (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
    } else {
        (0, (1i128 << bits) - 1)
    }
}

/// The value of `raw` read as integer type `ty`.
pub fn integer(ty: Type, raw: u64) -> i128 {
    match ty {
        Type::B => i128::from(raw as i8),
        Type::W | Type::V => i128::from(raw as i16),
        Type::D => i128::from(raw as i32),
        Type::Q => i128::from(raw as i64),
        _ => i128::from(raw & mask(ty.size() as usize)),
    }
}

/// Clamps a float to [0, 1]; NaN and −0 become +0.
pub fn saturate_float(fmt: Format, bits: u64) -> u64 {
    if fmt.is_nan(bits) || bits & fmt.sign() != 0 { 0 } else { bits.min(fmt.one()) }
}

/// ALT mode has neither infinities nor NaNs: they become the largest finite value and zero.
fn alternative(fmt: Format, bits: u64) -> u64 {
    if fmt.is_nan(bits) {
        0
    } else if bits & (fmt.sign() - 1) == fmt.inf() {
        bits - 1
    } else {
        bits
    }
}

/// The bits of `value` in destination type `ty`, and the converted value, which is not saturated.
pub fn store(value: Value, ty: Type, saturate: bool, modes: &Modes) -> (u64, Value) {
    match value {
        Value::Raw(bits) => {
            let seen = match format(ty) {
                Some(fmt) => Value::Float(fmt, bits),
                None => Value::Int(integer(ty, bits)),
            };
            (bits, seen)
        }
        Value::Int(value) => store_integer(value, ty, saturate, modes),
        Value::Float(fmt, bits) => store_float(fmt, bits, ty, saturate, modes),
    }
}

fn store_integer(value: i128, ty: Type, saturate: bool, modes: &Modes) -> (u64, Value) {
    let Some(fmt) = format(ty) else {
        let (low, high) = bounds(ty);
        let kept = if saturate { value.clamp(low, high) } else { value };
        return (kept as u64 & mask(ty.size() as usize), Value::Int(value));
    };
    let bits = soft_float::from_int(fmt, value, modes.round);
    (if saturate { saturate_float(fmt, bits) } else { bits }, Value::Float(fmt, bits))
}

fn store_float(fmt: Format, bits: u64, ty: Type, saturate: bool, modes: &Modes) -> (u64, Value) {
    let bits = if modes.alt && fmt == soft_float::F { alternative(fmt, bits) } else { bits };
    let Some(to) = format(ty) else {
        let (low, high) = bounds(ty);
        let value = soft_float::to_int(fmt, bits, low, high);
        return (value as u64 & mask(ty.size() as usize), Value::Int(value));
    };
    let converted = if to == fmt { bits } else { soft_float::convert(fmt, to, bits, modes.round) };
    let converted = modes.flush(to, converted);
    (if saturate { saturate_float(to, converted) } else { converted }, Value::Float(to, converted))
}

/// Orders two floats; `None` if one is a NaN. Zeros are equal.
pub fn compare_floats(fmt: Format, a: u64, b: u64) -> Option<std::cmp::Ordering> {
    if fmt.is_nan(a) || fmt.is_nan(b) {
        return None;
    }
    let key = |bits: u64| {
        let magnitude = (bits & (fmt.sign() - 1)) as i64;
        if bits & fmt.sign() != 0 { -magnitude } else { magnitude }
    };
    // A DF magnitude has 63 bits, so its negation exists.
    Some(key(a).cmp(&key(b)))
}

/// Returns whether `ordering` (`None`: unordered) satisfies a condition. Only "not equal" and
/// "unordered" hold for NaNs.
pub fn satisfies(cond: Option<CondMod>, ordering: Option<std::cmp::Ordering>) -> bool {
    let Some(ordering) = ordering else {
        return matches!(cond, Some(CondMod::Nz | CondMod::U));
    };
    match cond {
        Some(CondMod::Z) => ordering.is_eq(),
        Some(CondMod::Nz) => ordering.is_ne(),
        Some(CondMod::G) => ordering.is_gt(),
        Some(CondMod::Ge) => ordering.is_ge(),
        Some(CondMod::L) => ordering.is_lt(),
        Some(CondMod::Le) => ordering.is_le(),
        None | Some(CondMod::O | CondMod::U) => false,
    }
}

/// Returns whether a result satisfies a condition (compared with zero). `value` is that of the
/// destination type `ty`, an integer without the limits of the type.
///
/// Overflow is that of the exact value. The others see what the destination gets, which is
/// saturated (Kaby Lake PRM, volume 7, "Assigning Conditional Flags") or wraps: the sum of
/// 0x80000000 and -4 is positive (Mesa, `brw_fs_cmod_propagation.cpp`). `wide`: a source is a
/// negated UD, whose 33rd bit the conditions see, too (Mesa, `fs_inst::can_do_cmod`).
pub fn condition(
    cond: Option<CondMod>,
    value: Value,
    ty: Type,
    saturate: bool,
    wide: bool,
) -> bool {
    match value {
        Value::Int(value) => {
            let (low, high) = bounds(ty);
            if cond == Some(CondMod::O) {
                return value < low || value > high;
            }
            let kept = match (saturate, wide) {
                (true, _) => value.clamp(low, high),
                (false, true) => value,
                (false, false) => integer(ty, value as u64),
            };
            satisfies(cond, Some(kept.cmp(&0)))
        }
        Value::Float(fmt, bits) => {
            if cond == Some(CondMod::O) {
                return bits & (fmt.sign() - 1) == fmt.inf();
            }
            let bits = if saturate { saturate_float(fmt, bits) } else { bits };
            satisfies(cond, compare_floats(fmt, bits, 0))
        }
        Value::Raw(bits) => satisfies(cond, Some(bits.cmp(&0))),
    }
}
