//! Primitives: clipping, culling, rasterization.

use raster::clip::{self, ClipVertex};
use raster::rasterize::{Rect, SnappedPosition, Spans, line, point, snap, triangle};
use smallvec::SmallVec;

use super::stipple::{Along, stipple_line, stipple_polygon};
use crate::draw::command::Draw;
use crate::draw::coverage::interpolation::{Corner, Interpolation};
use crate::draw::coverage::samples::Samples;
use crate::draw::coverage::shape::SmoothShape;
use crate::draw::fragment::quad::{Primitive, Quad};
use crate::draw::fragment::shade::Fragments;
use crate::draw::state::raster::{Fill, Kind};
use crate::draw::window::Slots;
use crate::draw::window::{Viewport, position};
use crate::error::{Outcome, not_modeled};

/// Size of a pixel in snapped positions.
const PIXEL: f64 = 256.0;

/// A run of pixels: 1 in the lower row of quads and 0 in the upper, bit of the sample, columns.
type Run = (usize, u16, (i32, i32));

impl Draw<'_> {
    /// Draws a triangle.
    pub(crate) fn triangle(
        &self,
        fragments: &Fragments<'_>,
        corners: [&Slots; 3],
        provoking: usize,
        edges: u8,
    ) -> Outcome<()> {
        let Some(distances) = self.clip_distances(&corners) else { return Ok(()) };
        let viewport = self.viewport(corners[provoking])?;
        let positions = corners.map(position);
        let volume = self.clip_volume(&viewport, true);
        let polygon = clip::triangle(&positions, &volume, &distances);
        if polygon.len() < 3 {
            return Ok(());
        }
        self.counts.add_clipped();
        let whole: Vec<Corner> =
            polygon.iter().map(|vertex| corner(&viewport, vertex, &positions)).collect();
        let snapped: Vec<SnappedPosition> = whole.iter().map(snap_corner).collect();
        let pieces = (1..whole.len() - 1).map(|i| [0, i, i + 1]);
        let areas = pieces.clone().map(|piece| triangle::doubled_area(&piece.map(|i| snapped[i])));
        let doubled: i64 = areas.sum();
        let state = &self.state.raster;
        // With rows counted downwards a positive area is clockwise.
        let is_front = (doubled < 0) == state.front_is_counterclockwise;
        if doubled == 0 || state.is_culled(is_front) {
            return Ok(());
        }
        let flat = corners[provoking];
        match state.fill(is_front) {
            Fill::Solid => {}
            Fill::Lines => {
                self.stippled.set(0);
                for i in (0..3).filter(|i| edges >> i & 1 != 0) {
                    self.line(fragments, [corners[i], corners[(i + 1) % 3]], flat, is_front)?;
                }
                return Ok(());
            }
            Fill::Points => {
                for i in (0..3).filter(|i| edges >> i & 1 != 0) {
                    self.point(fragments, corners[i], flat, is_front)?;
                }
                return Ok(());
            }
            Fill::Reserved(mode) => return not_modeled(format!("polygon mode {mode}")),
        }
        for piece in pieces {
            let fixed = piece.map(|i| snapped[i]);
            let doubled = triangle::doubled_area(&fixed);
            if doubled == 0 {
                continue;
            }
            let oriented = if doubled > 0 { fixed } else { [fixed[0], fixed[2], fixed[1]] };
            let spans = at_samples(&fragments.samples, |moved| {
                let corners = oriented.map(moved);
                vec![triangle::rasterize(&corners, &viewport.bounds)]
            });
            let mut at = piece.map(|i| whole[i]);
            for (corner, snapped) in at.iter_mut().zip(fixed) {
                corner.window[0] = snapped[0] as f64 / PIXEL;
                corner.window[1] = snapped[1] as f64 / PIXEL;
            }
            let mut interpolation = Interpolation::triangle(at);
            self.offset_depth(&mut interpolation, Kind::Solid);
            let primitive = Primitive {
                corners,
                flat,
                layer: self.layer(flat),
                viewport: self.viewport_index(corners[provoking]),
                is_front,
                is_point: false,
                smooth: None,
                interpolation: Some(interpolation),
                depths: viewport.depths,
            };
            let mut quads = quads(&spans);
            if let Some(stipple) = &state.polygon_stipple {
                stipple_polygon(&mut quads, stipple);
            }
            fragments.shade(&primitive, &quads)?;
        }
        Ok(())
    }

    /// Draws a line.
    pub(crate) fn line(
        &self,
        fragments: &Fragments<'_>,
        ends: [&Slots; 2],
        flat: &Slots,
        is_front: bool,
    ) -> Outcome<()> {
        let Some(distances) = self.clip_distances(&ends) else { return Ok(()) };
        let viewport = self.viewport(flat)?;
        let positions = [ends[0], ends[1], ends[1]].map(position);
        let volume = self.clip_volume(&viewport, false);
        let vertices = [0, 1].map(|i| ClipVertex::original(positions[i], i));
        let Some(clipped) = clip::line(vertices, &volume, &distances) else { return Ok(()) };
        self.counts.add_clipped();
        let corners = clipped.map(|vertex| corner(&viewport, &vertex, &positions));
        let [from, to] = corners.map(|corner| snap_corner(&corner));
        let is_flat = (to[0] - from[0]).abs() >= (to[1] - from[1]).abs();
        let samples = &fragments.samples;
        let smooth = match self.is_smooth_line(samples) {
            true => {
                SmoothShape::line(from.map(pixels), to.map(pixels), self.state.raster.line_width)
            }
            false => None,
        };
        let spans = match &smooth {
            Some(shape) => shape_spans(shape, samples, &viewport.bounds),
            None => self.line_spans([from, to], is_flat, samples, &viewport.bounds),
        };
        let mut quads = quads(&spans);
        if let Some(stipple) = self.state.raster.line_stipple {
            let pixel = |at: SnappedPosition| whole_pixel(if is_flat { at[0] } else { at[1] });
            let distance = self.stippled.get();
            let along = Along { is_flat, from: pixel(from), to: pixel(to), distance };
            stipple_line(&mut quads, stipple, along);
            self.stippled.set(along.end());
        }
        let mut interpolation = Interpolation::line(corners);
        self.offset_depth(&mut interpolation, Kind::Line);
        let primitive = Primitive {
            corners: [ends[0], ends[1], ends[1]],
            flat,
            layer: self.layer(flat),
            viewport: self.viewport_index(flat),
            is_front,
            is_point: false,
            smooth: smooth.filter(|_| samples.count() == 1),
            interpolation: Some(interpolation),
            depths: viewport.depths,
        };
        fragments.shade(&primitive, &quads)
    }

    /// Pixels of a line without antialiasing. A wide one is a line of width 1, repeated in the
    /// direction of less change.
    fn line_spans(
        &self,
        ends: [SnappedPosition; 2],
        is_flat: bool,
        samples: &Samples,
        bounds: &Rect,
    ) -> Vec<(u16, Vec<Spans>)> {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "few bits")]
        let copies = (self.state.raster.line_width.round() as u32).max(1);
        at_samples(samples, |moved| {
            let copy = |i: u32| {
                let shift = 256 * i64::from(i) - 128 * i64::from(copies - 1);
                let [from, to] = ends.map(|p| match is_flat {
                    true => moved([p[0], p[1] + shift]),
                    false => moved([p[0] + shift, p[1]]),
                });
                line::rasterize(from, to, bounds)
            };
            (0..copies).map(copy).collect()
        })
    }

    /// True if lines are rectangles: with antialiasing, and with several samples.
    fn is_smooth_line(&self, samples: &Samples) -> bool {
        self.state.raster.antialiases_lines || samples.count() > 1
    }

    /// Draws a point.
    pub(crate) fn point(
        &self,
        fragments: &Fragments<'_>,
        vertex: &Slots,
        flat: &Slots,
        is_front: bool,
    ) -> Outcome<()> {
        let Some(distances) = self.clip_distances(&[vertex]) else { return Ok(()) };
        let viewport = self.viewport(vertex)?;
        let volume = self.clip_volume(&viewport, false);
        let clipped = ClipVertex::original(position(vertex), 0);
        if !clip::point(&clipped, &volume, &distances) {
            return Ok(());
        }
        self.counts.add_clipped();
        let center = corner(&viewport, &clipped, &[clipped.position; 3]);
        let own = vertex.first().map_or(1.0, |header| f64::from(f32::from_bits(header[3])));
        let size = self.state.raster.point_size(own);
        let samples = &fragments.samples;
        let smooth = self.state.raster.has_smooth_points.then_some(SmoothShape::Disk {
            center: snap_corner(&center).map(pixels),
            radius: size / 2.0,
        });
        let spans = match &smooth {
            Some(shape) => shape_spans(shape, samples, &viewport.bounds),
            None => at_samples(samples, |moved| {
                vec![point::rasterize(moved(snap_corner(&center)), size, &viewport.bounds)]
            }),
        };
        let mut interpolation = Interpolation::square(center, size);
        self.offset_depth(&mut interpolation, Kind::Point);
        let primitive = Primitive {
            corners: [vertex; 3],
            flat,
            layer: self.layer(flat),
            viewport: self.viewport_index(vertex),
            is_front,
            is_point: true,
            smooth: smooth.filter(|_| samples.count() == 1),
            interpolation: Some(interpolation),
            depths: viewport.depths,
        };
        fragments.shade(&primitive, &quads(&spans))
    }

    /// Adds the depth offset to a primitive.
    fn offset_depth(&self, interpolation: &mut Interpolation, kind: Kind) {
        let (slope, largest) = (interpolation.slope(), interpolation.largest_depth());
        if let Some(offset) = self.state.raster.depth_offset.of(kind, slope, largest) {
            interpolation.depth_offset = offset;
        }
    }
}

