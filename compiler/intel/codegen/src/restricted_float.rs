//! Restricted floats: 8-bit floats, four of which an immediate of type VF packs.

/// The four restricted 8-bit floats (sign, three exponent bits biased by 3, four mantissa bits)
/// that expand to those 32-bit floats of `values` that the mask `wanted` selects.
pub(crate) fn packed_floats(values: &[u64; 4], wanted: u8) -> Option<u32> {
    let mut packed = 0;
    for (c, value) in values.iter().enumerate() {
        if wanted >> c & 1 != 0 {
            packed |= u32::from(restricted_float(*value as u32)?) << (8 * c);
        }
    }
    Some(packed)
}

/// The restricted float that expands to a 32-bit float.
pub(crate) fn restricted_float(bits: u32) -> Option<u8> {
    let sign = (bits >> 24 & 0x80) as u8;
    if bits & 0x7fff_ffff == 0 {
        return Some(sign);
    }
    let exponent = (bits >> 23 & 0xff) as i32 - 127 + 3;
    let mantissa = bits & 0x7f_ffff;
    // Exponent field and mantissa both zero would be the number zero.
    if !(0..=7).contains(&exponent) || mantissa & 0x7_ffff != 0 || (exponent == 0 && mantissa == 0)
    {
        return None;
    }
    Some(sign | (exponent as u8) << 4 | (mantissa >> 19) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restricted_floats() {
        // Values of the PRM's restricted float format: 1.0 is exponent 3, mantissa 0.
        for (value, want) in [
            (0.0, Some(0x00)),
            (-0.0, Some(0x80)),
            (1.0, Some(0x30)),
            (-2.0, Some(0xc0)),
            (0.5, Some(0x20)),
            (31.0, Some(0x7f)),
            (32.0, None),
            (0.125, None),
            (0.1328125, Some(0x01)),
            (0.1, None),
        ] {
            assert_eq!(restricted_float(f32::to_bits(value)), want, "{value}");
        }
        let bits = |v: f32| u64::from(v.to_bits());
        assert_eq!(
            packed_floats(&[bits(1.0), bits(0.0), bits(0.1), bits(2.0)], 0b1011),
            Some(0x4000_0030)
        );
    }
}
