//! Vertex threads: payload from the batch, outputs from the URB.

use compiler::output::{Interface, Varying, VertexInput, VertexInterface, VueMap, Width};
use program::{Slot, Stage};
use simulator::{Kernel, Outcome};
use softgl::device::{DeviceError, DrawState, VertexBatch};
use softgl::services::Services;

use super::memory::Memory;
use super::urb::UrbHost;
use super::{Prepared, SimulatorDevice, layer, push_constants, simulation_error};

/// Runs a batch of vertices; gives the instructions executed.
pub(super) fn run(
    device: &mut SimulatorDevice,
    prepared: &Prepared,
    width: Width,
    kernel: &Kernel,
    state: &DrawState<'_>,
    batch: &mut VertexBatch,
    services: &mut dyn Services,
) -> Result<u64, DeviceError> {
    let Interface::Vertex(interface) = prepared.binary.interface() else {
        return Err(layer("encode", "vertex binary without a vertex interface".into()));
    };
    let info =
        prepared.binary.kernel(width).ok_or_else(|| layer("encode", "kernel without metadata".into()))?;
    let per_thread = if width == Width::Vec4 { 2 } else { 8 };
    let lanes: Vec<usize> = (0..batch.lanes).filter(|lane| batch.mask >> lane & 1 != 0).collect();
    let entry_dwords = interface.outputs.slots.len().max(1) * 4;
    let mut steps = 0;
    for group in lanes.chunks(per_thread) {
        let memory = Memory::new(&prepared.binary, state.program, services, info.scratch_bytes);
        let mut host = UrbHost::new(memory, vec![vec![0; entry_dwords]; per_thread], Vec::new());
        let thread = &mut device.thread;
        thread.reset(device.options.seed);
        let first = info.dispatch_grf_start as usize;
        let inputs = push_constants(thread, first, &prepared.binary.compiled.push, host.memory.services);
        if width == Width::Vec4 {
            thread.set_register(0, &header(&[0, 1]));
            fill_vec4(thread, inputs, interface, batch, group);
            thread.set_dispatch_mask(if group.len() == 2 { 0xff } else { 0x0f });
        } else {
            thread.set_register(0, &[0; 8]);
            thread.set_register(1, &std::array::from_fn(|i| i as u32));
            fill_simd8(thread, inputs, interface, batch, group);
            thread.set_dispatch_mask((1 << group.len()) - 1);
        }
        match kernel
            .run(thread, &mut host, device.options.budget.saturating_sub(steps))
            .map_err(simulation_error)?
        {
            Outcome::Done { steps: executed } => steps += executed,
            Outcome::Barrier { .. } => return Err(layer("simulate", "barrier in a vertex shader".into())),
        }
        for (&lane, entry) in group.iter().zip(host.outputs()) {
            read_outputs(state, &interface.outputs, entry, batch, lane);
        }
    }
    Ok(steps)
}

/// g0 with URB handles in its first dwords.
fn header(handles: &[u32]) -> [u32; 8] {
    let mut register = [0; 8];
    register[..handles.len()].copy_from_slice(handles);
    register
}

/// The four dwords of one input of one vertex.
fn input_dwords(input: VertexInput, batch: &VertexBatch, lane: usize) -> [u32; 4] {
    let slot = |n: u32| {
        let row = n as usize * 4;
        std::array::from_fn(
            |c| if row + c < batch.inputs.rows() { batch.inputs.get(row + c, lane) } else { 0 },
        )
    };
    let id = batch.vertex_id.get(lane).copied().unwrap_or(0);
    match input {
        VertexInput::Attribute { location } => slot(location),
        VertexInput::Attribute64 { location, half } => slot(location + half),
        VertexInput::SystemValues => [
            batch.base_vertex,
            batch.base_instance,
            id.wrapping_sub(batch.base_vertex),
            batch.instance_id.get(lane).copied().unwrap_or(0),
        ],
        VertexInput::DrawParameters => [batch.draw_id, u32::MAX, 0, 0],
    }
}

fn fill_vec4(
    thread: &mut simulator::Thread,
    first: usize,
    interface: &VertexInterface,
    batch: &VertexBatch,
    group: &[usize],
) {
    for (i, &input) in interface.inputs.iter().enumerate() {
        for (half, &lane) in group.iter().enumerate() {
            for (c, value) in input_dwords(input, batch, lane).into_iter().enumerate() {
                thread.set_dword(first + i, half * 4 + c, value);
            }
        }
    }
}

fn fill_simd8(
    thread: &mut simulator::Thread,
    first: usize,
    interface: &VertexInterface,
    batch: &VertexBatch,
    group: &[usize],
) {
    for (i, &input) in interface.inputs.iter().enumerate() {
        for (channel, &lane) in group.iter().enumerate() {
            for (c, value) in input_dwords(input, batch, lane).into_iter().enumerate() {
                thread.set_dword(first + i * 4 + c, channel, value);
            }
        }
    }
}

/// Where a slot lies in a vertex entry: slot number and first dword.
pub(super) fn vue_position(map: &VueMap, slot: Slot) -> Option<(usize, usize)> {
    let header = |dword| Some((0, dword));
    match slot {
        Slot::Layer => header(1),
        Slot::ViewportIndex | Slot::ViewportMask => header(2),
        Slot::PointSize => header(3),
        other => map.slot(compiler::varying(other)).map(|n| (n, 0)),
    }
}

fn read_outputs(state: &DrawState<'_>, map: &VueMap, entry: &[u32], batch: &mut VertexBatch, lane: usize) {
    let outputs = state.program.stage(Stage::Vertex).map_or(&[][..], |s| &s.outputs);
    for (index, output) in outputs.iter().enumerate() {
        let Some((slot, first)) = vue_position(map, output.slot) else { continue };
        for c in 0..4 - first {
            if let Some(&value) = entry.get(slot * 4 + first + c) {
                batch.outputs.set(index * 4 + c, lane, value);
            }
            // Header fields are single components.
            if slot == 0 && map.slots.first() == Some(&Varying::Header) {
                break;
            }
        }
    }
}
