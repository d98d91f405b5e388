//! Descriptors of images and samplers.

use amd_isa::Scalar;

use crate::state::Wave;

/// Kind of an image, by the number in its descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageKind(pub u8);

impl ImageKind {
    /// One dimension.
    pub const D1: ImageKind = ImageKind(8);
    /// Two dimensions.
    pub const D2: ImageKind = ImageKind(9);
    /// Three dimensions.
    pub const D3: ImageKind = ImageKind(10);
    /// Six faces, or layers of six faces.
    pub const CUBE: ImageKind = ImageKind(11);
    /// Layers of one dimension.
    pub const D1_ARRAY: ImageKind = ImageKind(12);
    /// Layers of two dimensions.
    pub const D2_ARRAY: ImageKind = ImageKind(13);
    /// Two dimensions with samples.
    pub const D2_SAMPLES: ImageKind = ImageKind(14);
    /// Layers of two dimensions with samples.
    pub const D2_ARRAY_SAMPLES: ImageKind = ImageKind(15);

    /// Number of coordinates without layer and sample; `None` if it is not a kind of image.
    pub fn axes(self) -> Option<usize> {
        Some(match self {
            ImageKind::D1 | ImageKind::D1_ARRAY => 1,
            ImageKind::D3 => 3,
            ImageKind(9..=15) => 2,
            _ => return None,
        })
    }

    /// Returns coordinates with the layer behind them, if images of the kind have layers.
    pub fn with_layer<T: Default>(self, [x, y, z]: [T; 3], layer: T) -> [T; 3] {
        match self {
            ImageKind::D1_ARRAY => [x, layer, T::default()],
            ImageKind::D2_ARRAY | ImageKind::D2_ARRAY_SAMPLES | ImageKind::CUBE => [x, y, layer],
            _ => [x, y, z],
        }
    }

    /// True if texels have several samples.
    pub fn has_samples(self) -> bool {
        matches!(self, ImageKind::D2_SAMPLES | ImageKind::D2_ARRAY_SAMPLES)
    }
}

/// Descriptor of an image (T#): eight dwords.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageResource {
    /// Address in bytes, a multiple of 256.
    pub base: u64,
    /// Lowest level of detail, in units of 1/256.
    pub min_lod: u16,
    /// Format of texels.
    pub data_format: u8,
    /// Format of their numbers.
    pub number_format: u8,
    /// Texels in x at level 0.
    pub width: u32,
    /// Texels in y at level 0.
    pub height: u32,
    /// Slices of a three-dimensional image at level 0.
    pub depth: u32,
    /// Source of each channel: 0 zero, 1 one, 4 to 7 a channel of the texel.
    pub select: [u8; 4],
    /// Level that is level 0 of accesses.
    pub base_level: u8,
    /// Last level; with samples the logarithm of their number.
    pub last_level: u8,
    /// Mode of tiling.
    pub tiling: u8,
    /// Sizes in memory are powers of two.
    pub is_padded: bool,
    /// Kind.
    pub kind: ImageKind,
    /// Texels in memory of a row at level 0.
    pub pitch: u32,
    /// First layer.
    pub base_array: u32,
    /// Last layer.
    pub last_array: u32,
    /// Address of the metadata of compressed images, of chips that read it.
    pub metadata: Option<u64>,
    /// Metadata that clears to 0 or 1 has alpha in the last channel.
    pub alpha_is_last: bool,
}

impl ImageResource {
    /// Decodes eight dwords.
    pub fn decode(words: [u32; 8]) -> ImageResource {
        let field = |word: usize, low: u32, bits: u32| words[word] >> low & ((1 << bits) - 1);
        let byte = |word: usize, low: u32, bits: u32| field(word, low, bits) as u8;
        let select = |index: u32| byte(3, 3 * index, 3);
        ImageResource {
            base: (u64::from(words[0]) | u64::from(field(1, 0, 8)) << 32) << 8,
            min_lod: field(1, 8, 12) as u16,
            data_format: byte(1, 20, 6),
            number_format: byte(1, 26, 4),
            width: field(2, 0, 14) + 1,
            height: field(2, 14, 14) + 1,
            depth: field(4, 0, 13) + 1,
            select: [select(0), select(1), select(2), select(3)],
            base_level: byte(3, 12, 4),
            last_level: byte(3, 16, 4),
            tiling: byte(3, 20, 5),
            is_padded: field(3, 25, 1) != 0,
            kind: ImageKind(byte(3, 28, 4)),
            pitch: field(4, 13, 14) + 1,
            base_array: field(5, 0, 13),
            last_array: field(5, 13, 13),
            // Reserved bits of other chips.
            metadata: (field(6, 21, 1) != 0).then(|| u64::from(words[7]) << 8),
            alpha_is_last: field(6, 22, 1) != 0,
        }
    }

