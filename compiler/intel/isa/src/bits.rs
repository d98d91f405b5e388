//! Runs of bits of words.

/// The value of one run of bits.
pub(crate) fn bits(word: u128, (hi, lo): (u8, u8)) -> u64 {
    (word >> lo) as u64 & mask(hi - lo + 1)
}

/// The low `width` bits set.
pub(crate) const fn mask(width: u8) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

/// A signed field's value from its bits.
pub(crate) fn sign_extend(value: u64, width: u32) -> i64 {
    let shift = 64u32.saturating_sub(width).min(63);
    (value << shift) as i64 >> shift
}
