//! Lowering of 64-bit integers to pairs of 32-bit integers.
//!
//! ```text
//! before:
//!   64x1 v2 = iand v0, v1
//! after:
//!   32x1 v3 = iand low(v0), low(v1)
//!   32x1 v4 = iand high(v0), high(v1)
//!   64x1 v2 = pack_64_2x32_split v3, v4
//! ```

use super::rewrite::{rewrite_alu, source_values};
use crate::builder::Builder;
use crate::ids::Value;
use crate::ops::{AluOp, Class};
use crate::shader::Shader;

/// Lowers 64-bit integer arithmetic: all of it where `native` is false (Gen7 has none), else only
/// what Gen8 and 9 lack, multiplication and division.
///
/// Moves, selections, vectors, phis, loads and stores of 64-bit values stay, as do conversions
/// between 64-bit integers and doubles: run `lower_doubles` afterwards, which division by way of
/// doubles needs anyway. Results are exactly those of the folding functions.
pub fn lower_int64(shader: &mut Shader, native: bool) -> bool {
    rewrite_alu(shader, |b, alu, result| {
        let source_bits = alu.srcs.iter().map(|s| b.shader.bits(s.value)).max().unwrap_or(0);
        if source_bits != 64 && b.shader.bits(result) != 64 {
            return None;
        }
        if native && !always(alu.op) {
            return None;
        }
        let components = b.shader.components(result);
        let info = alu.op.info();
        let integer = |o: &crate::ops::Operand| matches!(o.class, Class::Int | Class::Uint);
        if !info.inputs.first().is_some_and(integer) && !integer(&info.output) {
            return None;
        }
        let srcs = source_values(b, alu, components);
        let x = *srcs.first()?;
        let y = srcs.get(1).copied().unwrap_or(x);
        b.exact = true;
        lower(b, alu.op, x, y, source_bits)
    })
}

/// Operations that no generation has for 64 bits.
fn always(op: AluOp) -> bool {
    use AluOp::*;
    matches!(
        op,
        Imul | ImulHigh
            | UmulHigh
            | Idiv
            | Udiv
            | Imod
            | Umod
            | Irem
            | BitCount
            | FindLsb
            | UfindMsb
            | UaddCarry
            | UsubBorrow
            | Isign
    )
}

fn lower(b: &mut Builder<'_>, op: AluOp, x: Value, y: Value, source_bits: u8) -> Option<Value> {
    arithmetic(b, op, x, y)
        .or_else(|| comparison(b, op, x, y))
        .or_else(|| bits(b, op, x, y))
        .or_else(|| conversion(b, op, x, source_bits))
}

fn arithmetic(b: &mut Builder<'_>, op: AluOp, x: Value, y: Value) -> Option<Value> {
    use AluOp::*;
    Some(match op {
        Iadd => add(b, x, y),
        Isub => sub(b, x, y),
        Ineg => negate(b, x),
        Iabs => absolute(b, x).0,
        Isign => {
            let (low, high) = halves(b, x);
            let (zero, one, count) = (b.imm(0), b.imm(1), b.imm(31));
            let fill = b.ishr(high, count);
            let any = b.ior(low, high);
            let none = b.ieq(any, zero);
            let negative_or_one = b.ior(fill, one);
            let low = b.bcsel(none, zero, negative_or_one);
            b.pack_64_2x32_split(low, fill)
        }
        Imul => multiply(b, x, y),
        UmulHigh => multiply_high(b, x, y),
        ImulHigh => {
            // Unsigned high half, less each operand where the other is negative.
            let (product, zero) = (multiply_high(b, x, y), b.iconst(64, 0));
            let x_negative = is_negative(b, x);
            let y_negative = is_negative(b, y);
            let (first, second) = (b.bcsel(x_negative, y, zero), b.bcsel(y_negative, x, zero));
            let rest = sub(b, product, first);
            sub(b, rest, second)
        }
        Udiv => divide(b, x, y).0,
        Umod => divide(b, x, y).1,
        Idiv | Irem | Imod => signed_divide(b, op, x, y),
        UaddCarry => {
            let sum = add(b, x, y);
            let carry = less(b, sum, x, false);
            widen_bool(b, carry)
        }
        UsubBorrow => {
            let borrow = less(b, x, y, false);
            widen_bool(b, borrow)
        }
        Imul2x32To64 | Umul2x32To64 => {
            let low = b.imul(x, y);
            let high = if op == Imul2x32To64 { b.imul_high(x, y) } else { b.umul_high(x, y) };
            b.pack_64_2x32_split(low, high)
        }
        _ => return None,
    })
}

