//! The way of one stage from typed program to validated binary.

use std::sync::Arc;

use eu::{DevInfo, ValidationCache};
use intel::output::{Interface, TessDomain, Width};
use intel::passes::PassSink;
use ir::pass::{PassEvent, PassLog, PassOptions};
use program::shader::LayoutPrimitive;
use program::{Program, Stage, StageKey, TargetKind};

use crate::binary::Binary;
use crate::cache::Cache;
use crate::error::{CompileError, InvalidBinary};
use crate::fronts::Fronts;
use crate::interface::varying;
use crate::passes::{self, PassError, PassManager, Target};
use crate::varyings::{self, Context};
use vocabulary::{CodegenOptions, InternalError};

/// Called with the lowered shader (pass `lower`), and with the shader after each IR pass.
pub type Hook<'a> = &'a mut dyn FnMut(PassEvent, &ir::Shader);

/// Compiles one stage for draws with the given key.
///
/// # Errors
/// The layer that gave up, from lowering to the validator, and why.
pub fn compile(
    program: &Program,
    stage: Stage,
    key: &StageKey,
    devinfo: &'static DevInfo,
    options: &CodegenOptions,
) -> Result<Binary, CompileError> {
    compile_logged(program, stage, key, devinfo, options).0
}

/// What the optional passes did in the compilation of a stage. The numbers of a kernel's passes go on where those of
/// the IR end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StagePasses {
    /// The stage.
    pub stage: Stage,
    /// On the IR.
    pub ir: PassLog,
    /// In the back end, also on kernels that were given up.
    pub kernels: Vec<(Width, PassLog)>,
}

/// As [`compile`], telling which optional passes ran, whether it succeeds or not.
pub fn compile_logged(
    program: &Program,
    stage: Stage,
    key: &StageKey,
    devinfo: &'static DevInfo,
    options: &CodegenOptions,
) -> (Result<Binary, CompileError>, StagePasses) {
    let mut log = PassLog::default();
    let shader = optimise(program, stage, key, devinfo, options, &mut |_, _| {}, &mut log);
    let sink = PassSink::default();
    let left = |limit: u64| limit.saturating_sub(log.runs.len() as u64);
    let intel_options = intel::Options {
        pass_limit: options.limit(stage).map(left),
        width_limits: options.kernel_limits(stage).map(|(width, limit)| (width, left(limit))).collect(),
        log: Some(sink.clone()),
        ..intel_options(options)
    };
    let binary = shader.and_then(|shader| {
        let mut known = ValidationCache::new(devinfo);
        assemble(&shader, &intel_key(program, stage, key), &mut known, &intel_options, options)
    });
    (binary, StagePasses { stage, ir: log, kernels: sink.take() })
}

/// As [`compile`], taking from `cache` what was made before, on the whole way or a part of it. `fronts` is of this program and
/// these options.
///
/// # Errors
/// As [`compile`].
pub fn compile_cached(
    cache: &Cache,
    fronts: &Fronts,
    program: &Program,
    stage: Stage,
    key: &StageKey,
    devinfo: &'static DevInfo,
    options: &CodegenOptions,
) -> Result<Arc<Binary>, CompileError> {
    if options.is_limited() {
        // Counts of passes make a shader depend on more than its code.
        return compile(program, stage, key, devinfo, options).map(Arc::new);
    }
    let context = Context { program, stage, key, options };
    let mut driver = Driver::new(options, stage, Some(Reuse { cache, fronts }));
    let shader = driver.front(&context)?;
    let shader = driver.optimise(shader, devinfo, &context)?;
    cache.binary(shader, intel_key(program, stage, key), devinfo, options)
}

/// From optimised IR to a valid binary.
pub(crate) fn assemble(
    shader: &ir::Shader,
    key: &intel::StageKey,
    known: &mut ValidationCache,
    intel_options: &intel::Options,
    options: &CodegenOptions,
) -> Result<Binary, CompileError> {
    let devinfo = known.devinfo();
    let compiled = InternalError::catch(|| intel::compile(shader, key, devinfo, intel_options))??;
    let binary = Binary { generation: devinfo.name.to_string(), compiled };
    if !options.no_validate {
        validate_known(known, &binary)?;
    }
    Ok(binary)
}

/// The IR of a stage after its whole pass list: what the back end gets.
///
/// # Errors
/// The program cannot be lowered, or a pass broke the IR.
pub fn ir_after(
    program: &Program,
    stage: Stage,
    key: &StageKey,
    devinfo: &'static DevInfo,
    options: &CodegenOptions,
    hook: Hook<'_>,
) -> Result<ir::Shader, CompileError> {
    let mut log = PassLog::default();
    optimise(program, stage, key, devinfo, options, hook, &mut log).map(Arc::unwrap_or_clone)
}

/// Lowers and optimises; `log` tells which optional passes ran, also when there is no shader in the end.
fn optimise(
    program: &Program,
    stage: Stage,
    key: &StageKey,
    devinfo: &'static DevInfo,
    options: &CodegenOptions,
    hook: Hook<'_>,
    log: &mut PassLog,
) -> Result<Arc<ir::Shader>, CompileError> {
    let context = Context { program, stage, key, options };
    let lowered = lowered(program, stage, key)?;
    hook(PassEvent { name: "lower", number: None, changed: true }, &lowered);
    let mut driver = Driver::new(options, stage, None);
    driver.manager.set_hook(hook);
    let shader =
        front(&mut driver.manager, lowered).and_then(|shader| driver.optimise(shader, devinfo, &context));
    log.clone_from(driver.manager.log());
    shader
}

