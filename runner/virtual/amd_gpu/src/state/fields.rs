//! Fields of registers that draws and dispatches read, by subject.

use packets::Table;
use vocabulary::Stage;

use super::stage::{HardwareStage, StageFields};
use crate::registers::{Registers, register_fields};

register_fields! {
    /// Dispatches.
    DispatchFields {
        start_x: "COMPUTE_START_X" "Value",
        start_y: "COMPUTE_START_Y" "Value",
        start_z: "COMPUTE_START_Z" "Value",
        threads_x: "COMPUTE_NUM_THREAD_X" "NUM_THREAD_FULL",
        threads_y: "COMPUTE_NUM_THREAD_Y" "NUM_THREAD_FULL",
        threads_z: "COMPUTE_NUM_THREAD_Z" "NUM_THREAD_FULL",
        last_x: "COMPUTE_NUM_THREAD_X" "NUM_THREAD_PARTIAL",
        last_y: "COMPUTE_NUM_THREAD_Y" "NUM_THREAD_PARTIAL",
        last_z: "COMPUTE_NUM_THREAD_Z" "NUM_THREAD_PARTIAL",
        group_x: "COMPUTE_PGM_RSRC2" "TGID_X_EN",
        group_y: "COMPUTE_PGM_RSRC2" "TGID_Y_EN",
        group_z: "COMPUTE_PGM_RSRC2" "TGID_Z_EN",
        group_size: "COMPUTE_PGM_RSRC2" "TG_SIZE_EN",
        components: "COMPUTE_PGM_RSRC2" "TIDIG_COMP_CNT",
        local: "COMPUTE_PGM_RSRC2" "LDS_SIZE",
        scratch: "COMPUTE_TMPRING_SIZE" "WAVESIZE",
    }
}

register_fields! {
    /// Tables of border colors: of draws, of dispatches.
    BorderFields {
        low: "TA_BC_BASE_ADDR" "Value",
        high: "TA_BC_BASE_ADDR_HI" "ADDRESS",
        compute_low: "TA_CS_BC_BASE_ADDR" "Value",
        compute_high: "TA_CS_BC_BASE_ADDR_HI" "ADDRESS",
    }
}

register_fields! {
    /// Vertices and primitives.
    VertexFields {
        topology: "VGT_PRIMITIVE_TYPE" "PRIM_TYPE",
        index_offset: "VGT_INDX_OFFSET" "Value",
        restarts: "VGT_MULTI_PRIM_IB_RESET_EN" "RESET_EN",
        restart_index: "VGT_MULTI_PRIM_IB_RESET_INDX" "Value",
        step_rate: "VGT_INSTANCE_STEP_RATE_0" "Value",
        has_primitive_id: "VGT_PRIMITIVEID_EN" "PRIMITIVEID_EN",
        local_stage: "VGT_SHADER_STAGES_EN" "LS_EN",
        hull_stage: "VGT_SHADER_STAGES_EN" "HS_EN",
        export_stage: "VGT_SHADER_STAGES_EN" "ES_EN",
        geometry_stage: "VGT_SHADER_STAGES_EN" "GS_EN",
        vertex_stage: "VGT_SHADER_STAGES_EN" "VS_EN",
        streams: "VGT_STRMOUT_CONFIG" "STREAMOUT_0_EN",
        rasterized_stream: "VGT_STRMOUT_CONFIG" "RAST_STREAM",
        stream_buffers: "VGT_STRMOUT_BUFFER_CONFIG" "STREAM_0_BUFFER_EN",
        buffer_size: "VGT_STRMOUT_BUFFER_SIZE_#" "Value",
        vertex_stride: "VGT_STRMOUT_VTX_STRIDE_#" "STRIDE",
    }
}

