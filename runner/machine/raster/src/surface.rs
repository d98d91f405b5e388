//! Surfaces: two-dimensional arrays of texels in tiles. A constant tile is stored as one texel.

use std::sync::Arc;

use crate::format::{Format, Texel};
use crate::rasterize::{Rect, Spans};

/// Width and height of a tile in pixels.
pub const TILE_SIZE: i32 = 16;
const TILE_PIXELS: usize = (TILE_SIZE * TILE_SIZE) as usize;

/// The contents of a tile. Copies share pixels until one of them writes.
#[derive(Clone, Debug)]
enum Tile {
    Constant(Texel),
    Pixels(Arc<[Texel; TILE_PIXELS]>),
}

/// One image: a color or depth buffer, or one level and layer of a texture.
#[derive(Clone, Debug)]
pub struct Surface {
    width: u32,
    height: u32,
    format: Format,
    columns: usize,
    tiles: Vec<Tile>,
}

/// The texels of a rectangle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pixels {
    /// All the same.
    Constant(Texel),
    /// Row by row from the bottom.
    Varying(Vec<Texel>),
}

impl Surface {
    /// Creates a surface of zeros.
    pub fn new(width: u32, height: u32, format: Format) -> Surface {
        let columns = (width as usize).div_ceil(TILE_SIZE as usize);
        let rows = (height as usize).div_ceil(TILE_SIZE as usize);
        Surface {
            width,
            height,
            format,
            columns,
            tiles: vec![Tile::Constant([0; 4]); columns * rows],
        }
    }

    /// Returns the width in pixels.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Returns the height in pixels.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Returns the format of the texels.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Returns all pixels.
    pub fn rect(&self) -> Rect {
        Rect::of_size(self.width, self.height)
    }

    /// Returns the number of tiles.
    pub fn tile_count(&self) -> usize {
        self.tiles.len()
    }

    /// Returns the pixels of a tile; cut off at the surface's right and upper border.
    pub fn tile_rect(&self, tile: usize) -> Rect {
        // 32-bit divisions take half the time of 64-bit ones; surfaces have far fewer tiles.
        let (tile, columns) = (tile as u32, self.columns as u32);
        let (x0, y0) = ((tile % columns) as i32 * TILE_SIZE, (tile / columns) as i32 * TILE_SIZE);
        Rect { x0, y0, x1: x0 + TILE_SIZE, y1: y0 + TILE_SIZE }.intersect(&self.rect())
    }

    /// Returns the tiles that overlap a rectangle inside the surface.
    pub fn tiles_of(&self, rect: &Rect) -> Vec<usize> {
        let rect = rect.intersect(&self.rect());
        if rect.is_empty() {
            return Vec::new();
        }
        let columns = (rect.x0 / TILE_SIZE) as usize..=((rect.x1 - 1) / TILE_SIZE) as usize;
        let rows = (rect.y0 / TILE_SIZE) as usize..=((rect.y1 - 1) / TILE_SIZE) as usize;
        rows.flat_map(|row| columns.clone().map(move |column| row * self.columns + column))
            .collect()
    }

    fn locate(&self, x: i32, y: i32) -> Option<(usize, usize)> {
        let inside = x >= 0 && y >= 0 && (x as u32) < self.width && (y as u32) < self.height;
        inside.then(|| {
            let tile = (y / TILE_SIZE) as usize * self.columns + (x / TILE_SIZE) as usize;
            (tile, ((y % TILE_SIZE) * TILE_SIZE + x % TILE_SIZE) as usize)
        })
    }

    /// Returns one pixel; zero outside.
    pub fn get(&self, x: i32, y: i32) -> Texel {
        match self.locate(x, y).map(|(tile, i)| (&self.tiles[tile], i)) {
            Some((Tile::Constant(texel), _)) => *texel,
            Some((Tile::Pixels(pixels), i)) => pixels[i],
            None => [0; 4],
        }
    }

    /// Writes one pixel; ignored outside.
    pub fn set(&mut self, x: i32, y: i32, texel: Texel) {
        let Some((tile, i)) = self.locate(x, y) else { return };
        if let Some(pixels) = self.pixels_for(tile, texel) {
            pixels[i] = texel;
        }
    }

    /// Fills the surface with one value.
    pub fn fill(&mut self, texel: Texel) {
        self.tiles.fill(Tile::Constant(texel));
    }

    /// Fills a tile with one value.
    pub fn fill_tile(&mut self, tile: usize, texel: Texel) {
        self.tiles[tile] = Tile::Constant(texel);
    }

