//! Vertex threads: payload from the batch, outputs from the URB.

use compiler::output::{Interface, VertexInput, VertexInterface, Width};
use eu_simulator::Thread;
use program::Stage;
use raster::device::{DeviceError, VertexBatch};
use raster::shader_io::ShaderIo;
use vocabulary::Phase;

use crate::errors::rejected;
use crate::launch::{Launch, lanes};
use crate::urb::UrbHost;
use crate::vue;

/// Runs a batch of vertices and returns the number of executed instructions.
pub(crate) fn run(
    launch: &Launch<'_>,
    thread: &mut Thread,
    batch: &mut VertexBatch,
    io: &mut dyn ShaderIo,
) -> Result<u64, DeviceError> {
    let Interface::Vertex(interface) = launch.prepared.binary.interface() else {
        return Err(rejected(Phase::Encode, "vertex binary without a vertex interface".into()));
    };
    let outputs = launch.program.stage(Stage::Vertex).map_or(&[][..], |s| &s.outputs);
    let per_thread = launch.vertices_per_thread();
    let entry_dwords = interface.outputs.slots.len().max(1) * 4;
    let mut steps = 0;
    for group in lanes(batch.lanes, batch.mask).chunks(per_thread) {
        let entries = vec![vec![0; entry_dwords]; per_thread];
        let mut host = UrbHost::new(launch.memory(io), entries, Vec::new());
        launch.reset(thread);
        let inputs = launch.push_constants(thread, host.memory.io);
        if launch.width == Width::Vec4 {
            thread.set_register(0, &header(&[0, 1]));
            fill(thread, interface, batch, group, |input, half, c| (inputs + input, half * 4 + c));
        } else {
            thread.set_register(0, &[0; 8]);
            thread.set_register(1, &std::array::from_fn(|i| i as u32));
            fill(thread, interface, batch, group, |input, channel, c| {
                (inputs + input * 4 + c, channel)
            });
        }
        launch.enable(thread, group.len());
        steps += launch.run(thread, &mut host, steps)?;
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
