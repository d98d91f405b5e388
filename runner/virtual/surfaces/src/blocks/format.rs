//! Blocks of a compressed format by its name.

use super::bits::Texel;
use super::{astc, bptc, etc, fxt1, s3tc};

/// Encoding of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Codec {
    /// BC1; `has_alpha` if the fourth color of three-color blocks is transparent.
    Bc1 {
        has_alpha: bool,
    },
    Bc2,
    Bc3,
    Bc4 {
        is_signed: bool,
    },
    Bc5 {
        is_signed: bool,
    },
    Bc6 {
        is_signed: bool,
    },
    Bc7,
    Fxt1,
    /// ETC1 and ETC2 without alpha.
    Etc,
    /// ETC2 with transparent texels.
    EtcPunchThrough,
    EtcAlpha,
    Eac {
        components: usize,
        is_signed: bool,
    },
    Astc {
        is_srgb: bool,
    },
}

/// Blocks of a compressed format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocks {
    /// Texels of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    codec: Codec,
}

impl Blocks {
    /// Blocks of a format by its name, and their bytes; `None` if the format is not compressed.
    pub(crate) fn of(name: &str) -> Option<(Blocks, u64)> {
        if let Some(rest) = name.strip_prefix("ASTC_LDR_2D_") {
            let (size, kind) = rest.split_once('_')?;
            let (width, height) = size.split_once('X')?;
            let (width, height) = (width.parse().ok()?, height.parse().ok()?);
            let codec = Codec::Astc { is_srgb: kind == "U8SRGB" };
            return Some((Blocks { width, height, codec }, 16));
        }
        let stem = name.strip_suffix("_SRGB").unwrap_or(name);
        let (codec, bytes) = match stem {
            "BC1_UNORM" => (Codec::Bc1 { has_alpha: true }, 8),
            "DXT1_RGB" => (Codec::Bc1 { has_alpha: false }, 8),
            "BC2_UNORM" => (Codec::Bc2, 16),
            "BC3_UNORM" => (Codec::Bc3, 16),
            "BC4_UNORM" => (Codec::Bc4 { is_signed: false }, 8),
            "BC4_SNORM" => (Codec::Bc4 { is_signed: true }, 8),
            "BC5_UNORM" => (Codec::Bc5 { is_signed: false }, 16),
            "BC5_SNORM" => (Codec::Bc5 { is_signed: true }, 16),
            "BC6H_UF16" => (Codec::Bc6 { is_signed: false }, 16),
            "BC6H_SF16" => (Codec::Bc6 { is_signed: true }, 16),
            "BC7_UNORM" => (Codec::Bc7, 16),
            "FXT1" => (Codec::Fxt1, 16),
            "ETC1_RGB8" | "ETC2_RGB8" | "ETC2_SRGB8" => (Codec::Etc, 8),
            "ETC2_RGB8_PTA" | "ETC2_SRGB8_PTA" => (Codec::EtcPunchThrough, 8),
            "ETC2_EAC_RGBA8" | "ETC2_EAC_SRGB8_A8" => (Codec::EtcAlpha, 16),
            "EAC_R11" => (Codec::Eac { components: 1, is_signed: false }, 8),
            "EAC_SIGNED_R11" => (Codec::Eac { components: 1, is_signed: true }, 8),
            "EAC_RG11" => (Codec::Eac { components: 2, is_signed: false }, 16),
            "EAC_SIGNED_RG11" => (Codec::Eac { components: 2, is_signed: true }, 16),
            _ => return None,
        };
        let width = if codec == Codec::Fxt1 { 8 } else { 4 };
        Some((Blocks { width, height: 4, codec }, bytes))
    }

    /// True if the format stores a component.
    pub(crate) fn has_component(&self, component: usize) -> bool {
        let count = match self.codec {
            Codec::Bc4 { .. } => 1,
            Codec::Bc5 { .. } => 2,
            Codec::Bc6 { .. } | Codec::Etc | Codec::Bc1 { has_alpha: false } => 3,
            Codec::Eac { components, .. } => components,
            Codec::Bc1 { has_alpha: true }
            | Codec::Bc2
            | Codec::Bc3
            | Codec::Bc7
            | Codec::Fxt1
            | Codec::EtcPunchThrough
            | Codec::EtcAlpha
            | Codec::Astc { .. } => 4,
        };
        component < count
    }

    /// Range of the values of fixed-point formats.
    pub(crate) fn normalized(&self) -> Option<[f32; 2]> {
        match self.codec {
            Codec::Bc6 { .. } | Codec::Astc { is_srgb: false } => None,
            Codec::Bc4 { is_signed: true }
            | Codec::Bc5 { is_signed: true }
            | Codec::Eac { is_signed: true, .. } => Some([-1.0, 1.0]),
            _ => Some([0.0, 1.0]),
        }
    }

    /// Decodes a texel of a block; `x` and `y` are less than the sizes of the block.
    pub(crate) fn decode(&self, bytes: &[u8; 16], x: u32, y: u32) -> Texel {
        let block = u128::from_le_bytes(*bytes);
        let [low, high] = [block as u64, (block >> 64) as u64];
        // Big-endian halves, of formats that count bits from the first byte down.
        let [first, second] = [low.swap_bytes(), high.swap_bytes()];
        let index = 4 * y + x;
        let size = (self.width, self.height);
        let single = |is_signed, half| s3tc::single(half, index, is_signed);
        match self.codec {
            Codec::Bc1 { has_alpha } => s3tc::color(low, index, false, has_alpha),
            Codec::Bc2 => {
                let [r, g, b, _] = s3tc::color(high, index, true, true);
                [r, g, b, (low >> (4 * index) & 0xf) as f32 / 15.0]
            }
            Codec::Bc3 => {
                let [r, g, b, _] = s3tc::color(high, index, true, true);
                [r, g, b, single(false, low)]
            }
            Codec::Bc4 { is_signed } => [single(is_signed, low), 0.0, 0.0, 1.0],
            Codec::Bc5 { is_signed } => [single(is_signed, low), single(is_signed, high), 0.0, 1.0],
            Codec::Bc6 { is_signed } => bptc::floats(block, index as usize, is_signed),
            Codec::Bc7 => bptc::bytes(block, index as usize).map(|value| f32::from(value) / 255.0),
            Codec::Fxt1 => fxt1::texel(block, x, y),
            Codec::Etc => etc::color(first, x, y, false),
            Codec::EtcPunchThrough => etc::color(first, x, y, true),
            Codec::EtcAlpha => {
                let [r, g, b, _] = etc::color(second, x, y, false);
                [r, g, b, etc::alpha(first, x, y)]
            }
            Codec::Astc { is_srgb } => astc::texel(block, (x, y), size, is_srgb),
            Codec::Eac { components, is_signed } => {
                let green =
                    if components == 2 { etc::single(second, x, y, is_signed) } else { 0.0 };
                [etc::single(first, x, y, is_signed), green, 0.0, 1.0]
            }
        }
    }
}
