//! Execution of batches by prepared kernels on one thread, with comparison of their widths.

use std::cell::Cell;
use std::sync::{Arc, Mutex, PoisonError};

use compiler::Binary;
use compiler::output::{Surface, Width};
use eu_simulator::trace::Tracer;
use eu_simulator::{Kernel, Thread};
use intel_isa::DevInfo;
use program::Stage;
use raster::device::{Batch, DeviceError, DrawState, Steps};
use raster::shader_io::{BufferRef, ShaderIo};

use crate::launch::Launch;
use crate::options::SimulatorOptions;
use crate::prepared::Prepared;
use crate::threads::Budget;
use crate::trace::TraceLog;
use crate::{compare, compute, fragment, geometry, tessellation, vertex};
use shader_device::Disagreement;

/// Execution of a kernel over a batch.
pub(crate) struct KernelRun {
    /// Width of the kernel.
    pub width: Width,
    /// Threads that ran.
    pub threads: u64,
    /// Instructions that they executed.
    pub steps: u64,
}

/// Executor of batches: a thread of the simulator with the budget of each batch.
pub(crate) struct BatchExecutor {
    devinfo: &'static DevInfo,
    seed: u64,
    trace: Option<Arc<Mutex<TraceLog>>>,
    thread: Thread,
    /// Threads that run at once with the first, in batches of many.
    companions: Vec<Thread>,
    budget: Budget,
    shaded: u64,
    disagreements: Vec<Disagreement>,
    runs: Vec<KernelRun>,
}

impl BatchExecutor {
    /// Returns an executor.
    pub(crate) fn new(options: &SimulatorOptions) -> BatchExecutor {
        let mut thread = Thread::new(options.devinfo, options.seed);
        thread.math = options.math;
        BatchExecutor {
            devinfo: options.devinfo,
            seed: options.seed,
            trace: options.trace.clone(),
            thread,
            companions: Vec::new(),
            budget: Budget {
                stage: Stage::Vertex,
                limit: options.step_limit,
                left: options.step_limit,
            },
            shaded: 0,
            disagreements: Vec::new(),
            runs: Vec::new(),
        }
    }

    /// Returns an executor for another thread, without a trace.
    pub(crate) fn fork(&self) -> BatchExecutor {
        let mut thread = Thread::new(self.devinfo, self.seed);
        thread.math = self.thread.math;
        let (companions, disagreements, runs) = (Vec::new(), Vec::new(), Vec::new());
        BatchExecutor { trace: None, thread, companions, disagreements, runs, ..*self }
    }

    /// Adds the results of forks that executed `count` batches.
    pub(crate) fn join(&mut self, forks: Vec<BatchExecutor>, count: usize) {
        self.shaded += count as u64;
        let first = self.disagreements.len();
        for mut fork in forks {
            self.disagreements.append(&mut fork.disagreements);
            self.runs.append(&mut fork.runs);
        }
        self.disagreements[first..].sort_by_key(|disagreement| disagreement.batch);
    }

    /// Returns the number of batches shaded so far.
    pub(crate) fn shaded(&self) -> u64 {
        self.shaded
    }

    /// Sets the number of batches shaded so far.
    pub(crate) fn set_shaded(&mut self, shaded: u64) {
        self.shaded = shaded;
    }

    /// Returns and resets the disagreements between widths.
    pub(crate) fn take_disagreements(&mut self) -> Vec<Disagreement> {
        std::mem::take(&mut self.disagreements)
    }

