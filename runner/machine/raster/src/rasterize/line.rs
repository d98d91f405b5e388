//! Lines of width 1: the diamond-exit rule (OpenGL 4.6 section 14.5.1).
//!
//! A line covers a pixel if the segment leaves the diamond |dx| + |dy| < 1/2 around its center.
//! Ties are broken as the specification proposes, by moving the end points a little, but by (ε,
//! −ε²) instead of (−ε, −ε²): in hardware the left corner of a diamond belongs to it, and so does
//! the corner that is upper in the window. So a line from one pixel's left edge to another's covers
//! what is between them.

use super::{Rect, SUBPIXELS, SnappedPosition, Spans, limit};

/// Returns the pixels of the segment from `start` to `end` within `bounds`, without the last one if
/// the segment does not leave it.
pub fn rasterize(start: SnappedPosition, end: SnappedPosition, bounds: &Rect) -> Spans {
    if bounds.is_empty() || start == end {
        return Spans::default();
    }
    let low = start[1].min(end[1]).div_euclid(SUBPIXELS) - 1;
    let high = start[1].max(end[1]).div_euclid(SUBPIXELS) + 2;
    let (y0, y1) = limit((low, high), bounds.y0, bounds.y1);
    let rows = (y0..y1).map(|y| row(start, end, y, bounds)).collect();
    Spans { y0, rows }
}

/// Returns the pixels of a segment of some width within `bounds`: those of the segment moved by
/// half of what the width is beyond 1, each of them as many times as the width says next to
/// each other, in the direction in which the segment extends less (OpenGL 4.6 section 14.5.2.1).
pub fn wide(start: SnappedPosition, end: SnappedPosition, width: u32, bounds: &Rect) -> Spans {
    if width <= 1 || bounds.is_empty() {
        return rasterize(start, end, bounds);
    }
    let more = i32::try_from(width - 1).unwrap_or(i32::MAX / 4);
    let is_steep = (end[1] - start[1]).abs() > (end[0] - start[0]).abs();
    let shift = i64::from(more) * SUBPIXELS / 2;
    let moved = |[x, y]: SnappedPosition| if is_steep { [x - shift, y] } else { [x, y - shift] };
    let around = Rect {
        x0: bounds.x0 - more,
        y0: bounds.y0 - more,
        x1: bounds.x1 + more,
        y1: bounds.y1 + more,
    };
    let thin = rasterize(moved(start), moved(end), &around);
    let row = |y: i32| {
        let rows = if is_steep { y..=y } else { y - more..=y };
        let runs = rows.map(|y| thin.row(y)).filter(|(x0, x1)| x0 < x1);
        let joined = runs.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        let (x0, x1) = joined.unwrap_or((0, 0));
        let end = if is_steep && x0 < x1 { x1 + more } else { x1 };
        (x0.max(bounds.x0), end.min(bounds.x1))
    };
    Spans { y0: bounds.y0, rows: (bounds.y0..bounds.y1).map(row).collect() }
}

/// Returns the run of one row.
fn row(start: SnappedPosition, end: SnappedPosition, y: i32, bounds: &Rect) -> (i32, i32) {
    let (low, high) = x_range(start, end, i64::from(y));
    let (x0, x1) = limit(
        (low.div_euclid(SUBPIXELS) - 1, high.div_euclid(SUBPIXELS) + 2),
        bounds.x0,
        bounds.x1,
    );
    let mut covered = (x0..x1).filter(|&x| exits_diamond(start, end, x, y));
    match covered.next() {
        Some(first) => (first, covered.next_back().unwrap_or(first) + 1),
        None => (0, 0),
    }
}

/// Returns a superset of the sub-pixel x positions of the segment within row `y`.
fn x_range(start: SnappedPosition, end: SnappedPosition, y: i64) -> (i64, i64) {
    let (dx, dy) = (end[0] - start[0], end[1] - start[1]);
    let ends = (start[0].min(end[0]), start[0].max(end[0]));
    if dy == 0 {
        return ends;
    }
    let at = |edge: i64| start[0] + (dx * (edge - start[1])).div_euclid(dy);
    let (a, b) = (at(y * SUBPIXELS), at((y + 1) * SUBPIXELS));
    (a.min(b).max(ends.0) - 1, a.max(b).min(ends.1) + 1)
}

/// True if the segment meets the diamond of pixel (x, y) and does not end in it.
///
/// In the rotated coordinates u = x + y, v = x − y the diamond is an open square of side 1, and the
/// perturbation moves the segment by (ε − ε², ε + ε²); the code moves the square the other way
/// instead.
fn exits_diamond(start: SnappedPosition, end: SnappedPosition, x: i32, y: i32) -> bool {
    let center =
        [i64::from(x) * SUBPIXELS + SUBPIXELS / 2, i64::from(y) * SUBPIXELS + SUBPIXELS / 2];
    let rotate = |p: SnappedPosition| {
        let (dx, dy) = (p[0] - center[0], p[1] - center[1]);
        [dx + dy, dx - dy]
    };
    let (from, to) = (rotate(start), rotate(end));
    let half = SUBPIXELS / 2;
    let inside = |p: [i64; 2]| p.iter().all(|&c| -half <= c && c < half);
    if inside(to) {
        return false;
    }
    if inside(from) {
        return true;
    }
    // The open parameter interval inside both slabs, within 0..1.
    let mut enter = Parameter { numerator: [0, 0, 0], denominator: 1 };
    let mut leave = Parameter { numerator: [1, 0, 0], denominator: 1 };
    for (axis, epsilon_squared) in [(0, 1), (1, -1)] {
        let delta = to[axis] - from[axis];
        let low = [-half - from[axis], -1, epsilon_squared];
        let high = [half - from[axis], -1, epsilon_squared];
        if delta == 0 {
            if low >= [0; 3] || high <= [0; 3] {
                return false;
            }
        } else if delta > 0 {
            enter = enter.later(Parameter { numerator: low, denominator: delta });
            leave = leave.earlier(Parameter { numerator: high, denominator: delta });
        } else {
            enter = enter.later(Parameter { numerator: high.map(|n| -n), denominator: -delta });
            leave = leave.earlier(Parameter { numerator: low.map(|n| -n), denominator: -delta });
        }
    }
    enter.compare(&leave).is_lt()
}