register_fields! {
    /// Tessellation.
    TessellationFields {
        patches: "VGT_LS_HS_CONFIG" "NUM_PATCHES",
        inputs: "VGT_LS_HS_CONFIG" "HS_NUM_INPUT_CP",
        outputs: "VGT_LS_HS_CONFIG" "HS_NUM_OUTPUT_CP",
        factors: "VGT_TF_MEMORY_BASE" "Value",
        domain: "VGT_TF_PARAM" "TYPE",
        partitioning: "VGT_TF_PARAM" "PARTITIONING",
        topology: "VGT_TF_PARAM" "TOPOLOGY",
        most: "VGT_HOS_MAX_TESS_LEVEL" "Value",
        local: "SPI_SHADER_PGM_RSRC2_LS" "LDS_SIZE",
    }
}

register_fields! {
    /// Geometry shaders and their rings.
    GeometryFields {
        vertex_words: "VGT_ESGS_RING_ITEMSIZE" "ITEMSIZE",
        ring_size: "VGT_ESGS_RING_SIZE" "Value",
        output: "VGT_GS_OUT_PRIM_TYPE" "OUTPRIM_TYPE",
        has_types: "VGT_GS_OUT_PRIM_TYPE" "UNIQUE_TYPE_PER_STREAM",
        is_instanced: "VGT_GS_INSTANCE_CNT" "ENABLE",
        instances: "VGT_GS_INSTANCE_CNT" "CNT",
        stream_1: "VGT_GSVS_RING_OFFSET_1" "OFFSET",
        stream_2: "VGT_GSVS_RING_OFFSET_2" "OFFSET",
        stream_3: "VGT_GSVS_RING_OFFSET_3" "OFFSET",
        item_words: "VGT_GSVS_RING_ITEMSIZE" "ITEMSIZE",
    }
}

register_fields! {
    /// Clipping and the way to the window.
    ClipFields {
        has_miscellaneous: "PA_CL_VS_OUT_CNTL" "VS_OUT_MISC_VEC_ENA",
        has_distances_0: "PA_CL_VS_OUT_CNTL" "VS_OUT_CCDIST0_VEC_ENA",
        has_distances_1: "PA_CL_VS_OUT_CNTL" "VS_OUT_CCDIST1_VEC_ENA",
        clips_0: "PA_CL_VS_OUT_CNTL" "CLIP_DIST_ENA_0",
        has_point_size: "PA_CL_VS_OUT_CNTL" "USE_VTX_POINT_SIZE",
        has_edge_flag: "PA_CL_VS_OUT_CNTL" "USE_VTX_EDGE_FLAG",
        has_layer: "PA_CL_VS_OUT_CNTL" "USE_VTX_RENDER_TARGET_INDX",
        has_viewport: "PA_CL_VS_OUT_CNTL" "USE_VTX_VIEWPORT_INDX",
        planes: "PA_CL_CLIP_CNTL" "UCP_ENA_0",
        plane_x: "PA_CL_UCP_#_X" "Value",
        is_disabled: "PA_CL_CLIP_CNTL" "CLIP_DISABLE",
        near_is_zero: "PA_CL_CLIP_CNTL" "DX_CLIP_SPACE_DEF",
        kills: "PA_CL_CLIP_CNTL" "DX_RASTERIZATION_KILL",
        no_near: "PA_CL_CLIP_CNTL" "ZCLIP_NEAR_DISABLE",
        no_far: "PA_CL_CLIP_CNTL" "ZCLIP_FAR_DISABLE",
        scales: "PA_CL_VTE_CNTL" "VPORT_X_SCALE_ENA",
        xy_is_window: "PA_CL_VTE_CNTL" "VTX_XY_FMT",
        z_is_window: "PA_CL_VTE_CNTL" "VTX_Z_FMT",
        w_is_reciprocal: "PA_CL_VTE_CNTL" "VTX_W0_FMT",
        scale_x: "PA_CL_VPORT_XSCALE_#" "VPORT_XSCALE",
        scale_y: "PA_CL_VPORT_YSCALE_#" "VPORT_YSCALE",
        scale_z: "PA_CL_VPORT_ZSCALE_#" "VPORT_ZSCALE",
        offset_x: "PA_CL_VPORT_XOFFSET_#" "VPORT_XOFFSET",
        offset_y: "PA_CL_VPORT_YOFFSET_#" "VPORT_YOFFSET",
        offset_z: "PA_CL_VPORT_ZOFFSET_#" "VPORT_ZOFFSET",
        guard_x: "PA_CL_GB_HORZ_CLIP_ADJ" "Value",
        guard_y: "PA_CL_GB_VERT_CLIP_ADJ" "Value",
        depth_min: "PA_SC_VPORT_ZMIN_#" "Value",
        depth_max: "PA_SC_VPORT_ZMAX_#" "Value",
    }
}

