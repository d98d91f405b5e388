//! Waves of AMD's chips as a device: compiles a program per stage and key, builds initial registers
//! and memory from its metadata, and runs waves.
//!
//! ```
//! use amd_device::{WaveDevice, WaveOptions};
//! use amd_isa::Chip;
//! use shader_device::{OtherSources, ShaderDevice};
//!
//! let device = WaveDevice::new(WaveOptions {
//!     chip: Chip::get("si").expect("a known chip"),
//!     compiler: compiler::CodegenOptions::default(),
//!     step_limit: 1_000_000,
//!     seed: 1,
//!     others: OtherSources::default(),
//!     cache: Default::default(),
//!     programs: Default::default(),
//!     cores: Default::default(),
//! });
//! assert!(device.statistics().is_empty(), "nothing is compiled yet");
//! ```

mod compute;
mod exports;
mod foreign;
mod fragment;
mod geometry;
mod image_descriptors;
mod images;
mod launch;
mod memory;
mod prepared;
mod tess_control;
mod tess_evaluation;
mod trace;
mod vertex;

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

use amd_isa::Chip;
use compiler::amd_codegen::Output;
use compiler::{CachedCompiler, CodegenOptions, EarlyPassCache, amd_binary};
use program::{Stage, StageKey};
use raster::device::{Batch, Device, DeviceError, DrawState, ProgramId, Steps};
use raster::resources::Bindings;
use raster::shader_io::ShaderIo;
use results::passes::ScopePasses;
use results::verdict::StageStatistics;
use vocabulary::{Phase, Width};

pub use foreign::{ForeignDevice, ForeignShader};
use launch::Launch;
pub use prepared::Programs;
use shader_device::Cores;
use shader_device::OtherSources;
use shader_device::compile_error;
use shader_device::scope_passes;
use shader_device::{ExecutedKernel, ShaderDevice};
use shader_device::{batches_at_once, distribute};

use prepared::Prepared;
pub use trace::WaveLog;

/// Options of the device.
pub struct WaveOptions {
    /// The chip.
    pub chip: Chip,
    /// Compiler options.
    pub compiler: CodegenOptions,
    /// Maximum number of instructions of a batch.
    pub step_limit: u64,
    /// Seed of the contents of unwritten registers.
    pub seed: u64,
    /// Sources of code other than this project's compiler.
    pub others: OtherSources,
    /// Shared compilation results.
    pub cache: Arc<CachedCompiler>,
    /// Shared decoded programs.
    pub programs: Arc<Programs>,
    /// Cores of the process, of which idle ones help with heavy draws.
    pub cores: Cores,
}

type CacheKey = (ProgramId, Stage, StageKey);

/// A program with the waves that ran, those that export a geometry program's vertices included.
struct LastProgram {
    prepared: Arc<Prepared>,
    waves: u64,
    steps: u64,
}

/// Waves as a device.
pub struct WaveDevice {
    options: WaveOptions,
    cache: BTreeMap<CacheKey, Result<Arc<Prepared>, DeviceError>>,
    early: BTreeMap<ProgramId, EarlyPassCache>,
    shaded: u64,
    /// The last program of each stage.
    last: BTreeMap<Stage, LastProgram>,
    /// Number of instructions of the last batch of fragments.
    fragment_steps: Steps,
    /// Optional passes of each compilation, if they are wanted.
    passes: Option<Vec<ScopePasses>>,
    log: Option<Arc<Mutex<WaveLog>>>,
}

impl WaveDevice {
    /// Returns a device without any program.
    pub fn new(options: WaveOptions) -> WaveDevice {
        WaveDevice {
            cache: BTreeMap::new(),
            early: BTreeMap::new(),
            shaded: 0,
            last: BTreeMap::new(),
            fragment_steps: Steps(0),
            passes: None,
            log: None,
            options,
        }
    }

    /// Writes a trace of all waves from now on.
    pub fn trace(&mut self, log: Arc<Mutex<WaveLog>>) {
        self.log = Some(log);
    }

    /// Records the optional passes of compilations from now on, or no longer.
    pub fn log_passes(&mut self, wanted: bool) {
        self.passes = wanted.then(Vec::new);
    }

    fn prepared(
        &mut self,
        stage: Stage,
        state: &DrawState<'_>,
    ) -> Result<Arc<Prepared>, DeviceError> {
        let key = (state.program_id, stage, state.key.clone());
        if let Some(found) = self.cache.get(&key) {
            return found.clone();
        }
        let made = self.make(stage, state).map(Arc::new);
        if let Ok(prepared) = &made {
            let prepared = prepared.clone();
            self.last.insert(stage, LastProgram { prepared, waves: 0, steps: 0 });
        }
        self.record_passes(stage, state);
        self.cache.insert(key, made.clone());
        made
    }

    fn make(&mut self, stage: Stage, state: &DrawState<'_>) -> Result<Prepared, DeviceError> {
        let output = match self.foreign_program(stage, state.key)? {
            Some(output) => Arc::new(output),
            None => {
                let options = self.options.others.own_options(&self.options.compiler);
                let early = self.early.entry(state.program_id).or_default();
                let WaveOptions { chip, cache, .. } = &self.options;
                cache
                    .compile_amd(early, state.program, stage, state.key, *chip, &options)
                    .map_err(|error| compile_error(stage, error))?
            }
        };
        Prepared::new(&output, &self.options.programs)
    }

