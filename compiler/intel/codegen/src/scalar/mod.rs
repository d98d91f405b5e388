//! Scalar back end: one channel per invocation, SIMD8 and SIMD16.
//!
//! Every IR instruction becomes the obvious instructions, with moves of their own for modifiers and
//! saturation. The optimizer folds them; the `legalize_*` passes then fit the program to the
//! hardware's limits.
//!
//! `target` is the scalar target of the shared [instruction selection](crate::isel). The modules
//! [`geometry`], [`fragment`] and [`compute`] compile one stage each; no other module imports them.
//! `slot_access`, `vertex`, `tess_control` and `tess_evaluation` have the facts of the other
//! stages, which [`crate::stages`] compiles.

mod alu;
mod alu_convert;
mod alu_integer;
pub mod compute;
mod float_modes;
pub mod fragment;
mod fragment_interface;
pub mod geometry;
mod image;
mod interpolate;
mod memory;
mod samples;
mod scratch;
mod select_chain;
mod slot_access;
mod storage;
mod subgroup;
mod target;
mod tess_control;
mod tess_evaluation;
mod texture;
mod urb;
mod vertex;

pub(crate) use target::Scalar;
