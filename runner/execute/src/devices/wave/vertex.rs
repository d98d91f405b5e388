//! Waves of vertices: registers from the batch, outputs from the exports.

use compiler::amd::output::{Interface, PositionExport, UserValue, VertexInterface};
use program::Slot;
use softgl::device::{DeviceError, VertexBatch};
use softgl::shader_io::ShaderIo;
use wave::{Export, Host, ImageAccess};

use super::launch::Launch;
use super::memory::Memory;

/// Targets of exports.
const POSITION: u8 = 12;
const PARAMETER: u8 = 32;

/// Runs a batch of vertices and returns the number of executed instructions.
pub(super) fn run(
    launch: &Launch<'_>,
    batch: &mut VertexBatch,
    io: &mut dyn ShaderIo,
) -> Result<u64, DeviceError> {
    let output = &launch.prepared.output;
    let Interface::Vertex(interface) = &output.interface else {
        return Err(DeviceError::Execution("no vertex program".into()));
    };
    let mut wave = launch.wave(batch.mask);
    for lane in 0..batch.lanes.min(wave::LANES) {
        let id = batch.vertex_id.get(lane).copied().unwrap_or(0);
        wave.vector[0][lane] = id.wrapping_sub(batch.base_vertex);
        wave.vector[1][lane] = batch.instance_id.get(lane).copied().unwrap_or(0);
        wave.vector[usize::from(VertexInterface::FETCH_INDEX)][lane] = lane as u32;
    }
    launch.set_user_data(&mut wave, |value| match value {
        UserValue::BaseVertex => [batch.base_vertex, 0, 0],
        UserValue::BaseInstance => [batch.base_instance, 0, 0],
        UserValue::DrawId => [batch.draw_id, 0, 0],
        _ => [0; 3],
    });
    let inputs = &batch.inputs;
    let attributes = |number: u32, lane: usize, component: usize| {
        let row = number as usize * 4 + component;
        if lane < inputs.lanes() { inputs.find(row, lane).unwrap_or(0) } else { 0 }
    };
    let memory = Memory::new(io, output, launch.state.program, &attributes);
    let mut host = VertexHost { memory, exports: Vec::new() };
    let steps = launch.run(&mut wave, &mut host, 0)?;
    let exports = host.exports;
    let stage = launch.state.program.stage(launch.stage);
    let slots = stage.map_or(&[][..], |stage| &stage.outputs);
    for (index, varying) in slots.iter().enumerate() {
        for component in 0..4 {
            let Some((target, channel)) = place(interface, varying.slot, component) else {
                continue;
            };
            let export = exports.iter().find(|export| export.target == target);
            let Some(values) = export.and_then(|export| export.channels[channel]) else { continue };
            for lane in (0..batch.lanes).filter(|&lane| batch.mask >> lane & 1 != 0) {
                batch.outputs.set(index * 4 + component, lane, values[lane]);
            }
        }
    }
    Ok(steps)
}

/// Target and channel of a component of an output.
fn place(interface: &VertexInterface, slot: Slot, component: usize) -> Option<(u8, usize)> {
    let position = |wanted: PositionExport| {
        let index = interface.positions.iter().position(|export| *export == wanted)?;
        Some(POSITION + index as u8)
    };
    let channel = match slot {
        Slot::PointSize => Some(0),
        Slot::Layer => Some(2),
        Slot::ViewportIndex => Some(3),
        _ => None,
    };
    if let Some(channel) = channel {
        let target = position(PositionExport::Miscellaneous)?;
        return (component == 0).then_some((target, channel));
    }
    let slot = compiler::ir_slot(slot, 0);
    let target = position(PositionExport::Distances(slot)).or_else(|| {
        let index = interface.parameters.iter().position(|parameter| *parameter == slot)?;
        Some(PARAMETER + index as u8)
    });
    let is_position = slot == compiler::ir_slot(Slot::Position, 0);
    let target = if is_position { position(PositionExport::Position) } else { target };
    Some((target?, component))
}

struct VertexHost<'a> {
    memory: Memory<'a>,
    exports: Vec<Export>,
}

impl Host for VertexHost<'_> {
    fn read(&mut self, address: u64, bytes: &mut [u8]) -> bool {
        self.memory.read(address, bytes)
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        self.memory.write(address, bytes)
    }

    fn image(&mut self, access: &ImageAccess) -> Result<[u32; 4], String> {
        self.memory.image(access)
    }

    fn export(&mut self, export: Export) {
        self.exports.push(export);
    }
}
