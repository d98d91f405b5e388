//! Compilation of one stage, from the typed program to a validated binary.

use std::sync::Arc;

use intel_codegen::output::{Interface, TessDomain, Width};
use intel_isa::{DevInfo, Violation};
use ir::pass::{PassEvent, PassLog, PassRecord};
use program::shader::LayoutPrimitive;
use program::{Program, Stage, StageKey, TargetKind};
use vocabulary::{CodegenOptions, InternalError};

use crate::binary::Binary;
use crate::error::{CompileError, InvalidBinary};
use crate::interface::varying;
use crate::passes::{self, IrTarget};
use crate::varyings::{self, EarlyStage};

/// Called with the lowered shader (pass `lower`), and with the shader after each IR pass.
pub type Hook<'a> = &'a mut dyn FnMut(PassEvent, &ir::Shader);

/// Compiles one stage of a linked program for draws with the given key.
///
/// # Errors
/// The phase that failed, from lowering to the validator, and why.
pub fn compile(
    program: &Program,
    stage: Stage,
    key: &StageKey,
    devinfo: &'static DevInfo,
    options: &CodegenOptions,
) -> Result<Binary, CompileError> {
    let request = StageRequest { program, stage, key, devinfo, options };
    request.compile(&mut |_, _| {}, &mut StagePasses::new(stage))
}

/// As [`compile`], and also returns which optional passes ran, whether it succeeds or not.
pub fn compile_logged(
    program: &Program,
    stage: Stage,
    key: &StageKey,
    devinfo: &'static DevInfo,
    options: &CodegenOptions,
) -> (Result<Binary, CompileError>, StagePasses) {
    let request = StageRequest { program, stage, key, devinfo, options };
    let mut log = StagePasses::new(stage);
    (request.compile(&mut |_, _| {}, &mut log), log)
}

/// Returns the IR of a stage after all IR passes: the input of the back end.
///
/// # Errors
/// The program cannot be lowered, or a pass failed.
pub fn ir_after(
    program: &Program,
    stage: Stage,
    key: &StageKey,
    devinfo: &'static DevInfo,
    options: &CodegenOptions,
    hook: Hook<'_>,
) -> Result<ir::Shader, CompileError> {
    let request = StageRequest { program, stage, key, devinfo, options };
    request.optimized_ir(hook, &mut PassLog::default()).map(Arc::unwrap_or_clone)
}

/// The optional passes of one stage's compilation. The numbers of a kernel's passes continue those
/// of the IR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StagePasses {
    /// The stage.
    pub stage: Stage,
    /// Passes on the IR.
    pub ir: PassLog,
    /// Passes in the back end, including those on kernels that were dropped.
    pub kernels: Vec<(Width, PassLog)>,
}

impl StagePasses {
    pub(crate) fn new(stage: Stage) -> StagePasses {
        StagePasses { stage, ir: PassLog::default(), kernels: Vec::new() }
    }
}

/// A stage to compile.
#[derive(Clone, Copy)]
pub(crate) struct StageRequest<'a> {
    pub program: &'a Program,
    pub stage: Stage,
    pub key: &'a StageKey,
    pub devinfo: &'static DevInfo,
    pub options: &'a CodegenOptions,
}

impl<'a> StageRequest<'a> {
    /// Compiles the stage: typed program to IR, passes, code generation, validation.
    fn compile(&self, hook: Hook<'_>, log: &mut StagePasses) -> Result<Binary, CompileError> {
        let shader = self.optimized_ir(hook, &mut log.ir)?;
        let record = PassRecord::after_ir(log.ir.runs.len() as u64);
        let binary = codegen(&shader, &self.intel_key(), self.devinfo, self.options, &record);
        log.kernels = record.into_kernels();
        let binary = binary?;
        if !self.options.no_validate {
            validate(self.devinfo, &binary)?;
        }
        Ok(binary)
    }

    /// Lowers the stage and runs the IR passes. `log` is complete even if there is an error.
    fn optimized_ir(
        &self,
        hook: Hook<'_>,
        log: &mut PassLog,
    ) -> Result<Arc<ir::Shader>, CompileError> {
        let mut shader = Arc::new(self.lowered()?);
        hook(PassEvent { name: "lower", number: None, changed: true }, &shader);
        let mut manager = passes::manager(self.options, self.stage, true);
        manager.set_hook(hook);
        let neighbors = |shader: &ir::Shader| {
            let of = (self.program, self.stage);
            varyings::neighbor_facts(of, shader, |stage| self.early(stage))
        };
        let result = passes::pipeline(&mut manager, &mut shader, neighbors, self.target());
        log.clone_from(manager.log());
        result?;
        Ok(shader)
    }

