//! Optimisation across stages: constants among a stage's outputs reach the next stage, what that does not read is not written.
//!
//! Each stage is compiled on its own, so the neighbours go through the front half of the pass list here once more, with the same options:
//! both sides come to the same conclusions. Draw-time state does not change which generic varyings a stage reads or writes; therefore one
//! stage's key serves for the other.

use std::sync::Arc;

use ir::varyings::{InputReads, OutputConstants, reads_generic_inputs, writes_generic_outputs};
use program::{Program, Stage, StageKey};

use crate::compile::Driver;
use crate::error::CompileError;
use crate::passes;
use vocabulary::CodegenOptions;

/// What is being compiled.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub program: &'a Program,
    pub stage: Stage,
    pub key: &'a StageKey,
    pub options: &'a CodegenOptions,
}

/// Optimises a shader that went through [`passes::front`] with what its neighbours are like.
pub(crate) fn link(
    driver: &mut Driver<'_>,
    mut shader: Arc<ir::Shader>,
    context: &Context<'_>,
) -> Result<Arc<ir::Shader>, CompileError> {
    let reads = unread_matters(&shader, context).then(|| reads_of_next(driver, &shader, context)).flatten();
    if let Some(constants) = constants_of_previous(driver, &shader, context) {
        passes::constant_inputs(&mut driver.manager, Arc::make_mut(&mut shader), &constants)?;
    }
    if let Some(reads) = reads {
        passes::unread_outputs(&mut driver.manager, Arc::make_mut(&mut shader), &reads)?;
    }
    Ok(shader)
}

/// Whether the stage passes generic varyings to another and nobody else looks at them.
fn unread_matters(shader: &ir::Shader, context: &Context<'_>) -> bool {
    let program = context.program;
    let captured = !program.feedback.is_empty()
        && program.last_vertex_stage().is_some_and(|s| s.shader.stage == context.stage);
    has_plain_outputs(context.stage) && !captured && writes_generic_outputs(shader)
}

/// Stages whose outputs are those of one invocation; patches belong to several.
fn has_plain_outputs(stage: Stage) -> bool {
    matches!(stage, Stage::Vertex | Stage::TessEval | Stage::Geometry)
}

fn next(program: &Program, stage: Stage) -> Option<Stage> {
    program.stages.iter().map(|s| s.shader.stage).find(|&s| s > stage && s <= Stage::Fragment)
}

fn previous(program: &Program, stage: Stage) -> Option<Stage> {
    program.stages.iter().rev().map(|s| s.shader.stage).find(|&s| s < stage && stage <= Stage::Fragment)
}

/// What the previous stage always writes, as far as this one reads any of it.
fn constants_of_previous(
    driver: &Driver<'_>,
    shader: &ir::Shader,
    context: &Context<'_>,
) -> Option<OutputConstants> {
    let stage = previous(context.program, context.stage).filter(|&s| has_plain_outputs(s))?;
    if !reads_generic_inputs(shader) {
        return None;
    }
    let (shader, _) = front_half(driver, &Context { stage, ..*context })?;
    Some(OutputConstants::of(&shader)).filter(|constants| !constants.is_empty())
}

/// What the next stage reads once it knows this one's constants.
fn reads_of_next(driver: &Driver<'_>, shader: &ir::Shader, context: &Context<'_>) -> Option<InputReads> {
    let stage = next(context.program, context.stage)?;
    let (mut consumer, mut driver) = front_half(driver, &Context { stage, ..*context })?;
    let constants = OutputConstants::of(shader);
    if !constants.is_empty() && reads_generic_inputs(&consumer) {
        passes::constant_inputs(&mut driver.manager, Arc::make_mut(&mut consumer), &constants).ok()?;
    }
    Some(InputReads::of(&consumer))
}

/// A neighbour as it is before it knows of its own neighbours; `None` if it cannot be compiled, which is its own compilation's business.
fn front_half<'a>(driver: &Driver<'a>, context: &Context<'_>) -> Option<(Arc<ir::Shader>, Driver<'a>)> {
    let mut driver = driver.another(context.options, context.stage);
    let shader = driver.front(context).ok()?;
    Some((shader, driver))
}
