//! Optimisation across stages: constants among a stage's outputs reach the next stage, what that does not read is not written.
//!
//! Each stage is compiled on its own, so the neighbours go through the front half of the pass list here once more, with the same options:
//! both sides come to the same conclusions. Draw-time state does not change which generic varyings a stage reads or writes; therefore one
//! stage's key serves for the other.

use ir::pass::PassManager;
use ir::varyings::{InputReads, OutputConstants, reads_generic_inputs, writes_generic_outputs};
use program::{Program, Stage, StageKey};

use crate::compile::pass_options;
use crate::error::CompileError;
use crate::options::Options;
use crate::passes;

/// What is being compiled.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub program: &'a Program,
    pub stage: Stage,
    pub key: &'a StageKey,
    pub options: &'a Options,
}

/// Optimises a shader that went through [`passes::front`] with what its neighbours are like.
pub(crate) fn link(
    manager: &mut PassManager<'_>,
    shader: &mut ir::Shader,
    context: &Context<'_>,
) -> Result<(), CompileError> {
    let reads = unread_matters(shader, context).then(|| reads_of_next(shader, context)).flatten();
    if let Some(constants) = constants_of_previous(shader, context) {
        passes::constant_inputs(manager, shader, &constants)?;
    }
    if let Some(reads) = reads {
        passes::unread_outputs(manager, shader, &reads)?;
    }
    Ok(())
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
    matches!(stage, Stage::Vertex | Stage::TessEvaluation | Stage::Geometry)
}

fn next(program: &Program, stage: Stage) -> Option<Stage> {
    program.stages.iter().map(|s| s.shader.stage).find(|&s| s > stage && s <= Stage::Fragment)
}

fn previous(program: &Program, stage: Stage) -> Option<Stage> {
    program.stages.iter().rev().map(|s| s.shader.stage).find(|&s| s < stage && stage <= Stage::Fragment)
}

/// What the previous stage always writes, as far as this one reads any of it.
fn constants_of_previous(shader: &ir::Shader, context: &Context<'_>) -> Option<OutputConstants> {
    let stage = previous(context.program, context.stage).filter(|&s| has_plain_outputs(s))?;
    if !reads_generic_inputs(shader) {
        return None;
    }
    let (shader, _) = front_half(&Context { stage, ..*context })?;
    Some(OutputConstants::of(&shader)).filter(|constants| !constants.is_empty())
}

/// What the next stage reads once it knows this one's constants.
fn reads_of_next(shader: &ir::Shader, context: &Context<'_>) -> Option<InputReads> {
    let stage = next(context.program, context.stage)?;
    let (mut consumer, mut manager) = front_half(&Context { stage, ..*context })?;
    let constants = OutputConstants::of(shader);
    if !constants.is_empty() && reads_generic_inputs(&consumer) {
        passes::constant_inputs(&mut manager, &mut consumer, &constants).ok()?;
    }
    Some(InputReads::of(&consumer))
}

/// A neighbour as it is before it knows of its own neighbours; `None` if it cannot be compiled, which is its own compilation's business.
fn front_half<'a>(context: &Context<'_>) -> Option<(ir::Shader, PassManager<'a>)> {
    let mut shader = lower::lower(context.program, context.stage, context.key).ok()?;
    let mut manager = PassManager::new(pass_options(context.options));
    passes::front(&mut manager, &mut shader).ok()?;
    Some((shader, manager))
}
