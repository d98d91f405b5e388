//! Buffers, images and samplers.

use std::sync::Arc;

use super::format::Format;
use super::state::CompareOp;
use crate::error::Span;

/// A buffer or an image.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffer {
    /// The name in the script.
    pub name: String,
    /// Position of the declaration.
    pub span: Span,
    /// The format of an element (texel).
    pub format: Arc<Format>,
    /// Number of elements. An attachment has width times height of its pipeline's framebuffer,
    /// shifted left by the base level of mipmaps.
    pub elements: u32,
    /// Texels in a row; 1 for buffers that are no images and no attachments.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// The properties of the image, if it is one. Every buffer that a pipeline uses as an
    /// attachment or as an image has this.
    pub image: Option<Image>,
    /// The contents before the first command: level 0 of an image, its rows without padding.
    pub contents: Contents,
}

impl Buffer {
    /// The largest size of a buffer in bytes; a script that asks for more is an error.
    pub const LIMIT: u64 = 1 << 28;

    /// Size in bytes of level 0. At most [`Buffer::LIMIT`].
    pub fn size(&self) -> u64 {
        u64::from(self.elements) * u64::from(self.format.size)
    }

    /// Bytes in a row.
    pub fn row_stride(&self) -> u64 {
        u64::from(self.width) * u64::from(self.format.size)
    }
}

/// Properties of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image {
    /// Number of dimensions.
    pub dimension: Dimension,
    /// Slices of a 3D image, else 1.
    pub depth: u32,
    /// Levels of mipmaps, 1 or more.
    pub mip_levels: u32,
    /// Samples per texel: 1, 2, 4 … 64.
    pub samples: u32,
}

/// Number of dimensions of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dimension {
    /// `VK_IMAGE_TYPE_1D`.
    One,
    /// `VK_IMAGE_TYPE_2D`.
    Two,
    /// `VK_IMAGE_TYPE_3D`.
    Three,
}

/// The contents of a buffer before the first command. Expanded only on request, since a line of
/// text can ask for a large buffer.
#[derive(Clone, Debug, PartialEq)]
pub enum Contents {
    /// All bytes are zero.
    Zero,
    /// The bytes; zeros follow if they are fewer than the buffer has.
    Bytes(Vec<u8>),
    /// The bytes of one element for each element.
    Fill(Vec<u8>),
    /// Integers that grow by a step, modulo 2^64, from `start`.
    IntegerSeries {
        /// The first value.
        start: u64,
        /// The difference of neighbors.
        step: u64,
    },
    /// Floating-point numbers that grow by a step, added in double precision.
    FloatSeries {
        /// The first value.
        start: f64,
        /// The difference of neighbors.
        step: f64,
    },
}

/// A sampler.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampler {
    /// The name in the script.
    pub name: String,
    /// Position of the declaration.
    pub span: Span,
    /// Filter of magnification.
    pub mag_filter: Filter,
    /// Filter of minification. The filter between levels of mipmaps is always nearest.
    pub min_filter: Filter,
    /// Address modes of u, v and w.
    pub address: [AddressMode; 3],
    /// The border color.
    pub border: BorderColor,
    /// The smallest level of detail.
    pub min_lod: f32,
    /// The largest level of detail.
    pub max_lod: f32,
    /// Coordinates from 0 to 1 rather than in texels.
    pub normalized: bool,
    /// The comparison, if enabled.
    pub compare: Option<CompareOp>,
}

/// A filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Filter {
    /// `VK_FILTER_NEAREST`.
    Nearest,
    /// `VK_FILTER_LINEAR`.
    Linear,
}

/// An address mode; the variants are in the order of `VkSamplerAddressMode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressMode {
    /// `VK_SAMPLER_ADDRESS_MODE_REPEAT`.
    Repeat,
    /// `VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT`.
    MirroredRepeat,
    /// `VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE`.
    ClampToEdge,
    /// `VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER`.
    ClampToBorder,
    /// `VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE`.
    MirrorClampToEdge,
}

/// A border color; the variants are in the order of `VkBorderColor`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BorderColor {
    /// `VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK`.
    FloatTransparentBlack,
    /// `VK_BORDER_COLOR_INT_TRANSPARENT_BLACK`.
    IntTransparentBlack,
    /// `VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK`.
    FloatOpaqueBlack,
    /// `VK_BORDER_COLOR_INT_OPAQUE_BLACK`.
    IntOpaqueBlack,
    /// `VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE`.
    FloatOpaqueWhite,
    /// `VK_BORDER_COLOR_INT_OPAQUE_WHITE`.
    IntOpaqueWhite,
}
