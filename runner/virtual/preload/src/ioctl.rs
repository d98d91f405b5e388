//! Requests of the driver, by the structures of the kernel's interface.

use std::io;
use std::time::Duration;

use submission::{BufferObject, Place, Request};

use crate::fences::Wait;
use crate::heap::PAGE;
use crate::kernel::{self, Kernel};
use crate::memory::Argument;
use crate::parameters;

/// An error number of the system, or success.
type Answer = Result<(), i32>;

/// Bits of a graphics address.
const ADDRESS_MASK: u64 = (1 << 48) - 1;

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

fn error_number(error: &io::Error) -> i32 {
    error.raw_os_error().unwrap_or(libc::EIO)
}

/// Selects the request by its number; the upper bits are direction and size of the argument.
fn dispatch(kernel: &mut Kernel, request: u64, argument: Argument) -> Answer {
    let size = request >> 16 & 0x3fff;
    match request & 0xff {
        0x00 => version(argument),
        // Close of an object.
        0x09 => kernel.close(argument.get(0)).then_some(()).ok_or(libc::EINVAL),
        0x0c => capability(argument),
        // Sharing of objects with other processes.
        0x0a | 0x0b | 0x2d | 0x2e => Err(libc::EINVAL),
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
        0x46 => parameter(kernel, argument),
        0x5b => create(kernel, argument),
        0x64 if size == 32 => map_offset(kernel, argument),
        // Domains, caching, throttling, waiting.
        0x5f | 0x6f | 0x70 | 0x58 | 0x6c => Ok(()),
        0x61 => set_tiling(kernel, argument),
        0x62 => get_tiling(kernel, argument),
        0x57 => {
            argument.set(4, 0_u32);
            Ok(())
        }
        0x66 => {
            argument.set(8, 1_u32);
            Ok(())
        }
        0x73 => adopt(kernel, argument),
        0x63 => {
            let size = kernel.device.address_space;
            argument.set(0, size);
            argument.set(8, size);
            Ok(())
        }
        0x6d => create_context(kernel, size, argument),
        0x6e => {
            let context = Request::DestroyContext(argument.get(0));
            kernel.call(&context).map(drop).map_err(|error| error_number(&error))
        }
        0x74 => context_parameter(kernel, argument),
        0x75 => set_context_parameter(kernel, argument),
        0x7a => {
            argument.set(12, kernel.create_address_space());
            Ok(())
        }
        // The end of an address space.
        0x7b => Ok(()),
        0x69 => execute(kernel, argument),
        0x71 => read_register(kernel, argument),
        0x72 => {
            for offset in [8, 12, 16] {
                argument.set(offset, 0_u32);
            }
            Ok(())
        }
        0x79 => query(kernel, argument),
        // Performance counters.
        0x76 => Err(libc::ENODEV),
        0x77 => Err(libc::EINVAL),
        number => {
            kernel.log(format!("unknown request {number:#04x} (ioctl {request:#x})"));
            Err(libc::EINVAL)
        }
    }
}

