//! Primitive assembly: vertices of a draw to triangles.

/// A triangle: its corners by number within the draw, and the corner of flat inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Triangle {
    /// Corners in the order of the front's winding.
    pub(super) corners: [u32; 3],
    /// Corner whose data flat inputs have, from 0 to 2.
    pub(super) provoking: usize,
}

/// Provoking vertices of kinds of primitives, from 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Provoking {
    /// Of lists and strips.
    pub(super) list: usize,
    /// Of fans.
    pub(super) fan: usize,
}

/// Divides a draw of `count` vertices into triangles; `None` if the topology has none.
pub(super) fn triangles(topology: u64, count: u32, provoking: Provoking) -> Option<Vec<Triangle>> {
    let last = count.saturating_sub(2);
    let triangle = |corners, provoking| Triangle { corners, provoking };
    let list = provoking.list.min(2);
    let found = match topology {
        // List
        4 => (0..count / 3).map(|i| triangle([3 * i, 3 * i + 1, 3 * i + 2], list)).collect(),
        // Strip: the winding alternates.
        5 => (0..last)
            .map(|i| match i % 2 {
                0 => triangle([i, i + 1, i + 2], list),
                _ => triangle([i + 1, i, i + 2], [1, 0, 2][list]),
            })
            .collect(),
        // Fan
        6 => (0..last).map(|i| triangle([0, i + 1, i + 2], provoking.fan.min(2))).collect(),
        // Quadrilaterals: the last corner is provoking.
        7 => (0..count / 4)
            .flat_map(|i| [[0, 1, 3], [1, 2, 3]].map(|t| triangle(t.map(|c| 4 * i + c), 2)))
            .collect(),
        // Polygon: the first corner is provoking.
        14 => (0..last).map(|i| triangle([0, i + 1, i + 2], 0)).collect(),
        _ => return None,
    };
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corners(topology: u64, count: u32) -> Vec<[u32; 3]> {
        let provoking = Provoking { list: 2, fan: 2 };
        let found = triangles(topology, count, provoking).expect("a topology of triangles");
        found.iter().map(|triangle| triangle.corners).collect()
    }

    #[test]
    fn topologies() {
        assert_eq!(corners(4, 7), [[0, 1, 2], [3, 4, 5]]);
        assert_eq!(corners(5, 4), [[0, 1, 2], [2, 1, 3]]);
        assert_eq!(corners(6, 4), [[0, 1, 2], [0, 2, 3]]);
        assert_eq!(corners(7, 4), [[0, 1, 3], [1, 2, 3]]);
        assert_eq!(corners(5, 1), [[0; 3]; 0]);
        assert_eq!(triangles(1, 9, Provoking { list: 0, fan: 0 }), None);
    }

    #[test]
    fn the_first_vertex_of_a_strip_stays_provoking() {
        let found = triangles(5, 4, Provoking { list: 0, fan: 1 }).expect("a strip");
        assert_eq!(found[1].corners[found[1].provoking], 1);
    }
}
