//! Primitive setup: viewport transform, facing, polygon mode, plane equations, coverage.

use std::sync::Arc;

use crate::clip::{self, ClipVertex, ClipVolume};
use crate::primitive::{PlaneEquation, PrimitiveKind, PrimitiveSetup};
use crate::rasterize::coverage::{Coverage, CoverageParts};
use crate::rasterize::{self, Rect, SUBPIXELS, SnappedPosition, Spans, snap};

/// A viewport and its depth range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// Left border in pixels.
    pub x: f32,
    /// Lower border in pixels.
    pub y: f32,
    /// Width in pixels.
    pub width: f32,
    /// Height in pixels. A negative one turns the image upside down (VK_KHR_maintenance1).
    pub height: f32,
    /// Window depth of the near plane.
    pub near: f64,
    /// Window depth of the far plane.
    pub far: f64,
}

impl Viewport {
    /// Returns the window coordinates of a clip-space position with positive w.
    pub fn transform(&self, position: &[f64; 4]) -> [f64; 3] {
        let [x, y, z, w] = *position;
        let axis = |c: f64, low: f32, size: f32| {
            let half = f64::from(size) / 2.0;
            c / w * half + (f64::from(low) + half)
        };
        [
            axis(x, self.x, self.width),
            axis(y, self.y, self.height),
            z / w * (self.far - self.near) / 2.0 + (self.near + self.far) / 2.0,
        ]
    }

    /// Returns the pixels whose centers are inside.
    pub fn pixels(&self) -> Rect {
        let first = |edge: f64| (edge.clamp(-1e6, 1e6) - 0.5).ceil() as i32;
        let range = |low: f32, size: f32| {
            let edges = [f64::from(low), f64::from(low) + f64::from(size)].map(first);
            [edges[0].min(edges[1]), edges[0].max(edges[1])]
        };
        let [[x0, x1], [y0, y1]] = [range(self.x, self.width), range(self.y, self.height)];
        Rect { x0, y0, x1, y1 }
    }

    /// Returns how far beyond the viewport coordinates may go before they must be clipped, as a
    /// multiple of w: up to 2¹⁴ pixels from the center.
    fn guard_band(&self) -> [f64; 2] {
        [self.width, self.height].map(|size| (16384.0 / (f64::from(size).abs() / 2.0)).max(1.0))
    }
}

/// `glPolygonMode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PolygonMode {
    /// Vertices.
    Point,
    /// Edges.
    Line,
    /// The interior, the initial value.
    #[default]
    Fill,
    /// The bounding box (NV_fill_rectangle).
    FillRectangle,
}

/// State that setup depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RasterState {
    /// Pixels of the framebuffer.
    pub bounds: Rect,
    /// No near and far clipping; depths are clamped later.
    pub depth_clamp: bool,
    /// Modes of front-facing and back-facing polygons.
    pub polygon_mode: [PolygonMode; 2],
    /// Polygons whose vertices go clockwise in the window face front.
    pub front_clockwise: bool,
    /// Polygons that face front, and that face back, are dropped.
    pub cull: [bool; 2],
    /// The near plane is at z = 0, not -w.
    pub near_is_zero: bool,
    /// Rows are counted from the upper one, and with them the coordinates in a point.
    pub from_upper: bool,
    /// Offset of the depth of polygons.
    pub depth_bias: Option<DepthBias>,
    /// Width of lines in pixels.
    pub line_width: u32,
    /// Distance in sub-pixels by which the covered area of primitives is moved in both directions.
    /// Other implementations choose other pixels where a center is on an edge.
    pub nudge: i64,
}

impl RasterState {
    /// Returns the place of a vertex.
    fn snapped(&self, window: &[f64; 3]) -> SnappedPosition {
        [snap(window[0]) + self.nudge, snap(window[1]) + self.nudge]
    }
}