register_fields! {
    /// Rasterization.
    RasterFields {
        culls_front: "PA_SU_SC_MODE_CNTL" "CULL_FRONT",
        culls_back: "PA_SU_SC_MODE_CNTL" "CULL_BACK",
        front_is_clockwise: "PA_SU_SC_MODE_CNTL" "FACE",
        has_modes: "PA_SU_SC_MODE_CNTL" "POLY_MODE",
        front_mode: "PA_SU_SC_MODE_CNTL" "POLYMODE_FRONT_PTYPE",
        back_mode: "PA_SU_SC_MODE_CNTL" "POLYMODE_BACK_PTYPE",
        offsets_front: "PA_SU_SC_MODE_CNTL" "POLY_OFFSET_FRONT_ENABLE",
        offsets_back: "PA_SU_SC_MODE_CNTL" "POLY_OFFSET_BACK_ENABLE",
        offsets_others: "PA_SU_SC_MODE_CNTL" "POLY_OFFSET_PARA_ENABLE",
        last_provokes: "PA_SU_SC_MODE_CNTL" "PROVOKING_VTX_LAST",
        has_samples: "PA_SC_MODE_CNTL_0" "MSAA_ENABLE",
        has_scissors: "PA_SC_MODE_CNTL_0" "VPORT_SCISSOR_ENABLE",
        stipples_lines: "PA_SC_MODE_CNTL_0" "LINE_STIPPLE_ENABLE",
        stipple_pattern: "PA_SC_LINE_STIPPLE" "LINE_PATTERN",
        stipple_repeats: "PA_SC_LINE_STIPPLE" "REPEAT_COUNT",
        stipple_is_reversed: "PA_SC_LINE_STIPPLE" "PATTERN_BIT_ORDER",
        stipple_reset: "PA_SC_LINE_STIPPLE" "AUTO_RESET_CNTL",
        samples: "PA_SC_AA_CONFIG" "MSAA_NUM_SAMPLES",
        sample_mask: "PA_SC_AA_MASK_X0Y0_X1Y0" "AA_MASK_X0Y0",
        sample_x: "PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_#" "S0_X",
        point_width: "PA_SU_POINT_SIZE" "WIDTH",
        point_least: "PA_SU_POINT_MINMAX" "MIN_SIZE",
        point_most: "PA_SU_POINT_MINMAX" "MAX_SIZE",
        line_width: "PA_SU_LINE_CNTL" "WIDTH",
        scissor_left: "PA_SC_VPORT_SCISSOR_#_TL" "TL_X",
        scissor_top: "PA_SC_VPORT_SCISSOR_#_TL" "TL_Y",
        scissor_right: "PA_SC_VPORT_SCISSOR_#_BR" "BR_X",
        scissor_bottom: "PA_SC_VPORT_SCISSOR_#_BR" "BR_Y",
        screen_right: "PA_SC_SCREEN_SCISSOR_BR" "BR_X",
        screen_bottom: "PA_SC_SCREEN_SCISSOR_BR" "BR_Y",
        window_left: "PA_SC_WINDOW_SCISSOR_TL" "TL_X",
        window_top: "PA_SC_WINDOW_SCISSOR_TL" "TL_Y",
        window_right: "PA_SC_WINDOW_SCISSOR_BR" "BR_X",
        window_bottom: "PA_SC_WINDOW_SCISSOR_BR" "BR_Y",
        generic_left: "PA_SC_GENERIC_SCISSOR_TL" "TL_X",
        generic_top: "PA_SC_GENERIC_SCISSOR_TL" "TL_Y",
        generic_right: "PA_SC_GENERIC_SCISSOR_BR" "BR_X",
        generic_bottom: "PA_SC_GENERIC_SCISSOR_BR" "BR_Y",
        offset_units: "PA_SU_POLY_OFFSET_DB_FMT_CNTL" "POLY_OFFSET_NEG_NUM_DB_BITS",
        offset_is_float: "PA_SU_POLY_OFFSET_DB_FMT_CNTL" "POLY_OFFSET_DB_IS_FLOAT_FMT",
        offset_clamp: "PA_SU_POLY_OFFSET_CLAMP" "Value",
        front_slope: "PA_SU_POLY_OFFSET_FRONT_SCALE" "Value",
        front_offset: "PA_SU_POLY_OFFSET_FRONT_OFFSET" "Value",
        back_slope: "PA_SU_POLY_OFFSET_BACK_SCALE" "Value",
        back_offset: "PA_SU_POLY_OFFSET_BACK_OFFSET" "Value",
    }
}

