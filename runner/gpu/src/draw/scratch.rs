//! Scratch space of a thread.

use simulator::host::{HostError, Reply, Surface};

/// Most bytes of scratch space.
const LARGEST: usize = 1 << 21;

/// Scratch space: private to a thread, zero at its start, grown on demand.
#[derive(Debug, Default)]
pub(super) struct Scratch(Vec<u8>);

impl Scratch {
    /// Reads bytes of a surface, which must be the scratch space.
    pub(super) fn read(&self, surface: Surface, offset: u32, data: &mut [u8]) -> Reply<()> {
        let start = place(surface, offset, data.len())?;
        for (i, byte) in data.iter_mut().enumerate() {
            *byte = self.0.get(start + i).copied().unwrap_or(0);
        }
        Ok(())
    }

    /// Writes bytes of a surface, which must be the scratch space.
    pub(super) fn write(&mut self, surface: Surface, offset: u32, data: &[u8]) -> Reply<()> {
        let start = place(surface, offset, data.len())?;
        let end = start + data.len();
        if self.0.len() < end {
            self.0.resize(end, 0);
        }
        self.0[start..end].copy_from_slice(data);
        Ok(())
    }
}

/// First byte of an access.
fn place(surface: Surface, offset: u32, length: usize) -> Reply<usize> {
    if surface != Surface::Scratch {
        return Err(HostError(format!("not modeled: accesses of {surface:?}")));
    }
    let start = offset as usize;
    if start + length > LARGEST {
        return Err(HostError(format!("scratch space has no byte {}", start + length)));
    }
    Ok(start)
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
}
