//! Descriptors of textures and images, as a driver writes them into the table.

use gcn_simulator::{ImageKind, ImageResource, SamplerResource};
use program::types::Dim;
use program::{Program, Type};
use raster::format::{Channel, Format, FormatClass};
use raster::shader_io::{Lod, ShaderIo, TextureOp, TextureRef};
use raster::texture::texels::Texels;
use raster::texture::{
    CompareFunction, DepthMode, Filter, SamplerParameters, SwizzleSource, Texture, TextureTarget,
    Wrap,
};

/// Sources of channels in descriptors.
const ZERO: u8 = 0;
const ONE: u8 = 1;
const X: u8 = 4;

/// Shape of a sampler or image of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub dim: Dim,
    pub array: bool,
}

impl Shape {
    /// The shape of the sampler at a slot.
    pub(crate) fn of_sampler(program: &Program, slot: u32) -> Option<Shape> {
        let uniform = program.samplers.get(slot as usize)?.uniform;
        let ty = program.uniforms.get(uniform as usize)?.ty;
        match program.types.get(program.types.without_arrays(ty)) {
            Type::Sampler(sampler) => Some(Shape { dim: sampler.dim, array: sampler.array }),
            _ => None,
        }
    }

    /// The shape of the image at a slot.
    pub(crate) fn of_image(program: &Program, slot: u32) -> Option<Shape> {
        let uniform = program.images.get(slot as usize)?.uniform;
        let ty = program.uniforms.get(uniform as usize)?.ty;
        match program.types.get(program.types.without_arrays(ty)) {
            Type::Image(image) => Some(Shape { dim: image.dim, array: image.array }),
            _ => None,
        }
    }

    /// The kind of a texture with this shape.
    pub(crate) fn kind(self) -> ImageKind {
        match (self.dim, self.array) {
            (Dim::D1, false) => ImageKind::D1,
            (Dim::D1, true) => ImageKind::D1_ARRAY,
            (Dim::D3, _) => ImageKind::D3,
            (Dim::Cube, _) => ImageKind::CUBE,
            (Dim::D2Ms, false) => ImageKind::D2_SAMPLES,
            (Dim::D2Ms, true) => ImageKind::D2_ARRAY_SAMPLES,
            (_, false) => ImageKind::D2,
            (_, true) => ImageKind::D2_ARRAY,
        }
    }

    /// The kind of an image with this shape: faces of cubes are layers.
    pub(crate) fn image_kind(self) -> ImageKind {
        match self.dim {
            Dim::Cube => ImageKind::D2_ARRAY,
            _ => self.kind(),
        }
    }
}

/// The descriptor of no texture: lookups give 0, 0, 0, 1.
pub(crate) fn nothing(base: u64, kind: ImageKind) -> ImageResource {
    ImageResource {
        base,
        min_lod: 0,
        data_format: 4,
        number_format: 7,
        width: 1,
        height: 1,
        depth: 1,
        select: [ZERO, ZERO, ZERO, ONE],
        base_level: 0,
        last_level: 0,
        tiling: 0,
        is_padded: false,
        kind,
        pitch: 1,
        base_array: 0,
        last_array: 0,
        metadata: None,
        alpha_is_last: false,
    }
}

/// The descriptor of a texture at a sampler slot.
pub(crate) fn texture(
    io: &mut dyn ShaderIo,
    slot: u32,
    base: u64,
    kind: ImageKind,
) -> ImageResource {
    let levels = io.texture(TextureRef::Slot(slot), &TextureOp::Levels).map_or(1, |l| l[0].max(1));
    let Some(texture) = io.bound_texture(slot) else { return nothing(base, kind) };
    let parameters = &texture.parameters;
    let (data_format, number_format) = formats(texture.format);
    ImageResource {
        data_format,
        number_format,
        select: parameters.swizzle.map(|source| selected(texture, source)),
        ..sized(base, kind, texture, parameters.base_level, levels)
    }
}

/// The descriptor of the image at an image slot.
pub(crate) fn image(io: &dyn ShaderIo, slot: u32, base: u64, kind: ImageKind) -> ImageResource {
    let Some((texture, view)) = io.bound_image(slot) else { return nothing(base, kind) };
    let (data_format, number_format) = formats(view.format);
    let whole = sized(base, kind, texture, view.level, 1);
    let layers = view.layer.map(|layer| (layer, layer));
    let (base_array, last_array) = layers.unwrap_or((whole.base_array, whole.last_array));
    let select = [X, X + 1, X + 2, X + 3];
    ImageResource { data_format, number_format, select, base_array, last_array, ..whole }
}

