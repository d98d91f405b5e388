//! Division and square roots of doubles for `lower_doubles`.
//!
//! All start from the 32-bit estimate of the math unit, double its correct bits twice by Newton-Raphson steps with
//! fused multiply-add, and correct the result by its exact residual (Markstein's method), on operands scaled to
//! [1, 4) so that nothing overflows or underflows on the way.

use super::lower_doubles::{Normalised, exponent_field, halves, normalise, scale, sign_of};
use crate::builder::Builder;
use crate::ids::Value;

/// The mantissa in [1, 2).
fn mantissa(b: &mut Builder<'_>, parts: &Normalised) -> Value {
    parts.with_exponent(b, 1023)
}

/// `x / y`, correctly rounded.
pub(super) fn divide(b: &mut Builder<'_>, x: Value, y: Value) -> Value {
    let (nx, ny) = (normalise(b, x), normalise(b, y));
    let (a, d) = (mantissa(b, &nx), mantissa(b, &ny));
    let minus_d = b.fneg(d);
    let single = b.f2f32(d);
    let estimate = b.frcp(single);
    let mut r = b.f2f64(estimate);
    let one = b.fconst(64, 1.0);
    for _ in 0..2 {
        let error = b.ffma(minus_d, r, one);
        r = b.ffma(r, error, r);
    }
    // The one divisor whose reciprocal the steps round down wrongly (Markstein): a mantissa of all ones.
    let (all_ones, correct) =
        (b.constant(64, &[0x3fff_ffff_ffff_ffff]), b.constant(64, &[0x3fe0_0000_0000_0001]));
    let hard = b.feq(d, all_ones);
    let r = b.bcsel(hard, correct, r);
    let q = b.fmul(a, r);
    let residual = b.ffma(minus_d, q, a);
    let q = b.ffma(residual, r, q);
    let residual = b.ffma(minus_d, q, a);
    let exponent = b.isub(nx.exponent, ny.exponent);
    let (_, x_high) = halves(b, x);
    let (_, y_high) = halves(b, y);
    let signs = b.ixor(x_high, y_high);
    let sign = sign_of(b, signs);
    let result = scale_quotient(b, q, residual, exponent, sign);
    let (special, exception) = division_exception(b, x, y, x_high, y_high);
    b.bcsel(special, exception, result)
}

/// `q × 2^exponent` where the true quotient is `q` plus a little of the residual's sign. A subnormal result rounds
/// a second time; that is wrong only where `q` lies exactly between two results while the true quotient does not,
/// and there the residual tells the side.
fn scale_quotient(b: &mut Builder<'_>, q: Value, residual: Value, exponent: Value, sign: Value) -> Value {
    let (rounded, first, second) = scale(b, q, exponent, None);
    // Back to the scale of q, exactly.
    let (minus_first, minus_second) = (b.ineg(first), b.ineg(second));
    let up = super::lower_doubles::power_of_two(b, minus_second, None);
    let back = b.fmul(rounded, up);
    let up = super::lower_doubles::power_of_two(b, minus_first, None);
    let back = b.fmul(back, up);
    let error = b.fsub(q, back);
    // Half the distance of subnormals, 2^-1075, on the scale of q; the exponent below is in range whenever the
    // result is subnormal.
    let clamped = b.iadd(first, second);
    let least = b.iconst(32, -1075);
    let half_exponent = b.isub(least, clamped);
    let half = super::lower_doubles::power_of_two(b, half_exponent, None);
    let magnitude = b.fabs(error);
    let tie = b.feq(magnitude, half);
    let zero = b.fconst(64, 0.0);
    let product = b.fmul(error, residual);
    let same_side = b.flt(zero, product);
    let limit = b.iconst(32, -1021);
    let subnormal = b.ilt(exponent, limit);
    let wrong = b.iand(tie, same_side);
    let wrong = b.iand(wrong, subnormal);
    // One subnormal step towards the true quotient.
    let up = b.flt(zero, error);
    let (plus, minus) = (b.constant(64, &[1]), b.constant(64, &[0x8000_0000_0000_0001]));
    let step = b.bcsel(up, plus, minus);
    let corrected = b.fadd(rounded, step);
    let magnitude = b.bcsel(wrong, corrected, rounded);
    let (low, high) = halves(b, magnitude);
    let high = b.ior(high, sign);
    b.pack_64_2x32_split(low, high)
}

/// Whether an operand is zero, infinite or NaN, and the quotient then: a product with the reciprocal of `y`, where
/// that matters (0 for infinity, infinity for 0).
fn division_exception(
    b: &mut Builder<'_>,
    x: Value,
    y: Value,
    x_high: Value,
    y_high: Value,
) -> (Value, Value) {
    let (fzero, zero, all) = (b.fconst(64, 0.0), b.imm(0), b.imm(0x7ff));
    let (x_field, y_field) = (exponent_field(b, x_high), exponent_field(b, y_high));
    let (x_large, y_large) = (b.ieq(x_field, all), b.ieq(y_field, all));
    let (x_zero, y_zero) = (b.feq(x, fzero), b.feq(y, fzero));
    let y_sign = sign_of(b, y_high);
    let infinity = b.imm(0x7ff0_0000);
    let signed_infinity = b.ior(y_sign, infinity);
    let signed_infinity = b.pack_64_2x32_split(zero, signed_infinity);
    let signed_zero = b.pack_64_2x32_split(zero, y_sign);
    let magnitude = b.fabs(y);
    let largest = b.fconst(64, f64::MAX);
    let y_infinite = b.flt(largest, magnitude);
    let factor = b.bcsel(y_infinite, signed_zero, y);
    let factor = b.bcsel(y_zero, signed_infinity, factor);
    let exception = b.fmul(x, factor);
    let large = b.ior(x_large, y_large);
    let zeros = b.ior(x_zero, y_zero);
    (b.ior(large, zeros), exception)
}

/// The parts of a square root: `value = mantissa × 4^half_exponent` with the mantissa in [1, 4), and the refined
/// estimates of √mantissa and of 1 / (2 √mantissa).
struct Root {
    mantissa: Value,
    half_exponent: Value,
    root: Value,
    half_reciprocal: Value,
}

fn root(b: &mut Builder<'_>, x: Value) -> Root {
    let parts = normalise(b, x);
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
    let (zero, infinity, nan) = (b.fconst(64, 0.0), b.fconst(64, f64::INFINITY), b.fconst(64, f64::NAN));
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

/// Reciprocal square root, within 0.51 ULP: the residual 1 - m·y² is taken with the product m·y in two parts.
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
