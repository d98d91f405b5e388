//! Push constants: the uniform data that the payload has in registers.

use crate::output::PushRange;
use ir::{InstKind, IntrinsicOp, Shader};
use std::collections::BTreeMap;

/// Bytes of one push unit, a register.
pub const UNIT: u32 = 32;
/// Number of ranges that the hardware pushes.
const MAX_RANGES: usize = 4;

/// Chooses the push ranges of a shader: for each block with loads at constant offsets the units
/// from the first to the last one used, lower block numbers first, at most `max_registers` in all.
/// Other data is pulled.
#[must_use]
pub fn choose_push_ranges(shader: &Shader, max_registers: u32) -> Vec<PushRange> {
    let mut used: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
    for block in shader.block_order() {
        for &inst in &shader.blocks[block].insts {
            let data = &shader.insts[inst];
            let InstKind::Intrinsic(intrinsic) = &data.kind else { continue };
            if intrinsic.op != IntrinsicOp::LoadUbo {
                continue;
            }
            let (Some(block), Some(offset), Some(result)) = (
                intrinsic.srcs.first().and_then(|&b| shader.as_const_u64(b)),
                intrinsic.srcs.get(1).and_then(|&o| shader.as_const_u64(o)),
                data.result,
            ) else {
                continue;
            };
            let first = (offset as u32).wrapping_add(intrinsic.fields.base);
            let bytes =
                u32::from(shader.components(result)) * u32::from(shader.bits(result)).div_ceil(8);
            let last = first.saturating_add(bytes.saturating_sub(1)) / UNIT;
            let entry = used.entry(block as u32).or_insert((first / UNIT, last));
            entry.0 = entry.0.min(first / UNIT);
            entry.1 = entry.1.max(last);
        }
    }
    let mut ranges = Vec::new();
    let mut left = max_registers;
    for (block, (start, last)) in used {
        if left == 0 || ranges.len() == MAX_RANGES {
            break;
        }
        let length = (last - start + 1).min(left);
        left -= length;
        ranges.push(PushRange { block, start, length });
    }
    ranges
}

/// Byte offset inside the pushed registers of `bytes` bytes at `offset` of `block`, if they are
/// pushed.
#[must_use]
pub fn push_offset(ranges: &[PushRange], block: u32, offset: u32, bytes: u32) -> Option<u32> {
    let mut base = 0;
    for range in ranges {
        let start = range.start * UNIT;
        let end = start + range.length * UNIT;
        if range.block == block && offset >= start && offset.checked_add(bytes)? <= end {
            return Some(base + offset - start);
        }
        base += range.length * UNIT;
    }
    None
}
