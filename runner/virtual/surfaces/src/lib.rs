//! Surfaces in graphics memory: where a texel is, and how it is stored.
//!
//! [`Tiling`] orders the bytes of a surface, [`SurfaceFormat`] the bits of a texel. [`Surface`] is
//! a `RENDER_SURFACE_STATE` with the layout of its levels and layers.
//!
//! ```
//! use surfaces::{SurfaceFormat, Tiling};
//!
//! // Y tiles are 128 bytes wide; columns of 16 bytes are 32 rows high.
//! assert_eq!(Tiling::Y.offset(16, 1, 1024), 512 + 16);
//! // R8G8B8A8_UNORM
//! let format = SurfaceFormat::of(199).unwrap();
//! let red = [1.0_f32.to_bits(), 0, 0, 1.0_f32.to_bits()];
//! assert_eq!(format.encode(red), [0xff, 0, 0, 0xff]);
//! ```

mod blocks;
mod format;
mod surface;
mod tiling;

pub use blocks::Blocks;
pub use format::SurfaceFormat;
pub use surface::{DepthLayout, Plane, Surface, SurfaceKind, interleave};
pub use tiling::Tiling;
