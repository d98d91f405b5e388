//! Fixed-function tessellator (OpenGL 4.6 section 11.2.2).
//!
//! Where the specification leaves the triangulation open, points on facing chains are connected in
//! order of their position along the edge. Subdivision positions are exactly symmetric, so that
//! patches sharing an edge agree.

/// The domain of a tessellation evaluation stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the variants are the names of OpenGL")]
pub enum Domain {
    Triangles,
    Quads,
    Isolines,
}

/// Rounding of levels and placement of segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the variants are the names of OpenGL")]
pub enum EdgeSpacing {
    Equal,
    FractionalEven,
    FractionalOdd,
}

/// Parameters of the tessellation of a patch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TessellationParameters {
    /// Domain.
    pub domain: Domain,
    /// Spacing.
    pub spacing: EdgeSpacing,
    /// Triangles wind clockwise in (u, v).
    pub clockwise: bool,
    /// Each distinct point once, instead of lines or triangles.
    pub point_mode: bool,
    /// Outer levels.
    pub outer: [f32; 4],
    /// Inner levels.
    pub inner: [f32; 2],
}

/// Points of a tessellated patch and their connection.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// `gl_TessCoord` of each point.
    pub points: Vec<[f32; 3]>,
    /// Vertices per primitive: 1, 2 or 3.
    pub size: usize,
    /// Primitives, `size` indices each.
    pub indices: Vec<u32>,
}

/// Highest level: the specification's minimum for `GL_MAX_TESS_GEN_LEVEL` and the limit of the
/// hardware.
const MAX_LEVEL: f64 = 64.0;

/// Positions of the subdivision points of an edge, from 0 to 1 inclusive.
type Subdivision = Vec<f64>;

impl EdgeSpacing {
    /// Returns the clamped level and number of segments.
    fn segments(self, level: f32) -> (f64, usize) {
        // A NaN level ends up at the lower bound.
        let clamp = |low: f64, high: f64| f64::from(level).max(low).min(high);
        match self {
            EdgeSpacing::Equal => {
                let level = clamp(1.0, MAX_LEVEL);
                (level.ceil(), level.ceil() as usize)
            }
            EdgeSpacing::FractionalEven => {
                let level = clamp(2.0, MAX_LEVEL);
                (level, (level / 2.0).ceil() as usize * 2)
            }
            EdgeSpacing::FractionalOdd => {
                let level = clamp(1.0, MAX_LEVEL - 1.0);
                (level, ((level - 1.0) / 2.0).ceil() as usize * 2 + 1)
            }
        }
    }

    /// Subdivides an edge: n − 2 segments of length 1/f and two equal shorter ones at the ends, f
    /// being the clamped level.
    fn subdivide(self, level: f32) -> Subdivision {
        let (level, n) = self.segments(level);
        if n == 1 {
            return vec![0.0, 1.0];
        }
        let short = (1.0 - (n as f64 - 2.0) / level) / 2.0;
        let low = |i: usize| if i == 0 { 0.0 } else { short + (i as f64 - 1.0) / level };
        (0..=n)
            .map(|i| match (2 * i).cmp(&n) {
                std::cmp::Ordering::Less => low(i),
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Greater => 1.0 - low(n - i),
            })
            .collect()
    }

    /// Subdivides an inner edge that must not be one segment: level one counts as slightly more.
    fn subdivide_inner(self, level: f32) -> Subdivision {
        let subdivision = self.subdivide(level);
        if subdivision.len() > 2 { subdivision } else { self.subdivide(1.0f32.next_up()) }
    }
}

/// Generates the mesh of a patch, empty when a relevant outer level is not positive.
pub fn tessellate(t: &TessellationParameters) -> Mesh {
    let relevant = match t.domain {
        Domain::Triangles => 3,
        Domain::Quads => 4,
        Domain::Isolines => 2,
    };
    let mut builder = Builder::default();
    let size = match (t.point_mode, t.domain) {
        (true, _) => 1,
        (false, Domain::Isolines) => 2,
        (false, _) => 3,
    };
    if t.outer[..relevant].iter().all(|&level| level > 0.0) {
        match t.domain {
            Domain::Triangles => builder.triangles(t),
            Domain::Quads => builder.quads(t),
            Domain::Isolines => builder.isolines(t),
        }
    }
    let Builder { points, mut indices } = builder;
    if t.point_mode {
        indices = (0..points.len() as u32).collect();
    } else if t.clockwise && size == 3 {
        indices.chunks_exact_mut(3).for_each(|triangle| triangle.swap(1, 2));
    }
    Mesh { points, size, indices }
}

