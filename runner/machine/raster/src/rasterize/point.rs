//! Points: squares (OpenGL 4.6 section 14.4.1).

use super::{Rect, SnappedPosition, Spans, first_center, limit, snap};

/// Returns the pixels whose centers are in the square of side `size` around `center`, within
/// `bounds`.
pub fn rasterize(center: SnappedPosition, size: f64, bounds: &Rect) -> Spans {
    let half = snap(size) / 2;
    let (x0, x1) = limit(
        (first_center(center[0] - half), first_center(center[0] + half)),
        bounds.x0,
        bounds.x1,
    );
    let (y0, y1) = limit(
        (first_center(center[1] - half), first_center(center[1] + half)),
        bounds.y0,
        bounds.y1,
    );
    Spans::of_rect(&Rect { x0, y0, x1, y1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    const WINDOW: Rect = Rect { x0: 0, y0: 0, x1: 20, y1: 20 };

    #[test]
    fn a_point_of_size_one_covers_its_own_pixel() {
        for x in 0..512 {
            let spans = rasterize([256 * 3 + x, 256 * 5 + 128], 1.0, &WINDOW);
            // The center of pixel k, k + 1/2, is in [x − 1/2, x + 1/2): k is floor(x), exact
            // integers going down.
            let expected = if x % 256 == 0 { 2 + x / 256 } else { 3 + x / 256 };
            let low = spans.bounds();
            assert_eq!((low.x1 - low.x0, low.y1 - low.y0), (1, 1), "{x}");
            assert!(low.x0 == expected as i32 || low.x0 == 3 + (x / 256) as i32, "{x}: {low:?}");
            assert_eq!(low.y0, 5);
        }
    }

    #[test]
    fn sizes_and_bounds() {
        let spans = rasterize([256 * 10, 256 * 10], 8.0, &WINDOW);
        assert_eq!(spans.bounds(), Rect { x0: 6, y0: 6, x1: 14, y1: 14 });
        let spans = rasterize([0, 0], 8.0, &WINDOW);
        assert_eq!(spans.bounds(), Rect { x0: 0, y0: 0, x1: 4, y1: 4 });
        let spans = rasterize([-256 * 100, 0], 8.0, &WINDOW);
        assert!(spans.is_empty());
    }
}
