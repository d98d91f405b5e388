//! Vertex threads: payload from the batch, outputs from the URB.

use compiler::output::{Interface, VertexInput, VertexInterface, Width};
use program::Stage;
use simulator::{Kernel, Thread};
use softgl::device::{DeviceError, DrawState, VertexBatch};
use softgl::shader_io::ShaderIo;
use vocabulary::Phase;

use super::memory::Memory;
use super::threads::run_alone;
use super::urb::UrbHost;
use super::{Prepared, SimulatorDevice, push_constants, rejected, vue};

/// Runs a batch of vertices and returns the number of executed instructions.
pub(super) fn run(
    device: &mut SimulatorDevice,
    prepared: &Prepared,
    width: Width,
    kernel: &Kernel,
    state: &DrawState<'_>,
    batch: &mut VertexBatch,
    io: &mut dyn ShaderIo,
) -> Result<u64, DeviceError> {
    let Interface::Vertex(interface) = prepared.binary.interface() else {
        return Err(rejected(Phase::Encode, "vertex binary without a vertex interface".into()));
    };
    let info = prepared.metadata(width)?;
    let outputs = state.program.stage(Stage::Vertex).map_or(&[][..], |s| &s.outputs);
    let per_thread = if width == Width::Vec4 { 2 } else { 8 };
    let lanes: Vec<usize> = (0..batch.lanes).filter(|lane| batch.mask >> lane & 1 != 0).collect();
    let entry_dwords = interface.outputs.slots.len().max(1) * 4;
    let mut steps = 0;
    for group in lanes.chunks(per_thread) {
        let memory = Memory::new(&prepared.binary, state.program, io, info.scratch_bytes);
        let mut host = UrbHost::new(memory, vec![vec![0; entry_dwords]; per_thread], Vec::new());
        let thread = &mut device.thread;
        thread.reset(device.options.seed);
        let first = info.dispatch_grf_start as usize;
        let inputs = push_constants(thread, first, &prepared.binary.compiled.push, host.memory.io);
        if width == Width::Vec4 {
            thread.set_register(0, &header(&[0, 1]));
            fill(thread, interface, batch, group, |input, half, c| (inputs + input, half * 4 + c));
            thread.set_dispatch_mask(if group.len() == 2 { 0xff } else { 0x0f });
        } else {
            thread.set_register(0, &[0; 8]);
            thread.set_register(1, &std::array::from_fn(|i| i as u32));
            fill(thread, interface, batch, group, |input, channel, c| {
                (inputs + input * 4 + c, channel)
            });
            thread.set_dispatch_mask((1 << group.len()) - 1);
        }
        steps += run_alone(kernel, thread, &mut host, device.budget.after(steps))?;
        for (&lane, entry) in group.iter().zip(host.outputs()) {
            vue::read(&interface.outputs, outputs, entry, |row, value| {
                batch.outputs.set(row, lane, value)
            });
        }
    }
    Ok(steps)
}

/// Returns g0 with URB handles in its first dwords.
fn header(handles: &[u32]) -> [u32; 8] {
    let mut register = [0; 8];
    register[..handles.len()].copy_from_slice(handles);
    register
}

/// Returns the four dwords of one input of one vertex.
fn input_dwords(input: VertexInput, batch: &VertexBatch, lane: usize) -> [u32; 4] {
    let slot = |n: u32| {
        let row = n as usize * 4;
        std::array::from_fn(|c| batch.inputs.find(row + c, lane).unwrap_or(0))
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

/// Writes the inputs of a group's vertices: `place` returns register and dword of a component by
/// the input's number, the vertex in the thread and the component.
fn fill(
    thread: &mut Thread,
    interface: &VertexInterface,
    batch: &VertexBatch,
    group: &[usize],
    place: impl Fn(usize, usize, usize) -> (usize, usize),
) {
    for (i, &input) in interface.inputs.iter().enumerate() {
        for (vertex, &lane) in group.iter().enumerate() {
            for (c, value) in input_dwords(input, batch, lane).into_iter().enumerate() {
                let (register, dword) = place(i, vertex, c);
                thread.set_dword(register, dword, value);
            }
        }
    }
}
