//! Bytes that the channels of an operand cover.

use crate::operand::{Operand, Region};

/// Maximum number of channels of an instruction.
const CHANNELS: usize = 32;

/// The bytes an operand covers, channel by channel, from the start of its first register.
pub(super) struct Span {
    /// First byte of each channel's element, the channels that there are.
    starts: [u32; CHANNELS],
    channels: usize,
    /// Registers from the first to the last byte.
    pub registers: u32,
}

/// The spans of an instruction's operands; none where bytes cannot be told.
pub(super) struct Spans {
    pub dst: Option<Span>,
    pub src: [Option<Span>; 3],
}

impl Span {
    /// `channels` elements of `size` bytes, the one of channel n at `start(n)`.
    fn new(channels: u32, size: u32, start: impl Fn(u32) -> u32) -> Span {
        let channels = (channels as usize).min(CHANNELS);
        let mut starts = [0; CHANNELS];
        let mut registers = 0;
        for (channel, place) in starts.iter_mut().enumerate().take(channels) {
            *place = start(channel as u32);
            registers = registers.max((*place + size - 1) / 32 + 1);
        }
        Span { starts, channels, registers }
    }

    /// The bytes of a source with an Align1 region, of elements of `size` bytes.
    pub(super) fn source(src: &Operand, channels: u32, size: u32) -> Option<Span> {
        if src.is_imm() || src.is_indirect() || src.region.vstride == Region::VXH {
            return None;
        }
        let Region { vstride, width, hstride } = src.region;
        let width = u32::from(width.max(1));
        Some(Span::new(channels, size, |channel| {
            let (row, column) = (channel / width, channel % width);
            u32::from(src.subnr) + (row * u32::from(vstride) + column * u32::from(hstride)) * size
        }))
    }

    /// The bytes of a destination, of elements of `size` bytes.
    pub(super) fn destination(dst: &Operand, channels: u32, size: u32) -> Option<Span> {
        if dst.is_indirect() {
            return None;
        }
        let stride = u32::from(dst.region.hstride) * size;
        Some(Span::new(channels, size, |channel| u32::from(dst.subnr) + channel * stride))
    }

    pub(super) fn starts(&self) -> &[u32] {
        &self.starts[..self.channels]
    }

    /// Returns whether channel `index` is in the second register.
    pub(super) fn in_second(&self, index: usize) -> bool {
        self.starts().get(index).is_some_and(|start| start / 32 >= 1)
    }
}
