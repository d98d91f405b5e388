//! Shader devices: the device trait of `raster` with records for the results, and what the devices
//! of all executors share.
//!
//! A device adapts one executor to the machine: it translates a batch for the executor and the
//! results back, and computes nothing that a shader computes.
//!
//! ```
//! use shader_device::Cores;
//!
//! let cores = Cores::new(2);
//! let test = cores.enter();
//! assert_eq!(cores.borrow(8).count(), 1);
//! drop(test);
//! assert_eq!(cores.idle(), 2);
//! ```

mod binary_source;
mod compile_error;
mod cores;
mod distribute;
mod metered_device;
mod mixed_device;
mod passes;
mod trace_filter;
mod vertex_values;

use std::collections::BTreeMap;

use raster::device::Device;
use results::passes::ScopePasses;
use results::verdict::StageStatistics;
use vocabulary::Width;

pub use binary_source::{BinarySource, OtherSources, StageCode};
pub use compile_error::compile_error;
pub use cores::{Cores, STACK, TakenCores};
pub use distribute::{batches_at_once, distribute};
pub use metered_device::MeteredDevice;
pub use mixed_device::MixedDevice;
pub use passes::scope_passes;
pub use trace_filter::{TraceFilter, TracedPixel};
pub use vertex_values::vertex_values;

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

/// The results that depend on undefined values of GLSL.
#[derive(Clone, Debug, Default)]
pub struct Undefined {
    /// Outputs for the next stage, the rasterizer or transform feedback are undefined.
    pub inputs: bool,
    /// Values written to memory are undefined.
    pub memory: bool,
    /// Undefined lanes of batches, which are counted from 1.
    pub batches: BTreeMap<u64, u64>,
}
