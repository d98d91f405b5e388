//! vec4 back end: Align16 SIMD4x2, two vertices per thread, four components per vertex.
//!
//! Instruction selection keeps the IR's vectors: a 32-bit vector is one register (vertex 0 in
//! dwords 0–3, vertex 1 in dwords 4–7), a 64-bit one two (a register per vertex). Uniforms and
//! constants are read with vertical stride 0, the same four components for both vertices. Swizzles
//! and writemasks are logical, in components of the operand's own type, and stay so until the
//! encoder: the optimizer sees whole dvec4 instructions, then `lower_df_swizzle`,
//! `lower_df_writemask` and `lower_simd_width` split them into instructions that the hardware can
//! encode. Booleans are 0 or −1 in 32 bits, or flags where only conditions use them.
//!
//! # Requirements on the IR
//! * [`ir::passes::lower_doubles`] has run: of 64-bit operations remain `fadd fsub fmul ffma fneg
//!   fabs fsat fmin fmax`, comparisons, `bcsel`, conversions between doubles and 32-bit types,
//!   packing and unpacking.
//! * No 64-bit integer arithmetic, no values of 8 or 16 bits.
//! * For 32-bit values `fldexp`, `frexp_*` and the packing of normalized formats are lowered;
//!   everything else may stay, vectors, `fmod`, `imod`, bit-field operations and dot products
//!   included.
//! * Vectors are not scalarized; `opt_promote_locals` has run, locals with variable indices stay
//!   locals.
//! * `gl_ClipVertex` and cull distances are lowered to clip distances.
//! * Useful besides: constant folding, copy propagation, CSE, `opt_algebraic`, DCE.

mod align1_regions;
mod alu;
mod alu_integer;
mod compare;
mod components;
mod constants;
#[cfg(test)]
mod df_tests;
mod fp64;
pub mod geometry;
mod geometry_inputs;
mod legalize_operands;
mod locals;
mod lower_df_swizzle;
mod lower_df_writemask;
mod lower_simd_width;
mod memory;
mod opt_coalesce;
mod opt_copy_propagation;
mod opt_dead_code;
mod patch_access;
mod storage;
mod swizzle_class;
mod target;
pub mod tess_control;
pub mod tess_eval;
#[cfg(test)]
mod tests;
mod texture;
mod urb;
pub mod vertex;

use crate::legalize::legalize_wide_regions;
use crate::passes::PassList;

/// The vec4 back end's passes.
pub static PASSES: PassList = PassList {
    optimise: &[
        ("opt_vec4_copy_propagation", opt_copy_propagation::opt_copy_propagation),
        ("opt_vec4_dead_code", opt_dead_code::opt_dead_code),
        ("opt_vec4_coalesce", opt_coalesce::opt_coalesce),
    ],
    legalise: &[
        ("legalize_operands", legalize_operands::legalize_operands),
        ("lower_df_swizzle", lower_df_swizzle::lower_df_swizzle),
        ("lower_df_writemask", lower_df_writemask::lower_df_writemask),
        ("lower_simd_width", lower_simd_width::lower_simd_width),
        ("legalize_wide_regions", legalize_wide_regions),
    ],
    clean_up: &[("opt_vec4_dead_code", opt_dead_code::opt_dead_code)],
    schedule: false,
};
