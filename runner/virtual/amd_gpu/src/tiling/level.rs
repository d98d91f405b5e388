//! Places of the texels of a level.

use std::sync::OnceLock;

use super::macro_tiles::Place;
use super::mode::{Arrangement, Order, TileMode};

/// Number of a texel in its tile of 8 by 8.
fn place_in_tile(order: Order, bytes: u64, x: u32, y: u32) -> u64 {
    let (x, y) = (u64::from(x), u64::from(y));
    let bits = |value: u64, places: [u32; 3]| {
        (0..3).fold(0, |all, i| all | (value >> i & 1) << places[i as usize])
    };
    let (order, x, y) = match order {
        Order::Rotated if bytes < 16 => (Order::Display, y, x),
        order => (order, x, y),
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

/// Number of a texel in its tile of 8 by 8 by several slices.
fn place_in_thick_tile(order: Order, bytes: u64, [x, y, z]: [u32; 3]) -> u64 {
    if order != Order::Thick {
        return place_in_tile(order, bytes, x, y) | u64::from(z) << 6;
    }
    // Coordinates whose next bits follow each other; then the third bits.
    let turns = match bytes {
        1 | 2 => [0, 1, 0, 1, 2, 2, 0, 1, 2],
        4 => [0, 1, 0, 2, 1, 2, 0, 1, 2],
        _ => [0, 1, 2, 0, 1, 2, 0, 1, 2],
    };
    let mut rest = [x, y, z];
    turns.into_iter().enumerate().fold(0, |place, (bit, axis)| {
        let value: &mut u32 = &mut rest[axis];
        let low = u64::from(*value & 1);
        *value >>= 1;
        place | low << bit
    })
}

/// Texels of a level of a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Level {
    /// Address of the first byte; of macro tiles with the bits that turn pipes and banks.
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

/// Places of the texels of one sample of a tile of 8 by 8.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tile {
    /// Addresses of pieces of this many bytes.
    pieces: [u64; Tile::PIECES],
    piece: u64,
    bytes: u64,
    order: &'static [u8; TEXELS],
}

/// Texels of a tile.
const TEXELS: usize = 64;

impl Tile {
    /// Most pieces: of texels of 16 bytes in pieces of 64.
    const PIECES: usize = 16;

    /// Address of the texel in these columns and rows, of which the lower three bits count.
    pub(crate) fn address(&self, x: u32, y: u32) -> u64 {
        let place = self.order[(8 * (y & 7) + (x & 7)) as usize];
        let byte = u64::from(place) * self.bytes;
        self.pieces[(byte / self.piece) as usize % Tile::PIECES] + byte % self.piece
    }

    /// Addresses of the pieces, and their bytes.
    pub(crate) fn pieces(&self) -> (&[u64], usize) {
        let count = (TEXELS as u64 * self.bytes).div_ceil(self.piece) as usize;
        (&self.pieces[..count.min(Tile::PIECES)], self.piece as usize)
    }
}

/// Numbers of the texels of a tile, row after row.
fn order_table(order: Order, bytes: u64) -> &'static [u8; TEXELS] {
    static TABLES: OnceLock<[[[u8; TEXELS]; 5]; 3]> = OnceLock::new();
    let tables = TABLES.get_or_init(|| {
        [Order::Display, Order::Interleaved, Order::Rotated].map(|order| {
            [1, 2, 4, 8, 16].map(|bytes| {
                let place = |i: usize| place_in_tile(order, bytes, i as u32 % 8, i as u32 / 8);
                std::array::from_fn(|i| place(i) as u8)
            })
        })
    });
    &tables[order as usize][(bytes.max(1).ilog2() as usize).min(4)]
}

