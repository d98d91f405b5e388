//! Options of the device.

use std::sync::{Arc, Mutex};

use compiler::{CachedCompiler, CodegenOptions};
use eu_simulator::MathMode;
use intel_isa::DevInfo;

use crate::prepared::Decoders;
use crate::trace::TraceLog;
use shader_device::{Cores, OtherSources};

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
    /// Sources of code other than this project's compiler.
    pub others: OtherSources,
    /// Accuracy of the math unit.
    pub math: MathMode,
    /// Maximum number of instructions of a batch.
    pub step_limit: u64,
    /// Seed of the contents of unwritten registers.
    pub seed: u64,
    /// Receiver of a trace of all executed instructions.
    pub trace: Option<Arc<Mutex<TraceLog>>>,
    /// Cores of the process, of which idle ones help with heavy draws.
    pub cores: Cores,
}
