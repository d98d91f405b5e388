//! Lowering of 64-bit float operations that the hardware lacks to those it has: add, multiply,
//! fused multiply-add, compare, select, and conversions from and to 32-bit types (fp64 design
//! document).
//!
//! ```text
//! before:
//!   64x1 v1 = ffract v0
//! after:
//!   64x1 v2 = … (floor of v0 by integer operations on its halves)
//!   64x1 v1 = fsub v0, v2
//! ```

use super::double_division::{divide, reciprocal, reciprocal_square_root, square_root};
use super::double_parts::{exponent_field, halves, is_special, normalize, power_of_two, sign_of};
use super::rewrite::{rewrite_alu, source_values, unless_multiple};
use crate::builder::Builder;
use crate::ids::Value;
use crate::ops::AluOp;
use crate::shader::Shader;

/// Lowers every 64-bit float operation but `fadd fsub fmul ffma fneg fabs fmin fmax`, comparisons,
/// `bcsel`, and conversions between doubles and singles or 32-bit integers.
///
/// Works on vectors as on scalars, without control flow. Square root, `fldexp` and all roundings
/// and conversions are correctly rounded for every operand, subnormals included; so are division
/// and reciprocal, except that results below 2^-1021 may be one subnormal step off; `frsq` is
/// within 0.51 ULP. That needs an `ffma` that rounds once, the preserved-denormals mode for
/// doubles, and estimates from the 32-bit `frcp` and `frsq` good to 20 bits. `fmod`, `frem` (but
/// for subnormal quotients), `flrp` and dot products follow their folding functions step by step.
/// The result is exact, so that no later pass fuses or reassociates it, except the steps of
/// `flrp` and of dot products, which keep the instruction's own flag.
///
/// The 64-bit integers of `f2i64` and the like are taken apart into 32-bit halves.
pub fn lower_doubles(shader: &mut Shader) -> bool {
    rewrite_alu(shader, |b, alu, result| {
        let components = b.shader.components(result);
        let is_double = |v: Value| b.shader.bits(v) == 64;
        let info = alu.op.info();
        let from_double = alu.srcs.first().is_some_and(|s| is_double(s.value));
        let to_double = is_double(result);
        if !from_double && !to_double {
            return None;
        }
        let float_in = info.inputs.first().is_some_and(|i| i.class == crate::ops::Class::Float);
        let float_out = info.output.class == crate::ops::Class::Float;
        if !float_in && !float_out {
            return None;
        }
        lower(b, alu.op, alu, components)
    })
}

