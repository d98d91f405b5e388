//! Global and local variables with their qualifiers.

use crate::builtin_variable::BuiltinVariable;
use crate::expression::Literal;
use crate::ids::{ExprId, TypeId};
pub use crate::ids::{GlobalId, LocalId};
pub use crate::qualifier::{
    Interpolation, InterpolationMode, MemoryQualifiers, Packing, Precision, SampleLocation,
};
use crate::resource::Placement;
use crate::span::Span;
use crate::stage::Stage;
use crate::types::{MatrixOrder, Scalar, TypeTable};

/// Where a global variable lives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Storage {
    /// `const`, or a plain global: private to the invocation; the initializer runs before `main`.
    Private,
    /// `const` at global scope: as `Private`, never written.
    Const,
    /// `uniform` in the default block, or a uniform block.
    Uniform,
    /// `buffer` block.
    Buffer,
    /// Stage input.
    Input,
    /// Stage output.
    Output,
    /// `shared` memory of a work group.
    Shared,
}

impl Storage {
    /// Returns true if variables of this storage are arrays with an element per vertex in a stage
    /// (unless `patch` or built-in single values): inputs of geometry and tessellation shaders,
    /// outputs of tessellation control shaders.
    pub const fn is_per_vertex(self, stage: Stage) -> bool {
        matches!(
            (stage, self),
            (Stage::Geometry | Stage::TessControl | Stage::TessEval, Storage::Input)
                | (Stage::TessControl, Storage::Output)
        )
    }
}

/// Qualifiers of a global whose type is an interface block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BlockQualifiers {
    /// Block name (not the instance name).
    pub name: Box<str>,
    /// True if an instance name was given; without one members are in global scope.
    pub has_instance: bool,
    /// Memory layout.
    pub packing: Packing,
    /// Default matrix order of members (already applied to them).
    pub order: MatrixOrder,
    /// `layout(align=)`, in bytes.
    pub align: Option<u32>,
}

/// Layout qualifiers of an interface variable. All as written; linking resolves them to a
/// [`Placement`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct LayoutQualifiers {
    /// `location`.
    pub location: Option<u32>,
    /// `component`.
    pub component: Option<u32>,
    /// `index` (dual-source blending).
    pub index: Option<u32>,
    /// `binding`.
    pub binding: Option<u32>,
    /// `set`: the descriptor set (Vulkan).
    pub set: Option<u32>,
    /// Sampler of a texture that a module has apart from it (Vulkan).
    pub sampler: Option<SeparateSampler>,
    /// `push_constant` (Vulkan).
    pub push_constant: bool,
    /// `offset`, in bytes (atomic counters).
    pub offset: Option<u32>,
    /// `stream` (geometry outputs).
    pub stream: Option<u32>,
    /// `xfb_buffer`.
    pub xfb_buffer: Option<u32>,
    /// `xfb_offset`, in bytes.
    pub xfb_offset: Option<u32>,
    /// `xfb_stride`, in bytes.
    pub xfb_stride: Option<u32>,
    /// Image format qualifier, as the GL enum's spelling without `GL_` in lower case (`rgba32f`).
    pub image_format: Option<ImageFormat>,
    /// `depth_any`, `depth_greater`, … on `gl_FragDepth`.
    pub depth: Option<DepthLayout>,
    /// `origin_upper_left` on `gl_FragCoord`.
    pub origin_upper_left: bool,
    /// `pixel_center_integer` on `gl_FragCoord`.
    pub pixel_center_integer: bool,
}

/// A sampler apart from the texture that it samples (Vulkan). The variable of both is an array with
/// an element for each pair: that of texture t and sampler s is t × `count` + s.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SeparateSampler {
    /// Descriptor set of the sampler.
    pub set: u32,
    /// Its binding.
    pub binding: u32,
    /// Number of samplers: elements of the array, or 1.
    pub count: u32,
}

/// `layout(depth_*)`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DepthLayout {
    /// `depth_any`.
    Any,
    /// `depth_greater`.
    Greater,
    /// `depth_less`.
    Less,
    /// `depth_unchanged`.
    Unchanged,
}

macro_rules! image_formats {
    ($($name:ident = $text:literal),* $(,)?) => {
        /// An image format layout qualifier.
        #[allow(missing_docs, reason = "the variants are the names of the specification")]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum ImageFormat { $($name),* }

        impl ImageFormat {
            /// The format of a layout identifier.
            pub fn from_name(name: &str) -> Option<ImageFormat> {
                match name { $($text => Some(ImageFormat::$name),)* _ => None }
            }

            /// The type of components that shaders see: `float`, `int` or `uint`.
            pub fn scalar(self) -> Scalar {
                match self.name() {
                    name if name.ends_with("ui") => Scalar::Uint,
                    name if name.ends_with('i') => Scalar::Int,
                    _ => Scalar::Float,
                }
            }

            /// The layout identifier.
            pub const fn name(self) -> &'static str {
                match self { $(ImageFormat::$name => $text),* }
            }
        }
    };
}

