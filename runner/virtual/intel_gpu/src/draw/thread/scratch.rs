//! Scratch space of a thread, and memory that the threads of a group share.

use eu_simulator::host::{AtomicOp, HostError, Reply, Surface};

use super::bindings::changed;
use crate::facts::GroupScratch;

/// Unit of scratch space.
const KILOBYTE: usize = 1024;
/// Largest power of two of kilobytes.
const LARGEST: u64 = 11;
/// Maximum number of bytes of shared memory.
const LARGEST_SHARED: usize = 1 << 16;

/// Bytes of scratch space of a thread, from the field of its stage: a power of two of kilobytes.
pub(crate) fn bytes_of_stage(field: u64) -> usize {
    KILOBYTE << field.min(LARGEST)
}

/// The same of a thread of a work group.
pub(crate) fn bytes_of_group(field: u64, meaning: GroupScratch) -> usize {
    match meaning {
        GroupScratch::Kilobytes => KILOBYTE * (1 + usize::try_from(field).unwrap_or(0)),
        GroupScratch::PowerOf(unit) => bytes_of_stage(field + u64::from(unit.ilog2())),
    }
}

/// Scratch space, private to a thread, and shared memory: zero at the start, grown on demand.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// Bytes of scratch space that the thread has.
    pub(crate) limit: usize,
    pub(crate) bytes: Vec<u8>,
    pub(crate) shared: Vec<u8>,
}

impl Scratch {
    /// Creates scratch space of `limit` bytes.
    pub(crate) fn new(limit: usize) -> Scratch {
        Scratch { limit, ..Scratch::default() }
    }

    /// Returns the bytes of an access.
    fn place(&mut self, surface: Surface, offset: u32, length: usize) -> Reply<&mut [u8]> {
        let (bytes, largest) = match surface {
            Surface::Scratch => (&mut self.bytes, self.limit),
            Surface::Slm => (&mut self.shared, LARGEST_SHARED),
            _ => return Err(HostError(format!("not modeled: accesses of {surface:?}"))),
        };
        let start = offset as usize;
        let end = start + length;
        if end > largest {
            return Err(HostError(format!("{surface:?} of {largest} bytes has no byte {start}")));
        }
        if bytes.len() < end {
            bytes.resize(end, 0);
        }
        Ok(&mut bytes[start..end])
    }

    /// Reads bytes.
    pub(crate) fn read(&mut self, surface: Surface, offset: u32, data: &mut [u8]) -> Reply<()> {
        data.copy_from_slice(self.place(surface, offset, data.len())?);
        Ok(())
    }

    /// Writes bytes.
    pub(crate) fn write(&mut self, surface: Surface, offset: u32, data: &[u8]) -> Reply<()> {
        self.place(surface, offset, data.len())?.copy_from_slice(data);
        Ok(())
    }

    /// Changes a double word.
    pub(crate) fn atomic(
        &mut self,
        surface: Surface,
        offset: u32,
        op: AtomicOp,
        operands: [u32; 2],
    ) -> Reply<u32> {
        let place = self.place(surface, offset, 4)?;
        let old = u32::from_le_bytes([place[0], place[1], place[2], place[3]]);
        let (new, result) = changed(op, old, operands);
        place.copy_from_slice(&new.to_le_bytes());
        Ok(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_were_not_written_are_zero() {
        let mut scratch = Scratch::new(1024);
        scratch.write(Surface::Scratch, 4, &[1, 2]).expect("room");
        let mut data = [9; 4];
        scratch.read(Surface::Scratch, 3, &mut data).expect("room");
        assert_eq!(data, [0, 1, 2, 0]);
        assert!(scratch.read(Surface::Bti(0), 0, &mut data).is_err());
    }

    /// A thread reaches no byte after its own space, which belongs to the next thread.
    #[test]
    fn scratch_space_has_the_size_of_the_state() {
        let mut scratch = Scratch::new(bytes_of_stage(1));
        scratch.write(Surface::Scratch, 2047, &[1]).expect("room");
        for (offset, data) in [(2047, &[1; 2][..]), (2048, &[1]), (u32::MAX, &[1])] {
            assert!(scratch.write(Surface::Scratch, offset, data).is_err(), "{offset}");
        }
        let sizes = [0, 1, 11].map(bytes_of_stage);
        assert_eq!(sizes, [1 << 10, 1 << 11, 1 << 21]);
        let of_group = |meaning| [0, 1, 3].map(|field| bytes_of_group(field, meaning) / KILOBYTE);
        assert_eq!(of_group(GroupScratch::Kilobytes), [1, 2, 4]);
        assert_eq!(of_group(GroupScratch::PowerOf(1)), [1, 2, 8]);
        assert_eq!(of_group(GroupScratch::PowerOf(2)), [2, 4, 16]);
    }

    #[test]
    fn shared_memory_has_atomics() {
        let mut scratch = Scratch::default();
        let mut add = |value| scratch.atomic(Surface::Slm, 8, AtomicOp::Add, [value, 0]);
        assert_eq!((add(3), add(4), add(0)), (Ok(0), Ok(3), Ok(7)));
        assert!(scratch.bytes.is_empty());
    }
}