/// Where results of other compilations lie.
#[derive(Clone, Copy)]
pub(crate) struct Reuse<'a> {
    cache: &'a Cache,
    fronts: &'a Fronts,
}

/// Takes IR through the pass lists, or takes what they gave before.
pub(crate) struct Driver<'a> {
    pub(crate) manager: PassManager<'a>,
    reuse: Option<Reuse<'a>>,
}

impl<'a> Driver<'a> {
    fn new(options: &CodegenOptions, stage: Stage, reuse: Option<Reuse<'a>>) -> Driver<'a> {
        // What is taken from elsewhere was not run here.
        let log = reuse.is_none();
        let options = PassOptions { log, ..pass_options(options, options.limit(stage)) };
        Driver { manager: PassManager::new(options), reuse }
    }

    /// A driver for a neighbour of the stage, which counts passes of its own.
    pub(crate) fn another(&self, options: &CodegenOptions, stage: Stage) -> Driver<'a> {
        Driver::new(options, stage, self.reuse)
    }

    /// A stage before it knows of its neighbours.
    pub(crate) fn front(&mut self, context: &Context<'_>) -> Result<Arc<ir::Shader>, CompileError> {
        let Context { program, stage, key, options } = *context;
        let lower = || lowered(program, stage, key);
        match self.reuse {
            Some(Reuse { cache, fronts }) => fronts.get(stage, key, || cache.front(lower()?, options)),
            None => front(&mut self.manager, lower()?),
        }
    }

    /// Everything between that and the back end.
    fn optimise(
        &mut self,
        shader: Arc<ir::Shader>,
        devinfo: &'static DevInfo,
        context: &Context<'_>,
    ) -> Result<Arc<ir::Shader>, CompileError> {
        let shader = varyings::link(self, shader, context)?;
        let target = Target::of(devinfo, shader.info.stage, context.options.backend);
        match self.reuse {
            Some(Reuse { cache, .. }) => cache.back(shader, target, context.options),
            None => back(&mut self.manager, shader, target),
        }
    }
}

/// Lowers a stage to IR.
fn lowered(program: &Program, stage: Stage, key: &StageKey) -> Result<ir::Shader, CompileError> {
    Ok(InternalError::catch(|| lower::lower(program, stage, key))??)
}

/// Checks and optimizes a freshly lowered shader.
pub(crate) fn front(
    manager: &mut PassManager<'_>,
    mut shader: ir::Shader,
) -> Result<Arc<ir::Shader>, CompileError> {
    ir::validate(&shader).map_err(|failures| PassError::Invalid { pass: "lower", failures })?;
    passes::front(manager, &mut shader)?;
    Ok(Arc::new(shader))
}

/// Takes a shader that is done with its neighbours to what its back end accepts.
pub(crate) fn back(
    manager: &mut PassManager<'_>,
    mut shader: Arc<ir::Shader>,
    target: Target,
) -> Result<Arc<ir::Shader>, CompileError> {
    passes::back(manager, Arc::make_mut(&mut shader), target)?;
    Ok(shader)
}

/// The pass driver's part of the options, with what a limit leaves.
pub(crate) fn pass_options(options: &CodegenOptions, limit: Option<u64>) -> PassOptions {
    PassOptions {
        limit,
        disabled: passes::canonical_list(&options.disabled_passes),
        log: false,
        validate: options.paranoid || cfg!(debug_assertions),
    }
}

/// The back end's part of the options, without limits on passes.
pub(crate) fn intel_options(options: &CodegenOptions) -> intel::Options {
    let defaults = intel::Options::default();
    intel::Options {
        widths: options.widths.clone(),
        disabled_quirks: options.disabled_quirks,
        spill_all: options.spill_all,
        check_allocation: options.paranoid || defaults.check_allocation,
        disabled_passes: passes::canonical_list(&options.disabled_passes),
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
    let last_target = key.targets.iter().rposition(|&t| t != TargetKind::None);
    intel::StageKey {
        outputs_needed: needed,
        render_targets: last_target.map_or(0, |last| last as u32 + 1),
        samples: u32::from(key.samples).max(1),
        patch_vertices: patch_vertices(program, stage, key),
        tess_domain: tess_domain(program),
        ..intel::StageKey::default()
    }
}

/// Vertices of the patches that a tessellation stage gets.
fn patch_vertices(program: &Program, stage: Stage, key: &StageKey) -> u32 {
    let control = program.stage(Stage::TessControl).filter(|_| stage == Stage::TessEval);
    control.and_then(|s| s.shader.layout.vertices).unwrap_or(key.patch_vertices.into())
}

/// Domain of the program's patches: the evaluation stage declares it.
fn tess_domain(program: &Program) -> TessDomain {
    match program.stage(Stage::TessEval).and_then(|s| s.shader.layout.input_primitive) {
        Some(LayoutPrimitive::Quads) => TessDomain::Quads,
        Some(LayoutPrimitive::Isolines) => TessDomain::Isolines,
        _ => TessDomain::Triangles,
    }
}

/// Refuses binaries that break the instruction set's rules.
///
/// # Errors
/// The first rule that an instruction breaks, and how many more do; layer `validate`.
pub fn validate(devinfo: &'static DevInfo, binary: &Binary) -> Result<(), CompileError> {
    validate_known(&mut ValidationCache::new(devinfo), binary)
}

fn validate_known(known: &mut ValidationCache, binary: &Binary) -> Result<(), CompileError> {
    for kernel in &binary.compiled.kernels {
        let violations = known.validate_program(&kernel.code);
        if let Some(first) = violations.first() {
            let (first, count) = (first.clone(), violations.len());
            return Err(InvalidBinary { width: kernel.width, first, count }.into());
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