fn lower(b: &mut Builder<'_>, op: AluOp, alu: &crate::inst::Alu, components: u8) -> Option<Value> {
    use AluOp::*;
    if !needs_lowering(b, alu) {
        return None;
    }
    let srcs = source_values(b, alu, components);
    let x = *srcs.first()?;
    let y = srcs.get(1).copied().unwrap_or(x);
    let exact = std::mem::replace(&mut b.exact, true);
    let one = |b: &mut Builder<'_>| b.fconst(64, 1.0);
    let result = match op {
        Fdiv => divide(b, x, y),
        Frcp => reciprocal(b, x),
        Fsqrt => square_root(b, x),
        Frsq => reciprocal_square_root(b, x),
        Ftrunc => truncate(b, x),
        Ffloor => floor(b, x),
        Fceil => {
            let t = truncate(b, x);
            let (one, below) = (one(b), b.flt(t, x));
            let up = b.fadd(t, one);
            b.bcsel(below, up, t)
        }
        Ffract => {
            let whole = floor(b, x);
            b.fsub(x, whole)
        }
        FroundEven => round_even(b, x),
        Fmod | Frem => {
            let quotient = divide(b, x, y);
            let whole = if op == Fmod { floor(b, quotient) } else { truncate(b, quotient) };
            let product = b.fmul(y, whole);
            let rest = b.fsub(x, product);
            unless_multiple(b, x, y, whole, rest)
        }
        Fsign => sign(b, x),
        Fsat => {
            let (zero, one) = (b.fconst(64, 0.0), one(b));
            let positive = b.fmax(zero, x);
            b.fmin(positive, one)
        }
        Flrp => {
            b.exact = exact;
            let t = *srcs.get(2)?;
            let one = one(b);
            let rest = b.fsub(one, t);
            let (left, right) = (b.fmul(x, rest), b.fmul(y, t));
            b.fadd(left, right)
        }
        Fldexp => ldexp(b, x, y),
        FrexpSig => frexp_significand(b, x),
        FrexpExp => frexp_exponent(b, x),
        Fdot2 | Fdot3 | Fdot4 => {
            b.exact = exact;
            dot(b, x, y)
        }
        BallFeq2 | BallFeq3 | BallFeq4 => {
            let equal = b.feq(x, y);
            b.all(equal)
        }
        BanyFneu2 | BanyFneu3 | BanyFneu4 => {
            let differ = b.fneu(x, y);
            b.any(differ)
        }
        F2b => {
            let zero = b.fconst(64, 0.0);
            b.fneu(x, zero)
        }
        B2f64 => {
            let (zero, one) = (b.imm(0), b.imm(0x3ff0_0000));
            let high = b.bcsel(x, one, zero);
            b.pack_64_2x32_split(zero, high)
        }
        I2f64 | U2f64 => int_to_double(b, op, x),
        F2f64 => {
            let single = b.f2f32(x);
            b.f2f64(single)
        }
        F2f16 | F2f16Rtne => to_half(b, x, false),
        F2f16Rtz => to_half(b, x, true),
        F2i64 => to_int64(b, x, true),
        F2u64 => to_int64(b, x, false),
        F2i8 | F2i16 | F2u8 | F2u16 => to_small_int(b, op, x),
        _ => return None,
    };
    b.exact = exact;
    Some(result)
}

/// The operation is one the hardware lacks at these widths.
fn needs_lowering(b: &Builder<'_>, alu: &crate::inst::Alu) -> bool {
    use AluOp::*;
    let source_bits = alu.srcs.first().map_or(0, |s| b.shader.bits(s.value));
    match alu.op {
        Mov | Bcsel | Fadd | Fsub | Fmul | Ffma | Fneg | Fabs | Fmin | Fmax | Feq | Fneu | Flt
        | Fge => false,
        F2f32 | F2i32 | F2u32 => false,
        // From a narrower float that is a matter of 64-bit integers.
        F2i64 | F2u64 => source_bits == 64,
        I2f64 | U2f64 => source_bits != 32,
        F2f64 => source_bits == 16,
        _ => true,
    }
}

/// `x × 2^n` with one rounding, for normal `x` of magnitude in
/// [0.5, 4): the two factors are normal numbers and the first product is exact.
fn scale(b: &mut Builder<'_>, x: Value, n: Value, sign: Option<Value>) -> Value {
    let (low, high, one) = (b.iconst(32, -1200), b.iconst(32, 1200), b.imm(1));
    let n = b.imax(n, low);
    let n = b.imin(n, high);
    let first = b.ishr(n, one);
    let second = b.isub(n, first);
    let (factor, last) = (power_of_two(b, first, sign), power_of_two(b, second, None));
    let product = b.fmul(x, factor);
    b.fmul(product, last)
}

/// Clears the bits below the binary point, dword by dword.
fn truncate(b: &mut Builder<'_>, x: Value) -> Value {
    let (low, high) = halves(b, x);
    let field = exponent_field(b, high);
    // Number of fraction bits: 52 - exponent; not positive for integers, above 52 for numbers below
    // one.
    let integer = b.imm(1023 + 52);
    let fraction = b.isub(integer, field);
    let (zero, ones, width, all) = (b.imm(0), b.imm(u32::MAX), b.imm(32), b.imm(52));
    // Shift counts are modulo 32, so each mask is right only on its side of 32.
    let low_ones = b.ishl(ones, fraction);
    let in_low = b.ilt(fraction, width);
    let low_mask = b.bcsel(in_low, low_ones, zero);
    let high_ones = b.ishl(ones, fraction);
    let high_mask = b.bcsel(in_low, ones, high_ones);
    let kept_low = b.iand(low, low_mask);
    let kept_high = b.iand(high, high_mask);
    let below_one = b.ilt(all, fraction);
    let sign = sign_of(b, high);
    let low_part = b.bcsel(below_one, zero, kept_low);
    let high_part = b.bcsel(below_one, sign, kept_high);
    let cut = b.pack_64_2x32_split(low_part, high_part);
    let whole = b.ige(zero, fraction);
    b.bcsel(whole, x, cut)
}

