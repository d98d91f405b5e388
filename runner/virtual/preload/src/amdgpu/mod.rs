//! Requests of AMD's drivers, by the structures of the kernel's interface.
//!
//! The driver arranges the address space of the process, so that a submission has all of it.

mod info;

use submission::{BufferObject, Place, Request, Submission};

use crate::chips::Chip;
use crate::errors::{Answer, error_number};
use crate::kernel::Kernel;
use crate::mappings::Mapping;
use crate::memory::Argument;
use crate::request::{adopt, fence_file};

/// Flags of objects in memory of the process: read only, private, checked, watched.
const ADOPTED: u32 = 0xf;

/// Words of the description of an object: flags, tiling, number of bytes, 64 double words.
const DESCRIPTION: u64 = 34;

/// Parts of a submission, by their numbers.
mod part {
    pub(super) const BUFFER: u32 = 1;
    pub(super) const FENCE: u32 = 2;
    pub(super) const DEPENDENCIES: u32 = 3;
    pub(super) const WAITS: u32 = 4;
    pub(super) const SIGNALS: u32 = 5;
    pub(super) const OBJECTS: u32 = 6;
    pub(super) const SCHEDULED_DEPENDENCIES: u32 = 7;
}

/// Answers a request; `None` if the number is unknown.
pub(crate) fn dispatch(
    kernel: &mut Kernel,
    chip: &Chip,
    number: u64,
    argument: Argument,
) -> Option<Answer> {
    Some(match number {
        0x40 => create(kernel, argument),
        0x41 => map_offset(kernel, argument),
        0x42 => context(kernel, argument),
        // Lists of objects: a submission has the whole address space.
        0x43 => {
            argument.set(0, 1_u64);
            Ok(())
        }
        0x44 => submit(kernel, argument),
        0x45 => info::answer(kernel, chip, argument),
        0x46 => description(kernel, argument),
        // Waits for an object, or for a submission: both are done.
        0x47 | 0x49 => {
            argument.set(0, 0_u64);
            Ok(())
        }
        0x48 => change_addresses(kernel, argument),
        0x50 => placement(kernel, argument),
        0x51 => adopt(kernel, argument, ADOPTED),
        // Waits for fences: the first one is signaled.
        0x52 => {
            argument.set(0, 1_u64);
            Ok(())
        }
        // Address spaces of debuggers, priorities.
        0x53 | 0x55 => Ok(()),
        0x54 => export(kernel, argument),
        _ => return None,
    })
}

/// An object: size, alignment, domains. Returns the handle.
fn create(kernel: &mut Kernel, argument: Argument) -> Answer {
    /// Memory of the system and video memory.
    const DOMAINS: u64 = 2 | 4;
    if argument.get::<u64>(16) & DOMAINS == 0 {
        return Err(libc::EINVAL);
    }
    let (handle, _) = kernel.create(argument.get(0)).ok_or(libc::ENOMEM)?;
    argument.set(0, u64::from(handle));
    Ok(())
}

/// Offset at which the device's descriptor maps an object: that in the memory file.
fn map_offset(kernel: &mut Kernel, argument: Argument) -> Answer {
    let object = kernel.object(argument.get(0)).ok_or(libc::ENOENT)?;
    let Place::Heap(offset) = object.place else { return Err(libc::EPERM) };
    argument.set(0, offset);
    Ok(())
}

fn context(kernel: &mut Kernel, argument: Argument) -> Answer {
    match argument.get::<u32>(0) {
        // Create.
        1 => {
            argument.set(0, u64::from(kernel.create_context()));
            Ok(())
        }
        // Destroy.
        2 => {
            let context = Request::DestroyContext(argument.get(8));
            kernel.call(&context).map(drop).map_err(|error| error_number(&error))
        }
        // State, in two forms: no reset.
        3 | 4 => {
            argument.set(0, 0_u64);
            argument.set(8, 0_u64);
            Ok(())
        }
        _ => Err(libc::EINVAL),
    }
}

