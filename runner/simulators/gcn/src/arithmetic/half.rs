//! Halves: conversion from and to singles.

/// The single of a half.
pub(crate) fn to_single(half: u16) -> f32 {
    let sign = u32::from(half >> 15) << 31;
    let exponent = u32::from(half >> 10 & 31);
    let mantissa = u32::from(half & 0x3ff);
    let bits = match exponent {
        0 => {
            let value = mantissa as f32 / 16_777_216.0;
            return f32::from_bits(sign | value.to_bits());
        }
        31 => 0x7f80_0000 | mantissa << 13,
        _ => (exponent + 112) << 23 | mantissa << 13,
    };
    f32::from_bits(sign | bits)
}

/// The half of a single, rounded to the nearest even or toward zero.
pub(crate) fn of_single(value: f32, toward_zero: bool) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude > 0x7f80_0000 {
        return sign | 0x7e00 | (magnitude >> 13 & 0x3ff) as u16;
    }
    if magnitude == 0x7f80_0000 {
        return sign | 0x7c00;
    }
    let exponent = (magnitude >> 23) as i32 - 127;
    sign | of_magnitude(f64::from(f32::from_bits(magnitude)), exponent, toward_zero)
}

/// The half of a double, rounded to the nearest even.
pub(crate) fn of_double(value: f64) -> u16 {
    if value.is_nan() {
        return of_single(value as f32, false);
    }
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let magnitude = value.abs();
    if magnitude >= 65536.0 {
        return sign | 0x7c00;
    }
    let exponent = (magnitude.to_bits() >> 52) as i32 - 1023;
    sign | of_magnitude(magnitude, exponent, false)
}

/// The half of a finite number that is not negative and has this exponent.
fn of_magnitude(magnitude: f64, exponent: i32, toward_zero: bool) -> u16 {
    // Units of the last place of the result: 2^-24 for denormals.
    let unit = exponent.max(-14) - 10;
    let scaled = magnitude * libm::ldexp(1.0, -unit);
    let rounded = if toward_zero { libm::trunc(scaled) } else { libm::rint(scaled) } as u32;
    let half =
        if exponent < -14 { rounded } else { (((exponent + 15) as u32) << 10) + (rounded - 0x400) };
    match half {
        0x7c00.. if toward_zero => 0x7bff,
        0x7c00.. => 0x7c00,
        half => half as u16,
    }
}

#[cfg(test)]
mod tests {
    use super::{of_single, to_single};

    #[test]
    fn all_halves_survive() {
        for half in 0..=u16::MAX {
            if half & 0x7fff > 0x7c00 {
                continue;
            }
            assert_eq!(of_single(to_single(half), false), half);
            assert_eq!(of_single(to_single(half), true), half);
        }
    }

    #[test]
    fn rounding() {
        assert_eq!(of_single(65520.0, false), 0x7c00);
        assert_eq!(of_single(65520.0, true), 0x7bff);
        assert_eq!(of_single(1.0 + 1.0 / 2048.0, false), 0x3c00);
        assert_eq!(of_single(1.0 + 3.0 / 2048.0, false), 0x3c02);
        assert_eq!(of_single(1.0 + 3.0 / 2048.0, true), 0x3c01);
        assert_eq!(of_single(2.0_f32.powi(-25), false), 0);
        assert_eq!(of_single(2.0_f32.powi(-25) * 1.5, false), 1);
    }
}
