//! Viewports: transformation to the window, limits of what is drawn, volume of clipping.

use fixed_function::Viewport;
use gpu_service::Outcome;
use raster::clip::ClipVolume;
use raster::rasterize::Rect;

use crate::draw::command::Draw;
use crate::draw::window::Slots;

/// First slot of the clip distances.
const DISTANCES: usize = 2;
/// Bytes of a `SF_CLIP_VIEWPORT`.
const VIEWPORT_BYTES: u64 = 64;

/// A rectangle of inclusive limits: left, top, right, bottom.
fn rectangle(limits: [packets::Field; 4], words: &[u32]) -> Rect {
    let [x0, y0, x1, y1] =
        limits.map(|field| i32::try_from(field.get(words)).unwrap_or(0).min(16384));
    Rect { x0, y0, x1: x1 + 1, y1: y1 + 1 }
}

impl Draw<'_> {
    /// Loads the viewport that a vertex selects.
    pub(crate) fn viewport(&self, slots: &Slots) -> Outcome<Viewport> {
        let index = u64::from(self.viewport_index(slots));
        if let Some((known, viewport)) = self.last_viewport.get()
            && known == index
        {
            return Ok(viewport);
        }
        let viewport = self.load_viewport(index)?;
        self.last_viewport.set(Some((index, viewport)));
        Ok(viewport)
    }

    /// Returns the number of the viewport that a vertex selects. One that is too high is the first.
    pub(crate) fn viewport_index(&self, slots: &Slots) -> u32 {
        let index = slots.first().map_or(0, |header| header[2]);
        if u64::from(index) > self.state.clip.max_viewport { 0 } else { index }
    }

    /// Returns the layer of the render target that a vertex selects. Drivers force the first layer
    /// for framebuffers without layers.
    pub(crate) fn layer(&self, slots: &Slots) -> u32 {
        slots.first().filter(|_| !self.state.clip.forces_first_layer).map_or(0, |header| header[1])
    }

    fn load_viewport(&self, index: u64) -> Outcome<Viewport> {
        let fields = self.fields.clip_viewport;
        let pointer = self.context.packet("3DSTATE_VIEWPORT_STATE_POINTERS_SF_CLIP");
        let address = self.context.dynamic_base + self.fields.viewport_pointer.offset.get(pointer);
        let words = self.memory.read_words(address + VIEWPORT_BYTES * index, 16)?;
        let get = |field: packets::Field| f64::from(field.number(&words));
        let guard = [fields.guard_x, fields.guard_y].map(get);
        let mut bounds = self.drawing_rectangle(index)?;
        if fields.x_max.exists() {
            let (x0, y0) = (get(fields.x_min), get(fields.y_min));
            let (x1, y1) = (get(fields.x_max), get(fields.y_max));
            #[allow(clippy::cast_possible_truncation, reason = "clamped")]
            let whole = |edge: f64| edge.clamp(-32768.0, 32768.0) as i32;
            let (x0, y0) = (whole(x0.ceil()), whole(y0.ceil()));
            let (x1, y1) = (whole(x1.floor()) + 1, whole(y1.floor()) + 1);
            bounds = bounds.intersect(&Rect { x0, y0, x1, y1 });
        }
        let pointer = self.context.packet("3DSTATE_VIEWPORT_STATE_POINTERS_CC");
        let address =
            self.context.dynamic_base + self.fields.cc_viewport_pointer.offset.get(pointer);
        let depths = self.memory.read_words(address + 8 * index, 2)?;
        Ok(Viewport {
            scale: [fields.scale_x, fields.scale_y, fields.scale_z].map(get),
            offset: [fields.move_x, fields.move_y, fields.move_z].map(get),
            guard: if self.state.clip.has_guard_band {
                guard.map(|guard| guard.max(1.0))
            } else {
                [1.0; 2]
            },
            bounds,
            depths: [f32::from_bits(depths[0]), f32::from_bits(depths[1])],
        })
    }

    /// Pixels that can be drawn: those of the drawing rectangle, and of the scissor rectangle.
    fn drawing_rectangle(&self, index: u64) -> Outcome<Rect> {
        let fields = self.fields.rectangle;
        let words = self.context.packet("3DSTATE_DRAWING_RECTANGLE");
        let all = rectangle([fields.x_min, fields.y_min, fields.x_max, fields.y_max], words);
        if !self.state.raster.has_scissors {
            return Ok(all);
        }
        let pointer = self.context.packet("3DSTATE_SCISSOR_STATE_POINTERS");
        let address = self.context.dynamic_base + self.fields.scissor_pointer.offset.get(pointer);
        let words = self.memory.read_words(address + 8 * index, 2)?;
        let fields = self.fields.scissor;
        let scissor = rectangle([fields.x_min, fields.y_min, fields.x_max, fields.y_max], &words);
        Ok(all.intersect(&scissor))
    }

    /// Volume to which primitives are clipped.
    pub(crate) fn clip_volume(&self, viewport: &Viewport, is_polygon: bool) -> ClipVolume {
        let clip = &self.state.clip;
        if !clip.is_enabled {
            return ClipVolume { guard: viewport.guard, depth: false, near_is_zero: false };
        }
        // Points and lines leave the view volume only where the test is off.
        let is_strict = !is_polygon && clip.clips_viewport;
        let guard = if is_strict { [1.0; 2] } else { viewport.guard };
        ClipVolume { guard, depth: clip.clips_depth, near_is_zero: clip.near_is_zero }
    }

    /// Values of the enabled clip distances at the corners; `None` if the primitive is culled.
    pub(crate) fn clip_distances(&self, corners: &[&Slots]) -> Option<Vec<[f64; 3]>> {
        let (clips, culls) = (self.state.clip.clips, self.state.clip.culls);
        let value = |slots: &Slots, i: usize| {
            let slot = slots.get(DISTANCES + i / 4).copied().unwrap_or_default();
            f64::from(f32::from_bits(slot[i % 4]))
        };
        let is_culled = |i: usize| corners.iter().all(|slots| value(slots, i) < 0.0);
        if (0..8).any(|i| culls >> i & 1 != 0 && is_culled(i)) {
            return None;
        }
        let last = corners.len() - 1;
        let distances = (0..8).filter(|i| clips >> i & 1 != 0);
        Some(distances.map(|i| [0, 1, 2].map(|c| value(corners[c.min(last)], i))).collect())
    }
}
