//! Stream output: the last stage before the primitives stores its vertices itself, told where.

use gcn_simulator::LANES;
use gpu_service::Outcome;
use raster::assemble::Primitive;
use raster::primitive::PrimitiveKind;

use super::call::{Assembled, Draw};
use super::vertices::Vertex;
use crate::state::HardwareStage;

impl Draw<'_> {
    /// Runs the last stage for primitives whose vertices are stored. Returns the vertices, of which
    /// no two primitives share one; `None` if nothing is stored.
    pub(super) fn feedback(
        &self,
        assembled: &Assembled,
        stream: u32,
    ) -> Outcome<Option<(Vec<Vertex>, Vec<Primitive>)>> {
        let (fields, registers) = (&self.fields().vertex, self.registers);
        let mut counts = self.primitives.get();
        counts[stream as usize & 3][1] += assembled.primitives.len() as u64;
        self.primitives.set(counts);
        let stage = self.fields().stages[HardwareStage::Vs as usize];
        let is_enabled = fields.streams.word(registers) >> stream & 1 != 0;
        if !is_enabled || !stage.streams.flag(registers) {
            return Ok(None);
        }
        let corners = match assembled.mode.kind() {
            PrimitiveKind::Point => 1,
            PrimitiveKind::Line => 2,
            PrimitiveKind::Triangle => 3,
        };
        let mut vertices = Vec::new();
        let mut primitives = Vec::new();
        for group in assembled.primitives.chunks(LANES / corners) {
            let written = self.room(stream, corners as u32).min(group.len() as u32);
            let mut inputs = Vec::new();
            for primitive in group {
                let mut own = primitive.clone();
                let order = self.order(primitive);
                let first = vertices.len() + inputs.len();
                inputs.extend(order.iter().map(|vertex| assembled.inputs[*vertex as usize]));
                for vertex in &mut own.vertices {
                    let place = order.iter().position(|other| *other == *vertex).unwrap_or(0);
                    *vertex = (first + place) as u32;
                }
                primitives.push(own);
            }
            let count = written * corners as u32;
            let system = self.vertex_system(Some((count << 16 | stream << 24, self.filled.get())));
            vertices.extend(self.shade_vertices(HardwareStage::Vs, &inputs, &system)?);
            self.fill(stream, count);
            let mut counts = self.primitives.get();
            counts[stream as usize & 3][0] += u64::from(written);
            self.primitives.set(counts);
        }
        Ok(Some((vertices, primitives)))
    }

    /// Buffers of a stream with the double words of a vertex in each.
    fn buffers(&self, stream: u32) -> impl Iterator<Item = (u32, u32)> {
        let (fields, registers) = (&self.fields().vertex, self.registers);
        let used = fields.stream_buffers.word(registers) >> (4 * stream) & 15;
        let buffers = (0..4).filter(move |buffer| used >> buffer & 1 != 0);
        let stride = fields.vertex_stride;
        buffers.map(move |buffer| (buffer, stride.at(buffer, registers)))
    }

    /// Number of primitives for which all buffers have room.
    fn room(&self, stream: u32, corners: u32) -> u32 {
        let size = self.fields().vertex.buffer_size;
        let filled = self.filled.get();
        let room = |(buffer, stride): (u32, u32)| {
            let rest = size.at(buffer, self.registers).saturating_sub(filled[buffer as usize]);
            rest.checked_div(stride * corners).unwrap_or(u32::MAX)
        };
        self.buffers(stream).map(room).min().unwrap_or(0)
    }

    /// Counts vertices as stored.
    fn fill(&self, stream: u32, vertices: u32) {
        let mut filled = self.filled.get();
        for (buffer, stride) in self.buffers(stream) {
            filled[buffer as usize] = filled[buffer as usize].wrapping_add(vertices * stride);
        }
        self.filled.set(filled);
    }
}
