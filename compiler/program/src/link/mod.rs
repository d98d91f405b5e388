//! Linking: checked shaders become a [`Program`].
//!
//! The order of work: merge the shaders of each stage ([`merge`]), drop what `main` cannot reach
//! and reject recursion ([`reach`]), size unsized arrays ([`sizes`]), check the interfaces between
//! stages ([`interface`], [`separate`]), then place attributes, varyings, outputs ([`varyings`],
//! [`attributes`]), uniforms and blocks ([`uniforms`], [`blocks`]).

mod assign;
mod calls;
mod declared;
mod errors;
mod fetch;
mod layouts;
mod matching;
mod merge;
mod options;
mod reach;
mod rules;
mod sizes;
#[cfg(test)]
mod tests;

pub use errors::LinkError;
pub use fetch::draw_buffer;
pub use options::{GeometryParameters, LinkOptions};

use crate::capabilities::Api;
use crate::exactness;
use crate::program::{LinkedStage, Program};
use crate::shader::Shader;
use crate::stage::Stage;
use crate::types::TypeTable;
use assign::{attributes, blocks, feedback, handle_values, handles, outputs, uniforms, varyings};
use errors::Errors;
use rules::{interface, limits, separate};

/// Links shaders that share `types` into a program.
///
/// # Errors
/// Every violated rule of the first step that found one, as messages for the info log.
pub fn link(
    shaders: Vec<Shader>,
    types: TypeTable,
    options: &LinkOptions<'_>,
) -> Result<Program, LinkError> {
    let mut types = types;
    let mut errors = Errors::default();
    layouts::check_versions(&shaders, &mut errors);
    errors.check()?;
    let mut stages = Vec::new();
    for stage in Stage::ALL {
        let of_stage: Vec<Shader> = shaders.iter().filter(|s| s.stage == stage).cloned().collect();
        if !of_stage.is_empty() {
            stages.push(merge::merge(of_stage, &mut types, &mut errors));
        }
    }
    layouts::check_stage_set(&stages, options, &mut errors);
    errors.check()?;
    for shader in stages.iter_mut().filter(|s| s.stage == Stage::Fragment) {
        fetch::lower(shader, &mut types);
    }
    layouts::share_tessellation(&mut stages, &mut errors);
    for shader in &mut stages {
        calls::resolve(shader, &types);
        reach::prune(shader, &types, &mut errors);
        layouts::resolve(shader, options, &mut errors);
    }
    errors.check()?;
    sizes::fix(&mut stages, &mut types, &mut errors);
    errors.check()?;
    interface::check(&mut stages, &types, options, &mut errors);
    errors.check()?;
    let is_strict = options.pipeline && options.capabilities.api() == Api::Es;
    let mismatch = is_strict.then(|| separate::mismatch(&stages, &types)).flatten();

    let mut linked: Vec<LinkedStage> = stages.into_iter().map(new_stage).collect();
    let mut program = Program { mismatch, ..empty_program(types) };
    let values = handle_values::are_used(&linked, &program.types);
    let handles = handles::separate(&mut linked, &mut program.types, values, &mut errors);
    let tables = match values {
        true => handle_values::convert(&mut linked, &mut program.types, &handles),
        false => Vec::new(),
    };
    attributes::place(&mut linked, &mut program, options, &mut errors);
    outputs::place(&mut linked, &program.types, options, &mut errors);
    varyings::place(&mut linked, &program.types, options, &mut errors);
    feedback::place(&mut linked, &mut program, &mut errors);
    blocks::place(&mut linked, &mut program, options, &mut errors);
    uniforms::place(&mut linked, &mut program, options, &mut errors);
    handles::place(&mut linked, &mut program, &handles, &mut errors);
    handle_values::place(&mut linked, &mut program, &tables);
    errors.check()?;
    limits::check(&linked, &program, options, &mut errors);
    errors.check()?;
    for stage in &mut linked {
        let (shader, types) = (&stage.shader, &program.types);
        let reached = reach::reachable_exprs(shader);
        stage.side_effects = reach::has_side_effects(shader, &reached);
        stage.exact = exactness::is_exact(shader, types, &reached);
        stage.half_precision = exactness::has_half_precision(shader, types, &reached);
        stage.order_dependent = exactness::depends_on_order(shader, &reached);
    }
    program.stages = linked;
    Ok(program)
}

fn new_stage(shader: Shader) -> LinkedStage {
    LinkedStage {
        shader,
        inputs: Vec::new(),
        outputs: Vec::new(),
        exact: false,
        half_precision: false,
        order_dependent: false,
        clip_distances: 0,
        cull_distances: 0,
        input_clip_distances: 0,
        side_effects: false,
        shared_size: 0,
    }
}

fn empty_program(types: TypeTable) -> Program {
    Program {
        types,
        stages: Vec::new(),
        attributes: Vec::new(),
        uniforms: Vec::new(),
        uniform_blocks: Vec::new(),
        storage_blocks: Vec::new(),
        buffer_variables: Vec::new(),
        subroutine_uniforms: Vec::new(),
        default_block_size: 0,
        samplers: Vec::new(),
        images: Vec::new(),
        atomic_buffers: Vec::new(),
        feedback: Vec::new(),
        feedback_strides: [0; 4],
        mismatch: None,
    }
}
