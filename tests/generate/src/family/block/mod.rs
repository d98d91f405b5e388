//! Members of blocks: uniform blocks of doubles, uniform and storage blocks of 16-bit types.

pub mod fp64;
pub mod half;
