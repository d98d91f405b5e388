//! Transformation of positions to the window.

use raster::rasterize::Rect;

/// Data of a vertex: a slot of four components for each element.
pub(super) type Slots = Vec<[u32; 4]>;

/// Slot of the position.
const POSITION: usize = 1;

/// A viewport.
#[derive(Clone, Copy, Debug)]
pub(super) struct Viewport {
    pub(super) scale: [f64; 3],
    pub(super) offset: [f64; 3],
    pub(super) guard: [f64; 2],
    /// Pixels that can be drawn.
    pub(super) bounds: Rect,
    /// Limits of depth.
    pub(super) depths: [f32; 2],
}

impl Viewport {
    /// Transforms a position from clip coordinates to the window.
    pub(super) fn window(&self, position: &[f64; 4]) -> [f64; 3] {
        let [x, y, z, w] = *position;
        let coordinates = [x, y, z].map(|coordinate| coordinate / w);
        std::array::from_fn(|i| coordinates[i] * self.scale[i] + self.offset[i])
    }
}

/// Position in clip coordinates.
pub(super) fn position(slots: &Slots) -> [f64; 4] {
    let position = slots.get(POSITION).copied().unwrap_or_default();
    position.map(|bits| f64::from(f32::from_bits(bits)))
}
