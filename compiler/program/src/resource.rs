//! Results of linking: where interface variables live and which resources are active.

use crate::ids::{GlobalId, TypeId};
use crate::qualifier::Interpolation;
use crate::stage::Stage;
use crate::types::MatrixOrder;

/// A 16-byte slot between two stages, or a built-in slot with its own meaning.
///
/// Slots hold four 32-bit components. 64-bit components take two each, so a `dvec3` or `dvec4`
/// takes two slots. Every array element and matrix column starts a new slot.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Slot {
    /// `gl_Position`.
    Position,
    /// `gl_PointSize` (component 0).
    PointSize,
    /// `gl_ClipVertex`.
    ClipVertex,
    /// Clip distances 4n to 4n+3, cull distances following the clip distances.
    ClipDistance(u8),
    /// `gl_FrontColor` and `gl_FrontSecondaryColor` (0, 1); the fragment stage's `gl_Color` and
    /// `gl_SecondaryColor`.
    Color(u8),
    /// `gl_BackColor` and `gl_BackSecondaryColor`.
    BackColor(u8),
    /// `gl_TexCoord[n]`.
    TexCoord(u8),
    /// `gl_FogFragCoord` (component 0).
    Fog,
    /// `gl_Layer` (component 0, integer).
    Layer,
    /// `gl_ViewportIndex` (component 0, integer).
    ViewportIndex,
    /// `gl_ViewportMask[0]` (component 0, integer).
    ViewportMask,
    /// `gl_PrimitiveID` written by a geometry shader (component 0, integer).
    PrimitiveId,
    /// `gl_PointCoord` as an interpolated input.
    PointCoord,
    /// `gl_TessLevelOuter` (components 0 to 3).
    TessLevelOuter,
    /// `gl_TessLevelInner` (components 0 and 1).
    TessLevelInner,
    /// User varying.
    Var(u8),
    /// User per-patch varying.
    Patch(u8),
}

impl Slot {
    /// Returns true if the slot belongs to a patch, not to its vertices.
    pub const fn is_per_patch(self) -> bool {
        matches!(self, Slot::TessLevelOuter | Slot::TessLevelInner | Slot::Patch(_))
    }
}

/// Fragment outputs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FragmentOutput {
    /// Color of draw buffer `location`, source `index` (1: second source of dual-source blending).
    Color {
        /// Draw buffer.
        location: u8,
        /// Blend source.
        index: u8,
    },
    /// `gl_FragColor`: broadcast to every draw buffer.
    AllColors,
    /// `gl_FragDepth`.
    Depth,
    /// `gl_FragStencilRefARB`.
    Stencil,
    /// `gl_SampleMask[0]`.
    SampleMask,
}

/// Where linking put a global variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Placement {
    /// Not an interface variable, not active, or not linked yet.
    #[default]
    None,
    /// Byte offset in the default uniform block, std140 rules; opaque members have none there but
    /// the slots of [`Placement::Opaque`].
    Uniform {
        /// First byte.
        offset: u32,
        /// First sampler slot of samplers inside it.
        sampler: u16,
        /// First image slot of images inside it.
        image: u16,
    },
    /// Uniform block (or the first of an array of blocks).
    UniformBlock {
        /// Index in [`crate::Program::uniform_blocks`].
        index: u16,
    },
    /// Storage block (or the first of an array of blocks).
    StorageBlock {
        /// Index in [`crate::Program::storage_blocks`].
        index: u16,
    },
    /// Atomic counter.
    AtomicCounter {
        /// Binding point.
        binding: u16,
        /// First byte in the buffer.
        offset: u32,
    },
    /// Subroutine uniform.
    Subroutine {
        /// First location in its stage.
        location: u16,
        /// First byte in the default uniform block, where each element's subroutine index is a
        /// `uint`, 4 bytes apart.
        offset: u32,
    },
    /// Vertex attribute.
    Attribute {
        /// First entry of [`crate::Program::attributes`] it owns.
        first: u16,
        /// First component.
        component: u8,
    },
    /// Input or output slots between stages. Blocks and structures take consecutive slots, members
    /// in order.
    Varying {
        /// First slot.
        slot: Slot,
        /// First component, in 32-bit units.
        component: u8,
    },
    /// Fragment output.
    FragmentOutput {
        /// First output (arrays take consecutive locations).
        output: FragmentOutput,
        /// First component.
        component: u8,
    },
    /// Byte offset in shared memory, std430 rules.
    Shared {
        /// First byte.
        offset: u32,
    },
    /// A system value: the built-in says which.
    System,
    /// A block whose members are placed one by one (`gl_PerVertex`): each by its built-in, others
    /// by location.
    PerMember,
}

