//! Running threads: one to its end, or several that wait for each other.

use simulator::host::Host;
use simulator::{Kernel, Outcome, Thread};
use softgl::device::DeviceError;

use super::{layer, simulation_error};

/// Runs a thread of a stage without barriers to its end; gives the instructions it executed, of which `budget` are allowed.
///
/// # Errors
/// The thread failed, executed too much, or waits at a barrier.
pub(super) fn run_alone(
    kernel: &Kernel,
    thread: &mut Thread,
    host: &mut impl Host,
    budget: u64,
) -> Result<u64, DeviceError> {
    match kernel.run(thread, host, budget).map_err(simulation_error)? {
        Outcome::Done { steps } => Ok(steps),
        Outcome::Barrier { .. } => {
            Err(layer("simulate", "barrier in a stage whose threads run alone".into()))
        }
    }
}

/// A thread that does not run just now, with its scratch space.
pub(super) struct Waiting {
    pub thread: Thread,
    pub scratch: Vec<u8>,
}

/// Runs threads in turn, each from barrier to barrier, until all have ended; gives the instructions they executed, of
/// which `budget` are allowed. `scratch` names the host's scratch space, which is that of the running thread.
pub(super) fn run_together<H: Host>(
    kernel: &Kernel,
    threads: Vec<Waiting>,
    host: &mut H,
    scratch: fn(&mut H) -> &mut Vec<u8>,
    budget: u64,
) -> Result<u64, DeviceError> {
    let mut spent = 0;
    let mut running = threads;
    while !running.is_empty() {
        let mut waiting = Vec::new();
        for mut member in running {
            let before = member.thread.steps();
            let limit = before + budget.saturating_sub(spent);
            std::mem::swap(scratch(host), &mut member.scratch);
            let outcome = kernel.run(&mut member.thread, host, limit);
            std::mem::swap(scratch(host), &mut member.scratch);
            let outcome = outcome.map_err(simulation_error)?;
            spent += member.thread.steps() - before;
            if matches!(outcome, Outcome::Barrier { .. }) {
                waiting.push(member);
            }
        }
        running = waiting;
    }
    Ok(spent)
}
