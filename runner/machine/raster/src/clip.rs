//! Clipping in homogeneous coordinates (OpenGL 4.6 section 13.7).
//!
//! Clipped polygons keep, for every vertex, its weights over the vertices of the original
//! primitive, so attributes are interpolated from the original ones.

use smallvec::SmallVec;

/// Vertex of a clipped primitive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClipVertex {
    /// Clip coordinates.
    pub position: [f64; 4],
    /// Weights of the original vertices; they sum to 1.
    pub weights: [f64; 3],
}

/// A convex polygon: a triangle and up to one more vertex per plane.
pub type ClippedPolygon = SmallVec<[ClipVertex; 12]>;

/// Planes to clip against besides user planes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClipVolume {
    /// |x| and |y| may reach this multiple of w: 1 clips to the view volume, more leaves a guard band.
    pub guard: [f64; 2],
    /// Clip against the near and far planes (off with depth clamping).
    pub depth: bool,
    /// The near plane is z = 0, not z = -w.
    pub near_is_zero: bool,
}

impl ClipVolume {
    /// Returns the signed distance of a position to a plane; negative is outside.
    fn distance(&self, plane: usize, position: &[f64; 4]) -> f64 {
        let [x, y, z, w] = *position;
        match plane {
            0 => self.guard[0] * w + x,
            1 => self.guard[0] * w - x,
            2 => self.guard[1] * w + y,
            3 => self.guard[1] * w - y,
            4 if self.depth && self.near_is_zero => z,
            4 if self.depth => w + z,
            5 if self.depth => w - z,
            // All other planes need a positive w.
            _ => w,
        }
    }
}

/// Clips a triangle. `user` holds, for each enabled user plane, the clip distances of the three
/// vertices. The result has no or at least three vertices, all with positive w.
pub fn triangle(
    positions: &[[f64; 4]; 3],
    volume: &ClipVolume,
    user: &[[f64; 3]],
) -> ClippedPolygon {
    if !positions.iter().flatten().all(|c| c.is_finite()) {
        return ClippedPolygon::new();
    }
    let mut polygon: ClippedPolygon =
        (0..3).map(|i| ClipVertex::original(positions[i], i)).collect();
    for plane in 0..6 {
        polygon = cut(polygon, |v| volume.distance(plane, &v.position));
    }
    for distances in user {
        polygon = cut(polygon, |v| interpolate(distances, &v.weights));
    }
    if polygon.len() < 3 || polygon.iter().any(|v| v.position[3] <= 0.0) {
        ClippedPolygon::new()
    } else {
        polygon
    }
}

/// Clips a line; `None` when nothing is left. Both ends have positive w.
pub fn line(
    ends: [ClipVertex; 2],
    volume: &ClipVolume,
    user: &[[f64; 3]],
) -> Option<[ClipVertex; 2]> {
    if !ends.iter().flat_map(|v| &v.position).all(|c| c.is_finite()) {
        return None;
    }
    let mut ends = ends;
    for plane in 0..6 {
        ends = cut_line(ends, |v| volume.distance(plane, &v.position))?;
    }
    for distances in user {
        ends = cut_line(ends, |v| interpolate(distances, &v.weights))?;
    }
    ends.iter().all(|v| v.position[3] > 0.0).then_some(ends)
}

/// True if a point survives clipping: its center must be inside all planes.
pub fn point(vertex: &ClipVertex, volume: &ClipVolume, user: &[[f64; 3]]) -> bool {
    let position = &vertex.position;
    position.iter().all(|c| c.is_finite())
        && position[3] > 0.0
        && (0..6).all(|plane| volume.distance(plane, position) >= 0.0)
        && user.iter().all(|distances| interpolate(distances, &vertex.weights) >= 0.0)
}

impl ClipVertex {
    /// Creates vertex `index` (below 3) of the original primitive.
    pub fn original(position: [f64; 4], index: usize) -> ClipVertex {
        let mut weights = [0.0; 3];
        weights[index] = 1.0;
        ClipVertex { position, weights }
    }
}

