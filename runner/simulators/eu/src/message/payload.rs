//! Payload and response of a message.

use smallvec::SmallVec;

use crate::error::Reason;
use crate::quirks::Quirks;

/// Registers of a message. Most have no more than these.
pub(crate) type Payload = SmallVec<[[u32; 8]; 10]>;

/// A gathered message.
pub(crate) struct Message<'a> {
    /// The device's quirks.
    pub quirks: &'a Quirks,
    /// Registers of the message, both parts of a split one.
    pub payload: Payload,
    /// Registers of the response.
    pub response: usize,
    /// The first payload register (or more) is a header.
    pub header: bool,
    /// Channels enabled by execution mask and predicate, from the instruction's first channel.
    pub enabled: u32,
    /// Channels enabled by the execution mask alone.
    pub unpredicated: u32,
    /// Channels of the instruction.
    pub channels: u8,
    /// Ends the thread.
    pub eot: bool,
}

/// A response to be written to the destination: registers, and per register the words that are, a
/// bit each.
pub(crate) type Response = Vec<([u32; 8], u16)>;

/// All words of a register.
pub(crate) const WHOLE: u16 = 0xffff;

/// Returns the words of a register's dwords, a bit each.
pub(crate) fn words_of(dwords: u32) -> u16 {
    (0..8).filter(|dword| dwords >> dword & 1 != 0).fold(0, |words, dword| words | 3 << (2 * dword))
}

impl Message<'_> {
    /// Payload register `index`; an error if the message is shorter.
    pub(super) fn register(&self, index: usize) -> Result<[u32; 8], Reason> {
        self.payload.get(index).copied().ok_or_else(|| {
            Reason::Message(format!(
                "register {index} is needed but the message has {}",
                self.payload.len()
            ))
        })
    }

    /// One parameter of 8 or 16 channels from register `index` on.
    pub(super) fn plane(&self, index: usize, count: usize) -> Result<[u32; 16], Reason> {
        let mut plane = [0; 16];
        for (half, lanes) in plane.chunks_exact_mut(8).enumerate().take(count.div_ceil(8)) {
            lanes.copy_from_slice(&self.register(index + half)?);
        }
        Ok(plane)
    }

    /// The header, if there is one.
    pub(super) fn header(&self) -> Result<Option<[u32; 8]>, Reason> {
        if self.header { self.register(0).map(Some) } else { Ok(None) }
    }
}

/// Splits a plane of 16 channels into response registers, writing only `mask`ed channels.
pub(crate) fn respond_plane(response: &mut Response, plane: &[u32; 16], count: usize, mask: u32) {
    for half in 0..count.div_ceil(8) {
        let mut register = [0; 8];
        register.copy_from_slice(&plane[half * 8..half * 8 + 8]);
        response.push((register, words_of(mask >> (half * 8))));
    }
}

/// Appends a plane of 8 or 16 channels as one register of words, writing only `mask`ed channels.
pub(crate) fn respond_words(response: &mut Response, plane: &[u32; 16], count: usize, mask: u32) {
    let word = |channel: usize| plane[channel] & 0xffff;
    let register = std::array::from_fn(|dword| word(2 * dword) | word(2 * dword + 1) << 16);
    response.push((register, (mask & ((1 << count) - 1)) as u16));
}
