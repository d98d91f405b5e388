//! Interpolation of depth and inputs over a primitive.

/// A corner of what clipping left of a primitive.
#[derive(Clone, Copy, Debug, Default)]
pub struct Corner {
    /// Pixels with a fraction, and depth.
    pub window: [f64; 3],
    /// Reciprocal of w of the clip coordinates.
    pub one_over_w: f64,
    /// Weights of the primitive's corners in clip coordinates; they sum to 1.
    pub weights: [f64; 3],
    /// Weights of the primitive's corners in the window; they sum to 1.
    pub linear: [f64; 3],
}

impl Corner {
    /// Corner `index` of the primitive itself.
    #[must_use]
    pub fn original(window: [f64; 3], one_over_w: f64, index: usize) -> Corner {
        let weights = std::array::from_fn(|i| f64::from(u8::from(i == index)));
        Corner { window, one_over_w, weights, linear: weights }
    }
}

/// A function that is linear in the window.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plane {
    /// Change per pixel to the right.
    pub x: f64,
    /// Change per pixel down.
    pub y: f64,
    /// Value at the origin.
    pub at_origin: f64,
}

/// Interpolation over a primitive.
#[derive(Clone, Copy, Debug)]
pub struct Interpolation {
    corners: [Corner; 3],
    /// Weights of the second and third corner, relative to the window position of the first.
    planes: [Plane; 2],
    /// Added to the depth.
    pub depth_offset: f64,
}

impl Interpolation {
    /// Interpolation over a triangle whose corners are not in a line.
    #[must_use]
    pub fn triangle(corners: [Corner; 3]) -> Interpolation {
        let [a, b, c] = corners.map(|corner| corner.window);
        let (bx, by) = (b[0] - a[0], b[1] - a[1]);
        let (cx, cy) = (c[0] - a[0], c[1] - a[1]);
        let area = bx * cy - by * cx;
        let second = Plane { x: cy / area, y: -cx / area, at_origin: 0.0 };
        let third = Plane { x: -by / area, y: bx / area, at_origin: 0.0 };
        Interpolation { corners, planes: [second, third], depth_offset: 0.0 }
    }

    /// Interpolation from the first to the second corner; the third has no part.
    #[must_use]
    pub fn line(corners: [Corner; 2]) -> Interpolation {
        let [a, b] = corners.map(|corner| corner.window);
        let (x, y) = (b[0] - a[0], b[1] - a[1]);
        let length = (x * x + y * y).max(f64::MIN_POSITIVE);
        let along = Plane { x: x / length, y: y / length, at_origin: 0.0 };
        let corners = [corners[0], corners[1], corners[1]];
        Interpolation { corners, planes: [along, Plane::default()], depth_offset: 0.0 }
    }

    /// Interpolation over the square of a point: the second corner is to the right of the first,
    /// the third below it.
    #[must_use]
    pub fn square(center: Corner, size: f64) -> Interpolation {
        let corners = [0, 1, 2].map(|i| Corner::original(center.window, center.one_over_w, i));
        let right = Plane { x: 1.0 / size, y: 0.0, at_origin: 0.5 };
        let down = Plane { x: 0.0, y: 1.0 / size, at_origin: 0.5 };
        Interpolation { corners, planes: [right, down], depth_offset: 0.0 }
    }

    /// Weights of the corners at a position of the window.
    fn weights(&self, x: f64, y: f64) -> [f64; 3] {
        let origin = self.corners[0].window;
        let [second, third] = self
            .planes
            .map(|plane| plane.x * (x - origin[0]) + plane.y * (y - origin[1]) + plane.at_origin);
        [1.0 - second - third, second, third]
    }

    /// Weights of the primitive's second and third corner, with or without perspective.
    #[must_use]
    pub fn barycentric(&self, x: f64, y: f64, perspective: bool) -> [f32; 2] {
        let weights = self.weights(x, y);
        if !perspective {
            return [1, 2].map(|i| {
                (0..3).map(|k| weights[k] * self.corners[k].linear[i]).sum::<f64>() as f32
            });
        }
        let scaled = [0, 1, 2].map(|i| weights[i] * self.corners[i].one_over_w);
        let sum: f64 = scaled.iter().sum();
        [1, 2].map(|i| {
            ((0..3).map(|k| scaled[k] * self.corners[k].weights[i]).sum::<f64>() / sum) as f32
        })
    }

    /// True if the weights are finite at all positions.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        let is_small = |value: f64| value.abs() < 1e30;
        let planes = self.planes.iter();
        planes.flat_map(|plane| [plane.x, plane.y, plane.at_origin]).all(is_small)
            && self.corners.iter().all(|corner| {
                let window = corner.window.iter().all(|at| is_small(*at));
                let linear = corner.linear.iter().chain(&corner.weights).all(|at| is_small(*at));
                window && linear && (1e-30..1e30).contains(&corner.one_over_w)
            })
    }

    /// Depth at a position.
    #[must_use]
    pub fn depth(&self, x: f64, y: f64) -> f32 {
        let weights = self.weights(x, y);
        let depth: f64 = (0..3).map(|i| weights[i] * self.corners[i].window[2]).sum();
        (depth + self.depth_offset) as f32
    }

    /// Larger of the depth's changes per pixel to the right and down.
    #[must_use]
    pub fn slope(&self) -> f64 {
        let [a, b, c] = self.corners.map(|corner| corner.window[2]);
        let [second, third] = self.planes;
        let x = second.x * (b - a) + third.x * (c - a);
        let y = second.y * (b - a) + third.y * (c - a);
        x.abs().max(y.abs())
    }

    /// Largest depth of the corners.
    #[must_use]
    pub fn largest_depth(&self) -> f64 {
        self.corners.iter().fold(0.0, |all: f64, corner| all.max(corner.window[2]))
    }

    /// W of the position's clip coordinates.
    #[must_use]
    pub fn w(&self, x: f64, y: f64) -> f32 {
        let weights = self.weights(x, y);
        let sum: f64 = (0..3).map(|i| weights[i] * self.corners[i].one_over_w).sum();
        (1.0 / sum) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_have_perspective() {
        let corner = |x, y, w: f64, i| Corner::original([x, y, x], 1.0 / w, i);
        let corners =
            [corner(0.0, 0.0, 1.0, 0), corner(8.0, 0.0, 3.0, 1), corner(0.0, 8.0, 1.0, 2)];
        let plane = Interpolation::triangle(corners);
        assert_eq!(plane.barycentric(4.0, 0.0, false), [0.5, 0.0]);
        // Half way in the window is a quarter of the way to the corner with three times the w.
        assert_eq!(plane.barycentric(4.0, 0.0, true), [0.25, 0.0]);
        assert_eq!((plane.depth(2.0, 3.0), plane.slope()), (2.0, 1.0));
        assert_eq!(plane.w(4.0, 0.0), 1.5);
    }

    #[test]
    fn squares_run_from_upper_left() {
        let center = Corner::original([10.0, 10.0, 0.5], 1.0, 0);
        let square = Interpolation::square(center, 4.0);
        assert_eq!(square.barycentric(8.0, 12.0, true), [0.0, 1.0]);
        assert_eq!(square.depth(8.0, 12.0), 0.5);
    }
}
