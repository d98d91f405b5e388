//! Fields of the state that draws read.

use packets::Table;

packets::fields! {
    pub(crate) struct Primitive of "3DPRIMITIVE" {
        is_predicated: "Predicate Enable",
        is_indirect: "Indirect Parameter Enable",
        topology: "Primitive Topology Type",
        is_random: "Vertex Access Type",
        end_offset: "End Offset Enable",
        vertices: "Vertex Count Per Instance",
        first_vertex: "Start Vertex Location",
        base_vertex: "Base Vertex Location",
        instances: "Instance Count",
        first_instance: "Start Instance Location",
    }
}
packets::fields! {
    pub(crate) struct Topology of "3DSTATE_VF_TOPOLOGY" {
        kind: "Primitive Topology Type",
    }
}
packets::fields! {
    pub(crate) struct VertexBuffer of "VERTEX_BUFFER_STATE" {
        pitch: "Buffer Pitch",
        is_null: "Null Vertex Buffer",
        is_instanced: "Buffer Access Type",
        index: "Vertex Buffer Index",
        start: "Buffer Starting Address",
        end: "End Address",
        size: "Buffer Size",
        step: "Instance Data Step Rate",
    }
}
packets::fields! {
    pub(crate) struct Instancing of "3DSTATE_VF_INSTANCING" {
        element: "Vertex Element Index",
        is_instanced: "Instancing Enable",
        step: "Instance Data Step Rate",
    }
}
packets::fields! {
    pub(crate) struct VertexElement of "VERTEX_ELEMENT_STATE" {
        offset: "Source Element Offset",
        format: "Source Element Format",
        is_valid: "Valid",
        is_edge_flag: "Edge Flag Enable",
        buffer: "Vertex Buffer Index",
        component_0: "Component 0 Control",
        component_1: "Component 1 Control",
        component_2: "Component 2 Control",
        component_3: "Component 3 Control",
    }
}
packets::fields! {
    pub(crate) struct SystemValues of "3DSTATE_VF_SGVS" {
        has_vertex_id: "VertexID Enable",
        vertex_id_element: "VertexID Element Offset",
        vertex_id_component: "VertexID Component Number",
        has_instance_id: "InstanceID Enable",
        instance_id_element: "InstanceID Element Offset",
        instance_id_component: "InstanceID Component Number",
    }
}
packets::fields! {
    pub(crate) struct Vs of "3DSTATE_VS" {
        is_enabled: "Enable",
        kernel: "Kernel Start Pointer",
        scratch: "Per-Thread Scratch Space",
        is_wide: "SIMD8 Dispatch Enable",
        inputs: "Dispatch GRF Start Register For URB Data",
        read_offset: "Vertex URB Entry Read Offset",
        read_length: "Vertex URB Entry Read Length",
        distances: "User Clip Distance Clip Test Enable Bitmask",
        culls: "User Clip Distance Cull Test Enable Bitmask",
    }
}
packets::fields! {
    pub(crate) struct Constants of "3DSTATE_CONSTANT_BODY" {
        length_0: "Read Length[0]",
        length_1: "Read Length[1]",
        length_2: "Read Length[2]",
        length_3: "Read Length[3]",
        buffer_0: "Buffer[0]",
        buffer_1: "Buffer[1]",
        buffer_2: "Buffer[2]",
        buffer_3: "Buffer[3]",
    }
}
packets::fields! {
    pub(crate) struct IndexBuffer of "3DSTATE_INDEX_BUFFER" {
        format: "Index Format",
        start: "Buffer Starting Address",
        cuts: "Cut Index Enable",
        end: "Buffer Ending Address",
        size: "Buffer Size",
    }
}
packets::fields! {
    pub(crate) struct ViewportPointer of "3DSTATE_VIEWPORT_STATE_POINTERS_SF_CLIP" {
        offset: "SF Clip Viewport Pointer",
    }
}
packets::fields! {
    pub(crate) struct Attribute of "SF_OUTPUT_ATTRIBUTE_DETAIL" {
        source: "Source Attribute",
        swizzle: "Swizzle Select",
        constant: "Constant Source",
        overrides_x: "Component Override X",
        overrides_y: "Component Override Y",
        overrides_z: "Component Override Z",
        overrides_w: "Component Override W",
    }
}
packets::fields! {
    pub(crate) struct Hs of "3DSTATE_HS" {
        is_enabled: "Enable",
        kernel: "Kernel Start Pointer",
        scratch: "Per-Thread Scratch Space",
        inputs: "Dispatch GRF Start Register For URB Data",
        instances: "Instance Count",
        mode: "Dispatch Mode",
    }
}
packets::fields! {
    pub(crate) struct Te of "3DSTATE_TE" {
        is_enabled: "TE Enable",
        mode: "TE Mode",
        domain: "TE Domain",
        topology: "Output Topology",
        partitioning: "Partitioning",
    }
}
packets::fields! {
    pub(crate) struct Ds of "3DSTATE_DS" {
        is_enabled: "Enable",
        kernel: "Kernel Start Pointer",
        scratch: "Per-Thread Scratch Space",
        inputs: "Dispatch GRF Start Register For URB Data",
        mode: "Dispatch Mode",
        read_offset: "Patch URB Entry Read Offset",
        read_length: "Patch URB Entry Read Length",
        distances: "User Clip Distance Clip Test Enable Bitmask",
        culls: "User Clip Distance Cull Test Enable Bitmask",
    }
}
packets::fields! {
    pub(crate) struct Gs of "3DSTATE_GS" {
        is_enabled: "Enable",
        kernel: "Kernel Start Pointer",
        scratch: "Per-Thread Scratch Space",
        inputs: "Dispatch GRF Start Register For URB Data",
        inputs_high: "Dispatch GRF Start Register For URB Data [5:4]",
        mode: "Dispatch Mode",
        topology: "Output Topology",
        vertex_size: "Output Vertex Size",
        has_id: "Include Primitive ID",
        has_handles: "Include Vertex Handles",
        read_offset: "Vertex URB Entry Read Offset",
        read_length: "Vertex URB Entry Read Length",
        instances: "Instance Control",
        control_size: "Control Data Header Size",
        control_is_stream: "Control Data Format",
        default_stream: "Default StreamID",
        default_stream_new: "Default Stream Id",
        expected: "Expected Vertex Count",
        is_static: "Static Output",
        static_count: "Static Output Vertex Count",
        distances: "User Clip Distance Clip Test Enable Bitmask",
        culls: "User Clip Distance Cull Test Enable Bitmask",
    }
}
packets::fields! {
    pub(crate) struct StreamOut of "3DSTATE_STREAMOUT" {
        is_enabled: "SO Function Enable",
        draws_nothing: "Rendering Disable",
        stream: "Render Stream Select",
        forces: "Force Rendering",
        trails: "Reorder Mode",
        enables_0: "SO Buffer Enable [0]",
        enables_1: "SO Buffer Enable [1]",
        enables_2: "SO Buffer Enable [2]",
        enables_3: "SO Buffer Enable [3]",
        offset_0: "Stream 0 Vertex Read Offset",
        offset_1: "Stream 1 Vertex Read Offset",
        offset_2: "Stream 2 Vertex Read Offset",
        offset_3: "Stream 3 Vertex Read Offset",
        pitch_0: "Buffer 0 Surface Pitch",
        pitch_1: "Buffer 1 Surface Pitch",
        pitch_2: "Buffer 2 Surface Pitch",
        pitch_3: "Buffer 3 Surface Pitch",
    }
}
packets::fields! {
    pub(crate) struct OutputBuffer of "3DSTATE_SO_BUFFER" {
        index: "SO Buffer Index",
        is_enabled: "SO Buffer Enable",
        pitch: "Surface Pitch",
        base: "Surface Base Address",
        end: "Surface End Address",
        size: "Surface Size",
        has_offset_address: "Stream Output Buffer Offset Address Enable",
        offset_address: "Stream Output Buffer Offset Address",
        sets_offset: "Stream Offset Write Enable",
        offset: "Stream Offset",
    }
}
packets::fields! {
    pub(crate) struct Declaration of "SO_DECL" {
        mask: "Component Mask",
        register: "Register Index",
        is_hole: "Hole Flag",
        buffer: "Output Buffer Slot",
    }
}
packets::fields! {
    pub(crate) struct SampleMask of "3DSTATE_SAMPLE_MASK" {
        mask: "Sample Mask",
    }
}
packets::fields! {
    pub(crate) struct VfStatistics of "3DSTATE_VF_STATISTICS" {
        is_enabled: "Statistics Enable",
    }
}
packets::fields! {
    pub(crate) struct Sampler of "SAMPLER_STATE" {
        bias: "Texture LOD Bias",
        min: "Min Mode Filter",
        mag: "Mag Mode Filter",
        mip: "Mip Mode Filter",
        base_level: "Base Mip Level",
        shadow: "Shadow Function",
        has_key: "ChromaKey Enable",
        max_lod: "Max LOD",
        min_lod: "Min LOD",
        border: "Border Color Pointer",
        wrap_x: "TCX Address Control Mode",
        wrap_y: "TCY Address Control Mode",
        wrap_z: "TCZ Address Control Mode",
        is_unnormalized: "Non-normalized Coordinate Enable",
        overrides_cubes: "Cube Surface Control Mode",
    }
}
packets::fields! {
    pub(crate) struct DepthBuffer of "3DSTATE_DEPTH_BUFFER" {
        pitch: "Surface Pitch",
        format: "Surface Format",
        writes_stencil: "Stencil Write Enable",
        writes_depth: "Depth Write Enable",
        kind: "Surface Type",
        base: "Surface Base Address",
        level: "LOD",
        width: "Width",
        height: "Height",
        min_array_element: "Minimum Array Element",
        depth: "Depth",
        x_offset: "Depth Coordinate Offset X",
        y_offset: "Depth Coordinate Offset Y",
        qpitch: "Surface QPitch",
        is_tiled_resource: "Tiled Resource Mode",
    }
}
packets::fields! {
    pub(crate) struct StencilBuffer of "3DSTATE_STENCIL_BUFFER" {
        pitch: "Surface Pitch",
        is_enabled: "Stencil Buffer Enable",
        base: "Surface Base Address",
        qpitch: "Surface QPitch",
    }
}
packets::fields! {
    pub(crate) struct ClearParams of "3DSTATE_CLEAR_PARAMS" {
        depth: "Depth Clear Value",
    }
}
packets::fields! {
    pub(crate) struct HzOp of "3DSTATE_WM_HZ_OP" {
        clears_depth: "Depth Buffer Clear Enable",
        clears_stencil: "Stencil Buffer Clear Enable",
        stencil: "Stencil Clear Value",
        samples: "Number of Multisamples",
        x_min: "Clear Rectangle X Min",
        y_min: "Clear Rectangle Y Min",
        x_max: "Clear Rectangle X Max",
        y_max: "Clear Rectangle Y Max",
    }
}
packets::fields! {
    pub(crate) struct CcPointer of "3DSTATE_CC_STATE_POINTERS" {
        offset: "Color Calc State Pointer",
    }
}
packets::fields! {
    pub(crate) struct ColorCalc of "COLOR_CALC_STATE" {
        alpha_is_float: "Alpha Test Format",
        alpha_float: "Alpha Reference Value As FLOAT32",
        stencil: "Stencil Reference Value",
        back_stencil: "Backface Stencil Reference Value",
        red: "Blend Constant Color Red",
        green: "Blend Constant Color Green",
        blue: "Blend Constant Color Blue",
        alpha: "Blend Constant Color Alpha",
    }
}
packets::fields! {
    pub(crate) struct CcViewportPointer of "3DSTATE_VIEWPORT_STATE_POINTERS_CC" {
        offset: "CC Viewport Pointer",
    }
}
packets::fields! {
    pub(crate) struct ClipViewport of "SF_CLIP_VIEWPORT" {
        scale_x: "Viewport Matrix Element m00",
        scale_y: "Viewport Matrix Element m11",
        scale_z: "Viewport Matrix Element m22",
        move_x: "Viewport Matrix Element m30",
        move_y: "Viewport Matrix Element m31",
        move_z: "Viewport Matrix Element m32",
        guard_x: "X Max Clip Guardband",
        guard_y: "Y Max Clip Guardband",
        x_min: "X Min ViewPort",
        x_max: "X Max ViewPort",
        y_min: "Y Min ViewPort",
        y_max: "Y Max ViewPort",
    }
}
packets::fields! {
    pub(crate) struct CutIndex of "3DSTATE_VF" {
        is_enabled: "Indexed Draw Cut Index Enable",
        index: "Cut Index",
        is_packed: "Component Packing Enable",
    }
}
packets::fields! {
    pub(crate) struct Sf of "3DSTATE_SF" {
        transforms: "Viewport Transform Enable",
        offset_point: "Global Depth Offset Enable Point",
        offset_line: "Global Depth Offset Enable Wireframe",
        offset_solid: "Global Depth Offset Enable Solid",
        offset_constant: "Global Depth Offset Constant",
        offset_scale: "Global Depth Offset Scale",
        offset_clamp: "Global Depth Offset Clamp",
        line_stipples: "Line Stipple Enable",
        antialiases: "Antialiasing Enable",
        line_width: "Line Width",
        line_width_chv: "CHV Line Width",
        point_width: "Point Width",
        point_width_is_state: "Point Width Source",
        is_smooth_point: "Smooth Point Enable",
        provoking_line: "Line Strip/List Provoking Vertex Select",
        front_fill: "FrontFace Fill Mode",
        back_fill: "BackFace Fill Mode",
        winding: "Front Winding",
        cull: "Cull Mode",
        provoking_list: "Triangle Strip/List Provoking Vertex Select",
        provoking_fan: "Triangle Fan Provoking Vertex Select",
        scissor: "Scissor Rectangle Enable",
    }
}
packets::fields! {
    pub(crate) struct StippleOffset of "3DSTATE_POLY_STIPPLE_OFFSET" {
        x: "Polygon Stipple X Offset",
        y: "Polygon Stipple Y Offset",
    }
}
packets::fields! {
    pub(crate) struct LineStipple of "3DSTATE_LINE_STIPPLE" {
        pattern: "Line Stipple Pattern",
        repeat: "Line Stipple Repeat Count",
    }
}
packets::fields! {
    pub(crate) struct Raster of "3DSTATE_RASTER" {
        offset_point: "Global Depth Offset Enable Point",
        offset_line: "Global Depth Offset Enable Wireframe",
        offset_solid: "Global Depth Offset Enable Solid",
        offset_constant: "Global Depth Offset Constant",
        offset_scale: "Global Depth Offset Scale",
        offset_clamp: "Global Depth Offset Clamp",
        antialiases: "Antialiasing Enable",
        is_smooth_point: "Smooth Point Enable",
        clips_depth: "Viewport Z Clip Test Enable",
        clips_near: "Viewport Z Near Clip Test Enable",
        clips_far: "Viewport Z Far Clip Test Enable",
        is_conservative: "Conservative Rasterization Enable",
        forced_samples: "Forced Sample Count",
        multisamples: "DX Multisample Rasterization Enable",
        front_fill: "Front Face Fill Mode",
        back_fill: "Back Face Fill Mode",
        winding: "Front Winding",
        cull: "Cull Mode",
        scissor: "Scissor Rectangle Enable",
    }
}
packets::fields! {
    pub(crate) struct Clip of "3DSTATE_CLIP" {
        distances: "User Clip Distance Clip Test Enable Bitmask",
        cull_distances: "User Clip Distance Cull Test Enable Bitmask",
        forces_distances: "Force User Clip Distance Clip Test Enable Bitmask",
        forces_culls: "Force User Clip Distance Cull Test Enable Bitmask",
        is_enabled: "Clip Enable",
        mode: "Clip Mode",
        has_guard_band: "Guardband Clip Test Enable",
        clips_depth: "Viewport Z Clip Test Enable",
        clips_viewport: "Viewport XY Clip Test Enable",
        api: "API Mode",
        has_no_divide: "Perspective Divide Disable",
        max_viewport: "Maximum VP Index",
        forces_layer_0: "Force Zero RTA Index Enable",
        min_point: "Minimum Point Width",
        max_point: "Maximum Point Width",
    }
}
packets::fields! {
    pub(crate) struct ScissorPointer of "3DSTATE_SCISSOR_STATE_POINTERS" {
        offset: "Scissor Rect Pointer",
    }
}
packets::fields! {
    pub(crate) struct Scissor of "SCISSOR_RECT" {
        x_min: "Scissor Rectangle X Min",
        y_min: "Scissor Rectangle Y Min",
        x_max: "Scissor Rectangle X Max",
        y_max: "Scissor Rectangle Y Max",
    }
}
packets::fields! {
    pub(crate) struct Multisample of "3DSTATE_MULTISAMPLE" {
        samples: "Number of Multisamples",
    }
}
packets::fields! {
    pub(crate) struct Rectangle of "3DSTATE_DRAWING_RECTANGLE" {
        x_min: "Clipped Drawing Rectangle X Min",
        y_min: "Clipped Drawing Rectangle Y Min",
        x_max: "Clipped Drawing Rectangle X Max",
        y_max: "Clipped Drawing Rectangle Y Max",
    }
}
packets::fields! {
    pub(crate) struct Wm of "3DSTATE_WM" {
        barycentrics: "Barycentric Interpolation Mode",
        dispatches: "Thread Dispatch Enable",
        clears_depth: "Depth Buffer Clear",
        resolves_depth: "Depth Buffer Resolve Enable",
        resolves_hiz: "Hierarchical Depth Buffer Resolve Enable",
        stipples: "Polygon Stipple Enable",
        uses_depth: "Pixel Shader Uses Source Depth",
        uses_w: "Pixel Shader Uses Source W",
        uses_coverage: "Pixel Shader Uses Input Coverage Mask",
        line_stipples: "Line Stipple Enable",
        early: "Early Depth/Stencil Control",
        computed_depth: "Pixel Shader Computed Depth Mode",
        kills: "Pixel Shader Kills Pixel",
        clears_depth_legacy: "Legacy Depth Buffer Clear Enable",
        resolves_depth_legacy: "Legacy Depth Buffer Resolve Enable",
        resolves_hiz_legacy: "Legacy Hierarchical Depth Buffer Resolve Enable",
        point_rule: "Point Rasterization Rule",
        counts: "Statistics Enable",
        per_pixel: "Multisample Dispatch Mode",
        rasterization: "Multisample Rasterization Mode",
    }
}
packets::fields! {
    pub(crate) struct Depth of "3DSTATE_WM_DEPTH_STENCIL" or "DEPTH_STENCIL_STATE" {
        tests_depth: "Depth Test Enable",
        writes_depth: "Depth Buffer Write Enable",
        tests_stencil: "Stencil Test Enable",
        depth_function: "Depth Test Function",
        writes_stencil: "Stencil Buffer Write Enable",
        is_two_sided: "Double Sided Stencil Enable",
        function: "Stencil Test Function",
        fail: "Stencil Fail Op",
        depth_fail: "Stencil Pass Depth Fail Op",
        pass: "Stencil Pass Depth Pass Op",
        test_mask: "Stencil Test Mask",
        write_mask: "Stencil Write Mask",
        back_function: "Backface Stencil Test Function",
        back_fail: "Backface Stencil Fail Op",
        back_depth_fail: "Backface Stencil Pass Depth Fail Op",
        back_pass: "Backface Stencil Pass Depth Pass Op",
        back_test_mask: "Backface Stencil Test Mask",
        back_write_mask: "Backface Stencil Write Mask",
        reference: "Stencil Reference Value",
        back_reference: "Backface Stencil Reference Value",
    }
}
packets::fields! {
    pub(crate) struct DepthPointer of "3DSTATE_DEPTH_STENCIL_STATE_POINTERS" {
        offset: "Pointer to DEPTH_STENCIL_STATE",
    }
}
packets::fields! {
    pub(crate) struct Sbe of "3DSTATE_SBE" {
        read_offset: "Vertex URB Entry Read Offset",
        is_swizzled: "Attribute Swizzle Enable",
        attributes: "Number of SF Output Attributes",
        is_constant: "Constant Interpolation Enable",
        is_sprite: "Point Sprite Texture Coordinate Enable",
        sprite_is_lower: "Point Sprite Texture Coordinate Origin",
        number_select: "Primitive ID Override Attribute Select",
        number_x: "Primitive ID Override Component X",
        number_y: "Primitive ID Override Component Y",
        number_z: "Primitive ID Override Component Z",
        number_w: "Primitive ID Override Component W",
    }
}
packets::fields! {
    pub(crate) struct Ps of "3DSTATE_PS" {
        scratch: "Per Thread Scratch Space",
        kernel_0: "Kernel Start Pointer 0",
        kernel_2: "Kernel Start Pointer 2",
        is_8: "8 Pixel Dispatch Enable",
        is_16: "16 Pixel Dispatch Enable",
        is_32: "32 Pixel Dispatch Enable",
        setup_0: "Dispatch GRF Start Register For Constant/Setup Data 0",
        setup_2: "Dispatch GRF Start Register For Constant/Setup Data 2",
        has_constants: "Push Constant Enable",
        offsets: "Position XY Offset Select",
        fast_clears: "Render Target Fast Clear Enable",
        resolves: "Render Target Resolve Enable",
        resolve_type: "Render Target Resolve Type",
        is_dual_source: "Dual Source Blend Enable",
        kernel_1: "Kernel Start Pointer 1",
        setup_1: "Dispatch GRF Start Register For Constant/Setup Data 1",
        has_omask: "oMask Present to RenderTarget",
        rounding: "Rounding Mode",
    }
}
packets::fields! {
    pub(crate) struct PsExtra of "3DSTATE_PS_EXTRA" {
        is_valid: "Pixel Shader Valid",
        uses_depth: "Pixel Shader Uses Source Depth",
        uses_w: "Pixel Shader Uses Source W",
        coverage: "Input Coverage Mask State",
        uses_coverage: "Pixel Shader Uses Input Coverage Mask",
        is_per_sample: "Pixel Shader Is Per Sample",
        computed_depth: "Pixel Shader Computed Depth Mode",
        computes_stencil: "Pixel Shader Computes Stencil",
        kills: "Pixel Shader Kills Pixel",
        has_omask: "oMask Present to Render Target",
        writes_memory: "Pixel Shader Has UAV",
    }
}
packets::fields! {
    pub(crate) struct BindingTable of "3DSTATE_BINDING_TABLE_POINTERS_PS" {
        offset: "Pointer to PS Binding Table",
    }
}
packets::fields! {
    pub(crate) struct SamplerPointer of "3DSTATE_SAMPLER_STATE_POINTERS_PS" {
        offset: "Pointer to PS Sampler State",
    }
}
packets::fields! {
    pub(crate) struct BlendPointer of "3DSTATE_BLEND_STATE_POINTERS" {
        offset: "Blend State Pointer",
    }
}
packets::fields! {
    pub(crate) struct BlendHeader of "BLEND_STATE" {
        alpha_function: "Alpha Test Function",
        tests_alpha: "Alpha Test Enable",
        alpha_to_one: "Alpha To One Enable",
        alpha_to_coverage: "Alpha To Coverage Enable",
        has_own_alpha: "Independent Alpha Blend Enable",
    }
}
packets::fields! {
    pub(crate) struct Blend of "BLEND_STATE_ENTRY" {
        source: "Source Blend Factor",
        destination: "Destination Blend Factor",
        function: "Color Blend Function",
        source_alpha: "Source Alpha Blend Factor",
        destination_alpha: "Destination Alpha Blend Factor",
        alpha_blend_function: "Alpha Blend Function",
        has_own_alpha: "Independent Alpha Blend Enable",
        clamps_result: "Post-Blend Color Clamp Enable",
        clamps_source: "Pre-Blend Color Clamp Enable",
        clamp_range: "Color Clamp Range",
        alpha_function: "Alpha Test Function",
        logic: "Logic Op Function",
        alpha_to_one: "AlphaToOne Enable",
        alpha_to_coverage: "AlphaToCoverage Enable",
        blends: "Color Buffer Blend Enable",
        has_logic: "Logic Op Enable",
        tests_alpha: "Alpha Test Enable",
        no_red: "Write Disable Red",
        no_green: "Write Disable Green",
        no_blue: "Write Disable Blue",
        no_alpha: "Write Disable Alpha",
    }
}

