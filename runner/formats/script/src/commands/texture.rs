//! Texture commands: fill a slot, set parameters, bind to an image unit, make resident.

use super::arguments::Arguments;
use crate::enums::GlEnum;
use crate::error::{ErrorKind, Fault};
use crate::patterns::Pattern;
use crate::scan::{Captures, scan};

/// Maximum width, height, depth and layers of a texture or renderbuffer.
pub(super) const MAX_SIZE: u32 = 16384;

/// A texture command. Slots are texture units and below 32.
#[derive(Clone, Debug, PartialEq)]
pub enum TextureCommand {
    /// Makes the unit active, and puts a new texture into its slot.
    Fill {
        /// Texture unit and slot.
        unit: u32,
        /// Kind, size and contents.
        image: TextureImage,
    },
    /// `texparameter`: acts on the unit that was made active last.
    Parameter {
        /// Texture target.
        target: TextureTarget,
        /// Name and value.
        parameter: TexParameter,
    },
    /// `image texture`: level 0 of the slot's texture to the image unit of the same number.
    Image {
        /// Slot and image unit.
        slot: u32,
        /// Image format.
        format: GlEnum,
    },
    /// `resident texture`.
    Resident(u32),
    /// `resident image texture`.
    ResidentImage {
        /// Texture slot and handle slot.
        slot: u32,
        /// Image format.
        format: GlEnum,
    },
}

/// Contents of a new texture. The four colors of `rgbw` are red, green, blue, white.
#[derive(Clone, Debug, PartialEq)]
pub enum TextureImage {
    /// `rgbw`: 2D, one color per quadrant.
    Rgbw {
        /// Width.
        width: u32,
        /// Height.
        height: u32,
        /// Internal format, `GL_RGBA` if absent.
        format: Option<GlEnum>,
    },
    /// `rgbw 1D`: four texels.
    Rgbw1D,
    /// `rgbw 3D`: 2×2×2 texels.
    Rgbw3D,
    /// `rgbw 2DArray`: one color per layer.
    Rgbw2DArray {
        /// Width.
        width: u32,
        /// Height.
        height: u32,
        /// Layers.
        layers: u32,
    },
    /// `rgbw 1DArray`: one color per layer.
    Rgbw1DArray {
        /// Width.
        width: u32,
        /// Layers.
        layers: u32,
    },
    /// `miptree`: 2D, 8×8 red, 4×4 green, 2×2 blue, 1×1 white.
    Miptree,
    /// `checkerboard`.
    Checkerboard(Box<Checkerboard>),
    /// `quads`.
    Quads(Box<Quads>),
    /// `integer`: 2D integer texture computed from the texel's position and two numbers.
    Integer {
        /// Width.
        width: u32,
        /// Height.
        height: u32,
        /// The number called B.
        b: i32,
        /// The number called A.
        a: i32,
        /// Number of 32-bit integer channels.
        format: IntegerFormat,
    },
    /// `shadow2D`: depth grows from 0 at the left to 1 at the right.
    Shadow2D {
        /// Width.
        width: u32,
        /// Height.
        height: u32,
    },
    /// `shadowRect`: the same on a rectangle texture.
    ShadowRect {
        /// Width.
        width: u32,
        /// Height.
        height: u32,
    },
    /// `shadow1D`: the same on one row.
    Shadow1D {
        /// Width.
        width: u32,
    },
    /// `shadow1DArray`: every layer alike.
    Shadow1DArray {
        /// Width.
        width: u32,
        /// Layers.
        layers: u32,
    },
    /// `shadow2DArray`: every layer alike.
    Shadow2DArray {
        /// Width.
        width: u32,
        /// Height.
        height: u32,
        /// Layers.
        layers: u32,
    },
    /// `junk 2DArray`: undefined contents, GL's default parameters.
    Junk2DArray {
        /// Width.
        width: u32,
        /// Height.
        height: u32,
        /// Layers.
        layers: u32,
    },
    /// `storage`: immutable storage with undefined contents, GL's default parameters.
    Storage {
        /// Texture target.
        target: TextureTarget,
        /// Internal format.
        format: GlEnum,
        /// Mipmap levels.
        levels: u32,
        /// Width, then height and depth if given; their number chooses the GL call.
        size: [Option<u32>; 3],
    },
}

