//! Algebraic simplification that may change a result within the bounds of the language.
//!
//! ```text
//! before:
//!   v1 = const 32 [0x40000000]
//!   v2 = fdiv v0, v1
//! after:
//!   v1 = const 32 [0x3f000000]
//!   v2 = fmul v0, v1
//! ```

use super::inexact_rules::compiled_inexact;
use super::opt_algebraic::simplify;
use super::rewrite::rewrite_alu;
use crate::shader::Shader;

/// Applies the rules of the inexact table to 16- and 32-bit operations that are not exact. Doubles
/// keep their results: a shader has them for the sake of precision.
pub fn opt_algebraic_inexact(shader: &mut Shader) -> bool {
    rewrite_alu(shader, |b, alu, result| {
        let is_double = |bits: u8| bits == 64;
        let reads_double = alu.srcs.iter().any(|src| is_double(b.shader.bits(src.value)));
        if alu.exact || is_double(b.shader.bits(result)) || reads_double {
            return None;
        }
        simplify(b, compiled_inexact(), alu, result)
    })
}
