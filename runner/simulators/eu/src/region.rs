//! Operand regions, computed once: which bytes of the register file each channel of an instruction
//! reads or writes.
//!
//! Two facts shape this module. On ivb a 64-bit instruction is a pair-of-32-bit-channels
//! instruction: channel `c` of it owns elements `2c` and `2c + 1` of every region. And before gen8
//! the second half of a compressed instruction does not continue a source region but restarts it
//! one register further on.

use intel_isa::{Operand, Region, Type};

use crate::exec_shape::ExecShape;
use crate::quirks;
use crate::regs::REG_SIZE;

/// A byte offset outside the register file: reads return garbage, writes are lost.
pub(crate) const OUTSIDE: u16 = u16::MAX;

/// Byte offsets per channel.
#[derive(Clone, Debug)]
pub enum Lanes {
    /// A step from channel to channel; the second half begins anew.
    Steps {
        /// Of the first channel.
        first: u16,
        /// Of the first channel of the second half.
        second: u16,
        /// Channels of the first half.
        half: u8,
        /// From channel to channel.
        step: u8,
    },
    /// The elements, or for 64-bit elements their low dwords; then, where high dwords do not simply
    /// follow the low ones, as many high dwords.
    Listed {
        /// Offsets.
        offsets: Box<[u16]>,
        /// True if high dwords are among them.
        high: bool,
    },
}

impl Lanes {
    /// Lanes of `count` channels, `half` of them in the first half.
    fn collect((count, half): (u8, u8), wide: bool, offset: impl Fn(u32) -> (u32, u32)) -> Lanes {
        let mut offsets = [OUTSIDE; 64];
        let mut split = false;
        let count = usize::from(count);
        for channel in 0..count {
            let (first, second) = offset(channel as u32);
            offsets[channel] = u16::try_from(first).unwrap_or(OUTSIDE);
            offsets[count + channel] = u16::try_from(second).unwrap_or(OUTSIDE);
            split |= wide && second != first + 4;
        }
        let listed = &offsets[..if split { 2 * count } else { count }];
        let steps = (!split).then(|| Lanes::steps(listed, half)).flatten();
        steps.unwrap_or_else(|| Lanes::Listed { offsets: listed.into(), high: split })
    }

    /// The step between these offsets, if that is all there is to say of them.
    fn steps(offsets: &[u16], half: u8) -> Option<Lanes> {
        let first = *offsets.first()?;
        let second = offsets.get(usize::from(half)).copied().unwrap_or(first);
        let next = if half > 1 { offsets.get(1).copied().unwrap_or(first) } else { first };
        let step = u8::try_from(next.checked_sub(first)?).ok()?;
        let lanes = Lanes::Steps { first, second, half, step };
        let same =
            |(channel, &offset): (usize, &u16)| offset != OUTSIDE && offset == lanes.low(channel);
        offsets.iter().enumerate().all(same).then_some(lanes)
    }

    /// Offset of channel `channel`: of the element, or for 64-bit elements of its low dword.
    #[inline]
    pub fn low(&self, channel: usize) -> u16 {
        match self {
            &Lanes::Steps { first, second, half, step } => {
                let (start, index) = match channel.checked_sub(half.into()) {
                    Some(index) => (second, index),
                    None => (first, channel),
                };
                start.saturating_add((index & 31) as u16 * u16::from(step))
            }
            Lanes::Listed { offsets, .. } => offsets.get(channel).copied().unwrap_or(OUTSIDE),
        }
    }

    /// Offset of the high dword of channel `channel`.
    #[inline]
    pub fn high(&self, channel: usize) -> usize {
        match self {
            Lanes::Listed { offsets, high: true } => {
                usize::from(offsets.get(offsets.len() / 2 + channel).copied().unwrap_or(OUTSIDE))
            }
            _ => usize::from(self.low(channel)) + 4,
        }
    }

    /// Returns whether high dwords follow their low ones.
    pub fn is_whole(&self) -> bool {
        !matches!(self, Lanes::Listed { high: true, .. })
    }
}

/// Offset in bytes of element `index` of a region with elements of `unit` bytes.
fn element(region: Region, index: u32, unit: u32) -> u32 {
    let width = u32::from(region.width).max(1);
    // Rows with an address of their own start where that address says.
    let row =
        if region.vstride == Region::VXH { 0 } else { index / width * u32::from(region.vstride) };
    (row + index % width * u32::from(region.hstride)) * unit
}

/// Offsets of an Align1 source, relative to `base`.
fn align1(shape: &ExecShape, ty: Type, region: Region, base: u32) -> Lanes {
    let size = ty.size();
    let at = |channel: u32| {
        if !shape.pairs {
            let offset = element(region, channel, size);
            (offset, offset + 4)
        } else if size == 8 {
            (element(region, 2 * channel, 4), element(region, 2 * channel + 1, 4))
        } else {
            (element(region, 2 * channel, size), 0)
        }
    };
    Lanes::collect((shape.channels, shape.half), size == 8, |channel| {
        let (low, high) = at(channel);
        if channel < u32::from(shape.half) || !restarts(shape, ty, region) {
            return (base + low, base + high);
        }
        let (low, high) = at(channel - u32::from(shape.half));
        (base + REG_SIZE as u32 + low, base + REG_SIZE as u32 + high)
    })
}