    /// The descriptor in eight scalar registers.
    pub(crate) fn of(wave: &Wave, first: Scalar) -> ImageResource {
        ImageResource::decode(words(wave, first))
    }
}

/// Descriptor of a sampler (S#): four dwords.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SamplerResource {
    /// Treatment of coordinates outside of the image, per axis: 0 wrap, 1 mirror, 2 clamp to the
    /// last texel, 3 mirror once, 4 clamp halfway into the border, 6 clamp to the border.
    pub clamp: [u8; 3],
    /// Logarithm of the largest degree of anisotropy.
    pub anisotropy: u8,
    /// Comparison with the reference value, numbered as by OpenGL.
    pub compare: u8,
    /// Coordinates are texels.
    pub unnormalized: bool,
    /// Lowest level of detail, in units of 1/256.
    pub min_lod: u16,
    /// Highest level of detail, in units of 1/256.
    pub max_lod: u16,
    /// Added to the level of detail, in units of 1/256.
    pub lod_bias: i16,
    /// Filter of magnification: 0 nearest, 1 linear.
    pub mag: u8,
    /// Filter of minification: 0 nearest, 1 linear.
    pub min: u8,
    /// Filter between slices: 0 none, 1 nearest, 2 linear.
    pub z: u8,
    /// Filter between levels: 0 none, 1 nearest, 2 linear.
    pub mip: u8,
    /// Border: 0 transparent black, 1 opaque black, 2 opaque white, 3 entry of a table.
    pub border: u8,
    /// Entry of the table of border colors.
    pub border_entry: u16,
}

impl SamplerResource {
    /// Decodes four dwords.
    pub fn decode([w0, w1, w2, w3]: [u32; 4]) -> SamplerResource {
        SamplerResource {
            clamp: [w0, w0 >> 3, w0 >> 6].map(|bits| (bits & 7) as u8),
            anisotropy: (w0 >> 9 & 7) as u8,
            compare: (w0 >> 12 & 7) as u8,
            unnormalized: w0 >> 15 & 1 != 0,
            min_lod: (w1 & 0xfff) as u16,
            max_lod: (w1 >> 12 & 0xfff) as u16,
            lod_bias: ((w2 << 18) as i32 >> 18) as i16,
            mag: (w2 >> 20 & 3) as u8,
            min: (w2 >> 22 & 3) as u8,
            z: (w2 >> 24 & 3) as u8,
            mip: (w2 >> 26 & 3) as u8,
            border: (w3 >> 30) as u8,
            border_entry: (w3 & 0xfff) as u16,
        }
    }

    /// The descriptor in four scalar registers.
    pub(crate) fn of(wave: &Wave, first: Scalar) -> SamplerResource {
        SamplerResource::decode(words(wave, first))
    }
}

/// The dwords in scalar registers.
fn words<const N: usize>(wave: &Wave, first: Scalar) -> [u32; N] {
    std::array::from_fn(|index| wave.scalar[(usize::from(first.0) + index) & 127])
}

#[cfg(test)]
mod tests {
    use crate::*;

    /// A descriptor of radeonsi's form: a texture of 16×8 with two levels, 8-bit RGBA.
    #[test]
    fn images() {
        let words = [
            0x0012_3456,
            10 << 20 | 0x01,
            15 | 7 << 14,
            0x9001_0fac,
            2 | 15 << 13,
            3 | 5 << 13,
            0,
            0,
        ];
        let image = ImageResource::decode(words);
        assert_eq!(image.base, 0x01_0012_3456 << 8);
        assert_eq!((image.data_format, image.number_format), (10, 0));
        assert_eq!((image.width, image.height, image.depth), (16, 8, 3));
        assert_eq!(image.select, [4, 5, 6, 7]);
        assert_eq!((image.base_level, image.last_level), (0, 1));
        assert_eq!(image.kind, ImageKind::D2);
        assert_eq!((image.pitch, image.base_array, image.last_array), (16, 3, 5));
    }

    #[test]
    fn samplers() {
        let words =
            [2 | 1 << 3 | 6 << 6 | 3 << 12, 0x000f_0080, 0x3f80 | 1 << 20 | 2 << 26, 1 << 30];
        let sampler = SamplerResource::decode(words);
        assert_eq!(sampler.clamp, [2, 1, 6]);
        assert_eq!((sampler.compare, sampler.unnormalized), (3, false));
        assert_eq!((sampler.min_lod, sampler.max_lod), (0x080, 0x0f0));
        assert_eq!(sampler.lod_bias, -128);
        assert_eq!((sampler.mag, sampler.min, sampler.mip, sampler.border), (1, 0, 2, 1));
    }
}
