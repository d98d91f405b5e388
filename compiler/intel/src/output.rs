//! What a compilation hands over: code per width and the metadata from which thread payloads are built.
//!
//! Everything here is plain, serialisable data. A device that executes the code builds payloads, binding
//! tables and URB entries from these fields *only*; nothing may be re-derived from the source program. All
//! registers are 32 bytes, all slots 16 bytes (four dwords) unless a field says otherwise.

use serde::{Deserialize, Serialize};

/// A shader stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Vertex shader.
    Vertex,
    /// Tessellation control (hull) shader.
    TessControl,
    /// Tessellation evaluation (domain) shader.
    TessEval,
    /// Geometry shader.
    Geometry,
    /// Fragment (pixel) shader.
    Fragment,
    /// Compute shader.
    Compute,
}

/// How the invocations of one thread are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Width {
    /// Align16 SIMD4x2: two vertices (or one object) per thread, four components per register half.
    #[serde(rename = "vec4")]
    Vec4,
    /// Eight invocations per thread, one channel each.
    #[serde(rename = "SIMD8")]
    Simd8,
    /// Sixteen invocations per thread.
    #[serde(rename = "SIMD16")]
    Simd16,
    /// Thirty-two invocations per thread.
    #[serde(rename = "SIMD32")]
    Simd32,
}

impl Width {
    /// Channels that one instruction of full width processes (8 for [`Width::Vec4`]).
    #[must_use]
    pub fn channels(self) -> u8 {
        match self {
            Width::Vec4 | Width::Simd8 => 8,
            Width::Simd16 => 16,
            Width::Simd32 => 32,
        }
    }

    /// The width of one invocation per channel.
    #[must_use]
    pub fn simd(channels: u8) -> Width {
        match channels {
            0..=8 => Width::Simd8,
            9..=16 => Width::Simd16,
            _ => Width::Simd32,
        }
    }

    /// Name in statistics and results.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Width::Vec4 => "vec4",
            Width::Simd8 => "SIMD8",
            Width::Simd16 => "SIMD16",
            Width::Simd32 => "SIMD32",
        }
    }
}

/// One compiled shader stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Compiled {
    /// The stage.
    pub stage: Stage,
    /// One kernel per width, narrowest first. Never empty.
    pub kernels: Vec<Kernel>,
    /// Uniform data pushed into registers, in register order; the same for all widths.
    pub push: Vec<PushRange>,
    /// Surfaces by binding table index.
    pub bindings: Vec<Surface>,
    /// Sampler states by sampler index: the texture unit whose sampler it is.
    pub samplers: Vec<u32>,
    /// Stage-specific interface.
    pub interface: Interface,
}

/// Machine code for one width.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kernel {
    /// Layout of the invocations.
    pub width: Width,
    /// Native (uncompacted) instructions, 16 bytes each, entry point at 0.
    pub code: Vec<u8>,
    /// First GRF of the push constants ("dispatch GRF start"). After them follow the stage's inputs or setup.
    pub dispatch_grf_start: u32,
    /// Bytes of scratch memory one thread needs; 0 or a power of two of at least 1024.
    pub scratch_bytes: u32,
    /// Counts for statistics.
    pub statistics: Statistics,
    /// One remark per instruction of `code`, empty unless asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub annotations: Vec<String>,
}

/// Counts of one kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statistics {
    /// Instructions emitted.
    pub instructions: u32,
    /// Loops (WHILE instructions).
    pub loops: u32,
    /// Static estimate of cycles for one pass, loops weighted by ten.
    pub cycles: u32,
    /// Registers written to scratch (scratch write messages).
    pub spills: u32,
    /// Registers read back (scratch read messages).
    pub fills: u32,
    /// SEND-like instructions.
    pub sends: u32,
    /// GRFs that the program touches (highest number + 1).
    pub registers: u32,
    /// Largest number of GRFs live at once before anything was spilled.
    #[serde(default)]
    pub max_live: u32,
}

/// A run of uniform data that the hardware copies into registers before the thread starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PushRange {
    /// Uniform block: the `block` number of the IR's `load_ubo`.
    pub block: u32,
    /// First byte / 32 inside the block.
    pub start: u32,
    /// Number of 32-byte units, one register each. Bytes past the block's end read as zero.
    pub length: u32,
}

/// What a binding table index refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Surface {
    /// Colour buffer of this draw-buffer index.
    RenderTarget(u32),
    /// A surface that swallows writes (fragment shader without colour outputs).
    Null,
    /// Uniform block for pulls: raw bytes. Where it is read through the sampler (`ld`), the u coordinate is a
    /// byte offset and the texel the four dwords from there.
    UniformBlock(u32),
    /// Texture unit.
    Texture(u32),
    /// Shader storage block: raw bytes.
    StorageBlock(u32),
    /// Atomic counter buffer: raw bytes.
    AtomicBuffer(u32),
    /// Image unit.
    Image(u32),
    /// Number of work groups: three dwords, raw bytes.
    WorkGroupCount,
}

