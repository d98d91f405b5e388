//! Primitives: clipping, culling, rasterization.

use fixed_function::{
    Interpolation, Polygon, Samples, SmoothShape, at_samples, corner, line_copies, quads,
    retain_pixels, shape_spans, snap_corner,
};
use gpu_service::{Outcome, not_modeled};
use raster::clip::{self, ClipVertex};
use raster::rasterize::point;

use crate::draw::command::Draw;
use crate::draw::fragment::quad::Primitive;
use crate::draw::fragment::shade::Fragments;
use crate::draw::state::raster::{Fill, Kind};
use crate::draw::window::Slots;
use crate::draw::window::position;

/// Size of a pixel in snapped positions.
const PIXEL: f64 = 256.0;

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
        let polygon = Polygon::new(&viewport, &polygon, &positions);
        let doubled = polygon.doubled_area();
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
        let pieces = polygon.rasterize(&fragments.samples, &viewport.bounds);
        for (spans, mut interpolation) in pieces {
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
                retain_pixels(&mut quads, |x, y| stipple.draws(x, y));
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
        let samples = &fragments.samples;
        let smooth = match self.is_smooth_line(samples) {
            true => {
                SmoothShape::line(from.map(pixels), to.map(pixels), self.state.raster.line_width)
            }
            false => None,
        };
        let spans = match &smooth {
            Some(shape) => shape_spans(shape, samples, &viewport.bounds),
            None => {
                #[allow(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "few bits"
                )]
                let copies = (self.state.raster.line_width.round() as u32).max(1);
                line_copies([from, to], copies, samples, &viewport.bounds)
            }
        };
        let mut quads = quads(&spans);
        if let Some(stipple) = self.state.raster.line_stipple {
            let distance = self.stippled.get();
            self.stippled.set(stipple.apply(&mut quads, [from, to], distance));
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

/// A snapped coordinate in pixels.
fn pixels(snapped: i64) -> f64 {
    snapped as f64 / PIXEL
}