register_fields! {
    /// Inputs and outputs of fragments.
    FragmentFields {
        enabled: "SPI_PS_INPUT_ENA" "PERSP_SAMPLE_ENA",
        present: "SPI_PS_INPUT_ADDR" "PERSP_SAMPLE_ENA",
        parameter: "SPI_PS_INPUT_CNTL_#" "OFFSET",
        default: "SPI_PS_INPUT_CNTL_#" "DEFAULT_VAL",
        is_flat: "SPI_PS_INPUT_CNTL_#" "FLAT_SHADE",
        is_sprite: "SPI_PS_INPUT_CNTL_#" "PT_SPRITE_TEX",
        flat_enabled: "SPI_INTERP_CONTROL_0" "FLAT_SHADE_ENA",
        sprites_enabled: "SPI_INTERP_CONTROL_0" "PNT_SPRITE_ENA",
        sprite_is_flipped: "SPI_INTERP_CONTROL_0" "PNT_SPRITE_TOP_1",
        position_place: "SPI_BARYC_CNTL" "POS_FLOAT_LOCATION",
        position_corner: "SPI_BARYC_CNTL" "POS_FLOAT_ULC",
        face_is_mask: "SPI_BARYC_CNTL" "FRONT_FACE_ALL_BITS",
        colors: "SPI_SHADER_COL_FORMAT" "COL0_EXPORT_FORMAT",
        depth: "SPI_SHADER_Z_FORMAT" "Z_EXPORT_FORMAT",
        exports_depth: "DB_SHADER_CONTROL" "Z_EXPORT_ENABLE",
        exports_stencil: "DB_SHADER_CONTROL" "STENCIL_TEST_VAL_EXPORT_ENABLE",
        exports_mask: "DB_SHADER_CONTROL" "MASK_EXPORT_ENABLE",
        order: "DB_SHADER_CONTROL" "Z_ORDER",
        is_early: "DB_SHADER_CONTROL" "DEPTH_BEFORE_SHADER",
        kills: "DB_SHADER_CONTROL" "KILL_ENABLE",
        alpha_to_mask: "DB_ALPHA_TO_MASK" "ALPHA_TO_MASK_ENABLE",
        iterations: "DB_EQAA" "PS_ITER_SAMPLES",
    }
}

