//! Tessellation: vertices go through the local data share to the control shader, patches through
//! a buffer in memory to the evaluation shader, levels through a ring to the tessellator.

use gcn_simulator::{LANES, Wave};
use gpu_service::{Outcome, not_modeled, vertex_count};
use raster::assemble::{Primitive, PrimitiveMode};
use raster::tessellate::{Domain, EdgeSpacing, Mesh, TessellationParameters, tessellate};

use super::call::{Assembled, Draw};
use super::fragment::Fragments;
use crate::compute::local_unit;
use crate::state::HardwareStage;
use crate::statistics::Count;
use crate::wave::{Shader, WaveHost, first_lanes};

/// Most control points of a patch.
const MOST_POINTS: u32 = 32;
/// First double word of the ring of levels.
const CONTROL: u32 = 0x8000_0000;

impl Draw<'_> {
    /// Tessellates patches and draws what comes of them, a group of patches at a time.
    pub(super) fn tessellate(&self, fragments: &Fragments<'_>, patches: &Assembled) -> Outcome<()> {
        let (fields, registers) = (&self.fields().tessellation, self.registers);
        let outputs = fields.outputs.get(registers);
        let inputs = fields.inputs.get(registers);
        if outputs == 0 || outputs > MOST_POINTS || inputs > MOST_POINTS {
            return not_modeled(format!("patches of {inputs} and {outputs} points"));
        }
        let count = fields.patches.get(registers).max(1) as usize;
        for group in patches.primitives.chunks(count) {
            self.hardware.guard.check()?;
            let unit = local_unit(self.hardware.chip);
            let mut local = vec![0; unit * fields.local.get(registers) as usize];
            self.run_vertices(patches, group, &mut local)?;
            self.run_control(group, outputs as usize, &mut local)?;
            let assembled = self.evaluated(group)?;
            if !assembled.primitives.is_empty() {
                self.shade_primitives(fragments, &assembled)?;
            }
        }
        Ok(())
    }

    /// Shades the vertices of a group, which the shader stores in the local data share.
    fn run_vertices(
        &self,
        patches: &Assembled,
        group: &[Primitive],
        local: &mut Vec<u8>,
    ) -> Outcome<()> {
        let stage = HardwareStage::Ls;
        let shader = Shader::load(self.hardware, self.memory, self.registers, stage)?;
        let fields = self.fields().stages[stage as usize];
        let system = self.scratch_offset(fields.scratch.flag(self.registers));
        let vertices: Vec<u32> =
            group.iter().flat_map(|patch| patch.vertices.iter().copied()).collect();
        self.count(Count::Vertices, vertices.len());
        let mut waves: Vec<Wave> = Vec::new();
        for (number, lanes) in vertices.chunks(LANES).enumerate() {
            let mut wave = shader.wave(first_lanes(lanes.len()), &system);
            for (lane, vertex) in lanes.iter().enumerate() {
                let [index, instance, ..] = patches.inputs[*vertex as usize];
                let place = (number * LANES + lane) as u32;
                let values = wave.vector.iter_mut().zip([index, place, instance]);
                values.for_each(|(register, value)| register[lane] = value);
            }
            waves.push(wave);
        }
        let mut host = WaveHost::new(&shader.memory(self.hardware, self.memory));
        shader.run_group(self.hardware, &mut waves, local, &mut host)
    }

    /// Runs the control shader for a group.
    fn run_control(&self, group: &[Primitive], outputs: usize, local: &mut Vec<u8>) -> Outcome<()> {
        let stage = HardwareStage::Hs;
        let shader = Shader::load(self.hardware, self.memory, self.registers, stage)?;
        let fields = self.fields().stages[stage as usize];
        // The group is the first in the buffer and in the ring.
        let mut system = vec![0, 0];
        system.extend(self.scratch_offset(fields.scratch.flag(self.registers)));
        self.count(Count::Patches, group.len());
        let numbered = group.iter().enumerate();
        let lanes: Vec<(u32, u32)> = numbered
            .flat_map(|(number, patch)| {
                (0..outputs).map(move |point| (patch.id, (number | point << 8) as u32))
            })
            .collect();
        let mut waves: Vec<Wave> = Vec::new();
        for lanes in lanes.chunks(LANES) {
            let mut wave = shader.wave(first_lanes(lanes.len()), &system);
            for (lane, (patch, place)) in lanes.iter().enumerate() {
                let values = wave.vector.iter_mut().zip([*patch, *place]);
                values.for_each(|(register, value)| register[lane] = value);
            }
            waves.push(wave);
        }
        let mut host = WaveHost::new(&shader.memory(self.hardware, self.memory));
        shader.run_group(self.hardware, &mut waves, local, &mut host)
    }

    /// Points and primitives of a group, as inputs of the evaluation shader.
    fn evaluated(&self, group: &[Primitive]) -> Outcome<Assembled> {
        let (fields, registers) = (&self.fields().tessellation, self.registers);
        let base = u64::from(fields.factors.get(registers)) << 8;
        if self.memory.read_u32(base)? != CONTROL {
            return not_modeled("levels of tessellation without their first word");
        }
        let mut assembled = Assembled {
            mode: match fields.topology.get(registers) {
                0 => PrimitiveMode::Points,
                1 => PrimitiveMode::Lines,
                _ => PrimitiveMode::Triangles,
            },
            inputs: Vec::new(),
            primitives: Vec::new(),
            is_rectangle: false,
        };
        for (number, patch) in (0..).zip(group) {
            let mesh = self.mesh(base + 4, number)?;
            let first = vertex_count(assembled.inputs.len() + mesh.points.len())?;
            let first = first - mesh.points.len() as u32;
            let input = |[u, v, _]: &[f32; 3]| [u.to_bits(), v.to_bits(), number, patch.id];
            assembled.inputs.extend(mesh.points.iter().map(input));
            let size = mesh.size.max(1);
            let provoking = match self.fields().raster.last_provokes.flag(registers) {
                true => size - 1,
                false => 0,
            };
            for corners in mesh.indices.chunks_exact(size) {
                assembled.primitives.push(Primitive {
                    vertices: corners.iter().map(|corner| first + corner).collect(),
                    provoking: provoking as u8,
                    edges: 0b111,
                    id: patch.id,
                });
            }
        }
        Ok(assembled)
    }

    /// The mesh of a patch of a group, of which levels are from an address on.
    fn mesh(&self, levels: u64, patch: u32) -> Outcome<Mesh> {
        let (fields, registers) = (&self.fields().tessellation, self.registers);
        let (domain, outer_count, inner_count) = match fields.domain.get(registers) {
            0 => (Domain::Isolines, 2, 0),
            1 => (Domain::Triangles, 3, 1),
            2 => (Domain::Quads, 4, 2),
            domain => return not_modeled(format!("tessellation domain {domain}")),
        };
        let spacing = match fields.partitioning.get(registers) {
            0 => EdgeSpacing::Equal,
            2 => EdgeSpacing::FractionalOdd,
            3 => EdgeSpacing::FractionalEven,
            other => return not_modeled(format!("tessellation partitioning {other}")),
        };
        let count: u32 = outer_count + inner_count;
        let words = self
            .memory
            .read_words(levels + 4 * u64::from(patch) * u64::from(count), count as usize)?;
        let most = fields.most.number(registers);
        let level = |at: u32| {
            let level = f32::from_bits(words.get(at as usize).copied().unwrap_or(0));
            if level > most { most } else { level }
        };
        let outer = match domain {
            // Both levels of lines are in the other order.
            Domain::Isolines => [level(1), level(0), 0.0, 0.0],
            _ => [0, 1, 2, 3].map(|i| if i < outer_count { level(i) } else { 0.0 }),
        };
        let inner = [0, 1].map(|i| if i < inner_count { level(outer_count + i) } else { 0.0 });
        let topology = fields.topology.get(registers);
        Ok(tessellate(&TessellationParameters {
            domain,
            spacing,
            // In the domain, the hardware's orders have the opposite names.
            clockwise: topology == 3,
            point_mode: topology == 0,
            outer,
            inner,
        }))
    }
}
