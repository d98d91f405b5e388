//! Scratch space of a thread, and memory that the threads of a group share.

use simulator::host::{AtomicOp, HostError, Reply, Surface};

use super::bindings::changed;

/// Most bytes of scratch space.
const LARGEST: usize = 1 << 21;
/// Most bytes of shared memory.
const LARGEST_SHARED: usize = 1 << 16;

/// Scratch space, private to a thread, and shared memory: zero at the start, grown on demand.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    pub(super) bytes: Vec<u8>,
    pub(super) shared: Vec<u8>,
}

impl Scratch {
    /// Returns the bytes of an access.
    fn place(&mut self, surface: Surface, offset: u32, length: usize) -> Reply<&mut [u8]> {
        let (bytes, largest) = match surface {
            Surface::Scratch => (&mut self.bytes, LARGEST),
            Surface::Slm => (&mut self.shared, LARGEST_SHARED),
            _ => return Err(HostError(format!("not modeled: accesses of {surface:?}"))),
        };
        let start = offset as usize;
        let end = start + length;
        if end > largest {
            return Err(HostError(format!("{surface:?} has no byte {end}")));
        }
        if bytes.len() < end {
            bytes.resize(end, 0);
        }
        Ok(&mut bytes[start..end])
    }

    /// Reads bytes.
    pub(super) fn read(&mut self, surface: Surface, offset: u32, data: &mut [u8]) -> Reply<()> {
        data.copy_from_slice(self.place(surface, offset, data.len())?);
        Ok(())
    }

    /// Writes bytes.
    pub(super) fn write(&mut self, surface: Surface, offset: u32, data: &[u8]) -> Reply<()> {
        self.place(surface, offset, data.len())?.copy_from_slice(data);
        Ok(())
    }

    /// Changes a double word.
    pub(super) fn atomic(
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
        let mut scratch = Scratch::default();
        scratch.write(Surface::Scratch, 4, &[1, 2]).expect("room");
        let mut data = [9; 4];
        scratch.read(Surface::Scratch, 3, &mut data).expect("room");
        assert_eq!(data, [0, 1, 2, 0]);
        assert!(scratch.write(Surface::Scratch, u32::MAX, &[1]).is_err());
        assert!(scratch.read(Surface::Bti(0), 0, &mut data).is_err());
    }

    #[test]
    fn shared_memory_has_atomics() {
        let mut scratch = Scratch::default();
        let mut add = |value| scratch.atomic(Surface::Slm, 8, AtomicOp::Add, [value, 0]);
        assert_eq!((add(3), add(4), add(0)), (Ok(0), Ok(3), Ok(7)));
        assert!(scratch.bytes.is_empty());
    }
}