/// Position along the segment: (n₀ + n₁·ε + n₂·ε²) / denominator, the denominator positive.
#[derive(Clone, Copy)]
struct Parameter {
    numerator: [i64; 3],
    denominator: i64,
}

impl Parameter {
    fn compare(&self, other: &Parameter) -> std::cmp::Ordering {
        let scale =
            |numerator: [i64; 3], by: i64| numerator.map(|n| i128::from(n) * i128::from(by));
        scale(self.numerator, other.denominator).cmp(&scale(other.numerator, self.denominator))
    }

    fn later(self, other: Parameter) -> Parameter {
        if self.compare(&other).is_lt() { other } else { self }
    }

    fn earlier(self, other: Parameter) -> Parameter {
        if self.compare(&other).is_gt() { other } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: Rect = Rect { x0: 0, y0: 0, x1: 32, y1: 32 };

    fn pixels(spans: &Spans) -> Vec<(i32, i32)> {
        (spans.y0..)
            .zip(&spans.rows)
            .flat_map(|(y, &(x0, x1))| (x0..x1).map(move |x| (x, y)))
            .collect()
    }

    /// Rows and columns of wide lines, also of those at the edge of the window.
    #[test]
    fn wide_lines_grow_in_the_other_direction() {
        let half = SUBPIXELS / 2;
        let flat =
            wide([half, 10 * SUBPIXELS + half], [4 * SUBPIXELS, 10 * SUBPIXELS + half], 3, &WINDOW);
        let expected: Vec<_> = (9..12).flat_map(|y| (0..4).map(move |x| (x, y))).collect();
        assert_eq!(pixels(&flat), expected);
        let steep = wide([half, half], [half, 3 * SUBPIXELS], 3, &WINDOW);
        let expected: Vec<_> = (0..3).flat_map(|y| (0..2).map(move |x| (x, y))).collect();
        assert_eq!(pixels(&steep), expected, "one column is outside of the window");
        let ends = ([half, half], [9 * SUBPIXELS, 5 * SUBPIXELS]);
        assert_eq!(
            pixels(&wide(ends.0, ends.1, 1, &WINDOW)),
            pixels(&rasterize(ends.0, ends.1, &WINDOW))
        );
    }

    #[test]
    fn horizontal_lines_exclude_the_last_pixel() {
        let spans = rasterize([128, 128], [128 + 10 * 256, 128], &WINDOW);
        assert_eq!(pixels(&spans), (0..10).map(|x| (x, 0)).collect::<Vec<_>>());
        let back = rasterize([128 + 10 * 256, 128], [128, 128], &WINDOW);
        assert_eq!(pixels(&back), (1..11).map(|x| (x, 0)).collect::<Vec<_>>());
    }

    #[test]
    fn a_line_between_left_edges_covers_what_is_between() {
        let spans = rasterize([20 * 256, 128], [30 * 256, 128], &WINDOW);
        assert_eq!(pixels(&spans), (20..30).map(|x| (x, 0)).collect::<Vec<_>>());
    }

    #[test]
    fn a_line_across_the_window_covers_each_column_once() {
        // Between window borders, off the centers: 32 columns, x-major.
        for rise in [0, 100, 1000, 5000, 8000] {
            let spans = rasterize([0, 37], [32 * 256, 37 + rise], &WINDOW);
            let mut columns: Vec<i32> = pixels(&spans).iter().map(|p| p.0).collect();
            columns.sort_unstable();
            assert_eq!(columns, (0..32).collect::<Vec<_>>(), "rise {rise}");
        }
    }

    /// OpenGL 4.6 section 14.5.1: a strip of connected lines produces no pixel twice at the joints.
    #[test]
    fn connected_segments_share_no_pixel() {
        let mut seed = 5u64;
        let mut next = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((seed >> 33) % 256) as i64
        };
        for _ in 0..300 {
            // Monotonic x-major chain: only the joints could be hit twice.
            let points: Vec<SnappedPosition> =
                (0..4).map(|i| [i * 2048 + next(), 4096 + next()]).collect();
            let mut all: Vec<(i32, i32)> =
                points.windows(2).flat_map(|w| pixels(&rasterize(w[0], w[1], &WINDOW))).collect();
            let count = all.len();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), count, "{points:?}");
        }
    }

    /// Diagonals through pixel corners meet diamonds only at their tips; the perturbation decides.
    #[test]
    fn every_pixel_center_on_the_diagonal_is_taken() {
        let spans = rasterize([0, 0], [8 * 256, 8 * 256], &WINDOW);
        assert_eq!(pixels(&spans), (0..8).map(|i| (i, i)).collect::<Vec<_>>());
    }
}
