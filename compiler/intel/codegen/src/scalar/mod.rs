//! Scalar back end: one channel per invocation, SIMD8 and SIMD16.
//!
//! Every IR instruction becomes the obvious instructions, with moves of their own for modifiers and
//! saturation. The optimizer folds them; the `legalize_*` passes then fit the program to the
//! hardware's limits.
//!
//! `target` is the scalar target of the shared [instruction selection](crate::isel). The modules
//! [`vertex`], [`tess_control`], [`tess_eval`], [`geometry`], [`fragment`] and [`compute`] compile
//! one stage each; no other module imports them.

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
mod storage;
mod subgroup;
mod target;
pub mod tess_control;
pub mod tess_eval;
mod texture;
mod urb;
pub mod vertex;
