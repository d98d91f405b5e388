//! Bit operations, as the manuals define them.

/// Mask of `width` bits from `offset` on; both count modulo 32.
pub(crate) fn bfm(width: u32, offset: u32) -> u32 {
    ((1_u32 << (width & 31)) - 1) << (offset & 31)
}

/// Mask of `width` bits from `offset` on; both count modulo 64.
pub(crate) fn bfm64(width: u64, offset: u64) -> u64 {
    ((1_u64 << (width & 63)) - 1) << (offset & 63)
}

/// Bits of `a` where the mask is set, of `b` elsewhere. Nothing is shifted.
pub(crate) fn bfi(mask: u32, a: u32, b: u32) -> u32 {
    mask & a | !mask & b
}

/// Unsigned bit field of the vector ALU: offset and width modulo 32; width 0 gives 0.
pub(crate) fn bfe_u32(value: u32, offset: u32, width: u32) -> u32 {
    let (offset, width) = (offset & 31, width & 31);
    if width == 0 {
        0
    } else if offset + width < 32 {
        value << (32 - offset - width) >> (32 - width)
    } else {
        value >> offset
    }
}

/// Signed bit field of the vector ALU.
pub(crate) fn bfe_i32(value: u32, offset: u32, width: u32) -> u32 {
    let (offset, width) = (offset & 31, width & 31);
    if width == 0 {
        0
    } else if offset + width < 32 {
        ((value << (32 - offset - width)) as i32 >> (32 - width)) as u32
    } else {
        (value as i32 >> offset) as u32
    }
}

/// Bit field of the scalar ALU with up to 64 bits: offset in the low bits of the selector, width in
/// bits 22:16. The width may be that of the whole value.
pub(crate) fn scalar_bfe(value: u64, selector: u32, bits: u32, signed: bool) -> u64 {
    let offset = selector & (bits - 1);
    let width = selector >> 16 & 0x7f;
    if width == 0 {
        return 0;
    }
    let mask = if bits == 64 { u64::MAX } else { 0xffff_ffff };
    let wide = if bits == 64 { value } else { value & mask };
    let sign = |value: u64, top: u32| ((value << (64 - top)) as i64 >> (64 - top)) as u64;
    let result = if offset + width < bits {
        let field = wide >> offset & ((1_u64 << width) - 1);
        if signed { sign(field, width) } else { field }
    } else if signed {
        (sign(wide, bits) as i64 >> offset) as u64
    } else {
        wide >> offset
    };
    result & mask
}

/// Number of leading zeros; -1 for 0.
pub(crate) fn ffbh_u32(value: u32) -> u32 {
    if value == 0 { u32::MAX } else { value.leading_zeros() }
}

/// Position, from the top, of the first bit that differs from the sign; -1 if none does.
pub(crate) fn ffbh_i32(value: u32) -> u32 {
    ffbh_u32(if value as i32 >= 0 { value } else { !value })
}

/// Number of trailing zeros; -1 for 0.
pub(crate) fn ffbl(value: u32) -> u32 {
    if value == 0 { u32::MAX } else { value.trailing_zeros() }
}

/// [`ffbh_u32`] of 64 bits.
pub(crate) fn ffbh_u64(value: u64) -> u32 {
    if value == 0 { u32::MAX } else { value.leading_zeros() }
}

/// [`ffbh_i32`] of 64 bits.
pub(crate) fn ffbh_i64(value: u64) -> u32 {
    ffbh_u64(if value as i64 >= 0 { value } else { !value })
}

/// [`ffbl`] of 64 bits.
pub(crate) fn ffbl64(value: u64) -> u32 {
    if value == 0 { u32::MAX } else { value.trailing_zeros() }
}

/// Each group of four bits becomes 1111 if one of them is set.
pub(crate) fn wqm(value: u64) -> u64 {
    let any = (value | value >> 1 | value >> 2 | value >> 3) & 0x1111_1111_1111_1111;
    any * 15
}

/// One bit for each group of four bits with a bit set.
pub(crate) fn quad_mask(value: u64) -> u64 {
    (0..16).filter(|quad| value >> (4 * quad) & 15 != 0).fold(0, |mask, quad| mask | 1 << quad)
}

/// Low dword of the 64 bits `a:b`, shifted right by `amount` modulo 32.
pub(crate) fn align_bit(a: u32, b: u32, amount: u32) -> u32 {
    ((u64::from(a) << 32 | u64::from(b)) >> (amount & 31)) as u32
}

/// Low dword of the 64 bits `a:b`, shifted right by `amount` modulo 4 bytes.
pub(crate) fn align_byte(a: u32, b: u32, amount: u32) -> u32 {
    ((u64::from(a) << 32 | u64::from(b)) >> (8 * (amount & 3))) as u32
}

/// Bytes of `a:b` by the selectors in `c`: 0 to 3 of `b`, 4 to 7 of `a`, 8 to 11 the sign of a
/// word, 12 zero, others 0xff.
pub(crate) fn perm(a: u32, b: u32, c: u32) -> u32 {
    let all = u64::from(a) << 32 | u64::from(b);
    let byte = |selector: u32| match selector {
        0..=7 => (all >> (8 * selector)) as u32 & 0xff,
        8..=11 => 0xff * ((all >> (16 * (selector - 8) + 15)) as u32 & 1),
        12 => 0,
        _ => 0xff,
    };
    (0..4).fold(0, |result, index| result | byte(c >> (8 * index) & 0xff) << (8 * index))
}

/// The low 24 bits, sign-extended.
pub(crate) fn sext24(value: u32) -> i32 {
    (value << 8) as i32 >> 8
}

/// Sum of the absolute differences of the bytes, and `c`. With `masked`, zero bytes of `b` do not
/// count.
pub(crate) fn sad_u8(a: u32, b: u32, c: u32, masked: bool) -> u32 {
    a.to_le_bytes()
        .iter()
        .zip(b.to_le_bytes())
        .filter(|(_, b)| !masked || *b != 0)
        .fold(c, |sum, (a, b)| sum.wrapping_add(u32::from(a.abs_diff(b))))
}

/// Sum of the absolute differences of the words, and `c`.
pub(crate) fn sad_u16(a: u32, b: u32, c: u32) -> u32 {
    let half = |value: u32, index: u32| value >> (16 * index) & 0xffff;
    (0..2).fold(c, |sum, index| sum.wrapping_add(half(a, index).abs_diff(half(b, index))))
}

/// Averages of the bytes; bit 0 of each byte of `c` rounds up.
pub(crate) fn lerp_u8(a: u32, b: u32, c: u32) -> u32 {
    (0..4).fold(0, |result, index| {
        let byte = |value: u32| value >> (8 * index) & 0xff;
        result | (byte(a) + byte(b) + (byte(c) & 1)) >> 1 << (8 * index)
    })
}