/// Name and version of the kernel's driver.
fn version(argument: Argument) -> Answer {
    argument.set(0, 1_u32);
    argument.set(4, 6_u32);
    argument.set(8, 0_u32);
    for (offset, text) in [(16, "i915"), (32, "20201103"), (48, "Intel Graphics")] {
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

fn parameter(kernel: &mut Kernel, argument: Argument) -> Answer {
    let number: u32 = argument.get(0);
    let value = parameters::value(kernel.device, number);
    if value.is_none() && !parameters::is_refused(number) {
        kernel.log(format!("unknown parameter {number}"));
    }
    argument.follow(8).set(0, value.ok_or(libc::EINVAL)?);
    Ok(())
}

fn create(kernel: &mut Kernel, argument: Argument) -> Answer {
    let (handle, size) = kernel.create(argument.get(0)).ok_or(libc::ENOMEM)?;
    argument.set(0, size);
    argument.set(8, handle);
    Ok(())
}

/// Offset at which the device's descriptor maps an object: that in the memory file.
fn map_offset(kernel: &mut Kernel, argument: Argument) -> Answer {
    let object = kernel.object(argument.get(0)).ok_or(libc::ENOENT)?;
    // The process has the memory of other objects already.
    let Place::Heap(offset) = object.place else { return Err(libc::ENXIO) };
    argument.set(8, offset);
    Ok(())
}

/// An object in memory of the process.
fn adopt(kernel: &mut Kernel, argument: Argument) -> Answer {
    const READ_ONLY: u32 = 1;
    const UNSYNCHRONIZED: u32 = 1 << 31;
    let (address, size): (u64, u64) = (argument.get(0), argument.get(8));
    if argument.get::<u32>(16) & !(READ_ONLY | UNSYNCHRONIZED) != 0 {
        return Err(libc::EINVAL);
    }
    let is_whole = address != 0 && size != 0 && (address | size) % PAGE == 0;
    if !is_whole || address.checked_add(size).is_none() {
        return Err(libc::EINVAL);
    }
    argument.set(20, kernel.adopt(address, size).ok_or(libc::ENOMEM)?);
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

/// Returns a file that becomes readable when a fence is signaled: it is, or there is none.
fn export_fence(kernel: &mut Kernel, argument: Argument) -> Answer {
    let is_signaled = kernel.fences.is_signaled(argument.get(0))?;
    if argument.get::<u32>(4) & FENCE_FILE == 0 || !is_signaled {
        return Err(libc::EINVAL);
    }
    // SAFETY: creates a descriptor.
    let descriptor = unsafe { libc::eventfd(1, libc::EFD_CLOEXEC) };
    if descriptor < 0 {
        return Err(libc::EMFILE);
    }
    argument.set(8, descriptor.cast_unsigned());
    Ok(())
}

/// Takes the fence of a file, which is signaled.
fn import_fence(kernel: &mut Kernel, argument: Argument) -> Answer {
    if argument.get::<u32>(4) & FENCE_FILE == 0 {
        return Err(libc::EINVAL);
    }
    kernel.fences.set(argument.get(0), true)
}

fn set_tiling(kernel: &mut Kernel, argument: Argument) -> Answer {
    let object = kernel.object(argument.get(0)).ok_or(libc::ENOENT)?;
    object.tiling = (argument.get(4), argument.get(8));
    // Addresses are not swizzled.
    argument.set(12, 0_u32);
    Ok(())
}

fn get_tiling(kernel: &mut Kernel, argument: Argument) -> Answer {
    let object = kernel.object(argument.get(0)).ok_or(libc::ENOENT)?;
    argument.set(4, object.tiling.0);
    argument.set(8, 0_u32);
    argument.set(12, 0_u32);
    Ok(())
}

/// Parameters of contexts.
mod context {
    pub(super) const ADDRESS_SPACE_SIZE: u64 = 3;
    pub(super) const PRIORITY: u64 = 6;
    pub(super) const RECOVERABLE: u64 = 8;
    pub(super) const ADDRESS_SPACE: u64 = 9;
    pub(super) const ENGINES: u64 = 10;
    pub(super) const PERSISTENCE: u64 = 11;
    pub(super) const PROTECTED_CONTENT: u64 = 13;
    pub(super) const LOW_LATENCY: u64 = 14;
}

fn create_context(kernel: &mut Kernel, size: u64, argument: Argument) -> Answer {
    const EXTENDED: u32 = 1;
    let is_extended = size >= 16 && argument.get::<u32>(4) & EXTENDED != 0;
    if is_extended {
        // A chain of extensions: the next one, the kind, and from byte 32 a parameter.
        let mut extension = argument.follow(8);
        while !extension.is_null() {
            const SET_PARAMETER: u32 = 0;
            if extension.get::<u32>(8) != SET_PARAMETER {
                return Err(libc::EINVAL);
            }
            set_context_parameter(kernel, extension.element(1, 32))?;
            extension = extension.follow(0);
        }
    }
    argument.set(0, kernel.create_context());
    Ok(())
}

/// Sets a parameter of a context. None has an effect: batches execute one after the other, and
/// protected content and lists of engines are refused.
fn set_context_parameter(kernel: &mut Kernel, argument: Argument) -> Answer {
    match argument.get::<u64>(8) {
        context::PRIORITY
        | context::RECOVERABLE
        | context::ADDRESS_SPACE
        | context::PERSISTENCE => Ok(()),
        context::ENGINES | context::PROTECTED_CONTENT | context::LOW_LATENCY => Err(libc::EINVAL),
        number => {
            kernel.log(format!("unknown parameter {number} of a context"));
            Err(libc::EINVAL)
        }
    }
}

fn context_parameter(kernel: &mut Kernel, argument: Argument) -> Answer {
    let value = match argument.get::<u64>(8) {
        context::ADDRESS_SPACE_SIZE => kernel.device.address_space,
        context::ADDRESS_SPACE => 1,
        _ => 0,
    };
    argument.set(16, value);
    Ok(())
}

fn read_register(kernel: &mut Kernel, argument: Argument) -> Answer {
    const TIMESTAMP: u64 = 0x2358;
    let offset: u64 = argument.get(0);
    if offset & !1 != TIMESTAMP {
        kernel.log(format!("unknown register {offset:#x}"));
        return Err(libc::EINVAL);
    }
    let value = kernel.call(&Request::Timestamp).map_err(|error| error_number(&error))?;
    argument.set(8, value & ((1 << 36) - 1));
    Ok(())
}

fn query(kernel: &mut Kernel, argument: Argument) -> Answer {
    const TOPOLOGY: u64 = 1;
    let items = argument.follow(8);
    for i in 0..u64::from(argument.get::<u32>(0)) {
        let item = items.element(i, 24);
        let length = match item.get::<u64>(0) {
            TOPOLOGY => topology(kernel, item),
            // Engines, counters, memory regions, tables of the hardware.
            2..=6 => -libc::EINVAL,
            number => {
                kernel.log(format!("unknown query {number}"));
                -libc::EINVAL
            }
        };
        item.set(8, length.cast_unsigned());
    }
    Ok(())
}

/// Writes slices, subslices and units as masks. Returns the bytes, or an error number.
fn topology(kernel: &Kernel, item: Argument) -> i32 {
    let Some([slices, subslices, units]) = kernel.device.topology else { return -libc::ENODEV };
    let bytes = 16 + 1 + slices + slices * subslices;
    let room: u32 = item.get(8);
    let data = item.follow(16);
    if room != 0 && !data.is_null() {
        let header = [0, slices, subslices, units, 1, 1, 1 + slices, 1];
        for (i, value) in (0..).zip(header) {
            data.set(2 * i, value);
        }
        let mask = |count: u16| u8::try_from((1_u32 << count) - 1).unwrap_or(u8::MAX);
        data.set(16, mask(slices));
        for i in 0..u64::from(slices) {
            data.set(17 + i, mask(subslices));
        }
        for i in 0..u64::from(slices * subslices) {
            data.set(17 + u64::from(slices) + i, mask(units));
        }
    }
    i32::from(bytes)
}

/// A submission: places the objects, relocates addresses, and sends the batch.
fn execute(kernel: &mut Kernel, argument: Argument) -> Answer {
    const PINNED: u64 = 1 << 4;
    const BATCH_FIRST: u64 = 1 << 18;
    let list = argument.follow(0);
    let count = u64::from(argument.get::<u32>(8));
    let flags: u64 = argument.get(40);
    let mut objects = Vec::new();
    for i in 0..count {
        let entry = list.element(i, 56);
        let handle: u32 = entry.get(0);
        let object = *kernel.object(handle).ok_or(libc::ENOENT)?;
        let flags: u64 = entry.get(32);
        if flags & PINNED == 0 {
            entry.set(24, object.address());
        }
        objects.push(BufferObject {
            address: entry.get::<u64>(24) & ADDRESS_MASK,
            size: object.size,
            place: object.place,
            handle: u64::from(handle),
            flags,
        });
    }
    for i in 0..count {
        relocate(kernel, list.element(i, 56), &objects, flags)?;
    }
    let first = if flags & BATCH_FIRST != 0 { objects.first() } else { objects.last() };
    let batch = first.ok_or(libc::EINVAL)?.address + u64::from(argument.get::<u32>(12));
    let length = u64::from(argument.get::<u32>(16));
    // The low bits of the first reserved field hold the context.
    let context: u32 = argument.get(48);
    let fences = fences(argument, flags);
    for (handle, flags) in &fences {
        const WAIT: u32 = 1;
        if flags & WAIT != 0 && !kernel.fences.is_signaled(*handle)? {
            return Err(libc::EINVAL);
        }
    }
    let done = kernel.submit(context, batch, length, objects);
    for (handle, flags) in fences {
        const SIGNAL: u32 = 2;
        if flags & SIGNAL != 0 {
            // A batch that fails ends, too.
            kernel.fences.set(handle, true)?;
        }
    }
    done.map(drop).map_err(|error| error_number(&error))
}

/// Synchronization objects of a submission, with their flags.
fn fences(argument: Argument, flags: u64) -> Vec<(u32, u32)> {
    const FENCE_ARRAY: u64 = 1 << 19;
    if flags & FENCE_ARRAY == 0 {
        return Vec::new();
    }
    let list = argument.follow(32);
    let count = u64::from(argument.get::<u32>(28));
    (0..count).map(|i| list.element(i, 8)).map(|fence| (fence.get(0), fence.get(4))).collect()
}

/// Writes the addresses of the objects that an object refers to.
fn relocate(kernel: &mut Kernel, entry: Argument, objects: &[BufferObject], flags: u64) -> Answer {
    const HANDLES_ARE_INDICES: u64 = 1 << 12;
    let object = *kernel.object(entry.get(0)).ok_or(libc::ENOENT)?;
    let relocations = entry.follow(8);
    for i in 0..u64::from(entry.get::<u32>(4)) {
        let relocation = relocations.element(i, 32);
        let target: u32 = relocation.get(0);
        let target = if flags & HANDLES_ARE_INDICES != 0 {
            objects.get(target as usize)
        } else {
            objects.iter().find(|object| object.handle == u64::from(target))
        };
        let target = target.ok_or(libc::ENOENT)?.address;
        let delta = u64::from(relocation.get::<u32>(4));
        let written = kernel.relocate(&object, relocation.get(8), target + delta);
        written.map_err(|error| error_number(&error))?;
        relocation.set(16, target);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
