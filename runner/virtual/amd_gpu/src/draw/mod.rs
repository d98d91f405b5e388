//! Draws: from packets and registers to pixels in memory.

mod call;
mod color;
mod coverage;
mod depth;
mod fragment;
mod inputs;
mod primitive;
mod shaded;
mod vertices;
mod window;

use std::cell::Cell;

use gpu_service::{Outcome, not_modeled, vertex_count};
use packets::Memory;
use raster::assemble::{PrimitiveMode, ProvokingVertex, assemble};
use raster::primitive::PrimitiveKind;

use crate::context::Context;
use crate::hardware::Hardware;
use call::Draw;
pub(crate) use call::{DrawCall, Indices};
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
    let draw = Draw { hardware, memory, registers: &context.registers, passed: Cell::new(0) };
    draw.check()?;
    let fragments = Fragments::load(&draw)?;
    for instance in 0..call.instances {
        hardware.guard.check()?;
        draw.instance(&fragments, call, instance)?;
    }
    drop(fragments);
    let passed = draw.passed.get();
    context.passed_samples = context.passed_samples.wrapping_add(passed);
    Ok(())
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

impl Draw<'_> {
    /// Refuses draws whose state is not modeled.
    fn check(&self) -> Outcome<()> {
        let fields = &self.fields().vertex;
        let stages = [fields.local_stage, fields.hull_stage, fields.export_stage];
        let stages = stages.into_iter().chain([fields.geometry_stage, fields.vertex_stage]);
        for (stage, name) in stages.zip(["LS", "HS", "ES", "GS", "a copy or evaluation shader"]) {
            if stage.flag(self.registers) {
                return not_modeled(format!("draws with {name}"));
            }
        }
        if fields.streams.flag(self.registers) {
            return not_modeled("stream output");
        }
        Ok(())
    }

    /// Draws an instance.
    fn instance(&self, fragments: &Fragments<'_>, call: &DrawCall, instance: u32) -> Outcome<()> {
        let fields = &self.fields().vertex;
        let topology = fields.topology.get(self.registers);
        let fetched = self.fetch(call)?;
        let has_primitive_id = fields.has_primitive_id.flag(self.registers);
        let mode =
            if topology == RECTANGLES { Some(PrimitiveMode::Triangles) } else { mode_of(topology) };
        let Some(mode) = mode else {
            return not_modeled(format!("draws of topology {topology}"));
        };
        let convention = match self.fields().raster.last_provokes.flag(self.registers) {
            true => ProvokingVertex::Last,
            false => ProvokingVertex::First,
        };
        let mut primitives = Vec::new();
        let mut id = 0;
        for run in &fetched.runs {
            let count = vertex_count(run.len())?;
            let found = assemble(mode, count, convention, 0);
            let next = found.last().map_or(id, |primitive| id + primitive.id + 1);
            for mut primitive in found {
                primitive = primitive.without_adjacency(mode);
                primitive.vertices.iter_mut().for_each(|vertex| *vertex = run[*vertex as usize]);
                primitive.id += id;
                primitives.push(primitive);
            }
            id = next;
        }
        let mut indices = fetched.indices;
        if has_primitive_id {
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
        let vertices = self.shade_vertices(&indices, instance)?;
        for primitive in &primitives {
            let vertex = |i: usize| &vertices[primitive.vertices[i] as usize];
            let provoking = usize::from(primitive.provoking);
            match mode.kind() {
                _ if topology == RECTANGLES => {
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
