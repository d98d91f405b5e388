//! Lowering of 8- and 16-bit operations that the hardware has for wider types only.
//!
//! ```text
//! before:
//!   8x1 v2 = iadd v0, v1
//! after:
//!   16x1 v3 = i2i16 v0
//!   16x1 v4 = i2i16 v1
//!   16x1 v5 = iadd v3, v4
//!   8x1 v2 = i2i8 v5
//! ```

use super::rewrite::{rewrite_alu, source_values};
use crate::builder::Builder;
use crate::ids::Value;
use crate::inst::Alu;
use crate::ops::{AluOp, Class};
use crate::shader::Shader;

/// Computes 8-bit arithmetic and comparisons in 16 bits, 8- and 16-bit products' high halves,
/// quotients, carries and bit counts in 32 bits, and roundings, signs and derivatives of halves as
/// singles. Without `has_words` the machine has operations on 32 bits only: all arithmetic on 8 and
/// 16 bits is in 32, and conversions go through 32 bits.
///
/// Results are exactly those of the folding functions: widening is exact, and what narrowing cuts
/// off is what the narrow operation lacks. Moves, selections, vectors and conversions of any width
/// stay, as does 16-bit arithmetic that the hardware has. Operations without vector operands only:
/// run `lower_vectors_to_scalar` before.
pub fn lower_small_types(shader: &mut Shader, has_words: bool) -> bool {
    rewrite_alu(shader, |b, alu, result| {
        let bits = alu.srcs.first().map_or(0, |s| b.shader.bits(s.value));
        if !has_words && let Some(value) = convert_in_steps(b, alu, result) {
            return Some(value);
        }
        let wide = wider(alu.op, bits, has_words)?;
        let components = b.shader.components(result);
        let class = alu.op.info().inputs.first()?.class;
        let shape = Widening { class, bits, wide };
        Some(if class == Class::Float {
            half(b, alu, components)
        } else {
            integer(b, alu, components, shape)
        })
    })
}

/// How an operation is widened.
#[derive(Clone, Copy)]
struct Widening {
    class: Class,
    bits: u8,
    wide: u8,
}

/// The width in which an operation on `bits` bits is computed, if not that one.
fn wider(op: AluOp, bits: u8, has_words: bool) -> Option<u8> {
    use AluOp::*;
    match op {
        Iadd | Isub | Imul | Ineg | Iabs | Isign | Imin | Imax | Umin | Umax | Ishl | Ishr
        | Ushr | Iand | Ior | Ixor | Inot | Ieq | Ine | Ilt | Ige | Ult | Uge | I2b
            if !has_words =>
        {
            matches!(bits, 8 | 16).then_some(32)
        }
        ImulHigh | UmulHigh | Idiv | Udiv | Imod | Umod | Irem | UaddCarry | UsubBorrow
        | BitCount | FindLsb | UfindMsb => matches!(bits, 8 | 16).then_some(32),
        Iadd | Isub | Imul | Ineg | Iabs | Isign | Imin | Imax | Umin | Umax | Ishl | Ishr
        | Ushr | Iand | Ior | Ixor | Inot | Ieq | Ine | Ilt | Ige | Ult | Uge | I2b => {
            (bits == 8).then_some(16)
        }
        Ffloor | Fceil | Ftrunc | Ffract | FroundEven | Fsign | Fddx | Fddy | FddxFine
        | FddyFine | FddxCoarse | FddyCoarse => (bits == 16).then_some(32),
        _ => None,
    }
}

/// A conversion between less than 32 bits and something else than an integer of 32 bits, by way of
/// 32 bits. Integers become halves in two roundings, of which the first is none for 16 bits.
fn convert_in_steps(b: &mut Builder<'_>, alu: &Alu, result: Value) -> Option<Value> {
    use AluOp::*;
    let src = alu.srcs.first()?.value;
    let (from, to) = (b.shader.bits(src), b.shader.bits(result));
    let is_small = |bits: u8| matches!(bits, 8 | 16);
    let components = b.shader.components(result);
    let input = alu.op.info().inputs.first()?.class;
    let value = |b: &mut Builder<'_>| source_values(b, alu, components).first().copied();
    match alu.op {
        I2f16 | I2f32 | I2f64 | I2i64 | U2f16 | U2f32 | U2f64 | U2u64 if is_small(from) => {
            let value = value(b)?;
            let wide = extend(b, value, input, 32);
            if to != 16 {
                return Some(b.alu(alu.op, &[wide]));
            }
            let single = if input == Class::Int { b.i2f32(wide) } else { b.u2f32(wide) };
            Some(b.f2f16(single))
        }
        F2i8 | F2i16 | F2u8 | F2u16 => {
            let value = value(b)?;
            let value = if from == 16 { b.f2f32(value) } else { value };
            let is_signed = matches!(alu.op, F2i8 | F2i16);
            let whole = if is_signed { b.f2i32(value) } else { b.f2u32(value) };
            Some(extend(b, whole, if is_signed { Class::Int } else { Class::Uint }, to))
        }
        F2i32 | F2i64 | F2u32 | F2u64 | F2f64 if from == 16 => {
            let value = value(b)?;
            let single = b.f2f32(value);
            Some(b.alu(alu.op, &[single]))
        }
        _ => None,
    }
}

/// An operation on halves by way of singles.
fn half(b: &mut Builder<'_>, alu: &Alu, components: u8) -> Value {
    let srcs: Vec<Value> =
        source_values(b, alu, components).into_iter().map(|v| b.f2f32(v)).collect();
    let result = b.alu(alu.op, &srcs);
    b.f2f16(result)
}

fn integer(b: &mut Builder<'_>, alu: &Alu, components: u8, shape: Widening) -> Value {
    use AluOp::*;
    let info = alu.op.info();
    let mut srcs = source_values(b, alu, components);
    for (value, operand) in srcs.iter_mut().zip(info.inputs) {
        // Shift counts have a width of their own, and are taken modulo the value's.
        *value = match operand.bits {
            0 => extend(b, *value, operand.class, shape.wide),
            _ => {
                let mask = b.imm(u32::from(shape.bits) - 1);
                b.iand(*value, mask)
            }
        };
    }
    let shift = u32::from(shape.bits);
    let result = match alu.op {
        ImulHigh | UmulHigh => {
            let product = b.imul(srcs[0], srcs[1]);
            let count = b.imm(shift);
            if alu.op == ImulHigh { b.ishr(product, count) } else { b.ushr(product, count) }
        }
        UaddCarry => {
            let (sum, count) = (b.iadd(srcs[0], srcs[1]), b.imm(shift));
            b.ushr(sum, count)
        }
        op => b.alu(op, &srcs),
    };
    if info.output.bits != 0 {
        return result;
    }
    extend(b, result, shape.class, shape.bits)
}

/// The value in another width: sign-extended, zero-extended or cut off.
fn extend(b: &mut Builder<'_>, value: Value, class: Class, bits: u8) -> Value {
    match (class, bits) {
        (Class::Int, 8) => b.i2i8(value),
        (Class::Int, 16) => b.i2i16(value),
        (Class::Int, _) => b.i2i32(value),
        (_, 8) => b.u2u8(value),
        (_, 16) => b.u2u16(value),
        _ => b.u2u32(value),
    }
}