fn comparison(b: &mut Builder<'_>, op: AluOp, x: Value, y: Value) -> Option<Value> {
    use AluOp::*;
    Some(match op {
        Imin | Imax | Umin | Umax => {
            let below = less(b, x, y, matches!(op, Imin | Imax));
            if matches!(op, Imin | Umin) { b.bcsel(below, x, y) } else { b.bcsel(below, y, x) }
        }
        Ilt => less(b, x, y, true),
        Ult => less(b, x, y, false),
        Ige | Uge => {
            let below = less(b, x, y, op == Ige);
            b.inot(below)
        }
        Ieq | Ine => {
            let (xl, xh) = halves(b, x);
            let (yl, yh) = halves(b, y);
            let (low, high) = (b.ixor(xl, yl), b.ixor(xh, yh));
            let (any, zero) = (b.ior(low, high), b.imm(0));
            if op == Ieq { b.ieq(any, zero) } else { b.ine(any, zero) }
        }
        I2b => {
            let (low, high) = halves(b, x);
            let (any, zero) = (b.ior(low, high), b.imm(0));
            b.ine(any, zero)
        }
        _ => return None,
    })
}

fn bits(b: &mut Builder<'_>, op: AluOp, x: Value, y: Value) -> Option<Value> {
    use AluOp::*;
    Some(match op {
        Iand | Ior | Ixor => {
            let (xl, xh) = halves(b, x);
            let (yl, yh) = halves(b, y);
            let (low, high) = (b.alu(op, &[xl, yl]), b.alu(op, &[xh, yh]));
            b.pack_64_2x32_split(low, high)
        }
        Inot => {
            let (low, high) = halves(b, x);
            let (low, high) = (b.inot(low), b.inot(high));
            b.pack_64_2x32_split(low, high)
        }
        Ishl | Ishr | Ushr => shift(b, op, x, y),
        BitCount => {
            let (low, high) = halves(b, x);
            let (low, high) = (b.bit_count(low), b.bit_count(high));
            b.iadd(low, high)
        }
        FindLsb => {
            let (low, high) = halves(b, x);
            let (in_low, in_high) = (b.find_lsb(low), b.find_lsb(high));
            select_bit(b, low, in_low, high, in_high, true)
        }
        UfindMsb => {
            let (low, high) = halves(b, x);
            let (in_low, in_high) = (b.ufind_msb(low), b.ufind_msb(high));
            select_bit(b, low, in_low, high, in_high, false)
        }
        _ => return None,
    })
}

fn conversion(b: &mut Builder<'_>, op: AluOp, x: Value, source_bits: u8) -> Option<Value> {
    use AluOp::*;
    Some(match op {
        B2i64 => widen_bool(b, x),
        I2i64 | U2u64 if source_bits != 64 => {
            let low = if op == I2i64 { b.i2i32(x) } else { b.u2u32(x) };
            let count = b.imm(31);
            let high = if op == I2i64 { b.ishr(low, count) } else { b.imm(0) };
            b.pack_64_2x32_split(low, high)
        }
        I2i64 | U2u64 => x,
        I2i8 | I2i16 | I2i32 | U2u8 | U2u16 | U2u32 => {
            let low = b.unpack_64_2x32_split_x(x);
            b.alu(op, &[low])
        }
        U2f32 | U2f16 => {
            let single = to_single(b, x);
            if op == U2f16 { b.f2f16(single) } else { single }
        }
        I2f32 | I2f16 => {
            let (magnitude, negative) = absolute(b, x);
            let single = to_single(b, magnitude);
            let flipped = b.fneg(single);
            let single = b.bcsel(negative, flipped, single);
            if op == I2f16 { b.f2f16(single) } else { single }
        }
        F2i64 | F2u64 if source_bits < 64 => {
            let double = b.f2f64(x);
            b.alu(op, &[double])
        }
        _ => return None,
    })
}

fn halves(b: &mut Builder<'_>, x: Value) -> (Value, Value) {
    (b.unpack_64_2x32_split_x(x), b.unpack_64_2x32_split_y(x))
}

fn widen_bool(b: &mut Builder<'_>, x: Value) -> Value {
    let (low, high) = (b.b2i32(x), b.imm(0));
    b.pack_64_2x32_split(low, high)
}

fn is_negative(b: &mut Builder<'_>, x: Value) -> Value {
    let (high, zero) = (b.unpack_64_2x32_split_y(x), b.imm(0));
    b.ilt(high, zero)
}

