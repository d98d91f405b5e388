//! Combinations of stages, and the stage-wide layout declarations.

use super::errors::Errors;
use super::options::LinkOptions;
use crate::shader::{HandleDefaults, LayoutPrimitive, Shader, StageLayout};
use crate::stage::Stage;

/// Shaders of one program: all ES of one version, or all desktop (GLSL 4.60 section 3.3).
pub(super) fn check_versions(shaders: &[Shader], errors: &mut Errors) {
    let Some(first) = shaders.first() else { return };
    if shaders.iter().any(|s| s.es != first.es) {
        errors.push("ES and desktop shaders cannot be linked together");
    } else if first.es && shaders.iter().any(|s| s.version != first.version) {
        errors.push("shaders of different ES versions cannot be linked together");
    }
    for stage in Stage::ALL {
        if first.es && shaders.iter().filter(|s| s.stage == stage).count() > 1 {
            errors.push(format!("an ES program has one {stage} shader at most"));
        }
    }
}

/// Checks that stages have the stages that they need.
pub(super) fn check_stage_set(stages: &[Shader], options: &LinkOptions<'_>, errors: &mut Errors) {
    let has = |stage| stages.iter().any(|s: &Shader| s.stage == stage);
    if has(Stage::Compute) && stages.len() > 1 {
        errors.push("compute shaders cannot be linked with shaders of other stages");
    }
    let mut handles = HandleDefaults::default();
    stages.iter().for_each(|s| handles.merge(s.layout.handles));
    for (both, what) in [
        (handles.bindless_sampler && handles.bound_sampler, "samplers"),
        (handles.bindless_image && handles.bound_image, "images"),
    ] {
        if both {
            errors.push(format!("shaders declare all {what} as bindless and as bound"));
        }
    }
    if options.separable || stages.is_empty() {
        return;
    }
    for stage in [Stage::Geometry, Stage::TessControl, Stage::TessEval] {
        if has(stage) && !has(Stage::Vertex) {
            errors.push(format!("{stage} shader without a vertex shader"));
        }
    }
    if has(Stage::TessControl) && !has(Stage::TessEval) {
        errors.push("tessellation control shader without a tessellation evaluation shader");
    }
    let es = stages.iter().any(|s| s.es);
    if es && has(Stage::TessEval) && !has(Stage::TessControl) {
        errors.push("tessellation evaluation shader without a tessellation control shader");
    }
    if es && !has(Stage::Compute) && has(Stage::Vertex) != has(Stage::Fragment) {
        errors.push("an ES program needs both a vertex and a fragment shader");
    }
}

fn take<T: Copy + PartialEq>(
    into: &mut Option<T>,
    from: Option<T>,
    what: &str,
    stage: Stage,
    errors: &mut Errors,
) {
    if let (Some(a), Some(b)) = (*into, from)
        && a != b
    {
        errors.push(format!("{stage} shaders declare different {what}"));
    }
    *into = into.or(from);
}

/// Joins the declarations of another shader of the same stage.
pub(super) fn merge(into: &mut StageLayout, from: &StageLayout, stage: Stage, errors: &mut Errors) {
    take(&mut into.input_primitive, from.input_primitive, "input primitives", stage, errors);
    take(&mut into.output_primitive, from.output_primitive, "output primitives", stage, errors);
    take(&mut into.max_vertices, from.max_vertices, "max_vertices", stage, errors);
    take(&mut into.invocations, from.invocations, "invocations", stage, errors);
    take(&mut into.vertices, from.vertices, "numbers of output vertices", stage, errors);
    take(&mut into.spacing, from.spacing, "spacings", stage, errors);
    take(&mut into.clockwise, from.clockwise, "vertex orders", stage, errors);
    take(&mut into.local_size, from.local_size, "local sizes", stage, errors);
    take(&mut into.interlock, from.interlock, "interlock modes", stage, errors);
    take(
        &mut into.derivative_group_quads,
        from.derivative_group_quads,
        "derivative groups",
        stage,
        errors,
    );
    into.point_mode |= from.point_mode;
    into.early_fragment_tests |= from.early_fragment_tests;
    into.handles.merge(from.handles);
    into.post_depth_coverage |= from.post_depth_coverage;
    into.local_size_variable |= from.local_size_variable;
    for (a, b) in into.xfb_stride.iter_mut().zip(from.xfb_stride) {
        take(a, b, "xfb_stride", stage, errors);
    }
}

