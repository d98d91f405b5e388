//! Creation of the devices of a test.

use raster::device::DeviceError;
use script::Script;
use shader_device::ShaderDevice;

use crate::options::{ExecutionOptions, ExecutorSelection};
use crate::shared::SharedTests;
use results::verdict::StageStatistics;
use vocabulary::Target;

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

/// The parameters of a new device.
#[derive(Clone, Copy, Debug)]
pub struct DeviceRequest<'a> {
    /// Kind of the device.
    pub kind: DeviceKind,
    /// Target of the test.
    pub target: Target,
    /// Name of the test, which locates its binaries.
    pub test: &'a str,
    /// The test's script, if it is one of OpenGL.
    pub script: Option<&'a Script<'a>>,
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
    /// Fails if there is no such device for the target, or its binaries cannot be read.
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
