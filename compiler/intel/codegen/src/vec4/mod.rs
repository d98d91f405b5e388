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
mod constants;
mod fp64;
pub mod geometry;
mod geometry_inputs;
mod locals;
mod memory;
mod patch_access;
mod slot_access;
mod storage;
mod target;
mod tess_control;
mod tess_evaluation;
mod texture;
mod urb;
mod vertex;

pub(crate) use target::Vec4;
