//! Vertices and primitives between the stages of a draw.

use smallvec::SmallVec;

use crate::assemble::Primitive;
use crate::primitive::PrimitiveKind;

/// Vertices that went through the vertex stages: `slots * 4` words each.
#[derive(Clone, Debug, Default)]
pub(super) struct ShadedVertices {
    pub(super) stride: usize,
    pub(super) words: Vec<u32>,
}

impl ShadedVertices {
    pub(super) fn get(&self, index: u32) -> &[u32] {
        self.words.get(index as usize * self.stride..).and_then(|w| w.get(..self.stride)).unwrap_or(&[])
    }
}

/// A primitive on its way into the geometry stage: shaded vertices and `gl_PrimitiveIDIn`.
pub(super) struct InputPrimitive {
    pub(super) vertices: SmallVec<[u32; 6]>,
    pub(super) id: u32,
}

/// A primitive the tessellator generated, with its provoking vertex.
pub(super) struct GeneratedPrimitive {
    pub(super) input: InputPrimitive,
    pub(super) provoking: u8,
}

/// A primitive after the last vertex stage.
#[derive(Clone, Copy, Debug)]
pub(super) struct FinalPrimitive {
    pub(super) kind: PrimitiveKind,
    /// Vertices; unused ones repeat the first.
    pub(super) vertices: [u32; 3],
    pub(super) provoking: usize,
    pub(super) edges: u8,
    pub(super) id: u32,
}

impl FinalPrimitive {
    pub(super) fn generated(primitive: &GeneratedPrimitive) -> FinalPrimitive {
        let vertices = &primitive.input.vertices;
        let numbers: SmallVec<[u32; 6]> = (0..vertices.len() as u32).collect();
        let template = Primitive {
            vertices: numbers,
            provoking: primitive.provoking,
            edges: 0b111,
            id: primitive.input.id,
        };
        FinalPrimitive::new(&template, vertices)
    }

    pub(super) fn new(primitive: &Primitive, order: &[u32]) -> FinalPrimitive {
        let vertex = |i: usize| {
            let index = primitive.vertices.get(i).unwrap_or(&primitive.vertices[0]);
            order.get(*index as usize).copied().unwrap_or(0)
        };
        FinalPrimitive {
            kind: match primitive.vertices.len() {
                1 => PrimitiveKind::Point,
                2 => PrimitiveKind::Line,
                _ => PrimitiveKind::Triangle,
            },
            vertices: [vertex(0), vertex(1), vertex(2)],
            provoking: usize::from(primitive.provoking),
            edges: primitive.edges,
            id: primitive.id,
        }
    }
}
