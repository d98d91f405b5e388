//! Context state: enables, matrices, fixed-function attributes, hints, barriers, tolerances.

use super::arguments::Arguments;
use crate::enums::GlEnum;
use crate::error::Fault;
use crate::patterns::Pattern;
use crate::scan::{Captures, scan};

/// A change of context state.
#[derive(Clone, Debug, PartialEq)]
pub enum StateCommand {
    /// `enable`.
    Enable(Capability),
    /// `disable`.
    Disable(Capability),
    /// `clip plane`.
    ClipPlane {
        /// Plane, below 8.
        plane: u32,
        /// Plane equation, to be transformed by the current modelview matrix.
        equation: [f64; 4],
    },
    /// `color`: the current color.
    Color([f32; 4]),
    /// `texcoord`: current texture coordinate of a unit.
    TexCoord {
        /// Texture unit.
        unit: u32,
        /// s, t, r, q.
        coordinate: [f32; 4],
    },
    /// `depthfunc`.
    DepthFunc(GlEnum),
    /// `frontface cw` (true) or `ccw`: the winding of front faces.
    FrontFace {
        /// Clockwise, not counterclockwise.
        clockwise: bool,
    },
    /// `frustum`: left, right, bottom, top, near, far; the modelview becomes the identity.
    Frustum([f32; 6]),
    /// `ortho`: left, right, bottom, top, or the render size when absent; depth −1..1; the
    /// modelview becomes the identity.
    Ortho(Option<[f32; 4]>),
    /// `hint`.
    Hint {
        /// Target of the hint.
        target: HintTarget,
        /// Mode of the hint.
        mode: HintMode,
    },
    /// `memory barrier` with one bit.
    MemoryBarrier(GlEnum),
    /// `blend barrier`.
    BlendBarrier,
    /// `fbfetch barrier`.
    FramebufferFetchBarrier,
    /// `viewport indexed`.
    Viewport {
        /// Viewport index, below 16.
        index: u32,
        /// x, y, width, height.
        rect: [f32; 4],
    },
    /// `viewport swizzle`.
    ViewportSwizzle {
        /// Viewport index, below 16.
        index: u32,
        /// Sources of x, y, z, w.
        swizzle: [Swizzle; 4],
    },
    /// `polygon mode`.
    PolygonMode {
        /// Faces.
        face: GlEnum,
        /// Rasterization mode.
        mode: GlEnum,
    },
    /// `tolerance`: probe tolerance of each channel for the rest of the script. Channels without a
    /// value keep theirs.
    Tolerance([Option<f32>; 4]),
    /// `shade model smooth` (true) or `flat`.
    ShadeModel {
        /// Smooth, not flat.
        smooth: bool,
    },
    /// `provoking vertex first` (true) or `last`.
    ProvokingVertex {
        /// First, not last.
        first: bool,
    },
    /// `patch parameter`.
    Patch(PatchParameter),
    /// `parameter`: of an ARB program.
    Program {
        /// The set of parameters.
        set: ProgramParameter,
        /// Index in the set.
        index: u32,
        /// The value.
        value: [f32; 4],
    },
    /// `light`: fixed-function light parameter.
    Light {
        /// Light, below 8.
        light: u32,
        /// The parameter.
        parameter: LightParameter,
        /// 1 to 16 values; one means the scalar call.
        values: LightValues,
    },
}

/// Capability of `enable` and `disable`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Capability {
    /// `GL_CLIP_PLANE0` to `7`, the same as `GL_CLIP_DISTANCE0` to `7`.
    ClipPlane(u8),
    /// `GL_CULL_FACE`.
    CullFace,
    /// `GL_VERTEX_PROGRAM_TWO_SIDE`.
    VertexProgramTwoSide,
    /// `GL_PROGRAM_POINT_SIZE`.
    ProgramPointSize,
    /// `GL_DEPTH_TEST`.
    DepthTest,
    /// `GL_DEPTH_CLAMP`.
    DepthClamp,
    /// `GL_SAMPLE_ALPHA_TO_COVERAGE`.
    SampleAlphaToCoverage,
    /// `GL_SAMPLE_ALPHA_TO_ONE`.
    SampleAlphaToOne,
}