/// Offset of the depth of polygons (`glPolygonOffsetClamp`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DepthBias {
    /// Factor of the smallest resolvable difference.
    pub constant: f32,
    /// Factor of the largest slope.
    pub slope: f32,
    /// Limit of the offset: the largest if positive, the smallest if negative, none if 0.
    pub clamp: f32,
    /// Format of the depths.
    pub depths: DepthUnit,
}

/// Smallest resolvable difference of depths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DepthUnit {
    /// The same everywhere.
    Fixed(f64),
    /// That of single precision at the largest depth of the primitive.
    Float,
}

impl DepthBias {
    /// Returns the offset of a polygon with a depth and the depths of its vertices (Vulkan 1.3,
    /// section 28.11.3).
    fn offset(&self, depth: &PlaneEquation, vertices: &[f64]) -> f64 {
        let unit = match self.depths {
            DepthUnit::Fixed(unit) => unit,
            DepthUnit::Float => {
                let largest = vertices.iter().fold(0.0, |most: f64, z| most.max(z.abs()));
                let exponent = (largest as f32).to_bits() >> 23 & 0xff;
                2f64.powi(exponent as i32 - 127 - 23)
            }
        };
        let slope = depth.a.abs().max(depth.b.abs());
        let offset = slope * f64::from(self.slope) + unit * f64::from(self.constant);
        match self.clamp {
            limit if limit > 0.0 => offset.min(limit.into()),
            limit if limit < 0.0 => offset.max(limit.into()),
            _ => offset,
        }
    }
}

/// A primitive after the last vertex-processing stage.
#[derive(Clone, Debug)]
pub struct SetupInput<'a> {
    /// 1, 2 or 3 vertices.
    pub kind: PrimitiveKind,
    /// Clip coordinates; entries beyond the kind's vertices repeat the first.
    pub positions: [[f64; 4]; 3],
    /// For each enabled clip distance its value at the vertices.
    pub clip_distances: &'a [[f64; 3]],
    /// Point size of each vertex.
    pub point_size: [f64; 3],
    /// Bit i: the edge from vertex i is drawn in line mode.
    pub edges: u8,
    /// The viewport.
    pub viewport: &'a Viewport,
}

/// Result of setup: coverage and plane equations. The caller adds attribute values, primitive ids
/// and the like.
#[derive(Clone, Debug)]
pub struct RasterizedPrimitive {
    /// Covered pixels.
    pub coverage: CoverageParts,
    /// Plane equations, kind, facing; `values` is empty.
    pub setup: PrimitiveSetup,
}

/// Clips, sets up and rasterizes one primitive.
pub(crate) fn rasterize(input: &SetupInput<'_>, state: &RasterState) -> Vec<RasterizedPrimitive> {
    let guard =
        if input.kind == PrimitiveKind::Triangle { input.viewport.guard_band() } else { [1.0; 2] };
    let volume = ClipVolume { guard, depth: !state.depth_clamp, near_is_zero: state.near_is_zero };
    match input.kind {
        PrimitiveKind::Point => point(input, state, &volume, 0, true).into_iter().collect(),
        PrimitiveKind::Line => line(input, state, &volume, [0, 1], true).into_iter().collect(),
        PrimitiveKind::Triangle => triangle(input, state, &volume),
    }
}

