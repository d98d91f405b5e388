//! Fixed-function state of a graphics pipeline.
//!
//! The variants of each enumeration are in the order of the Vulkan enumeration that they name, so
//! that `variant as i32` is its value.

/// A viewport, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// Left edge.
    pub x: f32,
    /// Top edge.
    pub y: f32,
    /// Width.
    pub width: f32,
    /// Height.
    pub height: f32,
    /// Depth at z = 0.
    pub min_depth: f32,
    /// Depth at z = 1.
    pub max_depth: f32,
}

/// The state.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Restart of primitives at the largest index.
    pub primitive_restart: bool,
    /// Control points of a patch.
    pub patch_control_points: u32,
    /// Discard of all primitives before rasterization.
    pub rasterizer_discard: bool,
    /// The fill of polygons.
    pub polygon_mode: PolygonMode,
    /// The faces that are culled.
    pub cull_mode: CullMode,
    /// The winding of front faces.
    pub front_face: FrontFace,
    /// Width of lines in pixels.
    pub line_width: f32,
    /// Depth clamping, bias, test and bounds.
    pub depth: DepthState,
    /// The stencil test is enabled.
    pub stencil_test: bool,
    /// Stencil operations of front faces.
    pub front: StencilFace,
    /// Stencil operations of back faces.
    pub back: StencilFace,
    /// The logic operation, if enabled.
    pub logic_op: Option<LogicOp>,
    /// Blending of all color attachments.
    pub blend: BlendState,
    /// Channels that are written: bit 0 red, 1 green, 2 blue, 3 alpha.
    pub color_write_mask: u8,
}

/// Depth state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DepthState {
    /// The depth test is enabled.
    pub test: bool,
    /// Depth is written.
    pub write: bool,
    /// The comparison.
    pub compare: CompareOp,
    /// Depth is clamped rather than clipped.
    pub clamp: bool,
    /// Smallest and largest depth in the attachment that pass, if the test of bounds is enabled.
    pub bounds: Option<[f32; 2]>,
    /// The bias, if enabled.
    pub bias: Option<DepthBias>,
}

/// Depth bias.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DepthBias {
    /// Constant factor.
    pub constant: f32,
    /// Clamp.
    pub clamp: f32,
    /// Slope factor.
    pub slope: f32,
}

/// Stencil state of a face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StencilFace {
    /// Operation where the stencil test fails.
    pub fail: StencilOp,
    /// Operation where both tests pass.
    pub pass: StencilOp,
    /// Operation where the depth test fails.
    pub depth_fail: StencilOp,
    /// The comparison.
    pub compare: CompareOp,
    /// Bits that take part in the comparison.
    pub compare_mask: u32,
    /// Bits that are written.
    pub write_mask: u32,
    /// The reference.
    pub reference: u32,
}

/// Blend state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlendState {
    /// Blending is enabled.
    pub enable: bool,
    /// Factor of the source color.
    pub src_color: BlendFactor,
    /// Factor of the destination color.
    pub dst_color: BlendFactor,
    /// Operation on colors.
    pub color_op: BlendOp,
    /// Factor of the source alpha.
    pub src_alpha: BlendFactor,
    /// Factor of the destination alpha.
    pub dst_alpha: BlendFactor,
    /// Operation on alpha.
    pub alpha_op: BlendOp,
}

macro_rules! vk_enum {
    ($(#[$doc:meta])* $name:ident of $vk:literal { $($variant:ident $value:literal $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(i32)]
        pub enum $name {
            $(#[doc = concat!("`", $vk, $text, "`")] $variant = $value,)*
        }

        impl $name {
            /// Every variant with its name in Vulkan, without the prefix of the enumeration.
            pub const ALL: &'static [($name, &'static str)] =
                &[$(($name::$variant, $text),)*];

            /// Returns the variant with a Vulkan name, without the prefix of the enumeration.
            pub fn from_vk_name(name: &str) -> Option<$name> {
                Self::ALL.iter().find(|(_, text)| *text == name).map(|(variant, _)| *variant)
            }

            /// Returns the value in the Vulkan enumeration.
            pub fn value(self) -> i32 {
                self as i32
            }
        }
    };
}

