//! Values of single lanes: bits, integers, floating point of each size, and the operations of the
//! vector ALU on them.

pub(crate) mod bits;
pub(crate) mod comparison;
pub(crate) mod convert;
pub(crate) mod float;
pub(crate) mod half;
pub(crate) mod integer;
pub(crate) mod nan;
pub(crate) mod operations;
pub(crate) mod short;
