//! Compute threads: payload from the work group, barriers among its threads.

use compiler::output::{ComputeInterface, Interface, Width};
use simulator::host::{Host, Reply};
use simulator::{Kernel, Thread};
use softgl::device::{ComputeBatch, DeviceError, DrawState};
use softgl::shader_io::ShaderIo;
use vocabulary::Phase;

use super::memory::{Memory, memory_requests};
use super::threads::{Waiting, run_together};
use super::{Prepared, SimulatorDevice, push_constants, rejected};

/// Runs one work group and returns the number of executed instructions.
pub(super) fn run(
    device: &mut SimulatorDevice,
    prepared: &Prepared,
    width: Width,
    kernel: &Kernel,
    state: &DrawState<'_>,
    batch: &ComputeBatch,
    io: &mut dyn ShaderIo,
) -> Result<u64, DeviceError> {
    let Interface::Compute(interface) = prepared.binary.interface() else {
        return Err(rejected(Phase::Encode, "compute binary without a compute interface".into()));
    };
    let info = prepared.metadata(width)?;
    let channels = u32::from(width.channels());
    let invocations = batch.local_size.iter().product::<u32>();
    let mut memory = Memory::new(&prepared.binary, state.program, io, 0);
    memory.shared = vec![0; interface.shared_size as usize];
    memory.groups = batch.num_groups;
    let mut host = ComputeHost { memory };
    let mut threads = Vec::new();
    for number in 0..invocations.div_ceil(channels) {
        let mut thread = device.thread.clone();
        thread.reset(device.options.seed);
        write_groups(&mut thread, batch);
        let first = info.dispatch_grf_start as usize;
        let own =
            push_constants(&mut thread, first, &prepared.binary.compiled.push, host.memory.io);
        write_own(&mut thread, own, interface, batch, number);
        let left = invocations - number * channels;
        thread.set_dispatch_mask(if left >= channels { all(channels) } else { all(left) });
        threads.push(Waiting { thread, scratch: vec![0; info.scratch_bytes as usize] });
    }
    run_together(kernel, threads, &mut host, |host| &mut host.memory.scratch, device.budget)
}

/// Returns a mask of the lowest `channels` channels.
fn all(channels: u32) -> u32 {
    if channels >= 32 { !0 } else { (1 << channels) - 1 }
}

/// Writes g0: the work group's number in dwords 1, 6 and 7.
fn write_groups(thread: &mut Thread, batch: &ComputeBatch) {
    let [x, y, z] = batch.group_id;
    thread.set_register(0, &[0, x, 0, 0, 0, 0, y, z]);
}

/// Writes the thread's own register: the work group's size where it is variable, then the thread's
/// number.
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
