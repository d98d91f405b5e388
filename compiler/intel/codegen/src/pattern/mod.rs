//! Byte-granular access patterns: which bytes of a register an instruction certainly defines or may
//! read.
//!
//! The patterns are 32-bit masks, one bit per byte of a GRF. A bit in a write pattern means that
//! the byte is defined for every enabled channel; a clear bit in a read pattern means that the byte
//! is certainly not read. Both err on the safe side.

use crate::lir::{Inst, MessageKind, Op, Operand, REG_SIZE, Region};

/// A mask with `bits` ones at every multiple of `step` for `count` elements, shifted up by
/// `offset`; what leaves the 32 bits is cut off. A `step` of 0 is one element. Built by doubling:
/// the number of steps is logarithmic in `count`.
#[must_use]
pub fn periodic_mask(count: u32, step: u32, bits: u32, offset: u32) -> u32 {
    if count == 0 || offset >= 32 {
        return 0;
    }
    if step == bits || count == 1 {
        // Without gaps.
        return low_ones((count - 1).saturating_mul(step).saturating_add(bits)) << offset;
    }
    let mut mask = low_ones(bits);
    let end = count.saturating_mul(step).min(32);
    let mut shift = step;
    while shift > 0 && shift < end {
        mask |= mask << shift;
        shift *= 2;
    }
    // Doubling may have passed the last element when the count is not a power of two.
    if step > 0 {
        mask &= low_ones((count - 1).saturating_mul(step).saturating_add(bits));
    }
    mask << offset
}

/// The low `bits` bits set, at most all.
fn low_ones(bits: u32) -> u32 {
    if bits >= 32 { u32::MAX } else { (1 << bits) - 1 }
}

/// Registers that the destination of `inst` touches.
#[must_use]
pub fn regs_written(inst: &Inst) -> u32 {
    regs_of(&inst.dst, inst.bytes_written())
}

/// Registers that source `index` of `inst` touches.
#[must_use]
pub fn regs_read(inst: &Inst, index: usize) -> u32 {
    regs_of(&inst.src[index], inst.bytes_read(index))
}

/// Registers that `bytes` bytes from an operand's offset touch.
fn regs_of(operand: &Operand, bytes: u32) -> u32 {
    if bytes == 0 { 0 } else { (operand.offset % REG_SIZE + bytes).div_ceil(REG_SIZE) }
}

/// Registers of an Align1 operand of `bytes` packed bytes that covers whole registers, as most do.
fn whole_registers(operand: &Operand, bytes: u32) -> Option<u32> {
    let whole =
        operand.region == Region::Stride(1) && (operand.offset | bytes).is_multiple_of(REG_SIZE);
    whole.then_some(bytes / REG_SIZE)
}

/// Calls `f` for each register that source `index` of `inst` touches, counted from the one that
/// holds the source's first byte, with its [`src_read_pattern`].
pub fn for_each_read(inst: &Inst, index: usize, mut f: impl FnMut(u32, u32)) {
    let plain = !inst.align16 && inst.message.is_none() && !matches!(inst.op, Op::Pln | Op::Line);
    let (src, bytes) = (&inst.src[index], inst.bytes_read(index));
    if let Some(regs) = whole_registers(src, bytes).filter(|_| plain) {
        return (0..regs).for_each(|reg| f(reg, u32::MAX));
    }
    for reg in 0..regs_of(src, bytes) {
        f(reg, read_mask(inst, index, reg));
    }
}

/// Calls `f` for each register that the destination of `inst` touches, counted from the one that
/// holds its first byte, with its [`dst_write_pattern`].
pub fn for_each_write(inst: &Inst, mut f: impl FnMut(u32, u32)) {
    let plain = !inst.align16 && !inst.op.is_send() && inst.op != Op::Undef;
    let bytes = inst.bytes_written();
    if let Some(regs) = whole_registers(&inst.dst, bytes).filter(|_| plain) {
        let mask = if inst.is_predicated_write() { 0 } else { u32::MAX };
        return (0..regs).for_each(|reg| f(reg, mask));
    }
    for reg in 0..regs_of(&inst.dst, bytes) {
        f(reg, write_mask(inst, reg));
    }
}

/// Bytes of register `reg` (counted from the register that holds the destination's first byte) that
/// `inst` defines for all enabled channels.
#[must_use]
pub fn dst_write_pattern(inst: &Inst, reg: u32) -> u32 {
    if reg >= regs_written(inst) { 0 } else { write_mask(inst, reg) }
}

/// As [`dst_write_pattern`], whether or not a predicate keeps channels from writing.
#[must_use]
pub fn dst_reach(inst: &Inst, reg: u32) -> u32 {
    if reg >= regs_written(inst) { 0 } else { reach_mask(inst, reg) }
}