/// A point on a chain and its position along the chain's direction.
type ChainPoint = (f64, u32);

#[derive(Default)]
struct Builder {
    points: Vec<[f32; 3]>,
    indices: Vec<u32>,
}

impl Builder {
    fn point(&mut self, coordinates: [f64; 3]) -> u32 {
        self.points.push(coordinates.map(|c| c as f32));
        self.points.len() as u32 - 1
    }

    fn triangle(&mut self, a: u32, b: u32, c: u32) {
        if a != b && b != c && c != a {
            self.indices.extend([a, b, c]);
        }
    }

    /// Adds the triangles between an outer chain and the inner chain to its left, both running in
    /// the same direction.
    fn stitch(&mut self, outer: &[ChainPoint], inner: &[ChainPoint]) {
        let (mut i, mut j) = (0, 0);
        while i + 1 < outer.len() || j + 1 < inner.len() {
            // Advance on the chain whose next edge has its middle first.
            let middle =
                |chain: &[ChainPoint], k: usize| chain.get(k + 1).map(|next| chain[k].0 + next.0);
            let take_outer = match (middle(outer, i), middle(inner, j)) {
                (Some(o), Some(n)) => o <= n,
                (o, _) => o.is_some(),
            };
            if take_outer {
                self.triangle(outer[i].1, outer[i + 1].1, inner[j].1);
                i += 1;
            } else {
                self.triangle(outer[i].1, inner[j + 1].1, inner[j].1);
                j += 1;
            }
        }
    }

    fn isolines(&mut self, t: &TessellationParameters) {
        let lines = EdgeSpacing::Equal.segments(t.outer[0]).1;
        let along = t.spacing.subdivide(t.outer[1]);
        for line in 0..lines {
            let v = line as f64 / lines as f64;
            let points: Vec<u32> = along.iter().map(|&u| self.point([u, v, 0.0])).collect();
            self.indices.extend(points.windows(2).flatten());
        }
    }

    fn quads(&mut self, t: &TessellationParameters) {
        let edges = t.outer.map(|level| t.spacing.subdivide(level));
        let inner = t.inner.map(|level| t.spacing.subdivide(level));
        if edges.iter().chain(&inner).all(|s| s.len() == 2) {
            let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
                .map(|[u, v]| self.point([u, v, 0.0]));
            self.triangle(corners[0], corners[1], corners[2]);
            self.triangle(corners[0], corners[2], corners[3]);
            return;
        }
        let [us, vs] = t.inner.map(|level| t.spacing.subdivide_inner(level));
        let (m, n) = (us.len() - 2, vs.len() - 2);
        let grid: Vec<Vec<u32>> = vs[1..=n]
            .iter()
            .map(|&v| us[1..=m].iter().map(|&u| self.point([u, v, 0.0])).collect())
            .collect();
        for rows in grid.windows(2) {
            for i in 0..m - 1 {
                let (a, b, c, d) = (rows[0][i], rows[0][i + 1], rows[1][i + 1], rows[1][i]);
                self.triangle(a, b, c);
                self.triangle(a, c, d);
            }
        }
        let corners =
            [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[u, v]| self.point([u, v, 0.0]));
        // Counter-clockwise: v = 0, u = 1, v = 1, u = 0, whose levels are 1, 2, 3, 0.
        for side in 0..4 {
            let subdivision = &edges[(side + 1) % 4];
            let place = |s: f64| match side {
                0 => [s, 0.0, 0.0],
                1 => [1.0, s, 0.0],
                2 => [1.0 - s, 1.0, 0.0],
                _ => [0.0, 1.0 - s, 0.0],
            };
            let outer = self.edge(subdivision, corners[side], corners[(side + 1) % 4], place);
            let inner: Vec<ChainPoint> = match side {
                0 => (0..m).map(|i| (us[i + 1], grid[0][i])).collect(),
                1 => (0..n).map(|j| (vs[j + 1], grid[j][m - 1])).collect(),
                2 => (0..m).rev().map(|i| (1.0 - us[i + 1], grid[n - 1][i])).collect(),
                _ => (0..n).rev().map(|j| (1.0 - vs[j + 1], grid[j][0])).collect(),
            };
            self.stitch(&outer, &inner);
        }
    }