/// Sets the place of an object, or returns how it was made: bytes, alignment, domains, flags.
fn placement(kernel: &mut Kernel, argument: Argument) -> Answer {
    const GET: u32 = 0;
    const SET: u32 = 1;
    /// Video memory.
    const DOMAIN: u64 = 4;
    let object = kernel.object(argument.get(0)).ok_or(libc::ENOENT)?;
    match argument.get::<u32>(4) {
        SET => Ok(()),
        GET => {
            let made = argument.follow(8);
            for (i, value) in (0..).zip([object.size, crate::heap::PAGE, DOMAIN, 0]) {
                made.set(8 * i, value);
            }
            Ok(())
        }
        _ => Err(libc::EINVAL),
    }
}

/// Keeps a driver's description of an object for those who import it, or returns it.
fn description(kernel: &mut Kernel, argument: Argument) -> Answer {
    const SET: u32 = 1;
    const GET: u32 = 2;
    let offset = kernel.object(argument.get(0)).ok_or(libc::ENOENT)?.offset;
    match argument.get::<u32>(4) {
        SET => {
            let words = (0..DESCRIPTION).map(|i| argument.get(8 + 8 * i)).collect();
            kernel.descriptions.insert(offset, words);
            Ok(())
        }
        GET => {
            let words = kernel.descriptions.get(&offset);
            let words = words.map_or_else(|| vec![0; DESCRIPTION as usize], Clone::clone);
            for (i, word) in (0..).zip(words) {
                argument.set(8 + 8 * i, word);
            }
            Ok(())
        }
        _ => Err(libc::EINVAL),
    }
}

/// Maps an object at an address, or removes it from there: handle, operation, flags, address,
/// offset in the object, bytes.
fn change_addresses(kernel: &mut Kernel, argument: Argument) -> Answer {
    const MAP: u32 = 1;
    const UNMAP: u32 = 2;
    const CLEAR: u32 = 3;
    const REPLACE: u32 = 4;
    /// Pages without memory: nothing is there, and an access is an error that names its address.
    const WITHOUT_MEMORY: u32 = 1 << 4;
    let (handle, flags) = (argument.get::<u32>(0), argument.get::<u32>(12));
    let [address, offset, size] = [16, 24, 32].map(|at| argument.get::<u64>(at));
    let operation = argument.get::<u32>(8);
    let has_memory = flags & WITHOUT_MEMORY == 0;
    match operation {
        MAP if !has_memory => Ok(()),
        REPLACE if !has_memory => {
            kernel.mappings.clear(address, size);
            Ok(())
        }
        MAP | REPLACE => {
            let object = kernel.object(handle).ok_or(libc::ENOENT)?;
            let is_inside = offset.checked_add(size).is_some_and(|end| end <= object.size);
            let is_aligned = (address | offset | size) % crate::heap::PAGE == 0;
            if !is_inside || !is_aligned || size == 0 {
                return Err(libc::EINVAL);
            }
            if operation == REPLACE {
                kernel.mappings.clear(address, size);
            }
            let is_new = kernel.mappings.map(address, Mapping { handle, offset, size });
            is_new.then_some(()).ok_or(libc::EINVAL)
        }
        UNMAP => kernel.mappings.unmap(address).then_some(()).ok_or(libc::ENOENT),
        CLEAR => {
            kernel.mappings.clear(address, size);
            Ok(())
        }
        _ => Err(libc::EINVAL),
    }
}

/// Parts of a submission.
#[derive(Default)]
struct Parts {
    /// Engine, address and bytes of each buffer of commands.
    buffers: Vec<(u32, u64, u64)>,
    /// Handle and offset of the number that the end of the submission writes.
    fence: Option<(u32, u64)>,
    /// Synchronization objects.
    waits: Vec<u32>,
    signals: Vec<u32>,
}

