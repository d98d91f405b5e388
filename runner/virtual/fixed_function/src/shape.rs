//! Shapes of antialiased and multisampled lines and points: rectangles and disks.

use raster::rasterize::{Rect, Spans};

/// Samples of a pixel along each axis that decide how much of it a shape covers.
const GRID: u32 = 8;

/// An area of the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SmoothShape {
    /// A rectangle around a segment.
    Rectangle {
        /// Start of the segment.
        from: [f64; 2],
        /// Direction of the segment, of length 1.
        along: [f64; 2],
        /// Length of the segment.
        length: f64,
        /// Half of the width.
        half: f64,
    },
    /// A disk.
    Disk {
        /// Center.
        center: [f64; 2],
        /// Radius.
        radius: f64,
    },
}

impl SmoothShape {
    /// The rectangle of a line; `None` if the line has no length.
    #[must_use]
    pub fn line(from: [f64; 2], to: [f64; 2], width: f64) -> Option<SmoothShape> {
        let step = [to[0] - from[0], to[1] - from[1]];
        let length = step[0].hypot(step[1]);
        let along = step.map(|step| step / length);
        (length > 0.0).then_some(SmoothShape::Rectangle { from, along, length, half: width / 2.0 })
    }

    /// True if a position is in the shape.
    fn contains(&self, x: f64, y: f64) -> bool {
        match *self {
            SmoothShape::Rectangle { from, along, length, half } => {
                let (dx, dy) = (x - from[0], y - from[1]);
                let (forward, aside) =
                    (dx * along[0] + dy * along[1], dy * along[0] - dx * along[1]);
                (0.0..length).contains(&forward) && (-half..half).contains(&aside)
            }
            SmoothShape::Disk { center, radius } => {
                (x - center[0]).powi(2) + (y - center[1]).powi(2) < radius * radius
            }
        }
    }

    /// Pixels that the shape may touch, within `bounds`.
    fn bounds(&self, bounds: &Rect) -> Rect {
        let (low, high) = match *self {
            SmoothShape::Rectangle { from, along, length, half } => {
                let to = [0, 1].map(|i| from[i] + length * along[i]);
                (
                    [0, 1].map(|i| from[i].min(to[i]) - half),
                    [0, 1].map(|i| from[i].max(to[i]) + half),
                )
            }
            SmoothShape::Disk { center, radius } => {
                (center.map(|c| c - radius), center.map(|c| c + radius))
            }
        };
        #[allow(clippy::cast_possible_truncation, reason = "clamped")]
        let whole = |at: f64| at.floor().clamp(-32768.0, 32768.0) as i32;
        let pixels = Rect {
            x0: whole(low[0]),
            y0: whole(low[1]),
            x1: whole(high[0]) + 1,
            y1: whole(high[1]) + 1,
        };
        pixels.intersect(bounds)
    }

    /// Pixels whose sample at an offset is in the shape.
    #[must_use]
    pub fn at_sample(&self, offset: [f64; 2], bounds: &Rect) -> Spans {
        self.spans(bounds, |x, y| self.contains(f64::from(x) + offset[0], f64::from(y) + offset[1]))
    }

    /// Pixels of which the shape covers a part.
    #[must_use]
    pub fn touched(&self, bounds: &Rect) -> Spans {
        self.spans(bounds, |x, y| self.coverage(x, y) > 0.0)
    }

    /// Runs of the pixels for which `is_covered` holds.
    fn spans(&self, bounds: &Rect, is_covered: impl Fn(i32, i32) -> bool) -> Spans {
        let pixels = self.bounds(bounds);
        if pixels.is_empty() {
            return Spans::default();
        }
        let row = |y| {
            let mut covered = (pixels.x0..pixels.x1).filter(|x| is_covered(*x, y));
            match covered.next() {
                Some(first) => (first, covered.next_back().unwrap_or(first) + 1),
                None => (0, 0),
            }
        };
        Spans { y0: pixels.y0, rows: (pixels.y0..pixels.y1).map(row).collect() }
    }

    /// Share of a pixel that the shape covers.
    #[must_use]
    pub fn coverage(&self, x: i32, y: i32) -> f32 {
        let at = |i: u32| (f64::from(i) + 0.5) / f64::from(GRID);
        let places = (0..GRID * GRID).map(|i| (at(i % GRID), at(i / GRID)));
        let inside = places.filter(|(dx, dy)| self.contains(f64::from(x) + dx, f64::from(y) + dy));
        inside.count() as f32 / (GRID * GRID) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: Rect = Rect { x0: 0, y0: 0, x1: 32, y1: 32 };

    #[test]
    fn coverage_of_a_line_follows_its_width() {
        let line = SmoothShape::line([2.0, 4.5], [8.0, 4.5], 1.5).expect("a line");
        assert_eq!(
            (line.coverage(2, 4), line.coverage(2, 5), line.coverage(1, 4)),
            (1.0, 0.25, 0.0)
        );
        let touched = line.touched(&WINDOW);
        assert_eq!((touched.row(3), touched.row(5), touched.row(6)), ((2, 8), (2, 8), (0, 0)));
        assert_eq!(SmoothShape::line([1.0; 2], [1.0; 2], 3.0), None);
    }

    #[test]
    fn samples_of_a_disk() {
        let disk = SmoothShape::Disk { center: [5.0, 5.0], radius: 2.0 };
        assert_eq!(disk.at_sample([0.5; 2], &WINDOW).row(3), (4, 6));
        assert_eq!(disk.at_sample([0.5; 2], &WINDOW).row(4), (3, 7));
        let area: f32 = (0..10).flat_map(|y| (0..10).map(move |x| disk.coverage(x, y))).sum();
        assert!((area - 4.0 * std::f32::consts::PI).abs() < 0.2, "{area}");
    }
}
