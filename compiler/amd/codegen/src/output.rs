//! Result of a compilation: machine code and the metadata from which initial registers are built.
//!
//! A device that executes the code builds registers, descriptors and memory from these fields
//! only; nothing may be derived again from the source program.

use amd_isa::{Chip, HardwareStage, ProgramFacts};
use ir::{IntrinsicOp, Slot};
use serde::{Deserialize, Serialize};
use vocabulary::LineTable;

pub use crate::interfaces::{
    PatchLayout, PositionExport, TessControlInterface, TessEvaluationInterface, VertexInterface,
};

/// One compiled shader stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Output {
    /// The chip.
    pub chip: Chip,
    /// Stage of the hardware that executes the program.
    pub stage: HardwareStage,
    /// The program, entry point at 0. On disk it is a file of its own.
    #[serde(skip)]
    pub words: Vec<u32>,
    /// Number of scalar registers, without VCC.
    pub scalars: u8,
    /// Number of vector registers.
    pub vectors: u16,
    /// Bytes of scratch memory per lane. Above [`MAX_PLAIN_SCRATCH`] the memory of the lanes is
    /// interleaved by dwords, in groups of 64 lanes.
    pub scratch_bytes: u32,
    /// Contents of the first scalar registers, which the driver sets.
    pub user_data: Vec<UserData>,
    /// The descriptor table that [`UserData::Table`] points to: entries in order.
    pub descriptors: Vec<Descriptor>,
    /// Registers and exports of the stage.
    pub interface: Interface,
    /// Counts.
    pub statistics: Statistics,
    /// Source lines of the instructions, by byte offset; empty for programs that were read, and in
    /// results of caches, which shaders share that differ in their lines alone.
    #[serde(skip)]
    pub lines: LineTable,
}

/// Maximum number of bytes of scratch memory per lane that a lane has in one piece: the stride of a
/// descriptor has 14 bits.
pub const MAX_PLAIN_SCRATCH: u32 = (1 << 14) - 4;
/// Bytes before the arrays of interleaved scratch memory, for spilled registers: instructions reach
/// them without another register.
pub(crate) const SPILL_AREA: u32 = 1 << 12;
/// Maximum number of bytes of scratch memory per lane: 64 MiB for a wave.
pub const MAX_SCRATCH: u32 = 1 << 20;

impl Output {
    /// Returns what `amd_isa::validate` wants to know of the program.
    pub fn facts(&self) -> ProgramFacts {
        ProgramFacts { stage: Some(self.stage), scalars: self.scalars, vectors: self.vectors }
    }
}

/// Interface of a geometry stage. v0, v1 and v3 to v6 are the offsets of the input vertices in the
/// ring, in dwords; v2 is the number of the primitive, v7 that of the invocation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GeometryInterface {
    /// Layout of a vertex in the ring of inputs.
    pub inputs: Vec<Slot>,
    /// Vertices of an input primitive.
    pub vertices_in: u32,
    /// Maximum number of vertices that an invocation emits.
    pub max_vertices: u32,
    /// Slots and components of a vertex in the ring of outputs, by stream.
    pub outputs: [Vec<(Slot, u8)>; 4],
    /// Scalar register with the offset in the ring of outputs; the next one has the wave's number.
    pub ring_offset: u8,
    /// Vertex program that exports the vertices of stream 0. Its v0 is the vertex's offset in the
    /// ring of outputs, in dwords.
    pub copy: Box<Output>,
}

impl GeometryInterface {
    /// Vector registers of the offsets of the input vertices.
    pub const VERTICES: [u8; 6] = [0, 1, 3, 4, 5, 6];
    /// Vector register of the primitive's number.
    pub const PRIMITIVE: u8 = 2;
    /// Vector register of the invocation's number.
    pub const INVOCATION: u8 = 7;
}

/// Value of scalar registers that the driver sets, from `register` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserData {
    /// First register.
    pub register: u8,
    /// The value.
    pub value: UserValue,
}

