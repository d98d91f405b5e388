//! Primitives: clipping, culling, rasterization.

pub(crate) mod rectangle;
pub(crate) mod triangle;