/// One 16-byte input slot of the vertex stage, in slot order.
///
/// Slot i of a vertex batch is `attributes[i]`. A 64-bit column of three or four components takes
/// two entries: the second has `upper`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attribute {
    /// Variable.
    pub global: GlobalId,
    /// Generic attribute location (or the conventional attribute's number, when `conventional`).
    pub location: u32,
    /// For `gl_Vertex`, `gl_Color`, …: fixed-function array instead of a generic one.
    pub conventional: Option<crate::builtin_variable::BuiltinVariable>,
    /// Type of the column fetched: a scalar or vector.
    pub ty: TypeId,
    /// Components 2 and 3 of a 64-bit column.
    pub upper: bool,
}

/// One slot of an interface between stages, in dense order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Varying {
    /// Slot.
    pub slot: Slot,
    /// Bit c: component c is used.
    pub mask: u8,
    /// Interpolation (after matching both stages).
    pub interpolation: Interpolation,
    /// True if the components are integers or doubles (never interpolated).
    pub integer: bool,
}

/// Stages that use a resource: bit [`Stage`] as number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct StageMask(pub u8);

impl StageMask {
    /// The mask of one stage.
    pub const fn of(stage: Stage) -> StageMask {
        StageMask(1 << stage as u8)
    }

    /// Returns true if the stage is in the mask.
    pub const fn contains(self, stage: Stage) -> bool {
        self.0 & (1 << stage as u8) != 0
    }

    /// Adds a stage.
    pub fn insert(&mut self, stage: Stage) {
        self.0 |= 1 << stage as u8;
    }
}

/// Opaque slots that a uniform owns.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OpaqueSlots {
    /// Indices into [`crate::Program::samplers`].
    Sampler(u16),
    /// Indices into [`crate::Program::images`].
    Image(u16),
}

/// An active uniform as `glGetActiveUniform` reports it: a leaf of basic type, or an array of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Uniform {
    /// Full path without the final `[0]` (`s[1].m`).
    pub name: String,
    /// Type of one element.
    pub ty: TypeId,
    /// Number of elements when it is an array.
    pub array: Option<u32>,
    /// Location of element 0; `None` for block members, atomic counters and built-ins.
    pub location: Option<u32>,
    /// 0: default block. n: `uniform_blocks[n − 1]`. `None` for atomic counters and for opaque
    /// uniforms whose handle is not in memory.
    pub block: Option<u16>,
    /// First byte in the block.
    pub offset: u32,
    /// Bytes between elements; 0 when it is not an array.
    pub array_stride: u32,
    /// Bytes between columns (rows when row-major); 0 when it is not a matrix.
    pub matrix_stride: u32,
    /// Matrix memory order.
    pub order: MatrixOrder,
    /// Sampler or image slots.
    pub opaque: Option<OpaqueSlots>,
    /// Built-in state variable this is filled from, with the path inside it as `name`.
    pub builtin: Option<crate::builtin_variable::BuiltinVariable>,
    /// Atomic counter binding.
    pub atomic_binding: Option<u16>,
    /// Stages that use it.
    pub stages: StageMask,
}

