//! Launch of a kernel over a batch: the steps that the threads of all stages share.

use std::cell::Cell;
use std::sync::{Arc, Mutex, PoisonError};

use compiler::output::{self, Width};
use eu_simulator::host::Host;
use eu_simulator::trace::Tracer;
use eu_simulator::{Kernel, Thread};
use intel_isa::DevInfo;
use program::Program;
use raster::device::DeviceError;
use raster::shader_io::ShaderIo;

use crate::memory::{Memory, uniform_buffer};
use crate::prepared::Prepared;
use crate::threads::{Budget, Waiting, run_alone};
use crate::trace::TraceLog;

/// A kernel of a binary, and the parameters of all of its threads.
pub(crate) struct Launch<'a> {
    /// Hardware facts.
    pub devinfo: &'static DevInfo,
    /// Seed of the contents of unwritten registers.
    pub seed: u64,
    /// Budget of the batch.
    pub budget: Budget,
    /// The binary.
    pub prepared: &'a Prepared,
    /// Width of the kernel.
    pub width: Width,
    /// The decoded kernel.
    pub kernel: &'a Kernel,
    /// Metadata of the kernel.
    pub metadata: &'a output::Kernel,
    /// The linked program.
    pub program: &'a Program,
    /// Threads that were started.
    pub threads: Cell<u64>,
    /// Receiver of a trace.
    pub trace: Option<&'a Arc<Mutex<TraceLog>>>,
}

impl Launch<'_> {
    /// Returns the number of invocations of a thread that shades vertices or points of a patch.
    pub(crate) fn vertices_per_thread(&self) -> usize {
        if self.width == Width::Vec4 { 2 } else { 8 }
    }

    /// Returns the shared functions of a thread with its scratch space.
    pub(crate) fn memory<'a>(&'a self, io: &'a mut dyn ShaderIo) -> Memory<'a> {
        Memory::new(&self.prepared.binary, self.program, io, self.metadata.scratch_bytes)
    }

    /// Resets a thread to its initial state: nothing but the seeded contents of registers.
    pub(crate) fn reset(&self, thread: &mut Thread) {
        thread.reset(self.seed);
        self.threads.set(self.threads.get() + 1);
    }

    /// Has a thread of fragments traced if it shades the pixel of the trace. Positions are those of
    /// the lower left corners of the lanes' pixels.
    pub(crate) fn trace_pixels(&self, thread: &mut Thread, positions: &[(f64, f64)], live: u32) {
        let Some(trace) = self.trace else { return };
        let is_traced = trace.lock().unwrap_or_else(PoisonError::into_inner).place(positions, live);
        thread.tracer = is_traced.then(|| Tracer::new(trace.clone()));
    }

    /// Returns a prepared thread that waits for its turn, with its scratch space.
    pub(crate) fn waiting(&self, thread: Thread) -> Waiting {
        Waiting { thread, scratch: vec![0; self.metadata.scratch_bytes as usize] }
    }

    /// Writes the push constants and returns the register after them.
    pub(crate) fn push_constants(&self, thread: &mut Thread, io: &dyn ShaderIo) -> usize {
        let mut register = self.metadata.dispatch_grf_start as usize;
        for range in &self.prepared.binary.compiled.push {
            let buffer = io.buffer(uniform_buffer(range.block));
            for unit in 0..range.length {
                let start = ((range.start + unit) as usize) * 32;
                let mut bytes = [0; 32];
                let available = buffer.get(start..).unwrap_or_default();
                let count = available.len().min(32);
                bytes[..count].copy_from_slice(&available[..count]);
                thread.set_bytes(register * 32, &bytes);
                register += 1;
            }
        }
        register
    }

    /// Enables the channels of the first `count` invocations.
    pub(crate) fn enable(&self, thread: &mut Thread, count: usize) {
        thread.set_dispatch_mask(match self.width {
            Width::Vec4 if count == 2 => 0xff,
            Width::Vec4 => 0x0f,
            _ => (1 << count) - 1,
        });
    }

    /// Runs several threads at once as far as each is on its own; the threads before them executed
    /// `steps` instructions. A trace has one thread after the other.
    pub(crate) fn run_ahead<'t>(
        &self,
        threads: impl IntoIterator<Item = &'t mut Thread>,
        steps: u64,
    ) {
        if self.trace.is_none() {
            self.kernel.run_ahead(threads, self.budget.after(steps).left);
        }
    }

    /// Runs a thread to its end and returns the number of executed instructions; the threads before
    /// it executed `steps`.
    ///
    /// # Errors
    /// As [`run_alone`].
    pub(crate) fn run(
        &self,
        thread: &mut Thread,
        host: &mut impl Host,
        steps: u64,
    ) -> Result<u64, DeviceError> {
        run_alone(self.kernel, thread, host, self.budget.after(steps))
    }
}

/// Returns the lanes of a mask.
pub(crate) fn lanes(count: usize, mask: u64) -> Vec<usize> {
    (0..count).filter(|lane| mask >> lane & 1 != 0).collect()
}
