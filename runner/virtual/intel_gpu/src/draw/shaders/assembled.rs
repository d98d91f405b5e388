//! Primitives on their way through the stages.

use raster::assemble::{Primitive, PrimitiveMode, ProvokingVertex};

use crate::draw::command::Draw;
use crate::draw::window::Slots;

/// Vertices and primitives that name them.
#[derive(Debug)]
pub(crate) struct Assembled {
    pub(crate) mode: PrimitiveMode,
    pub(crate) vertices: Vec<Slots>,
    pub(crate) primitives: Vec<Primitive>,
}

impl Assembled {
    /// Creates an empty list.
    pub(crate) fn new(mode: PrimitiveMode) -> Assembled {
        Assembled { mode, vertices: Vec::new(), primitives: Vec::new() }
    }

    /// Number of the provoking vertex in a primitive of a list.
    pub(crate) fn provoking(&self, vertices: usize, draw: &Draw<'_>) -> u8 {
        let last = u8::try_from(vertices.saturating_sub(1)).unwrap_or(0);
        if draw.state.raster.convention(self.mode) == ProvokingVertex::Last { last } else { 0 }
    }
}

/// Mode of a topology, with the number of vertices of a patch; `None` for reserved numbers and
/// rectangles.
pub(crate) fn mode_of(topology: u64) -> Option<(PrimitiveMode, u32)> {
    let mode = match topology {
        1 => PrimitiveMode::Points,
        2 => PrimitiveMode::Lines,
        3 => PrimitiveMode::LineStrip,
        4 => PrimitiveMode::Triangles,
        5 => PrimitiveMode::TriangleStrip,
        6 => PrimitiveMode::TriangleFan,
        7 => PrimitiveMode::Quads,
        8 => PrimitiveMode::QuadStrip,
        9 => PrimitiveMode::LinesAdjacency,
        10 => PrimitiveMode::LineStripAdjacency,
        11 => PrimitiveMode::TrianglesAdjacency,
        12 => PrimitiveMode::TriangleStripAdjacency,
        14 => PrimitiveMode::Polygon,
        16 => PrimitiveMode::LineLoop,
        patches @ 32..=63 => {
            return Some((PrimitiveMode::Patches, u32::try_from(patches - 31).ok()?));
        }
        _ => return None,
    };
    Some((mode, 0))
}
