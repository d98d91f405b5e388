//! State commands that a batch may contain.

/// Effect of a state command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Draws, dispatches and other commands read it.
    Modeled,
    /// It cannot change a result.
    None,
    /// It cannot change a result if all bits after its header are 0.
    NoneIfZero,
}

/// Commands that draws and dispatches read. A final `_` means all stages.
const MODELED: [&str; 46] = [
    "3DSTATE_BINDING_TABLE_POINTERS_",
    "3DSTATE_BLEND_STATE_POINTERS",
    "3DSTATE_CC_STATE_POINTERS",
    "3DSTATE_CLEAR_PARAMS",
    "3DSTATE_CLIP",
    "3DSTATE_CONSTANT_",
    "3DSTATE_DEPTH_BUFFER",
    "3DSTATE_DEPTH_STENCIL_STATE_POINTERS",
    "3DSTATE_DRAWING_RECTANGLE",
    "3DSTATE_DS",
    "3DSTATE_GS",
    "3DSTATE_HS",
    "3DSTATE_INDEX_BUFFER",
    "3DSTATE_LINE_STIPPLE",
    "3DSTATE_MULTISAMPLE",
    "3DSTATE_POLY_STIPPLE_OFFSET",
    "3DSTATE_POLY_STIPPLE_PATTERN",
    "3DSTATE_PS",
    "3DSTATE_PS_EXTRA",
    "3DSTATE_RASTER",
    "3DSTATE_SAMPLER_STATE_POINTERS_",
    "3DSTATE_SAMPLE_MASK",
    "3DSTATE_SAMPLE_PATTERN",
    "3DSTATE_SBE",
    "3DSTATE_SBE_SWIZ",
    "3DSTATE_SCISSOR_STATE_POINTERS",
    "3DSTATE_SF",
    "3DSTATE_SO_DECL_LIST",
    "3DSTATE_STENCIL_BUFFER",
    "3DSTATE_STREAMOUT",
    "3DSTATE_TE",
    "3DSTATE_VERTEX_ELEMENTS",
    "3DSTATE_VF",
    "3DSTATE_VF_SGVS",
    "3DSTATE_VF_STATISTICS",
    "3DSTATE_VF_TOPOLOGY",
    "3DSTATE_VIEWPORT_STATE_POINTERS_CC",
    "3DSTATE_VIEWPORT_STATE_POINTERS_SF_CLIP",
    "3DSTATE_VS",
    "3DSTATE_WM",
    "3DSTATE_WM_DEPTH_STENCIL",
    "3DSTATE_WM_HZ_OP",
    "MEDIA_CURBE_LOAD",
    "MEDIA_INTERFACE_DESCRIPTOR_LOAD",
    "MEDIA_VFE_STATE",
    "PIPELINE_SELECT",
];

/// Commands without effect, each with the reason.
const WITHOUT: [(&str, &str); 15] = [
    (
        "3DSTATE_AA_LINE_PARAMETERS",
        "the coverage of smooth lines is computed from their shape, not estimated",
    ),
    ("3DSTATE_HIER_DEPTH_BUFFER", "depth is stored in its surface alone, see `fragment/clear.rs`"),
    ("3DSTATE_PS_BLEND", "it repeats what the blend state says, so that units need not read it"),
    ("3DSTATE_PUSH_CONSTANT_ALLOC_", "constants are read from memory when a thread begins"),
    ("3DSTATE_RAST_MULTISAMPLE", "it serves forced sample counts, which are refused"),
    ("3DSTATE_URB_DS", "entries have room as long as they are needed"),
    ("3DSTATE_URB_GS", "as that of domain shaders"),
    ("3DSTATE_URB_HS", "as that of domain shaders"),
    ("3DSTATE_URB_VS", "as that of domain shaders"),
    ("3DSTATE_VF_COMPONENT_PACKING", "`3DSTATE_VF` enables it, and is then refused"),
    ("MEDIA_STATE_FLUSH", "a dispatch ends before the next command"),
    ("MI_ARB_CHECK", "a batch is never interrupted"),
    ("MI_ARB_ON_OFF", "a batch is never interrupted"),
    ("STATE_PREFETCH", "memory is accessed without caches"),
    ("STATE_SIP", "threads raise no exceptions, which its routine would handle"),
];

/// Commands that switch something off when they are 0, and are refused otherwise.
const WITHOUT_IF_ZERO: [(&str, &str); 4] = [
    ("3DSTATE_BINDING_TABLE_POOL_ALLOC", "binding tables lie at the base of surface states"),
    ("3DSTATE_GATHER_CONSTANT_", "constants are not gathered by the command streamer"),
    ("3DSTATE_GATHER_POOL_ALLOC", "constants are not gathered by the command streamer"),
    ("3DSTATE_WM_CHROMAKEY", "no color is a key that removes pixels"),
];

/// True if a name is that of a row, whose final `_` means all stages.
fn matches(row: &str, name: &str) -> bool {
    const STAGES: [&str; 5] = ["VS", "HS", "DS", "GS", "PS"];
    match name.strip_prefix(row) {
        Some("") => true,
        Some(stage) => row.ends_with('_') && STAGES.contains(&stage),
        None => false,
    }
}

/// Returns the effect of a state command; `None` if it is not modeled.
pub(crate) fn effect(name: &str) -> Option<Effect> {
    let is_in = |rows: &[(&str, &str)]| rows.iter().any(|(row, _)| matches(row, name));
    if MODELED.iter().any(|row| matches(row, name)) {
        return Some(Effect::Modeled);
    }
    if is_in(&WITHOUT) {
        return Some(Effect::None);
    }
    is_in(&WITHOUT_IF_ZERO).then_some(Effect::NoneIfZero)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_is_a_command_and_in_one_table() {
        let names: Vec<&str> = vocabulary::Generation::INTEL
            .iter()
            .flat_map(|generation| packets::Table::of(*generation).commands())
            .map(|layout| layout.name)
            .collect();
        let without = WITHOUT.iter().chain(&WITHOUT_IF_ZERO);
        let rows: Vec<&str> =
            MODELED.into_iter().chain(without.clone().map(|(name, _)| *name)).collect();
        for row in &rows {
            assert!(names.iter().any(|name| matches(row, name)), "{row}");
        }
        for name in names {
            let count = rows.iter().filter(|row| matches(row, name)).count();
            assert!(count <= 1, "{name} is in {count} rows");
        }
        assert!(without.into_iter().all(|(_, reason)| !reason.is_empty()));
    }

    #[test]
    fn effects() {
        assert_eq!(effect("3DSTATE_BINDING_TABLE_POINTERS_GS"), Some(Effect::Modeled));
        assert_eq!(effect("3DSTATE_PUSH_CONSTANT_ALLOC_PS"), Some(Effect::None));
        assert_eq!(effect("3DSTATE_WM_CHROMAKEY"), Some(Effect::NoneIfZero));
        assert_eq!(effect("3DSTATE_BINDING_TABLE_EDIT_PS"), None);
        assert_eq!(effect("3DSTATE_CONSTANT_BODY"), None);
    }
}
