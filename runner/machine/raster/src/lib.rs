//! Drawing without an API: primitives, tessellator, rasterizer, textures, formats, framebuffers.
//!
//! The machine of an API gathers the shader work of a draw into batches and passes them to a
//! [`device::Device`]. Adapters of simulators and interpreter implement that trait; each one works
//! for its own machine.
//!
//! # Modules
//!
//! | Modules | Contents |
//! |---|---|
//! | [`deferred`], [`multisample`] | recorded draws, samples |
//! | [`device`], [`shader_io`], [`interface`], [`resources`] | border to the executors of shaders |
//! | [`assemble`], [`clip`], [`setup`], [`primitive`], [`rasterize`], [`tessellate`] | fixed-function stages |
//! | [`mod@format`], [`surface`], [`texture`] | texels, surfaces of tiles, filtering |
//!
//! The modules of the last two rows know no device. Texture filtering takes its requests from
//! [`shader_io`].

#![warn(unreachable_pub)]

pub mod assemble;
pub mod clip;
pub mod deferred;
pub mod device;
pub mod format;
pub mod interface;
pub mod multisample;
pub mod primitive;
pub mod rasterize;
pub mod resources;
pub mod setup;
pub mod shader_io;
pub mod surface;
pub mod tessellate;
pub mod texture;
