//! Division of an instruction into channels and halves.

use crate::quirks::Quirks;

/// Channels and halves of an instruction.
#[derive(Clone, Copy, Debug)]
pub struct ExecShape {
    /// The device's quirks.
    pub quirks: Quirks,
    /// Channels executed.
    pub channels: u8,
    /// 2 for compressed instructions.
    pub halves: u8,
    /// Channels of the first half (all of them if there is one).
    pub half: u8,
    /// Align16 access mode.
    pub align16: bool,
    /// Three-source instruction.
    pub three_source: bool,
    /// Channels are pairs of 32-bit elements (ivb, 64-bit types, Align1).
    pub pairs: bool,
    /// Bytes of a destination element.
    pub dst_size: u32,
    /// Destination stride in elements.
    pub dst_stride: u32,
}
