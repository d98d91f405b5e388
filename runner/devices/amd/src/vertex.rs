//! Waves of vertices: registers from the batch.

use amd_isa::HardwareStage;
use compiler::amd_codegen::output::{Interface, UserValue, VertexInterface};
use raster::device::{DeviceError, VertexBatch};
use raster::shader_io::ShaderIo;

use crate::exports::{RING_OFFSET, VertexHost, ring, take};
use crate::launch::{Launch, local_bytes};
use crate::memory::Memory;

/// Runs a batch of vertices and returns the number of executed instructions.
pub(crate) fn run(
    launch: &Launch<'_>,
    batch: &mut VertexBatch,
    io: &mut dyn ShaderIo,
) -> Result<u64, DeviceError> {
    let Interface::Vertex(interface) = &launch.prepared.output.interface else {
        return Err(DeviceError::Execution("no vertex program".into()));
    };
    let lanes: Vec<usize> = (0..batch.lanes.min(gcn_simulator::LANES)).collect();
    let is_local = launch.prepared.output.stage == HardwareStage::Ls;
    // As many vertices as the local data share holds.
    let vertex_bytes = (16 * interface.memory.len()).max(1);
    let most = match is_local {
        true => {
            (local_bytes(launch.prepared.output.chip) / vertex_bytes).clamp(1, gcn_simulator::LANES)
        }
        false => gcn_simulator::LANES,
    };
    let mut steps = 0;
    for group in lanes.chunks(most) {
        steps += run_group(launch, interface, batch, group, is_local, steps, io)?;
    }
    Ok(steps)
}

/// Runs the vertices of one wave.
fn run_group(
    launch: &Launch<'_>,
    interface: &VertexInterface,
    batch: &mut VertexBatch,
    group: &[usize],
    is_local: bool,
    done: u64,
    io: &mut dyn ShaderIo,
) -> Result<u64, DeviceError> {
    let pairs = group.iter().copied().enumerate();
    let pairs: Vec<(usize, usize)> = pairs.filter(|(_, to)| batch.mask >> to & 1 != 0).collect();
    let mut wave = launch.wave(pairs.iter().fold(0, |mask, (from, _)| mask | 1 << from));
    let instance = if is_local { 2 } else { 1 };
    for (lane, &vertex) in group.iter().enumerate() {
        let id = batch.vertex_id.get(vertex).copied().unwrap_or(0);
        wave.vector[0][lane] = id.wrapping_sub(batch.base_vertex);
        if is_local {
            wave.vector[1][lane] = lane as u32;
        }
        wave.vector[instance][lane] = batch.instance_id.get(vertex).copied().unwrap_or(0);
        wave.vector[usize::from(VertexInterface::FETCH_INDEX)][lane] = vertex as u32;
    }
    launch.set_user_data(&mut wave, |value| match value {
        UserValue::BaseVertex => [batch.base_vertex, 0, 0],
        UserValue::BaseInstance => [batch.base_instance, 0, 0],
        UserValue::DrawId => [batch.draw_id, 0, 0],
        _ => [0; 3],
    });
    if let Some(register) = interface.ring_offset {
        wave.scalar[usize::from(register)] = RING_OFFSET as u32;
    }
    if is_local {
        wave.local = vec![0; group.len() * 16 * interface.memory.len()];
    }
    let inputs = &batch.inputs;
    let attributes = |number: u32, lane: usize, component: usize| {
        let row = number as usize * 4 + component;
        if lane < inputs.lanes() { inputs.find(row, lane).unwrap_or(0) } else { 0 }
    };
    let buffers = ring(interface).into_iter().collect();
    let memory = Memory::new(io, launch, &attributes, buffers);
    memory.set_descriptors(launch, &mut wave);
    let mut host = VertexHost { memory, exports: Vec::new() };
    let steps = launch.run(&mut wave, &mut host, done)?;
    let stage = launch.state.program.stage(launch.stage);
    let varyings = stage.map_or(&[][..], |stage| &stage.outputs);
    take(interface, &host, &wave.local, varyings, &pairs, &mut batch.outputs);
    Ok(steps)
}