fn point(
    input: &SetupInput<'_>,
    state: &RasterState,
    volume: &ClipVolume,
    index: usize,
    front_facing: bool,
) -> Option<RasterizedPrimitive> {
    let vertex = ClipVertex::original(input.positions[index], index);
    if !clip::point(&vertex, volume, input.clip_distances) {
        return None;
    }
    let [x, y, z] = input.viewport.transform(&vertex.position);
    let size = input.point_size[index];
    let spans = rasterize::point::rasterize(state.snapped(&[x, y, z]), size, &state.bounds);
    let mut setup = template(PrimitiveKind::Point, front_facing);
    combine(&mut setup, &[(PlaneEquation::constant(1.0), vertex, z)]);
    // OpenGL 4.6 section 14.4.1, upper-left origin.
    let s = PlaneEquation { a: 1.0 / size, b: 0.0, c: 0.5 - x / size };
    let t = match state.from_upper {
        true => PlaneEquation { a: 0.0, b: 1.0 / size, c: 0.5 - y / size },
        false => PlaneEquation { a: 0.0, b: -1.0 / size, c: 0.5 + y / size },
    };
    setup.point_coord = [s, t];
    if input.kind == PrimitiveKind::Point {
        // The square is set up as a triangle of three of its corners, so that the coordinate can be
        // interpolated. All other inputs are equal at the three corners.
        let w = 1.0 / vertex.position[3];
        setup.linear = [PlaneEquation { a: -s.a - t.a, b: -s.b - t.b, c: 1.0 - s.c - t.c }, s, t];
        setup.perspective =
            setup.linear.map(|p| PlaneEquation { a: p.a * w, b: p.b * w, c: p.c * w });
    }
    rasterized(covered(spans), setup)
}

fn line(
    input: &SetupInput<'_>,
    state: &RasterState,
    volume: &ClipVolume,
    indices: [usize; 2],
    front_facing: bool,
) -> Option<RasterizedPrimitive> {
    let ends = indices.map(|i| ClipVertex::original(input.positions[i], i));
    let ends = clip::line(ends, volume, input.clip_distances)?;
    let window = ends.map(|v| input.viewport.transform(&v.position));
    let fixed: [SnappedPosition; 2] = window.map(|p| state.snapped(&p));
    let spans = rasterize::line::wide(fixed[0], fixed[1], state.line_width, &state.bounds);
    let (dx, dy) = (window[1][0] - window[0][0], window[1][1] - window[0][1]);
    let length = dx * dx + dy * dy;
    let along = if length > 0.0 {
        PlaneEquation {
            a: dx / length,
            b: dy / length,
            c: -(window[0][0] * dx + window[0][1] * dy) / length,
        }
    } else {
        PlaneEquation::default()
    };
    let rest = PlaneEquation { a: -along.a, b: -along.b, c: 1.0 - along.c };
    let mut setup = template(PrimitiveKind::Line, front_facing);
    combine(&mut setup, &[(rest, ends[0], window[0][2]), (along, ends[1], window[1][2])]);
    rasterized(covered(spans), setup)
}

fn triangle(
    input: &SetupInput<'_>,
    state: &RasterState,
    volume: &ClipVolume,
) -> Vec<RasterizedPrimitive> {
    let polygon = clip::triangle(&input.positions, volume, input.clip_distances);
    if polygon.len() < 3 {
        return Vec::new();
    }
    let window: Vec<[f64; 3]> =
        polygon.iter().map(|v| input.viewport.transform(&v.position)).collect();
    let fixed: Vec<SnappedPosition> = window.iter().map(|p| state.snapped(p)).collect();
    let area: i64 = fan(&fixed).map(|t| rasterize::triangle::doubled_area(&t)).sum();
    if area == 0 {
        return Vec::new();
    }
    let front_facing = (area > 0) != state.front_clockwise;
    if state.cull[usize::from(!front_facing)] {
        return Vec::new();
    }
    let strict = ClipVolume { guard: [1.0; 2], ..*volume };
    let mut planes = template(PrimitiveKind::Triangle, front_facing);
    triangle_planes(&mut planes, input, &polygon, &window);
    let depths: Vec<f64> = window.iter().map(|point| point[2]).collect();
    let bias = state.depth_bias.map_or(0.0, |bias| bias.offset(&planes.depth, &depths));
    let mut parts = polygon_parts(input, state, &strict, front_facing, &fixed, planes);
    parts.iter_mut().for_each(|part| part.setup.depth.c += bias);
    parts
}