register_fields! {
    /// Render targets and blending.
    ColorFields {
        mode: "CB_COLOR_CONTROL" "MODE",
        logic: "CB_COLOR_CONTROL" "ROP3",
        target_mask: "CB_TARGET_MASK" "TARGET0_ENABLE",
        shader_mask: "CB_SHADER_MASK" "OUTPUT0_ENABLE",
        base: "CB_COLOR#_BASE" "Value",
        pitch: "CB_COLOR#_PITCH" "TILE_MAX",
        slice: "CB_COLOR#_SLICE" "TILE_MAX",
        first_layer: "CB_COLOR#_VIEW" "SLICE_START",
        last_layer: "CB_COLOR#_VIEW" "SLICE_MAX",
        format: "CB_COLOR#_INFO" "FORMAT",
        numbers: "CB_COLOR#_INFO" "NUMBER_TYPE",
        swap: "CB_COLOR#_INFO" "COMP_SWAP",
        fast_clear: "CB_COLOR#_INFO" "FAST_CLEAR",
        compression: "CB_COLOR#_INFO" "COMPRESSION",
        blend_clamp: "CB_COLOR#_INFO" "BLEND_CLAMP",
        blend_bypass: "CB_COLOR#_INFO" "BLEND_BYPASS",
        dcc: "CB_COLOR#_INFO" "DCC_ENABLE",
        key_base: "CB_COLOR#_DCC_BASE" "Value",
        mask_base: "CB_COLOR#_CMASK" "Value",
        mask_slice: "CB_COLOR#_CMASK_SLICE" "TILE_MAX",
        fragment_base: "CB_COLOR#_FMASK" "Value",
        fragment_slice: "CB_COLOR#_FMASK_SLICE" "TILE_MAX",
        fragment_pitch: "CB_COLOR#_PITCH" "FMASK_TILE_MAX",
        fragment_tile_mode: "CB_COLOR#_ATTRIB" "FMASK_TILE_MODE_INDEX",
        clear_low: "CB_COLOR#_CLEAR_WORD0" "Value",
        clear_high: "CB_COLOR#_CLEAR_WORD1" "Value",
        tile_mode: "CB_COLOR#_ATTRIB" "TILE_MODE_INDEX",
        samples: "CB_COLOR#_ATTRIB" "NUM_SAMPLES",
        opaque: "CB_COLOR#_ATTRIB" "FORCE_DST_ALPHA_1",
        blends: "CB_BLEND#_CONTROL" "ENABLE",
        has_own_alpha: "CB_BLEND#_CONTROL" "SEPARATE_ALPHA_BLEND",
        source: "CB_BLEND#_CONTROL" "COLOR_SRCBLEND",
        function: "CB_BLEND#_CONTROL" "COLOR_COMB_FCN",
        destination: "CB_BLEND#_CONTROL" "COLOR_DESTBLEND",
        source_alpha: "CB_BLEND#_CONTROL" "ALPHA_SRCBLEND",
        function_alpha: "CB_BLEND#_CONTROL" "ALPHA_COMB_FCN",
        destination_alpha: "CB_BLEND#_CONTROL" "ALPHA_DESTBLEND",
        red: "CB_BLEND_RED" "Value",
        green: "CB_BLEND_GREEN" "Value",
        blue: "CB_BLEND_BLUE" "Value",
        alpha: "CB_BLEND_ALPHA" "Value",
    }
}

