//! Lowering of 16-bit float operations that the machine has in single precision only.
//!
//! ```text
//! before:
//!   16x1 v2 = fdiv v0, v1
//! after:
//!   32x1 v3 = f2f32 v0
//!   32x1 v4 = f2f32 v1
//!   32x1 v5 = fdiv v3, v4
//!   16x1 v2 = f2f16 v5
//! ```

use super::rewrite::{rewrite_alu, source_values};
use crate::ops::AluOp;
use crate::shader::Shader;

/// Lowers division of halves and, unless the extended-math unit takes halves, reciprocals, roots,
/// exponentials, logarithms, sine, cosine and powers: the operands become singles, which is exact,
/// the single operation computes, and its result is rounded.
///
/// Every half is a normal single, so that no operand is flushed. A quotient of two 11-bit
/// significands is never nearer to the middle between two normal halves than 2^-23 of its value:
/// the result is correctly rounded although the single quotient need not be. The others are rounded
/// correctly unless the exact result is within the single operation's error of such a middle.
/// `fdiv` appears in the results, to be done by the back end. Run `lower_float_ops` before.
pub fn lower_half(shader: &mut Shader, has_math: bool) -> bool {
    rewrite_alu(shader, |b, alu, result| {
        use AluOp::{Fcos, Fdiv, Fexp2, Flog2, Fpow, Frcp, Frsq, Fsin, Fsqrt};
        let lowered = match alu.op {
            Fdiv => true,
            Frcp | Frsq | Fsqrt | Fexp2 | Flog2 | Fsin | Fcos | Fpow => !has_math,
            _ => false,
        };
        if b.shader.bits(result) != 16 || !lowered {
            return None;
        }
        let components = b.shader.components(result);
        let wide: Vec<_> =
            source_values(b, alu, components).into_iter().map(|v| b.f2f32(v)).collect();
        let value = b.alu(alu.op, &wide);
        Some(b.f2f16(value))
    })
}