/// Rasterizes a polygon by its mode: as points, lines or their interior.
fn polygon_parts(
    input: &SetupInput<'_>,
    state: &RasterState,
    strict: &ClipVolume,
    front_facing: bool,
    fixed: &[SnappedPosition],
    planes: PrimitiveSetup,
) -> Vec<RasterizedPrimitive> {
    match state.polygon_mode[usize::from(!front_facing)] {
        PolygonMode::Point => {
            (0..3).filter_map(|i| point(input, state, strict, i, front_facing)).collect()
        }
        PolygonMode::Line => (0..3)
            .filter(|i| input.edges >> i & 1 == 1)
            .filter_map(|i| line(input, state, strict, [i, (i + 1) % 3], front_facing))
            .collect(),
        mode => {
            let bounds = state.bounds.intersect(&input.viewport.pixels());
            let coverage = if mode == PolygonMode::Fill {
                fill(fixed, &bounds)
                    .into_iter()
                    .filter_map(|s| Coverage::new(s).map(Arc::new))
                    .collect()
            } else {
                covered(bounding_box(fixed, &bounds))
            };
            rasterized(coverage, planes).into_iter().collect()
        }
    }
}

fn covered(spans: Spans) -> CoverageParts {
    Coverage::new(spans).map(Arc::new).into_iter().collect()
}

fn rasterized(coverage: CoverageParts, setup: PrimitiveSetup) -> Option<RasterizedPrimitive> {
    (!coverage.is_empty()).then_some(RasterizedPrimitive { coverage, setup })
}

fn fan(fixed: &[SnappedPosition]) -> impl Iterator<Item = [SnappedPosition; 3]> + '_ {
    (1..fixed.len() - 1).map(|i| [fixed[0], fixed[i], fixed[i + 1]])
}

/// Returns the coverage of a convex polygon, as one run per row where possible. Snapping can dent a
/// polygon, so that parts overlap or leave a gap. Then the parts stay separate, and no pixel is
/// covered twice.
fn fill(fixed: &[SnappedPosition], bounds: &Rect) -> Vec<Spans> {
    let mut parts: Vec<Spans> = Vec::new();
    for triangle in fan(fixed) {
        let mut spans = rasterize::triangle::rasterize(&triangle, bounds);
        if spans.is_empty() {
            continue;
        }
        match parts.last().and_then(|last| last.union_disjoint(&spans)) {
            Some(union) => {
                parts.pop();
                parts.push(union);
            }
            None => {
                parts.iter().for_each(|part| spans.trim(part));
                parts.push(spans);
            }
        }
    }
    parts
}

fn bounding_box(fixed: &[SnappedPosition], bounds: &Rect) -> Spans {
    let range = |axis: usize| {
        let low = fixed.iter().map(|p| p[axis]).min().unwrap_or(0);
        let high = fixed.iter().map(|p| p[axis]).max().unwrap_or(0);
        let first = |edge: i64| (edge + SUBPIXELS / 2 - 1).div_euclid(SUBPIXELS) as i32;
        (first(low), first(high))
    };
    let ((x0, x1), (y0, y1)) = (range(0), range(1));
    Spans::of_rect(&Rect { x0, y0, x1, y1 }.intersect(bounds))
}

/// Beyond this window coordinate the original triangle's plane equations would lose precision.
const FAR: f64 = 1e7;

/// Computes the plane equations of the whole triangle: from its own vertices when all are in front
/// of the viewer and near, otherwise from the largest triangle of the clipped polygon.
fn triangle_planes(
    setup: &mut PrimitiveSetup,
    input: &SetupInput<'_>,
    polygon: &clip::ClippedPolygon,
    window: &[[f64; 3]],
) {
    let own = input.positions.iter().all(|p| p[3] > 0.0).then(|| {
        let vertices: [ClipVertex; 3] =
            std::array::from_fn(|i| ClipVertex::original(input.positions[i], i));
        (vertices, input.positions.map(|p| input.viewport.transform(&p)))
    });
    let near = |points: &[[f64; 3]; 3]| points.iter().flatten().all(|c| c.abs() < FAR);
    let (vertices, points) = match own {
        Some((vertices, points)) if near(&points) => (vertices, points),
        _ => {
            let size = |i: usize| area(&[window[0], window[i], window[i + 1]]).abs();
            let best =
                (1..polygon.len() - 1).max_by(|&i, &j| size(i).total_cmp(&size(j))).unwrap_or(1);
            (
                [polygon[0], polygon[best], polygon[best + 1]],
                [window[0], window[best], window[best + 1]],
            )
        }
    };
    let planes = barycentric_planes(&points);
    let terms: [_; 3] = std::array::from_fn(|i| (planes[i], vertices[i], points[i][2]));
    combine(setup, &terms);
}

