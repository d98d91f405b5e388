//! Modes of tiles, from the registers of a chip or of the depth buffer.

use amd_isa::Chip;
use gpu_service::{Outcome, not_modeled};
use submission::tile_modes::{self, TileModes};

use super::macro_tiles::{MacroTiles, Parameters, TileBytes};

/// Texels of a tile.
const TILE: u64 = 64;
/// Least bytes of a tile of colors that is split.
const LEAST_SPLIT: u64 = 256;
/// Slices of thick tiles, and of the thickest.
const THICK: u64 = 4;
const EXTRA_THICK: u64 = 8;
/// Number of tile modes; modes of macro tiles follow.
const MODES: usize = 32;

/// Order of the texels of a tile of 8 by 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// For a display: rows of texels as far as they fill 16 bytes.
    Display,
    /// Bits of column and row by turns.
    Interleaved,
    /// As for a display that is turned: columns instead of rows.
    Rotated,
    /// Bits of column, row and slice by turns.
    Thick,
}

/// Arrangement of the tiles of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrangement {
    /// Row after row, without tiles.
    Linear,
    /// Tile after tile.
    Tiles,
    /// Tiles in larger tiles, whose order spreads over the pipes and banks of memory.
    Macro(MacroTiles),
}

/// A mode of tiles, for texels of a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TileMode {
    pub(super) arrangement: Arrangement,
    pub(super) order: Order,
    /// The samples of a texel are side by side.
    pub(super) is_depth: bool,
    /// Slices of a tile.
    pub(super) thickness: u64,
    /// Levels with fewer slices have thinner tiles.
    thins_levels: bool,
}

/// Registers of the depth buffer that say what the number of a mode says elsewhere.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DepthTiles {
    /// `DB_DEPTH_INFO`.
    pub(crate) word: u32,
    /// Logarithm of the most bytes of a tile in one place, less 6.
    pub(crate) split: u32,
}

/// The chip's registers.
fn registers(chip: Chip) -> TileModes {
    match chip {
        Chip::Si => tile_modes::PITCAIRN,
        Chip::Vi => tile_modes::POLARIS10,
    }
}

/// Bytes of a row of memory.
fn row_bytes(chip: Chip) -> u64 {
    1024 << (registers(chip).address_config >> 28 & 3)
}

/// A power of two in a field of a word.
fn power(word: u32, low: u32) -> u64 {
    1 << (word >> low & 3)
}

impl TileMode {
    /// Reads the mode of a number, for texels of this many bytes and samples.
    pub(crate) fn of(chip: Chip, index: u32, bytes: u64, samples: u32) -> Outcome<TileMode> {
        let value = registers(chip).values.get(index as usize & (MODES - 1));
        let value = value.copied().unwrap_or(0);
        let kind = match chip {
            Chip::Si => value & 3,
            Chip::Vi => value >> 22 & 7,
        };
        let (order, is_depth) = match kind {
            0 => (Order::Display, false),
            1 => (Order::Interleaved, false),
            2 => (Order::Interleaved, true),
            3 if chip == Chip::Vi => (Order::Rotated, false),
            4 if chip == Chip::Vi => (Order::Thick, false),
            kind => return not_modeled(format!("tiles of kind {kind} (index {index})")),
        };
        let array = value >> 2 & 15;
        let thickness = match array {
            3 | 7 | 13 => THICK,
            8 | 14 => EXTRA_THICK,
            _ => 1,
        };
        let plain = TILE * bytes * u64::from(samples);
        let sizes = TileBytes { plain, thickness, row: row_bytes(chip) };
        let arrangement = match array {
            0 | 1 => Arrangement::Linear,
            2 | 3 => Arrangement::Tiles,
            4 | 7 | 8 | 12..=14 => {
                let parameters = match chip {
                    Chip::Si => Parameters {
                        pipe_config: value >> 6 & 31,
                        bank_width: power(value, 14),
                        bank_height: power(value, 16),
                        aspect: power(value, 18),
                        banks: 2 * power(value, 20),
                        split: TILE << (value >> 11 & 7),
                        turns_pipes: false,
                    },
                    Chip::Vi => {
                        let single = TILE * bytes * thickness;
                        of_macro_modes(value, is_depth, single, plain * thickness)
                    }
                };
                macro_tiles(Parameters { turns_pipes: array >= 12, ..parameters }, sizes)?
            }
            mode => return not_modeled(format!("tiles of mode {mode} (index {index})")),
        };
        let order =
            if order == Order::Thick && thickness == 1 { Order::Interleaved } else { order };
        let thins_levels = chip == Chip::Si;
        Ok(TileMode { arrangement, order, is_depth, thickness, thins_levels })
    }

    /// Reads the mode of a depth or stencil buffer from registers.
    pub(crate) fn of_depth(
        chip: Chip,
        tiles: DepthTiles,
        bytes: u64,
        samples: u32,
    ) -> Outcome<TileMode> {
        let DepthTiles { word, split } = tiles;
        let plain = TILE * bytes * u64::from(samples);
        let sizes = TileBytes { plain, thickness: 1, row: row_bytes(chip) };
        let arrangement = match word >> 4 & 15 {
            2 => Arrangement::Tiles,
            4 => {
                let parameters = Parameters {
                    pipe_config: word >> 8 & 31,
                    bank_width: power(word, 13),
                    bank_height: power(word, 15),
                    aspect: power(word, 17),
                    banks: 2 * power(word, 19),
                    split: (TILE << split.min(7)).min(row_bytes(chip)),
                    turns_pipes: false,
                };
                macro_tiles(parameters, sizes)?
            }
            mode => return not_modeled(format!("depths in tiles of mode {mode}")),
        };
        Ok(TileMode {
            arrangement,
            order: Order::Interleaved,
            is_depth: true,
            thickness: 1,
            thins_levels: chip == Chip::Si,
        })
    }

