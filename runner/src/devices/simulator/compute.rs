//! Compute threads: payload from the work group, barriers among its threads.

use compiler::output::{ComputeInterface, Interface, Width};
use simulator::host::{Host, Reply};
use simulator::{Kernel, Outcome, Thread};
use softgl::device::{ComputeBatch, DeviceError, DrawState};
use softgl::services::Services;

use super::memory::{Memory, memory_requests};
use super::{Prepared, SimulatorDevice, layer, push_constants, simulation_error};

/// A thread that waits at a barrier, with its scratch space.
struct Waiting {
    thread: Thread,
    scratch: Vec<u8>,
}

/// Runs one work group; gives the instructions executed.
pub(super) fn run(
    device: &mut SimulatorDevice,
    prepared: &Prepared,
    width: Width,
    kernel: &Kernel,
    state: &DrawState<'_>,
    batch: &ComputeBatch,
    services: &mut dyn Services,
) -> Result<u64, DeviceError> {
    let Interface::Compute(interface) = prepared.binary.interface() else {
        return Err(layer("encode", "compute binary without a compute interface".into()));
    };
    let info =
        prepared.binary.kernel(width).ok_or_else(|| layer("encode", "kernel without metadata".into()))?;
    let channels = u32::from(width.channels());
    let invocations = batch.local_size.iter().product::<u32>();
    let mut memory = Memory::new(&prepared.binary, state.program, services, info.scratch_bytes);
    memory.shared = vec![0; interface.shared_size as usize];
    memory.groups = batch.num_groups;
    let mut host = ComputeHost { memory };
    let mut steps = Steps { spent: 0, budget: device.options.budget };
    let mut waiting = Vec::new();
    for number in 0..invocations.div_ceil(channels) {
        let thread = &mut device.thread;
        thread.reset(device.options.seed);
        write_groups(thread, batch);
        let first = info.dispatch_grf_start as usize;
        let own = push_constants(thread, first, &prepared.binary.compiled.push, host.memory.services);
        write_own(thread, own, interface, batch, number);
        let left = invocations - number * channels;
        thread.set_dispatch_mask(if left >= channels { all(channels) } else { all(left) });
        host.memory.scratch = vec![0; info.scratch_bytes as usize];
        if steps.run(kernel, thread, &mut host)? {
            let scratch = std::mem::take(&mut host.memory.scratch);
            waiting.push(Waiting { thread: thread.clone(), scratch });
        }
    }
    while !waiting.is_empty() {
        let mut still = Vec::new();
        for Waiting { mut thread, scratch } in waiting {
            host.memory.scratch = scratch;
            if steps.run(kernel, &mut thread, &mut host)? {
                let scratch = std::mem::take(&mut host.memory.scratch);
                still.push(Waiting { thread, scratch });
            }
        }
        waiting = still;
    }
    Ok(steps.spent)
}

/// The lowest `channels` channels.
fn all(channels: u32) -> u32 {
    if channels >= 32 { !0 } else { (1 << channels) - 1 }
}

/// Instructions executed by the work group's threads.
struct Steps {
    spent: u64,
    budget: u64,
}

impl Steps {
    /// Runs a thread to its next barrier (true) or its end.
    fn run(
        &mut self,
        kernel: &Kernel,
        thread: &mut Thread,
        host: &mut ComputeHost<'_>,
    ) -> Result<bool, DeviceError> {
        let before = thread.steps();
        let budget = before + self.budget.saturating_sub(self.spent);
        let outcome = kernel.run(thread, host, budget).map_err(simulation_error)?;
        self.spent += thread.steps() - before;
        Ok(matches!(outcome, Outcome::Barrier { .. }))
    }
}

/// g0: the work group's number in dwords 1, 6 and 7.
fn write_groups(thread: &mut Thread, batch: &ComputeBatch) {
    let [x, y, z] = batch.group_id;
    thread.set_register(0, &[0, x, 0, 0, 0, 0, y, z]);
}

/// The thread's own register: the work group's size where it varies, then the thread's number.
fn write_own(
    thread: &mut Thread,
    register: usize,
    interface: &ComputeInterface,
    batch: &ComputeBatch,
    number: u32,
) {
    let [x, y, z] = batch.local_size;
    match interface.local_size {
        Some(_) => thread.set_dword(register, 0, number),
        None => thread.set_register(register, &[x, y, z, number, 0, 0, 0, 0]),
    }
}

/// Shared functions of a compute thread.
struct ComputeHost<'a> {
    memory: Memory<'a>,
}

impl Host for ComputeHost<'_> {
    memory_requests!();
}