/// A value of the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UserValue {
    /// Address of the descriptor table: two dwords.
    Table,
    /// First vertex, added to vertex numbers: one dword.
    BaseVertex,
    /// First instance: one dword.
    BaseInstance,
    /// Number of the draw: one dword.
    DrawId,
    /// Number of work groups in x, y and z: three dwords.
    WorkgroupCount,
    /// Size of the work group in x, y and z: three dwords.
    WorkgroupSize,
    /// Vertices of a patch that the tessellation evaluation stage reads: one dword.
    PatchVertices,
    /// Bytes of a patch that the tessellation evaluation stage reads: one dword.
    PatchStride,
    /// Offset in the local data share of the output patches of the tessellation control stage: one
    /// dword.
    SharedOutputs,
    /// Descriptor of a buffer, as in the table: four dwords.
    Descriptor(Resource),
}

impl UserValue {
    /// Returns the value that an intrinsic reads.
    pub fn of(op: IntrinsicOp) -> Option<UserValue> {
        Some(match op {
            IntrinsicOp::BaseVertex => UserValue::BaseVertex,
            IntrinsicOp::BaseInstance => UserValue::BaseInstance,
            IntrinsicOp::DrawId => UserValue::DrawId,
            IntrinsicOp::NumWorkgroups => UserValue::WorkgroupCount,
            IntrinsicOp::WorkgroupSize => UserValue::WorkgroupSize,
            _ => return None,
        })
    }

    /// Returns the number of dwords.
    pub fn dwords(self) -> u8 {
        match self {
            UserValue::Table => 2,
            UserValue::WorkgroupCount | UserValue::WorkgroupSize => 3,
            UserValue::Descriptor(_) => 4,
            _ => 1,
        }
    }
}

/// An entry of the descriptor table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Descriptor {
    /// Offset in the table in bytes.
    pub offset: u32,
    /// The resource.
    pub resource: Resource,
}

/// A resource with a descriptor. Buffers have four dwords, images eight. Textures have eight and
/// after them the four of the sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resource {
    /// Uniform block: raw bytes; block 0 is the default uniform block.
    UniformBlock(u32),
    /// Shader storage block: raw bytes.
    StorageBlock(u32),
    /// Atomic counter buffer: raw bytes.
    AtomicBuffer(u32),
    /// Scratch memory: [`Output::scratch_bytes`] per lane, which the descriptor selects by the
    /// lane's number.
    Scratch,
    /// Texture and sampler of a sampler slot.
    Texture(u32),
    /// Image of an image slot.
    Image(u32),
    /// Vertex attribute: records of four dwords, indexed by the number in
    /// [`VertexInterface::FETCH_INDEX`].
    Attribute(u32),
    /// Ring into which vertices before a geometry stage are written: swizzled by dwords, with the
    /// lane's number added.
    VertexRing,
    /// The same ring for the geometry stage: raw bytes.
    InputRing,
    /// Ring into which a geometry stage writes a stream's vertices: swizzled by dwords in groups of
    /// 16 lanes, with the lane's number added.
    OutputRing(u8),
    /// The same ring for the program that exports stream 0: raw bytes.
    CopyRing,
    /// Buffer outside of the chip that has the patches between the tessellation stages: raw bytes.
    Patches,
    /// Ring of tessellation factors: raw bytes.
    Factors,
    /// Positions of samples: x and y of each relative to the pixel's center, in pixels, as floats.
    SamplePositions,
}

impl Resource {
    /// Bytes of an entry of the descriptor table.
    pub fn bytes(self) -> u32 {
        match self {
            Resource::Texture(_) => 64,
            Resource::Image(_) => 32,
            _ => 16,
        }
    }
}

/// Registers and exports of a stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Interface {
    /// Vertex stage.
    Vertex(VertexInterface),
    /// Tessellation control stage.
    TessControl(TessControlInterface),
    /// Tessellation evaluation stage.
    TessEvaluation(TessEvaluationInterface),
    /// Geometry stage.
    Geometry(GeometryInterface),
    /// Fragment stage.
    Fragment(FragmentInterface),
    /// Compute stage.
    Compute(ComputeInterface),
}

