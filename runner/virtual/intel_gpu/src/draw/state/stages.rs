//! State that says which stages a draw passes through.

use packets::Field;

use super::fields::Fields;
use crate::context::HardwareContext;

/// Optional stages before rasterization.
#[derive(Clone, Debug)]
pub(crate) struct Stages {
    /// Patches are tessellated.
    pub(crate) tessellates: bool,
    /// Primitives pass through a geometry shader.
    pub(crate) has_geometry: bool,
    /// Masks of the clip distances that the last stage names: those that clip, and those that cull.
    pub(crate) distances: [u64; 2],
}

impl Stages {
    /// Decodes the state of a context.
    pub(crate) fn decode(fields: &Fields, context: &HardwareContext) -> Stages {
        let (vs, te, ds, gs) = (fields.vs, fields.te, fields.ds, fields.gs);
        let tessellates = te.is_enabled.flag(context.packet("3DSTATE_TE"));
        let gs_words = context.packet("3DSTATE_GS");
        let has_geometry = gs.is_enabled.flag(gs_words);
        let masks = |fields: [Field; 2], words: &[u32]| fields.map(|field| field.get(words));
        let distances = match (has_geometry, tessellates) {
            (true, _) => masks([gs.distances, gs.culls], gs_words),
            (false, true) => masks([ds.distances, ds.culls], context.packet("3DSTATE_DS")),
            (false, false) => masks([vs.distances, vs.culls], context.packet("3DSTATE_VS")),
        };
        Stages { tessellates, has_geometry, distances }
    }
}