/// `gen7-two-grf-source`: whether the second half's source is the first half's plus one register.
fn restarts(shape: &ExecShape, ty: Type, region: Region) -> bool {
    let scalar = region.is_scalar() && !(shape.quirks.ivb_df_regions && ty.size() == 8);
    let packed = region.hstride == 1 && region.vstride == region.width;
    let widened = ty.size() == 2 && packed && shape.dst_size == 4 && shape.dst_stride == 1;
    shape.quirks.gen7_two_grf_source
        && shape.halves == 2
        && !scalar
        && !widened
        && region.vstride != Region::VXH
}

/// Offsets of an Align16 source: rows of four components, or of two 64-bit ones whose dwords the
/// swizzle selects (`align16-df-swizzle`).
fn align16(shape: &ExecShape, operand: &Operand, base: u32) -> Lanes {
    let size = operand.ty.size();
    let advances = operand.region.vstride != 0;
    let select = |component: u32| u32::from(operand.swizzle.get(component as u8));
    let at = |channel: u32| {
        let (row, pitch) = if size == 8 { (channel / 2, 16) } else { (channel / 4, 4 * size) };
        let start = if advances { row * pitch } else { 0 };
        if size == 8 {
            let component = channel % 2 * 2;
            (start + select(component) * 4, start + select(component + 1) * 4)
        } else {
            let mut component = select(channel % 4);
            if size == 2 && shape.quirks.bdw_align16_hf && operand.ty == Type::HF {
                component = u32::from(quirks::bdw_align16_hf(component as u8)) | channel & 1;
            }
            (start + component * size, 0)
        }
    };
    Lanes::collect((shape.channels, shape.half), size == 8, |channel| {
        let half = u32::from(shape.half);
        if shape.halves == 2 && channel >= half && shape.quirks.gen7_align16_vstride0 {
            let (low, high) = at(channel - half);
            return (base + REG_SIZE as u32 + low, base + REG_SIZE as u32 + high);
        }
        let (low, high) = at(channel);
        (base + low, base + high)
    })
}

/// Byte offsets that source `operand` reads, starting at `base`.
pub(crate) fn source(shape: &ExecShape, operand: &Operand, base: u32) -> Lanes {
    if shape.three_source && operand.rep_ctrl {
        return Lanes::collect((shape.channels, shape.half), operand.ty.size() == 8, |_| {
            (base, base + 4)
        });
    }
    if shape.align16 {
        align16(shape, operand, base)
    } else {
        align1(shape, operand.ty, operand.region, base)
    }
}

/// Byte offsets that the destination writes, starting at `base`, and the bytes it spans.
pub(crate) fn destination(shape: &ExecShape, operand: &Operand, base: u32) -> Lanes {
    let size = operand.ty.size();
    let stride = if shape.align16 { 1 } else { u32::from(operand.region.hstride) };
    Lanes::collect((shape.channels, shape.half), size == 8, |channel| {
        if shape.align16 || !shape.pairs {
            let offset = channel * stride * size;
            (base + offset, base + offset + 4)
        } else if size == 8 {
            (base + 2 * channel * stride * 4, base + (2 * channel + 1) * stride * 4)
        } else {
            (base + 2 * channel * stride * size, base + (2 * channel + 1) * stride * size)
        }
    })
}

/// The address register (word of a0, relative to the operand's own) that serves each channel's low
/// and high dword.
pub(crate) fn address_rows(shape: &ExecShape, region: Region, size: u32) -> [[u8; 32]; 2] {
    let width = u32::from(region.width).max(1);
    let row = |index: u32| if region.vstride == Region::VXH { (index / width) as u8 } else { 0 };
    let paired = shape.pairs && size == 8;
    let index = |channel: usize| if shape.pairs { 2 * channel as u32 } else { channel as u32 };
    [
        std::array::from_fn(|channel| row(index(channel))),
        std::array::from_fn(|channel| row(index(channel) + u32::from(paired))),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether described by a step or listed, lanes are where they were said to be.
    #[test]
    fn lanes_are_where_they_were_said_to_be() {
        type Offset = fn(u32) -> (u32, u32);
        let offsets: [(&str, Offset, bool); 8] = [
            ("packed", |channel| (64 + 4 * channel, 68 + 4 * channel), true),
            ("scalar", |_| (12, 16), true),
            ("doubles", |channel| (8 * channel, 8 * channel + 4), true),
            ("halves apart", |channel| (channel % 8 * 4 + channel / 8 * 32, 0), true),
            ("swizzled", |channel| (16 - 4 * (channel % 4), 0), false),
            ("split doubles", |channel| (8 * channel, 8 * (channel ^ 1) + 4), false),
            ("far apart", |channel| (300 * channel, 300 * channel + 4), false),
            ("outside", |channel| (65_520 + 8 * channel, 65_524 + 8 * channel), false),
        ];
        for (name, offset, steps) in offsets {
            for (count, half) in [(1, 1), (4, 4), (8, 8), (8, 4), (16, 8), (32, 16)] {
                let wide = name.contains("doubles");
                let lanes = Lanes::collect((count, half), wide, offset);
                let is_one_step = matches!(lanes, Lanes::Steps { .. });
                // A single element, or a difference between halves only, is a step in any case.
                assert!(
                    is_one_step == steps || half <= 4 || name == "halves apart",
                    "{name} {count} {half}"
                );
                for channel in 0..u32::from(count) {
                    let (low, high) = offset(channel);
                    let place = |offset: u32| u16::try_from(offset).unwrap_or(OUTSIDE);
                    assert_eq!(
                        lanes.low(channel as usize),
                        place(low),
                        "{name} {count} {half} {channel}"
                    );
                    if wide {
                        assert_eq!(
                            lanes.high(channel as usize),
                            usize::from(place(high)),
                            "{name} {channel}"
                        );
                    }
                }
            }
        }
    }
}
