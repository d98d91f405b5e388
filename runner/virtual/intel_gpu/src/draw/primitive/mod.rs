//! Primitives: clipping, culling, rasterization.

pub(crate) mod rectangle;
pub(crate) mod stipple;
pub(crate) mod triangle;
