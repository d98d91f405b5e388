//! The shader's declarations in the IR's terms.

use ir::info::{
    DepthLayout as IrDepth, FragmentInfo, GeometryInfo, Primitive, Spacing as IrSpacing, TessInfo,
};
use ir::{Interpolation, Location, ShaderInfo, Slot, Varying};
use program::resource::Slot as ProgramSlot;
use program::shader::{LayoutPrimitive, Spacing, StageLayout};
use program::variable::{DepthLayout, InterpolationMode, SampleLocation};
use program::{BuiltinVariable, LinkedStage, Program, Stage, StageKey, Statement};

/// The IR's slot `offset` after a slot.
pub fn slot(first: ProgramSlot, offset: u32) -> Slot {
    let at = |n: u8| n.saturating_add(offset.min(255) as u8);
    match first {
        ProgramSlot::Position => Slot::Position,
        ProgramSlot::PointSize => Slot::PointSize,
        ProgramSlot::ClipVertex => Slot::ClipVertex,
        ProgramSlot::ClipDistance(n) => Slot::ClipDistance(at(n)),
        ProgramSlot::Color(n) => Slot::Color(at(n)),
        ProgramSlot::BackColor(n) => Slot::BackColor(at(n)),
        ProgramSlot::TexCoord(n) => Slot::TexCoord(at(n)),
        ProgramSlot::Fog => Slot::FogCoord,
        ProgramSlot::Layer => Slot::Layer,
        ProgramSlot::ViewportIndex | ProgramSlot::ViewportMask => Slot::Viewport,
        ProgramSlot::PrimitiveId => Slot::PrimitiveId,
        ProgramSlot::PointCoord => Slot::PointCoord,
        ProgramSlot::TessLevelOuter => Slot::TessLevelOuter,
        ProgramSlot::TessLevelInner => Slot::TessLevelInner,
        ProgramSlot::Var(n) => Slot::Var(at(n)),
        ProgramSlot::Patch(n) => Slot::Patch(at(n)),
    }
}

/// The IR's slot of a dense vertex input.
pub(crate) fn attribute_slot(n: u32) -> Slot {
    Slot::Attribute(n.min(255) as u8)
}

/// How a fragment input is interpolated under a draw's state.
pub(crate) fn interpolation_mode(
    key: &StageKey,
    mode: InterpolationMode,
    slot: ProgramSlot,
) -> InterpolationMode {
    let color = matches!(slot, ProgramSlot::Color(_) | ProgramSlot::BackColor(_));
    match mode {
        InterpolationMode::Default if color && key.flat_shade => InterpolationMode::Flat,
        InterpolationMode::Default => InterpolationMode::Smooth,
        other => other,
    }
}

/// Everything the IR wants to know besides code.
pub(crate) fn shader_info(program: &Program, linked: &LinkedStage, key: &StageKey) -> ShaderInfo {
    let shader = &linked.shader;
    let mut info = ShaderInfo::new(shader.stage);
    info.inputs = match shader.stage {
        Stage::Vertex => {
            (0..program.attributes.len()).map(|i| Varying::new(attribute_slot(i as u32))).collect()
        }
        _ => linked.inputs.iter().map(|v| varying(v, key)).collect(),
    };
    if shader.stage == Stage::Fragment {
        info.inputs.extend(system_inputs(linked));
    }
    info.outputs = linked.outputs.iter().map(|v| varying(v, key)).collect();
    info.default_block_size = program.default_block_size;
    info.ubos = program.uniform_blocks.len() as u32 + 1;
    info.ssbos = program.storage_blocks.len() as u32;
    info.samplers = program.samplers.len() as u32;
    info.images = program.images.len() as u32;
    info.atomic_buffers = program
        .atomic_buffers
        .iter()
        .map(|&(binding, _)| u32::from(binding) + 1)
        .max()
        .unwrap_or(0);
    info.shared_size = linked.shared_size;
    info.local_size = if shader.layout.local_size_variable {
        [0; 3]
    } else {
        shader.layout.local_size.unwrap_or([1; 3])
    };
    info.derivative_group = match shader.layout.derivative_group_quads {
        None => ir::DerivativeGroup::None,
        Some(false) => ir::DerivativeGroup::Linear,
        Some(true) => ir::DerivativeGroup::Quads,
    };
    info.clip_distances = linked.clip_distances;
    info.cull_distances = linked.cull_distances;
    info.float_controls.flush_f32 = true;
    info.fragment = fragment_info(linked);
    info.geometry = geometry_info(&shader.layout);
    info.tess = tess_info(&shader.layout);
    info
}