/// `texture checkerboard`: tiles of half the size; only one level is defined.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkerboard {
    /// The level.
    pub level: u32,
    /// Width of the level.
    pub width: u32,
    /// Height of the level.
    pub height: u32,
    /// Color of the lower left and upper right tile, then of the other two.
    pub colors: [[f32; 4]; 2],
}

/// `texture quads`: like a checkerboard with four colors and a given tile size.
#[derive(Clone, Debug, PartialEq)]
pub struct Quads {
    /// The level.
    pub level: u32,
    /// Width of the level.
    pub width: u32,
    /// Height of the level.
    pub height: u32,
    /// Width of a tile.
    pub tile_width: u32,
    /// Height of a tile.
    pub tile_height: u32,
    /// Lower left, lower right, upper left, upper right.
    pub colors: [[f32; 4]; 4],
}

/// Format of `texture integer`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntegerFormat {
    /// `GL_R32I`
    R32I,
    /// `GL_RG32I`
    Rg32I,
    /// `GL_RGB32I`
    Rgb32I,
    /// `GL_RGBA32I`
    Rgba32I,
}

/// Texture targets by their short names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextureTarget {
    /// `1D`
    OneD,
    /// `2D`
    TwoD,
    /// `3D`
    ThreeD,
    /// `Rect`
    Rect,
    /// `Cube`
    Cube,
    /// `1DArray`
    OneDArray,
    /// `2DArray`
    TwoDArray,
    /// `CubeArray`
    CubeArray,
}

impl TextureTarget {
    pub(super) fn from_word(word: &str) -> Option<TextureTarget> {
        Some(match word {
            "1D" => TextureTarget::OneD,
            "2D" => TextureTarget::TwoD,
            "3D" => TextureTarget::ThreeD,
            "Rect" => TextureTarget::Rect,
            "Cube" => TextureTarget::Cube,
            "1DArray" => TextureTarget::OneDArray,
            "2DArray" => TextureTarget::TwoDArray,
            "CubeArray" => TextureTarget::CubeArray,
            _ => return None,
        })
    }
}

/// Name and value of `texparameter`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TexParameter {
    /// `compare_func`
    CompareFunc(CompareFunc),
    /// `depth_mode`
    DepthMode(DepthMode),
    /// `min`
    Min(TexFilter),
    /// `mag`: nearest or linear.
    Mag(TexFilter),
    /// `wrap_s`
    WrapS(TexWrap),
    /// `wrap_t`
    WrapT(TexWrap),
    /// `wrap_r`
    WrapR(TexWrap),
    /// `lod_bias`
    LodBias(f32),
    /// `max_level`
    MaxLevel(i32),
    /// `base_level`
    BaseLevel(i32),
    /// `border_color`
    BorderColor([f32; 4]),
    /// `swizzle_r`
    SwizzleR(TextureSwizzle),
}

/// Depth comparison function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompareFunc {
    /// `greater`
    Greater,
    /// `gequal`
    GreaterEqual,
    /// `less`
    Less,
    /// `lequal`
    LessEqual,
    /// `equal`
    Equal,
    /// `notequal`
    NotEqual,
    /// `never`
    Never,
    /// `always`
    Always,
}

/// Channels that a depth texture's value appears in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DepthMode {
    /// `intensity`
    Intensity,
    /// `luminance`
    Luminance,
    /// `alpha`
    Alpha,
    /// `red`
    Red,
}

