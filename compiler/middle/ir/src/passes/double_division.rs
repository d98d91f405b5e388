//! Division and square roots of doubles for `lower_doubles`.
//!
//! All start from the 32-bit estimate of the math unit, double its correct bits twice by
//! Newton-Raphson steps with fused multiply-add on an operand scaled to
//! [1, 4), and correct the result by its exact residual (Markstein's method).

use super::double_parts::{halves, is_special, normalize, power_of_two, sign_of};
use crate::builder::Builder;
use crate::ids::Value;

/// Values for dividing by a number; the same for every dividend, so that divisions by one number
/// share it.
struct Divisor {
    /// A power of two by which dividends are multiplied first: about half the divisor's exponent.
    scale: Value,
    /// Twice the divisor times `scale`.
    scaled: Value,
    /// The reciprocal of `scaled`, correctly rounded; infinite, zero or NaN where the divisor is
    /// zero, infinite or NaN.
    reciprocal: Value,
}

fn divisor(b: &mut Builder<'_>, y: Value) -> Divisor {
    let parts = normalize(b, y);
    let mantissa = parts.with_exponent(b, 1023);
    let (_, high) = halves(b, y);
    let (special, sign) = (is_special(b, y, high), sign_of(b, high));
    // The math unit knows the reciprocals of zero, infinity and NaN.
    let source = b.bcsel(special, y, mantissa);
    let single = b.f2f32(source);
    let single = b.frcp(single);
    let estimate = b.f2f64(single);
    let r = refined_reciprocal(b, mantissa, estimate);
    // Dividends must not overflow where quotients do not: half the exponent, rounded up.
    let (one, zero) = (b.imm(1), b.imm(0));
    let above = b.iadd(parts.exponent, one);
    let half = b.ishr(above, one);
    let rest = b.isub(above, half);
    let (minus_half, minus_rest) = (b.isub(zero, half), b.isub(zero, rest));
    let scale = power_of_two(b, minus_half, None);
    let (up, down) = (power_of_two(b, rest, Some(sign)), power_of_two(b, minus_rest, Some(sign)));
    let (scaled, reciprocal) = (b.fmul(mantissa, up), b.fmul(r, down));
    Divisor { scale, scaled, reciprocal: b.bcsel(special, estimate, reciprocal) }
}

/// The reciprocal of `d` in [1, 2), correctly rounded.
fn refined_reciprocal(b: &mut Builder<'_>, d: Value, estimate: Value) -> Value {
    let (minus_d, one) = (b.fneg(d), b.fconst(64, 1.0));
    let mut r = estimate;
    for _ in 0..2 {
        let error = b.ffma(minus_d, r, one);
        r = b.ffma(r, error, r);
    }
    // The one divisor whose reciprocal the steps round down wrongly (Markstein): a mantissa of all
    // ones.
    let (all_ones, correct) =
        (b.constant(64, &[0x3fff_ffff_ffff_ffff]), b.constant(64, &[0x3fe0_0000_0000_0001]));
    let hard = b.feq(d, all_ones);
    b.bcsel(hard, correct, r)
}

/// `x / y`: correctly rounded, except that quotients below 2^-1021 may be one subnormal step off.
/// Seven operations on top of those that only depend on `y`. They make half the quotient, which
/// overflows only after its correction.
pub(super) fn divide(b: &mut Builder<'_>, x: Value, y: Value) -> Value {
    let divisor = divisor(b, y);
    let x = b.fmul(x, divisor.scale);
    let q = b.fmul(x, divisor.reciprocal);
    let minus = b.fneg(divisor.scaled);
    let residual = b.ffma(minus, q, x);
    let corrected = b.ffma(residual, divisor.reciprocal, q);
    // The residual is far below the dividend, unless one of the operands or the quotient is zero,
    // infinite or NaN.
    let (left, right) = (b.fabs(residual), b.fabs(x));
    let usable = b.flt(left, right);
    let half = b.bcsel(usable, corrected, q);
    b.fadd(half, half)
}

/// `1 / y`, rounded as [`divide`] does.
pub(super) fn reciprocal(b: &mut Builder<'_>, y: Value) -> Value {
    let divisor = divisor(b, y);
    let half = b.fmul(divisor.scale, divisor.reciprocal);
    b.fadd(half, half)
}

