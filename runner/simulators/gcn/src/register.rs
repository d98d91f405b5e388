//! Shape of registers.

/// Number of lanes of a wave.
pub const LANES: usize = 64;