impl Level {
    /// Address of a sample of a texel.
    pub(crate) fn address(&self, x: u32, y: u32, slice: u32, sample: u32) -> u64 {
        let Level { base, mode, pitch, slice: slice_texels, bytes, samples } = *self;
        let samples = u64::from(samples.max(1));
        let sample = u64::from(sample);
        if mode.arrangement == Arrangement::Linear {
            let first = u64::from(slice).wrapping_mul(slice_texels);
            let texel = first + u64::from(y) * pitch + u64::from(x);
            return base.wrapping_add((texel * samples + sample) * bytes);
        }
        let place = match mode.thickness {
            1 => place_in_tile(mode.order, bytes, x % 8, y % 8),
            thickness => {
                let within = [x % 8, y % 8, slice % thickness as u32];
                place_in_thick_tile(mode.order, bytes, within)
            }
        };
        let element = match mode.is_depth {
            true => place * samples + sample,
            false => sample * TEXELS as u64 * mode.thickness + place,
        };
        self.byte_address(x, y, slice, element * bytes)
    }

    /// Address of a byte in the tile of a texel.
    fn byte_address(&self, x: u32, y: u32, slice: u32, byte: u64) -> u64 {
        let Level { base, mode, pitch, slice: slice_texels, bytes, samples } = *self;
        let slice = u64::from(slice) / mode.thickness;
        if let Arrangement::Macro(tiles) = mode.arrangement {
            let (x, y) = (u64::from(x), u64::from(y));
            let place = Place { x, y, slice, byte };
            return tiles.address(base, (pitch / 8, slice_texels / 64), place);
        }
        let first = slice.wrapping_mul(slice_texels);
        let tile = first / 64 + u64::from(y / 8) * (pitch / 8) + u64::from(x / 8);
        let bytes = TEXELS as u64 * mode.thickness * u64::from(samples.max(1)) * bytes;
        base.wrapping_add(tile.wrapping_mul(bytes)).wrapping_add(byte)
    }

    /// True if there are no tiles.
    pub(crate) fn is_linear(&self) -> bool {
        self.mode.arrangement == Arrangement::Linear
    }

    /// Places in the tile of a texel; `None` without tiles, in tiles of several slices, and if the
    /// samples of a texel are side by side.
    pub(crate) fn tile(&self, x: u32, y: u32, slice: u32, sample: u32) -> Option<Tile> {
        let piece = match self.mode.arrangement {
            Arrangement::Linear => return None,
            Arrangement::Tiles => TEXELS as u64 * self.bytes,
            Arrangement::Macro(tiles) => tiles.piece(),
        };
        let bytes = TEXELS as u64 * self.bytes;
        if self.mode.thickness > 1 {
            return None;
        }
        if !self.bytes.is_power_of_two() || bytes > 1024 || self.mode.is_depth && self.samples > 1 {
            return None;
        }
        let piece = piece.min(bytes);
        let first = u64::from(sample) * bytes;
        let mut pieces = [0; Tile::PIECES];
        for (place, start) in pieces.iter_mut().zip((0..bytes).step_by(piece as usize)) {
            *place = self.byte_address(x, y, slice, first + start);
        }
        let order = order_table(self.mode.order, self.bytes);
        Some(Tile { pieces, piece, bytes: self.bytes, order })
    }

    /// Address of the first byte, without the bits that turn pipes and banks.
    pub(crate) fn first_byte(&self) -> u64 {
        self.mode.plain_base(self.base)
    }
}

#[cfg(test)]
mod tests {
    use amd_isa::Chip;

    use super::*;

    /// A level of two slices that are whole macro tiles.
    fn level(chip: Chip, index: u32, bytes: u64, samples: u32) -> Level {
        let mode = TileMode::of(chip, index, bytes, samples).expect("a mode");
        let (pitch, rows) = mode.aligned(24, 16, bytes);
        Level { base: 0, mode, pitch, slice: pitch * rows, bytes, samples }
    }

