//! State of clipping.

use super::fields::Fields;
use crate::context::HardwareContext;

/// Decoded state of clipping.
#[derive(Clone, Debug)]
pub(crate) struct ClipState {
    pub(crate) is_enabled: bool,
    /// Number of the clip mode.
    pub(crate) mode: u64,
    /// Mask of the clip distances that clip.
    pub(crate) clips: u64,
    /// Mask of the clip distances that cull.
    pub(crate) culls: u64,
    pub(crate) has_guard_band: bool,
    /// Number of the last viewport.
    pub(crate) max_viewport: u64,
    /// All primitives go to the first layer.
    pub(crate) forces_first_layer: bool,
    pub(crate) clips_depth: bool,
    pub(crate) clips_viewport: bool,
    /// Depths of clip coordinates begin at 0, not at -w.
    pub(crate) near_is_zero: bool,
}

impl ClipState {
    /// Decodes the state of a context. `last_stage` has the masks of the clip distances that the
    /// last stage names: those that clip, and those that cull.
    pub(crate) fn decode(
        fields: &Fields,
        context: &HardwareContext,
        last_stage: [u64; 2],
    ) -> ClipState {
        let (clip, raster) = (fields.clip, fields.raster);
        let words = context.packet("3DSTATE_CLIP");
        let raster_words = context.packet("3DSTATE_RASTER");
        // Later generations take the masks from the last stage, unless the clip state forces them.
        let mask = |own: packets::Field, forces: packets::Field, stage| {
            if forces.exists() && !forces.flag(words) { stage } else { own.get(words) }
        };
        ClipState {
            is_enabled: clip.is_enabled.flag(words),
            mode: clip.mode.get(words),
            clips: mask(clip.distances, clip.forces_distances, last_stage[0]),
            culls: mask(clip.cull_distances, clip.forces_culls, last_stage[1]),
            has_guard_band: clip.has_guard_band.flag(words),
            max_viewport: clip.max_viewport.get(words),
            forces_first_layer: clip.forces_layer_0.flag(words),
            clips_depth: clip.clips_depth.flag(words)
                || raster.clips_depth.flag(raster_words)
                || raster.clips_near.flag(raster_words),
            clips_viewport: clip.clips_viewport.flag(words),
            near_is_zero: clip.api.flag(words),
        }
    }

    /// True if the clipper rejects all primitives.
    pub(crate) fn rejects_all(&self) -> bool {
        self.is_enabled && self.mode == 3
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use packets::Table;
    use vocabulary::Generation;

    #[test]
    fn masks_of_clip_distances() {
        let decode = |generation, words: Vec<u32>| {
            let mut context = HardwareContext::default();
            context.store("3DSTATE_CLIP", words);
            let state =
                ClipState::decode(&Fields::resolve(Table::of(generation)), &context, [5, 6]);
            (state.clips, state.culls)
        };
        let set = |generation, names: &[(&str, u32)]| {
            let layout = Table::of(generation).named("3DSTATE_CLIP").expect("a packet");
            let mut words = vec![0; 4];
            for (name, value) in names {
                let field = layout.field(name);
                words[(field.start / 32) as usize] |= value << (field.start % 32);
            }
            words
        };
        let own = ("User Clip Distance Clip Test Enable Bitmask", 9);
        let force = ("Force User Clip Distance Clip Test Enable Bitmask", 1);
        assert_eq!(decode(Generation::Ivb, set(Generation::Ivb, &[own])), (9, 0));
        assert_eq!(decode(Generation::Skl, set(Generation::Skl, &[own])), (5, 6));
        assert_eq!(decode(Generation::Skl, set(Generation::Skl, &[own, force])), (9, 6));
    }
}