/// Fragment system values that travel as flat inputs.
fn system_inputs(linked: &LinkedStage) -> impl Iterator<Item = Varying> + '_ {
    let carried = [
        (BuiltinVariable::PrimitiveId, Slot::PrimitiveId),
        (BuiltinVariable::Layer, Slot::Layer),
        (BuiltinVariable::ViewportIndex, Slot::Viewport),
    ];
    let used = |b| linked.shader.globals.values().any(|g| g.active && g.builtin == Some(b));
    let listed = |s| linked.inputs.iter().any(|v| slot(v.slot, 0) == s);
    carried.into_iter().filter(move |&(b, s)| used(b) && !listed(s)).map(|(_, s)| Varying {
        components: 1,
        interpolation: Interpolation::Flat,
        ..Varying::new(s)
    })
}

fn varying(v: &program::resource::Varying, key: &StageKey) -> Varying {
    let mut out = Varying::new(slot(v.slot, 0));
    out.components = v.mask;
    out.interpolation = match interpolation_mode(key, v.interpolation.mode, v.slot) {
        _ if v.integer => Interpolation::Flat,
        InterpolationMode::Flat => Interpolation::Flat,
        InterpolationMode::NoPerspective => Interpolation::NoPerspective,
        _ => Interpolation::Smooth,
    };
    out.location = match v.interpolation.location {
        SampleLocation::Center => Location::Pixel,
        SampleLocation::Centroid => Location::Centroid,
        SampleLocation::Sample => Location::Sample,
    };
    out
}

fn fragment_info(linked: &LinkedStage) -> FragmentInfo {
    let shader = &linked.shader;
    let of = |b| shader.globals.values().find(|g| g.builtin == Some(b));
    let coord = of(BuiltinVariable::FragCoord).map(|g| g.layout).unwrap_or_default();
    let depth = of(BuiltinVariable::FragDepth).and_then(|g| g.layout.depth);
    let bodies = || shader.functions.values().filter_map(|f| f.body.as_deref());
    FragmentInfo {
        early_tests: shader.layout.early_fragment_tests,
        sample_shading: linked.shades_samples(),
        uses_discard: bodies().any(discards),
        origin_upper_left: coord.origin_upper_left,
        pixel_center_integer: coord.pixel_center_integer,
        depth_layout: match depth {
            Some(DepthLayout::Greater) => IrDepth::Greater,
            Some(DepthLayout::Less) => IrDepth::Less,
            Some(DepthLayout::Unchanged) => IrDepth::Unchanged,
            _ => IrDepth::Any,
        },
    }
}

fn discards(statements: &[Statement]) -> bool {
    statements.iter().any(|s| match s {
        Statement::Discard | Statement::Demote => true,
        Statement::If { then, otherwise, .. } => discards(then) || discards(otherwise),
        Statement::Loop { init, condition_declaration, body, .. } => {
            discards(init) || discards(condition_declaration) || discards(body)
        }
        Statement::Switch { cases, .. } => cases.iter().any(|c| discards(&c.body)),
        Statement::Block(body) => discards(body),
        _ => false,
    })
}

fn primitive(p: LayoutPrimitive) -> Primitive {
    match p {
        LayoutPrimitive::Points => Primitive::Points,
        LayoutPrimitive::Lines | LayoutPrimitive::LineStrip => Primitive::Lines,
        LayoutPrimitive::LinesAdjacency => Primitive::LinesAdjacency,
        LayoutPrimitive::Triangles | LayoutPrimitive::TriangleStrip => Primitive::Triangles,
        LayoutPrimitive::TrianglesAdjacency => Primitive::TrianglesAdjacency,
        LayoutPrimitive::Quads => Primitive::Quads,
        LayoutPrimitive::Isolines => Primitive::Isolines,
    }
}

fn geometry_info(layout: &StageLayout) -> GeometryInfo {
    GeometryInfo {
        input: layout.input_primitive.map_or(Primitive::Triangles, primitive),
        output: layout.output_primitive.map_or(Primitive::Triangles, primitive),
        max_vertices: layout.max_vertices.unwrap_or(0),
        invocations: layout.invocations.unwrap_or(1),
        streams: 1,
    }
}

fn tess_info(layout: &StageLayout) -> TessInfo {
    TessInfo {
        vertices_out: layout.vertices.unwrap_or(0),
        domain: layout.input_primitive.map_or(Primitive::Triangles, primitive),
        spacing: match layout.spacing {
            Some(Spacing::FractionalEven) => IrSpacing::FractionalEven,
            Some(Spacing::FractionalOdd) => IrSpacing::FractionalOdd,
            _ => IrSpacing::Equal,
        },
        ccw: !layout.clockwise.unwrap_or(false),
        point_mode: layout.point_mode,
    }
}
