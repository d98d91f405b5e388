//! Rasterization of points, lines and triangles, in exact integer arithmetic on positions snapped
//! to 1/256 pixel.
//!
//! Half-open ranges are open towards greater x and y: of two primitives that share an edge through
//! a pixel center, the one on the greater side covers the pixel.

pub mod coverage;
pub mod line;
pub mod point;
pub mod samples;
pub mod triangle;

/// Sub-pixel positions per pixel and axis.
pub const SUBPIXELS: i64 = 256;

/// Window position in units of 1/256 pixel.
pub type SnappedPosition = [i64; 2];

/// Largest coordinate in pixels. Products of two differences fit into 64 bits, and the guard bands
/// of all hardware are smaller.
const LARGEST: f64 = (1 << 20) as f64;

/// Snaps a window coordinate to the sub-pixel grid, to nearest, halves away from zero. Larger
/// coordinates, as a driver's mistake in a viewport gives, become the largest one.
pub fn snap(coordinate: f64) -> i64 {
    (coordinate.clamp(-LARGEST, LARGEST) * SUBPIXELS as f64).round() as i64
}

/// A rectangle of pixels: `x0 <= x < x1`, `y0 <= y < y1`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rect {
    /// Left column.
    pub x0: i32,
    /// Bottom row.
    pub y0: i32,
    /// One past the right column.
    pub x1: i32,
    /// One past the top row.
    pub y1: i32,
}

impl Rect {
    /// Creates the rectangle from (0, 0).
    pub fn of_size(width: u32, height: u32) -> Rect {
        Rect { x0: 0, y0: 0, x1: width as i32, y1: height as i32 }
    }

    /// True if it has no pixel.
    pub fn is_empty(&self) -> bool {
        self.x0 >= self.x1 || self.y0 >= self.y1
    }

    /// Returns the pixels in both.
    pub fn intersect(&self, other: &Rect) -> Rect {
        Rect {
            x0: self.x0.max(other.x0),
            y0: self.y0.max(other.y0),
            x1: self.x1.min(other.x1),
            y1: self.y1.min(other.y1),
        }
    }

    /// Returns the smallest rectangle around two that are not empty.
    pub fn hull(&self, other: &Rect) -> Rect {
        Rect {
            x0: self.x0.min(other.x0),
            y0: self.y0.min(other.y0),
            x1: self.x1.max(other.x1),
            y1: self.y1.max(other.y1),
        }
    }

    /// True if every pixel of `other` is in it.
    pub fn contains(&self, other: &Rect) -> bool {
        self.x0 <= other.x0 && self.y0 <= other.y0 && self.x1 >= other.x1 && self.y1 >= other.y1
    }
}

/// Covered pixels: one run `x0..x1` per row, rows consecutive from `y0`. Points, lines and convex
/// polygons need no more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spans {
    /// Row of the first run.
    pub y0: i32,
    /// Runs; an empty one has `x0 >= x1`.
    pub rows: Vec<(i32, i32)>,
}

impl Spans {
    /// Creates the spans of all pixels of a rectangle.
    pub fn of_rect(rect: &Rect) -> Spans {
        if rect.is_empty() {
            return Spans::default();
        }
        Spans { y0: rect.y0, rows: vec![(rect.x0, rect.x1); (rect.y1 - rect.y0) as usize] }
    }

    /// Returns the run of row `y`; empty outside.
    pub fn row(&self, y: i32) -> (i32, i32) {
        usize::try_from(y - self.y0).ok().and_then(|i| self.rows.get(i)).copied().unwrap_or((0, 0))
    }

    /// True if a pixel is covered.
    pub fn contains(&self, x: i32, y: i32) -> bool {
        let (x0, x1) = self.row(y);
        x0 <= x && x < x1
    }

    /// True if no pixel is covered.
    pub fn is_empty(&self) -> bool {
        self.rows.iter().all(|&(x0, x1)| x0 >= x1)
    }

    /// Returns the smallest rectangle around the covered pixels; empty when there is none.
    pub fn bounds(&self) -> Rect {
        let mut rect = Rect { x0: i32::MAX, y0: i32::MAX, x1: i32::MIN, y1: i32::MIN };
        for (y, &(x0, x1)) in (self.y0..).zip(&self.rows).filter(|(_, (x0, x1))| x0 < x1) {
            rect = Rect { x0: rect.x0.min(x0), y0: rect.y0.min(y), x1: rect.x1.max(x1), y1: y + 1 };
        }
        if rect.x0 > rect.x1 { Rect::default() } else { rect }
    }

    /// True if every pixel of a non-empty rectangle is covered.
    pub fn covers(&self, rect: &Rect) -> bool {
        (rect.y0..rect.y1).all(|y| {
            let (x0, x1) = self.row(y);
            x0 <= rect.x0 && rect.x1 <= x1
        })
    }

    /// True if any pixel of a rectangle is covered.
    pub fn overlaps(&self, rect: &Rect) -> bool {
        (rect.y0..rect.y1).any(|y| {
            let (x0, x1) = self.row(y);
            x0.max(rect.x0) < x1.min(rect.x1)
        })
    }

