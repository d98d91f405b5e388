//! Triangles: viewport transformation, culling, rasterization, interpolation.

use softgl::raster::{Rect, SnappedPosition, snap, triangle};

use super::Draw;
use super::fragment::{Primitive, Quad};
use super::vertices::Slots;
use crate::error::{Outcome, not_modeled};

/// Slot of the position.
const POSITION: usize = 1;

/// A corner in the window.
#[derive(Clone, Copy, Debug)]
struct Corner {
    /// Pixels with a fraction, and depth.
    window: [f64; 3],
    one_over_w: f64,
}

/// Interpolation over a triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interpolation {
    corners: [Corner; 3],
    /// Twice the signed area in square pixels.
    area: f64,
}

impl Interpolation {
    /// Weights of the second and third corner at a position.
    fn weights(&self, x: f64, y: f64) -> [f64; 3] {
        let [a, b, c] = self.corners.map(|corner| corner.window);
        let edge = |p: [f64; 3], q: [f64; 3]| (p[0] - x) * (q[1] - y) - (p[1] - y) * (q[0] - x);
        let (second, third) = (edge(c, a) / self.area, edge(a, b) / self.area);
        [1.0 - second - third, second, third]
    }

    /// Weights of the second and third corner, with or without perspective.
    pub(super) fn barycentric(&self, x: f64, y: f64, perspective: bool) -> [f32; 2] {
        let weights = self.weights(x, y);
        if !perspective {
            return [weights[1] as f32, weights[2] as f32];
        }
        let scaled = [0, 1, 2].map(|i| weights[i] * self.corners[i].one_over_w);
        let sum: f64 = scaled.iter().sum();
        [(scaled[1] / sum) as f32, (scaled[2] / sum) as f32]
    }

    /// Depth at a position.
    pub(super) fn depth(&self, x: f64, y: f64) -> f32 {
        let weights = self.weights(x, y);
        (0..3).map(|i| weights[i] * self.corners[i].window[2]).sum::<f64>() as f32
    }

    /// W of the position's clip coordinates.
    pub(super) fn w(&self, x: f64, y: f64) -> f32 {
        let weights = self.weights(x, y);
        let sum: f64 = (0..3).map(|i| weights[i] * self.corners[i].one_over_w).sum();
        (1.0 / sum) as f32
    }
}

/// A rectangle of inclusive limits: left, top, right, bottom.
fn rectangle(limits: [packets::Field; 4], words: &[u32]) -> Rect {
    let [x0, y0, x1, y1] =
        limits.map(|field| i32::try_from(field.get(words)).unwrap_or(0).min(16384));
    Rect { x0, y0, x1: x1 + 1, y1: y1 + 1 }
}

