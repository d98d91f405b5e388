//! Draws: from packets and registers to pixels in memory.

mod call;
mod color;
mod color_metadata;
mod coverage;
mod depth;
mod depth_metadata;
mod feedback;
mod flood;
mod fragment;
mod geometry;
mod inputs;
mod primitive;
mod readback;
mod shaded;
mod tessellation;
mod uniform;
mod vertices;
mod window;

use std::cell::Cell;

use gpu_service::{Outcome, not_modeled, vertex_count};
use packets::Memory;
use raster::assemble::{Primitive, PrimitiveMode, ProvokingVertex, assemble};
use raster::primitive::PrimitiveKind;
use smallvec::SmallVec;

use crate::context::Context;
use crate::hardware::Hardware;
use crate::state::HardwareStage;
use crate::statistics::Count;
use call::{Assembled, Draw};
pub(crate) use call::{DrawCall, Indices};
use color::Colors;
use fragment::Fragments;

/// Topology of rectangles of three corners.
const RECTANGLES: u32 = 17;

/// Executes a draw.
pub(crate) fn draw(
    hardware: &Hardware,
    memory: &dyn Memory,
    context: &mut Context,
    call: &DrawCall,
) -> Outcome<()> {
    if call.vertices == 0 || call.instances == 0 {
        return Ok(());
    }
    vertex_count(call.vertices as usize)?;
    let draw = Draw::of(hardware, memory, context);
    let fragments = Fragments::load(&draw)?;
    for instance in 0..call.instances {
        hardware.guard.check()?;
        draw.instance(&fragments, call, instance)?;
    }
    drop(fragments);
    let passed = draw.passed.get();
    let statistics = draw.statistics.get();
    (context.filled, context.primitives) = (draw.filled.get(), draw.primitives.get());
    context.statistics = statistics;
    context.passed_samples = context.passed_samples.wrapping_add(passed);
    Ok(())
}

/// Colors of the first target of the last draw: rows of texels, bits of floats or integers; `None`
/// if it had no target. Cleared tiles of the target become expanded.
pub(crate) fn target_colors(
    hardware: &Hardware,
    memory: &dyn Memory,
    context: &Context,
    size: (u32, u32),
) -> Outcome<Option<Vec<[u32; 4]>>> {
    let draw = Draw::of(hardware, memory, context);
    Colors::load(&draw)?.read(size)
}

/// Primitive mode of a topology.
fn mode_of(topology: u32) -> Option<PrimitiveMode> {
    Some(match topology {
        1 => PrimitiveMode::Points,
        2 => PrimitiveMode::Lines,
        3 => PrimitiveMode::LineStrip,
        4 => PrimitiveMode::Triangles,
        5 => PrimitiveMode::TriangleFan,
        6 => PrimitiveMode::TriangleStrip,
        9 => PrimitiveMode::Patches,
        10 => PrimitiveMode::LinesAdjacency,
        11 => PrimitiveMode::LineStripAdjacency,
        12 => PrimitiveMode::TrianglesAdjacency,
        13 => PrimitiveMode::TriangleStripAdjacency,
        18 => PrimitiveMode::LineLoop,
        19 => PrimitiveMode::Quads,
        20 => PrimitiveMode::QuadStrip,
        21 => PrimitiveMode::Polygon,
        _ => return None,
    })
}

