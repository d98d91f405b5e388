//! Facts about neighboring stages for the link-time passes.
//!
//! Each stage is compiled on its own, so its neighbors go through the early passes here once more,
//! with the same options: both sides come to the same conclusions. Draw-time state does not change
//! which generic varyings a stage reads or writes; therefore one stage's key serves for the other.

use std::sync::Arc;

use ir::varying_places::{VaryingPlaces, has_movable_outputs};
use ir::varyings::{InputReads, OutputFacts, reads_generic_inputs, writes_generic_outputs};
use program::{Program, Stage};

use crate::error::CompileError;
use crate::passes::{self, NeighborFacts, PassManager};

/// A stage after the early passes, and the manager that ran them.
pub(crate) type EarlyStage<'a> = (Arc<ir::Shader>, PassManager<'a>);

/// Returns what a stage's neighbors allow, given its shader after the early passes. `early` takes
/// another stage through the early passes. A neighbor that cannot be compiled allows nothing: its
/// own compilation reports the error.
pub(crate) fn neighbor_facts<'a>(
    (program, stage): (&Program, Stage),
    shader: &ir::Shader,
    early: impl Fn(Stage) -> Result<EarlyStage<'a>, CompileError>,
) -> NeighborFacts {
    let next = may_drop_outputs((program, stage), shader)
        .then(|| next_after_link((program, stage), shader, &early))
        .flatten();
    let may_move = may_move_outputs(program, shader);
    NeighborFacts {
        reads: next.as_deref().map(InputReads::of),
        outputs: outputs_of_previous((program, stage), shader, &early),
        moves_inputs: moves_inputs((program, stage), &early),
        output_places: next.filter(|_| may_move).and_then(|next| VaryingPlaces::of(&next)),
    }
}

/// Returns true if the fragment stage may choose the places of a vertex stage's outputs. The other
/// stages read or write vertices of a primitive, which costs them messages.
fn may_move_outputs(program: &Program, shader: &ir::Shader) -> bool {
    shader.info.stage == Stage::Vertex
        && next(program, Stage::Vertex) == Some(Stage::Fragment)
        && program.feedback.is_empty()
        && writes_generic_outputs(shader)
        && has_movable_outputs(shader)
}

/// Returns true if the previous stage moves its outputs to the places that suit this one.
fn moves_inputs<'a>(
    (program, stage): (&Program, Stage),
    early: impl Fn(Stage) -> Result<EarlyStage<'a>, CompileError>,
) -> bool {
    stage == Stage::Fragment
        && previous(program, stage) == Some(Stage::Vertex)
        && early(Stage::Vertex).is_ok_and(|(producer, _)| may_move_outputs(program, &producer))
}

/// Returns true if the stage passes generic varyings to the next stage and to nothing else.
fn may_drop_outputs((program, stage): (&Program, Stage), shader: &ir::Shader) -> bool {
    let captured = !program.feedback.is_empty()
        && program.last_vertex_stage().is_some_and(|s| s.shader.stage == stage);
    has_own_outputs(stage) && !captured && writes_generic_outputs(shader)
}

/// Returns true if each output belongs to one invocation; patches belong to several.
fn has_own_outputs(stage: Stage) -> bool {
    matches!(stage, Stage::Vertex | Stage::TessEval | Stage::Geometry)
}

fn next(program: &Program, stage: Stage) -> Option<Stage> {
    program.stages.iter().map(|s| s.shader.stage).find(|&s| s > stage && s <= Stage::Fragment)
}

fn previous(program: &Program, stage: Stage) -> Option<Stage> {
    let mut stages = program.stages.iter().rev().map(|s| s.shader.stage);
    stages.find(|&s| s < stage && stage <= Stage::Fragment)
}

/// Returns facts about the outputs of the previous stage, if this one reads any varying.
fn outputs_of_previous<'a>(
    (program, stage): (&Program, Stage),
    shader: &ir::Shader,
    early: impl Fn(Stage) -> Result<EarlyStage<'a>, CompileError>,
) -> Option<OutputFacts> {
    let stage = previous(program, stage).filter(|&s| has_own_outputs(s))?;
    if !reads_generic_inputs(shader) {
        return None;
    }
    let (producer, _) = early(stage).ok()?;
    Some(OutputFacts::of(&producer)).filter(|facts| !facts.is_empty())
}

/// Returns the next stage once it knows this stage's outputs.
fn next_after_link<'a>(
    (program, stage): (&Program, Stage),
    shader: &ir::Shader,
    early: impl Fn(Stage) -> Result<EarlyStage<'a>, CompileError>,
) -> Option<Arc<ir::Shader>> {
    let stage = next(program, stage)?;
    let (mut consumer, mut manager) = early(stage).ok()?;
    let outputs = OutputFacts::of(shader);
    if !outputs.is_empty() && reads_generic_inputs(&consumer) {
        let facts = NeighborFacts { outputs: Some(outputs), ..NeighborFacts::default() };
        passes::link_varyings(&mut manager, &mut consumer, &facts).ok()?;
    }
    Some(consumer)
}