vk_enum! {
    /// `VkPrimitiveTopology`.
    Topology of "VK_PRIMITIVE_TOPOLOGY_" {
        PointList 0 "POINT_LIST",
        LineList 1 "LINE_LIST",
        LineStrip 2 "LINE_STRIP",
        TriangleList 3 "TRIANGLE_LIST",
        TriangleStrip 4 "TRIANGLE_STRIP",
        TriangleFan 5 "TRIANGLE_FAN",
        LineListWithAdjacency 6 "LINE_LIST_WITH_ADJACENCY",
        LineStripWithAdjacency 7 "LINE_STRIP_WITH_ADJACENCY",
        TriangleListWithAdjacency 8 "TRIANGLE_LIST_WITH_ADJACENCY",
        TriangleStripWithAdjacency 9 "TRIANGLE_STRIP_WITH_ADJACENCY",
        PatchList 10 "PATCH_LIST",
    }
}

vk_enum! {
    /// `VkPolygonMode`.
    PolygonMode of "VK_POLYGON_MODE_" {
        Fill 0 "FILL",
        Line 1 "LINE",
        Point 2 "POINT",
    }
}

vk_enum! {
    /// `VkCullModeFlagBits`.
    CullMode of "VK_CULL_MODE_" {
        None 0 "NONE",
        Front 1 "FRONT_BIT",
        Back 2 "BACK_BIT",
        FrontAndBack 3 "FRONT_AND_BACK",
    }
}

vk_enum! {
    /// `VkFrontFace`.
    FrontFace of "VK_FRONT_FACE_" {
        CounterClockwise 0 "COUNTER_CLOCKWISE",
        Clockwise 1 "CLOCKWISE",
    }
}

vk_enum! {
    /// `VkCompareOp`.
    CompareOp of "VK_COMPARE_OP_" {
        Never 0 "NEVER",
        Less 1 "LESS",
        Equal 2 "EQUAL",
        LessOrEqual 3 "LESS_OR_EQUAL",
        Greater 4 "GREATER",
        NotEqual 5 "NOT_EQUAL",
        GreaterOrEqual 6 "GREATER_OR_EQUAL",
        Always 7 "ALWAYS",
    }
}

vk_enum! {
    /// `VkStencilOp`.
    StencilOp of "VK_STENCIL_OP_" {
        Keep 0 "KEEP",
        Zero 1 "ZERO",
        Replace 2 "REPLACE",
        IncrementAndClamp 3 "INCREMENT_AND_CLAMP",
        DecrementAndClamp 4 "DECREMENT_AND_CLAMP",
        Invert 5 "INVERT",
        IncrementAndWrap 6 "INCREMENT_AND_WRAP",
        DecrementAndWrap 7 "DECREMENT_AND_WRAP",
    }
}

vk_enum! {
    /// `VkLogicOp`.
    LogicOp of "VK_LOGIC_OP_" {
        Clear 0 "CLEAR",
        And 1 "AND",
        AndReverse 2 "AND_REVERSE",
        Copy 3 "COPY",
        AndInverted 4 "AND_INVERTED",
        NoOp 5 "NO_OP",
        Xor 6 "XOR",
        Or 7 "OR",
        Nor 8 "NOR",
        Equivalent 9 "EQUIVALENT",
        Invert 10 "INVERT",
        OrReverse 11 "OR_REVERSE",
        CopyInverted 12 "COPY_INVERTED",
        OrInverted 13 "OR_INVERTED",
        Nand 14 "NAND",
        Set 15 "SET",
    }
}

vk_enum! {
    /// `VkBlendFactor`.
    BlendFactor of "VK_BLEND_FACTOR_" {
        Zero 0 "ZERO",
        One 1 "ONE",
        SrcColor 2 "SRC_COLOR",
        OneMinusSrcColor 3 "ONE_MINUS_SRC_COLOR",
        DstColor 4 "DST_COLOR",
        OneMinusDstColor 5 "ONE_MINUS_DST_COLOR",
        SrcAlpha 6 "SRC_ALPHA",
        OneMinusSrcAlpha 7 "ONE_MINUS_SRC_ALPHA",
        DstAlpha 8 "DST_ALPHA",
        OneMinusDstAlpha 9 "ONE_MINUS_DST_ALPHA",
        ConstantColor 10 "CONSTANT_COLOR",
        OneMinusConstantColor 11 "ONE_MINUS_CONSTANT_COLOR",
        ConstantAlpha 12 "CONSTANT_ALPHA",
        OneMinusConstantAlpha 13 "ONE_MINUS_CONSTANT_ALPHA",
        SrcAlphaSaturate 14 "SRC_ALPHA_SATURATE",
        Src1Color 15 "SRC1_COLOR",
        OneMinusSrc1Color 16 "ONE_MINUS_SRC1_COLOR",
        Src1Alpha 17 "SRC1_ALPHA",
        OneMinusSrc1Alpha 18 "ONE_MINUS_SRC1_ALPHA",
    }
}

