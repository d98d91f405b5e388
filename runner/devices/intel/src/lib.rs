//! The simulator as a device: compiles or reads a binary per stage and key, builds thread payloads
//! from its metadata, and runs threads.
//!
//! ```
//! use intel_device::{SimulatorDevice, SimulatorOptions};
//! use shader_device::{OtherSources, ShaderDevice};
//!
//! let device = SimulatorDevice::new(SimulatorOptions {
//!     devinfo: intel_isa::DevInfo::get("ivb").expect("a known generation"),
//!     compiler: compiler::CodegenOptions::default(),
//!     cache: Default::default(),
//!     decoders: Default::default(),
//!     others: OtherSources::default(),
//!     math: eu_simulator::MathMode::Exact,
//!     step_limit: 1_000_000,
//!     seed: 1,
//!     trace: None,
//!     cores: Default::default(),
//! });
//! assert!(device.statistics().is_empty(), "nothing is compiled yet");
//! ```

mod batch_executor;
mod compare;
mod compute;
mod errors;
mod fragment;
mod geometry;
mod kernel_cache;
mod launch;
mod memory;
mod options;
mod prepared;
mod sampler;
mod tessellation;
mod threads;
mod trace;
mod urb;
mod vertex;
mod vue;

pub use options::SimulatorOptions;
pub use prepared::Decoders;
pub use trace::TraceLog;

use std::collections::BTreeMap;
use std::sync::Arc;

use compiler::output::{Statistics, Width};
use compiler::{Binary, EarlyPassCache, StagePasses};
use program::{Stage, StageKey};
use raster::device::{Batch, Device, DeviceError, DrawState, ProgramId, Steps};
use raster::resources::Bindings;
use raster::shader_io::ShaderIo;
use results::verdict::StageStatistics;

use batch_executor::BatchExecutor;
use prepared::Prepared;
use results::passes::ScopePasses;
use shader_device::compile_error;
use shader_device::{Disagreement, ExecutedKernel, ShaderDevice, scope_passes};
use shader_device::{batches_at_once, distribute};

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
    /// Threads that ran.
    pub threads: u64,
    /// Instructions that they executed.
    pub steps: u64,
}

impl KernelStatistics {
    /// Returns the number of instructions that a thread executed on average; 0 if none ran.
    pub fn executed(&self) -> u64 {
        StageStatistics::average(self.steps, self.threads)
    }
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
    executor: BatchExecutor,
    /// Number of instructions of the last batch of fragments.
    fragment_steps: Steps,
}

impl SimulatorDevice {
    /// Returns a device without any binary.
    pub fn new(options: SimulatorOptions) -> SimulatorDevice {
        SimulatorDevice {
            cache: BTreeMap::new(),
            early: BTreeMap::new(),
            last: BTreeMap::new(),
            refused: BTreeMap::new(),
            statistics: Vec::new(),
            passes: None,
            executor: BatchExecutor::new(&options),
            fragment_steps: Steps(0),
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
    pub fn kernel_statistics(&self) -> &[KernelStatistics] {
        &self.statistics
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
        let options = self.options.others.own_options(&self.options.compiler);
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

    fn foreign_binary(
        &mut self,
        stage: Stage,
        key: &StageKey,
    ) -> Result<Option<Binary>, DeviceError> {
        let SimulatorOptions { others, devinfo, compiler, .. } = &self.options;
        let Some(binary) = others.code::<Binary>((stage, key), devinfo.name, &compiler.widths)?
        else {
            return Ok(None);
        };
        if !compiler.no_validate
            && let Err(error) = compiler::validate(devinfo, &binary)
        {
            self.refused.insert(stage, binary);
            return Err(compile_error(stage, error));
        }
        Ok(Some(binary))
    }

    fn record_statistics(&mut self, stage: Stage, prepared: &Prepared) {
        self.statistics.retain(|s| s.stage != stage);
        for (kernel, hash) in prepared.binary.compiled.kernels.iter().zip(&prepared.hashes) {
            self.statistics.push(KernelStatistics {
                stage,
                width: kernel.width,
                statistics: kernel.statistics,
                hash: hash.clone(),
                threads: 0,
                steps: 0,
            });
        }
        self.statistics.sort_by_key(|s| (s.stage, s.width));
    }

    /// Adds the recent runs of kernels to their statistics.
    fn count_runs(&mut self, stage: Stage, prepared: &Prepared) {
        for run in self.executor.take_runs() {
            let is_this = |s: &&mut KernelStatistics| {
                (s.stage, s.width) == (stage, run.width) && prepared.hashes.contains(&s.hash)
            };
            if let Some(statistics) = self.statistics.iter_mut().find(is_this) {
                statistics.threads += run.threads;
                statistics.steps += run.steps;
            }
        }
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
        let steps = self.executor.shade(&prepared, stage, state, batch, io)?;
        self.count_runs(stage, &prepared);
        if stage == Stage::Fragment {
            self.fragment_steps = steps;
        }
        Ok(steps)
    }

    fn fragment_batches_at_once(&self) -> usize {
        match self.options.trace {
            None => batches_at_once(&self.options.cores, self.fragment_steps),
            // A trace lists the threads in order.
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
        let borrowed = self.options.cores.borrow(batches.len());
        let mut executors: Vec<BatchExecutor> =
            (0..=borrowed.count()).map(|_| self.executor.fork()).collect();
        let (prepared, before) = (&*prepared, self.executor.shaded());
        let helpers = executors.iter_mut().map(|executor| {
            let mut bindings = bindings.clone();
            move |number, batch: &mut Batch| {
                executor.set_shaded(before + number);
                executor.shade(prepared, Stage::Fragment, state, batch, &mut bindings)
            }
        });
        let steps = distribute(batches, helpers)?;
        self.executor.join(executors, batches.len());
        self.count_runs(Stage::Fragment, prepared);
        Ok(steps)
    }
}

impl ShaderDevice for SimulatorDevice {
    fn take_disagreements(&mut self) -> Vec<Disagreement> {
        self.executor.take_disagreements()
    }

    fn shaded(&self) -> u64 {
        self.executor.shaded()
    }

    fn statistics(&self) -> Vec<StageStatistics> {
        let convert = |s: &KernelStatistics| StageStatistics {
            stage: s.stage,
            width: s.width,
            instructions: s.statistics.instructions,
            loops: s.statistics.loops,
            cycles: s.statistics.cycles.into(),
            executed: s.executed(),
            spills: s.statistics.spills,
            fills: s.statistics.fills,
            sends: s.statistics.sends,
            registers: s.statistics.registers,
            scalar_registers: 0,
            waits: 0,
            sha: s.hash.clone(),
        };
        self.kernel_statistics().iter().map(convert).collect()
    }

    fn passes(&self) -> Vec<ScopePasses> {
        self.logged_passes().iter().flat_map(scope_passes).collect()
    }

    fn kernels(&self) -> Vec<ExecutedKernel> {
        self.binaries()
            .flat_map(|(stage, binary)| {
                binary.compiled.kernels.iter().map(move |kernel| (stage, kernel))
            })
            .map(|(stage, k)| ExecutedKernel { stage, width: k.width, code: k.code.clone() })
            .collect()
    }
}
