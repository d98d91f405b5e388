//! Requests of the driver, by the structures of the kernel's interface.

use std::io;

use submission::{BufferObject, Request};

use crate::kernel::{self, Kernel};
use crate::memory::Argument;

/// An error number of the system, or success.
type Answer = Result<(), i32>;

/// Bits of a graphics address.
const ADDRESS_MASK: u64 = (1 << 48) - 1;

/// Answers a request on the device: 0, or -1 with the error number.
pub(crate) fn answer(request: u64, argument: Argument) -> Answer {
    let done = kernel::with(|kernel| dispatch(kernel, request, argument));
    done.map_err(|error| error_number(&error))?
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
            argument.set(0, kernel.create_fence());
            Ok(())
        }
        // Destroy, wait, reset, signal of fences, which are always signaled.
        0xc0 | 0xc3..=0xc5 | 0xca => Ok(()),
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
        // Objects in memory of the process.
        0x73 => Err(libc::ENODEV),
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
        0x75 => Ok(()),
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
    const PRIME: u64 = 5;
    if argument.get::<u64>(0) != PRIME {
        return Err(libc::EINVAL);
    }
    argument.set(8, 3_u64);
    Ok(())
}

fn parameter(kernel: &mut Kernel, argument: Argument) -> Answer {
    let number: u32 = argument.get(0);
    let value = match number {
        // Revision of the device.
        32 => kernel.device.revision,
        // Version of the interface for mappings.
        40 => 4,
        // Contexts do not see each other.
        50 => 1,
        51 => kernel.device.frequency,
        // Masks of slices and units, performance counters, objects in the process's memory.
        34 | 46 | 47 | 54 | 56 => return Err(libc::EINVAL),
        _ => {
            kernel.log(format!("unknown parameter {number}"));
            return Err(libc::EINVAL);
        }
    };
    argument.follow(8).set(0, value);
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
    argument.set(8, object.offset);
    Ok(())
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

fn create_context(kernel: &mut Kernel, size: u64, argument: Argument) -> Answer {
    let extended = size >= 16 && argument.get::<u32>(4) & 1 != 0;
    if extended {
        // The probe for protected content.
        return Err(libc::EINVAL);
    }
    argument.set(0, kernel.create_context());
    Ok(())
}

fn context_parameter(kernel: &mut Kernel, argument: Argument) -> Answer {
    const ADDRESS_SPACE_SIZE: u64 = 3;
    const ADDRESS_SPACE: u64 = 9;
    let value = match argument.get::<u64>(8) {
        ADDRESS_SPACE_SIZE => kernel.device.address_space,
        ADDRESS_SPACE => 1,
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
            offset: object.offset,
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
    let done = kernel.submit(context, batch, length, objects);
    done.map(drop).map_err(|error| error_number(&error))
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