image_formats! {
    Rgba32f = "rgba32f", Rgba16f = "rgba16f", Rg32f = "rg32f", Rg16f = "rg16f", R11fG11fB10f = "r11f_g11f_b10f",
    R32f = "r32f", R16f = "r16f", Rgba16 = "rgba16", Rgb10A2 = "rgb10_a2", Rgba8 = "rgba8", Rg16 = "rg16", Rg8 = "rg8",
    R16 = "r16", R8 = "r8", Rgba16Snorm = "rgba16_snorm", Rgba8Snorm = "rgba8_snorm", Rg16Snorm = "rg16_snorm",
    Rg8Snorm = "rg8_snorm", R16Snorm = "r16_snorm", R8Snorm = "r8_snorm", Rgba32i = "rgba32i", Rgba16i = "rgba16i",
    Rgba8i = "rgba8i", Rg32i = "rg32i", Rg16i = "rg16i", Rg8i = "rg8i", R32i = "r32i", R16i = "r16i", R8i = "r8i",
    Rgba32ui = "rgba32ui", Rgba16ui = "rgba16ui", Rgb10A2ui = "rgb10_a2ui", Rgba8ui = "rgba8ui", Rg32ui = "rg32ui",
    Rg16ui = "rg16ui", Rg8ui = "rg8ui", R32ui = "r32ui", R16ui = "r16ui", R8ui = "r8ui", R64ui = "r64ui", R64i = "r64i",
}

/// A global variable: plain, interface variable or interface block.
#[derive(Clone, Debug)]
pub struct Global {
    /// Identifier; for a block its instance name, or the block's name when it has none.
    pub name: Box<str>,
    /// Type; for a block the structure of its members, or an array of it.
    pub ty: TypeId,
    /// Where it lives.
    pub storage: Storage,
    /// Set for `gl_*` variables.
    pub builtin: Option<BuiltinVariable>,
    /// Set for interface blocks.
    pub block: Option<BlockQualifiers>,
    /// Interpolation and `patch`.
    pub interpolation: Interpolation,
    /// Layout qualifiers.
    pub layout: LayoutQualifiers,
    /// Memory qualifiers.
    pub memory: MemoryQualifiers,
    /// `invariant`.
    pub invariant: bool,
    /// `precise`.
    pub precise: bool,
    /// `inout` output of a fragment shader: starts as what the framebuffer holds.
    pub fetched: bool,
    /// Initializer, evaluated before `main` (or, for a uniform, the value before any is set).
    pub initializer: Option<ExprId>,
    /// Components of the initializer's value where it is a constant expression whose value is
    /// known, to compare declarations (GLSL 4.60 section 4.3: "the same value").
    pub initial: Option<Box<[Literal]>>,
    /// True if code reachable from `main` mentions it (set by linking: "active" means static use).
    pub active: bool,
    /// Where linking put it; `Placement::None` before linking.
    pub placement: Placement,
    /// An array of scalars whose elements linking put into successive components, four to a slot,
    /// from the placement on.
    pub packed: bool,
    /// Declaration.
    pub span: Span,
}

impl Global {
    /// Returns true if the outermost array dimension of an input or output counts the vertices of a
    /// primitive or patch.
    pub fn is_per_vertex_array(&self, stage: Stage, types: &TypeTable) -> bool {
        let arrayed = self.storage.is_per_vertex(stage);
        let single = self.builtin.is_some_and(|b| !b.is_per_vertex_array());
        arrayed && !single && !self.interpolation.patch && types.array_of(self.ty).is_some()
    }

    /// A variable without qualifiers.
    pub fn new(name: &str, ty: TypeId, storage: Storage) -> Global {
        Global {
            name: name.into(),
            ty,
            storage,
            builtin: None,
            block: None,
            interpolation: Default::default(),
            layout: Default::default(),
            memory: Default::default(),
            invariant: false,
            precise: false,
            fetched: false,
            initializer: None,
            initial: None,
            active: false,
            placement: Default::default(),
            packed: false,
            span: Span::default(),
        }
    }
}

/// A local variable or parameter.
#[derive(Clone, Debug)]
pub struct Local {
    /// Identifier.
    pub name: Box<str>,
    /// Type.
    pub ty: TypeId,
    /// `precise`.
    pub precise: bool,
    /// Declaration.
    pub span: Span,
}
