//! Records of one execution, from which bundles are made.

use softgl::probe::Readback;

use crate::device::{DeviceKind, ExecutedKernel};
use results::bundle::ProbeRecord;

/// The records of one execution.
#[derive(Debug, Default)]
pub struct Explanation {
    /// Executed probes in order.
    pub probes: Vec<ProbeRecord>,
    /// True once the test has cleared or drawn; there are no framebuffers without.
    pub drawn: bool,
    /// Framebuffers at the first failed probe, or at the end, by executor.
    pub snapshots: Vec<(DeviceKind, Readback)>,
    /// Machine code that the simulator executed.
    pub kernels: Vec<ExecutedKernel>,
}
