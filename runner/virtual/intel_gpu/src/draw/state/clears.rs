//! State that gives rectangles another effect than being shaded.

use packets::Field;

use super::fields::Fields;
use crate::context::HardwareContext;

/// Effect of a rectangle on surfaces instead of being shaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Special {
    /// All texels of the render target get the clear color of its state.
    ClearColor,
    /// The pixels of the rectangle get the clear depth.
    ClearDepth,
    /// Compressed data are written back, of which there are none.
    Resolve,
}

impl Special {
    /// Decodes the state of a context; `None` if rectangles are shaded.
    pub(crate) fn decode(fields: &Fields, context: &HardwareContext) -> Option<Special> {
        let (wm, ps) = (fields.wm, fields.ps);
        let (wm_words, ps_words) = (context.packet("3DSTATE_WM"), context.packet("3DSTATE_PS"));
        let any = |fields: &[Field], words: &[u32]| fields.iter().any(|field| field.flag(words));
        if ps.fast_clears.flag(ps_words) {
            return Some(Special::ClearColor);
        }
        if any(&[wm.clears_depth, wm.clears_depth_legacy], wm_words) {
            return Some(Special::ClearDepth);
        }
        let depth =
            [wm.resolves_depth, wm.resolves_hiz, wm.resolves_depth_legacy, wm.resolves_hiz_legacy];
        let resolves = any(&[ps.resolves, ps.resolve_type], ps_words) || any(&depth, wm_words);
        resolves.then_some(Special::Resolve)
    }
}