/// Minification and magnification filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TexFilter {
    /// `nearest`
    Nearest,
    /// `linear`
    Linear,
    /// `nearest_mipmap_nearest`
    NearestMipmapNearest,
    /// `linear_mipmap_nearest`
    LinearMipmapNearest,
    /// `nearest_mipmap_linear`
    NearestMipmapLinear,
    /// `linear_mipmap_linear`
    LinearMipmapLinear,
}

/// Wrap modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TexWrap {
    /// `repeat`
    Repeat,
    /// `clamp_to_edge`
    ClampToEdge,
    /// `clamp_to_border`
    ClampToBorder,
}

/// Source channel of `swizzle_r`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextureSwizzle {
    /// `red`
    Red,
    /// `green`
    Green,
    /// `blue`
    Blue,
    /// `alpha`
    Alpha,
}

pub(super) fn command<'a>(
    pattern: Pattern,
    arguments: &mut Arguments<'a, '_>,
) -> Result<TextureCommand, Fault<'a>> {
    use Pattern as P;
    let captures = arguments.captures;
    match pattern {
        P::ImageTexture => Ok(TextureCommand::Image {
            slot: arguments.slot(captures.signed(0))?,
            format: arguments.registry(captures.word(1))?,
        }),
        // `resident texture 1D N` would be a separate pattern, but piglit reads the 1 of `1D` as
        // the slot, and the one test written so relies on it.
        P::ResidentTexture | P::ResidentTexture1D => {
            Ok(TextureCommand::Resident(arguments.slot(captures.signed(0))?))
        }
        P::ResidentImageTexture => Ok(TextureCommand::ResidentImage {
            slot: arguments.slot(captures.signed(0))?,
            format: arguments.registry(captures.word(1))?,
        }),
        P::Texparameter => parameter(arguments),
        P::TextureInteger => integer(arguments),
        P::TextureStorage => storage(arguments),
        P::TextureRgbw => rgbw(arguments),
        _ => Ok(TextureCommand::Fill {
            unit: arguments.slot(captures.signed(0))?,
            image: image(pattern, arguments)?,
        }),
    }
}

/// Fills whose numbers are all in the pattern. The slot is the first of them.
fn image<'a>(pattern: Pattern, arguments: &Arguments<'a, '_>) -> Result<TextureImage, Fault<'a>> {
    use Pattern as P;
    let captures = arguments.captures;
    let size = |index| size(arguments, captures.signed(index));
    Ok(match pattern {
        P::TextureMiptree => TextureImage::Miptree,
        P::TextureRgbw1D => TextureImage::Rgbw1D,
        P::TextureRgbw3D => TextureImage::Rgbw3D,
        P::TextureRgbw2DArray => {
            TextureImage::Rgbw2DArray { width: size(1)?, height: size(2)?, layers: size(3)? }
        }
        P::TextureRgbw1DArray => TextureImage::Rgbw1DArray { width: size(1)?, layers: size(2)? },
        P::TextureShadow2D => TextureImage::Shadow2D { width: size(1)?, height: size(2)? },
        P::TextureShadowRect => TextureImage::ShadowRect { width: size(1)?, height: size(2)? },
        P::TextureShadow1D => TextureImage::Shadow1D { width: size(1)? },
        P::TextureShadow1DArray => {
            TextureImage::Shadow1DArray { width: size(1)?, layers: size(2)? }
        }
        P::TextureShadow2DArray => {
            TextureImage::Shadow2DArray { width: size(1)?, height: size(2)?, layers: size(3)? }
        }
        P::TextureJunk2DArray => {
            TextureImage::Junk2DArray { width: size(1)?, height: size(2)?, layers: size(3)? }
        }
        P::TextureCheckerboard => TextureImage::Checkerboard(Box::new(Checkerboard {
            level: level(arguments)?,
            width: size(2)?,
            height: size(3)?,
            colors: [captures.singles(4), captures.singles(8)],
        })),
        P::TextureQuads => TextureImage::Quads(Box::new(Quads {
            level: level(arguments)?,
            width: size(2)?,
            height: size(3)?,
            tile_width: size(4)?,
            tile_height: size(5)?,
            colors: [
                captures.singles(6),
                captures.singles(10),
                captures.singles(14),
                captures.singles(18),
            ],
        })),
        _ => return Err(arguments.malformed("not a texture command")),
    })
}

