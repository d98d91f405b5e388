//! Metadata of a render target: tiles and blocks become expanded before they are accessed.

use std::cell::Cell;

use amd_isa::Chip;
use gpu_service::{Outcome, not_modeled};
use packets::Memory;
use surfaces::SurfaceFormat;

use super::call::Draw;
use crate::metadata::{Cleared, EXPANDED_KEY, color_key};
use crate::registers::RegisterField;
use crate::texels::{Numbers, format};
use crate::tiling::{Level, TileMode};

/// States of a tile in the mask of colors: cleared; all samples as the first one; expanded. Between
/// the last two the logarithm of the number of fragments is added.
const CLEARED: u8 = 0;
const FIRST_SAMPLE: u8 = 0xc;
const EXPANDED: u8 = 0xf;
/// Bytes of a block with a key.
const BLOCK: u64 = 256;
/// Width in texels of which rows of tiles in the mask of colors are multiples.
const MASK_WIDTH: u64 = 512;
/// No tile and no block.
const NONE: u64 = u64::MAX;

/// The mask of colors: four bits for each tile.
#[derive(Clone, Copy, Debug)]
struct ColorMask {
    base: u64,
    /// Tiles of a row and of a slice.
    row: u64,
    slice: u64,
}

/// The mask of fragments: the fragment of each sample of a pixel.
#[derive(Clone, Copy, Debug)]
struct FragmentMask {
    level: Level,
    /// Every sample has its own fragment.
    identity: u32,
}

/// Keys of blocks.
#[derive(Clone, Copy, Debug)]
struct Keys {
    base: u64,
    alpha_is_last: bool,
    positional: &'static SurfaceFormat,
}

/// Metadata of a target.
#[derive(Debug)]
pub(super) struct Metadata {
    mask: Option<ColorMask>,
    fragments: Option<FragmentMask>,
    keys: Option<Keys>,
    /// The cleared texel in the target's registers.
    cleared: [u8; 16],
    /// Tile and block that are known to be expanded.
    tile: Cell<u64>,
    block: Cell<u64>,
}

impl Metadata {
    /// Loads the metadata of a target; `None` if it has none.
    pub(super) fn load(
        draw: &Draw<'_>,
        index: u32,
        level: &Level,
        (data, numbers): (u32, Numbers),
    ) -> Outcome<Option<Metadata>> {
        let (fields, registers) = (&draw.hardware.fields.color, draw.registers);
        let get = |field: RegisterField| field.at(index, registers);
        let has_fragments = get(fields.compression) != 0;
        let has_mask = get(fields.fast_clear) != 0 || has_fragments;
        let has_keys = get(fields.dcc) != 0;
        if !has_mask && !has_keys {
            return Ok(None);
        }
        let mask = ColorMask {
            base: u64::from(get(fields.mask_base)) << 8,
            row: level.pitch.next_multiple_of(MASK_WIDTH) / 8,
            slice: 256 * (u64::from(get(fields.mask_slice)) + 1),
        };
        let fragments = match has_fragments && level.samples > 1 {
            true => Some(FragmentMask::load(draw, index, level)?),
            false => None,
        };
        let keys = match has_keys {
            true => Some(Keys {
                base: level.mode.plain_base(u64::from(get(fields.key_base)) << 8),
                alpha_is_last: get(fields.swap) & 2 == 0,
                positional: match format(data, numbers, 0) {
                    Some(format) => format,
                    None => return not_modeled(format!("keys of format {data}")),
                },
            }),
            false => None,
        };
        let words = [fields.clear_low, fields.clear_high].map(|field| get(field).to_le_bytes());
        let mut cleared = [0; 16];
        cleared[..8].copy_from_slice(words.as_flattened());
        if level.bytes == 16 {
            // The registers have red, green and blue in one, and alpha.
            for channel in 0..4 {
                let word = words[usize::from(channel == 3)];
                cleared[4 * channel..4 * channel + 4].copy_from_slice(&word);
            }
        }
        Ok(Some(Metadata {
            mask: has_mask.then_some(mask),
            fragments,
            keys,
            cleared,
            tile: Cell::new(NONE),
            block: Cell::new(NONE),
        }))
    }

    /// Expands what holds a pixel.
    pub(super) fn expand(
        &self,
        memory: &dyn Memory,
        level: &Level,
        (x, y): (u32, u32),
        slice: u32,
    ) -> Outcome<()> {
        if let Some(mask) = &self.mask {
            let tile = mask.tile(x, y, slice);
            if self.tile.replace(tile) != tile {
                self.expand_tile(memory, mask, level, (x & !7, y & !7), slice)?;
            }
        }
        for sample in 0..level.samples {
            self.expand_block(memory, level, level.address(x, y, slice, sample))?;
        }
        Ok(())
    }

