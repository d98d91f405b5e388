//! The stages of a draw: vertex fetch, the programmable stages before rasterization, primitives
//! between them, setup.

pub mod assembly;
pub mod draw_call;
pub mod feedback;
pub mod geometry;
pub mod primitive_setup;
pub mod primitives;
pub mod tessellation;
pub mod vertex_cache;
pub mod vertex_data;
pub mod vertex_stage;
