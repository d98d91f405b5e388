//! Registers that packets may set: those that are modeled, and those without an effect here.

use packets::Table;
use rustc_hash::FxHashMap;

use crate::state::Fields;

/// Permitted values of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Values {
    All,
    /// Bits of a mask have a value.
    Bits {
        mask: u32,
        value: u32,
    },
    /// One of these.
    These(&'static [u32]),
}

/// Registers that change nothing here, by the beginning of their names, with the reason.
const WITHOUT_EFFECT: &[(&str, &[&str])] = &[
    (
        "work is distributed to units, queues and caches that do not exist",
        &[
            "SPI_SHADER_PGM_RSRC3_",
            "SPI_SHADER_LATE_ALLOC_VS",
            "SPI_CONFIG_CNTL",
            "SPI_TMPRING_SIZE",
            "COMPUTE_TMPRING_SIZE",
            "COMPUTE_STATIC_THREAD_MGMT_SE",
            "COMPUTE_RESOURCE_LIMITS",
            "COMPUTE_MAX_WAVE_ID",
            "IA_MULTI_VGT_PARAM",
            "VGT_VERTEX_REUSE_BLOCK_CNTL",
            "VGT_OUT_DEALLOC_CNTL",
            "VGT_GS_PER_ES",
            "VGT_ES_PER_GS",
            "VGT_GS_PER_VS",
            "VGT_REUSE_OFF",
            "VGT_VTX_CNT_EN",
            "VGT_TESS_DISTRIBUTION",
            "PA_SC_RASTER_CONFIG",
            "PA_SC_MODE_CNTL_1",
            "PA_SU_PRIM_FILTER_CNTL",
            "PA_SU_SMALL_PRIM_FILTER_CNTL",
            "GRBM_GFX_INDEX",
            "VGT_GS_ONCHIP_CNTL",
            "VGT_GROUP_",
            "VGT_OUTPUT_PATH_CNTL",
            "VGT_ENHANCE",
            "VGT_DISPATCH_DRAW_INDEX",
            "VGT_MAX_VTX_INDX",
            "VGT_MIN_VTX_INDX",
            "VGT_DMA_",
            "CP_STRMOUT_CNTL",
        ],
    ),
    (
        "trap handlers and the memory of traps, which do not run",
        &["SPI_SHADER_TBA_", "SPI_SHADER_TMA_", "COMPUTE_TMA_"],
    ),
    (
        "hierarchical depth and early decisions: results are those of late ones",
        &["DB_RENDER_OVERRIDE", "DB_SRESULTS_COMPARE_STATE", "DB_PRELOAD_CONTROL"],
    ),
    ("caches and reads ahead of metadata of depths", &["DB_HTILE_SURFACE"]),
    (
        "sizes of blocks of compressed colors: none is written",
        &["CB_COLOR#_DCC_CONTROL", "CB_DCC_CONTROL"],
    ),
    (
        "reads of depth go to the address of writes: drivers set both to one",
        &["DB_Z_READ_BASE", "DB_STENCIL_READ_BASE"],
    ),
    (
        "numbers of exports: the exports themselves say it",
        &["SPI_VS_OUT_CONFIG", "SPI_PS_IN_CONTROL", "SPI_SHADER_POS_FORMAT"],
    ),
    ("bounds of what a later synchronization covers", &["COHER_DEST_BASE"]),
    ("rectangles that the rule does not use", &["PA_SC_CLIPRECT_#_TL"]),
    (
        "rings and stages that a draw reads when they take part",
        &[
            "VGT_ESGS_RING_",
            "VGT_GSVS_RING_",
            "VGT_TF_",
            "VGT_HS_OFFCHIP_PARAM",
            "VGT_GS_",
            "VGT_LS_HS_CONFIG",
            "VGT_HOS_",
            "VGT_STRMOUT_",
            "VGT_PRIMITIVEID_RESET",
        ],
    ),
    (
        "details of edges of lines and points, and of not-a-number in clipping",
        &[
            "PA_SC_LINE_CNTL",
            "PA_SC_LINE_STIPPLE_STATE",
            "PA_SU_LINE_STIPPLE_",
            "PA_CL_POINT_",
            "PA_CL_ENHANCE",
            "PA_CL_NANINF_CNTL",
            "PA_CL_GB_VERT_DISC_ADJ",
            "PA_CL_GB_HORZ_DISC_ADJ",
            "PA_SC_CENTROID_PRIORITY_",
            "PA_SC_AA_MASK_X0Y1_X1Y1",
            "PA_SC_AA_SAMPLE_LOCS_PIXEL_",
        ],
    ),
    ("top left corners that are always 0", &["PA_SC_SCREEN_SCISSOR_TL"]),
];