fn size<'a>(arguments: &Arguments<'a, '_>, value: i32) -> Result<u32, Fault<'a>> {
    arguments.size(value, MAX_SIZE, "texture size")
}

fn level<'a>(arguments: &Arguments<'a, '_>) -> Result<u32, Fault<'a>> {
    arguments.size(arguments.captures.signed(1), MAX_SIZE.ilog2(), "mipmap level")
}

/// The pattern only guarantees the slot and the width; height and format are read here, and may be
/// missing.
fn rgbw<'a>(arguments: &Arguments<'a, '_>) -> Result<TextureCommand, Fault<'a>> {
    let mut captures = Captures::new();
    scan("texture rgbw D ( D , D ) W31", arguments.line(), &mut captures);
    let format =
        if captures.len() == 4 { Some(arguments.registry(captures.word(3))?) } else { None };
    let (width, height) =
        (size(arguments, captures.signed(1))?, size(arguments, captures.signed(2))?);
    let unit = arguments.slot(captures.signed(0))?;
    Ok(TextureCommand::Fill { unit, image: TextureImage::Rgbw { width, height, format } })
}

fn integer<'a>(arguments: &Arguments<'a, '_>) -> Result<TextureCommand, Fault<'a>> {
    let mut captures = Captures::new();
    if !scan(" D ( D , D ) ( D , D ) W31", arguments.rest, &mut captures) {
        return Err(arguments.malformed("expected a slot, (width, height), (b, a) and a format"));
    }
    let name = captures.word(5);
    let format = match name {
        "GL_R32I" => IntegerFormat::R32I,
        "GL_RG32I" => IntegerFormat::Rg32I,
        "GL_RGB32I" => IntegerFormat::Rgb32I,
        "GL_RGBA32I" => IntegerFormat::Rgba32I,
        _ => return Err(arguments.unexpected(name, "a 32-bit integer format")),
    };
    let (width, height) =
        (size(arguments, captures.signed(1))?, size(arguments, captures.signed(2))?);
    let image = TextureImage::Integer {
        width,
        height,
        b: captures.signed(3),
        a: captures.signed(4),
        format,
    };
    Ok(TextureCommand::Fill { unit: arguments.slot(captures.signed(0))?, image })
}

fn storage<'a>(arguments: &Arguments<'a, '_>) -> Result<TextureCommand, Fault<'a>> {
    let mut captures = Captures::new();
    scan(" D W31 W31 ( D D D D", arguments.rest, &mut captures);
    // Slot, target, format, levels and one size at least.
    if captures.len() < 5 {
        return Err(arguments
            .malformed("expected a slot, a target, a format and (levels width [height [depth]])"));
    }
    let target =
        arguments.chosen(captures.word(1), "a texture target", TextureTarget::from_word)?;
    let format = arguments.registry(captures.word(2))?;
    let levels = arguments.size(captures.signed(3), MAX_SIZE.ilog2() + 1, "number of levels")?;
    let mut sizes = [None; 3];
    for (index, slot) in sizes.iter_mut().enumerate().take(captures.len() - 4) {
        *slot = Some(size(arguments, captures.signed(4 + index))?);
    }
    let image = TextureImage::Storage { target, format, levels, size: sizes };
    Ok(TextureCommand::Fill { unit: arguments.slot(captures.signed(0))?, image })
}

