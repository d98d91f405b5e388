//! Primitives: clipping, culling, rasterization.

use fixed_function::{
    Interpolation, LineStipple, Polygon, SmoothShape, at_samples, corner, line_copies, quads,
    shape_spans, snap_corner,
};
use gpu_service::Outcome;
use raster::assemble::Primitive as Assembly;
use raster::clip::{self, ClipVertex};
use raster::primitive::PrimitiveKind;
use raster::rasterize::{Rect, SnappedPosition, Spans, point, triangle};

use super::call::Draw;
use super::fragment::Fragments;
use super::shaded::Primitive;
use super::vertices::Vertex;
use crate::registers::RegisterField;
use crate::statistics::Count;

/// Size of a pixel in snapped positions.
const PIXEL: f64 = 256.0;

/// The stipple of lines begins anew with each.
const EACH: u32 = 1;

/// Kinds of polygons that are drawn as something else.
const POINTS: u32 = 0;
const LINES: u32 = 1;

impl Draw<'_> {
    /// Draws a triangle.
    pub(super) fn triangle(
        &self,
        fragments: &Fragments<'_>,
        corners: [&Vertex; 3],
        provoking: usize,
        edges: u8,
    ) -> Outcome<()> {
        if self.fields().clip.kills.flag(self.registers) {
            return Ok(());
        }
        let Some(distances) = self.clip_distances(&corners) else { return Ok(()) };
        let flat = corners[provoking];
        let viewport = self.viewport(flat);
        let positions = corners.map(|vertex| self.position(vertex));
        let polygon = clip::triangle(&positions, &self.clip_volume(&viewport), &distances);
        if polygon.len() < 3 {
            return Ok(());
        }
        self.count(Count::ClippedPrimitives, 1);
        let polygon = Polygon::new(&viewport, &polygon, &positions);
        let doubled = polygon.doubled_area();
        let fields = &self.fields().raster;
        let flag = |field: RegisterField| field.flag(self.registers);
        // With rows counted downwards a positive area is clockwise.
        let is_front = (doubled > 0) == flag(fields.front_is_clockwise);
        let culls = if is_front { fields.culls_front } else { fields.culls_back };
        if doubled == 0 || flag(culls) {
            return Ok(());
        }
        let mode = if is_front { fields.front_mode } else { fields.back_mode };
        match mode.get(self.registers) {
            LINES if flag(fields.has_modes) => {
                for i in (0..3).filter(|i| edges >> i & 1 != 0) {
                    self.line(fragments, [corners[i], corners[(i + 1) % 3]], flat, is_front)?;
                }
                return Ok(());
            }
            POINTS if flag(fields.has_modes) => {
                for i in (0..3).filter(|i| edges >> i & 1 != 0) {
                    self.point(fragments, corners[i], flat, is_front)?;
                }
                return Ok(());
            }
            _ => {}
        }
        let offsets = if is_front { fields.offsets_front } else { fields.offsets_back };
        let pieces = polygon.rasterize(&fragments.samples, &viewport.bounds);
        for (spans, mut interpolation) in pieces {
            self.offset_depth(&mut interpolation, flag(offsets), is_front);
            let primitive = Primitive {
                corners,
                flat,
                layer: self.layer(flat),
                is_front,
                is_point: false,
                interpolation,
                depths: viewport.depths,
            };
            fragments.shade(&primitive, &spans)?;
        }
        Ok(())
    }

    /// Draws a rectangle of three corners, whose sides are parallel to those of the window.
    pub(super) fn rectangle(
        &self,
        fragments: &Fragments<'_>,
        corners: [&Vertex; 3],
    ) -> Outcome<()> {
        let viewport = self.viewport(corners[0]);
        let positions = corners.map(|vertex| self.position(vertex));
        let whole = [0, 1, 2]
            .map(|i| corner(&viewport, &ClipVertex::original(positions[i], i), &positions));
        let snapped = whole.each_ref().map(snap_corner);
        if triangle::doubled_area(&snapped) == 0 {
            return Ok(());
        }
        let edge = |axis: usize, position: f64| {
            let ends = snapped.map(|corner| corner[axis]);
            let (low, high) = (ends.into_iter().min(), ends.into_iter().max());
            // Pixels whose sample is at the low edge are inside, at the high edge outside.
            let offset = (position * PIXEL) as i64;
            [low, high].map(|end| {
                let end = end.unwrap_or(0) - offset;
                i32::try_from(end.div_euclid(256) + i64::from(end.rem_euclid(256) > 0)).unwrap_or(0)
            })
        };
        let positions = fragments.samples.positions.iter().enumerate();
        let spans: Vec<(u16, Vec<Spans>)> = positions
            .filter(|(i, _)| fragments.samples.mask >> i & 1 != 0)
            .map(|(i, position)| {
                let ([x0, x1], [y0, y1]) = (edge(0, position[0]), edge(1, position[1]));
                let area = Rect { x0, y0, x1, y1 }.intersect(&viewport.bounds);
                (1 << i, vec![Spans::of_rect(&area)])
            })
            .collect();
        let primitive = Primitive {
            corners,
            flat: corners[0],
            layer: self.layer(corners[0]),
            is_front: true,
            is_point: false,
            interpolation: Interpolation::triangle(whole),
            depths: viewport.depths,
        };
        fragments.shade(&primitive, &spans)
    }

    /// Draws a line.
    pub(super) fn line(
        &self,
        fragments: &Fragments<'_>,
        ends: [&Vertex; 2],
        flat: &Vertex,
        is_front: bool,
    ) -> Outcome<()> {
        let fields = &self.fields().raster;
        if self.fields().clip.kills.flag(self.registers) {
            return Ok(());
        }
        let Some(distances) = self.clip_distances(&ends) else { return Ok(()) };
        let viewport = self.viewport(flat);
        let positions = [ends[0], ends[1], ends[1]].map(|vertex| self.position(vertex));
        let vertices = [0, 1].map(|i| ClipVertex::original(positions[i], i));
        let volume = self.clip_volume(&viewport);
        let Some(clipped) = clip::line(vertices, &volume, &distances) else { return Ok(()) };
        self.count(Count::ClippedPrimitives, 1);
        let corners = clipped.map(|vertex| corner(&viewport, &vertex, &positions));
        let [from, to] = corners.map(|corner| snap_corner(&corner));
        // Half of the width in units of 1/8 pixel.
        let width = f64::from(fields.line_width.get(self.registers)) / 8.0;
        let spans = if fragments.samples.count() > 1 {
            let pixels = |at: SnappedPosition| at.map(|at| at as f64 / PIXEL);
            match SmoothShape::line(pixels(from), pixels(to), width) {
                Some(shape) => shape_spans(&shape, &fragments.samples, &viewport.bounds),
                None => Vec::new(),
            }
        } else {
            let copies = (width.round() as u32).clamp(1, 1 << 14);
            line_copies([from, to], copies, &fragments.samples, &viewport.bounds)
        };
        let mut interpolation = Interpolation::line(corners);
        self.offset_depth(&mut interpolation, fields.offsets_others.flag(self.registers), is_front);
        let primitive = Primitive {
            corners: [ends[0], ends[1], ends[1]],
            flat,
            layer: self.layer(flat),
            is_front,
            is_point: false,
            interpolation,
            depths: viewport.depths,
        };
        let Some(stipple) = self.line_stipple() else { return fragments.shade(&primitive, &spans) };
        let mut quads = quads(&spans);
        self.stippled.set(stipple.apply(&mut quads, [from, to], self.stippled.get()));
        fragments.shade_quads(&primitive, &quads)
    }

    /// The stipple of lines, if they have one.
    fn line_stipple(&self) -> Option<LineStipple> {
        let fields = &self.fields().raster;
        let pattern = fields.stipple_pattern.get(self.registers);
        let is_reversed = fields.stipple_is_reversed.flag(self.registers);
        fields.stipples_lines.flag(self.registers).then(|| LineStipple {
            pattern: if is_reversed { pattern.reverse_bits() >> 16 } else { pattern },
            repeat: fields.stipple_repeats.get(self.registers) + 1,
        })
    }

    /// True if the stipple begins anew with a primitive: with each, or with each that does not go
    /// on where the one before it ended. Polygons go on along all of their edges.
    pub(super) fn resets_stipple(
        &self,
        kind: PrimitiveKind,
        previous: Option<&Assembly>,
        next: &Assembly,
    ) -> bool {
        let Some(previous) = previous else { return true };
        match kind {
            PrimitiveKind::Triangle => previous.id != next.id,
            _ if self.fields().raster.stipple_reset.get(self.registers) == EACH => true,
            _ => previous.vertices.last() != next.vertices.first(),
        }
    }

    /// Draws a point.
    pub(super) fn point(
        &self,
        fragments: &Fragments<'_>,
        vertex: &Vertex,
        flat: &Vertex,
        is_front: bool,
    ) -> Outcome<()> {
        if self.fields().clip.kills.flag(self.registers) {
            return Ok(());
        }
        let Some(distances) = self.clip_distances(&[vertex]) else { return Ok(()) };
        let viewport = self.viewport(vertex);
        let clipped = ClipVertex::original(self.position(vertex), 0);
        if !clip::point(&clipped, &self.clip_volume(&viewport), &distances) {
            return Ok(());
        }
        self.count(Count::ClippedPrimitives, 1);
        let center = corner(&viewport, &clipped, &[clipped.position; 3]);
        let size = self.point_size(vertex);
        let spans = at_samples(&fragments.samples, |moved| {
            vec![point::rasterize(moved(snap_corner(&center)), size, &viewport.bounds)]
        });
        let mut interpolation = Interpolation::square(center, size);
        let offsets = self.fields().raster.offsets_others;
        self.offset_depth(&mut interpolation, offsets.flag(self.registers), is_front);
        let primitive = Primitive {
            corners: [vertex; 3],
            flat,
            layer: self.layer(flat),
            is_front,
            is_point: true,
            interpolation,
            depths: viewport.depths,
        };
        fragments.shade(&primitive, &spans)
    }

    /// Adds the depth offset to a primitive.
    fn offset_depth(&self, interpolation: &mut Interpolation, is_offset: bool, is_front: bool) {
        if !is_offset {
            return;
        }
        let fields = &self.fields().raster;
        let number = |field: RegisterField| f64::from(field.number(self.registers));
        let (slope, units) = match is_front {
            true => (number(fields.front_slope) / 16.0, number(fields.front_offset)),
            false => (number(fields.back_slope) / 16.0, number(fields.back_offset)),
        };
        // The unit is a power of two: of the format, or of the largest depth of floats.
        let bits = (fields.offset_units.get(self.registers) << 24).cast_signed() >> 24;
        let unit = match fields.offset_is_float.flag(self.registers) {
            false => f64::from(bits).exp2(),
            true => {
                let exponent = interpolation.largest_depth().max(f64::MIN_POSITIVE).log2().floor();
                (exponent + f64::from(bits)).exp2()
            }
        };
        let offset = slope * interpolation.slope() + units * unit;
        let clamp = number(fields.offset_clamp);
        interpolation.depth_offset = match clamp {
            clamp if clamp > 0.0 => offset.min(clamp),
            clamp if clamp < 0.0 => offset.max(clamp),
            _ => offset,
        };
    }
}
