//! Rules of probes, for every executor: the pixels of an area, expected values, tolerances,
//! comparison, and the words for a failure.
//!
//! The rules are those of piglit's probe functions.
//!
//! ```
//! use probes::{Expectation, ProbeValues};
//!
//! let half = Expectation { channels: 4, values: [0.5; 4], tolerance: [0.01; 4] };
//! assert!(half.accepts(ProbeValues::Bytes([127, 128, 130, 124])));
//! assert!(!half.accepts(ProbeValues::Bytes([127, 128, 131, 124])));
//! assert!(!half.accepts(ProbeValues::Floats([0.5, 0.5, 0.5, 0.6])));
//! ```

mod area;
mod buffers;
mod pixels;
mod ulps;

pub use area::{PixelRect, leaves_framebuffer, pixels_of, relative_extent, relative_point};
pub use buffers::{Condition, bits_of};
pub use pixels::{
    Expectation, ProbeFailure, ProbeValues, describe, expected_byte, override_each, tolerance_byte,
};
pub use ulps::{f32_ulps, f64_ulps};
