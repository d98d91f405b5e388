//! Waves of AMD's chips as a device: compiles a program per stage and key, builds initial registers
//! and memory from its metadata, and runs waves.

mod compute;
mod exports;
mod fragment;
mod geometry;
mod image_descriptors;
mod images;
mod launch;
mod memory;
mod prepared;
mod tess_control;
mod tess_evaluation;
mod vertex;

use std::collections::BTreeMap;
use std::sync::Arc;

use compiler::CodegenOptions;
use gcn::Chip;
use program::{Stage, StageKey};
use softgl::device::{Batch, Device, DeviceError, DrawState, ProgramId, Steps};
use softgl::shader_io::ShaderIo;

use super::compile_error::compile_error;
use crate::device::ShaderDevice;
use launch::Launch;
use prepared::Prepared;

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
}

type CacheKey = (ProgramId, Stage, StageKey);

/// Waves as a device.
pub struct WaveDevice {
    options: WaveOptions,
    cache: BTreeMap<CacheKey, Result<Arc<Prepared>, DeviceError>>,
    left: u64,
    shaded: u64,
}

impl WaveDevice {
    /// Returns a device without any program.
    pub fn new(options: WaveOptions) -> WaveDevice {
        WaveDevice { cache: BTreeMap::new(), left: options.budget, shaded: 0, options }
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
        self.cache.insert(key, made.clone());
        made
    }

    fn make(&self, stage: Stage, state: &DrawState<'_>) -> Result<Prepared, DeviceError> {
        let WaveOptions { chip, compiler: options, .. } = &self.options;
        let output = compiler::compile_amd(state.program, stage, state.key, *chip, options)
            .map_err(|error| compile_error(stage, error))?;
        Prepared::new(output)
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
    fn shaded(&self) -> u64 {
        self.shaded
    }
}
