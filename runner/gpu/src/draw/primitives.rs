//! Primitives of a draw: indices, assembly, the way through the stages.

use rustc_hash::FxHashMap;
use softgl::assemble::{Primitive, PrimitiveMode, ProvokingVertex, assemble};
use softgl::primitive::PrimitiveKind;

use super::command::{Draw, Parameters};
use super::fragment::Fragments;
use super::vertices::Slots;
use crate::error::{Outcome, not_modeled};

/// Topology of rectangles: three vertices each.
const RECTANGLES: u64 = 15;

/// Vertices and primitives that name them.
#[derive(Debug)]
pub(super) struct Assembled {
    pub(super) mode: PrimitiveMode,
    pub(super) vertices: Vec<Slots>,
    pub(super) primitives: Vec<Primitive>,
}

impl Assembled {
    /// Creates an empty list.
    pub(super) fn new(mode: PrimitiveMode) -> Assembled {
        Assembled { mode, vertices: Vec::new(), primitives: Vec::new() }
    }

    /// Number of the provoking vertex in a primitive of a list.
    pub(super) fn provoking(&self, vertices: usize, draw: &Draw<'_>) -> u8 {
        let last = u8::try_from(vertices.saturating_sub(1)).unwrap_or(0);
        if draw.convention(self.mode) == ProvokingVertex::Last { last } else { 0 }
    }
}

/// Mode of a topology, with the number of vertices of a patch; `None` for reserved numbers and
/// rectangles.
pub(super) fn mode_of(topology: u64) -> Option<(PrimitiveMode, u32)> {
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

impl Draw<'_> {
    /// Draws an instance.
    pub(super) fn instance(
        &self,
        fragments: &Fragments<'_>,
        parameters: &Parameters,
        instance: u32,
    ) -> Outcome<()> {
        let (vertices, runs) = self.fetch_all(parameters, instance)?;
        let vertices = self.shade_vertices(vertices)?;
        if parameters.topology == RECTANGLES {
            for corners in runs.iter().flat_map(|run| run.chunks_exact(3)) {
                let corner = |i: usize| &vertices[corners[i] as usize];
                self.rectangle(fragments, [corner(0), corner(1), corner(2)])?;
            }
            return Ok(());
        }
        let Some((mode, patch)) = mode_of(parameters.topology) else {
            return not_modeled(format!("draws of topology {}", parameters.topology));
        };
        let mut assembled = Assembled { mode, vertices, primitives: Vec::new() };
        let mut id = 0;
        for run in runs {
            let count = u32::try_from(run.len()).unwrap_or(0);
            let found = assemble(mode, count, self.convention(mode), patch);
            let next = found.last().map_or(id, |primitive| id + primitive.id + 1);
            for mut primitive in found {
                primitive.vertices.iter_mut().for_each(|vertex| *vertex = run[*vertex as usize]);
                primitive.id += id;
                assembled.primitives.push(primitive);
            }
            id = next;
        }
        self.counts.add_assembled(id);
        if self.tessellates() {
            assembled = self.tessellate(&assembled)?;
        } else if mode == PrimitiveMode::Patches {
            return not_modeled("patches without tessellation");
        }
        let streams = if self.has_geometry() {
            self.shade_geometry(&assembled)?
        } else {
            let mode = assembled.mode;
            for primitive in &mut assembled.primitives {
                *primitive = primitive.without_adjacency(mode);
            }
            [assembled, Assembled::new(mode), Assembled::new(mode), Assembled::new(mode)]
        };
        if let Some(stream) = self.feedback(&streams)? {
            self.rasterize(fragments, &streams[stream])?;
        }
        Ok(())
    }

    /// Rasterizes primitives.
    fn rasterize(&self, fragments: &Fragments<'_>, assembled: &Assembled) -> Outcome<()> {
        self.counts.add_to_clip(assembled.primitives.len());
        if self.rejects_all() {
            return Ok(());
        }
        for primitive in &assembled.primitives {
            self.primitive_id.set(primitive.id);
            let vertex = |i: usize| &assembled.vertices[primitive.vertices[i] as usize];
            let provoking = usize::from(primitive.provoking);
            let flat = vertex(provoking);
            match assembled.mode.kind() {
                PrimitiveKind::Point => self.point(fragments, vertex(0), flat, true)?,
                PrimitiveKind::Line => {
                    self.line(fragments, [vertex(0), vertex(1)], flat, true)?;
                }
                PrimitiveKind::Triangle => {
                    let corners = [vertex(0), vertex(1), vertex(2)];
                    self.triangle(fragments, corners, provoking, primitive.edges)?;
                }
            }
        }
        Ok(())
    }

    /// Fetches the vertices of an instance, each once, and returns them with the runs of their
    /// numbers between cuts.
    fn fetch_all(
        &self,
        parameters: &Parameters,
        instance: u32,
    ) -> Outcome<(Vec<Slots>, Vec<Vec<u32>>)> {
        let instance_id = parameters.first_instance + instance;
        let mut vertices = Vec::new();
        let mut runs = vec![Vec::new()];
        let mut known: FxHashMap<u32, u32> = FxHashMap::default();
        for place in 0..parameters.vertices {
            let Some(index) = self.index(parameters, place)? else {
                runs.push(Vec::new());
                continue;
            };
            self.counts.add_fetched();
            let number = match known.get(&index) {
                Some(number) => *number,
                None => {
                    let number = u32::try_from(vertices.len()).unwrap_or(u32::MAX);
                    vertices.push(self.fetch(index, instance, instance_id)?);
                    known.insert(index, number);
                    number
                }
            };
            if let Some(run) = runs.last_mut() {
                run.push(number);
            }
        }
        Ok((vertices, runs))
    }

    /// Number of the vertex at a place of the draw; `None` for a cut.
    fn index(&self, parameters: &Parameters, place: u32) -> Outcome<Option<u32>> {
        let place = parameters.first_vertex.wrapping_add(place);
        if !parameters.is_indexed {
            return Ok(Some(place));
        }
        let fields = self.fields.index_buffer;
        let words = self.context.packet("3DSTATE_INDEX_BUFFER");
        let bytes = 1_usize << fields.format.get(words).min(2);
        let start = fields.start.get(words) & 0xffff_ffff_ffff;
        let offset = bytes as u64 * u64::from(place);
        let size = match fields.end.exists() {
            true => (fields.end.get(words) + 1).saturating_sub(start),
            false => fields.size.get(words),
        };
        let mut index = [0; 4];
        // Indices behind the end are 0.
        if offset + bytes as u64 <= size {
            self.memory.read(start + offset, &mut index[..bytes])?;
        }
        let index = u32::from_le_bytes(index);
        let largest = u32::MAX >> (32 - 8 * bytes);
        let vf = self.context.packet("3DSTATE_VF");
        let is_cut = match self.fields.cut_index.is_enabled.exists() {
            true => {
                self.fields.cut_index.is_enabled.flag(vf)
                    && index == self.fields.cut_index.index.get_u32(vf)
            }
            false => fields.cuts.flag(words) && index == largest,
        };
        Ok((!is_cut).then(|| index.wrapping_add(parameters.base_vertex)))
    }
}
