//! Primitives that are shaded.

use fixed_function::{Interpolation, SmoothShape};

use crate::draw::window::Slots;

/// A primitive whose fragments are shaded.
pub(crate) struct Primitive<'a> {
    /// Data of the corners.
    pub(crate) corners: [&'a Slots; 3],
    /// Data of the provoking vertex, which flat inputs have.
    pub(crate) flat: &'a Slots,
    /// Layer of the render target.
    pub(crate) layer: u32,
    /// Number of the viewport.
    pub(crate) viewport: u32,
    /// The front is visible.
    pub(crate) is_front: bool,
    /// The primitive is a point, whose corners span its square.
    pub(crate) is_point: bool,
    /// Smooth shape whose coverage of a pixel scales alpha.
    pub(crate) smooth: Option<SmoothShape>,
    /// Interpolation; `None` if all corners have the same data.
    pub(crate) interpolation: Option<Interpolation>,
    /// Limits of depth.
    pub(crate) depths: [f32; 2],
}

impl Primitive<'_> {
    /// Depth of a primitive without interpolation.
    pub(crate) fn flat_depth(&self) -> f32 {
        self.corners[0].get(1).map_or(0.0, |position| f32::from_bits(position[2]))
    }
}