vk_enum! {
    /// `VkBlendOp`, with the operations of `VK_EXT_blend_operation_advanced`.
    BlendOp of "VK_BLEND_OP_" {
        Add 0 "ADD",
        Subtract 1 "SUBTRACT",
        ReverseSubtract 2 "REVERSE_SUBTRACT",
        Min 3 "MIN",
        Max 4 "MAX",
        Zero 1000148000 "ZERO_EXT",
        Src 1000148001 "SRC_EXT",
        Dst 1000148002 "DST_EXT",
        SrcOver 1000148003 "SRC_OVER_EXT",
        DstOver 1000148004 "DST_OVER_EXT",
        SrcIn 1000148005 "SRC_IN_EXT",
        DstIn 1000148006 "DST_IN_EXT",
        SrcOut 1000148007 "SRC_OUT_EXT",
        DstOut 1000148008 "DST_OUT_EXT",
        SrcAtop 1000148009 "SRC_ATOP_EXT",
        DstAtop 1000148010 "DST_ATOP_EXT",
        Xor 1000148011 "XOR_EXT",
        Multiply 1000148012 "MULTIPLY_EXT",
        Screen 1000148013 "SCREEN_EXT",
        Overlay 1000148014 "OVERLAY_EXT",
        Darken 1000148015 "DARKEN_EXT",
        Lighten 1000148016 "LIGHTEN_EXT",
        ColorDodge 1000148017 "COLORDODGE_EXT",
        ColorBurn 1000148018 "COLORBURN_EXT",
        HardLight 1000148019 "HARDLIGHT_EXT",
        SoftLight 1000148020 "SOFTLIGHT_EXT",
        Difference 1000148021 "DIFFERENCE_EXT",
        Exclusion 1000148022 "EXCLUSION_EXT",
        Invert 1000148023 "INVERT_EXT",
        InvertRgb 1000148024 "INVERT_RGB_EXT",
        LinearDodge 1000148025 "LINEARDODGE_EXT",
        LinearBurn 1000148026 "LINEARBURN_EXT",
        VividLight 1000148027 "VIVIDLIGHT_EXT",
        LinearLight 1000148028 "LINEARLIGHT_EXT",
        PinLight 1000148029 "PINLIGHT_EXT",
        HardMix 1000148030 "HARDMIX_EXT",
        HslHue 1000148031 "HSL_HUE_EXT",
        HslSaturation 1000148032 "HSL_SATURATION_EXT",
        HslColor 1000148033 "HSL_COLOR_EXT",
        HslLuminosity 1000148034 "HSL_LUMINOSITY_EXT",
        Plus 1000148035 "PLUS_EXT",
        PlusClamped 1000148036 "PLUS_CLAMPED_EXT",
        PlusClampedAlpha 1000148037 "PLUS_CLAMPED_ALPHA_EXT",
        PlusDarker 1000148038 "PLUS_DARKER_EXT",
        Minus 1000148039 "MINUS_EXT",
        MinusClamped 1000148040 "MINUS_CLAMPED_EXT",
        Contrast 1000148041 "CONTRAST_EXT",
        InvertOvg 1000148042 "INVERT_OVG_EXT",
        Red 1000148043 "RED_EXT",
        Green 1000148044 "GREEN_EXT",
        Blue 1000148045 "BLUE_EXT",
    }
}

impl Default for State {
    /// The state of a pipeline that sets nothing: no tests, no blending, all channels written.
    fn default() -> State {
        let face = StencilFace {
            fail: StencilOp::Keep,
            pass: StencilOp::Keep,
            depth_fail: StencilOp::Keep,
            compare: CompareOp::Always,
            compare_mask: u32::MAX,
            write_mask: u32::MAX,
            reference: 0,
        };
        State {
            primitive_restart: false,
            patch_control_points: 3,
            rasterizer_discard: false,
            polygon_mode: PolygonMode::Fill,
            cull_mode: CullMode::None,
            front_face: FrontFace::CounterClockwise,
            line_width: 1.0,
            depth: DepthState {
                test: false,
                write: false,
                compare: CompareOp::Always,
                clamp: false,
                bounds: None,
                bias: None,
            },
            stencil_test: false,
            front: face,
            back: face,
            logic_op: None,
            blend: BlendState {
                enable: false,
                src_color: BlendFactor::One,
                dst_color: BlendFactor::Zero,
                color_op: BlendOp::Add,
                src_alpha: BlendFactor::One,
                dst_alpha: BlendFactor::Zero,
                alpha_op: BlendOp::Add,
            },
            color_write_mask: 0xf,
        }
    }
}