fn interpolate(values: &[f64; 3], weights: &[f64; 3]) -> f64 {
    // A weight of zero must not turn an infinite or NaN value of an uninvolved vertex into NaN.
    (0..3).filter(|&i| weights[i] != 0.0).map(|i| values[i] * weights[i]).sum()
}

/// Returns the point between `inside` and `outside` where the distance is zero. Always computed
/// from the inside, so that two primitives that share the edge get the same point.
fn crossing(
    inside: &ClipVertex,
    outside: &ClipVertex,
    d_inside: f64,
    d_outside: f64,
) -> ClipVertex {
    let t = d_inside / (d_inside - d_outside);
    // With infinite distances the quotient is NaN: keep the inside vertex.
    let t = if t.is_nan() { 0.0 } else { t };
    let mix = |a: f64, b: f64| a + (b - a) * t;
    ClipVertex {
        position: std::array::from_fn(|i| mix(inside.position[i], outside.position[i])),
        weights: std::array::from_fn(|i| mix(inside.weights[i], outside.weights[i])),
    }
}

/// Clips a polygon against one plane (Sutherland–Hodgman). A NaN distance counts as outside.
fn cut(polygon: ClippedPolygon, distance: impl Fn(&ClipVertex) -> f64) -> ClippedPolygon {
    if polygon.iter().all(|vertex| distance(vertex) >= 0.0) {
        return polygon;
    }
    let mut result = ClippedPolygon::new();
    for (i, current) in polygon.iter().enumerate() {
        let next = &polygon[(i + 1) % polygon.len()];
        let (d_current, d_next) = (distance(current), distance(next));
        let (inside, next_inside) = (d_current >= 0.0, d_next >= 0.0);
        if inside {
            result.push(*current);
        }
        if inside && !next_inside {
            result.push(crossing(current, next, d_current, d_next));
        } else if !inside && next_inside {
            result.push(crossing(next, current, d_next, d_current));
        }
    }
    result
}

