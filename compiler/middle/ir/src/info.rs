//! Declarations of a shader beside its code: stage, interface, resources and per-stage modes.

use crate::names::named_enum;
use crate::slot::Slot;
pub use vocabulary::Stage;

named_enum! {
    /// How a varying is interpolated.
    pub enum Interpolation {
        /// Perspective-correct.
        Smooth = "smooth",
        /// Taken from the provoking vertex.
        Flat = "flat",
        /// Linear in window space.
        NoPerspective = "noperspective",
    }
}

named_enum! {
    /// Where in the pixel a varying is evaluated.
    pub enum Location {
        /// Pixel center.
        Pixel = "pixel",
        /// Centroid of the covered samples.
        Centroid = "centroid",
        /// Each sample.
        Sample = "sample",
    }
}

named_enum! {
    /// Primitive layouts of geometry and tessellation stages.
    pub enum Primitive {
        /// Points.
        Points = "points",
        /// Lines, line strip as an output.
        Lines = "lines",
        /// Lines with adjacency.
        LinesAdjacency = "lines_adjacency",
        /// Triangles, triangle strip as an output.
        Triangles = "triangles",
        /// Triangles with adjacency.
        TrianglesAdjacency = "triangles_adjacency",
        /// Quads (tessellation only).
        Quads = "quads",
        /// Isolines (tessellation only).
        Isolines = "isolines",
    }
}

named_enum! {
    /// Tessellation spacing.
    pub enum Spacing {
        /// `equal_spacing`.
        Equal = "equal",
        /// `fractional_even_spacing`.
        FractionalEven = "fractional_even",
        /// `fractional_odd_spacing`.
        FractionalOdd = "fractional_odd",
    }
}

named_enum! {
    /// Conservative-depth layout of `gl_FragDepth`.
    pub enum DepthLayout {
        /// Any value (also when nothing is declared).
        Any = "any",
        /// Never below the interpolated depth.
        Greater = "greater",
        /// Never above it.
        Less = "less",
        /// Equal to it.
        Unchanged = "unchanged",
    }
}

named_enum! {
    /// Neighborhood of the invocations of a work group, for derivatives.
    pub enum DerivativeGroup {
        /// None: derivatives are zero.
        None = "none",
        /// Four that follow each other.
        Linear = "linear",
        /// Two by two in x and y.
        Quads = "quads",
    }
}

/// One slot of the inputs or outputs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Varying {
    /// The slot.
    pub slot: Slot,
    /// Components in use, bit 0 is x.
    pub components: u8,
    /// Interpolation mode; only fragment inputs mean anything by it.
    pub interpolation: Interpolation,
    /// Evaluation point; only fragment inputs mean anything by it.
    pub location: Location,
    /// Stream of a geometry output.
    pub stream: u8,
}

impl Varying {
    /// A slot with all four components, smooth at the pixel center, stream 0.
    pub fn new(slot: Slot) -> Self {
        Varying {
            slot,
            components: 0xf,
            interpolation: Interpolation::Smooth,
            location: Location::Pixel,
            stream: 0,
        }
    }
}

/// How floating-point folding and evaluation treat denormals; see the numeric policy of the design.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FloatControls {
    /// 32-bit denormals count as zero of the same sign, in operands and results. 16- and 64-bit
    /// ones are always preserved.
    pub flush_f32: bool,
}

/// Fragment-stage modes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FragmentInfo {
    /// `layout(early_fragment_tests)`.
    pub early_tests: bool,
    /// The shader runs once per sample.
    pub sample_shading: bool,
    /// `discard` or demotion occurs.
    pub uses_discard: bool,
    /// Window origin is the upper left corner.
    pub origin_upper_left: bool,
    /// Pixel centers are integers.
    pub pixel_center_integer: bool,
    /// Depth layout.
    pub depth_layout: DepthLayout,
}

impl Default for FragmentInfo {
    fn default() -> Self {
        FragmentInfo {
            early_tests: false,
            sample_shading: false,
            uses_discard: false,
            origin_upper_left: false,
            pixel_center_integer: false,
            depth_layout: DepthLayout::Any,
        }
    }
}