/// A value in vector registers at the start of a fragment shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PixelValue {
    /// Barycentric coordinates I and J, perspective-correct, at samples.
    PerspectiveSample,
    /// The same at pixel centers.
    PerspectiveCenter,
    /// The same at centroids.
    PerspectiveCentroid,
    /// I/w, J/w and 1/w at pixel centers: linear in window space.
    PullModel,
    /// I and J linear in window space, at samples.
    LinearSample,
    /// The same at pixel centers.
    LinearCenter,
    /// The same at centroids.
    LinearCentroid,
    /// Window coordinate x.
    PositionX,
    /// Window coordinate y.
    PositionY,
    /// Window coordinate z.
    PositionZ,
    /// Clip coordinate w.
    PositionW,
    /// Nonzero for front faces.
    FrontFace,
    /// Number of the sample in bits 11:8, layer in bits 26:16.
    Ancillary,
    /// Covered samples.
    Coverage,
}

impl PixelValue {
    /// Every value, in the order of the registers.
    pub const ALL: [PixelValue; 14] = [
        PixelValue::PerspectiveSample,
        PixelValue::PerspectiveCenter,
        PixelValue::PerspectiveCentroid,
        PixelValue::PullModel,
        PixelValue::LinearSample,
        PixelValue::LinearCenter,
        PixelValue::LinearCentroid,
        PixelValue::PositionX,
        PixelValue::PositionY,
        PixelValue::PositionZ,
        PixelValue::PositionW,
        PixelValue::FrontFace,
        PixelValue::Ancillary,
        PixelValue::Coverage,
    ];

    /// Returns the number of registers.
    pub fn registers(self) -> u8 {
        match self {
            PixelValue::PullModel => 3,
            value if value <= PixelValue::LinearCentroid => 2,
            _ => 1,
        }
    }
}

/// Fragment interface: vector registers as `values` says, from v0 on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FragmentInterface {
    /// Values in the vector registers, in order.
    pub values: Vec<PixelValue>,
    /// Scalar register of the primitive mask, which goes to M0.
    pub primitive_mask: u8,
    /// Attributes of interpolation by their numbers.
    pub inputs: Vec<FragmentInput>,
    /// Color buffers written, by the numbers of their exports.
    pub colors: Vec<ColorExport>,
    /// Depth is exported.
    pub writes_depth: bool,
    /// The stencil reference is exported.
    pub writes_stencil: bool,
    /// The sample mask is exported.
    pub writes_sample_mask: bool,
    /// Pixels can be discarded.
    pub uses_kill: bool,
    /// Runs once per sample.
    pub per_sample: bool,
    /// Depth and stencil tests come before the shader.
    pub early_tests: bool,
    /// Results depend on the order of invocations.
    pub order_dependent: bool,
}

/// An attribute of interpolation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FragmentInput {
    /// The slot.
    pub slot: Slot,
    /// Constant over the primitive: the provoking vertex's value.
    pub flat: bool,
}

/// A color export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ColorExport {
    /// Color buffer.
    pub location: u8,
    /// Source of dual-source blending: 0 or 1.
    pub index: u8,
    /// Target of the export.
    pub target: u8,
    /// Channels written.
    pub mask: u8,
}

/// Compute interface: v0 to v2 are the invocation's number in its group, scalar registers from
/// `workgroup_id` on the group's number in x, y and z.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComputeInterface {
    /// First scalar register of the group's number.
    pub workgroup_id: u8,
    /// Invocations per work group; zeros where only the dispatch defines them.
    pub local_size: [u32; 3],
    /// Bytes of shared memory.
    pub shared_size: u32,
}

/// Counts of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statistics {
    /// Instructions.
    pub instructions: u32,
    /// Instructions of the vector ALU.
    pub vector: u32,
    /// Instructions of the scalar ALU and of program control.
    pub scalar: u32,
    /// Accesses to memory.
    pub memory: u32,
    /// `s_waitcnt`.
    pub waits: u32,
    /// Scalar registers.
    pub scalars: u32,
    /// Vector registers.
    pub vectors: u32,
    /// Stores of vector registers that did not suffice.
    pub spills: u32,
    /// Loads of them.
    pub fills: u32,
}