fn cut_line(
    ends: [ClipVertex; 2],
    distance: impl Fn(&ClipVertex) -> f64,
) -> Option<[ClipVertex; 2]> {
    let [a, b] = ends;
    let (d_a, d_b) = (distance(&a), distance(&b));
    match (d_a >= 0.0, d_b >= 0.0) {
        (true, true) => Some(ends),
        (true, false) => Some([a, crossing(&a, &b, d_a, d_b)]),
        (false, true) => Some([crossing(&b, &a, d_b, d_a), b]),
        (false, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    const VIEW: ClipVolume = ClipVolume { guard: [1.0, 1.0], depth: true, near_is_zero: false };

    fn inside(p: &[f64; 4], slack: f64) -> bool {
        p[..3].iter().all(|c| c.abs() <= p[3] + slack)
    }

    #[test]
    fn an_inside_triangle_is_unchanged() {
        let t = [[0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.5, 1.0]];
        let p = triangle(&t, &VIEW, &[]);
        assert_eq!(p.iter().map(|v| v.position).collect::<Vec<_>>(), t);
    }

    #[test]
    fn clipped_triangles_are_inside_and_complete() {
        let mut random = Random(3);
        for _ in 0..2000 {
            let t: [[f64; 4]; 3] = std::array::from_fn(|_| {
                [
                    random.signed(2.0),
                    random.signed(2.0),
                    random.signed(2.0),
                    random.signed(1.0) + 0.5,
                ]
            });
            let user = [[random.signed(1.0), random.signed(1.0), random.signed(1.0)]];
            let polygon = triangle(&t, &VIEW, &user);
            for v in &polygon {
                assert!(inside(&v.position, 1e-9), "{v:?}");
                assert!(interpolate(&user[0], &v.weights) >= -1e-9);
                assert!((v.weights.iter().sum::<f64>() - 1.0).abs() < 1e-9);
                for (c, value) in v.position.iter().enumerate() {
                    let again: f64 = (0..3).map(|i| v.weights[i] * t[i][c]).sum();
                    assert!((again - value).abs() < 1e-9);
                }
            }
            // Any combination of the vertices inside the volume must be inside the polygon: compare
            // by sampling in the space of weights.
            for _ in 0..20 {
                let (a, b) = (random.signed(0.5) + 0.5, random.signed(0.5) + 0.5);
                let w = if a + b <= 1.0 {
                    [a, b, 1.0 - a - b]
                } else {
                    [1.0 - a, 1.0 - b, a + b - 1.0]
                };
                let p: [f64; 4] = std::array::from_fn(|c| (0..3).map(|i| w[i] * t[i][c]).sum());
                let d = interpolate(&user[0], &w);
                let margin = p[..3].iter().map(|c| p[3] - c.abs()).fold(d, f64::min);
                if margin.abs() > 1e-6 {
                    assert_eq!(in_polygon(&polygon, &w), margin > 0.0, "{t:?} {w:?}");
                }
            }
        }
    }

    /// True if weights are in the convex polygon spanned by its vertices' weights (first two as
    /// coordinates).
    fn in_polygon(polygon: &ClippedPolygon, w: &[f64; 3]) -> bool {
        if polygon.is_empty() {
            return false;
        }
        let sides: Vec<f64> = (0..polygon.len())
            .map(|i| {
                let (a, b) = (polygon[i].weights, polygon[(i + 1) % polygon.len()].weights);
                (b[0] - a[0]) * (w[1] - a[1]) - (b[1] - a[1]) * (w[0] - a[0])
            })
            .collect();
        sides.iter().all(|&s| s >= -1e-12) || sides.iter().all(|&s| s <= 1e-12)
    }

    #[test]
    fn shared_edges_are_cut_at_the_same_point() {
        let (a, b) = ([0.3, 0.2, 0.0, 1.0], [3.7, -2.9, 0.4, 1.3]);
        let left = triangle(&[a, b, [0.0, 0.9, 0.0, 1.0]], &VIEW, &[]);
        let right = triangle(&[b, a, [-0.9, -0.9, 0.0, 1.0]], &VIEW, &[]);
        let common = left.iter().filter(|v| right.iter().any(|u| u.position == v.position)).count();
        assert!(common >= 2, "{left:?} {right:?}");
    }

    fn ends(a: [f64; 4], b: [f64; 4]) -> [ClipVertex; 2] {
        [ClipVertex::original(a, 0), ClipVertex::original(b, 1)]
    }

    #[test]
    fn lines_and_points() {
        let clipped = line(ends([-3.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 1.0]), &VIEW, &[]);
        let clipped = clipped.expect("crosses the volume");
        assert_eq!(clipped[0].position, [-1.0, 0.0, 0.0, 1.0]);
        assert_eq!(clipped[0].weights[..2], [0.5, 0.5]);
        assert!(line(ends([-3.0, 0.0, 0.0, 1.0], [-1.5, 0.0, 0.0, 1.0]), &VIEW, &[]).is_none());
        let corner = ClipVertex::original([1.0, 1.0, 1.0, 1.0], 0);
        assert!(point(&corner, &VIEW, &[[0.0; 3]]));
        assert!(!point(&corner, &VIEW, &[[-0.5, 0.0, 0.0]]));
        assert!(!point(&ClipVertex::original([0.0, 0.0, 0.0, f64::NAN], 0), &VIEW, &[]));
        assert!(!point(&ClipVertex::original([0.0, 0.0, 0.0, 0.0], 0), &VIEW, &[]));
    }

    #[test]
    fn clipped_halves_of_a_line_share_their_end() {
        let (a, b) = ([0.0, 0.0, 0.0, 1.0], [4.0, 1.0, 0.5, 2.0]);
        let forth = line(ends(a, b), &VIEW, &[]).expect("starts inside");
        let back = line(ends(b, a), &VIEW, &[]).expect("ends inside");
        assert_eq!(forth[1].position, back[0].position);
    }
}