    /// Fills the pixels of a tile that `spans` cover.
    pub fn fill_spans(&mut self, tile: usize, spans: &Spans, texel: Texel) {
        let rect = self.tile_rect(tile);
        let Some(pixels) = self.pixels_for(tile, texel) else { return };
        for y in rect.y0..rect.y1 {
            let (x0, x1) = spans.row(y);
            let (x0, x1) = (x0.max(rect.x0), x1.min(rect.x1));
            if x0 < x1 {
                let row = ((y - rect.y0) * TILE_SIZE) as usize;
                pixels[row + (x0 - rect.x0) as usize..row + (x1 - rect.x0) as usize].fill(texel);
            }
        }
    }

    /// Returns the pixels of a tile for writing `texel` to some of them; `None` if all have that
    /// value.
    fn pixels_for(&mut self, tile: usize, texel: Texel) -> Option<&mut [Texel; TILE_PIXELS]> {
        if let Tile::Constant(old) = self.tiles[tile] {
            if old == texel {
                return None;
            }
            self.tiles[tile] = Tile::Pixels(Arc::new([old; TILE_PIXELS]));
        }
        match &mut self.tiles[tile] {
            Tile::Pixels(pixels) => Some(Arc::make_mut(pixels)),
            Tile::Constant(_) => None,
        }
    }

    /// True if a tile is known to be equal to that of another surface of the same size.
    pub fn has_tile_of(&self, other: &Surface, tile: usize) -> bool {
        match (&self.tiles[tile], &other.tiles[tile]) {
            (Tile::Constant(a), Tile::Constant(b)) => a == b,
            (Tile::Pixels(a), Tile::Pixels(b)) => Arc::ptr_eq(a, b) || a == b,
            _ => false,
        }
    }

    /// True if the pixels of a rectangle are those of another surface.
    pub fn has_pixels_of(&self, other: &Surface, rect: &Rect) -> bool {
        pixels_of(rect).all(|(x, y)| self.get(x, y) == other.get(x, y))
    }

    /// Copies a tile of another surface of the same size. The copy shares its memory.
    pub fn copy_tile(&mut self, source: &Surface, tile: usize) {
        self.tiles[tile] = source.tiles[tile].clone();
    }

    /// Copies the pixels of a rectangle from another surface.
    pub fn copy_pixels(&mut self, source: &Surface, rect: &Rect) {
        pixels_of(rect).for_each(|(x, y)| self.set(x, y, source.get(x, y)));
    }

    /// Returns the value of a tile that is stored as constant.
    pub fn tile_constant(&self, tile: usize) -> Option<Texel> {
        match &self.tiles[tile] {
            Tile::Constant(texel) => Some(*texel),
            Tile::Pixels(_) => None,
        }
    }

    /// Stores a tile as constant if its pixels are equal.
    pub fn compact(&mut self, tile: usize) {
        let Tile::Pixels(pixels) = &self.tiles[tile] else { return };
        let (rect, first) = (self.tile_rect(tile), pixels[0]);
        let (width, height) = ((rect.x1 - rect.x0) as usize, (rect.y1 - rect.y0) as usize);
        let rows = pixels.chunks_exact(TILE_SIZE as usize).take(height);
        if rows.flat_map(|row| &row[..width]).all(|&texel| texel == first) {
            self.tiles[tile] = Tile::Constant(first);
        }
    }

    /// Returns the texels of a rectangle; pixels outside the surface read as zero.
    pub fn read(&self, rect: &Rect) -> Pixels {
        if rect.is_empty() {
            return Pixels::Varying(Vec::new());
        }
        if self.rect().contains(rect) {
            let tiles = self.tiles_of(rect);
            let first = tiles.first().and_then(|&tile| self.tile_constant(tile));
            if let Some(texel) = first
                && tiles.iter().all(|&tile| self.tile_constant(tile) == first)
            {
                return Pixels::Constant(texel);
            }
        }
        Pixels::Varying(pixels_of(rect).map(|(x, y)| self.get(x, y)).collect())
    }
}