/// Target of `hint`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HintTarget {
    /// `GL_LINE_SMOOTH_HINT`.
    LineSmooth,
    /// `GL_POLYGON_SMOOTH_HINT`.
    PolygonSmooth,
    /// `GL_TEXTURE_COMPRESSION_HINT`.
    TextureCompression,
    /// `GL_FRAGMENT_SHADER_DERIVATIVE_HINT`.
    FragmentShaderDerivative,
}

/// Mode of `hint`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HintMode {
    /// `GL_FASTEST`.
    Fastest,
    /// `GL_NICEST`.
    Nicest,
    /// `GL_DONT_CARE`.
    DontCare,
}

/// One component of `viewport swizzle`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Swizzle {
    /// Source component, 0 to 3 for x to w.
    pub component: u8,
    /// The component is negated.
    pub negative: bool,
}

/// `patch parameter …`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PatchParameter {
    /// `vertices`: patch size, from 1 to 32.
    Vertices(u32),
    /// `default level outer`.
    OuterLevel([f32; 4]),
    /// `default level inner`.
    InnerLevel([f32; 2]),
}

/// Parameter set of an ARB program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProgramParameter {
    /// `env_vp`.
    VertexEnv,
    /// `local_vp`.
    VertexLocal,
    /// `env_fp`.
    FragmentEnv,
    /// `local_fp`.
    FragmentLocal,
}

/// Parameter of a fixed-function light.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LightParameter {
    /// `GL_AMBIENT`.
    Ambient,
    /// `GL_DIFFUSE`.
    Diffuse,
    /// `GL_SPECULAR`.
    Specular,
    /// `GL_POSITION`.
    Position,
    /// `GL_SPOT_DIRECTION`.
    SpotDirection,
    /// `GL_SPOT_EXPONENT`.
    SpotExponent,
    /// `GL_SPOT_CUTOFF`.
    SpotCutoff,
    /// `GL_CONSTANT_ATTENUATION`.
    ConstantAttenuation,
    /// `GL_LINEAR_ATTENUATION`.
    LinearAttenuation,
    /// `GL_QUADRATIC_ATTENUATION`.
    QuadraticAttenuation,
}

/// Values of a light parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum LightValues {
    /// `float`.
    Float(Vec<f32>),
    /// `int`.
    Int(Vec<i32>),
}

/// Number of clip planes.
const CLIP_PLANES: u32 = 8;
/// Number of fixed-function lights.
const LIGHTS: u32 = 8;
/// Number of viewports.
const VIEWPORTS: u32 = 16;
/// Texture coordinate sets of the interpreter.
const TEXTURE_UNITS: u32 = 32;
/// Maximum program parameters of any implementation; the executor checks its own limit.
const PROGRAM_PARAMETERS: u32 = 1 << 16;
/// Maximum patch size.
const PATCH_VERTICES: u32 = 32;
/// Maximum values of a `light` line.
const LIGHT_VALUES: usize = 16;

