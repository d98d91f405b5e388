//! Primitive assembly: from a stream of vertices to points, lines and triangles, with or without
//! adjacency.
//!
//! Vertex orders and provoking vertices follow the OpenGL 4.6 compatibility specification, section
//! 10.1 and table 13.2; see [`Primitive::from_provoking`] for Vulkan's. Quads and polygons become
//! triangles that share the provoking vertex of the whole.

use smallvec::SmallVec;

use crate::primitive::PrimitiveKind;

/// The argument of a draw command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the variants are the names of OpenGL")]
pub enum PrimitiveMode {
    Points,
    Lines,
    LineLoop,
    LineStrip,
    Triangles,
    TriangleStrip,
    TriangleFan,
    Quads,
    QuadStrip,
    Polygon,
    LinesAdjacency,
    LineStripAdjacency,
    TrianglesAdjacency,
    TriangleStripAdjacency,
    Patches,
}

/// Convention that selects the vertex of flat outputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ProvokingVertex {
    /// `GL_FIRST_VERTEX_CONVENTION`.
    First,
    /// `GL_LAST_VERTEX_CONVENTION`, the initial value.
    #[default]
    Last,
}

/// One assembled primitive; vertex numbers count from the first vertex of the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Primitive {
    /// 1, 2 or 3 vertices; 4 or 6 with adjacency; any number for a patch.
    pub vertices: SmallVec<[u32; 6]>,
    /// Index into `vertices` of the provoking one.
    pub provoking: u8,
    /// For triangles: bit i is set if the edge from vertex i to the next is an edge of the polygon
    /// that was drawn (the diagonal of a quad is not).
    pub edges: u8,
    /// `gl_PrimitiveID`: the two halves of a quad share it.
    pub id: u32,
}

impl Primitive {
    fn new(vertices: &[u32], provoking: u8, id: u32) -> Primitive {
        Primitive { vertices: SmallVec::from_slice(vertices), provoking, edges: 0b111, id }
    }

    fn with_edges(mut self, edges: u8) -> Primitive {
        self.edges = edges;
        self
    }

    /// Returns a primitive of OpenGL's first-vertex convention with Vulkan's order of vertices
    /// (1.3, section 21.1): triangles begin with the provoking one.
    #[must_use]
    pub fn from_provoking(mut self, mode: PrimitiveMode) -> Primitive {
        if mode.kind() == PrimitiveKind::Triangle {
            self.vertices = self.around_provoking(false);
            self.provoking = 0;
        }
        self
    }

    /// Vertices in an order that keeps the winding and has the provoking one of a triangle, which
    /// may have adjacent vertices, first or last.
    #[must_use]
    pub fn around_provoking(&self, is_last: bool) -> SmallVec<[u32; 6]> {
        let mut vertices = self.vertices.clone();
        let last = match vertices.len() {
            3 => 2,
            6 => 4,
            _ => return vertices,
        };
        let place = if is_last { last } else { 0 };
        let count = vertices.len();
        vertices.rotate_left((usize::from(self.provoking) + count - place) % count);
        vertices
    }

    /// Drops adjacent vertices: the line or triangle itself, for pipelines without a geometry
    /// stage.
    pub fn without_adjacency(&self, mode: PrimitiveMode) -> Primitive {
        let keep: &[usize] = match mode {
            PrimitiveMode::LinesAdjacency | PrimitiveMode::LineStripAdjacency => &[1, 2],
            PrimitiveMode::TrianglesAdjacency | PrimitiveMode::TriangleStripAdjacency => &[0, 2, 4],
            _ => return self.clone(),
        };
        let vertices: SmallVec<[u32; 6]> = keep.iter().map(|&i| self.vertices[i]).collect();
        let provoking =
            keep.iter().position(|&i| i == usize::from(self.provoking)).unwrap_or(0) as u8;
        Primitive { vertices, provoking, edges: self.edges, id: self.id }
    }
}

impl PrimitiveMode {
    /// Returns the kind of primitive that is rasterized when no geometry or tessellation stage
    /// changes it. Patches count as points.
    pub fn kind(self) -> PrimitiveKind {
        use PrimitiveMode::*;
        match self {
            Points | Patches => PrimitiveKind::Point,
            Lines | LineLoop | LineStrip | LinesAdjacency | LineStripAdjacency => {
                PrimitiveKind::Line
            }
            _ => PrimitiveKind::Triangle,
        }
    }
}