/// The write pattern of a register that the destination touches.
fn write_mask(inst: &Inst, reg: u32) -> u32 {
    if inst.is_predicated_write() { 0 } else { reach_mask(inst, reg) }
}

fn reach_mask(inst: &Inst, reg: u32) -> u32 {
    if inst.op.is_send() || inst.op == Op::Undef {
        return u32::MAX;
    }
    if inst.align16 {
        return align16_mask(&inst.dst, inst.exec_size, inst.dst.writemask, reg);
    }
    let Some(stride) = inst.dst.stride() else { return 0 };
    element_mask(&inst.dst, u32::from(inst.exec_size), u32::from(stride.max(1)), reg).unwrap_or(0)
}

/// Bytes of register `reg` (counted from the register that holds the source's first byte) that
/// `inst` may read through source `index`.
#[must_use]
pub fn src_read_pattern(inst: &Inst, index: usize, reg: u32) -> u32 {
    if reg >= regs_read(inst, index) { 0 } else { read_mask(inst, index, reg) }
}

/// The read pattern of a register that the source touches.
fn read_mask(inst: &Inst, index: usize, reg: u32) -> u32 {
    let src = &inst.src[index];
    if let Some(message) = &inst.message {
        // One element is in each dword of the data, which follows n/8 registers of addresses.
        let n = u32::from(inst.exec_size / 8).max(1);
        if let MessageKind::ByteScatteredWrite { element } = message.kind {
            let first = n + u32::from(message.header);
            if (first..first + n).contains(&reg) {
                return periodic_mask(8, 4, u32::from(element), 0);
            }
        }
        return u32::MAX;
    }
    if matches!(inst.op, Op::Pln | Op::Line) {
        return if index == 0 { periodic_mask(1, 0, 16, src.offset % REG_SIZE) } else { u32::MAX };
    }
    if inst.align16 {
        return align16_read_mask(inst, src, reg);
    }
    match src.region {
        Region::Stride(stride) => {
            element_mask(src, u32::from(inst.exec_size), u32::from(stride), reg).unwrap_or(u32::MAX)
        }
        Region::Exact { .. } => enumerate(src, u32::from(inst.exec_size), reg),
    }
}

/// Mask of evenly spaced elements in register `reg`; `None` where the period does not repeat per
/// register.
fn element_mask(operand: &Operand, count: u32, stride: u32, reg: u32) -> Option<u32> {
    let size = operand.ty.size();
    let step = size * stride;
    let offset = operand.offset % REG_SIZE;
    if reg == 0 {
        return Some(periodic_mask(count, step, size, offset));
    }
    if stride == 0 || offset >= step || step > REG_SIZE || !REG_SIZE.is_multiple_of(step) {
        return None;
    }
    // The first register holds this many elements; whole registers of them were passed before
    // `reg`.
    let passed = REG_SIZE / step * reg;
    Some(periodic_mask(count.saturating_sub(passed), step, size, offset))
}

/// Mask of an arbitrary region, byte by byte.
fn enumerate(operand: &Operand, count: u32, reg: u32) -> u32 {
    let mut mask = 0;
    for channel in 0..count {
        let first = operand.offset % REG_SIZE + operand.element(channel) * operand.ty.size();
        for byte in first..first + operand.ty.size() {
            if byte / REG_SIZE == reg {
                mask |= 1 << (byte % REG_SIZE);
            }
        }
    }
    mask
}

/// Mask of Align16 rows (four components each) limited to `components`.
fn align16_mask(operand: &Operand, exec_size: u8, components: u8, reg: u32) -> u32 {
    let size = operand.ty.size();
    let row_mask = (0..4).filter(|component| components >> component & 1 != 0);
    let row_mask = row_mask.fold(0, |mask, component| mask | low_ones(size) << (component * size));
    let mut mask = 0;
    for row in 0..u32::from(exec_size).div_ceil(4) {
        let (first, start) = (operand.offset % REG_SIZE + row * 4 * size, reg * REG_SIZE);
        let shifted = match first.checked_sub(start) {
            Some(up) => u32::checked_shl(row_mask, up),
            None => u32::checked_shr(row_mask, start - first),
        };
        mask |= shifted.unwrap_or(0);
    }
    mask
}

/// Bytes that an Align16 source may read: the components its swizzle selects for the written
/// components.
fn align16_read_mask(inst: &Inst, src: &Operand, reg: u32) -> u32 {
    let needed = inst.components_read();
    let mut components = 0;
    for i in 0..4 {
        if needed >> i & 1 != 0 {
            components |= 1 << src.swizzle.get(i);
        }
    }
    let exec_size = if src.is_scalar() { 4 } else { inst.exec_size };
    align16_mask(src, exec_size, components, reg)
}

#[cfg(test)]
mod tests;
