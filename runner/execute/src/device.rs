//! What the executor needs of something that shades: the GL machine's device trait, and what the results want to know.

use std::path::PathBuf;

use script::Script;
use softgl::device::{Device, DeviceError};

use crate::devices::{Disagreement, Undefined};
use crate::external::ExternalCompiler;
use results::passes::{PassLimit, ScopePasses};
use results::verdict::StageStatistics;
use vocabulary::{Backend, Generation, Width};

/// A device of either kind, as the executor drives it.
pub trait ShaderDevice: Device {
    /// Code generated so far: an entry per stage and width, with the last key's numbers where a stage was compiled
    /// several times.
    fn statistics(&self) -> Vec<StageStatistics> {
        Vec::new()
    }

    /// Machine code that was executed, as in [`ShaderDevice::statistics`].
    fn kernels(&self) -> Vec<ExecutedKernel> {
        Vec::new()
    }

    /// Which optional passes ran in all compilations, if that was asked for.
    fn passes(&self) -> Vec<ScopePasses> {
        Vec::new()
    }

    /// Which results that the device delivered since the last call depend on something that GLSL leaves undefined (an
    /// uninitialised read, out of bounds, division by zero, an over-shift). Differences between the executors or between
    /// widths say nothing about such values.
    fn take_undefined(&mut self) -> Undefined {
        Undefined::default()
    }

    /// Where widths disagreed since the last call.
    fn take_disagreements(&mut self) -> Vec<Disagreement> {
        Vec::new()
    }

    /// Batches shaded so far: batches with one number are the same on both sides as long as both have shaded as many.
    fn shaded(&self) -> u64 {
        0
    }

    /// Whether the executors must agree bit for bit. A device that knows better than the program's own flag (its
    /// compiler fused operations, say) answers `false`.
    fn exact(&self) -> bool {
        true
    }
}

/// Which executor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeviceKind {
    /// Compiles for the target and executes the binary.
    Simulator,
    /// Executes the typed program.
    Interpreter,
}

impl DeviceKind {
    /// How messages call it.
    pub fn name(self) -> &'static str {
        match self {
            DeviceKind::Simulator => "simulator",
            DeviceKind::Interpreter => "reference interpreter",
        }
    }
}

/// Machine code of one stage and width that a device executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutedKernel {
    /// The stage.
    pub stage: program::Stage,
    /// `vec4`, `SIMD8`, …
    pub width: &'static str,
    /// The bytes.
    pub code: Vec<u8>,
}

/// What a run asks of compiler and simulator. The defaults are an ordinary run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceOptions {
    /// Back end for stages that have a choice.
    pub backend: Option<Backend>,
    /// The one width to compile and run.
    pub width: Option<Width>,
    /// Most optional passes to run; of several limits on the same the last counts.
    pub pass_limits: Vec<PassLimit>,
    /// Tell which optional passes ran.
    pub log_passes: bool,
    /// Optional passes to leave out, by name.
    pub disabled_passes: Vec<String>,
    /// Quirks of the hardware that the compiler does not handle, by name.
    pub disabled_quirks: Vec<String>,
    /// The allocator's liveness is that of whole registers, not of bytes.
    pub whole_liveness: bool,
    /// Payload registers interfere with every other register.
    pub payload_interferes: bool,
    /// Binaries that break the instruction set's rules run all the same.
    pub no_validate: bool,
    /// The math unit errs as far as it is documented to.
    pub worst_math: bool,
    /// Binaries to execute instead of compiling, one folder per test and generation below this one.
    pub binaries: Option<PathBuf>,
    /// A user's compiler in the place of ours.
    pub compiler: Option<ExternalCompiler>,
}

impl DeviceOptions {
    /// Whether the binaries that run are our compiler's.
    pub fn is_our_code(&self) -> bool {
        self.binaries.is_none() && self.compiler.is_none()
    }
}

/// What a device is made for.
#[derive(Clone, Copy, Debug)]
pub struct DeviceRequest<'a> {
    /// Which executor.
    pub kind: DeviceKind,
    /// The generation; an interpreter may be made for [`Generation::Reference`].
    pub target: Generation,
    /// The test's name: where its binaries are.
    pub test: &'a str,
    /// The test.
    pub script: &'a Script<'a>,
    /// What the run asks.
    pub options: &'a DeviceOptions,
    /// Steps all shading of the test may take; beyond, [`DeviceError::StepLimit`].
    pub step_limit: u64,
}

/// Makes devices. One factory serves all threads of a run.
pub trait DeviceFactory: Send + Sync {
    /// A fresh device for one test.
    ///
    /// # Errors
    /// When there is none of that kind for that target, or its binaries cannot be read.
    fn create(&self, request: &DeviceRequest<'_>) -> Result<Box<dyn ShaderDevice>, DeviceError>;
}
