//! Graphics memory as a batch sees it.

use std::ops::Range;

/// An access outside every object of the address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no buffer object at address {address:#x}")]
pub struct Fault {
    /// First byte that no object holds.
    pub address: u64,
}

/// Graphics memory of one context: buffer objects at virtual addresses of 48 bits.
///
/// All methods take a shared reference: kernels, texture fetches and render target writes of one
/// draw access the same memory.
pub trait Memory {
    /// Reads `bytes.len()` bytes.
    ///
    /// # Errors
    /// Fails at the first byte outside every object.
    fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), Fault>;

    /// Writes all of `bytes`.
    ///
    /// # Errors
    /// Fails at the first byte outside every object.
    fn write(&self, address: u64, bytes: &[u8]) -> Result<(), Fault>;

    /// Returns the addresses of the object that holds `address`.
    fn object(&self, address: u64) -> Option<Range<u64>>;

    /// Reads a double word.
    ///
    /// # Errors
    /// Fails outside every object.
    fn read_u32(&self, address: u64) -> Result<u32, Fault> {
        let mut bytes = [0; 4];
        self.read(address, &mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    /// Reads a quad word.
    ///
    /// # Errors
    /// Fails outside every object.
    fn read_u64(&self, address: u64) -> Result<u64, Fault> {
        let mut bytes = [0; 8];
        self.read(address, &mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// Reads `count` double words.
    ///
    /// # Errors
    /// Fails at the first byte outside every object.
    fn read_words(&self, address: u64, count: usize) -> Result<Vec<u32>, Fault> {
        let mut bytes = vec![0; 4 * count];
        self.read(address, &mut bytes)?;
        let word = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        Ok(bytes.chunks_exact(4).map(word).collect())
    }
}
