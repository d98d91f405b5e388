//! Drawing without an API: primitives, tessellator, rasterizer, textures, formats, framebuffers.
//!
//! The machine of an API gathers the shader work of a draw into batches and passes them to a
//! [`device::Device`]. Adapters of simulators and interpreter implement that trait; each one works
//! for its own machine.
//!
//! ```
//! use raster::format::Format;
//! use raster::rasterize::{snap, triangle};
//! use raster::surface::Surface;
//!
//! let mut surface = Surface::new(8, 8, Format::R8);
//! let corners = [[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]].map(|corner| corner.map(snap));
//! let covered = triangle::rasterize(&corners, &surface.rect());
//! surface.fill_spans(0, &covered, Format::R8.quantize_numbers([1.0, 0.0, 0.0, 0.0]));
//! assert_eq!(surface.format().to_f32(surface.get(1, 1))[0], 1.0);
//! assert_eq!(surface.format().to_f32(surface.get(7, 7))[0], 0.0);
//! ```
//!
//! # Modules
//!
//! | Modules | Contents |
//! |---|---|
//! | [`pipeline`] | stages of a draw up to the setup of primitives |
//! | [`deferred`], [`multisample`], [`output`], [`blend`] | recorded draws, samples, tests and blending of fragments |
//! | [`device`], [`shader_io`], [`shader_ops`], [`interface`], [`resources`] | border to the executors of shaders |
//! | [`assemble`], [`clip`], [`setup`], [`setup_cache`], [`primitive`], [`rasterize`], [`tessellate`] | fixed-function stages |
//! | [`mod@format`], [`surface`], [`texture`] | texels, surfaces of tiles, filtering |
//!
//! The modules of the last two rows know no device. Texture filtering takes its requests from
//! [`shader_ops`].

#![warn(unreachable_pub)]

pub mod assemble;
pub mod blend;
pub mod clip;
pub mod deferred;
pub mod device;
pub mod format;
pub mod interface;
pub mod multisample;
pub mod output;
pub mod pipeline;
pub mod primitive;
pub mod rasterize;
pub mod resources;
pub mod setup;
pub mod setup_cache;
pub mod shader_io;
pub mod shader_ops;
pub mod surface;
pub mod tessellate;
#[cfg(test)]
mod testing;
pub mod texture;