    /// Takes another stage of the program through the early passes.
    fn early(&self, stage: Stage) -> Result<EarlyStage<'a>, CompileError> {
        let mut shader = StageRequest { stage, ..*self }.lowered()?;
        let mut manager = passes::manager(self.options, stage, false);
        passes::early(&mut manager, &mut shader)?;
        Ok((Arc::new(shader), manager))
    }

    /// Lowers the stage to IR.
    pub(crate) fn lowered(&self) -> Result<ir::Shader, CompileError> {
        let limit = self.options.inline_limit;
        Ok(InternalError::catch(|| lower::lower(self.program, self.stage, self.key, limit))??)
    }

    /// Returns the properties of machine and back end that the IR passes depend on.
    pub(crate) fn target(&self) -> IrTarget {
        let is_inexact = self.program.stage(self.stage).is_some_and(|stage| !stage.exact);
        IrTarget::of(self.devinfo, self.stage, self.options.backend, is_inexact)
    }
}

/// Generates machine code from optimized IR.
pub(crate) fn codegen(
    shader: &ir::Shader,
    key: &intel_codegen::StageKey,
    devinfo: &'static DevInfo,
    options: &CodegenOptions,
    record: &PassRecord,
) -> Result<Binary, CompileError> {
    let compile = || intel_codegen::compile_recorded(shader, key, devinfo, options, record);
    let compiled = InternalError::catch(compile)??;
    Ok(Binary { generation: devinfo.name.to_string(), compiled })
}

impl StageRequest<'_> {
    /// Returns the draw-time state in the back end's terms.
    pub(crate) fn intel_key(&self) -> intel_codegen::StageKey {
        let StageRequest { program, stage, key, .. } = *self;
        let next = program.stages.iter().find(|s| s.shader.stage > stage);
        let needed =
            next.map(|s| s.inputs.iter().map(|v| varying(v.slot)).collect()).unwrap_or_default();
        let last_target = key.targets.iter().rposition(|&t| t != TargetKind::None);
        intel_codegen::StageKey {
            outputs_needed: needed,
            render_targets: last_target.map_or(0, |last| last as u32 + 1),
            samples: u32::from(key.samples).max(1),
            patch_vertices: patch_vertices(program, stage, key),
            tess_domain: tess_domain(program),
            ..intel_codegen::StageKey::default()
        }
    }
}

/// Returns the number of vertices of the patches that a tessellation stage receives.
fn patch_vertices(program: &Program, stage: Stage, key: &StageKey) -> u32 {
    let control = program.stage(Stage::TessControl).filter(|_| stage == Stage::TessEval);
    control.and_then(|s| s.shader.layout.vertices).unwrap_or(key.patch_vertices.into())
}

/// Returns the domain of the program's patches, which the evaluation stage declares.
fn tess_domain(program: &Program) -> TessDomain {
    match program.stage(Stage::TessEval).and_then(|s| s.shader.layout.input_primitive) {
        Some(LayoutPrimitive::Quads) => TessDomain::Quads,
        Some(LayoutPrimitive::Isolines) => TessDomain::Isolines,
        _ => TessDomain::Triangles,
    }
}

/// Checks a binary against the instruction set's rules.
///
/// # Errors
/// The first violation and their number.
pub fn validate(devinfo: &'static DevInfo, binary: &Binary) -> Result<(), CompileError> {
    validate_kernels(devinfo, binary, |code| intel_isa::validate_program(devinfo, code))
}

/// Checks the code of every kernel with `validate`.
pub(crate) fn validate_kernels(
    devinfo: &'static DevInfo,
    binary: &Binary,
    mut validate: impl FnMut(&[u8]) -> Vec<Violation>,
) -> Result<(), CompileError> {
    for kernel in &binary.compiled.kernels {
        let violations = validate(&kernel.code);
        if let Some(first) = violations.first() {
            let (first, count) = (first.clone(), violations.len());
            let instruction = intel_isa::violating_instruction(devinfo, &kernel.code, &first);
            return Err(InvalidBinary { width: kernel.width, first, count, instruction }.into());
        }
    }
    Ok(())
}

impl Binary {
    /// Returns the kernel of a width.
    pub fn kernel(&self, width: Width) -> Option<&intel_codegen::output::Kernel> {
        self.compiled.kernels.iter().find(|k| k.width == width)
    }

    /// Returns the stage-specific metadata.
    pub fn interface(&self) -> &Interface {
        &self.compiled.interface
    }
}