    fn expand_tile(
        &self,
        memory: &dyn Memory,
        mask: &ColorMask,
        level: &Level,
        (left, top): (u32, u32),
        slice: u32,
    ) -> Outcome<()> {
        let tile = mask.tile(left, top, slice);
        let (address, shift) = (mask.base.wrapping_add(tile / 2), 4 * (tile & 1));
        let mut byte = [0];
        memory.read(address, &mut byte)?;
        let state = byte[0] >> shift & 0xf;
        let expanded = match level.samples {
            0 | 1 => EXPANDED,
            samples => FIRST_SAMPLE | (samples.ilog2() as u8).min(3),
        };
        if state == expanded || state == EXPANDED {
            return Ok(());
        }
        for (x, y) in (0..64).map(|i| (left + i % 8, top + i / 8)) {
            let addresses = (0..level.samples).map(|sample| level.address(x, y, slice, sample));
            match state {
                CLEARED => {
                    for address in addresses {
                        self.expand_block(memory, level, address)?;
                        memory.write(address, self.cleared_texel(level))?;
                    }
                }
                FIRST_SAMPLE if self.fragments.is_some() => {
                    let mut texel = [0; 16];
                    let texel = &mut texel[..level.bytes.min(16) as usize];
                    for (sample, address) in addresses.enumerate() {
                        self.expand_block(memory, level, address)?;
                        match sample {
                            0 => memory.read(address, texel)?,
                            _ => memory.write(address, texel)?,
                        }
                    }
                }
                FIRST_SAMPLE => {}
                state => return not_modeled(format!("a tile of colors of state {state}")),
            }
            if let Some(fragments) = &self.fragments {
                let address = fragments.level.address(x, y, slice, 0);
                let bytes = fragments.identity.to_le_bytes();
                memory.write(address, &bytes[..fragments.level.bytes.min(4) as usize])?;
            }
        }
        memory.write(address, &[byte[0] & !(EXPANDED << shift) | expanded << shift])?;
        Ok(())
    }

    fn cleared_texel(&self, level: &Level) -> &[u8] {
        &self.cleared[..level.bytes.min(16) as usize]
    }

    /// Expands the block of an address.
    pub(super) fn expand_block(
        &self,
        memory: &dyn Memory,
        level: &Level,
        address: u64,
    ) -> Outcome<()> {
        let Some(keys) = &self.keys else { return Ok(()) };
        let first = level.first_byte();
        let block = address.wrapping_sub(first) / BLOCK;
        if self.block.replace(block) == block {
            return Ok(());
        }
        let place = keys.base.wrapping_add(block);
        let mut key = [0];
        memory.read(place, &mut key)?;
        let texel = match color_key(key[0]) {
            Cleared::No => return Ok(()),
            Cleared::To { color, alpha } => {
                Cleared::texel(keys.positional, color, alpha, keys.alpha_is_last)
            }
            Cleared::ToRegister => self.cleared,
            Cleared::Unknown => return not_modeled(format!("colors of key {:#x}", key[0])),
        };
        let texel = &texel[..level.bytes.clamp(1, 16) as usize];
        let bytes: Vec<u8> = texel.iter().copied().cycle().take(BLOCK as usize).collect();
        memory.write(first.wrapping_add(block * BLOCK), &bytes)?;
        memory.write(place, &[EXPANDED_KEY])?;
        Ok(())
    }
}

impl ColorMask {
    /// Number of the tile of a pixel.
    fn tile(&self, x: u32, y: u32, slice: u32) -> u64 {
        u64::from(slice) * self.slice + u64::from(y / 8) * self.row + u64::from(x / 8)
    }
}

impl FragmentMask {
    fn load(draw: &Draw<'_>, index: u32, level: &Level) -> Outcome<FragmentMask> {
        let (fields, registers) = (&draw.hardware.fields.color, draw.registers);
        let get = |field: RegisterField| field.at(index, registers);
        let (bytes, identity) = match level.samples {
            2 => (1, 0x2),
            4 => (1, 0xe4),
            8 => (4, 0x7654_3210),
            samples => return not_modeled(format!("masks of fragments of {samples} samples")),
        };
        let mode = TileMode::of(draw.hardware.chip, get(fields.fragment_tile_mode), bytes, 1)?;
        let slice = 64 * (u64::from(get(fields.fragment_slice)) + 1);
        let pitch = match draw.hardware.chip {
            Chip::Si => level.pitch,
            Chip::Vi => 8 * (u64::from(get(fields.fragment_pitch)) + 1),
        };
        let base = u64::from(get(fields.fragment_base)) << 8;
        Ok(FragmentMask { level: Level { base, mode, pitch, slice, bytes, samples: 1 }, identity })
    }
}