fn parameter<'a>(arguments: &mut Arguments<'a, '_>) -> Result<TextureCommand, Fault<'a>> {
    let target = arguments.choice("a texture target", TextureTarget::from_word)?;
    let name = arguments.word("a parameter name")?;
    let parameter = match name {
        "compare_func" => {
            TexParameter::CompareFunc(arguments.choice("a comparison function", compare_func)?)
        }
        "depth_mode" => TexParameter::DepthMode(arguments.choice("a depth mode", depth_mode)?),
        "min" => TexParameter::Min(arguments.choice("a filter", filter)?),
        "mag" => TexParameter::Mag(arguments.choice("`nearest` or `linear`", |word| {
            filter(word).filter(|filter| matches!(filter, TexFilter::Nearest | TexFilter::Linear))
        })?),
        "wrap_s" => TexParameter::WrapS(arguments.choice("a wrap mode", wrap)?),
        "wrap_t" => TexParameter::WrapT(arguments.choice("a wrap mode", wrap)?),
        "wrap_r" => TexParameter::WrapR(arguments.choice("a wrap mode", wrap)?),
        "lod_bias" => TexParameter::LodBias(scanned(arguments, " F", "a number")?.single(0)),
        "max_level" => TexParameter::MaxLevel(scanned(arguments, " D", "an integer")?.signed(0)),
        "base_level" => TexParameter::BaseLevel(scanned(arguments, " D", "an integer")?.signed(0)),
        "border_color" => {
            TexParameter::BorderColor(scanned(arguments, " F F F F", "four numbers")?.singles(0))
        }
        "swizzle_r" => TexParameter::SwizzleR(arguments.choice("a channel", swizzle)?),
        _ => return Err(arguments.at(name, ErrorKind::Arguments, "unknown texture parameter")),
    };
    Ok(TextureCommand::Parameter { target, parameter })
}

fn scanned<'a>(
    arguments: &Arguments<'a, '_>,
    pattern: &str,
    what: &str,
) -> Result<Captures<'a>, Fault<'a>> {
    let mut captures = Captures::new();
    if scan(pattern, arguments.rest, &mut captures) {
        Ok(captures)
    } else {
        Err(arguments.malformed(format!("expected {what}")))
    }
}

fn compare_func(word: &str) -> Option<CompareFunc> {
    Some(match word {
        "greater" => CompareFunc::Greater,
        "gequal" => CompareFunc::GreaterEqual,
        "less" => CompareFunc::Less,
        "lequal" => CompareFunc::LessEqual,
        "equal" => CompareFunc::Equal,
        "notequal" => CompareFunc::NotEqual,
        "never" => CompareFunc::Never,
        "always" => CompareFunc::Always,
        _ => return None,
    })
}

fn depth_mode(word: &str) -> Option<DepthMode> {
    Some(match word {
        "intensity" => DepthMode::Intensity,
        "luminance" => DepthMode::Luminance,
        "alpha" => DepthMode::Alpha,
        "red" => DepthMode::Red,
        _ => return None,
    })
}

fn filter(word: &str) -> Option<TexFilter> {
    Some(match word {
        "nearest" => TexFilter::Nearest,
        "linear" => TexFilter::Linear,
        "nearest_mipmap_nearest" => TexFilter::NearestMipmapNearest,
        "linear_mipmap_nearest" => TexFilter::LinearMipmapNearest,
        "nearest_mipmap_linear" => TexFilter::NearestMipmapLinear,
        "linear_mipmap_linear" => TexFilter::LinearMipmapLinear,
        _ => return None,
    })
}

fn wrap(word: &str) -> Option<TexWrap> {
    Some(match word {
        "repeat" => TexWrap::Repeat,
        "clamp_to_edge" => TexWrap::ClampToEdge,
        "clamp_to_border" => TexWrap::ClampToBorder,
        _ => return None,
    })
}

fn swizzle(word: &str) -> Option<TextureSwizzle> {
    Some(match word {
        "red" => TextureSwizzle::Red,
        "green" => TextureSwizzle::Green,
        "blue" => TextureSwizzle::Blue,
        "alpha" => TextureSwizzle::Alpha,
        _ => return None,
    })
}
