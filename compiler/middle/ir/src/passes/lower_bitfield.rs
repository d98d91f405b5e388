//! Lowering of GLSL's bit-field functions to the hardware's.
//!
//! ```text
//! before:
//!   v3 = bitfield_insert v0, v1, v2, 8
//! after:
//!   v4 = bfm 8, v2
//!   v5 = ishl v1, v2
//!   v3 = bfi v4, v5, v0
//! ```

use super::rewrite::{rewrite_alu, source_values};
use crate::ops::AluOp;
use crate::shader::Shader;

/// Lowers `bitfield_insert` to `bfm` and `bfi`, and `ubitfield_extract` and `ibitfield_extract` to
/// `ubfe` and `ibfe`.
///
/// The hardware takes the number of bits modulo 32, so 32 bits would act as none: unless the number
/// is a constant below 32 a comparison and a selection of the whole value follow. `bfm` and `bfi`
/// stay operations, so that no simplification can hide the mask or compute it twice.
pub fn lower_bitfield(shader: &mut Shader) -> bool {
    rewrite_alu(shader, |b, alu, result| {
        use AluOp::{BitfieldInsert, IbitfieldExtract, UbitfieldExtract};
        if !matches!(alu.op, BitfieldInsert | IbitfieldExtract | UbitfieldExtract) {
            return None;
        }
        let components = b.shader.components(result);
        let srcs = source_values(b, alu, components);
        let (&first, &bits) = (srcs.first()?, srcs.last()?);
        let original_bits = alu.srcs.last()?;
        let known = b.shader.as_const(original_bits.value).is_some_and(|data| {
            let used = &original_bits.swizzle[..usize::from(components.min(4))];
            used.iter().all(|&c| data[usize::from(c & 3)] < 32)
        });
        let (value, whole) = match alu.op {
            BitfieldInsert => {
                let mask = b.bfm(bits, *srcs.get(2)?);
                (b.bfi(mask, *srcs.get(1)?, first), *srcs.get(1)?)
            }
            IbitfieldExtract => (b.ibfe(first, *srcs.get(1)?, bits), first),
            _ => (b.ubfe(first, *srcs.get(1)?, bits), first),
        };
        if known {
            return Some(value);
        }
        let limit = b.imm(32);
        let full = b.uge(bits, limit);
        Some(b.bcsel(full, whole, value))
    })
}