packets::fields! {
    pub(crate) struct Media of "MEDIA_VFE_STATE" {
        scratch: "Per Thread Scratch Space",
    }
}
packets::fields! {
    pub(crate) struct Walker of "GPGPU_WALKER" {
        is_predicated: "Predicate Enable",
        is_indirect: "Indirect Parameter Enable",
        descriptor: "Interface Descriptor Offset",
        width: "SIMD Size",
        first_x: "Thread Group ID Starting X",
        first_y: "Thread Group ID Starting Y",
        first_z: "Thread Group ID Starting Z",
        end_x: "Thread Group ID X Dimension",
        end_y: "Thread Group ID Y Dimension",
        end_z: "Thread Group ID Z Dimension",
        right_mask: "Right Execution Mask",
    }
}
packets::fields! {
    pub(crate) struct Descriptors of "MEDIA_INTERFACE_DESCRIPTOR_LOAD" {
        start: "Interface Descriptor Data Start Address",
    }
}
packets::fields! {
    pub(crate) struct Curbe of "MEDIA_CURBE_LOAD" {
        start: "CURBE Data Start Address",
    }
}
packets::fields! {
    pub(crate) struct Descriptor of "INTERFACE_DESCRIPTOR_DATA" {
        kernel: "Kernel Start Pointer",
        table: "Binding Table Pointer",
        samplers: "Sampler State Pointer",
        threads: "Number of Threads in GPGPU Thread Group",
        own: "Constant URB Entry Read Length",
        cross_thread: "Cross-Thread Constant Data Read Length",
        rounding: "Rounding Mode",
    }
}

