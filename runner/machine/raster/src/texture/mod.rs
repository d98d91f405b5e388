//! Texture objects: images by level and layer, with their sampling parameters.

mod cube;
pub mod fill;
pub mod image;
pub mod sample;
pub mod texels;

use crate::format::Format;
use crate::surface::Surface;

/// The kind of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the variants are the names of OpenGL")]
pub enum TextureTarget {
    D1,
    D2,
    D3,
    Rect,
    Cube,
    D1Array,
    D2Array,
    CubeArray,
}

/// `GL_TEXTURE_WRAP_*`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the variants are the names of OpenGL")]
pub enum Wrap {
    #[default]
    Repeat,
    MirroredRepeat,
    ClampToEdge,
    ClampToBorder,
    /// `GL_MIRROR_CLAMP_TO_EDGE`.
    MirrorOnce,
    /// `GL_CLAMP`: coordinates clamped to 0 to 1, so that filters reach halfway into the border.
    HalfBorder,
    /// `GL_MIRROR_CLAMP_EXT`.
    MirrorHalfBorder,
    /// `GL_MIRROR_CLAMP_TO_BORDER_EXT`.
    MirrorBorder,
}

impl Wrap {
    /// Sizes of the level below 0 to which coordinates are clamped before they select texels, of
    /// wraps that clamp them; the highest is one size above 0.
    pub(crate) fn clamped_below(self) -> Option<u32> {
        match self {
            Wrap::HalfBorder => Some(0),
            Wrap::MirrorHalfBorder => Some(1),
            _ => None,
        }
    }
}

/// A filter within one level, or between levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the variants are the names of OpenGL")]
pub enum Filter {
    Nearest,
    Linear,
}

/// Comparison functions of depth test and shadow lookups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the variants are the names of OpenGL")]
pub enum CompareFunction {
    Never,
    Less,
    Equal,
    LessEqual,
    Greater,
    NotEqual,
    GreaterEqual,
    Always,
}

impl CompareFunction {
    /// True if `new` (the reference or incoming value) passes against `stored`. NaN passes only
    /// "not equal" and "always".
    pub fn passes<T: PartialOrd>(self, new: T, stored: T) -> bool {
        match self {
            CompareFunction::Never => false,
            CompareFunction::Less => new < stored,
            CompareFunction::Equal => new == stored,
            CompareFunction::LessEqual => new <= stored,
            CompareFunction::Greater => new > stored,
            CompareFunction::NotEqual => new != stored,
            CompareFunction::GreaterEqual => new >= stored,
            CompareFunction::Always => true,
        }
    }
}

/// Source of one component after swizzling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the variants are the names of OpenGL")]
pub enum SwizzleSource {
    Red,
    Green,
    Blue,
    Alpha,
    Zero,
    One,
}

/// `GL_DEPTH_TEXTURE_MODE`: conversion of a depth value to a color in compatibility contexts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the variants are the names of OpenGL")]
pub enum DepthMode {
    Luminance,
    Intensity,
    Alpha,
    Red,
}

/// Sampling parameters, with GL's initial values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SamplerParameters {
    /// Wrap modes of s, t, r.
    pub wrap: [Wrap; 3],
    /// Minification filter within a level.
    pub min: Filter,
    /// Minification filter between levels; `None` uses the base level only.
    pub mip: Option<Filter>,
    /// Magnification filter.
    pub mag: Filter,
    /// Added to the computed level.
    pub lod_bias: f32,
    /// Lowest level of detail.
    pub min_lod: f32,
    /// Highest level of detail.
    pub max_lod: f32,
    /// `GL_TEXTURE_BASE_LEVEL`.
    pub base_level: u32,
    /// `GL_TEXTURE_MAX_LEVEL`.
    pub max_level: u32,
    /// Border color.
    pub border: [f32; 4],
    /// `GL_COMPARE_REF_TO_TEXTURE` with this function.
    pub compare: Option<CompareFunction>,
    /// The comparison function that applies once the mode is set.
    pub compare_function: CompareFunction,
    /// Component sources.
    pub swizzle: [SwizzleSource; 4],
    /// Depth texture mode.
    pub depth_mode: DepthMode,
    /// Filters go on across the edges of a cube's faces.
    pub is_seamless: bool,
}

impl SamplerParameters {
    /// The parameters for lookups on single faces of a cube, which do not wrap.
    pub fn on_faces(self) -> SamplerParameters {
        SamplerParameters { wrap: [Wrap::ClampToEdge; 3], ..self }
    }
}

impl Default for SamplerParameters {
    fn default() -> SamplerParameters {
        SamplerParameters {
            wrap: [Wrap::Repeat; 3],
            min: Filter::Nearest,
            mip: Some(Filter::Linear),
            mag: Filter::Linear,
            lod_bias: 0.0,
            min_lod: -1000.0,
            max_lod: 1000.0,
            base_level: 0,
            max_level: 1000,
            border: [0.0; 4],
            compare: None,
            compare_function: CompareFunction::LessEqual,
            swizzle: [
                SwizzleSource::Red,
                SwizzleSource::Green,
                SwizzleSource::Blue,
                SwizzleSource::Alpha,
            ],
            depth_mode: DepthMode::Luminance,
            is_seamless: false,
        }
    }
}

/// One level of detail: a surface per layer, face (layer × 6 + face) or depth slice.
#[derive(Clone, Debug)]
pub struct MipLevel {
    /// Images, all of one size. One-dimensional ones have height 1.
    pub layers: Vec<Surface>,
}

/// A texture object.
#[derive(Clone, Debug)]
pub struct Texture {
    /// Kind.
    pub target: TextureTarget,
    /// Format of every level.
    pub format: Format,
    /// Levels from 0; an undefined one is `None`.
    pub levels: Vec<Option<MipLevel>>,
    /// Allocated with `glTexStorage*`: all levels exist.
    pub immutable: bool,
    /// Sampling parameters.
    pub parameters: SamplerParameters,
}

impl Texture {
    /// Creates a texture without images.
    pub fn new(target: TextureTarget, format: Format) -> Texture {
        Texture {
            target,
            format,
            levels: Vec::new(),
            immutable: false,
            parameters: SamplerParameters::default(),
        }
    }

    /// (Re)defines one level with zeros: `layers` images of `width` × `height`.
    pub fn define(&mut self, level: usize, width: u32, height: u32, layers: u32) {
        if self.levels.len() <= level {
            self.levels.resize(level + 1, None);
        }
        let surface = Surface::new(width, height, self.format);
        self.levels[level] = Some(MipLevel { layers: vec![surface; layers as usize] });
    }

    /// Returns one image.
    pub fn image(&self, level: usize, layer: usize) -> Option<&Surface> {
        self.levels.get(level)?.as_ref()?.layers.get(layer)
    }

    /// Returns one image, for writing.
    pub fn image_mut(&mut self, level: usize, layer: usize) -> Option<&mut Surface> {
        self.levels.get_mut(level)?.as_mut()?.layers.get_mut(layer)
    }
}
