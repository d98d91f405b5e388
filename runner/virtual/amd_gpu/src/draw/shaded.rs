//! Primitives that are shaded.

use fixed_function::Interpolation;

use super::vertices::Vertex;

/// A primitive whose fragments are shaded.
pub(super) struct Primitive<'a> {
    /// Exports of the corners.
    pub(super) corners: [&'a Vertex; 3],
    /// Exports of the provoking vertex, which flat inputs have.
    pub(super) flat: &'a Vertex,
    /// Layer of the render target.
    pub(super) layer: u32,
    /// The front is visible.
    pub(super) is_front: bool,
    /// The primitive is a point, whose corners span its square.
    pub(super) is_point: bool,
    pub(super) interpolation: Interpolation,
    /// Limits of depth.
    pub(super) depths: [f32; 2],
}
