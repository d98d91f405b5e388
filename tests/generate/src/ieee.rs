//! IEEE 754 binary64 operations as the standard defines them: infinities, NaN and zeros by rule, everything else by exact
//! arithmetic and one rounding to nearest, ties to even.
//!
//! GLSL leaves more freedom than these rules (it does not require NaN or subnormals and does not fix the rounding); the project's
//! numeric policy does not use it for `+`, `−` and `*`: subnormal doubles are preserved, NaN is produced and propagated.

use crate::bounded::{DIVISION_ULPS, within_ulps};
use crate::real::{DOUBLE, Real, Rounding};
use crate::value::{Accept, Component};

/// The product's sign.
fn sign_of_product(a: f64, b: f64) -> bool {
    a.is_sign_negative() != b.is_sign_negative()
}

/// Infinity of a sign.
pub fn infinity(negative: bool) -> f64 {
    if negative { f64::NEG_INFINITY } else { f64::INFINITY }
}

/// Zero of a sign.
pub fn zero(negative: bool) -> f64 {
    if negative { -0.0 } else { 0.0 }
}

/// Whether a value is not 0 and smaller than the smallest normal double.
pub fn is_subnormal(x: f64) -> bool {
    x.is_subnormal()
}

/// −a: the other sign bit, of a NaN too.
pub fn neg(a: f64) -> f64 {
    f64::from_bits(a.to_bits() ^ 1 << 63)
}

/// |a|.
pub fn abs(a: f64) -> f64 {
    f64::from_bits(a.to_bits() & !(1 << 63))
}

/// The magnitude of the first with the sign of the second.
pub fn abs_like(magnitude: f64, sign: f64) -> f64 {
    if sign.is_sign_negative() { neg(abs(magnitude)) } else { abs(magnitude) }
}

/// a + b.
pub fn add(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    match (a.is_infinite(), b.is_infinite()) {
        (true, true) if a.is_sign_negative() != b.is_sign_negative() => f64::NAN,
        (true, _) => a,
        (_, true) => b,
        _ => {
            // An exact zero is positive when rounding to nearest, unless both operands are −0.
            let negative_zero = is_negative_zero(a) && is_negative_zero(b);
            Real::from_f64(a).add(&Real::from_f64(b)).round(DOUBLE, Rounding::Nearest, negative_zero)
        }
    }
}

fn is_negative_zero(x: f64) -> bool {
    x.to_bits() == 1 << 63
}

/// Whether a value is ±0.
pub fn is_zero(x: f64) -> bool {
    abs(x).to_bits() == 0
}

/// a − b.
pub fn sub(a: f64, b: f64) -> f64 {
    add(a, neg(b))
}

/// a · b.
pub fn mul(a: f64, b: f64) -> f64 {
    let negative = sign_of_product(a, b);
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    if a.is_infinite() || b.is_infinite() {
        return if is_zero(a) || is_zero(b) { f64::NAN } else { infinity(negative) };
    }
    Real::from_f64(a).mul(&Real::from_f64(b)).round(DOUBLE, Rounding::Nearest, negative)
}

/// a / b within the error that GLSL grants: the special cases of IEEE exactly, [`DIVISION_ULPS`] otherwise. Nothing for divisors
/// outside 2⁻¹⁰²²…2¹⁰²², for which GLSL states no bound.
pub fn div(a: f64, b: f64) -> Option<Accept> {
    let negative = sign_of_product(a, b);
    let special = match () {
        () if a.is_nan() || b.is_nan() => Some(f64::NAN),
        () if a.is_infinite() && b.is_infinite() => Some(f64::NAN),
        () if a.is_infinite() => Some(infinity(negative)),
        () if b.is_infinite() => Some(zero(negative)),
        () if is_zero(a) && is_zero(b) => Some(f64::NAN),
        () if is_zero(b) => Some(infinity(negative)),
        () if is_zero(a) => Some(zero(negative)),
        () => None,
    };
    if let Some(value) = special {
        return Some(Accept::exactly(Component::Double(value)));
    }
    let exponent = Real::from_f64(b).exponent();
    let in_range = exponent >= -1022 && (exponent < 1022 || abs(b).to_bits() == (1022 + 1023) << 52);
    in_range.then(|| within_ulps(&Real::from_f64(a).div(&Real::from_f64(b)), DIVISION_ULPS))
}

/// a · b + c, in one rounding or in two, as GLSL 4.60 section 4.7.1 grants to the expression and to `fma`. Nothing when only one
/// of the two is NaN.
pub fn mul_add(a: f64, b: f64, c: f64) -> Option<Accept> {
    let two = add(mul(a, b), c);
    let one = if a.is_finite() && b.is_finite() && c.is_finite() {
        let exact = Real::from_f64(a).mul(&Real::from_f64(b)).add(&Real::from_f64(c));
        if exact.is_zero() { two } else { exact.round(DOUBLE, Rounding::Nearest, false) }
    } else if a.is_finite() && b.is_finite() {
        // A finite product, however large, does not matter beside an infinity or NaN.
        c
    } else {
        two
    };
    match (one.is_nan(), two.is_nan()) {
        (true, true) => Some(Accept::exactly(Component::Double(one))),
        (false, false) => Some(Accept::hull(one, two)),
        _ => None,
    }
}

/// Whether a < b: false when either is NaN.
pub fn less(a: f64, b: f64) -> bool {
    match (order(a), order(b)) {
        (Some(a), Some(b)) => a < b,
        _ => false,
    }
}

/// Whether a = b: false when either is NaN, true for zeros of either sign.
pub fn equal(a: f64, b: f64) -> bool {
    match (order(a), order(b)) {
        (Some(a), Some(b)) => a == b,
        _ => false,
    }
}

/// An integer that orders doubles as numbers; nothing for NaN.
fn order(x: f64) -> Option<i64> {
    let magnitude = abs(x).to_bits() as i64;
    (!x.is_nan()).then_some(if x.is_sign_negative() { -magnitude } else { magnitude })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLES: [f64; 16] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.1,
        -3.5,
        f64::MAX,
        f64::MIN,
        f64::MIN_POSITIVE,
        5e-324,
        -2.2e-310,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        1e300,
        -1e-300,
    ];

    fn same(a: f64, b: f64) -> bool {
        a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
    }

    fn inside(x: f64, accept: Accept) -> bool {
        let (low, high) = (accept.low.double(), accept.high.double());
        if low.is_nan() { x.is_nan() } else { x >= low && x <= high }
    }

    #[test]
    fn rules_agree_with_an_ieee_machine() {
        for a in SAMPLES {
            assert!(same(neg(a), -a) && same(abs(a), a.abs()));
            for b in SAMPLES {
                assert!(same(add(a, b), a + b), "{a:e} + {b:e}");
                assert!(same(sub(a, b), a - b), "{a:e} - {b:e}");
                assert!(same(mul(a, b), a * b), "{a:e} * {b:e}");
                assert_eq!((less(a, b), equal(a, b)), (a < b, a == b), "{a:e} {b:e}");
                if let Some(accept) = div(a, b) {
                    assert!(inside(a / b, accept), "{a:e} / {b:e}");
                }
                for c in SAMPLES {
                    if let Some(accept) = mul_add(a, b, c) {
                        assert!(inside(a * b + c, accept), "{a:e} * {b:e} + {c:e}");
                        assert!(inside(a.mul_add(b, c), accept), "fma {a:e} {b:e} {c:e}");
                    }
                }
            }
        }
    }
}
