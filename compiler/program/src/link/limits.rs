//! Limits that a linked program must keep.

use super::errors::Errors;
use super::options::LinkOptions;
use crate::layout::{OpaqueKind, Rules, opaque_slots};
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
pub(super) fn check(
    stages: &[LinkedStage],
    program: &Program,
    options: &LinkOptions<'_>,
    errors: &mut Errors,
) {
    for stage in stages {
        check_stage(stage, program, options, errors);
    }
    let limit = options.capabilities.limit("GL_MAX_COMPUTE_SHARED_MEMORY_SIZE", 32768);
    for stage in stages.iter().filter(|s| s.shared_size > limit) {
        errors.push(format!(
            "shared variables take {} bytes; {limit} are available",
            stage.shared_size
        ));
    }
}

fn check_stage(
    stage: &LinkedStage,
    program: &Program,
    options: &LinkOptions<'_>,
    errors: &mut Errors,
) {
    let kind = stage.shader.stage;
    let limit = |name: &str, default| {
        options.capabilities.limit(&format!("{}_{name}", prefix(kind)), default)
    };
    let mut at_most = |count: u32, limit: u32, what: &str| {
        if count > limit {
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
    let samplers = match kind {
        Stage::Fragment => options.capabilities.limit("GL_MAX_TEXTURE_IMAGE_UNITS", 16),
        _ => limit("TEXTURE_IMAGE_UNITS", 16),
    };
    at_most(opaque(OpaqueKind::Sampler), samplers, "samplers");
    at_most(opaque(OpaqueKind::Image), limit("IMAGE_UNIFORMS", 8), "images");
    // Uniforms are stored by vec4; a component limit below what the layout needs is a limit on
    // vec4s.
    let bytes: u32 = uniforms()
        .filter(|g| g.builtin.is_none())
        .map(|g| Rules::Std430.size(&program.types, g.ty, MatrixOrder::ColumnMajor))
        .fold(0, u32::saturating_add);
    at_most(bytes / 4, limit("UNIFORM_COMPONENTS", 16384).max(512), "uniform components");
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
    at_most(components(&stage.inputs), inputs, "input components");
    // Unused outputs do not count against the limit.
    if kind == Stage::Geometry {
        at_most(components(&stage.outputs), outputs, "output components");
    }
}
