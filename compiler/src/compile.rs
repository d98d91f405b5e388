//! The way of one stage from typed program to validated binary.

use eu::DevInfo;
use intel::output::{Interface, TessDomain, Width};
use ir::pass::{PassManager, PassOptions};
use program::shader::LayoutPrimitive;
use program::{Program, Stage, StageKey, TargetKind};

use crate::binary::Binary;
use crate::error::{CompileError, Layer};
use crate::interface::varying;
use crate::options::Options;
use crate::passes;
use crate::varyings::{self, Context};

/// Called after each IR pass with its name, whether it changed anything, and the shader.
pub type Hook<'a> = &'a mut dyn FnMut(&str, bool, &ir::Shader);

/// Compiles one stage for draws with the given key.
pub fn compile(
    program: &Program,
    stage: Stage,
    key: &StageKey,
    devinfo: &'static DevInfo,
    options: &Options,
) -> Result<Binary, CompileError> {
    compile_with(program, stage, key, devinfo, options, &mut |_, _, _| {})
}

/// As [`compile`], showing the IR after each pass.
pub fn compile_with(
    program: &Program,
    stage: Stage,
    key: &StageKey,
    devinfo: &'static DevInfo,
    options: &Options,
    hook: Hook<'_>,
) -> Result<Binary, CompileError> {
    let (shader, used) = optimise(program, stage, key, devinfo, options, hook)?;
    let intel_options = intel_options(options, used);
    let compiled = intel::compile(&shader, &intel_key(program, stage, key), devinfo, &intel_options)?;
    let binary = Binary { generation: devinfo.name.to_string(), compiled };
    if !options.no_validate {
        validate(devinfo, &binary)?;
    }
    Ok(binary)
}

/// The IR of a stage after its whole pass list: what the back end gets.
pub fn ir_after(
    program: &Program,
    stage: Stage,
    key: &StageKey,
    devinfo: &'static DevInfo,
    options: &Options,
    hook: Hook<'_>,
) -> Result<ir::Shader, CompileError> {
    optimise(program, stage, key, devinfo, options, hook).map(|(shader, _)| shader)
}

/// Lowers and optimises; also gives the number of optional passes run.
fn optimise(
    program: &Program,
    stage: Stage,
    key: &StageKey,
    devinfo: &'static DevInfo,
    options: &Options,
    hook: Hook<'_>,
) -> Result<(ir::Shader, u64), CompileError> {
    let mut shader = lower::lower(program, stage, key)?;
    hook("lower", true, &shader);
    ir::validate(&shader).map_err(|e| ir::ValidationError { pass: "lower".into(), ..e })?;
    let mut manager = PassManager::new(pass_options(options));
    manager.set_hook(hook);
    passes::front(&mut manager, &mut shader)?;
    varyings::link(&mut manager, &mut shader, &Context { program, stage, key, options })?;
    passes::back(&mut manager, &mut shader, devinfo, options.backend)?;
    let used = manager.optional_runs();
    Ok((shader, used))
}

/// The pass driver's part of the options.
pub(crate) fn pass_options(options: &Options) -> PassOptions {
    PassOptions {
        limit: options.pass_limit,
        disabled: options.disabled_passes.clone(),
        validate: options.paranoid || cfg!(debug_assertions),
    }
}

fn intel_options(options: &Options, used: u64) -> intel::Options {
    let defaults = intel::Options::default();
    intel::Options {
        widths: options.widths.clone(),
        disabled_quirks: options.disabled_quirks,
        spill_all: options.spill_all,
        check_allocation: options.paranoid || defaults.check_allocation,
        pass_limit: options.pass_limit.map(|limit| limit.saturating_sub(used).min(u32::MAX.into()) as u32),
        disabled_passes: options.disabled_passes.clone(),
        backend: options.backend,
        liveness: options.liveness,
        payload_interference: options.payload_interference,
        ..defaults
    }
}

/// Draw-time state in the back end's terms.
fn intel_key(program: &Program, stage: Stage, key: &StageKey) -> intel::StageKey {
    let next = program.stages.iter().find(|s| s.shader.stage > stage);
    let needed = next.map(|s| s.inputs.iter().map(|v| varying(v.slot)).collect()).unwrap_or_default();
    intel::StageKey {
        outputs_needed: needed,
        flat_shading: key.flat_shade,
        render_targets: key.targets.iter().filter(|&&t| t != TargetKind::None).count() as u32,
        multisampled: key.samples > 1,
        patch_vertices: patch_vertices(program, stage, key),
        tess_domain: tess_domain(program),
        ..intel::StageKey::default()
    }
}

/// Vertices of the patches that a tessellation stage gets.
fn patch_vertices(program: &Program, stage: Stage, key: &StageKey) -> u32 {
    let control = program.stage(Stage::TessControl).filter(|_| stage == Stage::TessEvaluation);
    control.and_then(|s| s.shader.layout.vertices).unwrap_or(key.patch_vertices.into())
}

/// Domain of the program's patches: the evaluation stage declares it.
fn tess_domain(program: &Program) -> TessDomain {
    match program.stage(Stage::TessEvaluation).and_then(|s| s.shader.layout.input_primitive) {
        Some(LayoutPrimitive::Quads) => TessDomain::Quads,
        Some(LayoutPrimitive::Isolines) => TessDomain::Isolines,
        _ => TessDomain::Triangles,
    }
}

/// Refuses binaries that break the instruction set's rules.
pub fn validate(devinfo: &'static DevInfo, binary: &Binary) -> Result<(), CompileError> {
    for kernel in &binary.compiled.kernels {
        let violations = eu::validate::validate_program(devinfo, &kernel.code);
        if let Some(first) = violations.first() {
            let text = format!(
                "{} kernel, offset {:#x}: {} ({}; {} violations in all)",
                kernel.width.name(),
                first.offset,
                first.message,
                first.rule,
                violations.len()
            );
            return Err(CompileError::new(Layer::Validate, text));
        }
    }
    Ok(())
}

impl Binary {
    /// The kernel of a width.
    pub fn kernel(&self, width: Width) -> Option<&intel::output::Kernel> {
        self.compiled.kernels.iter().find(|k| k.width == width)
    }

    /// The stage-specific metadata.
    pub fn interface(&self) -> &Interface {
        &self.compiled.interface
    }
}
