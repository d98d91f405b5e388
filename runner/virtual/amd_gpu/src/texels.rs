//! Texels in memory: formats, and places by the modes of tiles.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use amd_isa::Chip;
use gpu_service::{Outcome, not_modeled};
use raster::format::Channel;
use submission::tile_modes::{self, TileModes};
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
/// if there is no such format, or if it is compressed.
pub(crate) fn format(data: u32, numbers: Numbers, swap: u32) -> Option<&'static SurfaceFormat> {
    static KNOWN: OnceLock<Formats> = OnceLock::new();
    let known = KNOWN.get_or_init(Mutex::default);
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    *known.entry((data, numbers, swap)).or_insert_with(|| {
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

/// Order of the texels of a tile of 8 by 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// For a display: rows of texels as far as they fill 16 bytes.
    Display,
    /// Bits of column and row by turns.
    Interleaved,
}

/// Arrangement of the tiles of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arrangement {
    /// Row after row, without tiles.
    Linear,
    /// Tile after tile.
    Tiles,
    /// Tiles in larger tiles, whose order spreads over the channels and banks of memory.
    ///
    /// The order is that of plain tiles here: nothing but the GPU reads such surfaces, as drivers
    /// copy them to others first. Their size depends on the larger tiles, so that only surfaces of
    /// one level and slice have places that do not.
    Macro,
}

/// A mode of tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TileMode {
    arrangement: Arrangement,
    order: Order,
    /// The samples of a texel are side by side.
    is_depth: bool,
}

impl TileMode {
    /// Reads the mode of a number.
    pub(crate) fn of(chip: Chip, index: u32) -> Outcome<TileMode> {
        let (TileModes { values, .. }, micro) = match chip {
            Chip::Si => (tile_modes::PITCAIRN, 0),
            Chip::Vi => (tile_modes::POLARIS10, 22),
        };
        let value = values.get(index as usize & 31).copied().unwrap_or(0);
        let micro = value >> micro & if chip == Chip::Si { 3 } else { 7 };
        let arrangement = match value >> 2 & 15 {
            0 | 1 => Arrangement::Linear,
            2 => Arrangement::Tiles,
            4 => Arrangement::Macro,
            mode => return not_modeled(format!("tiles of mode {mode} (index {index})")),
        };
        let order = if micro == 0 { Order::Display } else { Order::Interleaved };
        Ok(TileMode { arrangement, order, is_depth: micro == 2 })
    }

    /// True if the place of a second level or slice depends on larger tiles.
    pub(crate) fn has_macro_tiles(self) -> bool {
        self.arrangement == Arrangement::Macro
    }

    /// Rows of a level in memory.
    pub(crate) fn aligned_rows(self, rows: u32) -> u64 {
        let rows = u64::from(rows);
        if self.is_linear() { rows } else { rows.next_multiple_of(8) }
    }

    /// Pitch and rows of a level in memory: of whole tiles, or of whole pieces of the memory's
    /// channels.
    pub(crate) fn aligned(self, pitch: u32, rows: u32, bytes: u64) -> (u64, u64) {
        /// Bytes of a piece.
        const PIECE: u64 = 256;
        let rows = self.aligned_rows(rows);
        let (step, unit) = match self.is_linear() {
            true => ((64 / bytes).max(8), (PIECE / bytes).max(64)),
            false => (8, (PIECE / bytes).max(1)),
        };
        let mut pitch = u64::from(pitch).next_multiple_of(step);
        while !(pitch * rows).is_multiple_of(unit) {
            pitch += step;
        }
        (pitch, rows)
    }

    /// True if surfaces have no tiles.
    pub(crate) fn is_linear(self) -> bool {
        self.arrangement == Arrangement::Linear
    }
}

/// Number of a texel in its tile of 8 by 8.
fn place_in_tile(order: Order, bytes: u64, x: u32, y: u32) -> u64 {
    let (x, y) = (u64::from(x), u64::from(y));
    let bits = |value: u64, places: [u32; 3]| {
        (0..3).fold(0, |all, i| all | (value >> i & 1) << places[i as usize])
    };
    match (order, bytes) {
        (Order::Display, 1) => bits(x, [0, 1, 2]) | bits(y, [4, 3, 5]),
        (Order::Display, 2) => bits(x, [0, 1, 2]) | bits(y, [3, 4, 5]),
        (Order::Display, 4) => bits(x, [0, 1, 3]) | bits(y, [2, 4, 5]),
        (Order::Display, 8) => bits(x, [0, 2, 3]) | bits(y, [1, 4, 5]),
        (Order::Display, 16) => bits(x, [1, 2, 3]) | bits(y, [0, 4, 5]),
        _ => bits(x, [0, 2, 4]) | bits(y, [1, 3, 5]),
    }
}

/// Texels of a level of a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Level {
    /// Address of the first byte.
    pub(crate) base: u64,
    pub(crate) mode: TileMode,
    /// Texels from row to row.
    pub(crate) pitch: u64,
    /// Texels of a slice.
    pub(crate) slice: u64,
    /// Bytes of a texel.
    pub(crate) bytes: u64,
    pub(crate) samples: u32,
}

impl Level {
    /// Address of a sample of a texel.
    pub(crate) fn address(&self, x: u32, y: u32, slice: u32, sample: u32) -> u64 {
        let Level { base, mode, pitch, slice: slice_texels, bytes, samples } = *self;
        let samples = u64::from(samples.max(1));
        let first = u64::from(slice).wrapping_mul(slice_texels);
        if mode.is_linear() {
            let texel = first + u64::from(y) * pitch + u64::from(x);
            return base.wrapping_add((texel * samples + u64::from(sample)) * bytes);
        }
        let tile = first / 64 + u64::from(y / 8) * (pitch / 8) + u64::from(x / 8);
        let place = place_in_tile(mode.order, bytes, x % 8, y % 8);
        let sample = u64::from(sample);
        let element = match mode.is_depth {
            true => place * samples + sample,
            false => sample * 64 + place,
        };
        base.wrapping_add((tile * 64 * samples + element) * bytes)
    }
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

    #[test]
    fn every_texel_of_tiles_has_its_own_place() {
        for (index, chip) in [(4, Chip::Si), (9, Chip::Si), (8, Chip::Si), (13, Chip::Vi)] {
            for bytes in [1, 2, 4, 8, 16] {
                let mode = TileMode::of(chip, index).expect("a mode");
                let level = Level { base: 0, mode, pitch: 24, slice: 24 * 16, bytes, samples: 2 };
                let mut places: Vec<u64> = (0..2 * 24 * 16 * 2)
                    .map(|i| {
                        let (sample, x, y, slice) = (i % 2, i / 2 % 24, i / 48 % 16, i / 768);
                        level.address(x, y, slice, sample)
                    })
                    .collect();
                places.sort_unstable();
                let all = (0..2 * 24 * 16 * 2).map(|i| i * bytes);
                assert!(places.into_iter().eq(all), "{index} {bytes}");
            }
        }
    }

    #[test]
    fn thick_tiles_are_not_modeled() {
        assert!(TileMode::of(Chip::Si, 19).is_err());
        assert!(TileMode::of(Chip::Si, 14).is_ok_and(TileMode::has_macro_tiles));
    }
}
