//! Interfaces of the stages before rasterization: registers at the start, and the layouts of rings,
//! local data share and buffers through which the stages pass vertices and patches.

use ir::Slot;
use serde::{Deserialize, Serialize};

/// Dwords of a slot.
const SLOT_DWORDS: u32 = 4;

/// Interface of a vertex stage. v0 is the number of the vertex without the base vertex, v1 that of
/// the instance without the base instance, v2 the primitive, v3 the index of the attributes'
/// records. Before a tessellation control stage v1 is the number of the vertex in the work group
/// and v2 the instance.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VertexInterface {
    /// Slots of the parameter exports, in order.
    pub parameters: Vec<Slot>,
    /// Slots of the position exports 0 to 3: position, the vector of point size (x), edge flag (y),
    /// layer (z) and viewport (w), distances.
    pub positions: Vec<PositionExport>,
    /// Layout of a vertex in the ring or the local data share, if a stage reads it there.
    pub memory: Vec<Slot>,
    /// Scalar register with the offset of the wave's part of the ring, if there is one.
    pub ring_offset: Option<u8>,
}

impl VertexInterface {
    /// Register with the index of the attributes' records.
    pub const FETCH_INDEX: u8 = 3;
}

/// Content of a position export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PositionExport {
    /// `gl_Position`.
    Position,
    /// Point size (x), edge flag (y), layer (z), viewport (w).
    Miscellaneous,
    /// Clip or cull distances of this slot.
    Distances(Slot),
}

/// Layout of a patch in memory: its own slots, then those of each vertex.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatchLayout {
    /// Slots of the patch.
    pub patch: Vec<Slot>,
    /// Slots of a vertex.
    pub vertex: Vec<Slot>,
}

impl PatchLayout {
    /// Returns the bytes of a vertex.
    pub fn vertex_bytes(&self) -> u32 {
        self.vertex.len() as u32 * 4 * SLOT_DWORDS
    }

    /// Returns the bytes of a patch with this number of vertices.
    pub fn patch_bytes(&self, vertices: u32) -> u32 {
        self.patch.len() as u32 * 4 * SLOT_DWORDS + vertices * self.vertex_bytes()
    }

    /// Returns the offset in bytes of a slot of the patch.
    pub fn patch_slot(&self, slot: Slot) -> Option<u32> {
        offset_of(&self.patch, slot)
    }

    /// Returns the offset in bytes of a slot of a patch's first vertex.
    pub fn vertex_slot(&self, slot: Slot) -> Option<u32> {
        offset_of(&self.vertex, slot).map(|offset| offset + self.patch_bytes(0))
    }
}

/// Returns the offset in bytes of a slot in a list.
pub fn offset_of(slots: &[Slot], slot: Slot) -> Option<u32> {
    slots.iter().position(|&s| s == slot).map(|index| index as u32 * 4 * SLOT_DWORDS)
}

/// Interface of a tessellation control stage. v0 is the number of the primitive; v1 has the number
/// of the patch in the work group in bits 7:0 and that of the invocation in bits 12:8. Input
/// patches are in the local data share from 0 on, one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TessControlInterface {
    /// Layout of a vertex of an input patch in the local data share.
    pub inputs: Vec<Slot>,
    /// Vertices of an input patch.
    pub vertices_in: u32,
    /// Vertices of an output patch.
    pub vertices_out: u32,
    /// Layout of output patches in the buffer outside of the chip.
    pub outputs: PatchLayout,
    /// Layout of output patches in the local data share: slots that the stage reads.
    pub shared: PatchLayout,
    /// Numbers of the outer levels in the factors of a patch, in order.
    pub outer: Vec<u8>,
    /// Numbers of the inner levels, after the outer ones.
    pub inner: Vec<u8>,
    /// Scalar register with the offset in the buffer outside of the chip; the next one has that in
    /// the ring of tessellation factors.
    pub offsets: u8,
}

impl TessControlInterface {
    /// Returns the bytes of an input patch in the local data share.
    pub fn input_bytes(&self) -> u32 {
        self.vertices_in * self.inputs.len() as u32 * 4 * SLOT_DWORDS
    }
}

/// Interface of a tessellation evaluation stage. v0 and v1 are the coordinates u and v, v2 is the
/// number of the patch in the buffer outside of the chip, v3 that of the primitive.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TessEvaluationInterface {
    /// Outputs.
    pub vertex: VertexInterface,
    /// Layout of patches in the buffer outside of the chip.
    pub inputs: PatchLayout,
    /// Scalar register with the offset in that buffer.
    pub buffer_offset: u8,
}