/// A corner of a clipped primitive in the window.
fn corner(viewport: &Viewport, vertex: &ClipVertex, positions: &[[f64; 4]; 3]) -> Corner {
    let one_over_w = 1.0 / vertex.position[3];
    // In the window the weight of a corner is in proportion to its w.
    let linear = std::array::from_fn(|i| vertex.weights[i] * positions[i][3] * one_over_w);
    let window = viewport.window(&vertex.position);
    Corner { window, one_over_w, weights: vertex.weights, linear }
}

fn snap_corner(corner: &Corner) -> SnappedPosition {
    [snap(corner.window[0]), snap(corner.window[1])]
}

/// A snapped coordinate in pixels.
fn pixels(snapped: i64) -> f64 {
    snapped as f64 / PIXEL
}

/// Number of the pixel at a snapped coordinate.
#[allow(clippy::cast_possible_truncation, reason = "within the guard band")]
fn whole_pixel(snapped: i64) -> i32 {
    snapped.div_euclid(256) as i32
}

/// Pixels of a shape: those that it touches, or with several samples those whose samples are in it.
fn shape_spans(shape: &SmoothShape, samples: &Samples, bounds: &Rect) -> Vec<(u16, Vec<Spans>)> {
    if samples.count() == 1 {
        return vec![(samples.mask & 1, vec![shape.touched(bounds)])];
    }
    let bits = samples.positions.iter().enumerate();
    bits.filter(|(i, _)| samples.mask >> i & 1 != 0)
        .map(|(i, position)| (1 << i, vec![shape.at_sample(*position, bounds)]))
        .collect()
}