fn floor(b: &mut Builder<'_>, x: Value) -> Value {
    let t = truncate(b, x);
    let (minus_one, above) = (b.fconst(64, -1.0), b.flt(x, t));
    let down = b.fadd(t, minus_one);
    b.bcsel(above, down, t)
}

/// Adding and subtracting 2^52 rounds to an integer in the hardware's rounding mode, nearest even.
fn round_even(b: &mut Builder<'_>, x: Value) -> Value {
    let big = b.fconst(64, 4_503_599_627_370_496.0);
    let magnitude = b.fabs(x);
    let sum = b.fadd(magnitude, big);
    let rounded = b.fsub(sum, big);
    let (low, high) = halves(b, rounded);
    let (_, original) = halves(b, x);
    let sign = sign_of(b, original);
    let high = b.ior(high, sign);
    let rounded = b.pack_64_2x32_split(low, high);
    let small = b.flt(magnitude, big);
    b.bcsel(small, rounded, x)
}

fn sign(b: &mut Builder<'_>, x: Value) -> Value {
    let (zero, one, minus_one) = (b.fconst(64, 0.0), b.fconst(64, 1.0), b.fconst(64, -1.0));
    let (positive, negative, is_zero) = (b.flt(zero, x), b.flt(x, zero), b.feq(x, zero));
    let rest = b.bcsel(is_zero, x, zero);
    let not_positive = b.bcsel(negative, minus_one, rest);
    b.bcsel(positive, one, not_positive)
}

fn ldexp(b: &mut Builder<'_>, x: Value, exponent: Value) -> Value {
    let parts = normalize(b, x);
    let mantissa = parts.with_exponent(b, 1023);
    // Far beyond every result, and no overflow in the sum.
    let (low, high) = (b.iconst(32, -5000), b.iconst(32, 5000));
    let exponent = b.imax(exponent, low);
    let exponent = b.imin(exponent, high);
    let total = b.iadd(parts.exponent, exponent);
    let (_, original) = halves(b, x);
    let sign = sign_of(b, original);
    let result = scale(b, mantissa, total, Some(sign));
    let special = is_special(b, x, original);
    b.bcsel(special, x, result)
}

fn frexp_significand(b: &mut Builder<'_>, x: Value) -> Value {
    let parts = normalize(b, x);
    let (mask, half) = (b.imm(0x800f_ffff), b.imm(1022 << 20));
    let kept = b.iand(parts.high, mask);
    let high = b.ior(kept, half);
    let result = b.pack_64_2x32_split(parts.low, high);
    let (_, original) = halves(b, x);
    let special = is_special(b, x, original);
    b.bcsel(special, x, result)
}

fn frexp_exponent(b: &mut Builder<'_>, x: Value) -> Value {
    let parts = normalize(b, x);
    let (one, zero) = (b.imm(1), b.imm(0));
    let exponent = b.iadd(parts.exponent, one);
    let (_, original) = halves(b, x);
    let special = is_special(b, x, original);
    b.bcsel(special, zero, exponent)
}

fn dot(b: &mut Builder<'_>, x: Value, y: Value) -> Value {
    let products = b.fmul(x, y);
    let mut sum = b.channel(products, 0);
    for c in 1..b.shader.components(products) {
        let next = b.channel(products, c);
        sum = b.fadd(sum, next);
    }
    sum
}