fn sized(
    base: u64,
    kind: ImageKind,
    texture: &Texture,
    base_level: u32,
    levels: u32,
) -> ImageResource {
    let level = texture.level_size(base_level as usize);
    let (width, height, layers) = level.unwrap_or((1, 1, 1));
    // Sizes are those of level 0, whether or not it exists.
    let full = |size: u32| (size << base_level.min(14)).clamp(1, 1 << 14);
    let one_dimension = matches!(kind, ImageKind::D1 | ImageKind::D1_ARRAY);
    let volume = texture.target == TextureTarget::D3;
    ImageResource {
        width: full(width),
        height: if one_dimension { 1 } else { full(height) },
        depth: if volume { full(layers).min(1 << 13) } else { 1 },
        base_level: base_level.min(15) as u8,
        last_level: (base_level + levels - 1).min(15) as u8,
        pitch: full(width),
        last_array: if volume { 0 } else { (layers - 1).min(0x1fff) },
        ..nothing(base, kind)
    }
}

/// Data and number format.
fn formats(format: Format) -> (u8, u8) {
    let channels = format.channels();
    let bits: Vec<u8> = channels.iter().map(|channel| channel.bits()).collect();
    let data = match bits[..] {
        [8, 0, 0, 0] => 1,
        [16, 0, 0, 0] => 2,
        [8, 8, 0, 0] => 3,
        [32, 0, 0, 0] => 4,
        [16, 16, 0, 0] => 5,
        [11, 11, 10, 0] => 6,
        [10, 10, 10, 2] => 9,
        // Three channels of 8 bits are stored as four.
        [8, 8, 8, 8 | 0] => 10,
        [32, 32, 0, 0] => 11,
        [16, 16, 16, 16 | 0] => 12,
        [32, 32, 32, 0] => 13,
        [32, 32, 32, 32] => 14,
        [24, ..] => 20,
        _ => 0,
    };
    let number = match (format.class(), channels[0]) {
        (FormatClass::Int, _) => 5,
        (FormatClass::Uint, _) => 4,
        (FormatClass::Float, _) => 7,
        (_, Channel::Snorm(_)) => 1,
        _ => 0,
    };
    (data, number)
}

/// Source of a channel: the texture's swizzle after that of depth textures.
fn selected(texture: &Texture, source: SwizzleSource) -> u8 {
    let channel = match source {
        SwizzleSource::Red => 0,
        SwizzleSource::Green => 1,
        SwizzleSource::Blue => 2,
        SwizzleSource::Alpha => 3,
        SwizzleSource::Zero => return ZERO,
        SwizzleSource::One => return ONE,
    };
    let depth = match texture.parameters.depth_mode {
        DepthMode::Luminance => [X, X, X, ONE],
        DepthMode::Intensity => [X; 4],
        DepthMode::Alpha => [ZERO, ZERO, ZERO, X],
        DepthMode::Red => [X, ZERO, ZERO, ONE],
    };
    if texture.format.is_depth() { depth[channel] } else { X + channel as u8 }
}

