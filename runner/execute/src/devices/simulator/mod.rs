//! The simulator as a device: compiles or reads a binary per stage and key, builds thread payloads
//! from its metadata, and runs threads.

mod compare;
mod compute;
mod errors;
mod fragment;
mod geometry;
mod kernel_cache;
mod launch;
mod memory;
mod prepared;
mod sampler;
mod tessellation;
mod threads;
mod trace;
mod urb;
mod vertex;
mod vue;

pub use prepared::Decoders;
pub use trace::TraceLog;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use vocabulary::Phase;

use compiler::output::{Statistics, Surface, Width};
use compiler::{Binary, CachedCompiler, CodegenOptions, EarlyPassCache, StagePasses};
use eu::DevInfo;
use program::{Stage, StageKey};
use simulator::trace::Tracer;
use simulator::{Kernel, MathMode, Thread};
use softgl::device::{Batch, Device, DeviceError, DrawState, ProgramId, Steps};
use softgl::shader_io::{BufferRef, ShaderIo};

use super::compile_error::compile_error;
use errors::rejected;
use launch::Launch;
use prepared::Prepared;
use threads::Budget;

/// A replacement of this project's compiler.
pub trait BinarySource: Send {
    /// Compiles a stage for draws with the given key.
    ///
    /// # Errors
    /// Fails with the phase that rejected the shader, broke down or timed out.
    fn binary(&self, stage: Stage, key: &StageKey) -> Result<Binary, DeviceError>;
}

/// Options of the device.
pub struct SimulatorOptions {
    /// Generation.
    pub devinfo: &'static DevInfo,
    /// Compiler options.
    pub compiler: CodegenOptions,
    /// Cache of compiled code.
    pub cache: Arc<CachedCompiler>,
    /// Cache of decoded code.
    pub decoders: Arc<Decoders>,
    /// Folder to take binaries from instead of compiling.
    pub binaries: Option<PathBuf>,
    /// Compiler of binaries that the folder does not have.
    pub external: Option<Box<dyn BinarySource>>,
    /// Accuracy of the math unit.
    pub math: MathMode,
    /// Maximum number of instructions in the device's life.
    pub budget: u64,
    /// Seed of the contents of unwritten registers.
    pub seed: u64,
    /// Receiver of a trace of all executed instructions.
    pub trace: Option<Arc<Mutex<TraceLog>>>,
}

/// Numbers of one compiled kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelStatistics {
    /// Stage.
    pub stage: Stage,
    /// Width.
    pub width: Width,
    /// Statistics of the kernel.
    pub statistics: Statistics,
    /// BLAKE3 of the kernel's bytes, in hexadecimal.
    pub hash: String,
}

/// A result of one width that differs from the first width's, for one lane of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// Number of the batch, from 1.
    pub batch: u64,
    /// Lane; `None` for memory written by the whole batch.
    pub lane: Option<usize>,
    /// Description of the difference.
    pub text: String,
}

type CacheKey = (ProgramId, Stage, StageKey);

/// The simulator as a device.
pub struct SimulatorDevice {
    options: SimulatorOptions,
    cache: BTreeMap<CacheKey, Result<Arc<Prepared>, DeviceError>>,
    early: BTreeMap<ProgramId, EarlyPassCache>,
    /// The last binary of each stage.
    last: BTreeMap<Stage, Arc<Prepared>>,
    /// Binaries of other compilers that the validator refused.
    refused: BTreeMap<Stage, Binary>,
    statistics: Vec<KernelStatistics>,
    /// Records of optional passes, if requested.
    passes: Option<Vec<StagePasses>>,
    thread: Thread,
    budget: Budget,
    shaded: u64,
    disagreements: Vec<Disagreement>,
}

impl SimulatorDevice {
    /// Returns a device without any binary.
    pub fn new(options: SimulatorOptions) -> SimulatorDevice {
        let mut thread = Thread::new(options.devinfo, options.seed);
        thread.math = options.math;
        thread.tracer = options.trace.clone().map(Tracer::new);
        SimulatorDevice {
            cache: BTreeMap::new(),
            early: BTreeMap::new(),
            last: BTreeMap::new(),
            refused: BTreeMap::new(),
            statistics: Vec::new(),
            passes: None,
            thread,
            budget: Budget { stage: Stage::Vertex, limit: options.budget, left: options.budget },
            shaded: 0,
            disagreements: Vec::new(),
            options,
        }
    }

    /// Switches the recording of optional passes; while it is on, the compiler's cache is not used.
    pub fn log_passes(&mut self, wanted: bool) {
        self.passes = wanted.then(Vec::new);
    }

    /// Returns the recorded passes: an entry for each compilation, including failed ones.
    pub fn logged_passes(&self) -> &[StagePasses] {
        self.passes.as_deref().unwrap_or_default()
    }

