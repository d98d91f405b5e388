//! Primitives that are shaded, and the pixels of their threads.

use crate::draw::coverage::interpolation::Interpolation;
use crate::draw::coverage::shape::SmoothShape;
use crate::draw::window::Slots;

/// Four pixels of which some are drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quad {
    /// Left column.
    pub(crate) x: u32,
    /// Upper row.
    pub(crate) y: u32,
    /// Covered samples of the pixels: upper left, upper right, lower left, lower right.
    pub(crate) samples: [u16; 4],
}

/// Four channels of a thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QuadSlot {
    pub(crate) quad: Quad,
    /// Sample that the channels shade; `None` if they shade whole pixels.
    pub(crate) sample: Option<u32>,
}

impl QuadSlot {
    /// Samples of a pixel that a write reaches.
    pub(crate) fn covered(&self, pixel: usize) -> u16 {
        let all = self.quad.samples[pixel];
        self.sample.map_or(all, |sample| all & 1 << sample)
    }

    /// Column and row of a pixel.
    pub(crate) fn pixel(&self, pixel: usize) -> (u32, u32) {
        let pixel = u32::try_from(pixel).unwrap_or(0);
        (self.quad.x + (pixel & 1), self.quad.y + (pixel >> 1))
    }
}

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