register_fields! {
    /// Depth and stencil.
    DepthFields {
        tests_stencil: "DB_DEPTH_CONTROL" "STENCIL_ENABLE",
        tests_depth: "DB_DEPTH_CONTROL" "Z_ENABLE",
        writes_depth: "DB_DEPTH_CONTROL" "Z_WRITE_ENABLE",
        tests_bounds: "DB_DEPTH_CONTROL" "DEPTH_BOUNDS_ENABLE",
        function: "DB_DEPTH_CONTROL" "ZFUNC",
        is_two_sided: "DB_DEPTH_CONTROL" "BACKFACE_ENABLE",
        stencil_function: "DB_DEPTH_CONTROL" "STENCILFUNC",
        back_function: "DB_DEPTH_CONTROL" "STENCILFUNC_BF",
        fail: "DB_STENCIL_CONTROL" "STENCILFAIL",
        pass: "DB_STENCIL_CONTROL" "STENCILZPASS",
        depth_fail: "DB_STENCIL_CONTROL" "STENCILZFAIL",
        back_fail: "DB_STENCIL_CONTROL" "STENCILFAIL_BF",
        back_pass: "DB_STENCIL_CONTROL" "STENCILZPASS_BF",
        back_depth_fail: "DB_STENCIL_CONTROL" "STENCILZFAIL_BF",
        reference: "DB_STENCILREFMASK" "STENCILTESTVAL",
        test_mask: "DB_STENCILREFMASK" "STENCILMASK",
        write_mask: "DB_STENCILREFMASK" "STENCILWRITEMASK",
        operand: "DB_STENCILREFMASK" "STENCILOPVAL",
        back_reference: "DB_STENCILREFMASK_BF" "STENCILTESTVAL_BF",
        back_test_mask: "DB_STENCILREFMASK_BF" "STENCILMASK_BF",
        back_write_mask: "DB_STENCILREFMASK_BF" "STENCILWRITEMASK_BF",
        back_operand: "DB_STENCILREFMASK_BF" "STENCILOPVAL_BF",
        is_unclamped: "DB_RENDER_OVERRIDE" "DISABLE_VIEWPORT_CLAMP",
        least: "DB_DEPTH_BOUNDS_MIN" "Value",
        most: "DB_DEPTH_BOUNDS_MAX" "Value",
        format: "DB_Z_INFO" "FORMAT",
        samples: "DB_Z_INFO" "NUM_SAMPLES",
        tile_mode: "DB_Z_INFO" "TILE_MODE_INDEX",
        has_metadata: "DB_Z_INFO" "TILE_SURFACE_ENABLE",
        stencil_format: "DB_STENCIL_INFO" "FORMAT",
        stencil_tile_mode: "DB_STENCIL_INFO" "TILE_MODE_INDEX",
        depth_base: "DB_Z_WRITE_BASE" "Value",
        stencil_base: "DB_STENCIL_WRITE_BASE" "Value",
        pitch: "DB_DEPTH_SIZE" "PITCH_TILE_MAX",
        height: "DB_DEPTH_SIZE" "HEIGHT_TILE_MAX",
        slice: "DB_DEPTH_SLICE" "SLICE_TILE_MAX",
        first_layer: "DB_DEPTH_VIEW" "SLICE_START",
        last_layer: "DB_DEPTH_VIEW" "SLICE_MAX",
        is_depth_read_only: "DB_DEPTH_VIEW" "Z_READ_ONLY",
        is_stencil_read_only: "DB_DEPTH_VIEW" "STENCIL_READ_ONLY",
        htile_base: "DB_HTILE_DATA_BASE" "Value",
        htile_is_linear: "DB_HTILE_SURFACE" "TC_COMPATIBLE",
        htile_without_stencil: "DB_STENCIL_INFO" "TILE_STENCIL_DISABLE",
        tiles: "DB_DEPTH_INFO" "ARRAY_MODE",
        split: "DB_Z_INFO" "TILE_SPLIT",
        stencil_split: "DB_STENCIL_INFO" "TILE_SPLIT",
        expands_depth: "DB_RENDER_CONTROL" "DEPTH_COMPRESS_DISABLE",
        expands_stencil: "DB_RENDER_CONTROL" "STENCIL_COMPRESS_DISABLE",
        copies_depth: "DB_RENDER_CONTROL" "DEPTH_COPY",
        copies_stencil: "DB_RENDER_CONTROL" "STENCIL_COPY",
        copied_sample: "DB_RENDER_CONTROL" "COPY_SAMPLE",
        clears_depth: "DB_RENDER_CONTROL" "DEPTH_CLEAR_ENABLE",
        clears_stencil: "DB_RENDER_CONTROL" "STENCIL_CLEAR_ENABLE",
        depth_clear: "DB_DEPTH_CLEAR" "Value",
        stencil_clear: "DB_STENCIL_CLEAR" "CLEAR",
        counts_exactly: "DB_COUNT_CONTROL" "PERFECT_ZPASS_COUNTS",
        counts_nothing: "DB_COUNT_CONTROL" "ZPASS_INCREMENT_DISABLE",
    }
}

