//! Bit patterns: packing and unpacking of doubles, halves and 16-bit integers.

pub mod fp64;
pub mod half;
