//! Compilation of one stage for AMD's chips, from the typed program to a validated program.

use std::sync::Arc;

use amd::{NextStage, TessDomain};
use gcn::Chip;
use program::shader::LayoutPrimitive;
use program::{Program, Stage, StageKey, TargetKind};
use vocabulary::{CodegenOptions, InternalError};

use crate::error::CompileError;
use crate::passes::{self, IrTarget, NeighborFacts};

/// Compiles one stage of a linked program for draws with the given key.
///
/// # Errors
/// The phase that failed, from lowering to the validator, and why.
pub fn compile_amd(
    program: &Program,
    stage: Stage,
    key: &StageKey,
    chip: Chip,
    options: &CodegenOptions,
) -> Result<amd::Output, CompileError> {
    let lowered = InternalError::catch(|| lower::lower(program, stage, key))??;
    let mut shader = Arc::new(lowered);
    let mut manager = passes::manager(options, stage, false);
    let neighbors = |_: &ir::Shader| NeighborFacts::default();
    passes::pipeline(&mut manager, &mut shader, neighbors, IrTarget::AMD)?;
    let key = stage_key(program, stage, key);
    Ok(InternalError::catch(|| amd::compile(&shader, &key, chip))??)
}

/// The back end's key for a stage of a program.
fn stage_key(program: &Program, stage: Stage, key: &StageKey) -> amd::StageKey {
    let has = |stage| program.stage(stage).is_some();
    let next = if stage == Stage::Vertex && has(Stage::TessEval) {
        NextStage::TessControl
    } else if has(Stage::Geometry) {
        NextStage::Geometry
    } else {
        NextStage::Rasterization
    };
    let evaluation = program.stage(Stage::TessEval);
    let last_target = key.targets.iter().rposition(|&target| target != TargetKind::None);
    amd::StageKey {
        render_targets: last_target.map_or(0, |last| last as u32 + 1),
        samples: u32::from(key.samples).max(1),
        next,
        patch_vertices: key.patch_vertices.into(),
        tess_domain: match evaluation.and_then(|stage| stage.shader.layout.input_primitive) {
            Some(LayoutPrimitive::Quads) => TessDomain::Quads,
            Some(LayoutPrimitive::Isolines) => TessDomain::Isolines,
            _ => TessDomain::Triangles,
        },
    }
}