    #[test]
    fn every_texel_has_its_own_place() {
        let modes = [(4, Chip::Si), (9, Chip::Si), (8, Chip::Si), (13, Chip::Vi), (0, Chip::Si)];
        let larger =
            [(14, Chip::Si), (17, Chip::Si), (12, Chip::Si), (1, Chip::Vi), (14, Chip::Vi)];
        for (index, chip) in modes.into_iter().chain(larger) {
            for (bytes, samples) in [(1, 2), (2, 1), (4, 8), (8, 2), (16, 1)] {
                let level = level(chip, index, bytes, samples);
                let (width, height) = (level.pitch as u32, (level.slice / level.pitch) as u32);
                let mut places = Vec::new();
                for slice in 0..2 {
                    for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
                        places.extend((0..samples).map(|s| level.address(x, y, slice, s)));
                        let tile = level.tile(x, y, slice, samples - 1);
                        let address = level.address(x, y, slice, samples - 1);
                        assert!(tile.is_none_or(|tile| tile.address(x, y) == address));
                    }
                }
                places.sort_unstable();
                let all = (0..places.len() as u64).map(|i| i * bytes);
                assert!(places.iter().copied().eq(all), "{chip:?} {index} {bytes} {samples}");
            }
        }
    }

    /// Addresses of AMD's library of addresses for pitcairn and polaris10.
    #[test]
    fn macro_tiles_are_those_of_the_library() {
        let [si, vi] = Chip::ALL;
        for (chip, index, bytes, samples, size, at, address) in [
            (si, 14, 1, 1, (1024, 1024), [343, 763, 0, 0], 712415),
            (si, 14, 1, 8, (1728, 512), [711, 185, 1, 7], 12189655),
            (si, 16, 4, 1, (1024, 2048), [495, 315, 1, 0], 9695356),
            (si, 16, 4, 8, (576, 1024), [282, 510, 1, 4], 30368944),
            (si, 17, 16, 1, (192, 1536), [115, 1282, 0, 0], 4066512),
            (si, 17, 16, 8, (512, 1152), [164, 667, 1, 3], 105547424),
            (si, 12, 4, 1, (1024, 512), [836, 86, 0, 0], 447200),
            (vi, 14, 4, 1, (1280, 1280), [306, 119, 0, 0], 213432),
            (vi, 14, 4, 8, (256, 128), [104, 79, 0, 0], 76968),
            (vi, 14, 8, 1, (1024, 1024), [825, 534, 0, 0], 5170248),
            (vi, 14, 8, 8, (512, 128), [114, 63, 0, 7], 3387504),
            (vi, 10, 4, 1, (512, 2048), [193, 294, 0, 0], 541892),
        ] {
            let mode = TileMode::of(chip, index, bytes, samples).expect("a mode");
            let (pitch, rows) = size;
            assert_eq!(mode.aligned(pitch, rows, bytes), size, "whole macro tiles");
            let level = Level { base: 0, mode, pitch, slice: pitch * rows, bytes, samples };
            let [x, y, slice, sample] = at;
            assert_eq!(level.address(x, y, slice, sample), address, "{chip} {index} {bytes}");
        }
    }

    #[test]
    fn low_bits_of_an_address_turn_pipes_and_banks() {
        let level = level(Chip::Vi, 14, 4, 1);
        let turned = Level { base: 0x300, ..level };
        assert_eq!(turned.first_byte(), 0);
        assert_eq!(turned.address(0, 0, 0, 0), level.address(0, 0, 0, 0) ^ 0x300);
        assert_eq!(turned.address(9, 20, 1, 0), level.address(9, 20, 1, 0) ^ 0x300);
    }

    #[test]
    fn small_levels_have_plain_tiles() {
        let mode = TileMode::of(Chip::Vi, 14, 4, 1).expect("a mode");
        assert_eq!(mode.of_level(4096, 4096, 1), mode);
        let plain = TileMode::of(Chip::Vi, 13, 4, 1).expect("a mode");
        assert_eq!(mode.of_level(16, 4096, 1), plain);
    }

    /// All texels of thick tiles: plain ones, in macro tiles, and such whose slices turn pipes.
    #[test]
    fn thick_tiles_hold_slices() {
        for (chip, index, slices) in [
            (Chip::Si, 18, 8),
            (Chip::Si, 19, 16),
            (Chip::Si, 20, 8),
            (Chip::Vi, 19, 8),
            (Chip::Vi, 20, 8),
            (Chip::Vi, 21, 16),
            (Chip::Vi, 25, 16),
            (Chip::Vi, 26, 16),
        ] {
            for bytes in [1, 2, 4, 8, 16] {
                let level = level(chip, index, bytes, 1);
                let (width, height) = (level.pitch as u32, (level.slice / level.pitch) as u32);
                let mut places: Vec<u64> = (0..slices)
                    .flat_map(|z| (0..height).flat_map(move |y| (0..width).map(move |x| (x, y, z))))
                    .map(|(x, y, z)| level.address(x, y, z, 0) / bytes)
                    .collect();
                places.sort_unstable();
                let all = 0..places.len() as u64;
                assert!(places.iter().copied().eq(all), "{chip:?} {index} {bytes}");
            }
        }
    }

    /// Plain tiles of four slices: column, row and slice at (9, 2, 5) of a level of 16 by 8 texels
    /// are at (1, 2, 1) in the second tile of the second four slices.
    #[test]
    fn places_in_thick_tiles() {
        let mode = TileMode::of(Chip::Vi, 18, 4, 1).expect("a mode");
        let level = Level { base: 0, mode, pitch: 16, slice: 128, bytes: 4, samples: 1 };
        // Bits of columns 0, 2, 4, of rows 1, 3, 5, of slices 6 and 7.
        let place = 1 | 1 << 3 | 1 << 6;
        assert_eq!(level.address(9, 2, 5, 0), 4 * (3 * 256 + place));
        let thick = TileMode::of(Chip::Vi, 19, 4, 1).expect("a mode");
        // x0 y0 x1 z0 y1 z1 x2 y2.
        let place = 1 | 1 << 3 | 1 << 4;
        let level = Level { mode: thick, ..level };
        assert_eq!(level.address(9, 2, 5, 0), 4 * (3 * 256 + place));
    }

    /// Texels in macro tiles of four and of eight slices, by the formulas of the library: in the
    /// second macro tile of a row, in the second four slices and in the third eight.
    #[test]
    fn places_in_thick_macro_tiles() {
        for (chip, index, at, address) in
            [(Chip::Si, 20, (70, 20, 5), 430_800), (Chip::Vi, 26, (70, 20, 17), 1_420_336)]
        {
            let mode = TileMode::of(chip, index, 4, 1).expect("a mode");
            let pitch = 128;
            let level = Level { base: 0, mode, pitch, slice: pitch * pitch, bytes: 4, samples: 1 };
            assert_eq!(level.address(at.0, at.1, at.2, 0), address, "{chip:?} {index}");
        }
    }

    #[test]
    fn levels_of_few_slices_are_thinner_on_si() {
        let of = |chip, index| TileMode::of(chip, index, 4, 1).expect("a mode");
        let [si, vi] = Chip::ALL;
        assert_eq!(of(si, 18).of_level(8, 8, 4), of(si, 18));
        assert_eq!(of(si, 18).of_level(8, 8, 2), of(si, 13));
        assert_eq!(of(vi, 18).of_level(8, 8, 2), of(vi, 18));
        let thickness = |mode: TileMode| mode.of_level(4096, 4096, 4).thickness;
        assert_eq!((thickness(of(si, 19)), thickness(of(vi, 26))), (4, 8));
        // Too small for macro tiles: plain ones of at most four slices.
        for mode in [of(si, 19), of(vi, 26)] {
            let small = mode.of_level(8, 8, 8);
            assert_eq!((small.arrangement, small.thickness), (Arrangement::Tiles, 4));
        }
        assert_eq!(of(si, 19).of_level(8, 8, 2), of(si, 13));
    }
}
