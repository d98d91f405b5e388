//! The parts of doubles: halves, sign, exponent and mantissa.

use crate::builder::Builder;
use crate::ids::Value;

/// Low and high dword.
pub(super) fn halves(b: &mut Builder<'_>, x: Value) -> (Value, Value) {
    (b.unpack_64_2x32_split_x(x), b.unpack_64_2x32_split_y(x))
}

/// The biased exponent in a high dword.
pub(super) fn exponent_field(b: &mut Builder<'_>, high: Value) -> Value {
    let (count, mask) = (b.imm(20), b.imm(0x7ff));
    let shifted = b.ushr(high, count);
    b.iand(shifted, mask)
}

/// The sign bit of a high dword.
pub(super) fn sign_of(b: &mut Builder<'_>, high: Value) -> Value {
    let mask = b.imm(0x8000_0000);
    b.iand(high, mask)
}

/// 2^n for -1022 ≤ n ≤ 1023, with the sign bit of `sign`.
pub(super) fn power_of_two(b: &mut Builder<'_>, n: Value, sign: Option<Value>) -> Value {
    let (bias, count, zero) = (b.imm(1023), b.imm(20), b.imm(0));
    let biased = b.iadd(n, bias);
    let mut high = b.ishl(biased, count);
    if let Some(sign) = sign {
        high = b.ior(high, sign);
    }
    b.pack_64_2x32_split(zero, high)
}

/// A finite non-zero number as `mantissa × 2^exponent`, sign dropped; anything else gives garbage.
pub(super) struct Normalized {
    /// High dword of the number, scaled out of the subnormal range.
    pub(super) high: Value,
    /// Low dword.
    pub(super) low: Value,
    /// 32-bit signed exponent of the leading bit.
    pub(super) exponent: Value,
}

pub(super) fn normalize(b: &mut Builder<'_>, x: Value) -> Normalized {
    let (_, high) = halves(b, x);
    let field = exponent_field(b, high);
    let (zero, scale) = (b.imm(0), b.fconst(64, 18_446_744_073_709_551_616.0));
    let subnormal = b.ieq(field, zero);
    let scaled = b.fmul(x, scale);
    let x = b.bcsel(subnormal, scaled, x);
    let (low, high) = halves(b, x);
    let field = exponent_field(b, high);
    let (plain, lifted) = (b.imm(1023), b.imm(1023 + 64));
    let bias = b.bcsel(subnormal, lifted, plain);
    Normalized { high, low, exponent: b.isub(field, bias) }
}

impl Normalized {
    /// The number with this biased exponent and a positive sign.
    pub(super) fn with_exponent(&self, b: &mut Builder<'_>, biased: u32) -> Value {
        let (mask, exponent) = (b.imm(0x000f_ffff), b.imm(biased << 20));
        let mantissa = b.iand(self.high, mask);
        let high = b.ior(mantissa, exponent);
        b.pack_64_2x32_split(self.low, high)
    }
}

/// Zero, infinity or NaN, by the exponent field and the value.
pub(super) fn is_special(b: &mut Builder<'_>, x: Value, high: Value) -> Value {
    let (field, all, zero) = (exponent_field(b, high), b.imm(0x7ff), b.fconst(64, 0.0));
    let not_finite = b.ieq(field, all);
    let is_zero = b.feq(x, zero);
    b.ior(not_finite, is_zero)
}