/// Returns the pixels of a rectangle, row by row from the bottom.
fn pixels_of(rect: &Rect) -> impl Iterator<Item = (i32, i32)> + use<> {
    let Rect { x0, y0, x1, y1 } = *rect;
    (y0..y1).flat_map(move |y| (x0..x1).map(move |x| (x, y)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constant_runs_survive_equal_writes_and_split_on_others() {
        let mut s = Surface::new(250, 250, Format::Rgba8);
        s.fill([1, 2, 3, 4]);
        s.set(17, 5, [1, 2, 3, 4]);
        assert_eq!(s.read(&s.rect()), Pixels::Constant([1, 2, 3, 4]));
        s.set(17, 5, [9; 4]);
        assert_eq!(
            (s.get(17, 5), s.get(18, 5), s.get(16, 5)),
            ([9; 4], [1, 2, 3, 4], [1, 2, 3, 4])
        );
        let Pixels::Varying(all) = s.read(&s.rect()) else { panic!("one pixel differs") };
        assert_eq!(all.len(), 62_500);
        assert_eq!(all.iter().filter(|&&t| t == [9; 4]).count(), 1);
        assert_eq!(all[5 * 250 + 17], [9; 4]);
        s.set(17, 5, [1, 2, 3, 4]);
        s.compact(1);
        assert_eq!(s.read(&s.rect()), Pixels::Constant([1, 2, 3, 4]));
    }

    #[test]
    fn border_tiles_compact_without_their_missing_pixels() {
        let mut s = Surface::new(20, 20, Format::Rgba8);
        for y in 0..20 {
            for x in 0..20 {
                s.set(x, y, [7; 4]);
            }
        }
        for tile in 0..s.tile_count() {
            s.compact(tile);
        }
        assert_eq!(s.read(&s.rect()), Pixels::Constant([7; 4]));
    }

    #[test]
    fn spans_fill_their_pixels_of_a_tile() {
        let mut s = Surface::new(40, 20, Format::Rgba8);
        let spans = Spans { y0: -3, rows: (-3..30).map(|y| (y, 20 + y % 2)).collect() };
        (0..s.tile_count()).for_each(|tile| s.fill_spans(tile, &spans, [5; 4]));
        for (x, y) in (0..20).flat_map(|y| (0..40).map(move |x| (x, y))) {
            let expected = if spans.contains(x, y) { [5; 4] } else { [0; 4] };
            assert_eq!(s.get(x, y), expected, "{x},{y}");
        }
    }

    #[test]
    fn outside_reads_zero_and_ignores_writes() {
        let mut s = Surface::new(4, 4, Format::Rgba8);
        s.fill([1; 4]);
        s.set(4, 0, [2; 4]);
        s.set(-1, 0, [2; 4]);
        assert_eq!((s.get(4, 0), s.get(0, -1)), ([0; 4], [0; 4]));
        assert_eq!(s.read(&s.rect()), Pixels::Constant([1; 4]));
        let Pixels::Varying(row) = s.read(&Rect { x0: 2, y0: 0, x1: 6, y1: 1 }) else {
            panic!("partly outside")
        };
        assert_eq!(row, [[1; 4], [1; 4], [0; 4], [0; 4]]);
    }

    #[test]
    fn copies_are_independent() {
        let mut a = Surface::new(4, 4, Format::Rgba8);
        a.set(0, 0, [1; 4]);
        let b = a.clone();
        a.set(0, 0, [2; 4]);
        assert_eq!((a.get(0, 0), b.get(0, 0)), ([2; 4], [1; 4]));
    }

    #[test]
    fn tiles_and_pixels_of_another_surface() {
        let mut a = Surface::new(40, 20, Format::Rgba8);
        let mut b = a.clone();
        a.set(3, 4, [1; 4]);
        assert!(!a.has_tile_of(&b, 0) && a.has_tile_of(&b, 1));
        let (equal, other) =
            (Rect { x0: 4, y0: 4, x1: 6, y1: 6 }, Rect { x0: 2, y0: 4, x1: 4, y1: 6 });
        assert!(a.has_pixels_of(&b, &equal) && !a.has_pixels_of(&b, &other));
        b.copy_pixels(&a, &other);
        assert!(a.has_pixels_of(&b, &a.rect()) && a.has_tile_of(&b, 0));
        b.copy_tile(&Surface::new(40, 20, Format::Rgba8), 0);
        assert_eq!((b.get(3, 4), a.get(3, 4)), ([0; 4], [1; 4]));
    }

    #[test]
    fn tiles_of_a_rectangle() {
        let s = Surface::new(40, 40, Format::Rgba8);
        assert_eq!(s.tiles_of(&Rect { x0: 15, y0: 0, x1: 17, y1: 1 }), [0, 1]);
        assert_eq!(s.tiles_of(&Rect { x0: 16, y0: 16, x1: 32, y1: 40 }), [4, 7]);
        assert!(s.tiles_of(&Rect { x0: 5, y0: 5, x1: 5, y1: 9 }).is_empty());
        assert_eq!(s.tile_rect(8), Rect { x0: 32, y0: 32, x1: 40, y1: 40 });
    }
}
