//! Bit operations (HARDWARE facts "Bit operations"): pure functions on dwords.

/// BFREV: reverses the bits.
pub fn bfrev(x: u32) -> u32 {
    x.reverse_bits()
}

/// CBIT: counts the set bits.
pub fn cbit(x: u32) -> u32 {
    x.count_ones()
}

/// LZD: number of leading zeros, 32 for 0.
pub fn lzd(x: u32) -> u32 {
    x.leading_zeros()
}

/// FBL: index of the lowest set bit, −1 for 0.
pub fn fbl(x: u32) -> u32 {
    if x == 0 { u32::MAX } else { x.trailing_zeros() }
}

/// FBH on UD: index of the highest set bit counted from the top, −1 for 0.
pub fn fbh_unsigned(x: u32) -> u32 {
    if x == 0 { u32::MAX } else { x.leading_zeros() }
}

/// FBH on D: index, counted from the top, of the first bit unlike the sign; −1 for 0 and −1.
pub fn fbh_signed(x: i32) -> u32 {
    fbh_unsigned((x ^ (x >> 31)) as u32)
}

/// BFI1: a mask of `bits` ones at `offset`. Both use their low five bits.
pub fn bfi1(bits: u32, offset: u32) -> u32 {
    ((1u32 << (bits & 31)) - 1) << (offset & 31)
}

/// BFI2: `insert` shifted to the mask's lowest bit replaces the masked bits of `base`; mask 0 gives
/// `base`.
pub fn bfi2(mask: u32, insert: u32, base: u32) -> u32 {
    if mask == 0 {
        return base;
    }
    (insert << mask.trailing_zeros()) & mask | base & !mask
}

/// BFE on UD: `bits` bits of `value` from `offset`, zero-extended.
pub fn bfe_unsigned(bits: u32, offset: u32, value: u32) -> u32 {
    let bits = bits & 31;
    if bits == 0 {
        return 0;
    }
    (value >> (offset & 31)) & ((1 << bits) - 1)
}

/// BFE on D: `bits` bits of `value` from `offset`, sign-extended from the field's own top bit. A
/// field that passes bit 31 has copies of the sign there.
pub fn bfe_signed(bits: u32, offset: u32, value: i32) -> i32 {
    let bits = bits & 31;
    if bits == 0 {
        return 0;
    }
    let shifted = value >> (offset & 31);
    (shifted << (32 - bits)) >> (32 - bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_and_insertion() {
        assert_eq!(bfi1(4, 8), 0xf00);
        assert_eq!(bfi1(32, 8), 0);
        assert_eq!(bfi1(31, 0), 0x7fff_ffff);
        assert_eq!(bfi2(0xf00, 0x3, 0xffff_ffff), 0xffff_f3ff);
        assert_eq!(bfi2(0, 0x3, 0x1234), 0x1234);
    }

    #[test]
    fn extraction() {
        assert_eq!(bfe_unsigned(8, 8, 0x1234_5678), 0x56);
        assert_eq!(bfe_unsigned(32, 0, 0x1234_5678), 0);
        assert_eq!(bfe_unsigned(16, 24, 0xff00_0000), 0xff);
        assert_eq!(bfe_signed(4, 4, 0xf0), -1);
        assert_eq!(bfe_signed(4, 4, 0x70), 7);
        assert_eq!(bfe_signed(0, 4, -1), 0);
    }

    #[test]
    fn searches() {
        assert_eq!((fbl(0), fbl(0x10)), (u32::MAX, 4));
        assert_eq!(
            (fbh_unsigned(0), fbh_unsigned(1), fbh_unsigned(0x8000_0000)),
            (u32::MAX, 31, 0)
        );
        assert_eq!(
            (fbh_signed(-1), fbh_signed(0), fbh_signed(-2), fbh_signed(1)),
            (u32::MAX, u32::MAX, 31, 31)
        );
        assert_eq!((lzd(0), lzd(1), cbit(0xf0f), bfrev(1)), (32, 31, 8, 0x8000_0000));
    }
}
