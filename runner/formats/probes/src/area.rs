//! The pixels of a probe's area.

use script::Area;

/// A rectangle of pixels; the origin of the framebuffer is its lower left corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PixelRect {
    /// First column.
    pub x: i32,
    /// First row.
    pub y: i32,
    /// Number of columns.
    pub width: i32,
    /// Number of rows.
    pub height: i32,
}

/// Returns the pixels of an area of a framebuffer with a width and a height.
pub fn pixels_of(area: &Area, (width, height): (u32, u32)) -> PixelRect {
    let pixel = |x, y| PixelRect { x, y, width: 1, height: 1 };
    match *area {
        Area::Pixel { x, y } => pixel(x, y),
        Area::RelativePixel([x, y]) => pixel(relative_point(x, width), relative_point(y, height)),
        Area::Rect([x, y, width, height]) => PixelRect { x, y, width, height },
        Area::RelativeRect([x, y, w, h]) => PixelRect {
            x: relative_extent(x, width),
            y: relative_extent(y, height),
            width: relative_extent(w, width),
            height: relative_extent(h, height),
        },
        Area::All => PixelRect { x: 0, y: 0, width: width as i32, height: height as i32 },
    }
}

/// Returns true if a pixel of an area is outside of a framebuffer with a width and a height. Its
/// value is undefined (OpenGL 4.6, core profile, section 18.2.3).
pub fn leaves_framebuffer(rect: PixelRect, (width, height): (u32, u32)) -> bool {
    let leaves = |first: i32, count: i32, size: u32| {
        first < 0 || i64::from(first) + i64::from(count) > i64::from(size)
    };
    let is_empty = rect.width <= 0 || rect.height <= 0;
    !is_empty && (leaves(rect.x, rect.width, width) || leaves(rect.y, rect.height, height))
}

/// Returns a relative coordinate of a single pixel: in single precision, truncated, at most the
/// last pixel.
pub fn relative_point(fraction: f32, size: u32) -> i32 {
    ((fraction * size as f32) as i32).min(size as i32 - 1)
}

/// Returns a relative coordinate or size of an area: in single precision, truncated.
pub fn relative_extent(fraction: f32, size: u32) -> i32 {
    (fraction * size as f32) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_coordinates_truncate_in_single_precision() {
        assert_eq!(relative_point(0.5, 250), 125);
        assert_eq!(relative_point(1.0, 250), 249);
        assert_eq!(relative_point(0.999, 250), 249);
        assert_eq!(relative_extent(1.0, 250), 250);
        // 0.7 × 10 in f32 rounds to exactly 7; in f64 of the f32 value it would be 6.99…
        assert_eq!(relative_extent(0.7, 10), 7);
    }

    #[test]
    fn areas_that_leave_a_framebuffer() {
        let leaves =
            |x, y, width, height| leaves_framebuffer(PixelRect { x, y, width, height }, (10, 20));
        assert!(!leaves(0, 0, 10, 20) && !leaves(9, 19, 1, 1) && !leaves(50, 50, 0, 5));
        assert!(!leaves(1, 1, 2, 2));
        assert!(leaves(10, 0, 1, 1) && leaves(0, 19, 1, 2) && leaves(-1, 0, 5, 5));
        assert!(leaves(i32::MAX, 0, i32::MAX, 1));
    }

    #[test]
    fn areas() {
        let rect = |x, y, width, height| PixelRect { x, y, width, height };
        let of = |area| pixels_of(&area, (10, 20));
        assert_eq!(of(Area::All), rect(0, 0, 10, 20));
        assert_eq!(of(Area::Pixel { x: -1, y: 30 }), rect(-1, 30, 1, 1));
        assert_eq!(of(Area::RelativePixel([1.0, 0.5])), rect(9, 10, 1, 1));
        assert_eq!(of(Area::RelativeRect([0.5, 0.0, 0.5, 1.0])), rect(5, 0, 5, 20));
    }
}