fn add(b: &mut Builder<'_>, x: Value, y: Value) -> Value {
    let (xl, xh) = halves(b, x);
    let (yl, yh) = halves(b, y);
    let low = b.iadd(xl, yl);
    let carry = b.uadd_carry(xl, yl);
    let high = b.iadd(xh, yh);
    let high = b.iadd(high, carry);
    b.pack_64_2x32_split(low, high)
}

fn sub(b: &mut Builder<'_>, x: Value, y: Value) -> Value {
    let (xl, xh) = halves(b, x);
    let (yl, yh) = halves(b, y);
    let low = b.isub(xl, yl);
    let borrow = b.usub_borrow(xl, yl);
    let high = b.isub(xh, yh);
    let high = b.isub(high, borrow);
    b.pack_64_2x32_split(low, high)
}

fn negate(b: &mut Builder<'_>, x: Value) -> Value {
    let zero = b.iconst(64, 0);
    sub(b, zero, x)
}

/// Magnitude, and whether the number is negative.
fn absolute(b: &mut Builder<'_>, x: Value) -> (Value, Value) {
    let negative = is_negative(b, x);
    let flipped = negate(b, x);
    (b.bcsel(negative, flipped, x), negative)
}

fn less(b: &mut Builder<'_>, x: Value, y: Value, signed: bool) -> Value {
    let (xl, xh) = halves(b, x);
    let (yl, yh) = halves(b, y);
    let high = if signed { b.ilt(xh, yh) } else { b.ult(xh, yh) };
    let (equal, low) = (b.ieq(xh, yh), b.ult(xl, yl));
    let low = b.iand(equal, low);
    b.ior(high, low)
}

/// Shift counts modulo 64; the 32-bit shifts take theirs modulo 32.
fn shift(b: &mut Builder<'_>, op: AluOp, x: Value, count: Value) -> Value {
    let (low, high) = halves(b, x);
    let (one, all, bit5, zero) = (b.imm(1), b.imm(31), b.imm(32), b.imm(0));
    let rest = b.ixor(count, all);
    let large = b.iand(count, bit5);
    let large = b.ine(large, zero);
    // The bits that cross from one half to the other move by 32 - count, in two steps so that count
    // 0 works.
    let (new_low, new_high) = if op == AluOp::Ishl {
        let crossing = b.ushr(low, one);
        let crossing = b.ushr(crossing, rest);
        let (moved_low, moved_high) = (b.ishl(low, count), b.ishl(high, count));
        let joined = b.ior(moved_high, crossing);
        (b.bcsel(large, zero, moved_low), b.bcsel(large, moved_low, joined))
    } else {
        let crossing = b.ishl(high, one);
        let crossing = b.ishl(crossing, rest);
        let (moved_low, moved_high) = (b.ushr(low, count), b.alu(op, &[high, count]));
        let joined = b.ior(moved_low, crossing);
        let fill = if op == AluOp::Ishr { b.ishr(high, all) } else { zero };
        (b.bcsel(large, moved_high, joined), b.bcsel(large, fill, moved_high))
    };
    b.pack_64_2x32_split(new_low, new_high)
}

fn multiply(b: &mut Builder<'_>, x: Value, y: Value) -> Value {
    let (xl, xh) = halves(b, x);
    let (yl, yh) = halves(b, y);
    let (low, carry) = (b.imul(xl, yl), b.umul_high(xl, yl));
    let (cross, other) = (b.imul(xl, yh), b.imul(xh, yl));
    let high = b.iadd(carry, cross);
    let high = b.iadd(high, other);
    b.pack_64_2x32_split(low, high)
}

/// High 64 bits of the unsigned product, by columns of 32 bits.
fn multiply_high(b: &mut Builder<'_>, x: Value, y: Value) -> Value {
    let (xl, xh) = halves(b, x);
    let (yl, yh) = halves(b, y);
    let low_high = b.umul_high(xl, yl);
    let cross = [(xl, yh), (xh, yl)].map(|(p, q)| (b.imul(p, q), b.umul_high(p, q)));
    let top = (b.imul(xh, yh), b.umul_high(xh, yh));
    // Column 1 only contributes carries.
    let sum = b.iadd(low_high, cross[0].0);
    let carry = b.uadd_carry(low_high, cross[0].0);
    let carry_again = b.uadd_carry(sum, cross[1].0);
    let mut low = b.iadd(carry, carry_again);
    let mut high = top.1;
    for term in [cross[0].1, cross[1].1, top.0] {
        let carry = b.uadd_carry(low, term);
        low = b.iadd(low, term);
        high = b.iadd(high, carry);
    }
    b.pack_64_2x32_split(low, high)
}

