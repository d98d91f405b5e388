//! Requests of the driver, by the structures of the kernel's interface.

use std::time::Duration;

use crate::device::{Device, Driver, Version};
use crate::errors::{Answer, error_number};
use crate::fences::Wait;
use crate::kernel::{self, Kernel};
use crate::memory::Argument;
use crate::request::fence_file;
use crate::{amdgpu, i915};

/// Answers a request on the device: 0, or -1 with the error number.
pub(crate) fn answer(request: u64, argument: Argument) -> Answer {
    match request & 0xff {
        // Waits are not made under the lock: another thread signals.
        0xc3 => wait(argument, 8),
        // The same with points of timelines, which no object has.
        0xca => wait(argument, 16),
        _ => locked(|kernel| dispatch(kernel, request, argument)),
    }
}

/// Answers a request with the device.
fn locked<T>(work: impl FnOnce(&mut Kernel) -> Result<T, i32>) -> Result<T, i32> {
    kernel::with(work).map_err(|error| error_number(&error))?
}

/// Selects the request by its number; the upper bits are direction and size of the argument.
pub(crate) fn dispatch(kernel: &mut Kernel, request: u64, argument: Argument) -> Answer {
    let (number, size) = (request & 0xff, request >> 16 & 0x3fff);
    match number {
        0x00 => version(kernel.device, argument),
        // Close of an object.
        0x09 => kernel.close(argument.get(0)).then_some(()).ok_or(libc::EINVAL),
        0x0c => capability(argument),
        // Sharing of objects with other processes, by names.
        0x0a | 0x0b => Err(libc::EINVAL),
        // Sharing of objects, by files: handle, flags, descriptor.
        0x2d => {
            argument.set(8, kernel.export(argument.get(0))?);
            Ok(())
        }
        0x2e => {
            argument.set(0, kernel.import(argument.get::<u32>(8).cast_signed())?);
            Ok(())
        }
        0xbf => {
            const SIGNALED: u32 = 1;
            let is_signaled = argument.get::<u32>(4) & SIGNALED != 0;
            argument.set(0, kernel.fences.create(is_signaled));
            Ok(())
        }
        0xc0 => kernel.fences.destroy(argument.get(0)),
        0xc1 => export_fence(kernel, argument),
        0xc2 => import_fence(kernel, argument),
        0xc4 => set_fences(kernel, argument, false),
        0xc5 => set_fences(kernel, argument, true),
        _ => {
            let known = match kernel.device.driver {
                Driver::I915(facts) => i915::dispatch(kernel, facts, number, size, argument),
                Driver::Amdgpu(chip) => amdgpu::dispatch(kernel, chip, number, argument),
            };
            known.unwrap_or_else(|| {
                kernel.log(format!("unknown request {number:#04x} (ioctl {request:#x})"));
                Err(libc::EINVAL)
            })
        }
    }
}

/// Name and version of the kernel's driver.
fn version(device: &Device, argument: Argument) -> Answer {
    let Version { numbers, texts } = device.driver.version();
    for (offset, number) in [0, 4, 8].into_iter().zip(numbers) {
        argument.set(offset, number);
    }
    for (offset, text) in [16, 32, 48].into_iter().zip(texts) {
        let room: u64 = argument.get(offset);
        let buffer = argument.follow(offset + 8);
        if !buffer.is_null() {
            for (i, byte) in (0..room).zip(text.bytes()) {
                buffer.set(i, byte);
            }
        }
        argument.set(offset, text.len() as u64);
    }
    Ok(())
}

fn capability(argument: Argument) -> Answer {
    let value: u64 = match argument.get::<u64>(0) {
        // Import and export of objects.
        5 => 3,
        // Synchronization objects, of which none has a timeline.
        0x13 => 1,
        0x14 => 0,
        _ => return Err(libc::EINVAL),
    };
    argument.set(8, value);
    Ok(())
}

/// The handles of a list: their address at 0, their number at `count`.
fn handles(argument: Argument, count: u64) -> Vec<u32> {
    let list = argument.follow(0);
    (0..u64::from(argument.get::<u32>(count))).map(|i| list.element(i, 4).get(0)).collect()
}

/// Waits for synchronization objects until a time of the monotonic clock, which is at an offset of
/// the argument; the number of handles and the flags follow.
fn wait(argument: Argument, at: u64) -> Answer {
    const STEP: Duration = Duration::from_micros(200);
    let (handles, flags) = (handles(argument, at + 8), argument.get::<u32>(at + 12));
    let end = argument.get::<u64>(at).cast_signed();
    loop {
        match locked(|kernel| kernel.fences.check(&handles, flags))? {
            Wait::Done(first) => {
                argument.set(at + 16, first);
                return Ok(());
            }
            Wait::Pending if now() >= end => return Err(libc::ETIME),
            Wait::Pending => std::thread::sleep(STEP),
        }
    }
}

/// Nanoseconds of the monotonic clock.
fn now() -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure is valid for writes.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec.saturating_mul(1_000_000_000).saturating_add(time.tv_nsec)
}

/// Signals objects or takes their signals back.
fn set_fences(kernel: &mut Kernel, argument: Argument, is_signaled: bool) -> Answer {
    handles(argument, 8).into_iter().try_for_each(|handle| kernel.fences.set(handle, is_signaled))
}

/// Flag of an exported or imported fence: the descriptor is a file of the fence, not of the object.
const FENCE_FILE: u32 = 1;

/// Returns a file that becomes readable when a fence is signaled (it is, or there is none), or a
/// file of the object.
fn export_fence(kernel: &mut Kernel, argument: Argument) -> Answer {
    let is_signaled = kernel.fences.is_signaled(argument.get(0))?;
    let descriptor = match argument.get::<u32>(4) & FENCE_FILE {
        0 => kernel.fences.export(argument.get(0))?,
        _ if is_signaled => fence_file()?,
        _ => return Err(libc::EINVAL),
    };
    argument.set(8, descriptor);
    Ok(())
}

/// Takes the fence of a file, which is signaled, or the object of a file.
fn import_fence(kernel: &mut Kernel, argument: Argument) -> Answer {
    if argument.get::<u32>(4) & FENCE_FILE != 0 {
        return kernel.fences.set(argument.get(0), true);
    }
    argument.set(0, kernel.fences.import(argument.get::<u32>(8).cast_signed())?);
    Ok(())
}
