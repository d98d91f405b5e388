//! Depths as buffers store them.

use raster::blend::Comparison;

/// Storage of depths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DepthFormat {
    /// Floats of 32 bits.
    Float32,
    /// Normalized integers of 24 bits in the lower ones of 32.
    Unorm24,
    /// Normalized integers of 16 bits.
    Unorm16,
}

impl DepthFormat {
    /// Size in bytes.
    #[must_use]
    pub fn bytes(self) -> u64 {
        if self == DepthFormat::Unorm16 { 2 } else { 4 }
    }

    /// Tests a depth against stored bits, and returns the bits to store if it passes: those beside
    /// the depth stay.
    #[must_use]
    pub fn test(self, function: Comparison, depth: f32, old: u32) -> (bool, u32) {
        let new = self.stored(depth);
        match self {
            DepthFormat::Float32 => (function.passes(depth, f32::from_bits(old)), new),
            DepthFormat::Unorm24 => (function.passes(new, old & 0xff_ffff), new | old & !0xff_ffff),
            DepthFormat::Unorm16 => (function.passes(new, old), new),
        }
    }

    /// A stored depth as a number.
    #[must_use]
    pub fn number(self, stored: u32) -> f32 {
        #[allow(clippy::cast_possible_truncation, reason = "rounded to the nearest")]
        let unorm = |bits: u32| {
            let largest = (1_u32 << bits) - 1;
            (f64::from(stored & largest) / f64::from(largest)) as f32
        };
        match self {
            DepthFormat::Float32 => f32::from_bits(stored),
            DepthFormat::Unorm24 => unorm(24),
            DepthFormat::Unorm16 => unorm(16),
        }
    }

    /// A depth as it is stored.
    #[must_use]
    pub fn stored(self, depth: f32) -> u32 {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
        let unorm = |bits: u32| {
            let largest = f64::from((1_u32 << bits) - 1);
            (f64::from(depth).clamp(0.0, 1.0) * largest + 0.5).floor() as u32
        };
        match self {
            DepthFormat::Float32 => depth.to_bits(),
            DepthFormat::Unorm24 => unorm(24),
            DepthFormat::Unorm16 => unorm(16),
        }
    }
}
