//! Texels in memory: formats.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use raster::format::Channel;
use surfaces::SurfaceFormat;

/// Kind of the numbers of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Numbers {
    Unorm,
    Snorm,
    Uint,
    Sint,
    Srgb,
    Float,
}

impl Numbers {
    /// The kind by its number in a render target.
    pub(crate) fn of_target(number: u32) -> Option<Numbers> {
        Some(match number {
            0 => Numbers::Unorm,
            1 => Numbers::Snorm,
            4 => Numbers::Uint,
            5 => Numbers::Sint,
            6 => Numbers::Srgb,
            7 => Numbers::Float,
            _ => return None,
        })
    }

    /// The kind by its number in the descriptor of an image.
    pub(crate) fn of_image(number: u8) -> Option<Numbers> {
        Some(match number {
            0 => Numbers::Unorm,
            1 => Numbers::Snorm,
            2 | 4 => Numbers::Uint,
            3 | 5 => Numbers::Sint,
            7 => Numbers::Float,
            9 => Numbers::Srgb,
            _ => return None,
        })
    }
}

/// Sizes in bits of the channels of a format, from the lowest; empty for no format.
fn channel_bits(data: u32) -> &'static [u8] {
    match data {
        1 => &[8],
        2 => &[16],
        3 => &[8, 8],
        4 => &[32],
        5 => &[16, 16],
        6 => &[11, 11, 10],
        7 => &[10, 11, 11],
        8 => &[2, 10, 10, 10],
        9 => &[10, 10, 10, 2],
        10 => &[8, 8, 8, 8],
        11 => &[32, 32],
        12 => &[16, 16, 16, 16],
        13 => &[32, 32, 32],
        14 => &[32, 32, 32, 32],
        16 => &[5, 6, 5],
        17 => &[5, 5, 5, 1],
        18 => &[1, 5, 5, 5],
        19 => &[4, 4, 4, 4],
        20 => &[24, 8],
        21 => &[8, 24],
        22 => &[32, 8, 24],
        _ => &[],
    }
}

/// Components of the channels from the lowest, by the swap of a render target.
fn components(count: usize, swap: u32) -> [usize; 4] {
    match (count, swap & 3) {
        (1, swap) => [swap as usize, 4, 4, 4],
        (2, 0) => [0, 1, 4, 4],
        (2, 1) => [0, 3, 4, 4],
        (2, 2) => [1, 0, 4, 4],
        (2, _) => [3, 0, 4, 4],
        (3, 0) => [0, 1, 2, 4],
        (3, 1) => [0, 1, 3, 4],
        (3, 2) => [2, 1, 0, 4],
        (3, _) => [3, 1, 0, 4],
        (_, 0) => [0, 1, 2, 3],
        (_, 1) => [2, 1, 0, 3],
        (_, 2) => [3, 2, 1, 0],
        (_, _) => [3, 0, 1, 2],
    }
}

type Formats = Mutex<HashMap<(u32, Numbers, u32), Option<&'static SurfaceFormat>>>;

/// Returns the storage of texels of a data format, with the channels in the order of a swap; `None`
/// if there is no such format.
pub(crate) fn format(data: u32, numbers: Numbers, swap: u32) -> Option<&'static SurfaceFormat> {
    static KNOWN: OnceLock<Formats> = OnceLock::new();
    let known = KNOWN.get_or_init(Mutex::default);
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    *known.entry((data, numbers, swap)).or_insert_with(|| {
        if let Some(name) = packed_name(data, numbers) {
            return SurfaceFormat::named(name).map(|format| &*Box::leak(Box::new(format)));
        }
        let bits = channel_bits(data);
        let components = components(bits.len(), swap);
        let channels: Option<Vec<_>> = (0..bits.len())
            .map(|i| {
                let channel = channel(data, numbers, i, bits[i])?;
                let is_used = components[i] < 4 && !is_stencil(data, i);
                Some((is_used.then_some(components[i]), channel))
            })
            .collect();
        let channels = channels.filter(|channels| !channels.is_empty())?;
        let format = SurfaceFormat::of_channels(&channels, numbers == Numbers::Srgb);
        // There are few, and they stay for the life of the program.
        Some(Box::leak(Box::new(format)))
    })
}

/// The stored forms of a format's texels. Neighbors often have the same one, so the last is kept.
pub(crate) struct Encoder {
    format: &'static SurfaceFormat,
    last: Cell<Option<([u32; 4], [u8; 16])>>,
}

