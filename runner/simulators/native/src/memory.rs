//! Memory that holds instructions of the host.

use std::ffi::c_void;
use std::ptr::{copy_nonoverlapping, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};

use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};

/// Bytes of all instructions of a process, at most: what is beyond is not translated.
const MOST: usize = 32 << 20;
/// Bytes of a mapping are a multiple of these.
const UNIT: usize = 4096;

/// Bytes of all instructions.
static BYTES: AtomicUsize = AtomicUsize::new(0);

/// Memory of its own that holds instructions: it is executable and never written.
#[derive(Debug)]
pub(crate) struct Memory {
    start: *mut c_void,
    length: usize,
}

// SAFETY: Nothing writes to the memory, and the owner alone frees it.
unsafe impl Send for Memory {}
// SAFETY: As above.
unsafe impl Sync for Memory {}

impl Memory {
    /// Memory with these instructions; `None` if the system or the process has no more.
    pub(crate) fn of(instructions: &[u8]) -> Option<Memory> {
        let length = instructions.len().next_multiple_of(UNIT);
        if BYTES.fetch_add(length, Ordering::Relaxed) + length > MOST {
            BYTES.fetch_sub(length, Ordering::Relaxed);
            return None;
        }
        let writable = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: A new mapping at a place that the system chooses.
        let mapped = unsafe { mmap_anonymous(null_mut(), length, writable, MapFlags::PRIVATE) };
        let Ok(start) = mapped else {
            BYTES.fetch_sub(length, Ordering::Relaxed);
            return None;
        };
        // Frees it if something fails.
        let memory = Memory { start, length };
        // SAFETY: The mapping is as long as the instructions at least, and new.
        unsafe { copy_nonoverlapping(instructions.as_ptr(), start.cast(), instructions.len()) };
        // SAFETY: The mapping is new.
        unsafe { mprotect(start, length, MprotectFlags::READ | MprotectFlags::EXEC) }.ok()?;
        synchronize(&memory);
        Some(memory)
    }

    /// The first instruction.
    pub(crate) fn start(&self) -> *const u8 {
        self.start.cast()
    }
}

/// Makes new instructions visible to the host.
#[cfg(not(target_arch = "aarch64"))]
fn synchronize(_memory: &Memory) {}

/// Makes new instructions visible to the host: its caches for data and instructions differ.
#[cfg(target_arch = "aarch64")]
fn synchronize(memory: &Memory) {
    /// No line of a cache is shorter.
    const LINE: usize = 16;
    let start = memory.start as usize;
    for line in (start..start + memory.length).step_by(LINE) {
        // SAFETY: The line is mapped.
        unsafe { std::arch::asm!("dc cvau, {line}", line = in(reg) line) };
    }
    // SAFETY: Barriers have no condition.
    unsafe { std::arch::asm!("dsb ish") };
    for line in (start..start + memory.length).step_by(LINE) {
        // SAFETY: The line is mapped.
        unsafe { std::arch::asm!("ic ivau, {line}", line = in(reg) line) };
    }
    // SAFETY: Barriers have no condition.
    unsafe { std::arch::asm!("dsb ish", "isb") };
}

impl Drop for Memory {
    fn drop(&mut self) {
        BYTES.fetch_sub(self.length, Ordering::Relaxed);
        // SAFETY: The mapping is this owner's, which lends no reference to it.
        let freed = unsafe { munmap(self.start, self.length) };
        debug_assert!(freed.is_ok());
    }
}
