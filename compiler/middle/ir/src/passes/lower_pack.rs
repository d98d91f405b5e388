//! Lowering of normalized packing functions to arithmetic and bit operations.
//!
//! ```text
//! before:
//!   v1 = unpack_unorm_4x8 v0
//! after:
//!   v2 = vec4 of the four bytes of v0
//!   v3 = u2f32 v2
//!   v1 = fdiv v3, 255.0
//! ```

use super::rewrite::{rewrite_alu, source_value};
use crate::builder::Builder;
use crate::ids::Value;
use crate::ops::AluOp;
use crate::shader::Shader;

/// Lowers `pack_*` and `unpack_*` of `unorm` and `snorm` forms, and `pack_half_2x16` and
/// `unpack_half_2x16` to their split forms.
///
/// Follows the folding functions exactly: clamp, multiply by the scale, round to nearest even;
/// divide by the scale (`fdiv`, for the back end), clamp signed results to -1. Works on whole
/// vectors, so vec4 back ends keep them.
pub fn lower_pack(shader: &mut Shader) -> bool {
    rewrite_alu(shader, |b, alu, _| {
        use AluOp::*;
        let src = alu.srcs.first()?;
        let (fields, signed, pack) = match alu.op {
            PackUnorm2x16 => (2, false, true),
            PackSnorm2x16 => (2, true, true),
            PackUnorm4x8 => (4, false, true),
            PackSnorm4x8 => (4, true, true),
            UnpackUnorm2x16 => (2, false, false),
            UnpackSnorm2x16 => (2, true, false),
            UnpackUnorm4x8 => (4, false, false),
            UnpackSnorm4x8 => (4, true, false),
            PackHalf2x16 => {
                let vector = source_value(b, src, 2);
                let (x, y) = (b.channel(vector, 0), b.channel(vector, 1));
                return Some(b.pack_half_2x16_split(x, y));
            }
            UnpackHalf2x16 => {
                let word = source_value(b, src, 1);
                let parts = [b.unpack_half_2x16_split_x(word), b.unpack_half_2x16_split_y(word)];
                return Some(b.vec(&parts));
            }
            _ => return None,
        };
        b.exact = true;
        let value = source_value(b, src, if pack { fields } else { 1 });
        Some(if pack {
            pack_norm(b, value, fields, signed)
        } else {
            unpack_norm(b, value, fields, signed)
        })
    })
}

/// Largest field value.
fn scale(fields: u8, signed: bool) -> u32 {
    let width = 32 / fields - u8::from(signed);
    (1 << width) - 1
}

fn pack_norm(b: &mut Builder<'_>, value: Value, fields: u8, signed: bool) -> Value {
    let width = u32::from(32 / fields);
    let (one, low) = (b.fconst(32, 1.0), b.fconst(32, if signed { -1.0 } else { 0.0 }));
    let clamped = b.fmin(value, one);
    let clamped = b.fmax(clamped, low);
    let factor = b.fconst(32, scale(fields, signed).into());
    let scaled = b.fmul(clamped, factor);
    let rounded = b.fround_even(scaled);
    let integers = if signed { b.f2i32(rounded) } else { b.f2u32(rounded) };
    let mask = b.imm(((1u64 << width) - 1) as u32);
    let kept = b.iand(integers, mask);
    let mut result = b.channel(kept, 0);
    for i in 1..fields {
        let part = b.channel(kept, i);
        let count = b.imm(u32::from(i) * width);
        let shifted = b.ishl(part, count);
        result = b.ior(result, shifted);
    }
    result
}

fn unpack_norm(b: &mut Builder<'_>, word: Value, fields: u8, signed: bool) -> Value {
    let width = u32::from(32 / fields);
    let shifts: Vec<u64> = (0..u32::from(fields)).map(|i| u64::from(i * width)).collect();
    let numbers = if signed {
        // Each field to the top, then back down with its sign.
        let up: Vec<u64> = shifts.iter().map(|s| u64::from(32 - width) - s).collect();
        let (up, down) = (b.constant(32, &up), b.imm(32 - width));
        let top = b.ishl(word, up);
        let integers = b.ishr(top, down);
        b.i2f32(integers)
    } else {
        let (down, mask) = (b.constant(32, &shifts), b.imm(((1u64 << width) - 1) as u32));
        let shifted = b.ushr(word, down);
        let integers = b.iand(shifted, mask);
        b.u2f32(integers)
    };
    let divisor = b.fconst(32, scale(fields, signed).into());
    let result = b.fdiv(numbers, divisor);
    if !signed {
        return result;
    }
    let low = b.fconst(32, -1.0);
    b.fmax(result, low)
}
