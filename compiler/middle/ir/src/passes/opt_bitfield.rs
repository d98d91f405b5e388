//! Recognition of open-coded bit-field operations.
//!
//! ```text
//! before:
//!   v2 = ushr v0, 8
//!   v3 = iand v2, 0xff
//! after:
//!   v3 = ubfe v0, 8, 8
//! ```

use super::algebraic_rules::compiled_bitfields;
use super::opt_algebraic::simplify;
use super::rewrite::rewrite_alu;
use crate::shader::Shader;

/// Recognizes masks, inserts and extracts made of shifts and logic: `((1 << bits) - 1) << offset`
/// becomes `bfm`, a value masked into another `bfi`, a shift and a constant mask `ubfe`. A mask
/// that is not constant need not select what `ubfe` does with it, so that form stays.
///
/// Meant to run before the lowerings whose own shifts and masks are cheaper with immediate
/// operands.
pub fn opt_bitfield(shader: &mut Shader) -> bool {
    rewrite_alu(shader, |b, alu, result| simplify(b, compiled_bitfields(), alu, result))
}
