//! The GL machine: buffers, vertex fetch, primitives, rasterizer, framebuffers and probes.
//!
//! The machine knows OpenGL and nothing about how shaders execute: it gathers the work of a draw into batches and
//! hands them to a [`device::Device`]. Simulator and interpreter implement that trait; each runs on its own machine
//! from the same commands.

#![warn(unreachable_pub)]

pub mod assemble;
pub mod clip;
pub mod deferred;
pub mod device;
pub mod format;
pub mod interface;
pub mod machine;
pub mod multisample;
pub mod primitive;
pub mod probe;
pub mod raster;
pub mod resources;
pub mod setup;
pub mod shader_io;
pub mod surface;
pub mod tessellate;
pub mod texture;