/// A varying as it travels between stages. Locations are those of the linked program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Varying {
    /// VUE slot 0: dword 1 layer (UD), dword 2 viewport index (UD), dword 3 point size (F).
    Header,
    /// `gl_Position`.
    Position,
    /// `gl_ClipDistance[0..4]`.
    ClipDistance0,
    /// `gl_ClipDistance[4..8]`.
    ClipDistance1,
    /// `gl_ClipVertex`, from which the clipper computes the distances to the user's planes.
    ClipVertex,
    /// Front colour, or `gl_Color` in the fragment shader (already selected by facing).
    Color0,
    /// Front secondary colour.
    Color1,
    /// Back colour.
    BackColor0,
    /// Back secondary colour.
    BackColor1,
    /// Fog coordinate (component x).
    FogCoord,
    /// `gl_TexCoord[n]`.
    TexCoord(u32),
    /// `gl_PointCoord` (generated by the rasteriser).
    PointCoord,
    /// `gl_PrimitiveID` as a flat fragment input (component x, UD).
    PrimitiveId,
    /// `gl_Layer` as a flat fragment input (component x, UD).
    Layer,
    /// `gl_ViewportIndex` as a flat fragment input (component x, UD).
    ViewportIndex,
    /// `gl_FrontFacing` does not travel; listed for foreign binaries that want it as an input.
    Facing,
    /// User varying at this location (one slot of four dwords).
    Generic(u32),
    /// Per-patch user varying at this location.
    Patch(u32),
    /// Tessellation levels header of a patch.
    TessLevelOuter,
    /// Inner tessellation levels.
    TessLevelInner,
    /// Unused slot, contents undefined.
    Pad,
}

/// Layout of a vertex URB entry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VueMap {
    /// Slots in order, 16 bytes each; slot 0 is [`Varying::Header`], slot 1 [`Varying::Position`].
    pub slots: Vec<Varying>,
}

impl VueMap {
    /// Slot number of `varying`.
    #[must_use]
    pub fn slot(&self, varying: Varying) -> Option<usize> {
        self.slots.iter().position(|&s| s == varying)
    }

    /// Size of an entry in 64-byte units (what the hardware allocates by), at least 1.
    #[must_use]
    pub fn entry_size(&self) -> u32 {
        (self.slots.len().div_ceil(4) as u32).max(1)
    }
}

/// Stage-specific part of the metadata.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Interface {
    /// Vertex stage.
    Vertex(VertexInterface),
    /// Fragment stage.
    Fragment(FragmentInterface),
    /// Geometry stage.
    Geometry(GeometryInterface),
    /// Compute stage.
    Compute(ComputeInterface),
    /// Tessellation control stage.
    TessControl(TessControlInterface),
    /// Tessellation evaluation stage.
    TessEval(TessEvalInterface),
}

impl Interface {
    /// The stage whose interface this is.
    #[must_use]
    pub fn stage(&self) -> Stage {
        match self {
            Interface::Vertex(_) => Stage::Vertex,
            Interface::Fragment(_) => Stage::Fragment,
            Interface::Geometry(_) => Stage::Geometry,
            Interface::Compute(_) => Stage::Compute,
            Interface::TessControl(_) => Stage::TessControl,
            Interface::TessEval(_) => Stage::TessEval,
        }
    }
}

/// Vertex payload after the push constants: one register per entry of `inputs` in vec4 kernels (vertex 0 in
/// dwords 0–3, vertex 1 in dwords 4–7), four registers per entry (x y z w, one channel per vertex) in SIMD8.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VertexInterface {
    /// Input slots in payload order.
    pub inputs: Vec<VertexInput>,
    /// Where the outputs go.
    pub outputs: VueMap,
}

/// One 16-byte slot of vertex input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VertexInput {
    /// Attribute of 32-bit components: dwords x y z w as fetched and converted, missing ones 0 0 0 1.
    Attribute {
        /// Generic attribute location.
        location: u32,
    },
    /// Half of an attribute of 64-bit components, as little-endian dword pairs: half 0 holds components
    /// x and y, half 1 z and w.
    Attribute64 {
        /// Generic attribute location.
        location: u32,
        /// 0 or 1.
        half: u32,
    },
    /// Dword 0: base vertex, 1: base instance, 2: vertex id counted from zero (without base vertex),
    /// 3: instance id. All D.
    SystemValues,
    /// Dword 0: draw id; dword 1: −1 when the draw is indexed, else 0.
    DrawParameters,
}