    /// Returns statistics of every kernel used so far: of the last key per stage and width, in
    /// pipeline order.
    pub fn statistics(&self) -> &[KernelStatistics] {
        &self.statistics
    }

    /// Returns and resets the disagreements between widths. The caller knows the undefined values
    /// and decides which of them count.
    pub fn take_disagreements(&mut self) -> Vec<Disagreement> {
        std::mem::take(&mut self.disagreements)
    }

    /// Returns the number of batches shaded so far.
    pub fn shaded(&self) -> u64 {
        self.shaded
    }

    /// Returns the last binary of each stage, and those of other compilers that were refused.
    pub fn binaries(&self) -> impl Iterator<Item = (Stage, &Binary)> {
        let executed = self.last.iter().map(|(stage, prepared)| (*stage, &*prepared.binary));
        executed.chain(self.refused.iter().map(|(stage, binary)| (*stage, binary)))
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
        let made = self.make(stage, state);
        if let Ok(prepared) = &made {
            self.record_statistics(stage, prepared);
            self.last.insert(stage, prepared.clone());
        }
        self.cache.insert(key, made.clone());
        made
    }

    fn make(&mut self, stage: Stage, state: &DrawState<'_>) -> Result<Arc<Prepared>, DeviceError> {
        let foreign = self.foreign_binary(stage, state.key)?;
        let options = self.compiler_options();
        let SimulatorOptions { cache, decoders, devinfo, .. } = &self.options;
        if let Some(binary) = foreign {
            return decoders.decode(Arc::new(binary), cache, devinfo);
        }
        let _compile = tracing::info_span!("compile", %stage, generation = devinfo.name).entered();
        let (early, program) = (self.early.entry(state.program_id).or_default(), state.program);
        let compiled = match &mut self.passes {
            Some(log) => {
                let (binary, passes) =
                    compiler::compile_logged(program, stage, state.key, devinfo, &options);
                log.push(passes);
                binary.map(Arc::new)
            }
            None => cache.compile(early, program, stage, state.key, devinfo, &options),
        };
        let binary = compiled.map_err(|error| compile_error(stage, error))?;
        decoders.known(binary, cache, devinfo)
    }

    /// Returns the code generation options. Binaries of other compilers may read outputs that ours
    /// do not: then every output is written.
    fn compiler_options(&self) -> compiler::CodegenOptions {
        let mut options = self.options.compiler.clone();
        if self.options.binaries.is_some() || self.options.external.is_some() {
            options.disabled_passes.push("opt_unread_outputs".to_owned());
        }
        options
    }

    fn foreign_binary(
        &mut self,
        stage: Stage,
        key: &StageKey,
    ) -> Result<Option<Binary>, DeviceError> {
        let read = match &self.options.binaries {
            Some(folder) => {
                Binary::read(folder, stage).map_err(|e| rejected(Phase::Encode, e.to_string()))?
            }
            None => None,
        };
        let binary = match (read, &self.options.external) {
            (Some(binary), _) => self.of_wanted_width(stage, binary)?,
            (None, Some(compiler)) => compiler.binary(stage, key)?,
            (None, None) => return Ok(None),
        };
        if binary.generation != self.options.devinfo.name {
            let message =
                format!("binary is for {}, not {}", binary.generation, self.options.devinfo.name);
            return Err(rejected(Phase::Encode, message));
        }
        if !self.options.compiler.no_validate
            && let Err(error) = compiler::validate(self.options.devinfo, &binary)
        {
            self.refused.insert(stage, binary);
            return Err(compile_error(stage, error));
        }
        Ok(Some(binary))
    }

    /// Returns the binary with only the kernel of `--width`, where the stage has several widths.
    fn of_wanted_width(&self, stage: Stage, mut binary: Binary) -> Result<Binary, DeviceError> {
        let wanted = &self.options.compiler.widths;
        if wanted.is_empty() || !matches!(stage, Stage::Fragment | Stage::Compute) {
            return Ok(binary);
        }
        let kernels = &mut binary.compiled.kernels;
        if !kernels.iter().any(|kernel| wanted.contains(&kernel.width)) {
            let names = |widths: &[Width]| {
                widths.iter().map(|width| width.name()).collect::<Vec<_>>().join(", ")
            };
            let there: Vec<Width> = kernels.iter().map(|kernel| kernel.width).collect();
            let message = format!(
                "the binary of the {stage} shader has no {} kernel, but {}",
                names(wanted),
                names(&there)
            );
            return Err(rejected(Phase::Encode, message));
        }
        kernels.retain(|kernel| wanted.contains(&kernel.width));
        Ok(binary)
    }

