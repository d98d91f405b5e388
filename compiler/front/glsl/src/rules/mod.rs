//! Rules for complete shaders.

pub(crate) mod access;
pub(crate) mod block_sizes;
pub(crate) mod per_vertex;
pub(crate) mod pragma;
pub(crate) mod precise;
pub(crate) mod recursion;
