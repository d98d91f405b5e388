//! Operations on halves: the rules of IEEE 754, one rounding to nearest, ties to even. Subnormal halves are preserved.

use crate::bounded;
use crate::half::float16::Half;
use crate::ieee;
use crate::real::{HALF, Real, Rounding};
use crate::value::{Accept, Component};

/// a + b. The sum of two halves is a double exactly, so that only the rounding to half rounds.
pub fn add(a: Half, b: Half) -> Half {
    Half::from_double(ieee::add(a.value(), b.value()))
}

/// a − b.
pub fn sub(a: Half, b: Half) -> Half {
    Half::from_double(ieee::sub(a.value(), b.value()))
}

/// a · b; the product is a double exactly.
pub fn mul(a: Half, b: Half) -> Half {
    Half::from_double(ieee::mul(a.value(), b.value()))
}

/// a / b within the error that GLSL grants. Nothing for divisors outside 2⁻¹⁴…2¹⁴: GLSL states a bound where the divisor's
/// reciprocal is normal.
pub fn div(a: Half, b: Half) -> Option<Accept> {
    let (x, y) = (a.value(), b.value());
    if !x.is_finite() || !y.is_finite() || a.is_zero() || b.is_zero() {
        // Special cases of IEEE, exact in any format.
        let accept = ieee::div(x, y)?;
        return Some(Accept::half(Half::from_double(accept.low.double())));
    }
    let magnitude = b.abs().value();
    let in_range = (6.103515625e-5..=16384.0).contains(&magnitude);
    in_range.then(|| within_ulps(&a.real().div(&b.real()), bounded::DIVISION_ULPS))
}

/// a · b + c, in one rounding or in two. Nothing when only one of the two is NaN.
pub fn mul_add(a: Half, b: Half, c: Half) -> Option<Accept> {
    let two = add(mul(a, b), c);
    let one = if a.is_finite() && b.is_finite() && c.is_finite() {
        let exact = a.real().mul(&b.real()).add(&c.real());
        if exact.is_zero() { two } else { Half::nearest(&exact, false) }
    } else if a.is_finite() && b.is_finite() {
        c
    } else {
        two
    };
    match (one.is_nan(), two.is_nan()) {
        (true, true) => Some(Accept::half(one)),
        (false, false) => Some(hull(one, two)),
        _ => None,
    }
}

/// Two halves and all between.
pub fn hull(x: Half, y: Half) -> Accept {
    let swapped = y.order() < x.order() || (x.is_zero() && y.is_zero() && y.is_negative());
    let (low, high) = if swapped { (y, x) } else { (x, y) };
    Accept { low: Component::Half(low), high: Component::Half(high) }
}

/// Exactly one half; for zero both.
pub fn number(value: Half) -> Accept {
    if value.is_zero() { any_zero() } else { Accept::half(value) }
}

/// Both zeros.
pub fn any_zero() -> Accept {
    Accept { low: Component::Half(Half::ZERO.negated()), high: Component::Half(Half::ZERO) }
}

/// From value − error to value + error, rounded outwards.
pub fn around(value: &Real, error: &Real) -> Accept {
    Accept {
        low: Component::Half(Half::rounded(&value.sub(error), Rounding::Down, true)),
        high: Component::Half(Half::rounded(&value.add(error), Rounding::Up, false)),
    }
}

/// Size of one unit in the last place at a value.
pub fn ulp(value: &Real) -> Real {
    let exponent = if value.is_zero() { HALF.min_exponent } else { value.exponent().max(HALF.min_exponent) };
    Real::integer(1).scaled(exponent + 1 - HALF.precision as i32)
}

/// The interval of some units in the last place around a value.
pub fn within_ulps(value: &Real, ulps: i64) -> Accept {
    around(value, &ulp(value).mul(&Real::integer(ulps)))
}

/// Whether a < b: false when either is NaN.
pub fn less(a: Half, b: Half) -> bool {
    !a.is_nan() && !b.is_nan() && a.order() < b.order()
}

/// Whether a = b: false when either is NaN, true for zeros of either sign.
pub fn equal(a: Half, b: Half) -> bool {
    !a.is_nan() && !b.is_nan() && a.order() == b.order()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn half(bits: u16) -> Half {
        Half::from_bits(bits)
    }

    /// Special and ordinary operands against host doubles, in which sums and products of halves are exact.
    #[test]
    fn rules_agree_with_an_ieee_machine() {
        let mut random = Random::named("half operations");
        let specials = [
            0x0000u16, 0x8000, 0x3c00, 0xbc00, 0x7bff, 0xfbff, 0x0400, 0x0001, 0x8003, 0x7c00, 0xfc00, 0x7e00,
        ];
        let mut operands: Vec<Half> = specials.into_iter().map(half).collect();
        operands.extend((0..60).map(|_| half(random.bits() as u16)));
        let same = |ours: Half, machine: f64| {
            let expected = Half::from_double(machine);
            ours == expected || (ours.is_nan() && expected.is_nan())
        };
        for &a in &operands {
            for &b in &operands {
                let (x, y) = (a.value(), b.value());
                assert!(same(add(a, b), x + y), "{x:e} + {y:e}");
                assert!(same(sub(a, b), x - y), "{x:e} - {y:e}");
                assert!(same(mul(a, b), x * y), "{x:e} * {y:e}");
                assert_eq!((less(a, b), equal(a, b)), (x < y, x == y), "{x:e} {y:e}");
                if let Some(accept) = div(a, b) {
                    assert!(accept.accepts(Component::Half(Half::from_double(x / y))), "{x:e} / {y:e}");
                }
                for &c in &operands[..20] {
                    let Some(accept) = mul_add(a, b, c) else { continue };
                    let in_two = Half::from_double(Half::from_double(x * y).value() + c.value());
                    assert!(accept.accepts(Component::Half(in_two)), "{x:e} * {y:e} + {:e}", c.value());
                }
            }
        }
    }

    #[test]
    fn units_in_the_last_place() {
        let accept = within_ulps(&Real::integer(3), 2);
        assert_eq!(accept, hull(half(0x41fe), half(0x4202)));
        assert_eq!(within_ulps(&half(1).real(), 1), hull(Half::ZERO.negated(), half(2)));
    }
}