/// Splits `count` vertices into primitives. Incomplete primitives at the end are dropped.
/// `patch_vertices` is the size of a patch.
pub fn assemble(
    mode: PrimitiveMode,
    count: u32,
    convention: ProvokingVertex,
    patch_vertices: u32,
) -> Vec<Primitive> {
    use PrimitiveMode::*;
    let last = convention == ProvokingVertex::Last;
    let pick = |first_index: u8, last_index: u8| if last { last_index } else { first_index };
    match mode {
        Points => (0..count).map(|i| Primitive::new(&[i], 0, i)).collect(),
        Lines => {
            (0..count / 2).map(|i| Primitive::new(&[2 * i, 2 * i + 1], pick(0, 1), i)).collect()
        }
        LineStrip => segments(count).map(|i| Primitive::new(&[i, i + 1], pick(0, 1), i)).collect(),
        LineLoop => {
            let closing =
                (count >= 2).then(|| Primitive::new(&[count - 1, 0], pick(0, 1), count - 1));
            segments(count)
                .map(|i| Primitive::new(&[i, i + 1], pick(0, 1), i))
                .chain(closing)
                .collect()
        }
        Triangles => (0..count / 3)
            .map(|i| Primitive::new(&[3 * i, 3 * i + 1, 3 * i + 2], pick(0, 2), i))
            .collect(),
        TriangleStrip => (0..count.saturating_sub(2)).map(|i| strip_triangle(i, last)).collect(),
        TriangleFan => (0..count.saturating_sub(2))
            .map(|i| Primitive::new(&[0, i + 1, i + 2], pick(1, 2), i))
            .collect(),
        Polygon => polygon(count),
        Quads => (0..count / 4)
            .flat_map(|i| quad([0, 1, 2, 3].map(|k| 4 * i + k), pick(0, 3), i))
            .collect(),
        QuadStrip => (0..(count / 2).saturating_sub(1))
            .flat_map(|i| quad([2 * i, 2 * i + 1, 2 * i + 3, 2 * i + 2], pick(0, 2), i))
            .collect(),
        LinesAdjacency => (0..count / 4)
            .map(|i| Primitive::new(&[0, 1, 2, 3].map(|k| 4 * i + k), pick(1, 2), i))
            .collect(),
        LineStripAdjacency => (0..count.saturating_sub(3))
            .map(|i| Primitive::new(&[0, 1, 2, 3].map(|k| i + k), pick(1, 2), i))
            .collect(),
        TrianglesAdjacency => (0..count / 6)
            .map(|i| Primitive::new(&[0, 1, 2, 3, 4, 5].map(|k| 6 * i + k), pick(0, 4), i))
            .collect(),
        TriangleStripAdjacency => strip_adjacency(count, last),
        Patches => patches(count, patch_vertices),
    }
}

fn segments(count: u32) -> std::ops::Range<u32> {
    0..count.saturating_sub(1)
}

/// Returns triangle `i` of a strip: odd ones swap their first two vertices, which keeps the
/// winding.
fn strip_triangle(i: u32, last: bool) -> Primitive {
    let odd = i % 2 == 1;
    let vertices = if odd { [i + 1, i, i + 2] } else { [i, i + 1, i + 2] };
    let provoking = if last { 2 } else { u8::from(odd) };
    Primitive::new(&vertices, provoking, i)
}

/// Splits a polygon into triangles. Its provoking vertex is the first one in both conventions.
fn polygon(count: u32) -> Vec<Primitive> {
    let triangles = count.saturating_sub(2);
    (0..triangles)
        .map(|i| {
            let edges = 0b010 | u8::from(i == 0) | (u8::from(i + 1 == triangles) << 2);
            Primitive::new(&[0, i + 1, i + 2], 0, 0).with_edges(edges)
        })
        .collect()
}

/// Splits a quad along the diagonal through its provoking corner.
fn quad(corners: [u32; 4], provoking: u8, id: u32) -> [Primitive; 2] {
    let corner = |k: u8| corners[usize::from((provoking + k) % 4)];
    [
        Primitive::new(&[corner(0), corner(1), corner(2)], 0, id).with_edges(0b011),
        Primitive::new(&[corner(0), corner(2), corner(3)], 0, id).with_edges(0b110),
    ]
}

