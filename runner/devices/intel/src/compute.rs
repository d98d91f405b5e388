//! Compute threads: payload from the work group, barriers among its threads.

use compiler::output::{ComputeInterface, Interface};
use eu_simulator::Thread;
use eu_simulator::host::{Host, Reply};
use raster::device::{ComputeBatch, DeviceError};
use raster::shader_io::ShaderIo;
use vocabulary::Phase;

use crate::errors::rejected;
use crate::launch::Launch;
use crate::memory::{Memory, memory_requests};
use crate::threads::run_together;

/// Runs one work group and returns the number of executed instructions.
pub(crate) fn run(
    launch: &Launch<'_>,
    thread: &Thread,
    batch: &ComputeBatch,
    io: &mut dyn ShaderIo,
) -> Result<u64, DeviceError> {
    let Interface::Compute(interface) = launch.prepared.binary.interface() else {
        return Err(rejected(Phase::Encode, "compute binary without a compute interface".into()));
    };
    let channels = u32::from(launch.width.channels());
    let invocations = batch.local_size.iter().product::<u32>();
    let mut memory = Memory::new(&launch.prepared.binary, launch.program, io, 0);
    memory.shared = vec![0; interface.shared_size as usize];
    memory.groups = batch.num_groups;
    let mut host = ComputeHost { memory };
    let mut threads = Vec::new();
    for number in 0..invocations.div_ceil(channels) {
        let mut thread = thread.clone();
        launch.reset(&mut thread);
        write_groups(&mut thread, batch);
        let own = launch.push_constants(&mut thread, host.memory.io);
        write_own(&mut thread, own, interface, batch, number);
        let left = invocations - number * channels;
        thread.set_dispatch_mask(if left >= channels { all(channels) } else { all(left) });
        threads.push(launch.waiting(thread));
    }
    run_together(launch.kernel, threads, &mut host, |host| &mut host.memory.scratch, launch.budget)
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
