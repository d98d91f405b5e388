//! Work groups: waves take turns between barriers.

use compiler::amd_codegen::output::{ComputeInterface, Interface, UserValue};
use gcn_simulator::{LANES, Outcome, Wave};
use raster::device::{ComputeBatch, DeviceError, first_lanes};
use raster::shader_io::ShaderIo;

use crate::launch::Launch;
use crate::memory::Memory;

/// A wave of the group, with the scratch memory of its lanes.
struct Member {
    wave: Wave,
    scratch: Vec<u8>,
    outcome: Outcome,
}

/// Runs a work group and returns the number of executed instructions.
pub(crate) fn run(
    launch: &Launch<'_>,
    batch: &mut ComputeBatch,
    io: &mut dyn ShaderIo,
) -> Result<u64, DeviceError> {
    let Interface::Compute(interface) = &launch.prepared.output.interface else {
        return Err(DeviceError::Execution("no compute program".into()));
    };
    let invocations: usize = batch.local_size.iter().map(|&size| size as usize).product();
    let mut memory = Memory::new(io, launch, &|_, _, _| 0, Vec::new());
    let member = |first: usize| Member {
        wave: wave(launch, interface, batch, &memory, (first, invocations)),
        scratch: memory.scratch.clone(),
        outcome: Outcome::Barrier,
    };
    let mut members: Vec<Member> = (0..invocations).step_by(LANES).map(member).collect();
    let mut local = vec![0; interface.shared_size as usize];
    let mut steps = 0;
    while members.iter().any(|member| member.outcome == Outcome::Barrier) {
        for member in members.iter_mut().filter(|member| member.outcome == Outcome::Barrier) {
            std::mem::swap(&mut member.wave.local, &mut local);
            std::mem::swap(&mut member.scratch, &mut memory.scratch);
            let (outcome, executed) = launch.continue_wave(&mut member.wave, &mut memory, steps)?;
            std::mem::swap(&mut member.scratch, &mut memory.scratch);
            std::mem::swap(&mut member.wave.local, &mut local);
            member.outcome = outcome;
            steps += executed;
        }
    }
    Ok(steps)
}

/// Returns the wave of the invocations from the first of the pair on, of as many as the second.
fn wave(
    launch: &Launch<'_>,
    interface: &ComputeInterface,
    batch: &ComputeBatch,
    memory: &Memory<'_>,
    (first, invocations): (usize, usize),
) -> Wave {
    let [width, height, _] = batch.local_size.map(|size| size as usize);
    let lanes = (invocations - first).min(LANES);
    let mut wave = launch.wave(first_lanes(lanes));
    for lane in 0..lanes {
        let number = first + lane;
        wave.vector[0][lane] = (number % width) as u32;
        wave.vector[1][lane] = (number / width % height) as u32;
        wave.vector[2][lane] = (number / width / height) as u32;
    }
    launch.set_user_data(&mut wave, |value| match value {
        UserValue::WorkgroupCount => batch.num_groups,
        UserValue::WorkgroupSize => batch.local_size,
        _ => [0; 3],
    });
    for (index, id) in batch.group_id.into_iter().enumerate() {
        wave.scalar[usize::from(interface.workgroup_id) + index] = id;
    }
    memory.set_descriptors(launch, &mut wave);
    launch.trace_start(&wave);
    wave
}
