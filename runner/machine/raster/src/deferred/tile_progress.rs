//! Progress of the tiles of a render target through its recorded operations.

use crate::format::Texel;
use crate::rasterize::Rect;
use crate::surface::{Surface, TILE_SIZE};

/// Quads in a row of a tile.
const TILE_QUADS: i32 = TILE_SIZE / 2;

/// Operations that a tile has executed: all quads those below `finished`, some quads more, listed
/// in `read_ahead`.
#[derive(Clone, Debug, Default)]
pub(super) struct TileProgress {
    pub(super) finished: u32,
    pub(super) read_ahead: Option<Box<[u32; 64]>>,
}

impl TileProgress {
    /// Returns the quads that have not executed operation `index`.
    pub(super) fn waiting(&self, index: u32) -> u64 {
        match &self.read_ahead {
            None if self.finished <= index => !0,
            None => 0,
            Some(read_ahead) => {
                (0..64).fold(0, |mask, quad| mask | u64::from(read_ahead[quad] <= index) << quad)
            }
        }
    }

    /// Records that some quads have executed all operations below `end`.
    pub(super) fn advance(&mut self, quads: u64, end: u32) {
        if quads == !0 {
            *self = TileProgress { finished: end, read_ahead: None };
            return;
        }
        let read_ahead = self.read_ahead.get_or_insert_with(|| Box::new([self.finished; 64]));
        for quad in (0..64).filter(|quad| quads >> quad & 1 == 1) {
            read_ahead[quad] = end;
        }
    }
}

/// Returns the quads of a tile that overlap a region; all of them when it contains the tile.
pub(super) fn quads_of(tile: &Rect, region: &Rect) -> u64 {
    if region.contains(tile) {
        return !0;
    }
    let part = region.intersect(tile);
    let mut mask = 0;
    for y in (part.y0 - tile.y0) / 2..=(part.y1 - 1 - tile.y0) / 2 {
        for x in (part.x0 - tile.x0) / 2..=(part.x1 - 1 - tile.x0) / 2 {
            mask |= 1 << (y * TILE_QUADS + x);
        }
    }
    mask
}

/// Returns the lower left pixel of a quad of a tile.
pub(super) fn quad_position(tile: &Rect, quad: i32) -> (i32, i32) {
    (tile.x0 + quad % TILE_QUADS * 2, tile.y0 + quad / TILE_QUADS * 2)
}

/// Returns the lower left pixels of the quads in a mask that overlap the tile.
pub(super) fn quad_positions(tile: &Rect, quads: u64) -> impl Iterator<Item = (i32, i32)> + use<> {
    let tile = *tile;
    (0..64)
        .filter(move |quad| quads >> quad & 1 == 1)
        .map(move |quad| quad_position(&tile, quad))
        .filter(move |&(x, y)| x < tile.x1 && y < tile.y1)
}

pub(super) fn clear_quads(
    surface: &mut Surface,
    tile: usize,
    rect: &Rect,
    quads: u64,
    texel: Texel,
) {
    if quads == !0 {
        surface.fill_tile(tile, texel);
        return;
    }
    for (x, y) in quad_positions(rect, quads) {
        (0..4).for_each(|i| surface.set(x + (i & 1), y + (i >> 1), texel));
    }
}
