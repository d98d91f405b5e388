//! Deferred rasterization: render targets that shade only pixels that are read.
//!
//! Clears and draws are recorded; a read of a region executes them for its 2×2 quads only. Draws of
//! fragment stages that write memory are executed at once, for all pixels.
//!
//! A primitive whose inputs are the same at every pixel is shaded once, in one quad: flat inputs,
//! and interpolated ones whose values at the three vertices are equal bit for bit (any weights that
//! sum to one give that value).

mod quad_shader;
mod recorded_draw;
mod render_target;
mod result_cache;
mod samples;
mod target_surfaces;
mod tile_progress;
mod undefined_pixels;

pub use recorded_draw::{DrawContext, DrawRecorder, RecordedDraw, ShadeMode};
pub use render_target::RenderTarget;
pub use samples::FirstSample;
pub use undefined_pixels::OTHER_VALUES;
