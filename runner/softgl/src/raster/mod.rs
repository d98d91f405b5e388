//! Rasterisation: which pixels a point, line or triangle covers. Exact integer arithmetic on positions snapped to
//! 1/256 pixel.
//!
//! Everything half-open is open towards greater x and y: of two primitives that share an edge through a pixel
//! centre the one on the greater side gets the pixel.

pub mod line;
pub mod point;
pub mod samples;
pub mod triangle;

/// Sub-pixel positions per pixel and axis.
pub const SUBPIXELS: i64 = 256;

/// A window position in units of 1/256 pixel.
pub type Fixed = [i64; 2];

/// Snaps a window coordinate to the sub-pixel grid, to nearest, halves away from zero. The caller keeps
/// coordinates finite and within the guard band.
pub fn snap(coordinate: f64) -> i64 {
    (coordinate * SUBPIXELS as f64).round() as i64
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
    /// The rectangle from (0, 0).
    pub fn of_size(width: u32, height: u32) -> Rect {
        Rect { x0: 0, y0: 0, x1: width as i32, y1: height as i32 }
    }

    /// Whether it has no pixel.
    pub fn is_empty(&self) -> bool {
        self.x0 >= self.x1 || self.y0 >= self.y1
    }

    /// The pixels in both.
    pub fn intersect(&self, other: &Rect) -> Rect {
        Rect {
            x0: self.x0.max(other.x0),
            y0: self.y0.max(other.y0),
            x1: self.x1.min(other.x1),
            y1: self.y1.min(other.y1),
        }
    }

    /// Whether every pixel of `other` is in it.
    pub fn contains(&self, other: &Rect) -> bool {
        self.x0 <= other.x0 && self.y0 <= other.y0 && self.x1 >= other.x1 && self.y1 >= other.y1
    }
}

/// Covered pixels: one run `x0..x1` per row, rows consecutive from `y0`. Every shape we rasterise is that simple.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spans {
    /// Row of the first run.
    pub y0: i32,
    /// Runs; an empty one has `x0 >= x1`.
    pub rows: Vec<(i32, i32)>,
}

impl Spans {
    /// All pixels of a rectangle.
    pub fn of_rect(rect: &Rect) -> Spans {
        if rect.is_empty() {
            return Spans::default();
        }
        Spans { y0: rect.y0, rows: vec![(rect.x0, rect.x1); (rect.y1 - rect.y0) as usize] }
    }

    /// The run of row `y`; empty outside.
    pub fn row(&self, y: i32) -> (i32, i32) {
        usize::try_from(y - self.y0).ok().and_then(|i| self.rows.get(i)).copied().unwrap_or((0, 0))
    }

    /// Whether a pixel is covered.
    pub fn contains(&self, x: i32, y: i32) -> bool {
        let (x0, x1) = self.row(y);
        x0 <= x && x < x1
    }

    /// Whether no pixel is covered.
    pub fn is_empty(&self) -> bool {
        self.rows.iter().all(|&(x0, x1)| x0 >= x1)
    }

    /// The smallest rectangle around the covered pixels; empty when there is none.
    pub fn bounds(&self) -> Rect {
        let mut rect = Rect { x0: i32::MAX, y0: i32::MAX, x1: i32::MIN, y1: i32::MIN };
        for (y, &(x0, x1)) in (self.y0..).zip(&self.rows).filter(|(_, (x0, x1))| x0 < x1) {
            rect = Rect { x0: rect.x0.min(x0), y0: rect.y0.min(y), x1: rect.x1.max(x1), y1: y + 1 };
        }
        if rect.x0 > rect.x1 { Rect::default() } else { rect }
    }

    /// Whether every pixel of a non-empty rectangle is covered.
    pub fn covers(&self, rect: &Rect) -> bool {
        (rect.y0..rect.y1).all(|y| {
            let (x0, x1) = self.row(y);
            x0 <= rect.x0 && rect.x1 <= x1
        })
    }

    /// Whether any pixel of a rectangle is covered.
    pub fn touches(&self, rect: &Rect) -> bool {
        (rect.y0..rect.y1).any(|y| {
            let (x0, x1) = self.row(y);
            x0.max(rect.x0) < x1.min(rect.x1)
        })
    }

    /// The union with `other` if it is again one run per row without overlap, else `None`.
    pub fn union_disjoint(&self, other: &Spans) -> Option<Spans> {
        let y0 = self.y0.min(other.y0);
        let y1 = (self.y0 + self.rows.len() as i32).max(other.y0 + other.rows.len() as i32);
        let mut rows = Vec::with_capacity((y1 - y0) as usize);
        for y in y0..y1 {
            let (a, b) = (self.row(y), other.row(y));
            rows.push(if a.0 >= a.1 {
                b
            } else if b.0 >= b.1 {
                a
            } else if a.1 == b.0 {
                (a.0, b.1)
            } else if b.1 == a.0 {
                (b.0, a.1)
            } else {
                return None;
            });
        }
        Some(Spans { y0, rows })
    }

    /// Removes the pixels of `other`; of a run that `other` splits, the left part stays.
    pub fn trim(&mut self, other: &Spans) {
        for (y, run) in (self.y0..).zip(&mut self.rows) {
            let cut = other.row(y);
            if cut.0 >= run.1 || cut.1 <= run.0 {
                continue;
            }
            *run = if cut.0 > run.0 { (run.0, cut.0) } else { (cut.1, run.1) };
        }
    }

    /// Keeps only pixels inside `rect`.
    pub fn clip(&mut self, rect: &Rect) {
        for (y, row) in (self.y0..).zip(&mut self.rows) {
            *row =
                if y < rect.y0 || y >= rect.y1 { (0, 0) } else { (row.0.max(rect.x0), row.1.min(rect.x1)) };
        }
    }
}

/// The first pixel index whose centre is at or beyond `coordinate`.
fn first_centre(coordinate: i64) -> i64 {
    (coordinate - SUBPIXELS / 2).div_euclid(SUBPIXELS)
        + i64::from((coordinate - SUBPIXELS / 2).rem_euclid(SUBPIXELS) != 0)
}

/// `bounds` limits every rasteriser; this narrows a range of pixel indices to it.
fn limit(range: (i64, i64), low: i32, high: i32) -> (i32, i32) {
    let low_64 = i64::from(low);
    let high_64 = i64::from(high.max(low));
    (range.0.clamp(low_64, high_64) as i32, range.1.clamp(low_64, high_64) as i32)
}
