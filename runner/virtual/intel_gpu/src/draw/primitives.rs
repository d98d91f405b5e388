//! Primitives of a draw: indices, assembly, the way through the stages.

use gpu_service::{Outcome, not_modeled};
use raster::assemble::{PrimitiveMode, assemble};
use raster::primitive::PrimitiveKind;
use rustc_hash::FxHashMap;

use super::command::{Draw, Parameters};
use super::fragment::shade::Fragments;
use super::shaders::assembled::{Assembled, mode_of};
use super::state::vertices::IndexState;
use super::vertices::Fetched;
use super::window::Slots;

/// Topology of rectangles: three vertices each.
pub(super) const RECTANGLES: u64 = 15;

/// Vertices of an instance.
#[derive(Debug, Default)]
struct AllFetched {
    /// Data, each vertex once.
    vertices: Vec<Slots>,
    /// Edge flags of the vertices.
    edges: Vec<bool>,
    /// Numbers of the vertices between cuts.
    runs: Vec<Vec<u32>>,
}

/// True if edge flags select the edges of a mode's polygons. Strips and fans show all edges.
fn has_edge_flags(mode: PrimitiveMode) -> bool {
    matches!(mode, PrimitiveMode::Triangles | PrimitiveMode::Quads | PrimitiveMode::Polygon)
}

impl Draw<'_> {
    /// Draws an instance.
    pub(super) fn instance(
        &self,
        fragments: &Fragments<'_>,
        parameters: &Parameters,
        instance: u32,
    ) -> Outcome<()> {
        let AllFetched { vertices, edges, runs } = self.fetch_all(parameters, instance)?;
        let vertices = self.shade_vertices(vertices)?;
        if parameters.topology == RECTANGLES {
            for corners in runs.iter().flat_map(|run| run.chunks_exact(3)) {
                let corner = |i: usize| &vertices[corners[i] as usize];
                self.rectangle(fragments, [corner(0), corner(1), corner(2)])?;
            }
            return Ok(());
        }
        if self.state.special.is_some() {
            return not_modeled("clears and resolves other than by rectangles");
        }
        let Some((mode, patch)) = mode_of(parameters.topology) else {
            return not_modeled(format!("draws of topology {}", parameters.topology));
        };
        let mut assembled = Assembled { mode, vertices, primitives: Vec::new() };
        let mut id = 0;
        for run in runs {
            let count = u32::try_from(run.len()).unwrap_or(0);
            let found = assemble(mode, count, self.state.raster.convention(mode), patch);
            let next = found.last().map_or(id, |primitive| id + primitive.id + 1);
            for mut primitive in found {
                primitive.vertices.iter_mut().for_each(|vertex| *vertex = run[*vertex as usize]);
                primitive.id += id;
                if has_edge_flags(mode) {
                    let flags = primitive.vertices.iter().enumerate();
                    primitive.edges &= flags
                        .fold(0, |all, (i, vertex)| all | u8::from(edges[*vertex as usize]) << i);
                }
                assembled.primitives.push(primitive);
            }
            id = next;
        }
        self.counts.add_assembled(id);
        if let Some(tessellation) = &self.state.stages.tessellation {
            assembled = self.tessellate(tessellation, &assembled)?;
        } else if mode == PrimitiveMode::Patches {
            return not_modeled("patches without tessellation");
        }
        let streams = if self.state.stages.has_geometry {
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
        if self.state.clip.rejects_all() {
            return Ok(());
        }
        let mut last_end = None;
        for primitive in &assembled.primitives {
            // The stipple goes on along the segments of a strip.
            let (start, end) = (primitive.vertices.first(), primitive.vertices.get(1));
            if assembled.mode == PrimitiveMode::Lines || last_end != start {
                self.stippled.set(0);
            }
            last_end = end;
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

    /// Fetches the vertices of an instance, each once.
    fn fetch_all(&self, parameters: &Parameters, instance: u32) -> Outcome<AllFetched> {
        let mut all = AllFetched { runs: vec![Vec::new()], ..AllFetched::default() };
        let mut known: FxHashMap<u32, u32> = FxHashMap::default();
        let added = if parameters.is_indexed { parameters.base_vertex } else { 0 };
        for place in 0..parameters.vertices {
            let Some(read) = self.index(parameters, place)? else {
                all.runs.push(Vec::new());
                continue;
            };
            self.counts.add_fetched();
            let index = read.wrapping_add(added);
            let number = match known.get(&index) {
                Some(number) => *number,
                None => {
                    let number = u32::try_from(all.vertices.len()).unwrap_or(u32::MAX);
                    let vertex = self.fetch(Fetched {
                        index,
                        id: if parameters.is_indexed { read } else { place },
                        instance,
                        first_instance: parameters.first_instance,
                    })?;
                    all.vertices.push(vertex.slots);
                    all.edges.push(vertex.is_edge);
                    known.insert(index, number);
                    number
                }
            };
            if let Some(run) = all.runs.last_mut() {
                run.push(number);
            }
        }
        Ok(all)
    }

    /// Number of the vertex at a place of the draw, before the base vertex is added; `None` for a
    /// cut.
    fn index(&self, parameters: &Parameters, place: u32) -> Outcome<Option<u32>> {
        let place = parameters.first_vertex.wrapping_add(place);
        if !parameters.is_indexed {
            return Ok(Some(place));
        }
        let IndexState { bytes, start, size, cut } = self.state.vertices.indices;
        let offset = bytes as u64 * u64::from(place);
        let mut index = [0; 4];
        // Indices after the end are 0.
        if offset + bytes as u64 <= size {
            self.memory.read(start + offset, &mut index[..bytes])?;
        }
        let index = u32::from_le_bytes(index);
        Ok((cut != Some(index)).then_some(index))
    }
}
