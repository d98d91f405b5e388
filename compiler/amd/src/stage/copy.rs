//! The vertex program behind a geometry stage: it loads emitted vertices of stream 0 from the ring
//! of outputs and exports them.

use super::destination::Destination;
use super::memory::{Access, load_from_buffer};
use crate::machine::{File, ZERO, int};
use crate::output::{Resource, VertexInterface};
use crate::select::{Selection, Step};
use gcn::Opcode;
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
        let address = s.e.valu1(Opcode::VLshlrevB32, &[int(2).into(), vertex.into()]);
        let access = Access { descriptor, address: Some(address), offset: ZERO };
        for (index, &place) in outputs.iter().enumerate() {
            let to = s.e.vector();
            load_from_buffer(s, &access, index as u32 * GROUP * max_vertices, to, 1);
            s.outputs.insert(place, to);
        }
    }
    let epilogue = s.epilogue;
    let block = s.e.label;
    s.e.program.blocks[block].logical.push(epilogue);
    Destination::Exports.finish(s)
}
