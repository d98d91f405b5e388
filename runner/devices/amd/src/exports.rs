//! Outputs of vertex, tessellation evaluation and copy programs: exports, or vertices in the ring
//! to the geometry stage or in the local data share.

use compiler::amd_codegen::output::{PositionExport, Resource, VertexInterface};
use gcn_simulator::{Export, Host, LANES};
use program::Slot;
use program::resource::Varying;
use raster::device::SoaTable;

use crate::memory::{Memory, StageBuffer, dword};

/// Targets of exports.
const POSITION: u8 = 12;
const PARAMETER: u8 = 32;
/// Bytes of a dword of all lanes in the ring.
const RING_ROW: usize = 4 * LANES;
/// Offset of the wave's part of the ring.
pub(crate) const RING_OFFSET: usize = 2 * RING_ROW;

/// Surroundings of a wave of vertices.
pub(crate) struct VertexHost<'a> {
    pub memory: Memory<'a>,
    pub exports: Vec<Export>,
}

impl Host for VertexHost<'_> {
    fn memory(&mut self) -> &mut dyn gcn_simulator::Memory {
        &mut self.memory
    }

    fn export(&mut self, export: Export) {
        self.exports.push(export);
    }
}

/// Returns the ring that the program writes, if it does.
pub(crate) fn ring(interface: &VertexInterface) -> Option<StageBuffer> {
    let rows = 4 * interface.memory.len();
    interface.ring_offset?;
    Some(StageBuffer::new(Resource::VertexRing, vec![0; RING_OFFSET + rows * RING_ROW]))
}

/// Takes the outputs of lanes, which `lanes` has as pairs of the wave's and the table's lane.
/// `local` is the local data share.
pub(crate) fn take(
    interface: &VertexInterface,
    host: &VertexHost<'_>,
    local: &[u8],
    varyings: &[Varying],
    lanes: &[(usize, usize)],
    outputs: &mut SoaTable,
) {
    let ring = host.memory.stage_buffer(Resource::VertexRing);
    let vertex_bytes = 16 * interface.memory.len();
    for (index, varying) in varyings.iter().enumerate() {
        for component in 0..4 {
            let row = 4 * index + component;
            if interface.memory.is_empty() {
                let place = place(interface, varying.slot, component);
                let Some((target, channel)) = place else { continue };
                let export = host.exports.iter().find(|export| export.target == target);
                let Some(values) = export.and_then(|export| export.channels[channel]) else {
                    continue;
                };
                lanes.iter().for_each(|&(from, to)| outputs.set(row, to, values[from]));
                continue;
            }
            let slot = compiler::ir_slot(varying.slot, 0);
            let Some(at) = interface.memory.iter().position(|&s| s == slot) else { continue };
            let at = 4 * at + component;
            for &(from, to) in lanes {
                let value = match ring {
                    Some(ring) => ring.dword(RING_OFFSET + RING_ROW * at + 4 * from),
                    None => dword(local, from * vertex_bytes + 4 * at),
                };
                outputs.set(row, to, value);
            }
        }
    }
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
