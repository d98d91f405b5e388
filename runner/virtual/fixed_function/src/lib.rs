//! Fixed functions that virtual GPUs share: from clipped corners to quads of covered pixels, and
//! from colors of fragments to stored ones. All are pure functions of plain data.
//!
//! ```
//! use fixed_function::Comparison;
//!
//! assert!(Comparison::LessOrEqual.passes(1, 2));
//! ```

mod color;
mod depth;
mod interpolation;
mod quads;
mod shape;
mod spans;
mod stipple;
mod viewport;

pub use color::{clamp_and_blend, join_stored};
pub use depth::DepthFormat;
pub use interpolation::{Corner, Interpolation, Plane};
pub use quads::{Quad, QuadSlot, Samples, at_samples, quads, shape_spans};
pub use raster::blend::{Colors, Comparison, Equation, Factor, Function, StencilOperation, Term};
pub use shape::SmoothShape;
pub use spans::{Polygon, SampleSpans, line_copies};
pub use stipple::{LineStipple, retain_pixels};
pub use viewport::{Viewport, corner, snap_corner};