/// Barycentric coordinates in payload order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Barycentric {
    /// Perspective-correct at pixel centres.
    PerspectivePixel,
    /// Perspective-correct at centroids.
    PerspectiveCentroid,
    /// Perspective-correct at samples.
    PerspectiveSample,
    /// Screen-linear at pixel centres.
    LinearPixel,
    /// Screen-linear at centroids.
    LinearCentroid,
    /// Screen-linear at samples.
    LinearSample,
}

/// Fragment payload: g0 header; g1 (and g2 in SIMD32) subspans: pixel x, y of the upper-left corner of subspan
/// n in words 4+2n and 5+2n, dispatch mask in dword 7; then, each only if enabled and in this order, per 16
/// pixels (SIMD8: per 8): the [`Barycentric`] modes in order (b1 then b2: SIMD8 two registers, SIMD16 four as
/// b1₀₋₇ b2₀₋₇ b1₈₋₁₅ b2₈₋₁₅), source depth (one register per 8 pixels), source W (likewise), sample position
/// offsets (one register: 16 byte pairs), input coverage (one register per 8 pixels, UD); then push constants at
/// `dispatch_grf_start`; then two registers per entry of `inputs`: component c of input i is half a register at
/// dword 4·(c mod 2) of register 2·i + c/2, holding da/db1, da/db2, 0, a₀ (flat: 0 0 0 value in dword 3).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FragmentInterface {
    /// Inputs in setup order.
    pub inputs: Vec<FragmentInput>,
    /// Enabled barycentric modes, in enum order.
    pub barycentrics: Vec<Barycentric>,
    /// Payload has the interpolated depth (F).
    pub source_depth: bool,
    /// Payload has the interpolated W (F; `gl_FragCoord.w` is its reciprocal).
    pub source_w: bool,
    /// Payload has the sample position offsets (UB pairs in 1/16 pixel).
    pub sample_offsets: bool,
    /// Payload has the input coverage mask.
    pub input_coverage: bool,
    /// The shader runs once per sample.
    pub per_sample: bool,
    /// Discards pixels.
    pub uses_kill: bool,
    /// Writes depth.
    pub writes_depth: bool,
    /// Writes the sample mask.
    pub writes_sample_mask: bool,
    /// Second colour of dual-source blending is written.
    pub dual_source: bool,
    /// Fragment tests happen before the shader.
    pub early_tests: bool,
    /// Results depend on the order of invocations: one width is enough to run, and no two need agree.
    #[serde(default)]
    pub order_dependent: bool,
    /// Number of colour outputs written by render-target write messages (0: one message to a null surface).
    pub render_targets: u32,
}

/// One fragment input of four components.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FragmentInput {
    /// Which varying.
    pub varying: Varying,
    /// Constant over the primitive: the provoking vertex's value.
    pub flat: bool,
}

/// Compute interface. Payload: g0 (dwords 1, 6 and 7 the work group's number, dword 2 the barrier's number), push
/// constants, one register of the thread's own: the work group's size in dwords 0 to 2 if it varies, then (dword 3, or
/// 0) the thread's number in the work group. Channel c of thread n is invocation n × width + c.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComputeInterface {
    /// Invocations per work group in x, y and z; `None` if only the dispatch says.
    pub local_size: Option<[u32; 3]>,
    /// Bytes of shared memory.
    pub shared_size: u32,
    /// Results depend on the order of invocations: one width is enough to run, and no two need agree.
    #[serde(default)]
    pub order_dependent: bool,
}

/// Geometry interface. Payload of the vec4 kernels: g0, primitive id register when enabled, push constants,
/// inputs; or when these are pulled, a register of input handles after the primitive ids, a dword per vertex. Of SIMD8 kernels: g0, output handles (bits 31:27 the instance), primitive ids when enabled, a register
/// of input handles per vertex, push constants; all with a dword per channel.
///
/// An output entry holds the vertex count (dword 0 of 32 bytes of its own; SIMD8 kernels without
/// `static_vertex_count` only), the control data header, then the vertices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GeometryInterface {
    /// Layout of the input entries.
    pub inputs: VueMap,
    /// Vertices per input primitive.
    pub vertices_in: u32,
    /// Payload has a register of primitive ids.
    pub primitive_id: bool,
    /// Inputs of vec4 kernels are pulled: handles are in the payload instead of them.
    #[serde(default)]
    pub input_handles: bool,
    /// Layout of one output vertex.
    pub outputs: VueMap,
    /// Size of one output vertex in 32-byte units.
    pub output_vertex_size: u32,
    /// Maximum number of output vertices.
    pub max_vertices: u32,
    /// Output topology: 1 points, 3 line strip, 5 triangle strip.
    pub output_topology: u32,
    /// Control data header in 32-byte units, before the vertices.
    pub control_header_size: u32,
    /// Control data holds stream ids (2 bits per vertex) instead of cut bits.
    pub control_stream_ids: bool,
    /// Every thread emits this many vertices and writes no count.
    #[serde(default)]
    pub static_vertex_count: Option<u32>,
    /// Invocations per primitive.
    pub invocations: u32,
    /// Layout of the input registers.
    pub dispatch: GeometryDispatch,
}

