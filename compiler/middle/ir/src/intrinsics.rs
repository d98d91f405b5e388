//! The one list of intrinsics: memory, interface, system values and side effects.
//!
//! Each row declares sources, result, the constant fields ([`Fields`]) that mean something for it,
//! and its properties. Offsets are bytes for memory and slots for inputs and outputs. Sources are
//! whole values without swizzles. Memory accesses move 8-, 16-, 32- or 64-bit components; inputs
//! and outputs are 32-bit.

use crate::ids::{Local, Value};
use crate::info::{Dim, Location};
use crate::names::named_enum;
use crate::slot::Slot;
use smallvec::SmallVec;

/// Shape rule of an intrinsic's source or result; 0 means any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueShape {
    /// Width in bits.
    pub bits: u8,
    /// Components.
    pub components: u8,
}

const fn shape(bits: u8, components: u8) -> ValueShape {
    ValueShape { bits, components }
}

const ANY: ValueShape = shape(0, 0);
const BOOL: ValueShape = shape(1, 1);
const U32: ValueShape = shape(32, 1);
const UVEC2: ValueShape = shape(32, 2);
const UVEC3: ValueShape = shape(32, 3);
const VEC4: ValueShape = shape(32, 4);
const ANY32: ValueShape = shape(32, 0);
const SCALAR: ValueShape = shape(0, 1);

named_enum! {
    /// Constant field of an intrinsic.
    pub enum Field {
        /// [`Fields::base`].
        Base = "base",
        /// [`Fields::align`].
        Align = "align",
        /// [`Fields::slot`].
        Slot = "slot",
        /// [`Fields::component`].
        Component = "component",
        /// [`Fields::write_mask`].
        WriteMask = "mask",
        /// [`Fields::stream`].
        Stream = "stream",
        /// [`Fields::atomic`].
        Atomic = "atomic",
        /// [`Fields::dim`].
        Dim = "dim",
        /// [`Fields::array`].
        Array = "array",
        /// [`Fields::format`].
        Format = "format",
        /// [`Fields::access`].
        Access = "access",
        /// [`Fields::location`].
        Location = "location",
        /// [`Fields::linear`].
        Linear = "linear",
        /// [`Fields::local`].
        Local = "local",
        /// [`Fields::scope`].
        Scope = "scope",
    }
}

named_enum! {
    /// Atomic operation.
    pub enum AtomicOp {
        /// Integer addition.
        Add = "add",
        /// Signed minimum.
        Imin = "imin",
        /// Unsigned minimum.
        Umin = "umin",
        /// Signed maximum.
        Imax = "imax",
        /// Unsigned maximum.
        Umax = "umax",
        /// And.
        And = "and",
        /// Or.
        Or = "or",
        /// Exclusive or.
        Xor = "xor",
        /// Exchange.
        Exchange = "exchange",
        /// Compare and exchange; only in the `_swap` intrinsics.
        CompareExchange = "compare_exchange",
        /// Minimum of 32-bit floats.
        Fmin = "fmin",
        /// Maximum of 32-bit floats.
        Fmax = "fmax",
        /// Compare and exchange of 32-bit floats; only in the `_swap` intrinsics, whose other
        /// operations compare bits.
        FcompareExchange = "fcompare_exchange",
    }
}

/// Access qualifier bit: `coherent`.
pub const ACCESS_COHERENT: u8 = 1;
/// Access qualifier bit: `volatile`.
pub const ACCESS_VOLATILE: u8 = 2;
/// Access qualifier bit: `restrict`.
pub const ACCESS_RESTRICT: u8 = 4;

/// Memory-barrier scope bit: storage and uniform buffers.
pub const SCOPE_BUFFER: u8 = 1;
/// Memory-barrier scope bit: images.
pub const SCOPE_IMAGE: u8 = 2;
/// Memory-barrier scope bit: shared memory.
pub const SCOPE_SHARED: u8 = 4;
/// Memory-barrier scope bit: atomic counters.
pub const SCOPE_ATOMIC: u8 = 8;

