//! Conversions of IEEE binary16.

/// Returns the bits of the half float nearest to a value, ties to even.
pub fn from_f64(value: f64) -> u16 {
    let bits = value.to_bits();
    let sign = ((bits >> 48) & 0x8000) as u16;
    let exponent = ((bits >> 52) & 0x7ff) as i32 - 1023;
    let fraction = bits & 0x000f_ffff_ffff_ffff;
    if exponent == 1024 {
        return sign | 0x7c00 | if fraction != 0 { 0x200 } else { 0 };
    }
    if exponent < -25 {
        return sign;
    }
    // The significand with its leading one has 53 bits; keep 11, fewer below the smallest normal
    // exponent.
    let significand = fraction | 1 << 52;
    let drop = 42 + (-14 - exponent).max(0) as u32;
    let kept = significand >> drop;
    let rest = significand & ((1 << drop) - 1);
    let half = 1u64 << (drop - 1);
    let rounded = kept + u64::from(rest > half || (rest == half && kept & 1 == 1));
    // Adding the significand (with its one) to the exponent field below lets a carry move into the
    // exponent.
    let base = if exponent < -14 { 0 } else { ((exponent + 14) as u64) << 10 };
    let result = base + rounded;
    if result >= 0x7c00 { sign | 0x7c00 } else { sign | result as u16 }
}

/// Returns the value of a half float, exactly.
pub fn to_f64(bits: u16) -> f64 {
    let fraction = f64::from(bits & 0x3ff);
    let magnitude = match i32::from(bits >> 10 & 0x1f) {
        0 => fraction / 16_777_216.0,
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        exponent => (1024.0 + fraction) * f64::from_bits(((exponent + 998) as u64) << 52),
    };
    if bits & 0x8000 != 0 { -magnitude } else { magnitude }
}

/// Returns the bits of the half float nearest to a value, ties to even.
pub fn from_f32(value: f32) -> u16 {
    from_f64(value.into())
}

/// Returns the value of a half float, exactly.
pub fn to_f32(bits: u16) -> f32 {
    to_f64(bits) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_survives_the_round_trip() {
        for bits in 0..=u16::MAX {
            let value = to_f64(bits);
            assert!(value.is_nan() || from_f64(value) == bits, "{bits:#06x}");
        }
    }

    #[test]
    fn neighbors_of_midpoints() {
        assert_eq!(from_f64((1.0 + 2f64.powi(-11)).next_up()), 0x3c01);
        assert_eq!(from_f64(2f64.powi(-25).next_up()), 1);
        assert_eq!(from_f64(65520.0f64.next_down()), 0x7bff);
        assert_eq!(from_f64(-65520.0), 0xfc00);
    }

    #[test]
    fn literals_round_to_nearest_even() {
        // Values and bit patterns of IEEE 754 binary16: one, largest, overflow, smallest normal and
        // subnormal, ties.
        for (value, bits) in [
            (1.0, 0x3c00),
            (-2.0, 0xc000),
            (65504.0, 0x7bff),
            (65520.0, 0x7c00),
            (65519.0, 0x7bff),
            (6.103515625e-5, 0x0400),
            (5.960464477539063e-8, 0x0001),
            (2.9802322387695312e-8, 0x0000),
            (2.99e-8, 0x0001),
            (1.00048828125, 0x3c00),
            (1.00146484375, 0x3c02),
            (0.333251953125, 0x3555),
        ] {
            assert_eq!(from_f64(value), bits, "{value}");
        }
    }

    #[test]
    fn halves() {
        for bits in 0..=0xffffu16 {
            let value = to_f32(bits);
            if value.is_nan() {
                assert!(to_f32(from_f32(value)).is_nan());
            } else {
                assert_eq!(from_f32(value), bits, "{bits:04x}");
            }
        }
        for bits in (0..0x7bffu16).step_by(7) {
            let (low, high) = (to_f32(bits), to_f32(bits + 1));
            let middle = (low + high) / 2.0;
            assert_eq!(from_f32(middle), bits + (bits & 1), "{bits:04x}");
            assert_eq!(from_f32(middle.next_up()), bits + 1);
            assert_eq!(from_f32(middle.next_down()), bits);
        }
        assert_eq!(from_f32(65520.0), 0x7c00);
        assert_eq!(from_f32(65519.9), 0x7bff);
        assert_eq!(from_f32(f32::MIN_POSITIVE), 0);
    }
}