/// Rasterizes once for each sample: `rasterize` gets a function that moves positions so that the
/// sample is in the center of its pixel.
fn at_samples(
    samples: &Samples,
    rasterize: impl Fn(&dyn Fn(SnappedPosition) -> SnappedPosition) -> Vec<Spans>,
) -> Vec<(u16, Vec<Spans>)> {
    let bits = samples.positions.iter().enumerate();
    bits.filter(|(i, _)| samples.mask >> i & 1 != 0)
        .map(|(i, position)| {
            let [dx, dy] = position.map(|offset| snap(0.5 - offset));
            (1 << i, rasterize(&|p: SnappedPosition| [p[0] + dx, p[1] + dy]))
        })
        .collect()
}

/// Quads of all covered pixels, each once. `parts` has the bit and the spans of each sample.
fn quads(parts: &[(u16, Vec<Spans>)]) -> Vec<Quad> {
    let all = parts.iter().flat_map(|(_, spans)| spans);
    let bounds = all.filter(|spans| !spans.is_empty()).map(Spans::bounds);
    let Some(bounds) = bounds.reduce(|a, b| a.hull(&b)) else { return Vec::new() };
    let mut quads = Vec::new();
    for y in (bounds.y0 & !1..bounds.y1).step_by(2) {
        // Runs of the two rows, with the bits of their samples.
        let runs: SmallVec<[Run; 8]> = parts
            .iter()
            .flat_map(|(bit, spans)| spans.iter().map(move |spans| (*bit, spans)))
            .flat_map(|(bit, spans)| [0, 1].map(|down| (down as usize, bit, spans.row(y + down))))
            .filter(|(_, _, (from, to))| from < to)
            .collect();
        let first = runs.iter().map(|(_, _, (from, _))| *from).min().unwrap_or(bounds.x1);
        let last = runs.iter().map(|(_, _, (_, to))| *to).max().unwrap_or(bounds.x0);
        for x in (first & !1..last).step_by(2) {
            let mut samples = [0; 4];
            for (down, bit, (from, to)) in &runs {
                for (right, at) in [(0, x), (1, x + 1)] {
                    if (*from..*to).contains(&at) {
                        samples[2 * down + right] |= bit;
                    }
                }
            }
            if samples != [0; 4] {
                quads.push(Quad { x: x.cast_unsigned(), y: y.cast_unsigned(), samples });
            }
        }
    }
    quads
}