register_fields! {
    /// Draws of what stream output wrote: double words.
    OutputFields {
        filled: "VGT_STRMOUT_DRAW_OPAQUE_BUFFER_FILLED_SIZE" "Value",
        offset: "VGT_STRMOUT_DRAW_OPAQUE_OFFSET" "Value",
        stride: "VGT_STRMOUT_DRAW_OPAQUE_VERTEX_STRIDE" "VERTEX_STRIDE",
    }
}

/// Fields of all registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields {
    pub(crate) dispatch: DispatchFields,
    pub(crate) border: BorderFields,
    pub(crate) vertex: VertexFields,
    pub(crate) tessellation: TessellationFields,
    pub(crate) geometry: GeometryFields,
    pub(crate) clip: ClipFields,
    pub(crate) raster: RasterFields,
    pub(crate) fragment: FragmentFields,
    pub(crate) color: ColorFields,
    pub(crate) depth: DepthFields,
    pub(crate) output: OutputFields,
    /// Programs by stage.
    pub(crate) stages: [StageFields; HardwareStage::ALL.len()],
}

impl Fields {
    /// Resolves the names in the table of a generation.
    pub(crate) fn resolve(table: &Table) -> Fields {
        Fields {
            dispatch: DispatchFields::resolve(table),
            border: BorderFields::resolve(table),
            vertex: VertexFields::resolve(table),
            tessellation: TessellationFields::resolve(table),
            geometry: GeometryFields::resolve(table),
            clip: ClipFields::resolve(table),
            raster: RasterFields::resolve(table),
            fragment: FragmentFields::resolve(table),
            color: ColorFields::resolve(table),
            depth: DepthFields::resolve(table),
            output: OutputFields::resolve(table),
            stages: HardwareStage::ALL.map(|stage| StageFields::resolve(table, stage)),
        }
    }

    /// The stage of the API whose shader a hardware stage runs. The program that copies what a
    /// geometry shader wrote is part of it.
    pub(crate) fn api_stage(&self, registers: &Registers, stage: HardwareStage) -> Stage {
        let has_geometry = self.vertex.geometry_stage.flag(registers);
        match stage {
            HardwareStage::Ps => Stage::Fragment,
            HardwareStage::Cs => Stage::Compute,
            HardwareStage::Gs => Stage::Geometry,
            HardwareStage::Hs => Stage::TessControl,
            HardwareStage::Ls => Stage::Vertex,
            HardwareStage::Vs if has_geometry => Stage::Geometry,
            HardwareStage::Es | HardwareStage::Vs => {
                let is_tessellated = self.vertex.hull_stage.flag(registers);
                if is_tessellated { Stage::TessEval } else { Stage::Vertex }
            }
        }
    }

    /// Addresses of all registers that are read.
    pub(crate) fn addresses(&self) -> Vec<u32> {
        let mut all = Vec::new();
        self.dispatch.addresses(&mut all);
        self.border.addresses(&mut all);
        self.vertex.addresses(&mut all);
        self.tessellation.addresses(&mut all);
        self.geometry.addresses(&mut all);
        self.clip.addresses(&mut all);
        self.raster.addresses(&mut all);
        self.fragment.addresses(&mut all);
        self.color.addresses(&mut all);
        self.depth.addresses(&mut all);
        self.output.addresses(&mut all);
        self.stages.iter().for_each(|stage| stage.addresses(&mut all));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vocabulary::Generation;

    #[test]
    fn names_exist() {
        let tables = Generation::AMD.map(Table::of);
        let lists = [
            DispatchFields::NAMES,
            BorderFields::NAMES,
            VertexFields::NAMES,
            TessellationFields::NAMES,
            GeometryFields::NAMES,
            ClipFields::NAMES,
            RasterFields::NAMES,
            FragmentFields::NAMES,
            ColorFields::NAMES,
            DepthFields::NAMES,
            OutputFields::NAMES,
        ];
        for (register, field) in lists.into_iter().flatten() {
            let exists = |table: &&Table| {
                crate::registers::RegisterField::resolve(table, register, field).exists()
            };
            assert!(tables.iter().any(exists), "{register} {field}");
        }
    }
}