/// The sampler of a sampler slot.
pub(crate) fn sampler(io: &dyn ShaderIo, slot: u32) -> SamplerResource {
    let default = SamplerParameters::default();
    let parameters = io.bound_texture(slot).map_or(&default, |texture| &texture.parameters);
    let filter = |filter: Filter| u8::from(filter == Filter::Linear);
    let fixed = |value: f32, low: f32, high: f32| (value.clamp(low, high) * 256.0) as i16;
    SamplerResource {
        clamp: parameters.wrap.map(|wrap| match wrap {
            Wrap::Repeat => 0,
            Wrap::MirroredRepeat => 1,
            Wrap::ClampToEdge => 2,
            Wrap::MirrorOnce => 3,
            Wrap::HalfBorder => 4,
            Wrap::MirrorHalfBorder => 5,
            Wrap::ClampToBorder => 6,
            Wrap::MirrorBorder => 7,
        }),
        anisotropy: 0,
        compare: match parameters.compare.unwrap_or(CompareFunction::Never) {
            CompareFunction::Never => 0,
            CompareFunction::Less => 1,
            CompareFunction::Equal => 2,
            CompareFunction::LessEqual => 3,
            CompareFunction::Greater => 4,
            CompareFunction::NotEqual => 5,
            CompareFunction::GreaterEqual => 6,
            CompareFunction::Always => 7,
        },
        unnormalized: false,
        min_lod: fixed(parameters.min_lod, 0.0, 15.0) as u16,
        max_lod: fixed(parameters.max_lod, 0.0, 15.0) as u16,
        lod_bias: fixed(parameters.lod_bias, -16.0, 16.0),
        mag: filter(parameters.mag),
        min: filter(parameters.min),
        z: 1 + filter(parameters.min),
        mip: parameters.mip.map_or(0, |mip| 1 + filter(mip)),
        border: match parameters.border {
            [0.0, 0.0, 0.0, 0.0] => 0,
            [0.0, 0.0, 0.0, 1.0] => 1,
            [1.0, 1.0, 1.0, 1.0] => 2,
            _ => 3,
        },
        border_entry: 0,
    }
}

/// The dwords of an image's descriptor.
pub(crate) fn image_words(image: &ImageResource) -> [u32; 8] {
    let address = image.base >> 8;
    let select = image.select.iter().rev().fold(0, |bits, s| bits << 3 | u32::from(*s));
    [
        address as u32,
        (address >> 32) as u32 & 0xff
            | u32::from(image.min_lod) << 8
            | u32::from(image.data_format) << 20
            | u32::from(image.number_format) << 26,
        (image.width - 1) | (image.height - 1) << 14,
        select
            | u32::from(image.base_level) << 12
            | u32::from(image.last_level) << 16
            | u32::from(image.tiling) << 20
            | u32::from(image.is_padded) << 25
            | u32::from(image.kind.0) << 28,
        (image.depth - 1) | (image.pitch - 1) << 13,
        image.base_array | image.last_array << 13,
        0,
        0,
    ]
}

/// The dwords of a sampler's descriptor.
pub(crate) fn sampler_words(sampler: &SamplerResource) -> [u32; 4] {
    let [x, y, z] = sampler.clamp.map(u32::from);
    [
        x | y << 3
            | z << 6
            | u32::from(sampler.anisotropy) << 9
            | u32::from(sampler.compare) << 12
            | u32::from(sampler.unnormalized) << 15,
        u32::from(sampler.min_lod) | u32::from(sampler.max_lod) << 12,
        (sampler.lod_bias as u32) & 0x3fff
            | u32::from(sampler.mag) << 20
            | u32::from(sampler.min) << 22
            | u32::from(sampler.z) << 24
            | u32::from(sampler.mip) << 26,
        u32::from(sampler.border_entry) | u32::from(sampler.border) << 30,
    ]
}

/// The level of detail of a lookup.
pub(crate) fn level(level: gcn_simulator::Level) -> Lod {
    match level {
        gcn_simulator::Level::Gradients { dx, dy, bias } => Lod::Gradients { dx, dy, bias },
        gcn_simulator::Level::Explicit(level) => Lod::Explicit(level),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Encoder and decoder of descriptors were written apart from each other.
    #[test]
    fn words_decode_to_what_they_encode() {
        let image = ImageResource {
            base: 0x12_3456_7800,
            min_lod: 0x123,
            data_format: 10,
            number_format: 7,
            width: 16384,
            height: 77,
            depth: 8192,
            select: [4, 0, 1, 7],
            base_level: 3,
            last_level: 14,
            tiling: 21,
            is_padded: true,
            kind: ImageKind::D2_ARRAY,
            pitch: 12345,
            base_array: 4097,
            last_array: 8191,
            metadata: None,
            alpha_is_last: false,
        };
        assert_eq!(ImageResource::decode(image_words(&image)), image);
        let sampler = SamplerResource {
            clamp: [6, 1, 4],
            anisotropy: 5,
            compare: 3,
            unnormalized: true,
            min_lod: 0x0f7,
            max_lod: 0xf01,
            lod_bias: -4095,
            mag: 1,
            min: 0,
            z: 2,
            mip: 1,
            border: 3,
            border_entry: 0xabc,
        };
        assert_eq!(SamplerResource::decode(sampler_words(&sampler)), sampler);
    }
}
