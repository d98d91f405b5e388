//! Scalar back end: one channel per invocation, SIMD8 and SIMD16.
//!
//! Instruction selection is plain: every IR instruction becomes the obvious instructions, with moves where
//! modifiers or saturation stand alone. The optimiser folds them. Hardware limits are met afterwards by the
//! `legalize_*` passes.

mod alu;
mod alu_convert;
mod alu_integer;
mod compute;
mod fragment;
mod geometry;
pub(crate) mod geometry_layout;
mod image;
mod interpolate;
mod ladder;
mod memory;
mod samples;
mod scratch;
mod storage;
mod subgroup;
mod tess_control;
mod tess_eval;
mod texture;
mod translate;
pub(crate) mod uniforms;
mod urb;
mod vertex;

pub use compute::compile_compute;
pub use fragment::compile_fragment;
pub use geometry::compile_geometry;
pub use tess_control::compile_tess_control;
pub use tess_eval::compile_tess_eval;
pub use vertex::compile_vertex;