    /// True if the covered pixels are all those of `bounds`, the smallest rectangle around them.
    pub fn fills(&self, bounds: &Rect) -> bool {
        let first = usize::try_from(bounds.y0 - self.y0).unwrap_or(0);
        let rows = self.rows.iter().skip(first).take((bounds.y1 - bounds.y0).max(0) as usize);
        rows.into_iter().all(|row| *row == (bounds.x0, bounds.x1))
    }

    /// Returns the union with `other` if it is again one run per row without overlap, else `None`.
    pub fn union_disjoint(&self, other: &Spans) -> Option<Spans> {
        if self.y0 == other.y0 && self.rows.len() == other.rows.len() {
            let pairs = self.rows.iter().zip(&other.rows);
            let rows = pairs.map(|(a, b)| union_of_runs(*a, *b)).collect::<Option<_>>()?;
            return Some(Spans { y0: self.y0, rows });
        }
        let y0 = self.y0.min(other.y0);
        let y1 = (self.y0 + self.rows.len() as i32).max(other.y0 + other.rows.len() as i32);
        let rows =
            (y0..y1).map(|y| union_of_runs(self.row(y), other.row(y))).collect::<Option<_>>()?;
        Some(Spans { y0, rows })
    }

    /// Removes the pixels of `other`; of a run that `other` splits, the left part stays.
    pub fn trim(&mut self, other: &Spans) {
        for (y, run) in (self.y0..).zip(&mut self.rows) {
            let cut = other.row(y);
            if cut.0 >= cut.1 || cut.0 >= run.1 || cut.1 <= run.0 {
                continue;
            }
            *run = if cut.0 > run.0 { (run.0, cut.0) } else { (cut.1, run.1) };
        }
    }

    /// Keeps only pixels inside `rect`.
    pub fn clip(&mut self, rect: &Rect) {
        for (y, row) in (self.y0..).zip(&mut self.rows) {
            *row = if y < rect.y0 || y >= rect.y1 {
                (0, 0)
            } else {
                (row.0.max(rect.x0), row.1.min(rect.x1))
            };
        }
    }
}

/// Returns the union of two runs of one row if they do not overlap and leave no gap.
fn union_of_runs(a: (i32, i32), b: (i32, i32)) -> Option<(i32, i32)> {
    if a.0 >= a.1 {
        Some(b)
    } else if b.0 >= b.1 {
        Some(a)
    } else if a.1 == b.0 {
        Some((a.0, b.1))
    } else if b.1 == a.0 {
        Some((b.0, a.1))
    } else {
        None
    }
}

/// Returns the first pixel index whose center is at or beyond `coordinate`.
fn first_center(coordinate: i64) -> i64 {
    (coordinate - SUBPIXELS / 2).div_euclid(SUBPIXELS)
        + i64::from((coordinate - SUBPIXELS / 2).rem_euclid(SUBPIXELS) != 0)
}

/// Narrows a range of pixel indices to the bounds of a rasterizer.
fn limit(range: (i64, i64), low: i32, high: i32) -> (i32, i32) {
    let low_64 = i64::from(low);
    let high_64 = i64::from(high.max(low));
    (range.0.clamp(low_64, high_64) as i32, range.1.clamp(low_64, high_64) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_rectangles_fill_their_bounds() {
        let rect = Rect { x0: 2, y0: 3, x1: 7, y1: 6 };
        let mut spans = Spans::of_rect(&rect);
        assert!(spans.bounds() == rect && spans.fills(&rect));
        // Empty rows around it change nothing.
        spans.rows.insert(0, (0, 0));
        spans.rows.push((9, 9));
        spans.y0 -= 1;
        assert!(spans.bounds() == rect && spans.fills(&rect));
        for odd in [(2, 6), (3, 7), (0, 0)] {
            let mut spans = spans.clone();
            spans.rows[2] = odd;
            assert!(spans.bounds() == rect && !spans.fills(&rect), "{odd:?}");
        }
    }

    #[test]
    fn empty_runs_cut_nothing() {
        let mut spans = Spans { y0: 0, rows: vec![(0, 20); 3] };
        spans.trim(&Spans { y0: 0, rows: vec![(5, 5), (10, 5), (0, 0)] });
        assert_eq!(spans.rows, [(0, 20); 3]);
        spans.trim(&Spans { y0: 1, rows: vec![(5, 20)] });
        assert_eq!(spans.rows, [(0, 20), (0, 5), (0, 20)]);
    }

    #[test]
    fn unions_of_different_rows() {
        let part = |y0, rows: &[(i32, i32)]| Spans { y0, rows: rows.to_vec() };
        let whole = part(1, &[(0, 4), (0, 4), (0, 4)]);
        let (low, high) = (part(1, &[(0, 4), (0, 2)]), part(2, &[(2, 4), (0, 4)]));
        assert_eq!(low.union_disjoint(&high), Some(whole.clone()));
        assert_eq!(high.union_disjoint(&low), Some(whole));
        assert_eq!(low.bounds().hull(&high.bounds()), Rect { x0: 0, y0: 1, x1: 4, y1: 4 });
        // A gap, and an overlap.
        assert_eq!(low.union_disjoint(&part(2, &[(3, 4)])), None);
        assert_eq!(low.union_disjoint(&part(1, &[(4, 6), (1, 3)])), None);
    }
}