    fn record_statistics(&mut self, stage: Stage, prepared: &Prepared) {
        self.statistics.retain(|s| s.stage != stage);
        for (kernel, hash) in prepared.binary.compiled.kernels.iter().zip(&prepared.hashes) {
            self.statistics.push(KernelStatistics {
                stage,
                width: kernel.width,
                statistics: kernel.statistics,
                hash: hash.clone(),
            });
        }
        self.statistics.sort_by_key(|s| (s.stage, s.width));
    }
}

impl SimulatorDevice {
    /// Runs one kernel.
    fn run(
        &mut self,
        prepared: &Prepared,
        (width, kernel): (Width, &Kernel),
        state: &DrawState<'_>,
        batch: &mut Batch,
        io: &mut dyn ShaderIo,
    ) -> Result<Steps, DeviceError> {
        let metadata = prepared.metadata(width)?;
        let SimulatorOptions { devinfo, seed, .. } = self.options;
        let (budget, program) = (self.budget, state.program);
        let launch = Launch { devinfo, seed, budget, prepared, width, kernel, metadata, program };
        let thread = &mut self.thread;
        let steps = match batch {
            Batch::Vertex(vertices) => vertex::run(&launch, thread, vertices, io)?,
            Batch::Fragment(fragments) => fragment::run(&launch, thread, fragments, io)?,
            Batch::Geometry(primitives) => geometry::run(&launch, thread, primitives, io)?,
            Batch::TessControl(patches) => tessellation::run_control(&launch, thread, patches, io)?,
            Batch::TessEval(points) => tessellation::run_evaluation(&launch, thread, points, io)?,
            Batch::Compute(group) => compute::run(&launch, thread, group, io)?,
        };
        self.budget = self.budget.after(steps);
        Ok(Steps(steps))
    }

    /// Compares results of two widths except random values: a value that changes when a kernel runs
    /// again with other contents of unwritten registers is undefined, and widths need not agree
    /// about it.
    fn compare_what_is_defined(
        &mut self,
        prepared: &Prepared,
        results: [((Width, &Kernel), &Batch); 2],
        state: &DrawState<'_>,
        io: &mut dyn ShaderIo,
        has_side_effects: bool,
    ) -> Result<compare::Differences, DeviceError> {
        let mut equalized = [results[0].1.clone(), results[1].1.clone()];
        let seed = self.options.seed;
        for (kernel, result) in results {
            if has_side_effects {
                io.rollback();
            }
            let mut again = result.clone();
            self.options.seed = !seed;
            let outcome = self.run(prepared, kernel, state, &mut again, io);
            self.options.seed = seed;
            outcome?;
            compare::equalize_undefined(result, &again, &mut equalized);
        }
        let [reference, other] = &equalized;
        Ok(compare::differences(reference, other, state.program))
    }
}

impl Device for SimulatorDevice {
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
        self.budget.stage = stage;
        self.shaded += 1;
        let linked = state.program.stage(stage);
        let side_effects = linked.is_some_and(|s| s.side_effects);
        let mut total = Steps(0);
        let kernels = prepared.kernels_to_run();
        let mut first: Option<(Batch, blake3::Hash)> = None;
        if side_effects && kernels.len() > 1 {
            io.checkpoint();
        }
        for (width, kernel) in kernels {
            if first.is_some() && side_effects {
                io.rollback();
            }
            if let Some(trace) = &self.options.trace {
                trace.lock().unwrap_or_else(PoisonError::into_inner).begin(stage, *width);
            }
            total += self.run(&prepared, (*width, kernel), state, batch, io)?;
            let memory = written_memory(&prepared.binary, io);
            let batch_number = self.shaded;
            let differs = |lane, what: String| {
                let text = format!("{} differs: {what}", width.name());
                Disagreement { batch: batch_number, lane, text }
            };
            let Some((reference, _)) = &first else {
                first = Some((batch.clone(), memory));
                continue;
            };
            if !compare::differences(reference, batch, state.program).is_empty() {
                let results =
                    [((kernels[0].0, &kernels[0].1), reference), ((*width, kernel), &*batch)];
                let found =
                    self.compare_what_is_defined(&prepared, results, state, io, side_effects)?;
                self.disagreements
                    .extend(found.into_iter().map(|(lane, what)| differs(Some(lane), what)));
            }
            if first.as_ref().is_some_and(|(_, expected)| *expected != memory) {
                self.disagreements.push(differs(None, "what it writes to memory".into()));
            }
        }
        Ok(total)
    }
}

/// Returns a digest of the buffers that a binary's shader may write.
fn written_memory(binary: &Binary, io: &dyn ShaderIo) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    for &surface in &binary.compiled.bindings {
        match surface {
            Surface::StorageBlock(n) => hasher.update(io.buffer(BufferRef::Storage(n))),
            Surface::AtomicBuffer(n) => hasher.update(io.buffer(BufferRef::AtomicCounter(n))),
            _ => &mut hasher,
        };
    }
    hasher.finalize()
}
