//! Conversions of IEEE binary16 with a single rounding to nearest even.

/// Returns the value of a half-precision bit pattern, exactly.
pub(crate) fn to_f64(bits: u16) -> f64 {
    let sign = if bits & 0x8000 != 0 { -1.0 } else { 1.0 };
    let exponent = i32::from(bits >> 10 & 0x1f);
    let mantissa = f64::from(bits & 0x3ff);
    match exponent {
        0 => sign * mantissa * libm::ldexp(1.0, -24),
        31 if mantissa == 0.0 => sign * f64::INFINITY,
        31 => f64::NAN.copysign(sign),
        _ => sign * libm::ldexp(1024.0 + mantissa, exponent - 25),
    }
}

/// Returns the nearest half-precision bit pattern.
pub(crate) fn from_f64(x: f64) -> u16 {
    let bits = x.to_bits();
    let sign = (bits >> 48) as u16 & 0x8000;
    if x.is_nan() {
        return sign | 0x7e00;
    }
    let magnitude = x.abs();
    // 65520 is halfway between the largest half and 2^16: it and all above round to infinity.
    if magnitude >= 65520.0 {
        return sign | 0x7c00;
    }
    // Scale so that the unit in the last place of the result is 1 and round; a carry increments the
    // exponent.
    let exponent = (((magnitude.to_bits() >> 52) as i32) - 1023).max(-14);
    let units = libm::rint(libm::ldexp(magnitude, 10 - exponent)) as u16;
    if units < 1024 {
        sign | units
    } else {
        sign | (((exponent + 14) as u16) << 10).wrapping_add(units)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_survives_the_round_trip() {
        for bits in 0..=u16::MAX {
            if bits & 0x7c00 == 0x7c00 && bits & 0x3ff != 0 {
                assert!(to_f64(bits).is_nan());
            } else {
                assert_eq!(from_f64(to_f64(bits)), bits);
            }
        }
    }

    #[test]
    fn rounds_once_to_nearest_even() {
        // 1 + 2^-11 is halfway between 1 and 1 + 2^-10: ties go to even, anything above goes up
        // even past float's precision.
        assert_eq!(from_f64(1.0 + libm::ldexp(1.0, -11)), 0x3c00);
        assert_eq!(from_f64(1.0 + libm::ldexp(1.0, -11) + libm::ldexp(1.0, -40)), 0x3c01);
        assert_eq!(from_f64(libm::ldexp(1.0, -25)), 0);
        assert_eq!(from_f64(libm::ldexp(1.5, -25)), 1);
        assert_eq!(from_f64(65519.99), 0x7bff);
        assert_eq!(from_f64(-65520.0), 0xfc00);
    }
}
