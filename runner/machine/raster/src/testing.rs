//! Random numbers of tests.

/// Linear congruential generator.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Returns 31 random bits.
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 >> 33
    }

    /// Returns an integer from 0 to `n` - 1.
    pub(crate) fn below(&mut self, n: u64) -> i64 {
        (self.bits() % n) as i64
    }

    /// Returns a number from -`scale` to `scale`.
    pub(crate) fn signed(&mut self, scale: f64) -> f64 {
        (self.bits() as f64 / f64::from(1u32 << 31) * 2.0 - 1.0) * scale
    }
}