    /// Returns and resets the runs of kernels.
    pub(crate) fn take_runs(&mut self) -> impl Iterator<Item = KernelRun> + '_ {
        self.runs.drain(..)
    }

    /// Executes a batch with every kernel to run, and compares their results.
    pub(crate) fn shade(
        &mut self,
        prepared: &Prepared,
        stage: Stage,
        state: &DrawState<'_>,
        batch: &mut Batch,
        io: &mut dyn ShaderIo,
    ) -> Result<Steps, DeviceError> {
        self.budget.stage = stage;
        self.shaded += 1;
        let linked = state.program.stage(stage);
        let side_effects = linked.is_some_and(|s| s.side_effects);
        let mut total = Steps(0);
        let kernels = prepared.kernels_to_run();
        let mut first: Option<(Batch, blake3::Hash)> = None;
        if side_effects && kernels.len() > 1 {
            io.checkpoint();
        }
        for (width, kernel) in kernels {
            if first.is_some() && side_effects {
                io.rollback();
            }
            if let Some(trace) = &self.trace {
                trace.lock().unwrap_or_else(PoisonError::into_inner).begin(stage, *width);
            }
            total += self.run(prepared, (*width, kernel), state, batch, io)?;
            let memory = written_memory(&prepared.binary, io);
            let batch_number = self.shaded;
            let differs = |lane, what: String| {
                let text = format!("{} differs: {what}", width.name());
                Disagreement { batch: batch_number, lane, text }
            };
            let Some((reference, _)) = &first else {
                first = Some((batch.clone(), memory));
                continue;
            };
            if !compare::differences(reference, batch, state.program).is_empty() {
                let results =
                    [((kernels[0].0, &kernels[0].1), reference), ((*width, kernel), &*batch)];
                let found =
                    self.compare_what_is_defined(prepared, results, state, io, side_effects)?;
                self.disagreements
                    .extend(found.into_iter().map(|(lane, what)| differs(Some(lane), what)));
            }
            if first.as_ref().is_some_and(|(_, expected)| *expected != memory) {
                self.disagreements.push(differs(None, "what it writes to memory".into()));
            }
        }
        Ok(total)
    }

    /// Runs one kernel.
    fn run(
        &mut self,
        prepared: &Prepared,
        (width, kernel): (Width, &Kernel),
        state: &DrawState<'_>,
        batch: &mut Batch,
        io: &mut dyn ShaderIo,
    ) -> Result<Steps, DeviceError> {
        let metadata = prepared.metadata(width)?;
        let BatchExecutor { devinfo, seed, budget, .. } = *self;
        let program = state.program;
        let launch = Launch {
            devinfo,
            seed,
            budget,
            prepared,
            width,
            kernel,
            metadata,
            program,
            threads: Cell::new(0),
            trace: self.trace.as_ref(),
        };
        let thread = &mut self.thread;
        // A launch of fragments leaves threads out.
        thread.tracer = self.trace.clone().map(Tracer::new);
        let steps = match batch {
            Batch::Vertex(vertices) => vertex::run(&launch, thread, vertices, io)?,
            Batch::Fragment(fragments) => {
                fragment::run(&launch, (thread, &mut self.companions), fragments, io)?
            }
            Batch::Geometry(primitives) => geometry::run(&launch, thread, primitives, io)?,
            Batch::TessControl(patches) => tessellation::run_control(&launch, thread, patches, io)?,
            Batch::TessEval(points) => tessellation::run_evaluation(&launch, thread, points, io)?,
            Batch::Compute(group) => compute::run(&launch, thread, group, io)?,
        };
        self.runs.push(KernelRun { width, threads: launch.threads.get(), steps });
        Ok(Steps(steps))
    }

    /// Compares results of two widths except random values: a value that changes when a kernel runs
    /// again with other contents of unwritten registers is undefined, and widths need not agree
    /// about it.
    fn compare_what_is_defined(
        &mut self,
        prepared: &Prepared,
        results: [((Width, &Kernel), &Batch); 2],
        state: &DrawState<'_>,
        io: &mut dyn ShaderIo,
        has_side_effects: bool,
    ) -> Result<compare::Differences, DeviceError> {
        let mut equalized = [results[0].1.clone(), results[1].1.clone()];
        let seed = self.seed;
        for (kernel, result) in results {
            if has_side_effects {
                io.rollback();
            }
            let mut again = result.clone();
            self.seed = !seed;
            let outcome = self.run(prepared, kernel, state, &mut again, io);
            self.seed = seed;
            outcome?;
            compare::equalize_undefined(result, &again, &mut equalized);
        }
        let [reference, other] = &equalized;
        Ok(compare::differences(reference, other, state.program))
    }
}

/// Returns a digest of the buffers that a binary's shader may write.
fn written_memory(binary: &Binary, io: &dyn ShaderIo) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    for &surface in &binary.compiled.bindings {
        match surface {
            Surface::StorageBlock(n) => hasher.update(io.buffer(BufferRef::Storage(n))),
            Surface::AtomicBuffer(n) => hasher.update(io.buffer(BufferRef::AtomicCounter(n))),
            _ => &mut hasher,
        };
    }
    hasher.finalize()
}
