//! Compilation of one stage for AMD's chips, from the typed program to a validated program.

use std::sync::Arc;

use amd_codegen::{NextStage, TessDomain};
use amd_isa::Chip;
use program::shader::LayoutPrimitive;
use program::{Program, Stage, StageKey, TargetKind};
use vocabulary::{CodegenOptions, InternalError};

use ir::{PassEvent, PassLog, PassRecord};

use crate::compile::{Hook, StagePasses};
use crate::error::CompileError;
use crate::passes::{self, IrTarget};
use crate::varyings::{EarlyStage, neighbor_facts};

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
) -> Result<amd_codegen::Output, CompileError> {
    compile_amd_logged(program, stage, key, chip, options).0
}

/// As [`compile_amd`], and also returns which optional passes ran, whether it succeeds or not.
pub fn compile_amd_logged(
    program: &Program,
    stage: Stage,
    key: &StageKey,
    chip: Chip,
    options: &CodegenOptions,
) -> (Result<amd_codegen::Output, CompileError>, StagePasses) {
    let mut log = StagePasses::new(stage);
    let shader = ir_for_amd(program, stage, key, options, &mut |_, _| {}, &mut log.ir);
    let output = shader.and_then(|shader| {
        let record = PassRecord::after_ir(log.ir.runs.len() as u64);
        let key = stage_key(program, stage, key);
        let output = codegen(&shader, &key, chip, options, &record);
        log.kernels = record.into_kernels();
        output
    });
    (output, log)
}

/// Generates machine code from optimized IR.
pub(crate) fn codegen(
    shader: &ir::Shader,
    key: &amd_codegen::StageKey,
    chip: Chip,
    options: &CodegenOptions,
    record: &PassRecord,
) -> Result<amd_codegen::Output, CompileError> {
    let compile = || amd_codegen::compile_recorded(shader, key, chip, options, record);
    Ok(InternalError::catch(compile)??)
}

/// Lowers one stage of a linked program and takes it through the IR passes, as [`compile_amd`]
/// does. `hook` sees each pass; `log` is complete even if there is an error.
///
/// # Errors
/// The pass that failed, and why.
pub fn ir_for_amd(
    program: &Program,
    stage: Stage,
    key: &StageKey,
    options: &CodegenOptions,
    hook: Hook<'_>,
    log: &mut PassLog,
) -> Result<Arc<ir::Shader>, CompileError> {
    let limit = options.inline_limit;
    let lowered = InternalError::catch(|| lower::lower(program, stage, key, limit))??;
    let mut shader = Arc::new(lowered);
    hook(PassEvent { name: "lower", number: None, changed: true }, &shader);
    let mut manager = passes::manager(options, stage, true);
    manager.set_hook(hook);
    let early = |stage: Stage| -> Result<EarlyStage<'_>, CompileError> {
        let mut shader =
            InternalError::catch(|| lower::lower(program, stage, key, options.inline_limit))??;
        let mut manager = passes::manager(options, stage, false);
        passes::early(&mut manager, &mut shader)?;
        Ok((Arc::new(shader), manager))
    };
    let neighbors = |shader: &ir::Shader| neighbor_facts((program, stage), shader, early);
    let target = target(program, stage);
    let result = passes::pipeline(&mut manager, &mut shader, neighbors, target);
    log.clone_from(manager.log());
    result?;
    Ok(shader)
}

/// Returns the properties of machine and back end that the IR passes depend on.
pub(crate) fn target(program: &Program, stage: Stage) -> IrTarget {
    let is_inexact = program.stage(stage).is_some_and(|stage| !stage.exact);
    IrTarget { is_inexact, ..IrTarget::AMD }
}

/// The back end's key for a stage of a program.
pub(crate) fn stage_key(program: &Program, stage: Stage, key: &StageKey) -> amd_codegen::StageKey {
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
    amd_codegen::StageKey {
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
