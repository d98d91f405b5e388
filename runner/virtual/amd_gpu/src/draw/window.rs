//! Way of positions to the window: viewports, scissors, volume of clipping.

use fixed_function::Viewport;
use raster::clip::ClipVolume;
use raster::rasterize::Rect;

use super::call::Draw;
use super::vertices::Vertex;
use crate::registers::RegisterField;

/// Largest number of a viewport.
const LAST_VIEWPORT: u32 = 15;
/// Planes of the state, and distances of vertices.
const PLANES: u32 = 6;
const DISTANCES: u32 = 8;

impl Draw<'_> {
    /// Slot of the vector with point size, edge flag, layer and viewport.
    fn miscellaneous(&self) -> Option<usize> {
        self.fields().clip.has_miscellaneous.flag(self.registers).then_some(1)
    }

    /// A value of the vector of miscellaneous values, if the state uses it.
    fn extra(&self, vertex: &Vertex, is_used: RegisterField, component: usize) -> Option<u32> {
        let slot = self.miscellaneous().filter(|_| is_used.flag(self.registers))?;
        Some(vertex.positions[slot][component])
    }

    /// Size of a point in pixels.
    pub(super) fn point_size(&self, vertex: &Vertex) -> f64 {
        let fields = &self.fields().raster;
        let get = |field: RegisterField| f64::from(field.get(self.registers)) / 8.0;
        let own = self.extra(vertex, self.fields().clip.has_point_size, 0);
        match own {
            Some(bits) => f64::from(f32::from_bits(bits)).clamp(
                get(fields.point_least),
                get(fields.point_most).max(get(fields.point_least)),
            ),
            None => get(fields.point_width),
        }
    }

    /// Layer of the render target.
    pub(super) fn layer(&self, vertex: &Vertex) -> u32 {
        self.extra(vertex, self.fields().clip.has_layer, 2).unwrap_or(0) & 0x7ff
    }

    /// Number of the viewport.
    pub(super) fn viewport_index(&self, vertex: &Vertex) -> u32 {
        let index = self.extra(vertex, self.fields().clip.has_viewport, 3).unwrap_or(0);
        if index > LAST_VIEWPORT { 0 } else { index }
    }

    /// True if positions are in the window already.
    pub(super) fn is_in_window(&self) -> bool {
        !self.fields().clip.scales.flag(self.registers)
    }

    /// Position in clip coordinates.
    pub(super) fn position(&self, vertex: &Vertex) -> [f64; 4] {
        let [x, y, z, w] = [0, 1, 2, 3].map(|i| vertex.number(0, i));
        let fields = &self.fields().clip;
        if self.is_in_window() && fields.xy_is_window.flag(self.registers) {
            // Coordinates are divided by w already.
            return [x, y, z, 1.0];
        }
        let w = if fields.w_is_reciprocal.flag(self.registers) { w } else { 1.0 / w };
        [x, y, z, w]
    }

    /// The viewport that a vertex selects.
    pub(super) fn viewport(&self, vertex: &Vertex) -> Viewport {
        let (fields, index) = (&self.fields().clip, self.viewport_index(vertex));
        let get = |field: RegisterField| f64::from(field.number_at(index, self.registers));
        let number = |field: RegisterField| f64::from(field.number(self.registers));
        let (scale, offset) = match self.is_in_window() {
            true => ([1.0; 3], [0.0; 3]),
            false => (
                [fields.scale_x, fields.scale_y, fields.scale_z].map(get),
                [fields.offset_x, fields.offset_y, fields.offset_z].map(get),
            ),
        };
        Viewport {
            scale,
            offset,
            guard: [fields.guard_x, fields.guard_y].map(|field| number(field).max(1.0)),
            bounds: self.bounds(index),
            depths: match self.fields().depth.is_unclamped.flag(self.registers) {
                true => [f32::NEG_INFINITY, f32::INFINITY],
                false => [fields.depth_min, fields.depth_max]
                    .map(|field| field.number_at(index, self.registers)),
            },
        }
    }

    /// Pixels that can be drawn.
    fn bounds(&self, viewport: u32) -> Rect {
        let fields = &self.fields().raster;
        let get = |field: RegisterField| field.get(self.registers).min(16384) as i32;
        let rectangle = |edges: [RegisterField; 4]| {
            let [x0, y0, x1, y1] = edges.map(get);
            Rect { x0, y0, x1, y1 }
        };
        let screen =
            Rect { x0: 0, y0: 0, x1: get(fields.screen_right), y1: get(fields.screen_bottom) };
        let window = rectangle([
            fields.window_left,
            fields.window_top,
            fields.window_right,
            fields.window_bottom,
        ]);
        let generic = rectangle([
            fields.generic_left,
            fields.generic_top,
            fields.generic_right,
            fields.generic_bottom,
        ]);
        let bounds = screen.intersect(&window).intersect(&generic);
        if !fields.has_scissors.flag(self.registers) {
            return bounds;
        }
        let get = |field: RegisterField| field.at(viewport, self.registers).min(16384) as i32;
        let [x0, y0, x1, y1] =
            [fields.scissor_left, fields.scissor_top, fields.scissor_right, fields.scissor_bottom]
                .map(get);
        bounds.intersect(&Rect { x0, y0, x1, y1 })
    }

    /// Volume to which primitives are clipped.
    pub(super) fn clip_volume(&self, viewport: &Viewport) -> ClipVolume {
        let fields = &self.fields().clip;
        let flag = |field: RegisterField| field.flag(self.registers);
        if flag(fields.is_disabled) || self.is_in_window() {
            return ClipVolume { guard: [1e9; 2], depth: false, near_is_zero: false };
        }
        let depth = !flag(fields.no_near) || !flag(fields.no_far);
        ClipVolume { guard: viewport.guard, depth, near_is_zero: flag(fields.near_is_zero) }
    }

    /// Distances of the corners from planes that clip; `None` if the primitive is culled.
    pub(super) fn clip_distances(&self, corners: &[&Vertex]) -> Option<Vec<[f64; 3]>> {
        let fields = &self.fields().clip;
        let bits = fields.clips_0.word(self.registers);
        let (clips, culls) = (bits & 0xff, bits >> 8 & 0xff);
        let first = 1 + usize::from(self.miscellaneous().is_some());
        let second = first + usize::from(fields.has_distances_0.flag(self.registers));
        let distance = |vertex: &Vertex, i: u32| {
            let slot = if i < 4 { first } else { second };
            vertex.number(slot.min(3), (i % 4) as usize)
        };
        let is_culled = |i: u32| corners.iter().all(|vertex| distance(vertex, i) < 0.0);
        if (0..DISTANCES).any(|i| culls >> i & 1 != 0 && is_culled(i)) {
            return None;
        }
        let last = corners.len() - 1;
        let own = (0..DISTANCES).filter(|i| clips >> i & 1 != 0);
        let own = own.map(|i| [0, 1, 2].map(|c: usize| distance(corners[c.min(last)], i)));
        let planes = fields.planes.word(self.registers);
        let planes = (0..PLANES).filter(|i| planes >> i & 1 != 0).map(|i| {
            let word = |axis: u32| {
                let bits = fields.plane_x.word_beside(i, axis, self.registers);
                f64::from(f32::from_bits(bits))
            };
            let plane = [0, 1, 2, 3].map(word);
            [0, 1, 2].map(|c: usize| {
                let position = self.position(corners[c.min(last)]);
                (0..4).map(|axis| plane[axis] * position[axis]).sum()
            })
        });
        Some(own.chain(planes).collect())
    }
}
