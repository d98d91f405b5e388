//! Parts that data-port messages share: blocks, channel masks and texel coordinates.

use intel_isa::desc::{BlockSize, SlotGroup};

use super::payload::{Message, Response, WHOLE};
use crate::error::Reason;

pub(super) fn bytes_of(registers: &[[u32; 8]]) -> Vec<u8> {
    registers.iter().flatten().flat_map(|dword| dword.to_le_bytes()).collect()
}

pub(super) fn registers_of(bytes: &[u8]) -> Vec<[u32; 8]> {
    let dword = |bytes: &[u8], index: usize| {
        let at = |byte: usize| u32::from(bytes.get(index * 4 + byte).copied().unwrap_or(0));
        at(0) | at(1) << 8 | at(2) << 16 | at(3) << 24
    };
    let register = |chunk: &[u8]| match chunk.as_chunks::<4>().0.first_chunk::<8>() {
        Some(dwords) => dwords.map(u32::from_le_bytes),
        None => std::array::from_fn(|index| dword(chunk, index)),
    };
    bytes.chunks(32).map(register).collect()
}

/// The registers a block comes back in: one oword fills half of one.
pub(super) fn block_response(data: &[u8], size: BlockSize) -> Response {
    let registers = registers_of(data);
    let low = registers.first().copied().unwrap_or_default();
    match size {
        BlockSize::OneLow => vec![(low, 0x00ff)],
        BlockSize::OneHigh => vec![([0, 0, 0, 0, low[0], low[1], low[2], low[3]], 0xff00)],
        _ => registers.into_iter().map(|register| (register, WHOLE)).collect(),
    }
}

/// The bytes of a block to be written, after the header.
pub(super) fn block_data(message: &Message, size: BlockSize) -> Result<Vec<u8>, Reason> {
    let owords = usize::from(size.owords());
    message.register(owords.div_ceil(2))?;
    let start = if size == BlockSize::OneHigh { 16 } else { 0 };
    let data = bytes_of(&message.payload[1..]);
    Ok(data.get(start..start + owords * 16).unwrap_or_default().to_vec())
}

/// The channels of a surface message: its instruction's, and of a header's sample mask.
pub(super) fn surface_mask(message: &Message, group: u32) -> Result<u32, Reason> {
    Ok(match message.header()? {
        Some(header) => message.enabled & (header[7] & 0xffff) >> group,
        None => message.enabled,
    })
}

/// Components that an inverted mask leaves.
pub(super) fn components(absent: u8) -> impl Iterator<Item = usize> {
    (0..4).filter(move |component| absent >> component & 1 == 0)
}

/// The pixels of a typed message: where each is, whether it takes part, and the first data
/// register.
pub(super) struct Pixels {
    /// Coordinates per pixel: eight, or two in SIMD4x2.
    coordinates: Vec<[u32; 4]>,
    pub mask: u32,
    pub first: usize,
}

impl Pixels {
    /// Of a message whose last `data` registers are not coordinates.
    pub(super) fn of(message: &Message, slots: SlotGroup, data: usize) -> Result<Pixels, Reason> {
        let first = usize::from(message.header);
        if slots == SlotGroup::Simd4x2 {
            let register = message.register(first)?;
            let coordinates = register.chunks_exact(4).map(|c| [c[0], c[1], c[2], c[3]]).collect();
            return Ok(Pixels {
                coordinates,
                mask: vertices(surface_mask(message, 0)?),
                first: first + 1,
            });
        }
        let group = if slots == SlotGroup::High { 8 } else { 0 };
        let count = message.payload.len().saturating_sub(first + data).min(4);
        if count == 0 {
            return Err(Reason::Message("a typed surface message without coordinates".into()));
        }
        let mut coordinates = vec![[0; 4]; 8];
        for index in 0..count {
            for (coordinate, value) in coordinates.iter_mut().zip(message.register(first + index)?)
            {
                coordinate[index] = value;
            }
        }
        Ok(Pixels { coordinates, mask: surface_mask(message, group)? & 0xff, first: first + count })
    }

    /// Index and coordinates of the pixels that take part.
    pub(super) fn enabled(&self) -> impl Iterator<Item = (usize, [u32; 4])> {
        let taking_part = |(index, _): &(usize, [u32; 4])| self.mask >> index & 1 != 0;
        self.coordinates.iter().copied().enumerate().filter(taking_part)
    }
}

/// SIMD4x2: the vertices of which some channel is enabled.
pub(super) fn vertices(channels: u32) -> u32 {
    u32::from(channels & 0xf != 0) | u32::from(channels & 0xf0 != 0) << 1
}