    /// Returns an edge's chain between existing corners.
    fn edge(
        &mut self,
        subdivision: &Subdivision,
        first: u32,
        last: u32,
        place: impl Fn(f64) -> [f64; 3],
    ) -> Vec<ChainPoint> {
        let end = subdivision.len() - 1;
        let mut chain = vec![(0.0, first)];
        for &s in &subdivision[1..end] {
            chain.push((s, self.point(place(s))));
        }
        chain.push((1.0, last));
        chain
    }

    fn triangles(&mut self, t: &TessellationParameters) {
        let edges: [Subdivision; 3] = std::array::from_fn(|i| t.spacing.subdivide(t.outer[i]));
        let inner = t.spacing.subdivide(t.inner[0]);
        let corners = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|c| self.point(c));
        if inner.len() == 2 && edges.iter().all(|s| s.len() == 2) {
            self.triangle(corners[0], corners[1], corners[2]);
            return;
        }
        let inner = t.spacing.subdivide_inner(t.inner[0]);
        // Edge from corner i to the next; the level of an edge belongs to the coordinate that is
        // zero on it.
        let mut ring: [Vec<ChainPoint>; 3] = std::array::from_fn(|i| {
            let next = (i + 1) % 3;
            let place = |s: f64| {
                let mut c = [0.0; 3];
                (c[i], c[next]) = (1.0 - s, s);
                c
            };
            self.edge(&edges[(i + 2) % 3], corners[i], corners[next], place)
        });
        let n = inner.len() - 1;
        for k in 1..=n / 2 {
            let next = self.inner_ring(&inner, k);
            for side in 0..3 {
                self.stitch(&ring[side], &next[side]);
            }
            ring = next;
        }
        if n % 2 == 1 {
            // The innermost ring is a triangle.
            self.triangle(ring[0][0].1, ring[1][0].1, ring[2][0].1);
        }
    }

    /// Creates ring `k` of the inner subdivision: its points lie where perpendiculars through the
    /// edge's subdivision points meet the ring's edge; the ring's corner is where the
    /// perpendiculars of two edges meet.
    fn inner_ring(&mut self, subdivision: &Subdivision, k: usize) -> [Vec<ChainPoint>; 3] {
        let n = subdivision.len() - 1;
        let height = 2.0 * subdivision[k] / 3.0;
        if 2 * k == n {
            let center = self.point([1.0 / 3.0; 3]);
            return std::array::from_fn(|_| vec![(0.5, center)]);
        }
        let place = |side: usize, s: f64| {
            let mut c = [0.0; 3];
            c[(side + 2) % 3] = height;
            c[(side + 1) % 3] = s - height / 2.0;
            c[side] = 1.0 - s - height / 2.0;
            c
        };
        let corners: [u32; 3] = std::array::from_fn(|side| self.point(place(side, subdivision[k])));
        std::array::from_fn(|side| {
            let mut chain = vec![(subdivision[k], corners[side])];
            for &s in &subdivision[k + 1..n - k] {
                chain.push((s, self.point(place(side, s))));
            }
            chain.push((subdivision[n - k], corners[(side + 1) % 3]));
            chain
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    fn mesh(domain: Domain, spacing: EdgeSpacing, outer: [f32; 4], inner: [f32; 2]) -> Mesh {
        tessellate(&TessellationParameters {
            domain,
            spacing,
            clockwise: false,
            point_mode: false,
            outer,
            inner,
        })
    }

    const SPACINGS: [EdgeSpacing; 3] =
        [EdgeSpacing::Equal, EdgeSpacing::FractionalEven, EdgeSpacing::FractionalOdd];

    fn level(random: &mut Random) -> f32 {
        let value = random.below(1200) as f32 / 100.0 + 0.01;
        if value > 11.0 { 1.0 } else { value }
    }

    /// Returns the signed area of a triangle in the plane of (u, v).
    fn area(m: &Mesh, triangle: &[u32]) -> f64 {
        let p = |i: usize| m.points[triangle[i] as usize].map(f64::from);
        let (a, b, c) = (p(0), p(1), p(2));
        ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])) / 2.0
    }

    /// Every triangle is counter-clockwise, areas add up to the domain's, and each inner edge is
    /// used once in each direction: so the domain is covered exactly once.
    fn check_cover(m: &Mesh, total: f64, context: &str) {
        let mut edges = std::collections::BTreeMap::new();
        let mut sum = 0.0;
        for triangle in m.indices.chunks_exact(3) {
            let a = area(m, triangle);
            assert!(a > -1e-7, "{context}: {a}");
            sum += a;
            for i in 0..3 {
                *edges.entry((triangle[i], triangle[(i + 1) % 3])).or_insert(0) += 1;
            }
        }
        assert!((sum - total).abs() < 1e-5, "{context}: area {sum}");
        for (&(a, b), &count) in &edges {
            assert_eq!(count, 1, "{context}: edge used twice");
            let on_border =
                |f: fn(&[f32; 3]) -> bool| f(&m.points[a as usize]) && f(&m.points[b as usize]);
            let border = on_border(|p| p[0] == 0.0)
                || on_border(|p| p[1] == 0.0)
                || (total == 1.0 && (on_border(|p| p[0] == 1.0) || on_border(|p| p[1] == 1.0)))
                || (total == 0.5 && on_border(|p| p[2] == 0.0));
            assert!(border || edges.contains_key(&(b, a)), "{context}: open edge");
        }
        let used: std::collections::BTreeSet<u32> = m.indices.iter().copied().collect();
        assert_eq!(used.len(), m.points.len(), "{context}: unused points");
    }

    #[test]
    fn domains_are_covered_once() {
        let mut random = Random(9);
        for case in 0..300 {
            let outer = [0; 4].map(|_| level(&mut random));
            let inner = [0; 2].map(|_| level(&mut random));
            for spacing in SPACINGS {
                let context = format!("{case} {spacing:?} {outer:?} {inner:?}");
                check_cover(&mesh(Domain::Quads, spacing, outer, inner), 1.0, &context);
                // In (u, v) the triangle domain has corners (1, 0), (0, 1), (0, 0).
                check_cover(&mesh(Domain::Triangles, spacing, outer, inner), 0.5, &context);
            }
        }
    }

    #[test]
    fn level_one_is_the_patch_itself() {
        let quad = mesh(Domain::Quads, EdgeSpacing::Equal, [1.0; 4], [1.0; 2]);
        assert_eq!((quad.points.len(), quad.indices.len()), (4, 6));
        let triangle = mesh(Domain::Triangles, EdgeSpacing::Equal, [1.0; 4], [1.0; 2]);
        assert_eq!(triangle.points, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    }

    /// Counts for uniform integer levels: an n × n grid of quads, and 6·(1 + 3 + …) or its odd
    /// counterpart of triangles (figures 11.1 and 11.2).
    #[test]
    fn uniform_levels() {
        for n in 2..=8usize {
            let level = n as f32;
            let quads = mesh(Domain::Quads, EdgeSpacing::Equal, [level; 4], [level; 2]);
            assert_eq!(quads.points.len(), (n + 1) * (n + 1));
            assert_eq!(quads.indices.len() / 3, 2 * n * n);
            let triangles = mesh(Domain::Triangles, EdgeSpacing::Equal, [level; 4], [level; 2]);
            let expected = if n % 2 == 0 { 3 * n * n / 2 } else { (3 * n * n - 1) / 2 };
            assert_eq!(triangles.indices.len() / 3, expected, "{n}");
        }
    }

    #[test]
    fn outer_levels_belong_to_their_edges() {
        let quad = mesh(Domain::Quads, EdgeSpacing::Equal, [2.0, 3.0, 4.0, 5.0], [3.0; 2]);
        let count = |f: fn(&[f32; 3]) -> bool| quad.points.iter().filter(|p| f(p)).count();
        assert_eq!(count(|p| p[0] == 0.0), 3);
        assert_eq!(count(|p| p[1] == 0.0), 4);
        assert_eq!(count(|p| p[0] == 1.0), 5);
        assert_eq!(count(|p| p[1] == 1.0), 6);
        let triangle = mesh(Domain::Triangles, EdgeSpacing::Equal, [2.0, 3.0, 4.0, 0.0], [5.0; 2]);
        for (coordinate, segments) in [(0, 2), (1, 3), (2, 4)] {
            let on_edge = triangle.points.iter().filter(|p| p[coordinate] == 0.0).count();
            assert_eq!(on_edge, segments + 1, "{coordinate}");
        }
    }

    #[test]
    fn subdivisions_are_symmetric_and_rounded() {
        for spacing in SPACINGS {
            for level in [0.3, 1.0, 1.5, 2.0, 3.0, 3.7, 4.0, 63.2, 64.0, 1000.0, f32::NAN] {
                let s = spacing.subdivide(level);
                assert_eq!((s[0], s[s.len() - 1]), (0.0, 1.0));
                assert!(s.windows(2).all(|w| w[0] < w[1]), "{spacing:?} {level} {s:?}");
                for (a, b) in s.iter().zip(s.iter().rev()) {
                    assert_eq!(a.max(*b), 1.0 - a.min(*b), "{spacing:?} {level}");
                }
            }
        }
        let segments = |spacing: EdgeSpacing, level| spacing.subdivide(level).len() - 1;
        assert_eq!([1.0, 1.1, 70.0].map(|l| segments(EdgeSpacing::Equal, l)), [1, 2, 64]);
        assert_eq!([1.0, 2.1, 70.0].map(|l| segments(EdgeSpacing::FractionalEven, l)), [2, 4, 64]);
        assert_eq!(
            [1.0, 1.1, 3.1, 70.0].map(|l| segments(EdgeSpacing::FractionalOdd, l)),
            [1, 3, 5, 63]
        );
        // f = 2.5, n = 4: two segments of 0.4 and two of 0.1.
        let s = EdgeSpacing::FractionalEven.subdivide(2.5);
        for (value, expected) in s.iter().zip([0.0, 0.1, 0.5, 0.9, 1.0]) {
            assert!((value - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn non_positive_outer_levels_discard() {
        for bad in [0.0, -1.0, f32::NAN] {
            assert!(
                mesh(Domain::Triangles, EdgeSpacing::Equal, [1.0, bad, 1.0, 1.0], [1.0; 2])
                    .points
                    .is_empty()
            );
            assert!(
                mesh(Domain::Quads, EdgeSpacing::Equal, [1.0, 1.0, 1.0, bad], [1.0; 2])
                    .points
                    .is_empty()
            );
            // The fourth level does not matter to triangles.
            assert!(
                !mesh(Domain::Triangles, EdgeSpacing::Equal, [1.0, 1.0, 1.0, bad], [1.0; 2])
                    .points
                    .is_empty()
            );
        }
    }

    #[test]
    fn isolines_leave_out_the_last_line() {
        let m = mesh(Domain::Isolines, EdgeSpacing::Equal, [3.0, 2.0, 0.0, 0.0], [0.0; 2]);
        assert_eq!((m.size, m.points.len(), m.indices.len()), (2, 9, 12));
        assert!(m.points.iter().all(|p| p[1] < 1.0));
        assert_eq!(m.points[0..3], [[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [1.0, 0.0, 0.0]]);
    }

    #[test]
    fn point_mode_gives_every_point_once() {
        for domain in [Domain::Triangles, Domain::Quads] {
            let t = TessellationParameters {
                domain,
                spacing: EdgeSpacing::Equal,
                clockwise: false,
                point_mode: true,
                outer: [3.0, 4.0, 5.0, 2.0],
                inner: [4.0, 3.0],
            };
            let m = tessellate(&t);
            assert_eq!((m.size, m.indices.len()), (1, m.points.len()));
            for (i, p) in m.points.iter().enumerate() {
                assert!(!m.points[..i].contains(p), "{domain:?} {p:?}");
            }
        }
    }

    #[test]
    fn clockwise_reverses() {
        let base = TessellationParameters {
            domain: Domain::Quads,
            spacing: EdgeSpacing::Equal,
            clockwise: true,
            point_mode: false,
            outer: [2.0; 4],
            inner: [2.0; 2],
        };
        let m = tessellate(&base);
        assert!(m.indices.chunks_exact(3).all(|t| area(&m, t) < 0.0));
    }
}
