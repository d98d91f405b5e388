//! Waves of the tessellation evaluation stage: the patch in the buffer outside of the chip.

use compiler::amd_codegen::output::{Interface, Resource, TessEvaluationInterface, UserValue};
use gcn_simulator::LANES;
use program::Slot;
use raster::device::{DeviceError, TessEvaluationBatch};
use raster::shader_io::ShaderIo;

use crate::exports::{RING_OFFSET, VertexHost, ring, take};
use crate::launch::Launch;
use crate::memory::{Memory, StageBuffer, set_dword};

/// Offset of the work group's patches in the buffer.
const BUFFER_OFFSET: usize = 768;
/// Number of the patch in its work group.
const PATCH: usize = 1;

/// Runs the points of a patch and returns the number of executed instructions.
pub(crate) fn run(
    launch: &Launch<'_>,
    batch: &mut TessEvaluationBatch,
    io: &mut dyn ShaderIo,
) -> Result<u64, DeviceError> {
    let output = &launch.prepared.output;
    let Interface::TessEvaluation(interface) = &output.interface else {
        return Err(DeviceError::Execution("no tessellation evaluation program".into()));
    };
    let vertices = batch.inputs.len() as u32;
    let stride = interface.inputs.patch_bytes(vertices);
    let mut wave = launch.wave(batch.mask);
    for lane in 0..batch.lanes.min(LANES) {
        wave.vector[0][lane] = batch.tess_coord.get(0, lane);
        wave.vector[1][lane] = batch.tess_coord.get(1, lane);
        wave.vector[2][lane] = PATCH as u32;
        wave.vector[3][lane] = batch.primitive_id;
    }
    launch.set_user_data(&mut wave, |value| match value {
        UserValue::PatchVertices => [vertices, 0, 0],
        UserValue::PatchStride => [stride, 0, 0],
        _ => [0; 3],
    });
    wave.scalar[usize::from(interface.buffer_offset)] = BUFFER_OFFSET as u32;
    if let Some(register) = interface.vertex.ring_offset {
        wave.scalar[usize::from(register)] = RING_OFFSET as u32;
    }
    let mut buffers: Vec<StageBuffer> = ring(&interface.vertex).into_iter().collect();
    buffers.push(StageBuffer::new(Resource::Patches, patches(launch, interface, batch, stride)));
    let memory = Memory::new(io, launch, &|_, _, _| 0, buffers);
    memory.set_descriptors(launch, &mut wave);
    let mut host = VertexHost { memory, exports: Vec::new() };
    let steps = launch.run(&mut wave, &mut host, 0)?;
    let lanes = (0..batch.lanes.min(LANES)).filter(|lane| batch.mask >> lane & 1 != 0);
    let lanes: Vec<(usize, usize)> = lanes.map(|lane| (lane, lane)).collect();
    let stage = launch.state.program.stage(launch.stage);
    let varyings = stage.map_or(&[][..], |stage| &stage.outputs);
    take(&interface.vertex, &host, &[], varyings, &lanes, &mut batch.outputs);
    Ok(steps)
}

/// The buffer with the patch as the control stage left it.
fn patches(
    launch: &Launch<'_>,
    interface: &TessEvaluationInterface,
    batch: &TessEvaluationBatch,
    stride: u32,
) -> Vec<u8> {
    let layout = &interface.inputs;
    let first = BUFFER_OFFSET + PATCH * stride as usize;
    let mut bytes = vec![0; first + stride as usize];
    let mut set = |at: u32, dword: usize, value: u32| {
        set_dword(&mut bytes, first + at as usize + 4 * dword, value);
    };
    let stage = launch.state.program.stage(launch.stage);
    let varyings = stage.map_or(&[][..], |stage| &stage.inputs);
    for (index, varying) in varyings.iter().enumerate() {
        let slot = compiler::ir_slot(varying.slot, 0);
        if matches!(varying.slot, Slot::Patch(_)) {
            let Some(at) = layout.patch_slot(slot) else { continue };
            for c in 0..4 {
                set(at, c, batch.patch_inputs.get(4 * index + c).copied().unwrap_or(0));
            }
            continue;
        }
        let Some(at) = layout.vertex_slot(slot) else { continue };
        for (vertex, values) in batch.inputs.iter().enumerate() {
            let at = at + vertex as u32 * layout.vertex_bytes();
            (0..4).for_each(|c| set(at, c, values.get(4 * index + c).copied().unwrap_or(0)));
        }
    }
    let outer = compiler::ir_slot(Slot::TessLevelOuter, 0);
    if let Some(at) = layout.patch_slot(outer) {
        batch.outer.iter().enumerate().for_each(|(n, level)| set(at, n, level.to_bits()));
    }
    let inner = compiler::ir_slot(Slot::TessLevelInner, 0);
    if let Some(at) = layout.patch_slot(inner) {
        batch.inner.iter().enumerate().for_each(|(n, level)| set(at, n, level.to_bits()));
    }
    bytes
}