/// How geometry threads get their objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GeometryDispatch {
    /// One primitive per thread, inputs two slots per register.
    #[default]
    Single,
    /// Two instances of one primitive per thread, inputs two slots per register.
    DualInstance,
    /// Two primitives per thread, inputs one slot per register.
    DualObject,
    /// Eight primitives per thread.
    Simd8,
}

/// Domain of a tessellated patch: it decides where the levels lie in the patch header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Hash, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TessDomain {
    /// Triangles.
    #[default]
    Triangles,
    /// Quads.
    Quads,
    /// Isolines.
    Isolines,
}

impl TessDomain {
    /// Dword of the patch header with outer level `n`; `None` if the domain has no such level. The hardware wants
    /// most of them in descending order (`brw_nir.c`, `remap_tess_levels`).
    #[must_use]
    pub fn outer_dword(self, n: u32) -> Option<u32> {
        match self {
            TessDomain::Triangles => (n < 3).then(|| 7 - n),
            TessDomain::Quads => (n < 4).then(|| 7 - n),
            TessDomain::Isolines => (n < 2).then(|| 6 + n),
        }
    }

    /// Dword of the patch header with inner level `n`; `None` if the domain has no such level.
    #[must_use]
    pub fn inner_dword(self, n: u32) -> Option<u32> {
        match self {
            TessDomain::Triangles => (n < 1).then_some(4),
            TessDomain::Quads => (n < 2).then(|| 3 - n),
            TessDomain::Isolines => None,
        }
    }
}

/// Slots of the patch header: eight dwords with the tessellation levels.
pub const PATCH_HEADER_SLOTS: usize = 2;

/// Layout of a patch URB entry: the header, the per-patch slots, then all slots of vertex 0, of vertex 1 and so on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatchMap {
    /// Slots of the patch, after the header.
    pub per_patch: Vec<Varying>,
    /// Slots of each vertex.
    pub per_vertex: Vec<Varying>,
}

impl PatchMap {
    /// Slot of a varying of the patch.
    #[must_use]
    pub fn patch_slot(&self, varying: Varying) -> Option<usize> {
        self.per_patch.iter().position(|&s| s == varying).map(|n| PATCH_HEADER_SLOTS + n)
    }

    /// Slot of a varying of vertex 0.
    #[must_use]
    pub fn vertex_slot(&self, varying: Varying) -> Option<usize> {
        self.per_vertex.iter().position(|&s| s == varying).map(|n| self.first_vertex_slot() + n)
    }

    /// First slot of vertex 0.
    #[must_use]
    pub fn first_vertex_slot(&self) -> usize {
        PATCH_HEADER_SLOTS + self.per_patch.len()
    }

    /// Slots of an entry with `vertices` vertices.
    #[must_use]
    pub fn slots(&self, vertices: usize) -> usize {
        self.first_vertex_slot() + vertices * self.per_vertex.len()
    }
}

/// Tessellation control interface. Payload: g0 (dword 0 the patch handle, dword 1 the primitive id, dword 2 bits
/// 23:17, on ivb 22:16, the thread's number), g1–g4 the handles of the input vertices, push constants. A SIMD8
/// thread runs eight invocations, a vec4 thread two; all of them are dispatched, even those past the last one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TessControlInterface {
    /// Layout of the input entries.
    pub inputs: VueMap,
    /// Input vertices of a patch.
    pub vertices_in: u32,
    /// Layout of the patch entry.
    pub outputs: PatchMap,
    /// Invocations: output vertices of a patch.
    pub vertices_out: u32,
    /// Threads of a patch.
    pub threads: u32,
    /// Where the levels go.
    pub domain: TessDomain,
}

/// Tessellation evaluation interface. Payload of SIMD8 kernels: g0 (dword 0 the patch handle, dword 1 the
/// primitive id), g1–g3 the tessellation coordinates, g4 output handles, push constants, the first
/// `pushed_slots` slots of the patch entry, two to a register. Of vec4 kernels: g0 (output handles), g1 (dwords
/// 0–2 and 4–6 the coordinates, dword 3 the patch handle, dword 7 the primitive id), then as above.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TessEvalInterface {
    /// Layout of the patch entry.
    pub inputs: PatchMap,
    /// Slots of it that are pushed; an even number.
    pub pushed_slots: u32,
    /// Where the levels lie.
    pub domain: TessDomain,
    /// Layout of an output vertex.
    pub outputs: VueMap,
}
