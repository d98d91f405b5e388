//! Faces of cubes: directions, and texels beyond the edges of a face.

/// Returns the face and coordinates of a direction (table 8.19).
pub(super) fn cube_face(r: [f64; 3]) -> (usize, f64, f64) {
    let [x, y, z] = r;
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    let (face, sc, tc, ma) = if ax >= ay && ax >= az {
        if x >= 0.0 { (0, -z, -y, ax) } else { (1, z, -y, ax) }
    } else if ay >= az {
        if y >= 0.0 { (2, x, z, ay) } else { (3, x, -z, ay) }
    } else if z >= 0.0 {
        (4, x, -y, az)
    } else {
        (5, -x, -y, az)
    };
    if ma == 0.0 { (face, 0.5, 0.5) } else { (face, (sc / ma + 1.0) / 2.0, (tc / ma + 1.0) / 2.0) }
}

/// Returns the derivative of the coordinates on a face, from that of the direction (section
/// 8.14.1).
pub(super) fn face_derivative(r: [f64; 3], derivative: [f64; 3]) -> [f64; 3] {
    let axis = match cube_face(r).0 {
        0 | 1 => 0,
        2 | 3 => 1,
        _ => 2,
    };
    if r[axis] == 0.0 {
        return [0.0; 3];
    }
    // The two other coordinates over the largest, from -1 to 1; the sides do not matter to lengths.
    let of =
        |i: usize| (derivative[i] * r[axis] - r[i] * derivative[axis]) / (2.0 * r[axis] * r[axis]);
    [of((axis + 1) % 3), of((axis + 2) % 3), 0.0]
}

/// Returns the direction of coordinates from -1 to 1 on a face, the inverse of [`cube_face`].
fn face_direction(face: usize, s: f64, t: f64) -> [f64; 3] {
    match face {
        0 => [1.0, -t, -s],
        1 => [-1.0, -t, s],
        2 => [s, 1.0, t],
        3 => [s, -1.0, -t],
        4 => [s, -t, 1.0],
        _ => [-s, -t, -1.0],
    }
}

/// Returns the layer and texel at an index of a cube's face of which one coordinate may be outside:
/// the texel of the face beyond that edge. At a corner, where no texel is, it is the one beyond the
/// vertical edge.
pub(super) fn neighbor(layer: usize, index: [i64; 3], size: i64) -> (usize, [i64; 3]) {
    let is_inside = |i: i64| (0..size).contains(&i);
    if is_inside(index[0]) && is_inside(index[1]) {
        return (layer, index);
    }
    let center = |i: i64| (2 * i.clamp(0, size - 1) + 1) as f64 / size as f64 - 1.0;
    // Just beyond the edge, so that the other coordinate keeps its texel.
    let beyond = |i: i64| if i < 0 { -1.0 - 1e-9 } else { 1.0 + 1e-9 };
    let [s, t] = if is_inside(index[0]) {
        [center(index[0]), beyond(index[1])]
    } else {
        [beyond(index[0]), center(index[1])]
    };
    let (face, s, t) = cube_face(face_direction(layer % 6, s, t));
    let texel = |at: f64| ((at * size as f64) as i64).clamp(0, size - 1);
    (layer / 6 * 6 + face, [texel(s), texel(t), index[2]])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cube_faces_follow_the_table() {
        for (direction, face) in [
            ([1.0, 0.1, 0.1], 0),
            ([-1.0, 0.1, 0.1], 1),
            ([0.1, 1.0, 0.1], 2),
            ([0.1, -1.0, 0.1], 3),
            ([0.1, 0.1, 1.0], 4),
            ([0.1, 0.1, -1.0], 5),
        ] {
            assert_eq!(cube_face(direction).0, face);
        }
        assert_eq!(cube_face([1.0, 0.0, -0.5]), (0, 0.75, 0.5));
        assert_eq!(cube_face([0.5, 0.0, -1.0]), (5, 0.25, 0.5));
    }

    /// Coordinates on a face go from 0 to 1 while those of the direction go from -1 to 1.
    #[test]
    fn derivatives_on_a_face() {
        assert_eq!(face_derivative([2.0, 0.0, 0.0], [0.0, 0.5, 0.25]), [0.125, 0.0625, 0.0]);
        // Longer directions do not move; the largest coordinate shrinks the others.
        assert_eq!(face_derivative([0.5, 0.0, -1.0], [1.0, 0.0, -2.0]), [0.0; 3]);
        assert_eq!(face_derivative([0.5, 0.0, -1.0], [0.0, 0.0, -1.0]), [0.25, 0.0, 0.0]);
    }

    /// Faces of a cube meet where the pictures of the specification show it.
    #[test]
    fn neighbors_across_the_edges_of_a_cube() {
        // The right column of +Z continues in the left column of +X, row by row.
        assert_eq!(neighbor(4, [4, 1, 0], 4), (0, [0, 1, 0]));
        // The upper row of +X continues in the right column of +Y, from bottom to top.
        assert_eq!(neighbor(0, [1, -1, 0], 4), (2, [3, 2, 0]));
        // The left column of -X of the second cube continues in the right column of -Z.
        assert_eq!(neighbor(7, [-1, 3, 0], 4), (11, [3, 3, 0]));
        assert_eq!(neighbor(3, [2, 2, 0], 4), (3, [2, 2, 0]));
    }
}