/// Constant fields. Only those the intrinsic's row names mean something; the others keep their
/// defaults.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fields {
    /// Constant added to the offset (bytes), or the binding of an atomic counter.
    pub base: u32,
    /// Known alignment of the whole address in bytes, a power of two; 0 means that of the
    /// component.
    pub align: u32,
    /// Input or output slot.
    pub slot: Slot,
    /// First component within the slot.
    pub component: u8,
    /// Components written, bit 0 the value's first.
    pub write_mask: u8,
    /// Geometry stream.
    pub stream: u8,
    /// Atomic operation.
    pub atomic: AtomicOp,
    /// Image shape.
    pub dim: Dim,
    /// Image array.
    pub array: bool,
    /// Image format as a GL internal-format enumerant; 0 if unknown.
    pub format: u32,
    /// Access qualifiers, `ACCESS_*`.
    pub access: u8,
    /// Point at which barycentrics are evaluated.
    pub location: Location,
    /// Barycentrics linear in window space instead of perspective-correct.
    pub linear: bool,
    /// Local variable.
    pub local: Option<Local>,
    /// Memory-barrier scope, `SCOPE_*`.
    pub scope: u8,
}

impl Default for Fields {
    fn default() -> Self {
        Fields {
            base: 0,
            align: 0,
            slot: Slot::Position,
            component: 0,
            write_mask: 0,
            stream: 0,
            atomic: AtomicOp::Add,
            dim: Dim::D2,
            array: false,
            format: 0,
            access: 0,
            location: Location::Pixel,
            linear: false,
            local: None,
            scope: 0,
        }
    }
}

/// An intrinsic instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Intrinsic {
    /// Which.
    pub op: IntrinsicOp,
    /// As many as the row has.
    pub srcs: SmallVec<[Value; 4]>,
    /// Constant fields.
    pub fields: Box<Fields>,
}

/// Has effects beyond its result.
const EFFECT: u8 = 1;
/// Same sources, same result, at any time in the invocation.
const PURE: u8 = 2;
/// Depends on which invocations are active.
const CONV: u8 = 4;
/// A system value: no sources, constant over the invocation.
const SYSTEM: u8 = 8;

/// Everything the table says about one intrinsic.
#[derive(Debug)]
pub struct IntrinsicInfo {
    /// Name in the text form.
    pub name: &'static str,
    /// Source shapes.
    pub srcs: &'static [ValueShape],
    /// Result shape, if it has one.
    pub result: Option<ValueShape>,
    /// Constant fields that mean something.
    pub fields: &'static [Field],
    props: u8,
}

impl IntrinsicInfo {
    /// Must not be removed although its result is unused.
    pub fn has_side_effects(&self) -> bool {
        self.props & EFFECT != 0
    }

    /// May be merged with an equal one and moved within its control flow.
    pub fn is_pure(&self) -> bool {
        self.props & (PURE | SYSTEM) != 0
    }

    /// Depends on which invocations are active.
    pub fn is_convergent(&self) -> bool {
        self.props & CONV != 0
    }

    /// Reads a system value.
    pub fn is_system_value(&self) -> bool {
        self.props & SYSTEM != 0
    }
}

/// Declares [`IntrinsicOp`] and its table.
macro_rules! intrinsics {
    ($($(#[$meta:meta])* $variant:ident $name:ident ( $($src:ident : $shape:expr),* ) $(-> $result:expr)?,
       [$($field:ident),*], $props:expr;)*) => {
        /// Intrinsic operation; see [`IntrinsicInfo`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum IntrinsicOp { $($(#[$meta])* $variant,)* }

        static INFOS: &[IntrinsicInfo] = &[$(IntrinsicInfo {
            name: stringify!($name),
            srcs: &[$($shape),*],
            result: intrinsics!(@result $($result)?),
            fields: &[$(Field::$field),*],
            props: $props,
        },)*];

        impl IntrinsicOp {
            /// Every intrinsic in table order.
            pub const ALL: &'static [IntrinsicOp] = &[$(IntrinsicOp::$variant,)*];

            /// The intrinsic with this name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $(stringify!($name) => Some(IntrinsicOp::$variant),)* _ => None }
            }
        }
    };
    (@result) => { None };
    (@result $result:expr) => { Some($result) };
}

