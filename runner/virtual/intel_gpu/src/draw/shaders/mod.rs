//! The stages before rasterization: vertex, tessellation and geometry threads, stream output.

pub(crate) mod assembled;
pub(crate) mod feedback;
pub(crate) mod geometry;
pub(crate) mod stage;
pub(crate) mod tessellation;
pub(crate) mod vertex_shader;