/// The parts of a square root: `value = mantissa × 4^half_exponent` with the mantissa in
/// [1, 4), and the refined estimates of √mantissa and of 1 / (2 √mantissa).
struct Root {
    mantissa: Value,
    half_exponent: Value,
    root: Value,
    half_reciprocal: Value,
}

fn root(b: &mut Builder<'_>, x: Value) -> Root {
    let parts = normalize(b, x);
    let (one, count, bias, mask) = (b.imm(1), b.imm(20), b.imm(1023), b.imm(0x000f_ffff));
    let odd = b.iand(parts.exponent, one);
    let half_exponent = b.ishr(parts.exponent, one);
    let biased = b.iadd(odd, bias);
    let field = b.ishl(biased, count);
    let bits = b.iand(parts.high, mask);
    let high = b.ior(bits, field);
    let mantissa = b.pack_64_2x32_split(parts.low, high);
    let single = b.f2f32(mantissa);
    let estimate = b.frsq(single);
    let y = b.f2f64(estimate);
    let half = b.fconst(64, 0.5);
    let mut g = b.fmul(mantissa, y);
    let mut h = b.fmul(y, half);
    for _ in 0..2 {
        let minus_h = b.fneg(h);
        let error = b.ffma(minus_h, g, half);
        g = b.ffma(g, error, g);
        h = b.ffma(h, error, h);
    }
    Root { mantissa, half_exponent, root: g, half_reciprocal: h }
}

/// Adds to the exponent of a normal number whose result is normal too.
fn add_exponent(b: &mut Builder<'_>, x: Value, exponent: Value) -> Value {
    let count = b.imm(20);
    let (low, high) = halves(b, x);
    let added = b.ishl(exponent, count);
    let high = b.iadd(high, added);
    b.pack_64_2x32_split(low, high)
}

/// `x` where it is zero or infinite, NaN where negative or NaN, else `result`.
fn root_exceptions(
    b: &mut Builder<'_>,
    x: Value,
    result: Value,
    at_zero: Value,
    at_infinity: Value,
) -> Value {
    let (zero, infinity, nan) =
        (b.fconst(64, 0.0), b.fconst(64, f64::INFINITY), b.fconst(64, f64::NAN));
    let is_zero = b.feq(x, zero);
    let is_infinite = b.feq(x, infinity);
    // False for NaN and negative numbers.
    let valid = b.fge(x, zero);
    let result = b.bcsel(is_infinite, at_infinity, result);
    let result = b.bcsel(is_zero, at_zero, result);
    b.bcsel(valid, result, nan)
}

/// Square root, correctly rounded.
pub(super) fn square_root(b: &mut Builder<'_>, x: Value) -> Value {
    let Root { mantissa, half_exponent, root: g, half_reciprocal: h } = root(b, x);
    let minus_g = b.fneg(g);
    let residual = b.ffma(minus_g, g, mantissa);
    let g = b.ffma(residual, h, g);
    let result = add_exponent(b, g, half_exponent);
    root_exceptions(b, x, result, x, x)
}

/// Reciprocal square root, within 0.51 ULP: the residual 1 - m·y² is taken with the product m·y in
/// two parts.
pub(super) fn reciprocal_square_root(b: &mut Builder<'_>, x: Value) -> Value {
    let Root { mantissa, half_exponent, half_reciprocal: h, .. } = root(b, x);
    let (two, one) = (b.fconst(64, 2.0), b.fconst(64, 1.0));
    let y = b.fmul(h, two);
    let product = b.fmul(mantissa, y);
    let minus_product = b.fneg(product);
    let low = b.ffma(mantissa, y, minus_product);
    let minus_low = b.fneg(low);
    let residual = b.ffma(minus_product, y, one);
    let residual = b.ffma(minus_low, y, residual);
    let y = b.ffma(residual, h, y);
    let minus_exponent = b.ineg(half_exponent);
    let result = add_exponent(b, y, minus_exponent);
    let (_, high) = halves(b, x);
    let sign = sign_of(b, high);
    let (zero, infinity) = (b.imm(0), b.imm(0x7ff0_0000));
    let infinity = b.ior(infinity, sign);
    let at_zero = b.pack_64_2x32_split(zero, infinity);
    let at_infinity = b.fconst(64, 0.0);
    root_exceptions(b, x, result, at_zero, at_infinity)
}
