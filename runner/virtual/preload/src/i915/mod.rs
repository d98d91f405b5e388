//! Requests of Intel's drivers, by the structures of the kernel's interface.

mod parameters;

use submission::{BufferObject, Place, Request, Submission};

use crate::device::I915;
use crate::errors::{Answer, error_number};
use crate::kernel::Kernel;
use crate::memory::Argument;
use crate::request::adopt;

/// Bits of a graphics address.
const ADDRESS_MASK: u64 = (1 << 48) - 1;

/// Flags of objects in memory of the process: read only, unsynchronized.
const ADOPTED: u32 = 1 | 1 << 31;

/// Answers a request; `None` if the number is unknown.
pub(crate) fn dispatch(
    kernel: &mut Kernel,
    facts: &I915,
    number: u64,
    size: u64,
    argument: Argument,
) -> Option<Answer> {
    Some(match number {
        0x46 => parameter(kernel, facts, argument),
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
        0x73 => adopt(kernel, argument, ADOPTED),
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
        0x69 => execute(kernel, facts, argument),
        0x71 => read_register(kernel, argument),
        0x72 => {
            for offset in [8, 12, 16] {
                argument.set(offset, 0_u32);
            }
            Ok(())
        }
        0x79 => query(kernel, facts, argument),
        // Performance counters.
        0x76 => Err(libc::ENODEV),
        0x77 => Err(libc::EINVAL),
        _ => return None,
    })
}

fn parameter(kernel: &mut Kernel, facts: &I915, argument: Argument) -> Answer {
    let number: u32 = argument.get(0);
    let value = parameters::value(kernel.device, facts, number);
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

fn query(kernel: &mut Kernel, facts: &I915, argument: Argument) -> Answer {
    const TOPOLOGY: u64 = 1;
    let items = argument.follow(8);
    for i in 0..u64::from(argument.get::<u32>(0)) {
        let item = items.element(i, 24);
        let length = match item.get::<u64>(0) {
            TOPOLOGY => topology(facts, item),
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
fn topology(facts: &I915, item: Argument) -> i32 {
    let Some([slices, subslices, units]) = facts.topology else { return -libc::ENODEV };
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
fn execute(kernel: &mut Kernel, facts: &I915, argument: Argument) -> Answer {
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
        relocate(kernel, facts, list.element(i, 56), &objects, flags)?;
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
    let done = kernel.submit(Submission { context, engine: 0, batch, length, objects });
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
fn relocate(
    kernel: &mut Kernel,
    facts: &I915,
    entry: Argument,
    objects: &[BufferObject],
    flags: u64,
) -> Answer {
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
        let bytes = (target + delta).to_le_bytes();
        let bytes = &bytes[..facts.address_bytes];
        let written = kernel.write(&object, relocation.get(8), bytes);
        written.map_err(|error| error_number(&error))?;
        relocation.set(16, target);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