fn area(p: &[[f64; 3]; 3]) -> f64 {
    (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[1][1] - p[0][1]) * (p[2][0] - p[0][0])
}

/// Returns the three barycentric coordinates of a window-space triangle.
fn barycentric_planes(points: &[[f64; 3]; 3]) -> [PlaneEquation; 3] {
    let inverse = 1.0 / area(points);
    if !inverse.is_finite() {
        // Snapping can add area to a degenerate triangle.
        return [PlaneEquation::constant(1.0), PlaneEquation::default(), PlaneEquation::default()];
    }
    std::array::from_fn(|i| {
        let (p, q) = (points[(i + 1) % 3], points[(i + 2) % 3]);
        let (a, b) = ((p[1] - q[1]) * inverse, (q[0] - p[0]) * inverse);
        PlaneEquation { a, b, c: -(a * p[0] + b * p[1]) }
    })
}

/// Fills in the planes from window-linear coordinates of known vertices: (coordinate, vertex,
/// window depth).
fn combine(setup: &mut PrimitiveSetup, terms: &[(PlaneEquation, ClipVertex, f64)]) {
    for (plane, vertex, depth) in terms {
        let w = vertex.position[3];
        add(&mut setup.one_over_w, plane, 1.0 / w);
        add(&mut setup.depth, plane, *depth);
        for i in 0..3 {
            add(&mut setup.linear[i], plane, vertex.weights[i]);
            add(&mut setup.perspective[i], plane, vertex.weights[i] / w);
        }
    }
}

fn add(sum: &mut PlaneEquation, plane: &PlaneEquation, factor: f64) {
    sum.a += plane.a * factor;
    sum.b += plane.b * factor;
    sum.c += plane.c * factor;
}