/// Unsigned quotient and remainder; both 0 when dividing by 0.
///
/// Two estimates through doubles, each lowered so that it is never too large, then at most three
/// subtractions: the first leaves a remainder below 2^-48 n + 3 d, the second one below 4 d.
fn divide(b: &mut Builder<'_>, n: Value, d: Value) -> (Value, Value) {
    let float = b.u2f64(d);
    let reciprocal = b.frcp(float);
    let (mut quotient, mut rest) = (b.iconst(64, 0), n);
    for _ in 0..2 {
        let float = b.u2f64(rest);
        let estimate = b.fmul(float, reciprocal);
        let estimate = b.f2u64(estimate);
        let (slack, one, zero) = (b.imm(50), b.iconst(64, 1), b.iconst(64, 0));
        let error = shift(b, AluOp::Ushr, estimate, slack);
        let error = add(b, error, one);
        let negative = less(b, estimate, error, false);
        let lowered = sub(b, estimate, error);
        let lowered = b.bcsel(negative, zero, lowered);
        let product = multiply(b, lowered, d);
        rest = sub(b, rest, product);
        quotient = add(b, quotient, lowered);
    }
    for _ in 0..3 {
        let below = less(b, rest, d, false);
        let (one, less_rest) = (b.iconst(64, 1), sub(b, rest, d));
        let more = add(b, quotient, one);
        rest = b.bcsel(below, rest, less_rest);
        quotient = b.bcsel(below, quotient, more);
    }
    let (low, high) = halves(b, d);
    let (any, zero) = (b.ior(low, high), b.imm(0));
    let (by_zero, nothing) = (b.ieq(any, zero), b.iconst(64, 0));
    (b.bcsel(by_zero, nothing, quotient), b.bcsel(by_zero, nothing, rest))
}

fn signed_divide(b: &mut Builder<'_>, op: AluOp, n: Value, d: Value) -> Value {
    let (n_magnitude, n_negative) = absolute(b, n);
    let (d_magnitude, d_negative) = absolute(b, d);
    let (quotient, rest) = divide(b, n_magnitude, d_magnitude);
    let differ = b.ixor(n_negative, d_negative);
    if op == AluOp::Idiv {
        let flipped = negate(b, quotient);
        return b.bcsel(differ, flipped, quotient);
    }
    let flipped = negate(b, rest);
    let rest = b.bcsel(n_negative, flipped, rest);
    if op == AluOp::Irem {
        return rest;
    }
    // The remainder takes the sign of the divisor.
    let (low, high) = halves(b, rest);
    let (any, zero) = (b.ior(low, high), b.imm(0));
    let inexact = b.ine(any, zero);
    let adjust = b.iand(inexact, differ);
    let moved = add(b, rest, d);
    b.bcsel(adjust, moved, rest)
}

fn select_bit(
    b: &mut Builder<'_>,
    low: Value,
    in_low: Value,
    high: Value,
    in_high: Value,
    lowest: bool,
) -> Value {
    let (zero, width) = (b.imm(0), b.imm(32));
    let above = b.iadd(in_high, width);
    let (no_low, no_high) = (b.ieq(low, zero), b.ieq(high, zero));
    // Where a half is empty its search gave -1.
    if lowest {
        let upper = b.bcsel(no_high, in_high, above);
        b.bcsel(no_low, upper, in_low)
    } else {
        b.bcsel(no_high, in_low, above)
    }
}

/// Unsigned to single with one rounding: the top 32 bits, the rest ORed into the lowest, scaled.
fn to_single(b: &mut Builder<'_>, x: Value) -> Value {
    let (low, high) = halves(b, x);
    let (zero, one, top_bit) = (b.imm(0), b.imm(1), b.imm(31));
    let small = b.ieq(high, zero);
    let msb = b.ufind_msb(high);
    let up = b.isub(top_bit, msb);
    let shifted = shift(b, AluOp::Ishl, x, up);
    let (rest, top) = halves(b, shifted);
    let lost = b.ine(rest, zero);
    let sticky = b.ior(top, one);
    let top = b.bcsel(lost, sticky, top);
    let rounded = b.u2f32(top);
    // 2^(32 - up) = 2^(msb + 1).
    let (bias, count) = (b.imm(128), b.imm(23));
    let biased = b.iadd(msb, bias);
    let factor = b.ishl(biased, count);
    let large = b.fmul(rounded, factor);
    let direct = b.u2f32(low);
    b.bcsel(small, direct, large)
}