pub(super) fn command<'a>(
    pattern: Pattern,
    arguments: &mut Arguments<'a, '_>,
) -> Result<StateCommand, Fault<'a>> {
    use Pattern as P;
    use StateCommand as S;
    let captures = arguments.captures;
    Ok(match pattern {
        P::Enable => S::Enable(arguments.choice("a capability", capability)?),
        P::Disable => S::Disable(arguments.choice("a capability", capability)?),
        P::ClipPlane => S::ClipPlane {
            plane: arguments.bounded(captures.signed(0) as u32, CLIP_PLANES, "clip plane")?,
            equation: captures.doubles(1),
        },
        P::Color => S::Color(arguments.floats()),
        P::Texcoord => S::TexCoord {
            unit: arguments.bounded(captures.signed(0) as u32, TEXTURE_UNITS, "texture unit")?,
            coordinate: captures.singles(1),
        },
        P::Depthfunc => S::DepthFunc(arguments.registry(captures.word(0))?),
        P::FrontfaceCw => S::FrontFace { clockwise: true },
        P::FrontfaceCcw => S::FrontFace { clockwise: false },
        P::Frustum => S::Frustum(arguments.floats()),
        P::OrthoBounds => S::Ortho(Some(captures.singles(0))),
        P::Ortho => S::Ortho(None),
        P::Hint => S::Hint {
            target: arguments.choice("a hint target", hint_target)?,
            mode: arguments.choice("a hint mode", hint_mode)?,
        },
        P::MemoryBarrier => S::MemoryBarrier(arguments.registry(captures.word(0))?),
        P::BlendBarrier => S::BlendBarrier,
        P::FbfetchBarrier => S::FramebufferFetchBarrier,
        P::ViewportIndexed => S::Viewport {
            index: arguments.bounded(captures.unsigned(0), VIEWPORTS, "viewport")?,
            rect: captures.singles(1),
        },
        P::ViewportSwizzle => viewport_swizzle(arguments)?,
        P::PolygonMode => S::PolygonMode {
            face: arguments.gl_enum("a face")?,
            mode: arguments.gl_enum("a polygon mode")?,
        },
        P::Tolerance => S::Tolerance(arguments.optional_floats()),
        P::ShadeModelSmooth => S::ShadeModel { smooth: true },
        P::ShadeModelFlat => S::ShadeModel { smooth: false },
        P::ProvokingVertex => S::ProvokingVertex {
            first: arguments.choice("`first` or `last`", |word| match word {
                "first" => Some(true),
                "last" => Some(false),
                _ => None,
            })?,
        },
        P::PatchParameter => S::Patch(patch_parameter(arguments)?),
        P::Parameter => program_parameter(arguments)?,
        P::Light => light(arguments)?,
        _ => return Err(arguments.malformed("not a state command")),
    })
}

fn capability(name: &str) -> Option<Capability> {
    Some(match name {
        "GL_CULL_FACE" => Capability::CullFace,
        "GL_VERTEX_PROGRAM_TWO_SIDE" => Capability::VertexProgramTwoSide,
        "GL_PROGRAM_POINT_SIZE" => Capability::ProgramPointSize,
        "GL_DEPTH_TEST" => Capability::DepthTest,
        "GL_DEPTH_CLAMP" => Capability::DepthClamp,
        "GL_SAMPLE_ALPHA_TO_COVERAGE" => Capability::SampleAlphaToCoverage,
        "GL_SAMPLE_ALPHA_TO_ONE" => Capability::SampleAlphaToOne,
        _ => {
            let number = name
                .strip_prefix("GL_CLIP_PLANE")
                .or_else(|| name.strip_prefix("GL_CLIP_DISTANCE"));
            match number?.as_bytes() {
                [digit @ b'0'..=b'7'] => Capability::ClipPlane(digit - b'0'),
                _ => return None,
            }
        }
    })
}

fn hint_target(name: &str) -> Option<HintTarget> {
    Some(match name {
        "GL_LINE_SMOOTH_HINT" => HintTarget::LineSmooth,
        "GL_POLYGON_SMOOTH_HINT" => HintTarget::PolygonSmooth,
        "GL_TEXTURE_COMPRESSION_HINT" => HintTarget::TextureCompression,
        "GL_FRAGMENT_SHADER_DERIVATIVE_HINT" => HintTarget::FragmentShaderDerivative,
        _ => return None,
    })
}

fn hint_mode(name: &str) -> Option<HintMode> {
    Some(match name {
        "GL_FASTEST" => HintMode::Fastest,
        "GL_NICEST" => HintMode::Nicest,
        "GL_DONT_CARE" => HintMode::DontCare,
        _ => return None,
    })
}

fn viewport_swizzle<'a>(arguments: &mut Arguments<'a, '_>) -> Result<StateCommand, Fault<'a>> {
    let index = arguments.signed("a viewport index")?;
    let index = arguments.bounded(index as u32, VIEWPORTS, "viewport")?;
    let mut swizzle = [Swizzle { component: 0, negative: false }; 4];
    for component in &mut swizzle {
        *component = arguments.choice("a swizzle such as POSITIVE_X", |word| {
            let (negative, letter) = match word.strip_prefix("POSITIVE_") {
                Some(letter) => (false, letter),
                None => (true, word.strip_prefix("NEGATIVE_")?),
            };
            let component = ["X", "Y", "Z", "W"].iter().position(|l| *l == letter)?;
            Some(Swizzle { component: component as u8, negative })
        })?;
    }
    Ok(StateCommand::ViewportSwizzle { index, swizzle })
}

