//! State of Vulkan in the terms of `raster`.

use raster::assemble::PrimitiveMode;
use raster::blend::{Equation, Factor, Function, StencilOperation, Term};
use raster::output::{OutputState, StencilFace};
use raster::setup::{self, DepthUnit, PolygonMode, Viewport};
use raster::texture::{CompareFunction, Filter, SamplerParameters, Wrap};
use vk_script::{
    AddressMode, BlendFactor, BlendOp, BorderColor, CompareOp, Pipeline, Sampler, State, StencilOp,
    Topology,
};

use crate::error::{Flow, lacks};

pub(crate) fn compare(op: CompareOp) -> CompareFunction {
    match op {
        CompareOp::Never => CompareFunction::Never,
        CompareOp::Less => CompareFunction::Less,
        CompareOp::Equal => CompareFunction::Equal,
        CompareOp::LessOrEqual => CompareFunction::LessEqual,
        CompareOp::Greater => CompareFunction::Greater,
        CompareOp::NotEqual => CompareFunction::NotEqual,
        CompareOp::GreaterOrEqual => CompareFunction::GreaterEqual,
        CompareOp::Always => CompareFunction::Always,
    }
}

pub(crate) fn mode(topology: Topology) -> PrimitiveMode {
    match topology {
        Topology::PointList => PrimitiveMode::Points,
        Topology::LineList => PrimitiveMode::Lines,
        Topology::LineStrip => PrimitiveMode::LineStrip,
        Topology::TriangleList => PrimitiveMode::Triangles,
        Topology::TriangleStrip => PrimitiveMode::TriangleStrip,
        Topology::TriangleFan => PrimitiveMode::TriangleFan,
        Topology::LineListWithAdjacency => PrimitiveMode::LinesAdjacency,
        Topology::LineStripWithAdjacency => PrimitiveMode::LineStripAdjacency,
        Topology::TriangleListWithAdjacency => PrimitiveMode::TrianglesAdjacency,
        Topology::TriangleStripWithAdjacency => PrimitiveMode::TriangleStripAdjacency,
        Topology::PatchList => PrimitiveMode::Patches,
    }
}

pub(crate) fn polygon_mode(mode: vk_script::PolygonMode) -> PolygonMode {
    match mode {
        vk_script::PolygonMode::Fill => PolygonMode::Fill,
        vk_script::PolygonMode::Line => PolygonMode::Line,
        vk_script::PolygonMode::Point => PolygonMode::Point,
    }
}

/// The viewport of a pipeline. The setup maps z = -w to the near depth, Vulkan z = 0: the near
/// depth here is so far in front that z = 0 gets Vulkan's.
pub(crate) fn viewport(pipeline: &Pipeline) -> Viewport {
    let [width, height] = pipeline.framebuffer.map(|size| size as f32);
    let given = pipeline.viewport.unwrap_or(vk_script::Viewport {
        x: 0.0,
        y: 0.0,
        width,
        height,
        min_depth: 0.0,
        max_depth: 1.0,
    });
    let (near, far) = (f64::from(given.min_depth), f64::from(given.max_depth));
    let vk_script::Viewport { x, y, width, height, .. } = given;
    Viewport { x, y, width, height, near: 2.0 * near - far, far }
}

/// Limits of depths: those of the viewport if depths are clamped.
fn depth_range(pipeline: &Pipeline) -> [f64; 2] {
    let viewport = pipeline.viewport.filter(|_| pipeline.state.depth.clamp);
    viewport.map_or([0.0, 1.0], |v| [v.min_depth, v.max_depth]).map(f64::from)
}

/// The depth bias of a pipeline whose depths have a unit.
pub(crate) fn depth_bias(state: &State, depths: DepthUnit) -> Option<setup::DepthBias> {
    state.depth.bias.map(|bias| setup::DepthBias {
        constant: bias.constant,
        slope: bias.slope,
        clamp: bias.clamp,
        depths,
    })
}

/// Tests and blending of a pipeline.
pub(crate) fn output(pipeline: &Pipeline) -> Flow<OutputState> {
    let state = &pipeline.state;
    let faces = [state.front, state.back].map(|face| StencilFace {
        fail: stencil(face.fail),
        depth_fail: stencil(face.depth_fail),
        pass: stencil(face.pass),
        compare: compare(face.compare),
        compare_mask: face.compare_mask as u8,
        write_mask: face.write_mask as u8,
        reference: face.reference as u8,
    });
    Ok(OutputState {
        blend: if state.blend.enable { Some(equations(state)?) } else { None },
        logic: state.logic_op.map(|op| truth_table(op.value() as u64)),
        write_mask: state.color_write_mask,
        depth_write: state.depth.write,
        depth_bounds: state.depth.bounds,
        depth_range: depth_range(pipeline),
        stencil: state.stencil_test.then_some(faces),
        ..OutputState::default()
    })
}

/// The truth table of a `VkLogicOp`: its number has the result of two clear bits in bit 3, that of
/// a set destination in bit 2, that of a set source in bit 1, that of both in bit 0.
fn truth_table(op: u64) -> u64 {
    (0..4).fold(0, |table, bit| table | (op >> (3 - bit) & 1) << bit)
}

fn equations(state: &State) -> Flow<[Equation; 2]> {
    let blend = &state.blend;
    let equation = |source, destination, op| -> Flow<Equation> {
        Ok(Equation {
            source: Some(factor(source)?),
            destination: Some(factor(destination)?),
            function: Some(function(op)?),
        })
    };
    Ok([
        equation(blend.src_color, blend.dst_color, blend.color_op)?,
        equation(blend.src_alpha, blend.dst_alpha, blend.alpha_op)?,
    ])
}

