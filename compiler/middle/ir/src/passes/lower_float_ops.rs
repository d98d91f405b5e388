//! Lowering of 16- and 32-bit float operations without an instruction.
//!
//! ```text
//! before:
//!   v2 = fmod v0, v1
//! after:
//!   v3 = fdiv v0, v1
//!   v4 = ffloor v3
//!   v5 = fmul v1, v4
//!   v2 = fsub v0, v5
//! ```

use super::rewrite::{rewrite_alu, source_values, unless_multiple};
use crate::builder::Builder;
use crate::ids::Value;
use crate::ops::AluOp;
use crate::shader::Shader;

/// Lowers `flrp`, `fmod`, `frem`, `fldexp`, `frexp_sig` and `frexp_exp` of 16 and 32 bits.
/// `lower_doubles` does the 64-bit ones. A 32-bit `flrp` that may fuse stays: it is an instruction.
///
/// All follow their folding functions step by step, except that `fldexp` gives zero for results
/// below the smallest normal single: singles flush denormals. `fdiv` appears in the results, to be
/// done by the back end or, for halves, `lower_half`. Steps of `flrp` may fuse unless the
/// instruction was exact; the others are exact.
pub fn lower_float_ops(shader: &mut Shader) -> bool {
    rewrite_alu(shader, |b, alu, result| {
        use AluOp::{Fldexp, Flrp, Fmod, Frem, FrexpExp, FrexpSig};
        let bits = alu.srcs.first().map_or(0, |s| b.shader.bits(s.value));
        if !matches!(alu.op, Flrp | Fmod | Frem | Fldexp | FrexpSig | FrexpExp)
            || !matches!(bits, 16 | 32)
        {
            return None;
        }
        if alu.op == Flrp && bits == 32 && !alu.exact {
            return None;
        }
        let components = b.shader.components(result);
        let srcs = source_values(b, alu, components);
        let x = *srcs.first()?;
        let y = srcs.get(1).copied().unwrap_or(x);
        if alu.op == Flrp {
            return Some(interpolate(b, x, y, *srcs.get(2)?, bits));
        }
        b.exact = true;
        Some(match alu.op {
            Fmod if bits == 16 => half_modulo(b, x, y),
            Fmod | Frem => remainder(b, alu.op, x, y),
            op if bits == 32 => exponent_op(b, op, x, y),
            op => {
                let wide = b.f2f32(x);
                let result = exponent_op(b, op, wide, y);
                if op == FrexpExp { result } else { b.f2f16(result) }
            }
        })
    })
}

/// `x (1 - t) + y t`.
fn interpolate(b: &mut Builder<'_>, x: Value, y: Value, t: Value, bits: u8) -> Value {
    let one = b.fconst(bits, 1.0);
    let rest = b.fsub(one, t);
    let (left, right) = (b.fmul(x, rest), b.fmul(y, t));
    b.fadd(left, right)
}

fn remainder(b: &mut Builder<'_>, op: AluOp, x: Value, y: Value) -> Value {
    let quotient = b.fdiv(x, y);
    let whole = if op == AluOp::Fmod { b.ffloor(quotient) } else { b.ftrunc(quotient) };
    let product = b.fmul(y, whole);
    let rest = b.fsub(x, product);
    unless_multiple(b, x, y, whole, rest)
}

/// `fmod` of halves, in singles: exact until the last rounding.
///
/// The rest after a quotient that is off by 2^-23 of its value is a multiple of the divisor's last
/// place and at most 2^-7 plus half the divisor: it has at most 18 bits, and the fused multiply-add
/// gives it exactly. The same once more leaves at most half the divisor.
fn half_modulo(b: &mut Builder<'_>, x: Value, y: Value) -> Value {
    let (x, y) = (b.f2f32(x), b.f2f32(y));
    let mut rest = x;
    for _ in 0..2 {
        let quotient = b.fdiv(rest, y);
        let whole = b.fround_even(quotient);
        let negative = b.fneg(whole);
        rest = b.ffma(negative, y, rest);
    }
    let zero = b.fconst(32, 0.0);
    let (below, y_below, some) = (b.flt(rest, zero), b.flt(y, zero), b.fneu(rest, zero));
    let differ = b.ixor(below, y_below);
    let wrong_sign = b.iand(differ, some);
    let raised = b.fadd(rest, y);
    let result = b.bcsel(wrong_sign, raised, rest);
    b.f2f16(result)
}

/// `fldexp`, `frexp_sig` or `frexp_exp` of singles.
fn exponent_op(b: &mut Builder<'_>, op: AluOp, x: Value, exponent: Value) -> Value {
    // Scaled out of the subnormal range, where it matters (2^24 = 24 more in the exponent).
    let (count, mask, zero, fzero) = (b.imm(23), b.imm(0xff), b.imm(0), b.fconst(32, 0.0));
    let field = exponent_field(b, x, count, mask);
    let subnormal = b.ieq(field, zero);
    let (lift, scale) = (b.imm(24), b.fconst(32, 16_777_216.0));
    let scaled = b.fmul(x, scale);
    let scaled = b.bcsel(subnormal, scaled, x);
    let lift = b.bcsel(subnormal, lift, zero);
    let field = exponent_field(b, scaled, count, mask);
    let biased = b.isub(field, lift);
    let is_zero = b.feq(x, fzero);
    let not_finite = b.ieq(field, mask);
    let special = b.ior(is_zero, not_finite);
    if op == AluOp::FrexpExp {
        let bias = b.imm(126);
        let value = b.isub(biased, bias);
        return b.bcsel(special, zero, value);
    }
    let keep = b.imm(0x807f_ffff);
    let fraction = b.iand(scaled, keep);
    let result = if op == AluOp::FrexpSig {
        let half = b.imm(126 << 23);
        b.ior(fraction, half)
    } else {
        ldexp(b, x, fraction, biased, exponent)
    };
    // Where denormals are flushed one compares equal to zero: the result is a true zero.
    let sign_mask = b.imm(0x8000_0000);
    let signed_zero = b.iand(x, sign_mask);
    let exception = b.bcsel(is_zero, signed_zero, x);
    b.bcsel(special, exception, result)
}

fn exponent_field(b: &mut Builder<'_>, x: Value, count: Value, mask: Value) -> Value {
    let shifted = b.ushr(x, count);
    b.iand(shifted, mask)
}

fn ldexp(b: &mut Builder<'_>, x: Value, fraction: Value, biased: Value, exponent: Value) -> Value {
    // Beyond every result, and no overflow in the sum.
    let (low, high, zero, count) = (b.iconst(32, -1000), b.imm(1000), b.imm(0), b.imm(23));
    let exponent = b.imax(exponent, low);
    let exponent = b.imin(exponent, high);
    let total = b.iadd(biased, exponent);
    let field = b.ishl(total, count);
    let normal = b.ior(fraction, field);
    let sign_mask = b.imm(0x8000_0000);
    let sign = b.iand(x, sign_mask);
    let infinity = b.imm(0x7f80_0000);
    let infinity = b.ior(infinity, sign);
    let top = b.imm(255);
    let overflow = b.ige(total, top);
    let underflow = b.ige(zero, total);
    let result = b.bcsel(overflow, infinity, normal);
    b.bcsel(underflow, sign, result)
}