/// Returns the triangles of a strip with adjacency, in the vertex order of table 10.1 (first, last
/// and middle ones differ).
fn strip_adjacency(count: u32, last: bool) -> Vec<Primitive> {
    let triangles = (count / 2).saturating_sub(2);
    (0..triangles)
        .map(|i| {
            let v = 2 * i;
            let (first, end, odd) = (i == 0, i + 1 == triangles, i % 2 == 1);
            let before = if first { v + 1 } else { v.saturating_sub(2) };
            let after = if end { v + 5 } else { v + 6 };
            let vertices = if odd {
                [v + 2, before, v, v + 3, v + 4, after]
            } else {
                [v, before, v + 2, after, v + 4, v + 3]
            };
            let provoking = match (last, odd) {
                (true, _) => 4,
                (false, true) => 2,
                (false, false) => 0,
            };
            Primitive::new(&vertices, provoking, i)
        })
        .collect()
}

fn patches(count: u32, patch_vertices: u32) -> Vec<Primitive> {
    if patch_vertices == 0 {
        return Vec::new();
    }
    (0..count / patch_vertices)
        .map(|i| Primitive {
            vertices: (i * patch_vertices..(i + 1) * patch_vertices).collect(),
            provoking: 0,
            edges: 0,
            id: i,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lists(mode: PrimitiveMode, count: u32, convention: ProvokingVertex) -> Vec<(Vec<u32>, u32)> {
        assemble(mode, count, convention, 3)
            .into_iter()
            .map(|p| (p.vertices.to_vec(), p.vertices[usize::from(p.provoking)]))
            .collect()
    }

    /// Table 13.2, with our vertices counted from 0 and i from 0.
    #[test]
    fn provoking_vertices_follow_the_table() {
        use PrimitiveMode::*;
        type Rule = fn(u32) -> u32;
        let rows: [(PrimitiveMode, u32, Rule, Rule); 13] = [
            (Points, 3, |i| i, |i| i),
            (Lines, 6, |i| 2 * i, |i| 2 * i + 1),
            (LineStrip, 5, |i| i, |i| i + 1),
            (LineLoop, 4, |i| i, |i| (i + 1) % 4),
            (Triangles, 9, |i| 3 * i, |i| 3 * i + 2),
            (TriangleStrip, 7, |i| i, |i| i + 2),
            (TriangleFan, 6, |i| i + 1, |i| i + 2),
            (Polygon, 6, |_| 0, |_| 0),
            (LinesAdjacency, 8, |i| 4 * i + 1, |i| 4 * i + 2),
            (LineStripAdjacency, 7, |i| i + 1, |i| i + 2),
            (TrianglesAdjacency, 12, |i| 6 * i, |i| 6 * i + 4),
            (TriangleStripAdjacency, 12, |i| 2 * i, |i| 2 * i + 4),
            (Patches, 6, |i| 3 * i, |i| 3 * i),
        ];
        for (mode, count, first, last) in rows {
            for (i, (_, provoking)) in lists(mode, count, ProvokingVertex::First).iter().enumerate()
            {
                assert_eq!(*provoking, first(i as u32), "{mode:?} {i} first");
            }
            for (i, (_, provoking)) in lists(mode, count, ProvokingVertex::Last).iter().enumerate()
            {
                assert_eq!(*provoking, last(i as u32), "{mode:?} {i} last");
            }
        }
        for (half, (_, provoking)) in lists(Quads, 8, ProvokingVertex::Last).iter().enumerate() {
            assert_eq!(*provoking, 4 * (half as u32 / 2) + 3);
        }
        for (half, (_, provoking)) in lists(QuadStrip, 8, ProvokingVertex::Last).iter().enumerate()
        {
            assert_eq!(*provoking, 2 * (half as u32 / 2) + 3);
        }
    }

    #[test]
    fn incomplete_primitives_are_dropped() {
        use PrimitiveMode::*;
        for (mode, count, expected) in [
            (Lines, 1, 0),
            (Lines, 5, 2),
            (LineStrip, 1, 0),
            (LineLoop, 1, 0),
            (LineLoop, 2, 2),
            (Triangles, 8, 2),
            (TriangleStrip, 2, 0),
            (TriangleFan, 2, 0),
            (Quads, 7, 2),
            (QuadStrip, 3, 0),
            (QuadStrip, 5, 2),
            (TriangleStripAdjacency, 6, 1),
            (TriangleStripAdjacency, 5, 0),
            (TrianglesAdjacency, 11, 1),
            (Patches, 8, 2),
        ] {
            assert_eq!(
                lists(mode, count, ProvokingVertex::Last).len(),
                expected,
                "{mode:?} {count}"
            );
        }
    }

    #[test]
    fn strips_keep_their_winding() {
        assert_eq!(
            lists(PrimitiveMode::TriangleStrip, 5, ProvokingVertex::Last),
            [(vec![0, 1, 2], 2), (vec![2, 1, 3], 3), (vec![2, 3, 4], 4)]
        );
    }

    /// Table 10.1 of the specification for a strip of four triangles (vertices there count from 1).
    #[test]
    fn strip_adjacency_follows_the_table() {
        let got: Vec<Vec<u32>> =
            lists(PrimitiveMode::TriangleStripAdjacency, 12, ProvokingVertex::Last)
                .into_iter()
                .map(|p| p.0)
                .collect();
        let expected: [[u32; 6]; 4] =
            [[1, 2, 3, 7, 5, 4], [5, 1, 3, 6, 7, 9], [5, 3, 7, 11, 9, 8], [9, 5, 7, 10, 11, 12]];
        for (got, expected) in got.iter().zip(expected) {
            assert_eq!(got[..], expected.map(|v| v - 1));
        }
        let only = lists(PrimitiveMode::TriangleStripAdjacency, 6, ProvokingVertex::Last);
        assert_eq!(only[0].0[..], [1, 2, 3, 6, 5, 4].map(|v| v - 1));
    }

    /// Vulkan 1.3, sections 21.1.5, 21.1.6 and table 33.
    #[test]
    fn triangles_of_vulkan_begin_with_the_provoking_vertex() {
        let of = |mode, count| -> Vec<Vec<u32>> {
            let all = assemble(mode, count, ProvokingVertex::First, 1).into_iter();
            all.map(|p| p.from_provoking(mode).vertices.to_vec()).collect()
        };
        assert_eq!(of(PrimitiveMode::TriangleStrip, 5), [[0, 1, 2], [1, 3, 2], [2, 3, 4]]);
        assert_eq!(of(PrimitiveMode::TriangleFan, 5), [[1, 2, 0], [2, 3, 0], [3, 4, 0]]);
        assert_eq!(
            of(PrimitiveMode::TriangleStripAdjacency, 10),
            [[0, 1, 2, 6, 4, 3], [2, 5, 6, 8, 4, 0], [4, 2, 6, 9, 8, 7]]
        );
        assert_eq!(of(PrimitiveMode::LinesAdjacency, 4), [[0, 1, 2, 3]]);
    }

    #[test]
    fn orders_around_the_provoking_vertex() {
        let of = |mode, count, convention| -> Vec<Vec<u32>> {
            let is_last = convention == ProvokingVertex::Last;
            let all = assemble(mode, count, convention, 1).into_iter();
            all.map(|p| p.around_provoking(is_last).to_vec()).collect()
        };
        use PrimitiveMode::*;
        use ProvokingVertex::*;
        assert_eq!(of(TriangleStrip, 4, First), [[0, 1, 2], [1, 3, 2]]);
        assert_eq!(of(TriangleStrip, 4, Last), [[0, 1, 2], [2, 1, 3]]);
        assert_eq!(of(Quads, 4, Last), [[0, 1, 3], [1, 2, 3]]);
        assert_eq!(
            of(TriangleStripAdjacency, 10, Last)[1..],
            [[4, 0, 2, 5, 6, 8], [4, 2, 6, 9, 8, 7]]
        );
        assert_eq!(of(LinesAdjacency, 4, First), [[0, 1, 2, 3]]);
    }

    #[test]
    fn quads_cover_four_edges() {
        let halves = assemble(PrimitiveMode::Quads, 4, ProvokingVertex::Last, 3);
        let edges: Vec<(u32, u32)> = halves
            .iter()
            .flat_map(|p| {
                (0..3)
                    .filter(|i| p.edges >> i & 1 == 1)
                    .map(|i| (p.vertices[i], p.vertices[(i + 1) % 3]))
            })
            .collect();
        assert_eq!(edges, [(3, 0), (0, 1), (1, 2), (2, 3)]);
    }

    #[test]
    fn adjacency_is_removed() {
        let lines = assemble(PrimitiveMode::LinesAdjacency, 4, ProvokingVertex::Last, 3);
        let line = lines[0].without_adjacency(PrimitiveMode::LinesAdjacency);
        assert_eq!((line.vertices.as_slice(), line.provoking), (&[1, 2][..], 1));
        let triangles = assemble(PrimitiveMode::TrianglesAdjacency, 6, ProvokingVertex::Last, 3);
        let triangle = triangles[0].without_adjacency(PrimitiveMode::TrianglesAdjacency);
        assert_eq!((triangle.vertices.as_slice(), triangle.provoking), (&[0, 2, 4][..], 2));
    }
}
