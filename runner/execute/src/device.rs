//! Devices as scripts drive them: the GL machine's device trait plus records for the results.

use raster::device::{Device, DeviceError};
use script::Script;

use crate::devices::{Disagreement, Undefined};
use crate::options::{ExecutionOptions, ExecutorSelection};
use crate::shared::SharedTests;
use results::passes::ScopePasses;
use results::verdict::StageStatistics;
use vocabulary::{Generation, Width};

/// A device of either kind.
pub trait ShaderDevice: Device {
    /// Returns statistics of the code generated so far: an entry per stage and width, with the last
    /// key's numbers where a stage was compiled several times.
    fn statistics(&self) -> Vec<StageStatistics> {
        Vec::new()
    }

    /// Returns the executed machine code, in the order of [`ShaderDevice::statistics`].
    fn kernels(&self) -> Vec<ExecutedKernel> {
        Vec::new()
    }

    /// Returns the optional passes of all compilations, if requested.
    fn passes(&self) -> Vec<ScopePasses> {
        Vec::new()
    }

    /// Returns and resets the set of results that depend on undefined values of GLSL (an
    /// uninitialized read, an out-of-bounds access, division by zero, an over-shift). Differences
    /// between the executors or between widths prove nothing about such values.
    fn take_undefined(&mut self) -> Undefined {
        Undefined::default()
    }

    /// Returns and resets the list of disagreements between widths.
    fn take_disagreements(&mut self) -> Vec<Disagreement> {
        Vec::new()
    }

    /// Returns the number of batches shaded so far. Batches with one number are the same on both
    /// executors as long as both have shaded the same number.
    fn shaded(&self) -> u64 {
        0
    }

    /// Returns whether the executors must agree bit for bit. A device that deviates from the
    /// program's own flag (for example because its compiler fused operations) returns `false`.
    fn exact(&self) -> bool {
        true
    }
}

/// The kind of an executor's device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeviceKind {
    /// Compiles for the generation and executes the binary.
    Simulator,
    /// Executes the typed program.
    Interpreter,
}

impl DeviceKind {
    /// Returns the name in messages.
    pub fn name(self) -> &'static str {
        match self {
            DeviceKind::Simulator => "simulator",
            DeviceKind::Interpreter => "reference interpreter",
        }
    }
}

impl ExecutorSelection {
    /// Returns the kinds of the executors; the first one's results count.
    pub(super) fn kinds(self) -> &'static [DeviceKind] {
        match self {
            ExecutorSelection::Both => &[DeviceKind::Simulator, DeviceKind::Interpreter],
            ExecutorSelection::SimulatorOnly => &[DeviceKind::Simulator],
            ExecutorSelection::ReferenceOnly => &[DeviceKind::Interpreter],
        }
    }
}

/// Machine code of one stage and width that a device executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutedKernel {
    /// The stage.
    pub stage: program::Stage,
    /// The width.
    pub width: Width,
    /// The bytes.
    pub code: Vec<u8>,
}

/// The parameters of a new device.
#[derive(Clone, Copy, Debug)]
pub struct DeviceRequest<'a> {
    /// Kind of the device.
    pub kind: DeviceKind,
    /// Generation; an interpreter may be created for [`Generation::Reference`].
    pub generation: Generation,
    /// Name of the test, which locates its binaries.
    pub test: &'a str,
    /// The test's script.
    pub script: &'a Script<'a>,
    /// Options of the run.
    pub options: &'a ExecutionOptions,
    /// Maximum number of steps of a batch; beyond it, [`DeviceError::StepLimit`].
    pub step_limit: u64,
}

/// A factory of devices. One factory serves all threads of a run.
pub trait DeviceFactory: Send + Sync {
    /// Creates a device for one test.
    ///
    /// # Errors
    /// Fails if there is no such device for the generation, or its binaries cannot be read.
    fn create(&self, request: &DeviceRequest<'_>) -> Result<Box<dyn ShaderDevice>, DeviceError>;

    /// Returns the table of tests whose cases share work, if there is one.
    fn shared_tests(&self) -> Option<&SharedTests> {
        None
    }
}

/// Returns the statistics of a device's kernels in the order of results files.
pub(crate) fn statistics(device: &dyn ShaderDevice) -> Vec<StageStatistics> {
    let mut stages = device.statistics();
    // Order by pipeline position, then by the name of the width, as in all results files.
    stages.sort_by_key(|s| (s.stage, s.width.name()));
    stages
}
