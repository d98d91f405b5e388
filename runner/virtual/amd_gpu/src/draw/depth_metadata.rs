//! Metadata of depth and stencil buffers: tiles become expanded before they are accessed.

use std::cell::Cell;

use gpu_service::{Outcome, not_modeled};

use super::call::Draw;
use crate::metadata::HtileWord;
use crate::registers::RegisterField;
use crate::tiling::Level;

/// Width and height in texels of which levels are multiples in metadata that only the depth buffer
/// reads.
const REGION: u64 = 512;
/// No tile.
const NONE: u64 = u64::MAX;

/// Metadata of a depth buffer: a word for each tile.
#[derive(Debug)]
pub(super) struct Htile {
    base: u64,
    /// Tiles of a row and of a slice.
    row: u64,
    slice: u64,
    has_stencil: bool,
    /// Stored forms of cleared depths and stencils.
    depth: [u8; 4],
    stencil: u8,
    /// The tile that is known to be expanded.
    expanded: Cell<u64>,
}

/// A pixel of a layer of the buffers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pixel {
    pub(super) x: u32,
    pub(super) y: u32,
    pub(super) slice: u32,
}

impl Htile {
    /// Loads the metadata of a draw's buffers, whose cleared depth is stored as `depth`; `None` if
    /// they have none.
    pub(super) fn load(draw: &Draw<'_>, depth: u32) -> Option<Htile> {
        let fields = &draw.fields().depth;
        let get = |field: RegisterField| field.get(draw.registers);
        if get(fields.has_metadata) == 0 {
            return None;
        }
        let pitch = 8 * (u64::from(get(fields.pitch)) + 1);
        let rows = 8 * (u64::from(get(fields.height)) + 1);
        let slice = 64 * (u64::from(get(fields.slice)) + 1);
        let (row, slice) = match get(fields.htile_is_linear) != 0 {
            true => (pitch / 8, slice / 64),
            false => {
                let pitch = pitch.next_multiple_of(REGION);
                (pitch / 8, pitch * rows.next_multiple_of(REGION) / 64)
            }
        };
        Some(Htile {
            base: u64::from(get(fields.htile_base)) << 8,
            row,
            slice,
            has_stencil: get(fields.htile_without_stencil) == 0,
            depth: depth.to_le_bytes(),
            stencil: get(fields.stencil_clear) as u8,
            expanded: Cell::new(NONE),
        })
    }

    /// Expands the tile of a pixel in both buffers.
    pub(super) fn expand(
        &self,
        draw: &Draw<'_>,
        depth: Option<&Level>,
        stencil: Option<&Level>,
        pixel: Pixel,
    ) -> Outcome<()> {
        let Pixel { x, y, slice } = pixel;
        let tile = u64::from(slice) * self.slice + u64::from(y / 8) * self.row + u64::from(x / 8);
        if self.expanded.replace(tile) == tile {
            return Ok(());
        }
        let address = self.base.wrapping_add(4 * tile);
        let word = draw.memory.read_u32(address)?;
        let state = match self.has_stencil {
            true => HtileWord::with_stencil(word),
            false => HtileWord::without_stencil(word),
        };
        if state.is_compressed() {
            return not_modeled(format!("a tile of depths of state {word:#x}"));
        }
        if !state.has_cleared_depth() && !state.has_cleared_stencil() {
            return Ok(());
        }
        if let Some(level) = depth.filter(|_| state.has_cleared_depth()) {
            let bytes = &self.depth[..level.bytes.min(4) as usize];
            fill(draw, level, pixel, bytes)?;
        }
        if let Some(level) = stencil.filter(|_| state.has_cleared_stencil()) {
            fill(draw, level, pixel, &[self.stencil])?;
        }
        Ok(draw.memory.write(address, &state.expanded().to_le_bytes())?)
    }
}

/// Fills the tile of a pixel.
fn fill(draw: &Draw<'_>, level: &Level, pixel: Pixel, bytes: &[u8]) -> Outcome<()> {
    let (left, top) = (pixel.x & !7, pixel.y & !7);
    for (x, y) in (0..64).map(|i| (left + i % 8, top + i / 8)) {
        for sample in 0..level.samples {
            draw.memory.write(level.address(x, y, pixel.slice, sample), bytes)?;
        }
    }
    Ok(())
}
