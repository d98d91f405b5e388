//! A draw command: its parameters, and what all parts of its execution read.

use std::cell::Cell;
use std::rc::Rc;

use eu_simulator::trace::Tracer;
use fixed_function::Viewport;
use gpu_service::Guard;
use intel_isa::DevInfo;
use packets::{Memory, Table};
use vocabulary::{Stage, Width};

use super::counts::{Counts, StreamRegisters};
use super::kernels::{Kernels, Loaded};
use super::state::State;
use super::state::fields::Fields;
use super::used::Used;
use crate::context::HardwareContext;
use crate::facts::Facts;
use crate::watch::{Watch, WatchedKernel};

/// Parameters of a draw.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parameters {
    pub(super) topology: u64,
    pub(super) is_indexed: bool,
    pub(super) vertices: u32,
    pub(super) first_vertex: u32,
    pub(super) instances: u32,
    pub(super) first_instance: u32,
    pub(super) base_vertex: u32,
}

/// State and memory that all parts of a draw read.
pub(super) struct Draw<'a> {
    pub(super) table: &'static Table,
    pub(super) devinfo: &'static DevInfo,
    pub(super) fields: &'a Fields,
    /// State that is decoded once.
    pub(super) state: State,
    pub(super) facts: Facts,
    pub(super) kernels: &'a Kernels,
    /// Record of the kernels that are used, unless the driver draws for itself.
    pub(super) used: Option<&'a Used>,
    pub(super) watch: Option<&'a dyn Watch>,
    pub(super) guard: &'a Guard,
    pub(super) time: &'a Cell<u64>,
    pub(super) memory: &'a dyn Memory,
    pub(super) context: &'a HardwareContext,
    pub(super) counts: Counts,
    pub(super) streams: Cell<StreamRegisters>,
    /// Number of the primitive that is drawn.
    pub(super) primitive_id: Cell<u32>,
    /// Pixels of a stippled line that are drawn already.
    pub(super) stippled: Cell<u32>,
    /// The viewport that was used last, with its number.
    pub(super) last_viewport: Cell<Option<(u64, Viewport)>>,
}

impl Draw<'_> {
    /// Time stamp of a thread that reads it.
    pub(super) fn tick(&self) -> u64 {
        self.time.set(self.time.get() + 1);
        self.time.get()
    }

    /// Reports a kernel and returns the observer of its threads.
    pub(super) fn tracer(
        &self,
        kernel: &Rc<Loaded>,
        (stage, width): (Stage, Width),
        address: u64,
    ) -> Option<Tracer> {
        if let Some(used) = self.used {
            used.add(kernel, stage, width);
        }
        self.watch?.kernel(&WatchedKernel { stage, width, address, code: kernel.code() })
    }
}