impl Uniform {
    /// True for samplers and images that linking added, which no query of the API reports.
    pub fn is_internal(&self) -> bool {
        self.opaque.is_some() && self.location.is_none() && self.block.is_none()
    }
}

/// An active uniform or storage block; each element of an array of blocks is one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ActiveBlock {
    /// Name with element index (`B[1]`).
    pub name: String,
    /// `layout(binding=)` plus the element's index, 0 when not given.
    pub binding: u32,
    /// True if `binding` was given.
    pub explicit_binding: bool,
    /// Size in bytes (without a runtime-sized tail's elements but the first).
    pub size: u32,
    /// Structure type of the contents.
    pub ty: TypeId,
    /// Layout rules.
    pub packing: crate::qualifier::Packing,
    /// Number of active variables.
    pub active_variables: u32,
    /// Stages that use it.
    pub stages: StageMask,
}

/// A subroutine uniform of one stage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SubroutineUniform {
    /// Stage.
    pub stage: Stage,
    /// Name; of an array of arrays each innermost array is listed (`a[1]`).
    pub name: String,
    /// Number of elements when it is an array.
    pub array: Option<u32>,
    /// First location in the stage.
    pub location: u32,
    /// First byte in the default uniform block; elements are 4 bytes apart.
    pub offset: u32,
    /// Functions it may select, with their indices; the first is the initial value.
    pub compatible: Vec<(String, u32)>,
}

/// An active member of a storage block (`GL_BUFFER_VARIABLE`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BufferVariable {
    /// Full name.
    pub name: String,
    /// Type of one element.
    pub ty: TypeId,
    /// Elements (0: runtime-sized), when an array.
    pub array: Option<u32>,
    /// Index in `storage_blocks`.
    pub block: u16,
    /// First byte.
    pub offset: u32,
    /// Bytes between elements.
    pub array_stride: u32,
    /// Bytes between columns or rows.
    pub matrix_stride: u32,
    /// Matrix memory order.
    pub order: MatrixOrder,
    /// Elements of the top-level array (1 when it is none, 0 when runtime-sized).
    pub top_level_size: u32,
    /// Bytes between elements of the top-level array.
    pub top_level_stride: u32,
    /// Stages that use it.
    pub stages: StageMask,
}

/// One sampler or image slot: an element of an opaque uniform.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpaqueSlot {
    /// Index in [`crate::Program::uniforms`].
    pub uniform: u32,
    /// Element of that uniform.
    pub element: u32,
    /// Initial source: the unit of `layout(binding=)`, 0 when not given.
    pub source: SlotSource,
}

/// Source of the texture or image of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SlotSource {
    /// A texture or image unit.
    Unit(u32),
    /// A bindless handle.
    Handle(u64),
}

/// The first bindless handle: no handle is a small number.
pub const FIRST_HANDLE: u64 = 0x1_0000_0100;

/// Number of bindless handles, a power of two.
pub const HANDLES: u32 = 128;

/// Number of handles of resident textures and images. Those behind them are handles of texture or
/// image units: what a uniform holds that was set to a unit.
pub const RESIDENT_HANDLES: u32 = HANDLES / 2;

/// The handle of a texture or image unit; `None` if there are not so many.
pub const fn unit_handle(unit: u32) -> Option<u64> {
    let number = RESIDENT_HANDLES.saturating_add(unit);
    if number < HANDLES { Some(FIRST_HANDLE + number as u64) } else { None }
}

/// A captured transform feedback varying.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FeedbackVarying {
    /// Name.
    pub name: String,
    /// Type of one element.
    pub ty: TypeId,
    /// Elements when an array.
    pub array: Option<u32>,
    /// Feedback buffer.
    pub buffer: u8,
    /// First byte in a vertex's record.
    pub offset: u32,
    /// First slot read and first component.
    pub slot: Slot,
    /// First component, in 32-bit units.
    pub component: u8,
    /// True if the elements of the array are components of consecutive slots (distances).
    pub packed: bool,
    /// Vertex stream.
    pub stream: u8,
}