/// Declares all fields with a test that each name exists in some generation.
macro_rules! all {
    ($($name:ident: $type:ident,)*) => {
        /// Fields of the state that draws read.
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct Fields {
            $(pub(crate) $name: $type,)*
        }

        impl Fields {
            /// Resolves the fields for a generation.
            pub(crate) fn resolve(table: &Table) -> Fields {
                Fields { $($name: $type::resolve(table)),* }
            }
        }

        #[cfg(test)]
        const NAMES: &[(&str, &[&str])] = &[$(($type::LAYOUT, $type::NAMES)),*];
    };
}

all! {
    primitive: Primitive,
    topology: Topology,
    vertex_buffer: VertexBuffer,
    instancing: Instancing,
    vertex_element: VertexElement,
    system_values: SystemValues,
    vs: Vs,
    constants: Constants,
    index_buffer: IndexBuffer,
    viewport_pointer: ViewportPointer,
    attribute: Attribute,
    hs: Hs,
    te: Te,
    media: Media,
    walker: Walker,
    descriptors: Descriptors,
    descriptor: Descriptor,
    curbe: Curbe,
    output_buffer: OutputBuffer,
    declaration: Declaration,
    sample_mask: SampleMask,
    vf_statistics: VfStatistics,
    ds: Ds,
    gs: Gs,
    stream_out: StreamOut,
    sf: Sf,
    stipple_offset: StippleOffset,
    line_stipple: LineStipple,
    sampler: Sampler,
    depth_buffer: DepthBuffer,
    stencil_buffer: StencilBuffer,
    clear_params: ClearParams,
    hz_op: HzOp,
    cc_pointer: CcPointer,
    color_calc: ColorCalc,
    cc_viewport_pointer: CcViewportPointer,
    clip_viewport: ClipViewport,
    cut_index: CutIndex,
    blend_header: BlendHeader,
    clip: Clip,
    scissor_pointer: ScissorPointer,
    scissor: Scissor,
    raster: Raster,
    multisample: Multisample,
    rectangle: Rectangle,
    wm: Wm,
    depth_pointer: DepthPointer,
    depth: Depth,
    sbe: Sbe,
    ps: Ps,
    ps_extra: PsExtra,
    binding_table: BindingTable,
    sampler_pointer: SamplerPointer,
    blend_pointer: BlendPointer,
    blend: Blend,
}

#[cfg(test)]
mod tests {
    use super::{Depth, NAMES};
    use packets::Table;
    use vocabulary::Generation;

    #[test]
    fn every_name_exists_in_some_generation() {
        for (layout, names) in NAMES {
            for name in *names {
                let has = |generation| {
                    let layout = Table::of(generation).named(layout);
                    layout.is_some_and(|layout| layout.field(name).exists())
                };
                assert!(Generation::INTEL.into_iter().any(has), "{layout}: {name}");
            }
        }
    }

    /// The structure of gen7 has the fields of gen8's packet, but for the reference values.
    #[test]
    fn both_layouts_of_the_depth_state_have_the_fields() {
        let layout = Table::of(Generation::Ivb).named("DEPTH_STENCIL_STATE").expect("a layout");
        let names: Vec<&str> =
            Depth::NAMES.iter().copied().filter(|name| !layout.field(name).exists()).collect();
        assert_eq!(names, ["Stencil Reference Value", "Backface Stencil Reference Value"]);
        assert!(Table::of(Generation::Ivb).named(Depth::LAYOUT).is_none());
    }
}