fn template(kind: PrimitiveKind, front_facing: bool) -> PrimitiveSetup {
    PrimitiveSetup {
        kind,
        values: Vec::new(),
        provoking: 0,
        linear: Default::default(),
        perspective: Default::default(),
        one_over_w: Default::default(),
        depth: Default::default(),
        front_facing,
        primitive_id: 0,
        layer: 0,
        viewport_index: 0,
        point_coord: Default::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;

    const VIEWPORT: Viewport =
        Viewport { x: 0.0, y: 0.0, width: 64.0, height: 64.0, near: 0.0, far: 1.0 };
    const STATE: RasterState = RasterState {
        bounds: Rect { x0: 0, y0: 0, x1: 64, y1: 64 },
        depth_clamp: false,
        polygon_mode: [PolygonMode::Fill; 2],
        front_clockwise: false,
        cull: [false; 2],
        near_is_zero: false,
        from_upper: false,
        nudge: 0,
        depth_bias: None,
        line_width: 1,
    };

    fn input(kind: PrimitiveKind, positions: [[f64; 4]; 3]) -> SetupInput<'static> {
        SetupInput {
            kind,
            positions,
            clip_distances: &[],
            point_size: [1.0; 3],
            edges: 0b111,
            viewport: &VIEWPORT,
        }
    }

    /// Returns the intersection of the viewing ray through a pixel with the triangle's plane, in
    /// weights of its vertices: solved directly in homogeneous coordinates, clipped or not.
    fn ray(positions: &[[f64; 4]; 3], ndc: [f64; 2]) -> [f64; 3] {
        // Weights b with Σ b (x − ndc.x·w) = 0, Σ b (y − ndc.y·w) = 0: the cross product of the two
        // rows.
        let row = |axis: usize| -> [f64; 3] {
            std::array::from_fn(|i| positions[i][axis] - ndc[axis] * positions[i][3])
        };
        let (u, v) = (row(0), row(1));
        let cross =
            [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        let sum: f64 = cross.iter().sum();
        cross.map(|c| c / sum)
    }

    #[test]
    fn perspective_interpolation_equals_ray_casting() {
        let mut random = Random(11);
        let mut checked = 0;
        for case in 0..400 {
            // Every other triangle reaches behind the viewer.
            let w_low = if case % 2 == 0 { 1.2 } else { 0.1 };
            let positions: [[f64; 4]; 3] = std::array::from_fn(|_| {
                [
                    random.signed(2.0),
                    random.signed(2.0),
                    random.signed(0.3),
                    w_low + random.signed(1.0),
                ]
            });
            for primitive in rasterize(&input(PrimitiveKind::Triangle, positions), &STATE) {
                for (x, y) in [(5, 5), (20, 40), (33, 12), (60, 60), (31, 31)] {
                    if !primitive.coverage.iter().any(|s| s.contains(x, y)) {
                        continue;
                    }
                    let (px, py) = (f64::from(x) + 0.5, f64::from(y) + 0.5);
                    let got = primitive.setup.barycentric_perspective(px, py);
                    let expected = ray(&positions, [px / 32.0 - 1.0, py / 32.0 - 1.0]);
                    for i in 0..3 {
                        assert!(
                            (got[i] - expected[i]).abs() < 1e-8,
                            "{case}: {got:?} {expected:?}"
                        );
                    }
                    // 1/w and depth are those of the point itself.
                    let at = |c: usize| (0..3).map(|i| expected[i] * positions[i][c]).sum::<f64>();
                    assert!((primitive.setup.one_over_w.at(px, py) - 1.0 / at(3)).abs() < 1e-7);
                    let depth = at(2) / at(3) * 0.5 + 0.5;
                    assert!((primitive.setup.depth.at(px, py) - depth).abs() < 1e-7);
                    checked += 1;
                }
            }
        }
        assert!(checked > 200, "{checked}");
    }

    #[test]
    fn linear_interpolation_is_linear_in_the_window() {
        let positions = [[-1.0, -1.0, 0.0, 1.0], [2.0, -2.0, 0.0, 2.0], [-4.0, 4.0, 0.0, 4.0]];
        let rasterized = rasterize(&input(PrimitiveKind::Triangle, positions), &STATE);
        let setup = &rasterized[0].setup;
        // The window triangle is (0,0), (64,0), (0,64).
        for (x, y) in [(0.5, 0.5), (10.5, 20.5), (1.0, 63.0)] {
            let got = setup.barycentric_linear(x, y);
            let expected = [1.0 - (x + y) / 64.0, x / 64.0, y / 64.0];
            for i in 0..3 {
                assert!((got[i] - expected[i]).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn facing_follows_winding() {
        let ccw = [[-1.0, -1.0, 0.0, 1.0], [1.0, -1.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0]];
        let cw = [ccw[0], ccw[2], ccw[1]];
        assert!(rasterize(&input(PrimitiveKind::Triangle, ccw), &STATE)[0].setup.front_facing);
        assert!(!rasterize(&input(PrimitiveKind::Triangle, cw), &STATE)[0].setup.front_facing);
    }

    #[test]
    fn polygon_modes() {
        let t = [[-0.5, -0.5, 0.0, 1.0], [0.5, -0.5, 0.0, 1.0], [-0.5, 0.5, 0.0, 1.0]];
        let mut state = RasterState { polygon_mode: [PolygonMode::Point; 2], ..STATE };
        let points = rasterize(&input(PrimitiveKind::Triangle, t), &state);
        assert_eq!(points.len(), 3);
        assert!(
            points.iter().all(|p| p.setup.kind == PrimitiveKind::Point && p.setup.front_facing)
        );
        // The second point interpolates nothing but vertex 1.
        assert_eq!(points[1].setup.barycentric_linear(3.0, 3.0), [0.0, 1.0, 0.0]);
        state.polygon_mode = [PolygonMode::Line; 2];
        assert_eq!(rasterize(&input(PrimitiveKind::Triangle, t), &state).len(), 3);
        let diagonal = SetupInput { edges: 0b101, ..input(PrimitiveKind::Triangle, t) };
        assert_eq!(rasterize(&diagonal, &state).len(), 2);
        state.polygon_mode = [PolygonMode::FillRectangle; 2];
        let rectangle = rasterize(&input(PrimitiveKind::Triangle, t), &state);
        assert_eq!(rectangle[0].coverage[0].bounds(), Rect { x0: 16, y0: 16, x1: 48, y1: 48 });
        state.polygon_mode = [PolygonMode::Fill, PolygonMode::Point];
        assert_eq!(
            rasterize(&input(PrimitiveKind::Triangle, t), &state)[0].setup.kind,
            PrimitiveKind::Triangle
        );
    }

    #[test]
    fn clip_distances_cut_exactly() {
        // Distances 1, −1 along x over the whole window: the left half remains.
        let t = [[-1.0, -1.0, 0.0, 1.0], [3.0, -1.0, 0.0, 1.0], [-1.0, 3.0, 0.0, 1.0]];
        let distances = [[1.0, -3.0, 1.0]];
        let clipped =
            SetupInput { clip_distances: &distances, ..input(PrimitiveKind::Triangle, t) };
        let rasterized = rasterize(&clipped, &STATE);
        for y in 0..64 {
            for x in 0..64 {
                let covered = rasterized
                    .iter()
                    .flat_map(|s| &s.coverage)
                    .filter(|s| s.contains(x, y))
                    .count();
                assert_eq!(covered, usize::from(x < 32), "{x},{y}");
            }
        }
    }

    #[test]
    fn a_viewport_limits_triangles() {
        let viewport =
            Viewport { x: 10.0, y: 20.0, width: 20.0, height: 10.0, near: 0.0, far: 1.0 };
        let t = [[-9.0, -9.0, 0.0, 1.0], [9.0, -9.0, 0.0, 1.0], [0.0, 9.0, 0.0, 1.0]];
        let rasterized = rasterize(
            &SetupInput { viewport: &viewport, ..input(PrimitiveKind::Triangle, t) },
            &STATE,
        );
        assert_eq!(rasterized[0].coverage[0].bounds(), Rect { x0: 10, y0: 20, x1: 30, y1: 30 });
    }

    #[test]
    fn point_coordinates_run_from_the_upper_left() {
        let mut source = input(PrimitiveKind::Point, [[0.0, 0.0, 0.0, 1.0]; 3]);
        source.point_size = [8.0; 3];
        let rasterized = rasterize(&source, &STATE);
        let setup = &rasterized[0].setup;
        assert_eq!(rasterized[0].coverage[0].bounds(), Rect { x0: 28, y0: 28, x1: 36, y1: 36 });
        let at = |x: f64, y: f64| setup.point_coord.map(|p| p.at(x, y));
        assert_eq!(at(28.5, 35.5), [0.0625, 0.0625]);
        assert_eq!(at(35.5, 28.5), [0.9375, 0.9375]);
    }

    #[test]
    fn depth_clamp_keeps_what_is_too_far() {
        let t = [[-1.0, -1.0, 5.0, 1.0], [1.0, -1.0, 5.0, 1.0], [0.0, 1.0, 5.0, 1.0]];
        assert!(rasterize(&input(PrimitiveKind::Triangle, t), &STATE).is_empty());
        let state = RasterState { depth_clamp: true, ..STATE };
        assert_eq!(
            rasterize(&input(PrimitiveKind::Triangle, t), &state)[0].setup.depth.at(32.5, 20.5),
            3.0
        );
    }
}
