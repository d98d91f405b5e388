//! Bits of blocks, and texels.

/// Components of a texel.
pub(super) type Texel = [f32; 4];

/// Bits `start` to `start + count - 1` of a block.
pub(super) fn bits(block: u128, start: usize, count: usize) -> u32 {
    (block >> start) as u32 & low_mask(count)
}

/// A mask of `count` bits, fewer than 32.
pub(super) fn low_mask(count: usize) -> u32 {
    (1 << count) - 1
}
