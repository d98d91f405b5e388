//! Sets of registers of a wave.

/// Words of a set: 256 vector registers, then 128 scalar registers, a bit each.
pub(super) const WORDS: usize = 6;

/// A set of vector and scalar registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegisterSet(pub(super) [u64; WORDS]);

impl RegisterSet {
    /// Adds a vector register.
    #[inline]
    pub fn add_vector(&mut self, number: u8) {
        self.0[usize::from(number) / 64] |= 1 << (number % 64);
    }

    /// Adds a scalar register.
    #[inline]
    pub fn add_scalar(&mut self, code: u8) {
        let code = code & 127;
        self.0[4 + usize::from(code) / 64] |= 1 << (code % 64);
    }

    /// True if both sets have a register.
    #[inline]
    pub fn intersects(&self, other: &RegisterSet) -> bool {
        self.0.iter().zip(&other.0).any(|(own, other)| own & other != 0)
    }
}