intrinsics! {
    // Memory.
    /// Uniform block load; block 0 is the default uniform block.
    LoadUbo load_ubo(block: U32, offset: U32) -> ANY, [Base, Align], PURE;
    /// Storage block load.
    LoadSsbo load_ssbo(block: U32, offset: U32) -> ANY, [Base, Align, Access], 0;
    /// Storage block store.
    StoreSsbo store_ssbo(value: ANY, block: U32, offset: U32), [Base, Align, WriteMask, Access], EFFECT;
    /// Storage block atomic; gives the old value.
    SsboAtomic ssbo_atomic(block: U32, offset: U32, data: SCALAR) -> SCALAR, [Base, Atomic], EFFECT;
    /// Storage block compare-and-swap; gives the old value.
    SsboAtomicSwap ssbo_atomic_swap(block: U32, offset: U32, compare: SCALAR, data: SCALAR) -> SCALAR, [Base, Atomic], EFFECT;
    /// Size of a storage block in bytes.
    SsboSize ssbo_size(block: U32) -> U32, [], PURE;
    /// Shared memory load.
    LoadShared load_shared(offset: U32) -> ANY, [Base, Align], 0;
    /// Shared memory store.
    StoreShared store_shared(value: ANY, offset: U32), [Base, Align, WriteMask], EFFECT;
    /// Shared memory atomic; gives the old value.
    SharedAtomic shared_atomic(offset: U32, data: SCALAR) -> SCALAR, [Base, Atomic], EFFECT;
    /// Shared memory compare-and-swap; gives the old value.
    SharedAtomicSwap shared_atomic_swap(offset: U32, compare: SCALAR, data: SCALAR) -> SCALAR, [Base, Atomic], EFFECT;
    /// Per-invocation scratch load.
    LoadScratch load_scratch(offset: U32) -> ANY, [Base, Align], 0;
    /// Per-invocation scratch store.
    StoreScratch store_scratch(value: ANY, offset: U32), [Base, Align, WriteMask], EFFECT;
    /// Element of a local variable; any value if the index is out of range.
    LoadLocal load_local(index: U32) -> ANY, [Local], 0;
    /// Element of a local variable; nothing happens if the index is out of range.
    StoreLocal store_local(value: ANY, index: U32), [Local, WriteMask], EFFECT;
    /// Atomic counter value; `base` is the binding, `offset` bytes within its buffer.
    CounterRead counter_read(offset: U32) -> U32, [Base], 0;
    /// Atomic counter operation; gives the old value.
    CounterAtomic counter_atomic(offset: U32, data: U32) -> U32, [Base, Atomic], EFFECT;
    /// Atomic counter compare-and-swap; gives the old value.
    CounterAtomicSwap counter_atomic_swap(offset: U32, compare: U32, data: U32) -> U32, [Base], EFFECT;

    // Interface. `offset` counts slots from the field's slot.
    /// Vertex attribute, flat or per-patch input.
    LoadInput load_input(offset: U32) -> ANY32, [Slot, Component], PURE;
    /// Input of one vertex of the primitive or patch.
    LoadPerVertexInput load_per_vertex_input(vertex: U32, offset: U32) -> ANY32, [Slot, Component], PURE;
    /// Interpolated fragment input.
    LoadInterpolatedInput load_interpolated_input(bary: UVEC2, offset: U32) -> ANY32, [Slot, Component], PURE;
    /// Barycentric coordinates at a point of the pixel.
    LoadBarycentric load_barycentric() -> UVEC2, [Location, Linear], SYSTEM;
    /// Barycentric coordinates at a sample.
    LoadBarycentricAtSample load_barycentric_at_sample(sample: U32) -> UVEC2, [Linear], PURE;
    /// Barycentric coordinates at an offset from the pixel center, in pixels (floats).
    LoadBarycentricAtOffset load_barycentric_at_offset(offset: UVEC2) -> UVEC2, [Linear], PURE;
    /// Output of this invocation (per-patch output in the control stage).
    StoreOutput store_output(value: ANY32, offset: U32), [Slot, Component, WriteMask, Stream], EFFECT;
    /// Output of one vertex of the control stage's patch.
    StorePerVertexOutput store_per_vertex_output(value: ANY32, vertex: U32, offset: U32), [Slot, Component, WriteMask], EFFECT;
    /// Reads an output back: per-patch output of the control stage, or the framebuffer's value.
    LoadOutput load_output(offset: U32) -> ANY32, [Slot, Component], 0;
    /// Reads a per-vertex output of the control stage.
    LoadPerVertexOutput load_per_vertex_output(vertex: U32, offset: U32) -> ANY32, [Slot, Component], 0;
    /// Emits the outputs as a vertex.
    EmitVertex emit_vertex(), [Stream], EFFECT;
    /// Ends the output primitive.
    EndPrimitive end_primitive(), [Stream], EFFECT;

    // Fragment control.
    /// Ends the invocation without outputs or side effects from here on.
    Discard discard(), [], EFFECT | CONV;
    /// `discard` if true.
    DiscardIf discard_if(cond: BOOL), [], EFFECT | CONV;
    /// The invocation goes on as a helper.
    Demote demote(), [], EFFECT | CONV;
    /// `demote` if true.
    DemoteIf demote_if(cond: BOOL), [], EFFECT | CONV;

    // System values.
    /// `gl_VertexID` (includes the base vertex).
    VertexId vertex_id() -> U32, [], SYSTEM;
    /// Vertex number before adding the base vertex.
    VertexIdZeroBase vertex_id_zero_base() -> U32, [], SYSTEM;
    /// `gl_InstanceID`.
    InstanceId instance_id() -> U32, [], SYSTEM;
    /// `gl_BaseVertex`.
    BaseVertex base_vertex() -> U32, [], SYSTEM;
    /// `gl_BaseInstance`.
    BaseInstance base_instance() -> U32, [], SYSTEM;
    /// `gl_DrawID`.
    DrawId draw_id() -> U32, [], SYSTEM;
    /// `gl_FrontFacing`.
    FrontFace front_face() -> BOOL, [], SYSTEM;
    /// `gl_FragCoord`.
    FragCoord frag_coord() -> VEC4, [], SYSTEM;
    /// `gl_PointCoord`.
    PointCoord point_coord() -> UVEC2, [], SYSTEM;
    /// `gl_SampleID`.
    SampleId sample_id() -> U32, [], SYSTEM;
    /// `gl_SamplePosition`.
    SamplePos sample_pos() -> UVEC2, [], SYSTEM;
    /// `gl_SampleMaskIn[0]`.
    SampleMaskIn sample_mask_in() -> U32, [], SYSTEM;
    /// `gl_NumSamples`.
    NumSamples num_samples() -> U32, [], SYSTEM;
    /// `gl_HelperInvocation`: changes at a demotion, hence no constant.
    HelperInvocation helper_invocation() -> BOOL, [], 0;
    /// `gl_PrimitiveID` of geometry and tessellation stages.
    PrimitiveId primitive_id() -> U32, [], SYSTEM;
    /// `gl_InvocationID`.
    InvocationId invocation_id() -> U32, [], SYSTEM;
    /// `gl_PatchVerticesIn`.
    PatchVerticesIn patch_vertices_in() -> U32, [], SYSTEM;
    /// `gl_TessCoord`.
    TessCoord tess_coord() -> UVEC3, [], SYSTEM;
    /// `gl_TessLevelOuter` read by the evaluation stage.
    TessLevelOuter tess_level_outer() -> VEC4, [], SYSTEM;
    /// `gl_TessLevelInner` read by the evaluation stage.
    TessLevelInner tess_level_inner() -> UVEC2, [], SYSTEM;
    /// `gl_WorkGroupID`.
    WorkgroupId workgroup_id() -> UVEC3, [], SYSTEM;
    /// `gl_NumWorkGroups`.
    NumWorkgroups num_workgroups() -> UVEC3, [], SYSTEM;
    /// `gl_WorkGroupSize` when variable.
    WorkgroupSize workgroup_size() -> UVEC3, [], SYSTEM;
    /// `gl_LocalInvocationID`.
    LocalInvocationId local_invocation_id() -> UVEC3, [], SYSTEM;
    /// `gl_LocalInvocationIndex`.
    LocalInvocationIndex local_invocation_index() -> U32, [], SYSTEM;
    /// `gl_SubGroupSizeARB`.
    SubgroupSize subgroup_size() -> U32, [], SYSTEM;
    /// `gl_SubGroupInvocationARB`.
    SubgroupInvocation subgroup_invocation() -> U32, [], SYSTEM;

    // Synchronization and subgroups.
    /// Execution barrier of the work group or patch, with a memory barrier.
    Barrier barrier(), [], EFFECT | CONV;
    /// Memory barrier.
    MemoryBarrier memory_barrier(), [Scope], EFFECT;
    /// Begin of the section that fragments of one pixel pass one after the other.
    BeginInterlock begin_interlock(), [], EFFECT;
    /// Its end.
    EndInterlock end_interlock(), [], EFFECT;
    /// Cycle counter, low and high.
    Clock clock() -> UVEC2, [], EFFECT;
    /// Bit per active invocation with a true operand.
    Ballot ballot(cond: BOOL) -> shape(64, 1), [], CONV;
    /// Any active invocation's operand is true.
    VoteAny vote_any(cond: BOOL) -> BOOL, [], CONV;
    /// All active invocations' operands are true.
    VoteAll vote_all(cond: BOOL) -> BOOL, [], CONV;
    /// All active invocations' operands are equal.
    VoteEq vote_eq(value: SCALAR) -> BOOL, [], CONV;
    /// Operand of one invocation.
    ReadInvocation read_invocation(value: ANY, invocation: U32) -> ANY, [], CONV;
    /// Operand of one invocation of each quad, four consecutive ones; `base` is its number there.
    QuadBroadcast quad_broadcast(value: ANY) -> ANY, [Base], CONV;
    /// Operand of the first active invocation.
    ReadFirstInvocation read_first_invocation(value: ANY) -> ANY, [], CONV;

    // Images. Coordinates have four components, the unused ones anything.
    /// Image load.
    ImageLoad image_load(image: U32, coord: VEC4, sample: U32) -> ANY, [Dim, Array, Format, Access], 0;
    /// Image store.
    ImageStore image_store(image: U32, coord: VEC4, sample: U32, value: ANY), [Dim, Array, Format, Access], EFFECT;
    /// Image atomic; gives the old value.
    ImageAtomic image_atomic(image: U32, coord: VEC4, sample: U32, data: SCALAR) -> SCALAR, [Dim, Array, Format, Atomic], EFFECT;
    /// Image compare-and-swap; gives the old value.
    ImageAtomicSwap image_atomic_swap(image: U32, coord: VEC4, sample: U32, compare: SCALAR, data: SCALAR) -> SCALAR, [Dim, Array, Format], EFFECT;
    /// Image size, layers last.
    ImageSize image_size(image: U32) -> ANY32, [Dim, Array], PURE;
    /// Image sample count.
    ImageSamples image_samples(image: U32) -> U32, [Dim, Array], PURE;
}

impl IntrinsicOp {
    /// The table row.
    pub fn info(self) -> &'static IntrinsicInfo {
        &INFOS[self as usize]
    }

    /// The name in the text form.
    pub fn name(self) -> &'static str {
        self.info().name
    }
}
