//! The suite of 16-bit types.

pub mod float16;
pub mod ieee;
pub mod pool;