/// Registers of which only some values are modeled.
const RESTRICTED: &[(&str, Values)] = &[
    ("PA_SC_CLIPRECT_RULE", Values::These(&[0xffff])),
    // Triangles have the rule of upper left edges. Those of points, rectangles and lines differ
    // from driver to driver.
    ("PA_SC_EDGERULE", Values::Bits { mask: 0xf, value: 0xa }),
    // Rounding to nearest even, pixel centers at halves, any precision.
    ("PA_SU_VTX_CNTL", Values::These(&[0x2d, 0x35, 0x3d, 5])),
    ("PA_SU_HARDWARE_SCREEN_OFFSET", Values::All),
    // Read beside the first of each plane.
    ("PA_CL_UCP_", Values::All),
    ("PA_SC_WINDOW_OFFSET", Values::These(&[0])),
    ("VGT_INSTANCE_STEP_RATE_1", Values::Bits { mask: u32::MAX, value: 0 }),
];

/// Permitted values by the addresses of registers.
#[derive(Clone, Debug)]
pub(crate) struct Effects(FxHashMap<u32, Values>);

impl Effects {
    /// Finds the registers in the table of a generation.
    pub(crate) fn resolve(table: &Table) -> Effects {
        let modeled: Vec<u32> = Fields::resolve(table).addresses();
        let mut effects: FxHashMap<u32, Values> =
            modeled.into_iter().map(|address| (address, Values::All)).collect();
        let names = WITHOUT_EFFECT.iter().flat_map(|(_, names)| names.iter());
        let rows = names.map(|name| (*name, Values::All)).chain(RESTRICTED.iter().copied());
        for (name, values) in rows {
            for layout in table.registers().filter(|layout| layout.name.starts_with(name)) {
                let address = layout.offset + layout.index * layout.distance;
                effects.insert(address, values);
            }
        }
        Effects(effects)
    }

    /// True if a register may have a value.
    pub(crate) fn permits(&self, address: u32, value: u32) -> bool {
        match self.0.get(&address) {
            Some(Values::All) => true,
            Some(Values::Bits { mask, value: permitted }) => value & mask == *permitted,
            Some(Values::These(values)) => values.contains(&value),
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vocabulary::Generation;

    #[test]
    fn names_begin_names_of_registers() {
        let tables = Generation::AMD.map(Table::of);
        let all = WITHOUT_EFFECT.iter().flat_map(|(_, names)| names.iter().copied());
        for name in all.chain(RESTRICTED.iter().map(|row| row.0)) {
            let begins = |table: &&Table| table.registers().any(|r| r.name.starts_with(name));
            assert!(tables.iter().any(begins), "{name}");
        }
    }

    #[test]
    fn values() {
        let effects = Effects::resolve(Table::of(Generation::Si));
        assert!(effects.permits(0x2820c, 0xffff) && !effects.permits(0x2820c, 0));
        assert!(effects.permits(0x28800, 7) && !effects.permits(0x9000, 0));
        // The last register with a value of the driver.
        assert!(effects.permits(0xb16c, 1) && effects.permits(0xb93c, 1));
    }
}
