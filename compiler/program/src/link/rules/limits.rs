//! Limits that a linked program must keep.

use crate::layout::{OpaqueKind, Rules, opaque_slots};
use crate::link::errors::Errors;
use crate::link::options::LinkOptions;
use crate::program::{LinkedStage, Program};
use crate::resource::Slot;
use crate::stage::Stage;
use crate::types::MatrixOrder;
use crate::variable::Storage;

fn prefix(stage: Stage) -> &'static str {
    match stage {
        Stage::Vertex => "GL_MAX_VERTEX",
        Stage::TessControl => "GL_MAX_TESS_CONTROL",
        Stage::TessEval => "GL_MAX_TESS_EVALUATION",
        Stage::Geometry => "GL_MAX_GEOMETRY",
        Stage::Fragment => "GL_MAX_FRAGMENT",
        Stage::Compute => "GL_MAX_COMPUTE",
    }
}

/// Checks resource counts per stage and between stages.
pub(crate) fn check(
    stages: &[LinkedStage],
    program: &Program,
    options: &LinkOptions<'_>,
    errors: &mut Errors,
) {
    for stage in stages {
        check_stage(stage, program, options, errors);
    }
    for size in stages.iter().map(|stage| stage.shared_size) {
        let name = "GL_MAX_COMPUTE_SHARED_MEMORY_SIZE";
        if let Some(limit) = options.capabilities.limit_below(name, 32768, size) {
            errors.push(format!("shared variables take {size} bytes; {limit} are available"));
        }
    }
}

fn check_stage(
    stage: &LinkedStage,
    program: &Program,
    options: &LinkOptions<'_>,
    errors: &mut Errors,
) {
    let kind = stage.shader.stage;
    let own = |name: &str| format!("{}_{name}", prefix(kind));
    let limit = |name: &str, default| options.capabilities.limit(&own(name), default);
    let below = |name: &str, default, count| options.capabilities.limit_below(name, default, count);
    let mut exceeds = |count: u32, limit: Option<u32>, what: &str| {
        if let Some(limit) = limit {
            errors.push(format!("{kind} shader uses {count} {what}; {limit} are available"));
        }
    };
    let uniforms = || {
        stage
            .shader
            .globals
            .values()
            .filter(|g| g.storage == Storage::Uniform && g.block.is_none() && g.active)
    };
    let opaque = |kind| uniforms().map(|g| opaque_slots(&program.types, g.ty, kind)).sum::<u32>();
    let samplers = opaque(OpaqueKind::Sampler);
    let units = match kind {
        Stage::Fragment => "GL_MAX_TEXTURE_IMAGE_UNITS".to_owned(),
        _ => own("TEXTURE_IMAGE_UNITS"),
    };
    exceeds(samplers, below(&units, 16, samplers), "samplers");
    let images = opaque(OpaqueKind::Image);
    exceeds(images, below(&own("IMAGE_UNIFORMS"), 8, images), "images");
    // Uniforms are stored by vec4; a component limit below what the layout needs is a limit on
    // vec4s.
    let bytes: u32 = uniforms()
        .filter(|g| g.builtin.is_none())
        .map(|g| Rules::Std430.size(&program.types, g.ty, MatrixOrder::ColumnMajor))
        .fold(0, u32::saturating_add);
    let count = bytes / 4;
    let available = below(&own("UNIFORM_COMPONENTS"), 16384, count).map(|limit| limit.max(512));
    exceeds(count, available.filter(|&limit| count > limit), "uniform components");
    let components = |list: &[crate::resource::Varying]| {
        list.iter()
            .filter(|v| {
                matches!(v.slot, Slot::Var(_) | Slot::TexCoord(_) | Slot::Color(_) | Slot::Fog)
            })
            .map(|v| v.mask.count_ones())
            .sum::<u32>()
    };
    let varyings = options.capabilities.limit("GL_MAX_VARYING_COMPONENTS", 64).max(64);
    let (inputs, outputs) = match kind {
        Stage::Vertex => (varyings, limit("OUTPUT_COMPONENTS", 64).max(varyings)),
        Stage::Fragment => (limit("INPUT_COMPONENTS", 128).max(varyings), u32::MAX),
        _ => (limit("INPUT_COMPONENTS", 128), limit("OUTPUT_COMPONENTS", 128)),
    };
    // A program links if optimizations of the device make it fit (OpenGL 4.6 section 11.1.2.1).
    let may_fit = || options.capabilities.is_of_driver();
    let exceeded = |count: u32, limit: u32| (count > limit && !may_fit()).then_some(limit);
    let count = components(&stage.inputs);
    exceeds(count, exceeded(count, inputs), "input components");
    // Unused outputs do not count against the limit.
    if kind == Stage::Geometry {
        let count = components(&stage.outputs);
        exceeds(count, exceeded(count, outputs), "output components");
    }
}
