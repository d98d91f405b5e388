//! Geometry shaders: vertices go through one ring in memory to the shader, and what it emits
//! through another to a copy shader.

use gcn_simulator::{LANES, Message};
use gpu_service::{Outcome, not_modeled};
use raster::assemble::{Primitive, PrimitiveMode};
use rustc_hash::FxHashMap;

use super::call::{Assembled, Draw};
use super::fragment::Fragments;
use crate::state::HardwareStage;
use crate::statistics::Count;
use crate::wave::{Shader, WaveHost, first_lanes};

/// Streams of vertices.
const STREAMS: u32 = 4;
/// Lanes of the output ring that are interleaved.
const INTERLEAVED: u32 = 16;
/// Vector registers of the offsets of a primitive's vertices, of its number, of the invocation.
const VERTICES: [usize; 6] = [0, 1, 3, 4, 5, 6];
const PRIMITIVE: usize = 2;
const INVOCATION: usize = 7;

/// A lane of the geometry shader: a primitive and an invocation of it.
type Lane<'a> = (&'a Primitive, u32);

/// Emitted vertices of a lane and a stream: runs between cuts.
#[derive(Clone, Debug, Default)]
struct Emitted {
    runs: Vec<Vec<u32>>,
    count: u32,
}

impl Draw<'_> {
    /// Shades primitives and draws what the shader emits.
    pub(super) fn shade_geometry(
        &self,
        fragments: &Fragments<'_>,
        assembled: &Assembled,
    ) -> Outcome<()> {
        let (fields, registers) = (&self.fields().geometry, self.registers);
        let is_instanced = fields.is_instanced.flag(registers);
        let count = if is_instanced { fields.instances.get(registers).max(1) } else { 1 };
        let invocations = |primitive| (0..count).map(move |invocation| (primitive, invocation));
        let lanes: Vec<Lane<'_>> = assembled.primitives.iter().flat_map(invocations).collect();
        for group in lanes.chunks(LANES) {
            self.hardware.guard.check()?;
            let offsets = self.fill_ring(assembled, group)?;
            let messages = self.run_geometry(group, &offsets)?;
            for stream in 0..STREAMS {
                let emitted = self.emitted(&messages, group.len(), stream)?;
                if !emitted.primitives.is_empty() {
                    self.finish(fragments, &emitted, stream)?;
                }
            }
        }
        Ok(())
    }

    /// Shades the vertices of a group of primitives. Returns the place of each in the ring, in
    /// double words.
    fn fill_ring(&self, assembled: &Assembled, group: &[Lane<'_>]) -> Outcome<FxHashMap<u32, u32>> {
        let (fields, registers) = (&self.fields().geometry, self.registers);
        let mut numbers: Vec<u32> =
            group.iter().flat_map(|lane| lane.0.vertices.iter().copied()).collect();
        numbers.sort_unstable();
        numbers.dedup();
        // A wave has a part of the ring: a row of all lanes for each double word of a vertex.
        let part = LANES as u32 * fields.vertex_words.get(registers);
        let parts = numbers.len().div_ceil(LANES) as u64;
        if 4 * u64::from(part) * parts > 256 * u64::from(fields.ring_size.get(registers)) {
            return not_modeled("rings that are too small for a group of primitives");
        }
        let stage = self.fields().stages[HardwareStage::Es as usize];
        let has_scratch = stage.scratch.flag(registers);
        // Of an evaluation shader: where patches begin, and a register without a meaning.
        let patches = if stage.off_chip.flag(registers) { vec![0, 0] } else { Vec::new() };
        let mut offsets = FxHashMap::default();
        for (wave, vertices) in (0..).zip(numbers.chunks(LANES)) {
            let inputs: Vec<[u32; 4]> =
                vertices.iter().map(|vertex| assembled.inputs[*vertex as usize]).collect();
            let mut system = patches.clone();
            system.push(4 * part * wave);
            system.extend(self.scratch_offset(has_scratch));
            self.shade_vertices(HardwareStage::Es, &inputs, &system)?;
            let places = (0..).zip(vertices).map(|(lane, vertex)| (*vertex, part * wave + lane));
            offsets.extend(places);
        }
        Ok(offsets)
    }

    /// Runs a wave of the geometry shader and returns its messages.
    fn run_geometry(
        &self,
        group: &[Lane<'_>],
        offsets: &FxHashMap<u32, u32>,
    ) -> Outcome<Vec<Message>> {
        self.count(Count::GeometryInvocations, group.len());
        let stage = HardwareStage::Gs;
        let shader = Shader::load(self.hardware, self.memory, self.registers, stage)?;
        // The wave is the first in the output ring, and has the first number.
        let mut system = vec![0, 0];
        let has_scratch = self.fields().stages[stage as usize].scratch.flag(self.registers);
        system.extend(self.scratch_offset(has_scratch));
        let mut wave = shader.wave(first_lanes(group.len()), &system);
        for (lane, (primitive, invocation)) in group.iter().enumerate() {
            for (register, vertex) in VERTICES.into_iter().zip(&self.order(primitive)) {
                if let Some(register) = wave.vector.get_mut(register) {
                    register[lane] = offsets.get(vertex).copied().unwrap_or(0);
                }
            }
            for (register, value) in [(PRIMITIVE, primitive.id), (INVOCATION, *invocation)] {
                if let Some(register) = wave.vector.get_mut(register) {
                    register[lane] = value;
                }
            }
        }
        let mut host = WaveHost::new(&shader.memory(self.hardware, self.memory));
        shader.finish(self.hardware, &mut wave, &mut host)?;
        Ok(host.messages)
    }

    /// Primitives that the messages of a wave say are emitted to a stream.
    fn emitted(&self, messages: &[Message], lanes: usize, stream: u32) -> Outcome<Assembled> {
        let (fields, registers) = (&self.fields().geometry, self.registers);
        let types = fields.output.word(registers);
        let shift = [0, 8, 16, 22][stream as usize & 3];
        let shift = if fields.has_types.flag(registers) { shift } else { 0 };
        let mode = match types >> shift & 0x3f {
            0 => PrimitiveMode::Points,
            1 => PrimitiveMode::LineStrip,
            _ => PrimitiveMode::TriangleStrip,
        };
        let mut emitted = vec![Emitted { runs: vec![Vec::new()], count: 0 }; lanes];
        for message in messages {
            /// A message of geometry shaders; its operation: cut, emit, or both.
            const GEOMETRY: u32 = 2;
            const CUT: u32 = 1;
            const EMIT: u32 = 2;
            let operation = message.bits >> 4 & 3;
            if message.bits & 15 != GEOMETRY || message.bits >> 8 & 3 != stream {
                continue;
            }
            let own = emitted.iter_mut().enumerate();
            for (lane, own) in own.filter(|(lane, _)| message.exec >> lane & 1 != 0) {
                if operation & EMIT != 0 {
                    let place = self.place_in_ring(lane as u32, own.count, stream);
                    own.count += 1;
                    if let Some(run) = own.runs.last_mut() {
                        run.push(place);
                    }
                }
                if operation & CUT != 0 {
                    own.runs.push(Vec::new());
                }
            }
        }
        let mut inputs = Vec::new();
        let mut runs = Vec::new();
        for run in emitted.iter().flat_map(|own| &own.runs).filter(|run| !run.is_empty()) {
            let first = inputs.len() as u32;
            inputs.extend(run.iter().map(|place| [*place, 0, 0, 0]));
            runs.push((first..inputs.len() as u32).collect());
        }
        let primitives = self.assemble(mode, &runs)?;
        self.count(Count::GeometryPrimitives, primitives.len());
        Ok(Assembled { mode, inputs, primitives, is_rectangle: false })
    }

    /// Place of an emitted vertex in the output ring, in double words.
    fn place_in_ring(&self, lane: u32, vertex: u32, stream: u32) -> u32 {
        let (fields, registers) = (&self.fields().geometry, self.registers);
        let get = |field: crate::registers::RegisterField| field.get(registers);
        // Double words of a lane before each stream, and of all.
        let starts = [
            0,
            get(fields.stream_1),
            get(fields.stream_2),
            get(fields.stream_3),
            get(fields.item_words),
        ];
        let stream = stream as usize & 3;
        let stride = starts[stream + 1].saturating_sub(starts[stream]);
        LANES as u32 * starts[stream]
            + lane % INTERLEAVED
            + INTERLEAVED * (lane / INTERLEAVED * stride + vertex)
    }
}
