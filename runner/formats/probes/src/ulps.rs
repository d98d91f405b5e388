//! Distance of floating-point values in units in the last place.

/// Returns the number of representable values from `a` to `b`; zeros of either sign are one value.
/// `None` with a NaN.
pub fn f32_ulps(a: f32, b: f32) -> Option<u64> {
    between(
        a.is_nan() || b.is_nan(),
        ordered(a.to_bits().into(), 31),
        ordered(b.to_bits().into(), 31),
    )
}

/// Returns the distance of double-precision values.
pub fn f64_ulps(a: f64, b: f64) -> Option<u64> {
    between(a.is_nan() || b.is_nan(), ordered(a.to_bits(), 63), ordered(b.to_bits(), 63))
}

fn between(nan: bool, a: i64, b: i64) -> Option<u64> {
    (!nan).then(|| a.abs_diff(b))
}

/// Maps the bits of a value with its sign at bit `sign` to a number of the same order.
fn ordered(bits: u64, sign: u32) -> i64 {
    let magnitude = (bits & !(1 << sign)) as i64;
    if bits >> sign & 1 == 1 { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(f32_ulps(1.0, 1.0f32.next_up()), Some(1));
        assert_eq!(f32_ulps(1.0, 2.0), Some(1 << 23));
        assert_eq!(f32_ulps(-0.0, 0.0), Some(0));
        assert_eq!(f32_ulps(-f32::from_bits(1), f32::from_bits(2)), Some(3));
        assert_eq!(f32_ulps(f32::INFINITY, f32::MAX), Some(1));
        assert_eq!(f32_ulps(f32::NAN, 0.0), None);
        assert_eq!(f64_ulps(1.0, 1.0f64.next_down()), Some(1));
        assert_eq!(f64_ulps(-1.0, 1.0), Some(2 * 0x3ff0_0000_0000_0000));
    }
}
