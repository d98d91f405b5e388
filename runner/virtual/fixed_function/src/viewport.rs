//! Transformation of positions to the window.

use raster::clip::ClipVertex;
use raster::rasterize::{Rect, SnappedPosition, snap};

use crate::interpolation::Corner;

/// A viewport.
#[derive(Clone, Copy, Debug)]
pub struct Viewport {
    /// Factors of x, y and z.
    pub scale: [f64; 3],
    /// Added to x, y and z.
    pub offset: [f64; 3],
    /// Multiples of w to which x and y are not clipped.
    pub guard: [f64; 2],
    /// Pixels that can be drawn.
    pub bounds: Rect,
    /// Limits of depth.
    pub depths: [f32; 2],
}

impl Viewport {
    /// Transforms a position from clip coordinates to the window.
    #[must_use]
    pub fn window(&self, position: &[f64; 4]) -> [f64; 3] {
        let [x, y, z, w] = *position;
        let coordinates = [x, y, z].map(|coordinate| coordinate / w);
        std::array::from_fn(|i| coordinates[i] * self.scale[i] + self.offset[i])
    }
}

/// A corner of a clipped primitive in the window.
#[must_use]
pub fn corner(viewport: &Viewport, vertex: &ClipVertex, positions: &[[f64; 4]; 3]) -> Corner {
    let one_over_w = 1.0 / vertex.position[3];
    // In the window the weight of a corner is in proportion to its w.
    let linear = std::array::from_fn(|i| vertex.weights[i] * positions[i][3] * one_over_w);
    let window = viewport.window(&vertex.position);
    Corner { window, one_over_w, weights: vertex.weights, linear }
}

/// Snaps the position of a corner.
#[must_use]
pub fn snap_corner(corner: &Corner) -> SnappedPosition {
    [snap(corner.window[0]), snap(corner.window[1])]
}
