//! Execution of threads: one to its end, or several with barriers.

use eu_simulator::host::Host;
use eu_simulator::{Kernel, Outcome, Reason, SimError, TOGETHER, Thread};
use program::Stage;
use raster::device::DeviceError;
use vocabulary::Phase;

use crate::errors::rejected;

/// The instruction budget of a batch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    /// The stage in execution.
    pub stage: Stage,
    /// The maximum number of instructions of the batch.
    pub limit: u64,
    /// The number of instructions left.
    pub left: u64,
}

impl Budget {
    /// Returns the budget after `steps` more instructions.
    pub(crate) fn after(self, steps: u64) -> Budget {
        Budget { left: self.left.saturating_sub(steps), ..self }
    }

    /// Returns the error of a batch that exceeds the budget.
    fn exceeded(self) -> DeviceError {
        DeviceError::StepLimit {
            stage: self.stage,
            limit: self.limit,
            unit: "instructions for a batch",
        }
    }

    /// Converts a thread's failure into a device error.
    fn error(self, error: SimError) -> DeviceError {
        match error.reason {
            Reason::StepLimit(_) => self.exceeded(),
            _ => rejected(Phase::Simulate, error.to_string()),
        }
    }
}

/// Runs a thread of a stage without barriers to its end and returns the number of executed
/// instructions, which `budget` limits.
///
/// # Errors
/// Fails if the thread failed, exceeded the budget, or waits at a barrier.
pub(crate) fn run_alone(
    kernel: &Kernel,
    thread: &mut Thread,
    host: &mut impl Host,
    budget: Budget,
) -> Result<u64, DeviceError> {
    match kernel.run(thread, host, budget.left).map_err(|error| budget.error(error))? {
        Outcome::Done { steps } => Ok(steps),
        Outcome::Barrier { .. } => {
            Err(rejected(Phase::Simulate, "barrier in a stage whose threads run alone".into()))
        }
    }
}

/// A suspended thread with its scratch space.
pub(crate) struct Waiting {
    pub thread: Thread,
    pub scratch: Vec<u8>,
}

impl Waiting {
    /// The thread, and the number of instructions that it has executed.
    fn paused(self) -> (Waiting, u64) {
        let steps = self.thread.steps();
        (self, steps)
    }
}

/// Runs threads in turn, each from barrier to barrier, until all have ended; returns the number of
/// executed instructions, which `budget` limits. `scratch` returns the host's scratch space, which
/// belongs to the running thread.
pub(crate) fn run_together<H: Host>(
    kernel: &Kernel,
    threads: Vec<Waiting>,
    host: &mut H,
    scratch: fn(&mut H) -> &mut Vec<u8>,
    budget: Budget,
) -> Result<u64, DeviceError> {
    let mut spent = 0;
    let mut running: Vec<(Waiting, u64)> = threads.into_iter().map(Waiting::paused).collect();
    while !running.is_empty() {
        let mut waiting = Vec::new();
        for members in running.chunks_mut(TOGETHER) {
            let threads = members.iter_mut().map(|(member, _)| &mut member.thread);
            kernel.run_ahead(threads, budget.after(spent).left);
        }
        for (mut member, before) in running {
            let limit = before + budget.after(spent).left;
            std::mem::swap(scratch(host), &mut member.scratch);
            let outcome = kernel.run(&mut member.thread, host, limit);
            std::mem::swap(scratch(host), &mut member.scratch);
            let outcome = outcome.map_err(|error| budget.error(error))?;
            spent += member.thread.steps() - before;
            if matches!(outcome, Outcome::Barrier { .. }) {
                waiting.push(member.paused());
            }
        }
        running = waiting;
    }
    Ok(spent)
}
