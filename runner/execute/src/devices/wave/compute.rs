//! Work groups of one wave.

use compiler::amd::output::{Interface, UserValue};
use softgl::device::{ComputeBatch, DeviceError, first_lanes};
use softgl::shader_io::ShaderIo;
use wave::{Export, Host, ImageAccess};

use super::launch::Launch;
use super::memory::Memory;

/// Runs a work group and returns the number of executed instructions.
pub(super) fn run(
    launch: &Launch<'_>,
    batch: &mut ComputeBatch,
    io: &mut dyn ShaderIo,
) -> Result<u64, DeviceError> {
    let output = &launch.prepared.output;
    let Interface::Compute(interface) = &output.interface else {
        return Err(DeviceError::Execution("no compute program".into()));
    };
    let [width, height, depth] = batch.local_size.map(|size| size as usize);
    let lanes = width * height * depth;
    if lanes > wave::LANES {
        let message = format!("work groups of {lanes} invocations on {}", output.chip);
        return Err(DeviceError::Unsupported(message));
    }
    let mut wave = launch.wave(first_lanes(lanes));
    for lane in 0..lanes {
        wave.vector[0][lane] = (lane % width) as u32;
        wave.vector[1][lane] = (lane / width % height) as u32;
        wave.vector[2][lane] = (lane / width / height) as u32;
    }
    launch.set_user_data(&mut wave, |value| match value {
        UserValue::WorkgroupCount => batch.num_groups,
        UserValue::WorkgroupSize => batch.local_size,
        _ => [0; 3],
    });
    for (index, id) in batch.group_id.into_iter().enumerate() {
        wave.scalar[usize::from(interface.workgroup_id) + index] = id;
    }
    wave.local = vec![0; interface.shared_size as usize];
    let mut host = ComputeHost { memory: Memory::new(io, launch, &|_, _, _| 0, Vec::new()) };
    launch.run(&mut wave, &mut host, 0)
}

struct ComputeHost<'a> {
    memory: Memory<'a>,
}

impl Host for ComputeHost<'_> {
    fn read(&mut self, address: u64, bytes: &mut [u8]) -> bool {
        self.memory.read(address, bytes)
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> bool {
        self.memory.write(address, bytes)
    }

    fn image(&mut self, access: &ImageAccess) -> Result<[u32; 4], String> {
        self.memory.image(access)
    }

    fn export(&mut self, _: Export) {}
}