    /// The mode of a level after the first with this pitch, these rows and slices: those smaller
    /// than a macro tile have plain tiles, those with fewer slices than a tile thinner ones on si.
    pub(crate) fn of_level(self, pitch: u64, rows: u64, slices: u64) -> TileMode {
        let fits = |tiles: MacroTiles| pitch >= tiles.texels().0 && rows >= tiles.texels().1;
        let thinned = if self.thins_levels { self.thinned(slices) } else { self };
        let arrangement = match (self.arrangement, thinned.arrangement) {
            (Arrangement::Macro(tiles), Arrangement::Macro(own)) if fits(tiles) && fits(own) => {
                return thinned;
            }
            (Arrangement::Macro(_), _) => Arrangement::Tiles,
            _ => return thinned,
        };
        TileMode { arrangement, thickness: thinned.thickness.min(THICK), ..thinned }
    }

    /// The mode with the thickness that a number of slices allows.
    fn thinned(self, slices: u64) -> TileMode {
        let thickness = match self.thickness {
            thickness if slices >= thickness => return self,
            EXTRA_THICK if slices >= THICK => THICK,
            _ => 1,
        };
        let arrangement = match self.arrangement {
            Arrangement::Macro(tiles) => Arrangement::Macro(tiles.of_thickness(thickness)),
            plain => plain,
        };
        let is_thin = thickness == 1 && self.order == Order::Thick;
        let order = if is_thin { Order::Interleaved } else { self.order };
        TileMode { arrangement, order, thickness, ..self }
    }

    /// Slices of a level in memory.
    pub(crate) fn aligned_slices(self, slices: u64) -> u64 {
        slices.next_multiple_of(self.thickness)
    }

    /// Rows of a level in memory.
    pub(crate) fn aligned_rows(self, rows: u64) -> u64 {
        match self.arrangement {
            Arrangement::Linear => rows,
            Arrangement::Tiles => rows.next_multiple_of(8),
            Arrangement::Macro(tiles) => rows.next_multiple_of(tiles.texels().1),
        }
    }

    /// Pitch and rows of a level in memory: of whole tiles, or of whole pieces of the memory's
    /// channels.
    pub(crate) fn aligned(self, pitch: u64, rows: u64, bytes: u64) -> (u64, u64) {
        /// Bytes of a piece.
        const PIECE: u64 = 256;
        let rows = self.aligned_rows(rows);
        let (step, unit) = match self.arrangement {
            Arrangement::Linear => ((64 / bytes).max(8), (PIECE / bytes).max(64)),
            Arrangement::Tiles => (8, (PIECE / (bytes * self.thickness)).max(1)),
            Arrangement::Macro(tiles) => (tiles.texels().0, 1),
        };
        let mut pitch = pitch.next_multiple_of(step);
        while !(pitch * rows).is_multiple_of(unit) {
            pitch += step;
        }
        (pitch, rows)
    }

    /// Bytes of which addresses of levels are multiples.
    pub(crate) fn base_bytes(self) -> u64 {
        match self.arrangement {
            Arrangement::Macro(tiles) => tiles.bytes(),
            _ => 256,
        }
    }

    /// An address without the bits that turn pipes and banks.
    pub(crate) fn plain_base(self, base: u64) -> u64 {
        match self.arrangement {
            Arrangement::Macro(tiles) => base - base % tiles.interleave(),
            _ => base,
        }
    }

    /// True if tiles are in macro tiles.
    pub(crate) fn has_macro_tiles(self) -> bool {
        matches!(self.arrangement, Arrangement::Macro(_))
    }

    /// True if surfaces hold depth or stencil.
    pub(crate) fn is_depth(self) -> bool {
        self.is_depth
    }
}

/// Parameters from a mode of tiles and the mode of macro tiles that the size of a tile selects:
/// `tile` bytes with all samples, `single` with one.
fn of_macro_modes(value: u32, is_depth: bool, single: u64, tile: u64) -> Parameters {
    let split = match is_depth {
        true => TILE << (value >> 11 & 7),
        false => (single << (value >> 25 & 3)).max(LEAST_SPLIT),
    };
    let split = split.min(row_bytes(Chip::Vi));
    let select = (split.min(tile) / TILE).max(1).ilog2() as usize;
    let modes = registers(Chip::Vi).values.get(MODES + select).copied().unwrap_or(0);
    Parameters {
        pipe_config: value >> 6 & 31,
        bank_width: power(modes, 0),
        bank_height: power(modes, 2),
        aspect: power(modes, 4),
        banks: 2 * power(modes, 6),
        split,
        turns_pipes: false,
    }
}

fn macro_tiles(parameters: Parameters, sizes: TileBytes) -> Outcome<Arrangement> {
    match MacroTiles::new(parameters, sizes) {
        Some(tiles) => Ok(Arrangement::Macro(tiles)),
        None => not_modeled(format!("pipes of configuration {}", parameters.pipe_config)),
    }
}
