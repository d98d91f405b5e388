//! Vertices: indices, and waves of vertex shaders.

use gcn_simulator::{Export, LANES};
use gpu_service::Outcome;
use rustc_hash::FxHashMap;
use vocabulary::Stage;

use super::call::{Draw, DrawCall};
use crate::registers::RegisterField;
use crate::state::HardwareStage;
use crate::statistics::Count;
use crate::wave::{Shader, WaveHost, first_lanes};

/// Target of the first export of positions, and of the first of parameters.
const POSITIONS: u8 = 12;
const PARAMETERS: u8 = 32;
/// Most parameters of a vertex.
pub(super) const MOST_PARAMETERS: usize = 32;

/// Exports of a vertex.
#[derive(Clone, Debug)]
pub(super) struct Vertex {
    /// Position, then vectors that the state enables.
    pub(super) positions: [[u32; 4]; 4],
    pub(super) parameters: Vec<[u32; 4]>,
}

/// Vertices of a draw.
#[derive(Debug, Default)]
pub(super) struct Fetched {
    /// Index and primitive of each vertex.
    pub(super) indices: Vec<(u32, u32)>,
    /// Numbers of the vertices between restarts.
    pub(super) runs: Vec<Vec<u32>>,
}

impl Draw<'_> {
    /// Reads the indices of a draw, each vertex once.
    pub(super) fn fetch(&self, call: &DrawCall) -> Outcome<Fetched> {
        let fields = &self.fields().vertex;
        let offset = fields.index_offset.get(self.registers);
        let restart = fields.restarts.flag(self.registers);
        let restart = restart.then(|| fields.restart_index.get(self.registers));
        let mut fetched = Fetched { indices: Vec::new(), runs: vec![Vec::new()] };
        let mut known: FxHashMap<u32, u32> = FxHashMap::default();
        for place in 0..call.vertices {
            let index = match call.indices {
                None => call.first_vertex.wrapping_add(place),
                Some(indices) => {
                    let bytes = indices.bytes as usize;
                    let mut index = [0; 4];
                    // Indices after the end are 0.
                    if place < indices.most {
                        let address = indices.start.wrapping_add(u64::from(place) * bytes as u64);
                        self.memory.read(address, &mut index[..bytes])?;
                    }
                    let index = u32::from_le_bytes(index);
                    let mask = if bytes < 4 { (1 << (8 * bytes)) - 1 } else { u32::MAX };
                    if restart.is_some_and(|restart| restart & mask == index) {
                        fetched.runs.push(Vec::new());
                        continue;
                    }
                    index
                }
            };
            let index = index.wrapping_add(offset);
            let number = *known.entry(index).or_insert_with(|| {
                fetched.indices.push((index, 0));
                fetched.indices.len() as u32 - 1
            });
            if let Some(run) = fetched.runs.last_mut() {
                run.push(number);
            }
        }
        Ok(fetched)
    }

    /// Shades vertices, given their input registers.
    pub(super) fn shade_vertices(
        &self,
        stage: HardwareStage,
        inputs: &[[u32; 4]],
        system: &[u32],
    ) -> Outcome<Vec<Vertex>> {
        let hardware = self.hardware;
        let shader = Shader::load(hardware, self.memory, self.registers, stage)?;
        match hardware.fields.api_stage(self.registers, stage) {
            Stage::Vertex => self.count(Count::Vertices, inputs.len()),
            Stage::TessEval => self.count(Count::Evaluations, inputs.len()),
            _ => {}
        }
        let components = hardware.fields.stages[stage as usize].components.get(self.registers);
        let mut vertices = Vec::with_capacity(inputs.len());
        let memory = shader.memory(hardware, self.memory);
        for group in inputs.chunks(LANES) {
            let mut wave = shader.wave(first_lanes(group.len()), system);
            for (lane, values) in group.iter().enumerate() {
                let inputs = wave.vector.iter_mut().zip(values).take(components as usize + 1);
                inputs.for_each(|(register, value)| register[lane] = *value);
            }
            let mut host = WaveHost::new(&memory);
            shader.finish(hardware, &mut wave, &mut host)?;
            vertices.extend(take(&host.exports, group.len()));
        }
        Ok(vertices)
    }

    /// Values of the hardware in scalar registers of the last stage before the primitives.
    /// `output` has the configuration of stream output and the offsets of its buffers.
    pub(super) fn vertex_system(&self, output: Option<(u32, [u32; 4])>) -> Vec<u32> {
        let stage = self.fields().stages[HardwareStage::Vs as usize];
        let flag = |field: RegisterField| field.flag(self.registers);
        let mut system = Vec::new();
        let (configuration, offsets) = output.unwrap_or_default();
        if flag(stage.streams) {
            // The first vertex of the wave is the first in its buffers from the offsets on.
            system.extend([configuration, 0]);
        } else if flag(stage.off_chip) {
            // The place of the configuration is there.
            system.push(0);
        }
        for (offset, is_used) in offsets.into_iter().zip(stage.stream_offsets) {
            if flag(is_used) {
                system.push(offset);
            }
        }
        if flag(stage.off_chip) {
            // Patches begin where the buffer does.
            system.push(0);
        }
        system.extend(self.scratch_offset(flag(stage.scratch)));
        system
    }

    /// Offset of a wave's scratch space, if it has any: waves run one after the other.
    pub(super) fn scratch_offset(&self, has_scratch: bool) -> Vec<u32> {
        if has_scratch { vec![0] } else { Vec::new() }
    }
}

/// The vertices that a wave exported.
fn take(exports: &[Export], count: usize) -> Vec<Vertex> {
    let empty = Vertex { positions: [[0; 4]; 4], parameters: Vec::new() };
    let mut vertices = vec![empty; count];
    for export in exports {
        let lanes = vertices.iter_mut().enumerate();
        for (lane, vertex) in lanes.filter(|(lane, _)| export.exec >> lane & 1 != 0) {
            let Some(to) = vertex.target(export.target) else { continue };
            for (value, channel) in to.iter_mut().zip(&export.channels) {
                if let Some(channel) = channel {
                    *value = channel[lane];
                }
            }
        }
    }
    vertices
}

impl Vertex {
    /// The place of an export.
    fn target(&mut self, target: u8) -> Option<&mut [u32; 4]> {
        if let Some(place) = target.checked_sub(PARAMETERS) {
            let place = usize::from(place);
            if place >= MOST_PARAMETERS {
                return None;
            }
            if self.parameters.len() <= place {
                self.parameters.resize(place + 1, [0; 4]);
            }
            return self.parameters.get_mut(place);
        }
        self.positions.get_mut(usize::from(target.checked_sub(POSITIONS)?))
    }

    /// A parameter; one that was not exported is 0.
    pub(super) fn parameter(&self, place: usize) -> [u32; 4] {
        self.parameters.get(place).copied().unwrap_or_default()
    }

    /// A component of a vector of the position as a number.
    pub(super) fn number(&self, slot: usize, component: usize) -> f64 {
        f64::from(f32::from_bits(self.positions[slot][component]))
    }
}