fn function(op: BlendOp) -> Flow<Function> {
    Ok(match op {
        BlendOp::Add => Function::Add,
        BlendOp::Subtract => Function::Subtract,
        BlendOp::ReverseSubtract => Function::ReverseSubtract,
        BlendOp::Min => Function::Min,
        BlendOp::Max => Function::Max,
        other => return Err(lacks(format!("the blend operation {other:?}"))),
    })
}

fn factor(factor: BlendFactor) -> Flow<Factor> {
    use BlendFactor as B;
    use Factor::{Inverse, Plain};
    Ok(match factor {
        B::Zero => Inverse(Term::One),
        B::One => Plain(Term::One),
        B::SrcColor => Plain(Term::SourceColor),
        B::OneMinusSrcColor => Inverse(Term::SourceColor),
        B::DstColor => Plain(Term::DestinationColor),
        B::OneMinusDstColor => Inverse(Term::DestinationColor),
        B::SrcAlpha => Plain(Term::SourceAlpha),
        B::OneMinusSrcAlpha => Inverse(Term::SourceAlpha),
        B::DstAlpha => Plain(Term::DestinationAlpha),
        B::OneMinusDstAlpha => Inverse(Term::DestinationAlpha),
        B::ConstantColor => Plain(Term::ConstantColor),
        B::OneMinusConstantColor => Inverse(Term::ConstantColor),
        B::ConstantAlpha => Plain(Term::ConstantAlpha),
        B::OneMinusConstantAlpha => Inverse(Term::ConstantAlpha),
        B::SrcAlphaSaturate => Plain(Term::SaturatedSourceAlpha),
        B::Src1Color | B::OneMinusSrc1Color | B::Src1Alpha | B::OneMinusSrc1Alpha => {
            return Err(lacks("blending with two sources"));
        }
    })
}

fn stencil(op: StencilOp) -> StencilOperation {
    match op {
        StencilOp::Keep => StencilOperation::Keep,
        StencilOp::Zero => StencilOperation::Zero,
        StencilOp::Replace => StencilOperation::Replace,
        StencilOp::IncrementAndClamp => StencilOperation::IncrementAndClamp,
        StencilOp::DecrementAndClamp => StencilOperation::DecrementAndClamp,
        StencilOp::Invert => StencilOperation::Invert,
        StencilOp::IncrementAndWrap => StencilOperation::IncrementAndWrap,
        StencilOp::DecrementAndWrap => StencilOperation::DecrementAndWrap,
    }
}

/// Parameters of a sampler.
pub(crate) fn sampler_parameters(sampler: &Sampler) -> SamplerParameters {
    let filter = |filter| match filter {
        vk_script::Filter::Nearest => Filter::Nearest,
        vk_script::Filter::Linear => Filter::Linear,
    };
    let wrap = |mode| match mode {
        AddressMode::Repeat => Wrap::Repeat,
        AddressMode::MirroredRepeat => Wrap::MirroredRepeat,
        AddressMode::ClampToEdge => Wrap::ClampToEdge,
        AddressMode::ClampToBorder => Wrap::ClampToBorder,
        AddressMode::MirrorClampToEdge => Wrap::MirrorOnce,
    };
    let border = match sampler.border {
        BorderColor::FloatTransparentBlack | BorderColor::IntTransparentBlack => [0.0; 4],
        BorderColor::FloatOpaqueBlack | BorderColor::IntOpaqueBlack => [0.0, 0.0, 0.0, 1.0],
        BorderColor::FloatOpaqueWhite | BorderColor::IntOpaqueWhite => [1.0; 4],
    };
    SamplerParameters {
        wrap: sampler.address.map(wrap),
        min: filter(sampler.min_filter),
        mip: Some(Filter::Nearest),
        mag: filter(sampler.mag_filter),
        min_lod: sampler.min_lod,
        max_lod: sampler.max_lod,
        border,
        compare: sampler.compare.map(compare),
        compare_function: sampler.compare.map_or(CompareFunction::Never, compare),
        ..SamplerParameters::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raster::blend::logic;
    use vk_script::LogicOp;

    #[test]
    fn logic_operations() {
        // Source 0011, destination 0101.
        let result = |op: LogicOp| logic(truth_table(op.value() as u64), 0b0011, 0b0101) & 0xf;
        let expected = [
            (LogicOp::Clear, 0b0000),
            (LogicOp::And, 0b0001),
            (LogicOp::AndReverse, 0b0010),
            (LogicOp::Copy, 0b0011),
            (LogicOp::AndInverted, 0b0100),
            (LogicOp::NoOp, 0b0101),
            (LogicOp::Xor, 0b0110),
            (LogicOp::Or, 0b0111),
            (LogicOp::Nor, 0b1000),
            (LogicOp::Equivalent, 0b1001),
            (LogicOp::Invert, 0b1010),
            (LogicOp::OrReverse, 0b1011),
            (LogicOp::CopyInverted, 0b1100),
            (LogicOp::OrInverted, 0b1101),
            (LogicOp::Nand, 0b1110),
            (LogicOp::Set, 0b1111),
        ];
        for (op, wanted) in expected {
            assert_eq!(result(op), wanted, "{op:?}");
        }
    }
}
