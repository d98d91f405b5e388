//! Fields of the state that draws read.

use packets::{Field, Table};

packets::fields! {
    pub(super) struct Primitive of "3DPRIMITIVE" {
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
    pub(super) struct Topology of "3DSTATE_VF_TOPOLOGY" {
        kind: "Primitive Topology Type",
    }
}
packets::fields! {
    pub(super) struct VertexBuffer of "VERTEX_BUFFER_STATE" {
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
    pub(super) struct VertexElement of "VERTEX_ELEMENT_STATE" {
        offset: "Source Element Offset",
        format: "Source Element Format",
        is_valid: "Valid",
        buffer: "Vertex Buffer Index",
        component_0: "Component 0 Control",
        component_1: "Component 1 Control",
        component_2: "Component 2 Control",
        component_3: "Component 3 Control",
    }
}
packets::fields! {
    pub(super) struct SystemValues of "3DSTATE_VF_SGVS" {
        has_vertex_id: "VertexID Enable",
        vertex_id_element: "VertexID Element Offset",
        vertex_id_component: "VertexID Component Number",
        has_instance_id: "InstanceID Enable",
        instance_id_element: "InstanceID Element Offset",
        instance_id_component: "InstanceID Component Number",
    }
}
packets::fields! {
    pub(super) struct Vs of "3DSTATE_VS" {
        is_enabled: "Enable",
        kernel: "Kernel Start Pointer",
        is_wide: "SIMD8 Dispatch Enable",
        inputs: "Dispatch GRF Start Register For URB Data",
        read_offset: "Vertex URB Entry Read Offset",
        read_length: "Vertex URB Entry Read Length",
    }
}
packets::fields! {
    pub(super) struct Constants of "3DSTATE_CONSTANT_BODY" {
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
    pub(super) struct IndexBuffer of "3DSTATE_INDEX_BUFFER" {
        format: "Index Format",
        start: "Buffer Starting Address",
    }
}
packets::fields! {
    pub(super) struct ViewportPointer of "3DSTATE_VIEWPORT_STATE_POINTERS_SF_CLIP" {
        offset: "SF Clip Viewport Pointer",
    }
}
packets::fields! {
    pub(super) struct Attribute of "SF_OUTPUT_ATTRIBUTE_DETAIL" {
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
    pub(super) struct Hs of "3DSTATE_HS" {
        is_enabled: "Enable",
    }
}
packets::fields! {
    pub(super) struct Ds of "3DSTATE_DS" {
        is_enabled: "Enable",
    }
}
packets::fields! {
    pub(super) struct Gs of "3DSTATE_GS" {
        is_enabled: "Enable",
    }
}
packets::fields! {
    pub(super) struct StreamOut of "3DSTATE_STREAMOUT" {
        is_enabled: "SO Function Enable",
    }
}
packets::fields! {
    pub(super) struct Sf of "3DSTATE_SF" {
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
    pub(super) struct Raster of "3DSTATE_RASTER" {
        front_fill: "Front Face Fill Mode",
        back_fill: "Back Face Fill Mode",
        winding: "Front Winding",
        cull: "Cull Mode",
        scissor: "Scissor Rectangle Enable",
    }
}
packets::fields! {
    pub(super) struct PsBlend of "3DSTATE_PS_BLEND" {
        tests_alpha: "Alpha Test Enable",
    }
}
packets::fields! {
    pub(super) struct Clip of "3DSTATE_CLIP" {
        distances: "User Clip Distance Clip Test Enable Bitmask",
    }
}
packets::fields! {
    pub(super) struct ScissorPointer of "3DSTATE_SCISSOR_STATE_POINTERS" {
        offset: "Scissor Rect Pointer",
    }
}
packets::fields! {
    pub(super) struct Scissor of "SCISSOR_RECT" {
        x_min: "Scissor Rectangle X Min",
        y_min: "Scissor Rectangle Y Min",
        x_max: "Scissor Rectangle X Max",
        y_max: "Scissor Rectangle Y Max",
    }
}
packets::fields! {
    pub(super) struct Multisample of "3DSTATE_MULTISAMPLE" {
        samples: "Number of Multisamples",
    }
}
packets::fields! {
    pub(super) struct Rectangle of "3DSTATE_DRAWING_RECTANGLE" {
        x_min: "Clipped Drawing Rectangle X Min",
        y_min: "Clipped Drawing Rectangle Y Min",
        x_max: "Clipped Drawing Rectangle X Max",
        y_max: "Clipped Drawing Rectangle Y Max",
    }
}
packets::fields! {
    pub(super) struct Wm of "3DSTATE_WM" {
        barycentrics: "Barycentric Interpolation Mode",
        dispatches: "Thread Dispatch Enable",
        clears_depth: "Depth Buffer Clear",
        resolves_depth: "Depth Buffer Resolve Enable",
        resolves_hiz: "Hierarchical Depth Buffer Resolve Enable",
        stipples: "Polygon Stipple Enable",
        uses_depth: "Pixel Shader Uses Source Depth",
        uses_w: "Pixel Shader Uses Source W",
        uses_coverage: "Pixel Shader Uses Input Coverage Mask",
    }
}
packets::fields! {
    pub(super) struct WmDepth of "3DSTATE_WM_DEPTH_STENCIL" {
        tests_depth: "Depth Test Enable",
        writes_depth: "Depth Buffer Write Enable",
        tests_stencil: "Stencil Test Enable",
    }
}
packets::fields! {
    pub(super) struct DepthPointer of "3DSTATE_DEPTH_STENCIL_STATE_POINTERS" {
        offset: "Pointer to DEPTH_STENCIL_STATE",
    }
}
packets::fields! {
    pub(super) struct Depth of "DEPTH_STENCIL_STATE" {
        tests_depth: "Depth Test Enable",
        writes_depth: "Depth Buffer Write Enable",
        tests_stencil: "Stencil Test Enable",
    }
}
packets::fields! {
    pub(super) struct Sbe of "3DSTATE_SBE" {
        read_offset: "Vertex URB Entry Read Offset",
        is_swizzled: "Attribute Swizzle Enable",
        attributes: "Number of SF Output Attributes",
        is_constant: "Constant Interpolation Enable",
    }
}
packets::fields! {
    pub(super) struct Ps of "3DSTATE_PS" {
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
    }
}
packets::fields! {
    pub(super) struct PsExtra of "3DSTATE_PS_EXTRA" {
        is_valid: "Pixel Shader Valid",
        uses_depth: "Pixel Shader Uses Source Depth",
        uses_w: "Pixel Shader Uses Source W",
        coverage: "Input Coverage Mask State",
        uses_coverage: "Pixel Shader Uses Input Coverage Mask",
    }
}
packets::fields! {
    pub(super) struct BindingTable of "3DSTATE_BINDING_TABLE_POINTERS_PS" {
        offset: "Pointer to PS Binding Table",
    }
}
packets::fields! {
    pub(super) struct BlendPointer of "3DSTATE_BLEND_STATE_POINTERS" {
        offset: "Blend State Pointer",
    }
}
packets::fields! {
    pub(super) struct Blend of "BLEND_STATE_ENTRY" {
        blends: "Color Buffer Blend Enable",
        has_logic: "Logic Op Enable",
        tests_alpha: "Alpha Test Enable",
        no_red: "Write Disable Red",
        no_green: "Write Disable Green",
        no_blue: "Write Disable Blue",
        no_alpha: "Write Disable Alpha",
    }
}

impl WmDepth {
    /// Fields that enable a test or a write.
    pub(super) fn as_tests(&self) -> [Field; 3] {
        [self.tests_depth, self.writes_depth, self.tests_stencil]
    }
}

impl Depth {
    /// Fields that enable a test or a write.
    pub(super) fn as_tests(&self) -> [Field; 3] {
        [self.tests_depth, self.writes_depth, self.tests_stencil]
    }
}

/// Declares all fields with a test that each name exists in some generation.
macro_rules! all {
    ($($name:ident: $type:ident,)*) => {
        /// Fields of the state that draws read.
        #[derive(Clone, Copy, Debug)]
        pub(super) struct Fields {
            $(pub(super) $name: $type,)*
        }

        impl Fields {
            /// Resolves the fields for a generation.
            pub(super) fn resolve(table: &Table) -> Fields {
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
    vertex_element: VertexElement,
    system_values: SystemValues,
    vs: Vs,
    constants: Constants,
    index_buffer: IndexBuffer,
    viewport_pointer: ViewportPointer,
    attribute: Attribute,
    hs: Hs,
    ds: Ds,
    gs: Gs,
    stream_out: StreamOut,
    sf: Sf,
    ps_blend: PsBlend,
    clip: Clip,
    scissor_pointer: ScissorPointer,
    scissor: Scissor,
    raster: Raster,
    multisample: Multisample,
    rectangle: Rectangle,
    wm: Wm,
    wm_depth: WmDepth,
    depth_pointer: DepthPointer,
    depth: Depth,
    sbe: Sbe,
    ps: Ps,
    ps_extra: PsExtra,
    binding_table: BindingTable,
    blend_pointer: BlendPointer,
    blend: Blend,
}

#[cfg(test)]
mod tests {
    use super::NAMES;
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
                assert!(Generation::HARDWARE.into_iter().any(has), "{layout}: {name}");
            }
        }
    }
}