impl Parts {
    /// Reads the list of parts: number of double words and address of each.
    fn read(kernel: &mut Kernel, argument: Argument) -> Result<Parts, i32> {
        let mut parts = Parts::default();
        let list = argument.follow(16);
        for i in 0..u64::from(argument.get::<u32>(8)) {
            let entry = list.element(i, 8).follow(0);
            let data = entry.follow(8);
            let handles = || {
                let count = u64::from(entry.get::<u32>(4));
                (0..count).map(|i| data.element(i, 4).get(0)).collect::<Vec<u32>>()
            };
            match entry.get::<u32>(0) {
                part::BUFFER => {
                    let bytes = u64::from(data.get::<u32>(16));
                    parts.buffers.push((data.get(20), data.get(8), bytes));
                }
                part::FENCE => {
                    parts.fence = Some((data.get(0), u64::from(data.get::<u32>(4))));
                }
                part::WAITS => parts.waits.extend(handles()),
                part::SIGNALS => parts.signals.extend(handles()),
                // Earlier submissions are done.
                part::DEPENDENCIES | part::SCHEDULED_DEPENDENCIES | part::OBJECTS => {}
                number => {
                    kernel.log(format!("unknown part {number} of a submission"));
                    return Err(libc::EINVAL);
                }
            }
        }
        Ok(parts)
    }
}

/// A submission: context, list of objects, number of parts, flags, parts. Returns its number.
fn submit(kernel: &mut Kernel, argument: Argument) -> Answer {
    let context = argument.get(0);
    let parts = Parts::read(kernel, argument)?;
    for handle in &parts.waits {
        if !kernel.fences.is_signaled(*handle)? {
            return Err(libc::EINVAL);
        }
    }
    let objects = address_space(kernel);
    for (engine, batch, length) in parts.buffers.into_iter().filter(|buffer| buffer.2 > 0) {
        let submission = Submission { context, engine, batch, length, objects: objects.clone() };
        match kernel.submit(submission).map_err(|error| error_number(&error)) {
            Ok(_) => {}
            // The buffer could not be executed, which the GPU reports. A driver whose request fails
            // ends its process; hardware that hangs does not make it fail.
            Err(libc::EIO) => break,
            Err(error) => return Err(error),
        }
    }
    let number = kernel.next_submission();
    // A submission that fails ends, too.
    for handle in parts.signals {
        kernel.fences.set(handle, true)?;
    }
    if let Some((handle, offset)) = parts.fence {
        let object = *kernel.object(handle).ok_or(libc::ENOENT)?;
        let written = kernel.write(&object, offset, &number.to_le_bytes());
        written.map_err(|error| error_number(&error))?;
    }
    argument.set(0, number);
    Ok(())
}

/// All objects at their addresses.
fn address_space(kernel: &mut Kernel) -> Vec<BufferObject> {
    let mappings: Vec<(u64, Mapping)> = kernel.mappings.iter().collect();
    let object = |(address, Mapping { handle, offset, size }): (u64, Mapping)| {
        let place = match kernel.object(handle)?.place {
            Place::Heap(first) => Place::Heap(first + offset),
            Place::Process(first) => Place::Process(first + offset),
        };
        Some(BufferObject { address, size, place, handle: u64::from(handle), flags: 0 })
    };
    mappings.into_iter().filter_map(object).collect()
}

/// Makes a synchronization object or a file of a submission's fence.
fn export(kernel: &mut Kernel, argument: Argument) -> Answer {
    const OBJECT: u32 = 0;
    const OBJECT_FILE: u32 = 1;
    const FENCE_FILE: u32 = 2;
    let value = match argument.get::<u32>(24) {
        OBJECT => kernel.fences.create(true),
        OBJECT_FILE | FENCE_FILE => fence_file()?,
        _ => return Err(libc::EINVAL),
    };
    argument.set(0, value);
    Ok(())
}

#[cfg(test)]
mod tests;
