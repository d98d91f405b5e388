//! Waves of AMD's chips as a device: compiles a program per stage and key, builds initial registers
//! and memory from its metadata, and runs waves.

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
use std::sync::{Arc, Mutex};

use compiler::{CachedCompiler, CodegenOptions, EarlyPassCache, PassLog, StagePasses};
use gcn::Chip;
use program::{Stage, StageKey};
use results::passes::ScopePasses;
use results::verdict::StageStatistics;
use softgl::device::{Batch, Device, DeviceError, DrawState, ProgramId, Steps};
use softgl::shader_io::ShaderIo;
use vocabulary::Width;

use super::compile_error::compile_error;
use crate::device::ShaderDevice;
use crate::passes::scope_passes;
pub use foreign::{ForeignDevice, ForeignShader};
use launch::Launch;
pub use prepared::Programs;

use prepared::Prepared;
pub use trace::WaveLog;

/// Options of the device.
pub struct WaveOptions {
    /// The chip.
    pub chip: Chip,
    /// Compiler options.
    pub compiler: CodegenOptions,
    /// Maximum number of instructions in the device's life.
    pub budget: u64,
    /// Seed of the contents of unwritten registers.
    pub seed: u64,
    /// Shared compilation results.
    pub cache: Arc<CachedCompiler>,
    /// Shared decoded programs.
    pub programs: Arc<Programs>,
}

type CacheKey = (ProgramId, Stage, StageKey);

/// Waves as a device.
pub struct WaveDevice {
    options: WaveOptions,
    cache: BTreeMap<CacheKey, Result<Arc<Prepared>, DeviceError>>,
    early: BTreeMap<ProgramId, EarlyPassCache>,
    left: u64,
    shaded: u64,
    /// Statistics of the last program of each stage.
    statistics: BTreeMap<Stage, StageStatistics>,
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
            left: options.budget,
            shaded: 0,
            statistics: BTreeMap::new(),
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
            self.statistics.insert(stage, statistics(stage, prepared));
        }
        self.record_passes(stage, state);
        self.cache.insert(key, made.clone());
        made
    }

    fn make(&mut self, stage: Stage, state: &DrawState<'_>) -> Result<Prepared, DeviceError> {
        let WaveOptions { chip, compiler: options, cache, .. } = &self.options;
        let early = self.early.entry(state.program_id).or_default();
        let output = cache
            .compile_amd(early, state.program, stage, state.key, *chip, options)
            .map_err(|error| compile_error(stage, error))?;
        Prepared::new(&output, &self.options.programs)
    }
}

impl WaveDevice {
    /// Compiles the IR once more for the record of its passes.
    fn record_passes(&mut self, stage: Stage, state: &DrawState<'_>) {
        let Some(passes) = &mut self.passes else { return };
        let mut ir = PassLog::default();
        let options = &self.options.compiler;
        let (program, key) = (state.program, state.key);
        // An error is that of the compilation itself.
        let _ = compiler::ir_for_amd(program, stage, key, options, &mut |_, _| {}, &mut ir);
        passes.extend(scope_passes(&StagePasses { stage, ir, kernels: Vec::new() }));
    }
}

fn statistics(stage: Stage, prepared: &Prepared) -> StageStatistics {
    let output = &prepared.output;
    let counts = output.statistics;
    let code: Vec<u8> = output.words.iter().flat_map(|word| word.to_le_bytes()).collect();
    StageStatistics {
        instructions: counts.instructions,
        sends: counts.memory,
        registers: counts.vectors,
        scalar_registers: counts.scalars,
        waits: counts.waits,
        spills: counts.spills,
        fills: counts.fills,
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
        self.shaded += 1;
        let launch = Launch {
            prepared: &prepared,
            state,
            stage,
            seed: self.options.seed,
            limit: self.options.budget,
            left: self.left,
            log: self.log.as_deref(),
        };
        let steps = match batch {
            Batch::Vertex(vertices) => vertex::run(&launch, vertices, io)?,
            Batch::Fragment(fragments) => fragment::run(&launch, fragments, io)?,
            Batch::Compute(group) => compute::run(&launch, group, io)?,
            Batch::TessControl(patches) => tess_control::run(&launch, patches, io)?,
            Batch::TessEval(points) => tess_evaluation::run(&launch, points, io)?,
            Batch::Geometry(primitives) => geometry::run(&launch, primitives, io)?,
        };
        self.left = self.left.saturating_sub(steps);
        Ok(Steps(steps))
    }
}

impl ShaderDevice for WaveDevice {
    fn statistics(&self) -> Vec<StageStatistics> {
        self.statistics.values().cloned().collect()
    }

    fn passes(&self) -> Vec<ScopePasses> {
        self.passes.clone().unwrap_or_default()
    }

    fn shaded(&self) -> u64 {
        self.shaded
    }
}