impl Draw<'_> {
    /// Draws a triangle.
    pub(super) fn triangle(&self, corners: &[Slots; 3], provoking: usize) -> Outcome<()> {
        let window = [0, 1, 2].map(|i| self.window(&corners[i]));
        let [a, b, c] = window;
        let corners_in_window = [a?, b?, c?];
        let snapped: [SnappedPosition; 3] =
            corners_in_window.map(|corner| [snap(corner.window[0]), snap(corner.window[1])]);
        let doubled = triangle::doubled_area(&snapped);
        // With rows counted downwards a positive area is clockwise.
        let is_front = (doubled < 0) == self.front_is_counterclockwise();
        if doubled == 0 || self.is_culled(is_front) {
            return Ok(());
        }
        let oriented = match doubled > 0 {
            true => snapped,
            false => [snapped[0], snapped[2], snapped[1]],
        };
        let spans = triangle::rasterize(&oriented, &self.drawing_rectangle()?);
        let bounds = spans.bounds();
        let mut quads = Vec::new();
        for y in (bounds.y0 & !1..bounds.y1).step_by(2) {
            for x in (bounds.x0 & !1..bounds.x1).step_by(2) {
                let covered = |i: i32| spans.contains(x + (i & 1), y + (i >> 1));
                let mask = (0..4).filter(|&i| covered(i)).fold(0, |mask, i| mask | 1 << i);
                if mask != 0 {
                    quads.push(Quad { x: x.cast_unsigned(), y: y.cast_unsigned(), mask });
                }
            }
        }
        let scale = 1.0 / 256.0;
        let mut corners_in_window = corners_in_window;
        for (corner, snapped) in corners_in_window.iter_mut().zip(snapped) {
            corner.window[0] = snapped[0] as f64 * scale;
            corner.window[1] = snapped[1] as f64 * scale;
        }
        let area = doubled as f64 * scale * scale;
        let interpolation = Interpolation { corners: corners_in_window, area };
        let primitive =
            Primitive { corners, provoking, is_front, interpolation: Some(interpolation) };
        self.shade(&primitive, &quads)
    }

    /// Pixels that can be drawn: those of the drawing rectangle, and of the scissor rectangle.
    fn drawing_rectangle(&self) -> Outcome<Rect> {
        let fields = self.fields.rectangle;
        let words = self.context.packet("3DSTATE_DRAWING_RECTANGLE");
        let all = rectangle([fields.x_min, fields.y_min, fields.x_max, fields.y_max], words);
        let is_cut = self.fields.sf.scissor.flag(self.context.packet("3DSTATE_SF"))
            || self.fields.raster.scissor.flag(self.context.packet("3DSTATE_RASTER"));
        if !is_cut {
            return Ok(all);
        }
        let pointer = self.context.packet("3DSTATE_SCISSOR_STATE_POINTERS");
        let address = self.context.dynamic_base + self.fields.scissor_pointer.offset.get(pointer);
        let words = self.memory.read_words(address, 2)?;
        let fields = self.fields.scissor;
        let scissor = rectangle([fields.x_min, fields.y_min, fields.x_max, fields.y_max], &words);
        Ok(all.intersect(&scissor))
    }

    /// Transforms a position from clip coordinates to the window.
    fn window(&self, slots: &Slots) -> Outcome<Corner> {
        let position = slots.get(POSITION).copied().unwrap_or_default();
        let [x, y, z, w] = position.map(|bits| f64::from(f32::from_bits(bits)));
        // NaN is outside, too.
        let inside = w > 0.0 && [x, y].iter().all(|c| c.abs() <= 16.0 * w) && z.abs() <= w;
        if !inside {
            return not_modeled("clipping");
        }
        let pointer = self.context.packet("3DSTATE_VIEWPORT_STATE_POINTERS_SF_CLIP");
        let address = self.context.dynamic_base + self.fields.viewport_pointer.offset.get(pointer);
        let words = self.memory.read_words(address, 6)?;
        let [sx, sy, sz, tx, ty, tz] = std::array::from_fn(|i| f64::from(f32::from_bits(words[i])));
        let one_over_w = 1.0 / w;
        let window = [x, y, z].map(|coordinate| coordinate * one_over_w);
        let window = [window[0] * sx + tx, window[1] * sy + ty, window[2] * sz + tz];
        Ok(Corner { window, one_over_w })
    }

    fn front_is_counterclockwise(&self) -> bool {
        let (sf, raster) = (self.fields.sf.winding, self.fields.raster.winding);
        match raster.exists() {
            true => raster.flag(self.context.packet("3DSTATE_RASTER")),
            false => sf.flag(self.context.packet("3DSTATE_SF")),
        }
    }

    /// True if triangles of this facing are not drawn.
    fn is_culled(&self, is_front: bool) -> bool {
        let (sf, raster) = (self.fields.sf.cull, self.fields.raster.cull);
        let mode = match raster.exists() {
            true => raster.get(self.context.packet("3DSTATE_RASTER")),
            false => sf.get(self.context.packet("3DSTATE_SF")),
        };
        match mode {
            0 => true,
            1 => false,
            2 => is_front,
            _ => !is_front,
        }
    }
}