/// Returns declarations of tessellation to their own stage: SPIR-V permits these execution modes at
/// either entry point (1.6, section 3.6).
pub(super) fn share_tessellation(stages: &mut [Shader], errors: &mut Errors) {
    let place = |stage| stages.iter().position(|shader| shader.stage == stage);
    let (Some(control), Some(eval)) = (place(Stage::TessControl), place(Stage::TessEval)) else {
        return;
    };
    let from = stages[control].layout.clone();
    let layout = &mut stages[eval].layout;
    let vertices = layout.vertices.take();
    let primitive = from.input_primitive;
    take(&mut layout.input_primitive, primitive, "domains", Stage::TessEval, errors);
    take(&mut layout.spacing, from.spacing, "spacings", Stage::TessEval, errors);
    take(&mut layout.clockwise, from.clockwise, "vertex orders", Stage::TessEval, errors);
    layout.point_mode |= from.point_mode;
    let layout = &mut stages[control].layout;
    layout.input_primitive = None;
    let what = "numbers of output vertices";
    take(&mut layout.vertices, vertices, what, Stage::TessControl, errors);
}

/// Applies API parameters and defaults, and demands what a stage cannot do without.
pub(super) fn resolve(shader: &mut Shader, options: &LinkOptions<'_>, errors: &mut Errors) {
    let layout = &mut shader.layout;
    match shader.stage {
        Stage::Geometry => {
            let api = &options.geometry;
            // ARB_geometry_shader4 shaders have no layout declarations; the API's defaults are
            // triangles.
            let by_api = shader.version < 150 && !shader.es;
            let default = |p| by_api.then_some(p);
            layout.input_primitive =
                layout.input_primitive.or(api.input).or(default(LayoutPrimitive::Triangles));
            layout.output_primitive =
                layout.output_primitive.or(api.output).or(default(LayoutPrimitive::TriangleStrip));
            layout.max_vertices = layout.max_vertices.or(api.max_vertices).or(by_api.then_some(0));
            layout.invocations = layout.invocations.or(Some(1));
            if layout.input_primitive.is_none() {
                errors.push("geometry shader declares no input primitive");
            }
            if layout.output_primitive.is_none() {
                errors.push("geometry shader declares no output primitive");
            }
            if layout.max_vertices.is_none() {
                errors.push("geometry shader declares no max_vertices");
            }
        }
        Stage::TessControl if layout.vertices.is_none() => {
            errors.push("tessellation control shader declares no number of output vertices");
        }
        Stage::TessEval => {
            if layout.input_primitive.is_none() {
                errors.push("tessellation evaluation shader declares no input primitive");
            }
            layout.spacing = layout.spacing.or(Some(crate::shader::Spacing::Equal));
            layout.clockwise = layout.clockwise.or(Some(false));
        }
        Stage::Compute => {
            if layout.local_size_variable && layout.local_size.is_some() {
                errors.push("compute shader declares both a fixed and a variable local size");
            } else if !layout.local_size_variable && layout.local_size.is_none() {
                errors.push("compute shader declares no local size");
            }
            let [x, y, z] = layout.local_size.unwrap_or([4, 4, 1]);
            match layout.derivative_group_quads {
                Some(true) if x % 2 != 0 || y % 2 != 0 => {
                    errors.push("derivative_group_quads needs even local sizes in x and y");
                }
                Some(false) if x.wrapping_mul(y).wrapping_mul(z) % 4 != 0 => {
                    errors.push("derivative_group_linear needs a multiple of 4 invocations");
                }
                _ => {}
            }
        }
        _ => {}
    }
}