    /// Returns a program of another compiler, if there is one.
    fn foreign_program(&self, stage: Stage, key: &StageKey) -> Result<Option<Output>, DeviceError> {
        let WaveOptions { others, chip, compiler, .. } = &self.options;
        let Some(mut output) =
            others.code::<Output>((stage, key), chip.name(), &compiler.widths)?
        else {
            return Ok(None);
        };
        if compiler.no_validate {
            // The program may use registers past its own.
            output.vectors = 256;
        } else {
            amd_binary::validate(&output).map_err(|rule| {
                let message = format!("{stage} shader: {rule}");
                DeviceError::Rejected { phase: Phase::Validate, message }
            })?;
        }
        Ok(Some(output))
    }
}

impl WaveDevice {
    /// Returns all that the waves of a batch share.
    fn launch<'a>(
        &'a self,
        prepared: &'a Prepared,
        stage: Stage,
        state: &'a DrawState<'a>,
        waves: &'a AtomicU64,
    ) -> Launch<'a> {
        Launch {
            prepared,
            state,
            stage,
            seed: self.options.seed,
            limit: self.options.step_limit,
            log: self.log.as_deref(),
            waves,
        }
    }

    /// Counts batches of a program, their waves, and the instructions that these executed.
    fn count(
        &mut self,
        prepared: &Arc<Prepared>,
        stage: Stage,
        (batches, waves, steps): (usize, AtomicU64, u64),
    ) {
        self.shaded += batches as u64;
        if let Some(last) = self.last.get_mut(&stage)
            && Arc::ptr_eq(&last.prepared, prepared)
        {
            last.waves += waves.into_inner();
            last.steps += steps;
        }
    }

    /// Compiles the stage once more for the record of its passes.
    fn record_passes(&mut self, stage: Stage, state: &DrawState<'_>) {
        let Some(passes) = &mut self.passes else { return };
        let WaveOptions { compiler: options, chip, .. } = &self.options;
        // An error is that of the compilation itself.
        let (_, log) =
            compiler::compile_amd_logged(state.program, stage, state.key, *chip, options);
        passes.extend(scope_passes(&log));
    }
}

fn statistics(stage: Stage, last: &LastProgram) -> StageStatistics {
    let counts = last.prepared.output.statistics;
    let code = last.prepared.code();
    StageStatistics {
        instructions: counts.instructions,
        sends: counts.memory,
        registers: counts.vectors,
        scalar_registers: counts.scalars,
        waits: counts.waits,
        spills: counts.spills,
        fills: counts.fills,
        executed: StageStatistics::average(last.steps, last.waves),
        sha: blake3::hash(&code).to_hex().to_string(),
        ..StageStatistics::new(stage, Width::Wave64)
    }
}

impl Device for WaveDevice {
    fn prepare(&mut self, stage: Stage, state: &DrawState<'_>) -> Result<(), DeviceError> {
        self.prepared(stage, state).map(drop)
    }

    fn shade(
        &mut self,
        stage: Stage,
        state: &DrawState<'_>,
        batch: &mut Batch,
        io: &mut dyn ShaderIo,
    ) -> Result<Steps, DeviceError> {
        let prepared = self.prepared(stage, state)?;
        let waves = AtomicU64::new(0);
        let launch = self.launch(&prepared, stage, state, &waves);
        let steps = match batch {
            Batch::Vertex(vertices) => vertex::run(&launch, vertices, io)?,
            Batch::Fragment(fragments) => fragment::run(&launch, fragments, io)?,
            Batch::Compute(group) => compute::run(&launch, group, io)?,
            Batch::TessControl(patches) => tess_control::run(&launch, patches, io)?,
            Batch::TessEval(points) => tess_evaluation::run(&launch, points, io)?,
            Batch::Geometry(primitives) => geometry::run(&launch, primitives, io)?,
        };
        self.count(&prepared, stage, (1, waves, steps));
        if stage == Stage::Fragment {
            self.fragment_steps = Steps(steps);
        }
        Ok(Steps(steps))
    }

    fn fragment_batches_at_once(&self) -> usize {
        match self.log {
            None => batches_at_once(&self.options.cores, self.fragment_steps),
            // A trace lists the waves in order.
            Some(_) => 1,
        }
    }

    fn shade_fragments(
        &mut self,
        state: &DrawState<'_>,
        batches: &mut [Batch],
        bindings: &Bindings,
    ) -> Result<Steps, DeviceError> {
        let prepared = self.prepared(Stage::Fragment, state)?;
        let waves = AtomicU64::new(0);
        let launch = self.launch(&prepared, Stage::Fragment, state, &waves);
        let borrowed = self.options.cores.borrow(batches.len());
        let helpers = (0..=borrowed.count()).map(|_| {
            let mut bindings = bindings.clone();
            move |_, batch: &mut Batch| {
                let Batch::Fragment(fragments) = batch else {
                    return Err(DeviceError::Execution("a batch of another stage".into()));
                };
                fragment::run(&launch, fragments, &mut bindings).map(Steps)
            }
        });
        let steps = distribute(batches, helpers)?;
        self.count(&prepared, Stage::Fragment, (batches.len(), waves, steps.0));
        Ok(steps)
    }
}

impl ShaderDevice for WaveDevice {
    fn statistics(&self) -> Vec<StageStatistics> {
        self.last.iter().map(|(&stage, last)| statistics(stage, last)).collect()
    }

    fn passes(&self) -> Vec<ScopePasses> {
        self.passes.clone().unwrap_or_default()
    }

    fn shaded(&self) -> u64 {
        self.shaded
    }

    fn kernels(&self) -> Vec<ExecutedKernel> {
        let kernel = |(&stage, last): (&Stage, &LastProgram)| ExecutedKernel {
            stage,
            width: Width::Wave64,
            code: last.prepared.code(),
        };
        self.last.iter().map(kernel).collect()
    }
}
