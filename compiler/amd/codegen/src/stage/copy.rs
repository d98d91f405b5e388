//! The vertex program after a geometry stage: it loads emitted vertices of stream 0 from the ring
//! of outputs and exports them.

use super::destination::Destination;
use crate::machine::{File, ZERO, int};
use crate::output::{Resource, VertexInterface};
use crate::select::{BufferAddress, Selection, Step};
use amd_isa::Opcode;
use ir::Slot;

/// Bytes of a dword of 16 vertices, which the ring interleaves, times four groups of lanes.
const GROUP: u32 = 64;

/// Adds the program.
pub(crate) fn select(
    s: &mut Selection<'_>,
    outputs: &[(Slot, u8)],
    max_vertices: u32,
) -> Step<VertexInterface> {
    let vertex = s.e.fixed(File::Vector, 0, 1);
    if !outputs.is_empty() {
        let descriptor = s.descriptor(Resource::CopyRing)?;
        let lane = s.e.valu1(Opcode::VLshlrevB32, &[int(2).into(), vertex.into()]);
        let address = BufferAddress { descriptor, lane: Some(lane), wave: ZERO, constant: 0 };
        for (index, &place) in outputs.iter().enumerate() {
            let to = s.e.vector();
            s.load_dwords(&address, to, index as u32 * GROUP * max_vertices, 1, true);
            s.outputs.insert(place, to);
        }
    }
    let epilogue = s.epilogue;
    let block = s.e.label;
    s.e.program.blocks[block].logical.push(epilogue);
    Destination::Exports.finish(s)
}