impl Encoder {
    pub(crate) fn new(format: &'static SurfaceFormat) -> Encoder {
        Encoder { format, last: Cell::new(None) }
    }

    /// Stored form of a texel; bytes behind it are 0.
    pub(crate) fn encode(&self, values: [u32; 4]) -> [u8; 16] {
        match self.last.get() {
            Some((known, texel)) if known == values => texel,
            _ => {
                let texel = encoded(self.format, values);
                self.last.set(Some((values, texel)));
                texel
            }
        }
    }
}

/// Stored form of a texel; bytes behind it are 0.
pub(crate) fn encoded(format: &SurfaceFormat, values: [u32; 4]) -> [u8; 16] {
    let bytes = format.encode(values);
    std::array::from_fn(|i| bytes.get(i).copied().unwrap_or(0))
}

/// Name of a format without channels of their own: of blocks, or with an exponent for all.
fn packed_name(data: u32, numbers: Numbers) -> Option<&'static str> {
    let plain = matches!(numbers, Numbers::Unorm | Numbers::Uint);
    Some(match (data, numbers) {
        (34, _) => "R9G9B9E5_SHAREDEXP",
        (35, Numbers::Srgb) => "BC1_UNORM_SRGB",
        (35, _) if plain => "BC1_UNORM",
        (36, Numbers::Srgb) => "BC2_UNORM_SRGB",
        (36, _) if plain => "BC2_UNORM",
        (37, Numbers::Srgb) => "BC3_UNORM_SRGB",
        (37, _) if plain => "BC3_UNORM",
        (38, Numbers::Snorm) => "BC4_SNORM",
        (38, _) if plain => "BC4_UNORM",
        (39, Numbers::Snorm) => "BC5_SNORM",
        (39, _) if plain => "BC5_UNORM",
        (40, Numbers::Snorm | Numbers::Float) => "BC6H_SF16",
        (40, _) if plain => "BC6H_UF16",
        (41, Numbers::Srgb) => "BC7_UNORM_SRGB",
        (41, _) if plain => "BC7_UNORM",
        _ => return None,
    })
}

/// A format of masks: the storage of a texel, and the bits of a sample's fragment in it. Other
/// formats are none, and those with fewer fragments than samples.
pub(crate) fn mask_format(data: u32) -> Option<(&'static SurfaceFormat, u32)> {
    match data {
        47 => Some((format(1, Numbers::Uint, 0)?, 1)),
        49 => Some((format(1, Numbers::Uint, 0)?, 2)),
        54 => Some((format(4, Numbers::Uint, 0)?, 4)),
        _ => None,
    }
}

/// True if the channel at a place holds stencil beside a depth: shaders read it through another
/// format.
fn is_stencil(data: u32, place: usize) -> bool {
    matches!((data, place), (20, 1) | (21, 0) | (22, 1 | 2))
}

/// The channel at a place of a format.
fn channel(data: u32, numbers: Numbers, place: usize, bits: u8) -> Option<Channel> {
    Some(match (data, place) {
        _ if is_stencil(data, place) => Channel::Uint(bits),
        (22, 0) => Channel::Float(32),
        _ => match numbers {
            Numbers::Unorm | Numbers::Srgb => Channel::Unorm(bits),
            Numbers::Snorm => Channel::Snorm(bits),
            Numbers::Uint => Channel::Uint(bits),
            Numbers::Sint => Channel::Int(bits),
            Numbers::Float if matches!(bits, 10 | 11 | 16 | 32) => Channel::Float(bits),
            Numbers::Float => return None,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_follow_the_swap() {
        let texel = |data, swap| {
            let format = format(data, Numbers::Unorm, swap).expect("a format");
            format.encode([1.0, 0.0, 0.0, 1.0_f32].map(f32::to_bits))
        };
        assert_eq!(texel(10, 0), [255, 0, 0, 255]);
        assert_eq!(texel(10, 1), [0, 0, 255, 255]);
        assert_eq!(texel(16, 2), [0, 0xf8]);
        assert_eq!(texel(9, 0), [0xff, 3, 0, 0xc0]);
        // Depths beside a stencil are numbers.
        let depth = format(20, Numbers::Unorm, 0).expect("a format");
        assert!(!depth.is_integer);
        let mut texel = [0; 16];
        texel[..4].copy_from_slice(&0x12ff_ffff_u32.to_le_bytes());
        assert_eq!(depth.decode(&texel)[..2], [1.0_f32.to_bits(), 0]);
        assert!(format(15, Numbers::Unorm, 0).is_none() && format(10, Numbers::Float, 0).is_none());
    }
}