/// Geometry-stage modes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GeometryInfo {
    /// Input primitive.
    pub input: Primitive,
    /// Output primitive: points, lines (strip) or triangles (strip).
    pub output: Primitive,
    /// Declared maximum of emitted vertices.
    pub max_vertices: u32,
    /// `layout(invocations = n)`.
    pub invocations: u32,
    /// Streams written, bit per stream.
    pub streams: u8,
}

impl Default for GeometryInfo {
    fn default() -> Self {
        GeometryInfo {
            input: Primitive::Triangles,
            output: Primitive::Triangles,
            max_vertices: 0,
            invocations: 1,
            streams: 1,
        }
    }
}

/// Modes of both tessellation stages.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TessInfo {
    /// Output patch size (control stage).
    pub vertices_out: u32,
    /// Domain (evaluation stage): triangles, quads or isolines.
    pub domain: Primitive,
    /// Spacing.
    pub spacing: Spacing,
    /// Counter-clockwise winding.
    pub ccw: bool,
    /// Emit points.
    pub point_mode: bool,
}

impl Default for TessInfo {
    fn default() -> Self {
        TessInfo {
            vertices_out: 0,
            domain: Primitive::Triangles,
            spacing: Spacing::Equal,
            ccw: true,
            point_mode: false,
        }
    }
}

/// Everything about a shader that is not code.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ShaderInfo {
    /// Name for dumps and diagnostics.
    pub name: String,
    /// Stage.
    pub stage: Stage,
    /// Inputs in slot order.
    pub inputs: Vec<Varying>,
    /// Outputs in slot order.
    pub outputs: Vec<Varying>,
    /// Bytes of the default uniform block, which is UBO 0 (std140-like layout made by `program`).
    pub default_block_size: u32,
    /// UBOs including block 0.
    pub ubos: u32,
    /// Shader storage blocks.
    pub ssbos: u32,
    /// Texture/sampler units used, highest index plus one.
    pub samplers: u32,
    /// Image units used, highest index plus one.
    pub images: u32,
    /// Atomic-counter buffers used, highest binding plus one.
    pub atomic_buffers: u32,
    /// Bytes of shared memory.
    pub shared_size: u32,
    /// Bytes of per-invocation scratch (set by `lower_locals_to_scratch`).
    pub scratch_size: u32,
    /// Work-group size; zero components mean a variable size.
    pub local_size: [u32; 3],
    /// Derivatives of a compute shader.
    pub derivative_group: DerivativeGroup,
    /// Clip distances written or read.
    pub clip_distances: u8,
    /// Cull distances written or read.
    pub cull_distances: u8,
    /// Denormal treatment.
    pub float_controls: FloatControls,
    /// Fragment-stage modes.
    pub fragment: FragmentInfo,
    /// Geometry-stage modes.
    pub geometry: GeometryInfo,
    /// Tessellation modes.
    pub tess: TessInfo,
}

impl ShaderInfo {
    /// Defaults for a stage.
    pub fn new(stage: Stage) -> Self {
        ShaderInfo {
            name: String::new(),
            stage,
            inputs: Vec::new(),
            outputs: Vec::new(),
            default_block_size: 0,
            ubos: 0,
            ssbos: 0,
            samplers: 0,
            images: 0,
            atomic_buffers: 0,
            shared_size: 0,
            scratch_size: 0,
            local_size: [1, 1, 1],
            derivative_group: DerivativeGroup::None,
            clip_distances: 0,
            cull_distances: 0,
            float_controls: FloatControls::default(),
            fragment: FragmentInfo::default(),
            geometry: GeometryInfo::default(),
            tess: TessInfo::default(),
        }
    }
}

named_enum! {
    /// Shape of a sampler or an image.
    pub enum Dim {
        /// 1D.
        D1 = "1d",
        /// 2D.
        D2 = "2d",
        /// 3D.
        D3 = "3d",
        /// Cube map.
        Cube = "cube",
        /// Rectangle: unnormalized coordinates.
        Rect = "rect",
        /// Buffer.
        Buffer = "buffer",
        /// Multisample 2D.
        Ms = "ms",
    }
}

impl Dim {
    /// Coordinate components without the array layer.
    pub fn coord_components(self) -> u8 {
        match self {
            Dim::D1 | Dim::Buffer => 1,
            Dim::D2 | Dim::Rect | Dim::Ms => 2,
            Dim::D3 | Dim::Cube => 3,
        }
    }
}
