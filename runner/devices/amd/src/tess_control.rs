//! Waves of the tessellation control stage: input patches in the local data share, output patches
//! from the buffer outside of the chip, levels from the ring of tessellation factors.

use compiler::amd_codegen::output::{Interface, Resource, TessControlInterface, UserValue};
use gcn_simulator::LANES;
use program::Slot;
use raster::device::{DeviceError, TessControlBatch, first_lanes};
use raster::shader_io::ShaderIo;

use crate::launch::{Launch, local_bytes};
use crate::memory::{Memory, StageBuffer, dword, set_dword};

/// Offset of the work group's patches in the buffer.
const BUFFER_OFFSET: usize = 512;
/// Offset of the work group's factors in the ring.
const FACTOR_OFFSET: usize = 128;
/// First dword of the factors.
const FACTORS_CONTROL: u32 = 0x8000_0000;

/// Runs a batch of patches and returns the number of executed instructions.
pub(crate) fn run(
    launch: &Launch<'_>,
    batch: &mut TessControlBatch,
    io: &mut dyn ShaderIo,
) -> Result<u64, DeviceError> {
    let output = &launch.prepared.output;
    let Interface::TessControl(interface) = &output.interface else {
        return Err(DeviceError::Execution("no tessellation control program".into()));
    };
    let lanes: Vec<usize> =
        (0..batch.lanes.min(LANES)).filter(|lane| batch.mask >> lane & 1 != 0).collect();
    let shared = interface.shared.patch_bytes(interface.vertices_out);
    let patch_bytes = (interface.input_bytes() + shared).max(1) as usize;
    let fitting = local_bytes(output.chip) / patch_bytes;
    if fitting == 0 {
        let message = format!("patches of {patch_bytes} bytes of local data on {}", output.chip);
        return Err(DeviceError::Unsupported(message));
    }
    let most = fitting.min(LANES / (interface.vertices_out as usize).clamp(1, LANES));
    let mut steps = 0;
    for group in lanes.chunks(most) {
        steps += run_group(launch, interface, batch, group, steps, &mut *io)?;
    }
    Ok(steps)
}

/// Runs the patches of one work group.
fn run_group(
    launch: &Launch<'_>,
    interface: &TessControlInterface,
    batch: &mut TessControlBatch,
    group: &[usize],
    done: u64,
    io: &mut dyn ShaderIo,
) -> Result<u64, DeviceError> {
    let vertices = interface.vertices_out as usize;
    let mut wave = launch.wave(first_lanes(group.len() * vertices));
    for (number, &patch) in group.iter().enumerate() {
        for invocation in 0..vertices {
            let lane = number * vertices + invocation;
            wave.vector[0][lane] = batch.primitive_id.get(patch).copied().unwrap_or(0);
            wave.vector[1][lane] = (number | invocation << 8) as u32;
        }
    }
    let shared_outputs = group.len() as u32 * interface.input_bytes();
    launch.set_user_data(&mut wave, |value| match value {
        UserValue::SharedOutputs => [shared_outputs, 0, 0],
        _ => [0; 3],
    });
    let registers = usize::from(interface.offsets);
    wave.scalar[registers] = BUFFER_OFFSET as u32;
    wave.scalar[registers + 1] = FACTOR_OFFSET as u32;
    wave.local = input_patches(launch, interface, batch, group);
    let shared = interface.shared.patch_bytes(interface.vertices_out) as usize;
    wave.local.resize(shared_outputs as usize + group.len() * shared, 0);
    let patch_bytes = interface.outputs.patch_bytes(interface.vertices_out) as usize;
    let factor_bytes = 4 * (interface.outer.len() + interface.inner.len());
    let buffers = vec![
        StageBuffer::new(Resource::Patches, vec![0; BUFFER_OFFSET + group.len() * patch_bytes]),
        StageBuffer::new(
            Resource::Factors,
            vec![0; FACTOR_OFFSET + 4 + group.len() * factor_bytes],
        ),
    ];
    let mut memory = Memory::new(io, launch, &|_, _, _| 0, buffers);
    memory.set_descriptors(launch, &mut wave);
    let steps = launch.run(&mut wave, &mut memory, done)?;
    let bytes = |resource| memory.stage_buffer(resource).map_or(&[][..], |b| &b.bytes);
    let (patches, factors) = (bytes(Resource::Patches), bytes(Resource::Factors));
    if dword(factors, FACTOR_OFFSET) != FACTORS_CONTROL {
        let message = "tessellation factors without their control dword";
        return Err(DeviceError::Execution(message.into()));
    }
    for (number, &patch) in group.iter().enumerate() {
        take_patch(
            launch,
            interface,
            &patches[BUFFER_OFFSET + number * patch_bytes..],
            batch,
            patch,
        );
        let first = FACTOR_OFFSET + 4 + number * factor_bytes;
        let level = |index: usize| dword(factors, first + 4 * index);
        for (index, &outer) in interface.outer.iter().enumerate() {
            batch.outer.set(outer.into(), patch, level(index));
        }
        for (index, &inner) in interface.inner.iter().enumerate() {
            let level = level(interface.outer.len() + index);
            batch.inner.set(inner.into(), patch, level);
        }
    }
    Ok(steps)
}

/// The local data share as the waves of vertices before left it.
fn input_patches(
    launch: &Launch<'_>,
    interface: &TessControlInterface,
    batch: &TessControlBatch,
    group: &[usize],
) -> Vec<u8> {
    let vertex_bytes = 16 * interface.inputs.len();
    let mut local = vec![0; group.len() * interface.input_bytes() as usize];
    let stage = launch.state.program.stage(launch.stage);
    let varyings = stage.map_or(&[][..], |stage| &stage.inputs);
    for (index, varying) in varyings.iter().enumerate() {
        let slot = compiler::ir_slot(varying.slot, 0);
        let Some(at) = interface.inputs.iter().position(|&s| s == slot) else { continue };
        for (vertex, table) in batch.inputs.iter().enumerate().take(interface.vertices_in as usize)
        {
            for (number, &patch) in group.iter().enumerate() {
                let vertex = number * interface.vertices_in as usize + vertex;
                for c in 0..4 {
                    let value = table.find(4 * index + c, patch).unwrap_or(0);
                    set_dword(&mut local, vertex * vertex_bytes + 16 * at + 4 * c, value);
                }
            }
        }
    }
    local
}

/// Takes the outputs of a patch.
fn take_patch(
    launch: &Launch<'_>,
    interface: &TessControlInterface,
    bytes: &[u8],
    batch: &mut TessControlBatch,
    lane: usize,
) {
    let stage = launch.state.program.stage(launch.stage);
    let varyings = stage.map_or(&[][..], |stage| &stage.outputs);
    let layout = &interface.outputs;
    for (index, varying) in varyings.iter().enumerate() {
        let slot = compiler::ir_slot(varying.slot, 0);
        if matches!(varying.slot, Slot::Patch(_)) {
            let Some(at) = layout.patch_slot(slot) else { continue };
            for c in 0..4 {
                batch.patch_outputs.set(4 * index + c, lane, dword(bytes, at as usize + 4 * c));
            }
            continue;
        }
        let Some(at) = layout.vertex_slot(slot) else { continue };
        for (vertex, table) in batch.outputs.iter_mut().enumerate() {
            let first = at as usize + vertex * layout.vertex_bytes() as usize;
            (0..4).for_each(|c| table.set(4 * index + c, lane, dword(bytes, first + 4 * c)));
        }
    }
}