/// 8-, 16- and 64-bit integers. The halves of a 64-bit one are exact doubles, joined with a single
/// rounding.
fn int_to_double(b: &mut Builder<'_>, op: AluOp, x: Value) -> Value {
    let signed = op == AluOp::I2f64;
    if b.shader.bits(x) < 32 {
        let wide = if signed { b.i2i32(x) } else { b.u2u32(x) };
        return if signed { b.i2f64(wide) } else { b.u2f64(wide) };
    }
    let (low, high) = halves(b, x);
    let high = if signed { b.i2f64(high) } else { b.u2f64(high) };
    let low = b.u2f64(low);
    let shift = b.fconst(64, 4_294_967_296.0);
    b.ffma(high, shift, low)
}

/// Truncating, saturating; NaN gives 0.
fn to_int64(b: &mut Builder<'_>, x: Value, signed: bool) -> Value {
    let magnitude = b.fabs(x);
    let (down, up) = (b.fconst(64, 1.0 / 4_294_967_296.0), b.fconst(64, -4_294_967_296.0));
    let quotient = b.fmul(magnitude, down);
    let high = b.f2u32(quotient);
    let whole = b.u2f64(high);
    let rest = b.ffma(whole, up, magnitude);
    let low = b.f2u32(rest);
    let (zero, fzero) = (b.imm(0), b.fconst(64, 0.0));
    let negative = b.flt(x, fzero);
    let (low, high, limit, floor) = if signed {
        // Two's complement of the pair where negative.
        let minus_low = b.ineg(low);
        let not_high = b.inot(high);
        let carry = b.ieq(low, zero);
        let carry = b.b2i32(carry);
        let minus_high = b.iadd(not_high, carry);
        let low = b.bcsel(negative, minus_low, low);
        let high = b.bcsel(negative, minus_high, high);
        (
            low,
            high,
            (9_223_372_036_854_775_808.0, 0x7fff_ffff_u32),
            Some(-9_223_372_036_854_775_808.0),
        )
    } else {
        let low = b.bcsel(negative, zero, low);
        let high = b.bcsel(negative, zero, high);
        (low, high, (18_446_744_073_709_551_616.0, u32::MAX), None)
    };
    let (limit, top, ones) = (b.fconst(64, limit.0), b.imm(limit.1), b.imm(u32::MAX));
    let too_large = b.fge(x, limit);
    let mut low = b.bcsel(too_large, ones, low);
    let mut high = b.bcsel(too_large, top, high);
    if let Some(floor) = floor {
        let (floor, bottom) = (b.fconst(64, floor), b.imm(0x8000_0000));
        let too_small = b.flt(x, floor);
        low = b.bcsel(too_small, zero, low);
        high = b.bcsel(too_small, bottom, high);
    }
    let nan = b.fneu(x, x);
    let low = b.bcsel(nan, zero, low);
    let high = b.bcsel(nan, zero, high);
    b.pack_64_2x32_split(low, high)
}

fn to_small_int(b: &mut Builder<'_>, op: AluOp, x: Value) -> Value {
    let bits = op.info().output.bits;
    if op.info().output.class == crate::ops::Class::Int {
        let wide = b.f2i32(x);
        let limit = i64::from(1u32 << (bits - 1));
        let (low, high) = (b.iconst(32, -limit), b.iconst(32, limit - 1));
        let wide = b.imax(wide, low);
        let wide = b.imin(wide, high);
        return if bits == 8 { b.i2i8(wide) } else { b.i2i16(wide) };
    }
    let wide = b.f2u32(x);
    let high = b.imm((1 << bits) - 1);
    let wide = b.umin(wide, high);
    if bits == 8 { b.u2u8(wide) } else { b.u2u16(wide) }
}

/// Through a single rounded to odd, from which the second rounding is the only one that shows.
fn to_half(b: &mut Builder<'_>, x: Value, to_zero: bool) -> Value {
    let single = b.f2f32(x);
    let back = b.f2f64(single);
    let (magnitude, back_magnitude, one) = (b.fabs(x), b.fabs(back), b.imm(1));
    let away = b.flt(magnitude, back_magnitude);
    let down = b.isub(single, one);
    let truncated = b.bcsel(away, down, single);
    let odd = b.ior(truncated, one);
    let inexact = b.fneu(back, x);
    let single = b.bcsel(inexact, odd, single);
    if to_zero { b.f2f16_rtz(single) } else { b.f2f16(single) }
}
