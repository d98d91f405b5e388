//! Triangles: exact edge functions, ties by the top-left rule.

use super::{Rect, SUBPIXELS, SnappedPosition, Spans, limit};

/// Returns twice the signed area in sub-pixel units; positive when counter-clockwise (y up).
pub fn doubled_area(vertices: &[SnappedPosition; 3]) -> i64 {
    let [a, b, c] = vertices;
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Half plane inside one edge (an edge function): `a·x + b·y + c >= 0` in pixel indices.
#[derive(Clone, Copy)]
struct HalfPlane {
    a: i64,
    b: i64,
    c: i64,
}

impl HalfPlane {
    /// Creates the side to the left of the directed edge `from` → `to`, evaluated at pixel centers.
    fn new(from: SnappedPosition, to: SnappedPosition) -> HalfPlane {
        let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
        // E(p) = dx·(py − fy) − dy·(px − fx) with p = 256·i + 128.
        let center = SUBPIXELS / 2;
        let mut c = dx * (center - from[1]) - dy * (center - from[0]);
        // A center on the edge belongs to the triangle if the inside is towards greater x or, on
        // horizontal edges, towards greater y.
        let includes = dy < 0 || (dy == 0 && dx > 0);
        if !includes {
            c -= 1;
        }
        HalfPlane { a: -dy * SUBPIXELS, b: dx * SUBPIXELS, c }
    }

    /// Narrows a range of rows, or of pixels in a row, to indices with `slope·i + rest >= 0`.
    fn narrow(slope: i64, rest: i64, range: &mut (i64, i64)) {
        if slope > 0 {
            // i >= −rest / slope, rounded up.
            range.0 = range.0.max(-rest.div_euclid(slope));
        } else if slope < 0 {
            // i <= rest / −slope, rounded down.
            range.1 = range.1.min(rest.div_euclid(-slope) + 1);
        } else if rest < 0 {
            range.1 = range.0;
        }
    }
}

/// Edge that is neither horizontal nor vertical, stepped row by row upwards.
struct Slanted {
    /// The inside is towards greater x.
    rightwards: bool,
    /// |a|.
    divisor: i64,
    /// `b·y + c` of the current row, divided by |a|: quotient rounded down, and remainder.
    rest: (i64, i64),
    /// The same for `b`: the step from row to row.
    step: (i64, i64),
}

impl Slanted {
    fn new(plane: &HalfPlane, y: i64) -> Slanted {
        let divisor = plane.a.abs();
        let divide = |n: i64| (n.div_euclid(divisor), n.rem_euclid(divisor));
        Slanted {
            rightwards: plane.a > 0,
            divisor,
            rest: divide(plane.b * y + plane.c),
            step: divide(plane.b),
        }
    }

    /// Narrows the runs of rows upwards from the current one to the inside.
    fn narrow(&mut self, rows: &mut [(i32, i32)]) {
        let place = |x: i64| x.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
        for run in rows {
            if self.rightwards {
                run.0 = run.0.max(place(-self.rest.0));
            } else {
                run.1 = run.1.min(place(self.rest.0 + 1));
            }
            self.rest.0 += self.step.0;
            self.rest.1 += self.step.1;
            if self.rest.1 >= self.divisor {
                self.rest = (self.rest.0 + 1, self.rest.1 - self.divisor);
            }
        }
    }
}

/// Returns the pixels whose centers are in the triangle, of either winding, within `bounds`.
/// Coordinates must stay below 2²⁶ sub-pixels so that no product overflows.
pub fn rasterize(vertices: &[SnappedPosition; 3], bounds: &Rect) -> Spans {
    let area = doubled_area(vertices);
    if area == 0 || bounds.is_empty() {
        return Spans::default();
    }
    let [a, b, c] = if area > 0 { *vertices } else { [vertices[0], vertices[2], vertices[1]] };
    let planes = [HalfPlane::new(a, b), HalfPlane::new(b, c), HalfPlane::new(c, a)];
    let low = a[1].min(b[1]).min(c[1]).div_euclid(SUBPIXELS);
    let high = a[1].max(b[1]).max(c[1]).div_euclid(SUBPIXELS) + 1;
    let mut rows = (low, high);
    let mut columns = (i64::from(bounds.x0), i64::from(bounds.x1));
    // Horizontal and vertical edges cut all rows alike.
    for plane in &planes {
        if plane.a == 0 {
            HalfPlane::narrow(plane.b, plane.c, &mut rows);
        } else if plane.b == 0 {
            HalfPlane::narrow(plane.a, plane.c, &mut columns);
        }
    }
    let (y0, y1) = limit(rows, bounds.y0, bounds.y1);
    let columns = if columns.0 < columns.1 { limit(columns, bounds.x0, bounds.x1) } else { (0, 0) };
    let mut rows = vec![columns; (y1 - y0).max(0) as usize];
    for plane in planes.iter().filter(|plane| plane.a != 0 && plane.b != 0) {
        Slanted::new(plane, y0.into()).narrow(&mut rows);
    }
    Spans { y0, rows }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    const WINDOW: Rect = Rect { x0: 0, y0: 0, x1: 24, y1: 24 };

    /// Strictly inside, or on an edge and inside after moving the center by (+ε, +ε²): an
    /// independent statement of the tie rule.
    fn covered(v: &[SnappedPosition; 3], x: i32, y: i32) -> bool {
        let p = [i128::from(x) * 256 + 128, i128::from(y) * 256 + 128];
        let orientation = doubled_area(v).signum() as i128;
        if orientation == 0 {
            return false;
        }
        (0..3).all(|i| {
            let (f, t) = (v[i].map(i128::from), v[(i + 1) % 3].map(i128::from));
            let (dx, dy) = ((t[0] - f[0]) * orientation, (t[1] - f[1]) * orientation);
            let e = dx * (p[1] - f[1]) - dy * (p[0] - f[0]);
            // d/dε of e is −dy, d/dε² is dx.
            e > 0 || (e == 0 && (-dy > 0 || (dy == 0 && dx > 0)))
        })
    }

    #[test]
    fn coverage_equals_brute_force() {
        let mut random = Random(1);
        for case in 0..600 {
            // A third of the cases is on half-pixel positions, which have many ties; a third is
            // partly outside.
            let v: [SnappedPosition; 3] = std::array::from_fn(|_| match case % 3 {
                0 => [random.below(49) * 128, random.below(49) * 128],
                1 => [random.below(24 * 256), random.below(24 * 256)],
                _ => [random.below(60 * 256) - 4096, random.below(60 * 256) - 4096],
            });
            let spans = rasterize(&v, &WINDOW);
            for y in 0..24 {
                for x in 0..24 {
                    assert_eq!(
                        spans.contains(x, y),
                        covered(&v, x, y),
                        "case {case} {v:?} at {x},{y}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_fan_around_a_point_covers_every_pixel_once() {
        let mut random = Random(7);
        for _ in 0..200 {
            // Triangles from random points of the window's border to a random center, on half
            // pixels for ties.
            let center = [random.below(47) * 128 + 128, random.below(47) * 128 + 128];
            let mut ring: Vec<SnappedPosition> = Vec::new();
            let end = 24 * 256;
            let mut cut = |from: SnappedPosition, to: SnappedPosition| {
                ring.push(from);
                let t = random.below(47) + 1;
                ring.push([
                    from[0] + (to[0] - from[0]) / 48 * t,
                    from[1] + (to[1] - from[1]) / 48 * t,
                ]);
            };
            cut([0, 0], [end, 0]);
            cut([end, 0], [end, end]);
            cut([end, end], [0, end]);
            cut([0, end], [0, 0]);
            let fans: Vec<Spans> = (0..ring.len())
                .map(|i| rasterize(&[center, ring[i], ring[(i + 1) % ring.len()]], &WINDOW))
                .collect();
            for y in 0..24 {
                for x in 0..24 {
                    assert_eq!(
                        fans.iter().filter(|s| s.contains(x, y)).count(),
                        1,
                        "{x},{y} {ring:?} {center:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_diagonal_of_a_rectangle_belongs_to_one_half() {
        let size = 250 * 256;
        let window = Rect::of_size(250, 250);
        let low = rasterize(&[[0, 0], [size, 0], [0, size]], &window);
        let high = rasterize(&[[0, size], [size, 0], [size, size]], &window);
        let whole = low.union_disjoint(&high).expect("the halves touch and do not overlap");
        assert!(whole.covers(&window));
    }

    #[test]
    fn bounds_of_huge_triangles_are_respected() {
        let far = 1 << 25;
        let spans = rasterize(&[[-far, -far], [far, -far], [0, far]], &WINDOW);
        assert_eq!(spans.bounds(), WINDOW);
    }
}