fn patch_parameter<'a>(arguments: &mut Arguments<'a, '_>) -> Result<PatchParameter, Fault<'a>> {
    let mut captures = Captures::new();
    let rest = arguments.rest;
    if scan("vertices D", rest, &mut captures) {
        let vertices = captures.signed(0) as u32;
        if !(1..=PATCH_VERTICES).contains(&vertices) {
            return Err(arguments
                .out_of_range(format!("patch size must be between 1 and {PATCH_VERTICES}")));
        }
        return Ok(PatchParameter::Vertices(vertices));
    }
    if scan("default level outer F F F F", rest, &mut captures) {
        return Ok(PatchParameter::OuterLevel(captures.singles(0)));
    }
    if scan("default level inner F F", rest, &mut captures) {
        return Ok(PatchParameter::InnerLevel(captures.singles(0)));
    }
    Err(arguments.malformed(
        "expected `vertices`, `default level outer` or `default level inner` with numbers",
    ))
}

fn program_parameter<'a>(arguments: &mut Arguments<'a, '_>) -> Result<StateCommand, Fault<'a>> {
    let set = arguments.choice("env_vp, local_vp, env_fp or local_fp", |word| {
        Some(match word {
            "env_vp" => ProgramParameter::VertexEnv,
            "local_vp" => ProgramParameter::VertexLocal,
            "env_fp" => ProgramParameter::FragmentEnv,
            "local_fp" => ProgramParameter::FragmentLocal,
            _ => return None,
        })
    })?;
    let mut captures = Captures::new();
    if !scan(" D ( F , F , F , F )", arguments.rest, &mut captures) {
        return Err(arguments.malformed("expected an index and four numbers in parentheses"));
    }
    let index =
        arguments.bounded(captures.signed(0) as u32, PROGRAM_PARAMETERS, "parameter index")?;
    Ok(StateCommand::Program { set, index, value: captures.singles(1) })
}

fn light<'a>(arguments: &mut Arguments<'a, '_>) -> Result<StateCommand, Fault<'a>> {
    let light = arguments.signed("a light")?;
    let light = arguments.bounded(light as u32, LIGHTS, "light")?;
    let parameter = arguments.choice("a light parameter", light_parameter)?;
    let kind = arguments.word("`float` or `int`")?;
    let values = match kind {
        "float" => {
            let mut values = vec![0.0; LIGHT_VALUES];
            let read = |i| crate::numbers::float32(i).map(|(rest, real)| (rest, real.value));
            let (_, count) = crate::numbers::fill(arguments.rest, &mut values, read);
            values.truncate(count);
            LightValues::Float(values)
        }
        "int" => {
            let mut values = vec![0; LIGHT_VALUES];
            let (_, count) =
                crate::numbers::fill(arguments.rest, &mut values, crate::numbers::signed32);
            values.truncate(count);
            LightValues::Int(values)
        }
        _ => return Err(arguments.unexpected(kind, "`float` or `int`")),
    };
    let empty = match &values {
        LightValues::Float(values) => values.is_empty(),
        LightValues::Int(values) => values.is_empty(),
    };
    if empty {
        return Err(arguments.malformed("a light parameter needs at least one value"));
    }
    Ok(StateCommand::Light { light, parameter, values })
}

fn light_parameter(name: &str) -> Option<LightParameter> {
    Some(match name {
        "GL_AMBIENT" => LightParameter::Ambient,
        "GL_DIFFUSE" => LightParameter::Diffuse,
        "GL_SPECULAR" => LightParameter::Specular,
        "GL_POSITION" => LightParameter::Position,
        "GL_SPOT_DIRECTION" => LightParameter::SpotDirection,
        "GL_SPOT_EXPONENT" => LightParameter::SpotExponent,
        "GL_SPOT_CUTOFF" => LightParameter::SpotCutoff,
        "GL_CONSTANT_ATTENUATION" => LightParameter::ConstantAttenuation,
        "GL_LINEAR_ATTENUATION" => LightParameter::LinearAttenuation,
        "GL_QUADRATIC_ATTENUATION" => LightParameter::QuadraticAttenuation,
        _ => return None,
    })
}