impl<'a> Draw<'a> {
    /// A draw with the state of a context.
    fn of(hardware: &'a Hardware, memory: &'a dyn Memory, context: &'a Context) -> Draw<'a> {
        Draw {
            hardware,
            memory,
            registers: &context.registers,
            passed: Cell::new(0),
            statistics: Cell::new(context.statistics),
            filled: Cell::new(context.filled),
            primitives: Cell::new(context.primitives),
            stippled: Cell::new(0),
        }
    }

    /// Draws an instance.
    fn instance(&self, fragments: &Fragments<'_>, call: &DrawCall, instance: u32) -> Outcome<()> {
        let fields = &self.fields().vertex;
        let topology = fields.topology.get(self.registers);
        let is_rectangle = topology == RECTANGLES;
        let mode = if is_rectangle { Some(PrimitiveMode::Triangles) } else { mode_of(topology) };
        let Some(mode) = mode else {
            return not_modeled(format!("draws of topology {topology}"));
        };
        let fetched = self.fetch(call)?;
        let has_geometry = fields.geometry_stage.flag(self.registers);
        let has_tessellation = fields.hull_stage.flag(self.registers);
        if has_tessellation != (mode == PrimitiveMode::Patches) {
            return not_modeled("patches without tessellation, or tessellation without patches");
        }
        let mut primitives = self.assemble(mode, &fetched.runs)?;
        if !has_geometry {
            primitives.iter_mut().for_each(|p| *p = p.without_adjacency(mode));
        }
        self.count(Count::InputPrimitives, primitives.len());
        self.count(Count::InputVertices, fetched.runs.iter().map(Vec::len).sum());
        let mut indices = fetched.indices;
        let is_direct = !has_geometry && !has_tessellation;
        if fields.has_primitive_id.flag(self.registers) && is_direct {
            // Vertices have the number of their primitive: none is shared.
            let mut own = Vec::new();
            for primitive in &mut primitives {
                for vertex in &mut primitive.vertices {
                    own.push((indices[*vertex as usize].0, primitive.id));
                    *vertex = vertex_count(own.len())? - 1;
                }
            }
            indices = own;
        }
        let rate = fields.step_rate.get(self.registers).max(1);
        let input =
            |(index, primitive): &(u32, u32)| [*index, instance / rate, *primitive, instance];
        let inputs = indices.iter().map(input).collect();
        let assembled = Assembled { mode, inputs, primitives, is_rectangle };
        if has_tessellation {
            return self.tessellate(fragments, &assembled);
        }
        self.shade_primitives(fragments, &assembled)
    }

    /// Runs the geometry shader, if there is one, and the stages after it.
    fn shade_primitives(&self, fragments: &Fragments<'_>, assembled: &Assembled) -> Outcome<()> {
        match self.fields().vertex.geometry_stage.flag(self.registers) {
            true => self.shade_geometry(fragments, assembled),
            false => self.finish(fragments, assembled, 0),
        }
    }

    /// Vertices of a primitive in the order of stream output and of geometry shaders: triangles
    /// begin or end with the provoking one.
    fn order(&self, primitive: &Primitive) -> SmallVec<[u32; 6]> {
        primitive.around_provoking(self.fields().raster.last_provokes.flag(self.registers))
    }

    /// Assembles primitives of runs of vertices.
    fn assemble(&self, mode: PrimitiveMode, runs: &[Vec<u32>]) -> Outcome<Vec<Primitive>> {
        let convention = match self.fields().raster.last_provokes.flag(self.registers) {
            true => ProvokingVertex::Last,
            false => ProvokingVertex::First,
        };
        let patch = self.fields().tessellation.inputs.get(self.registers);
        let mut primitives = Vec::new();
        let mut id = 0;
        for run in runs {
            let count = vertex_count(run.len())?;
            let found = assemble(mode, count, convention, patch);
            let next = found.last().map_or(id, |primitive| id + primitive.id + 1);
            for mut primitive in found {
                primitive.vertices.iter_mut().for_each(|vertex| *vertex = run[*vertex as usize]);
                primitive.id += id;
                primitives.push(primitive);
            }
            id = next;
        }
        Ok(primitives)
    }

    /// Runs the last stage before the primitives, with its stream output, and draws them.
    fn finish(&self, fragments: &Fragments<'_>, assembled: &Assembled, stream: u32) -> Outcome<()> {
        let fields = &self.fields().vertex;
        let rasterized = fields.rasterized_stream.get(self.registers);
        let (vertices, primitives) = match self.feedback(assembled, stream)? {
            Some(found) => found,
            None if stream == rasterized => {
                let system = self.vertex_system(None);
                let vertices =
                    self.shade_vertices(HardwareStage::Vs, &assembled.inputs, &system)?;
                (vertices, assembled.primitives.clone())
            }
            None => return Ok(()),
        };
        if stream != rasterized {
            return Ok(());
        }
        self.count(Count::ClipperInvocations, primitives.len());
        let kind = assembled.mode.kind();
        let mut previous = None;
        // Those before stream output share vertices.
        for (primitive, shared) in primitives.iter().zip(&assembled.primitives) {
            if self.resets_stipple(kind, previous, shared) {
                self.stippled.set(0);
            }
            previous = Some(shared);
            let vertex = |i: usize| &vertices[primitive.vertices[i] as usize];
            let provoking = usize::from(primitive.provoking);
            match kind {
                _ if assembled.is_rectangle => {
                    self.rectangle(fragments, [vertex(0), vertex(1), vertex(2)])?;
                }
                PrimitiveKind::Point => self.point(fragments, vertex(0), vertex(0), true)?,
                PrimitiveKind::Line => {
                    self.line(fragments, [vertex(0), vertex(1)], vertex(provoking), true)?;
                }
                PrimitiveKind::Triangle => {
                    let corners = [vertex(0), vertex(1), vertex(2)];
                    self.triangle(fragments, corners, provoking, primitive.edges)?;
                }
            }
        }
        Ok(())
    }
}
