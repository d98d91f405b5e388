//! IEEE 754 operations in any format, as the standard defines them: infinities, NaN and zeros by
//! rule, everything else by exact arithmetic and one rounding to nearest, ties to even.
//!
//! GLSL leaves more freedom than these rules: it does not require NaN or subnormals and does not
//! fix the rounding. The project's numeric policy does not use that freedom for `+`, `−` and `*`:
//! subnormal doubles and halves are preserved, NaN is produced and propagated.

use crate::accept::Accept;
use crate::bounded::{DIVISION_ULPS, within_ulps};
use crate::format::Format;
use crate::real::Real;

/// The product's sign.
fn sign_of_product<F: Format>(a: F, b: F) -> bool {
    a.sign_bit() != b.sign_bit()
}

/// a + b.
pub fn add<F: Format>(a: F, b: F) -> F {
    if a.is_nan() || b.is_nan() {
        return F::nan();
    }
    match (a.is_infinite(), b.is_infinite()) {
        (true, true) if a.sign_bit() != b.sign_bit() => F::nan(),
        (true, _) => a,
        (_, true) => b,
        _ => {
            // An exact zero is positive when rounding to nearest, unless both operands are −0.
            let negative_zero = a.is_zero() && b.is_zero() && a.sign_bit() && b.sign_bit();
            F::nearest(&a.real().add(&b.real()), negative_zero)
        }
    }
}

/// a − b.
pub fn sub<F: Format>(a: F, b: F) -> F {
    add(a, b.negated())
}

/// a · b.
pub fn mul<F: Format>(a: F, b: F) -> F {
    let negative = sign_of_product(a, b);
    if a.is_nan() || b.is_nan() {
        return F::nan();
    }
    if a.is_infinite() || b.is_infinite() {
        return if a.is_zero() || b.is_zero() { F::nan() } else { F::infinity(negative) };
    }
    F::nearest(&a.real().mul(&b.real()), negative)
}

/// a / b within the error that GLSL grants: the special cases of IEEE exactly, [`DIVISION_ULPS`]
/// otherwise. `None` for divisors whose reciprocal is not normal: GLSL states no bound for those
/// (2⁻¹⁰²²…2¹⁰²² for doubles, 2⁻¹⁴…2¹⁴ for halves).
pub fn div<F: Format>(a: F, b: F) -> Option<Accept> {
    let negative = sign_of_product(a, b);
    let special = match () {
        () if a.is_nan() || b.is_nan() => Some(F::nan()),
        () if a.is_infinite() && b.is_infinite() => Some(F::nan()),
        () if a.is_infinite() => Some(F::infinity(negative)),
        () if b.is_infinite() => Some(F::zero(negative)),
        () if a.is_zero() && b.is_zero() => Some(F::nan()),
        () if b.is_zero() => Some(F::infinity(negative)),
        () if a.is_zero() => Some(F::zero(negative)),
        () => None,
    };
    if let Some(value) = special {
        return Some(Accept::of(value));
    }
    let smallest = F::BINARY.min_exponent;
    let largest = Real::integer(1).scaled(-smallest);
    let in_range = b.real().exponent() >= smallest && !largest.less(&b.real().abs());
    in_range.then(|| within_ulps::<F>(&a.real().div(&b.real()), DIVISION_ULPS))
}

/// a · b + c, in one rounding or in two, as GLSL 4.60 section 4.7.1 grants to the expression and to
/// `fma`. `None` when only one of the two is NaN.
pub fn mul_add<F: Format>(a: F, b: F, c: F) -> Option<Accept> {
    let two = add(mul(a, b), c);
    let one = if a.is_finite() && b.is_finite() && c.is_finite() {
        let exact = a.real().mul(&b.real()).add(&c.real());
        if exact.is_zero() { two } else { F::nearest(&exact, false) }
    } else if a.is_finite() && b.is_finite() {
        // A finite product, however large, does not matter beside an infinity or NaN.
        c
    } else {
        two
    };
    match (one.is_nan(), two.is_nan()) {
        (true, true) => Some(Accept::of(one)),
        (false, false) => Some(Accept::hull(one, two)),
        _ => None,
    }
}

/// True if a < b; false when either is NaN.
pub fn less<F: Format>(a: F, b: F) -> bool {
    !a.is_nan() && !b.is_nan() && a.order() < b.order()
}

/// True if a = b; false when either is NaN, true for zeros of either sign.
pub fn equal<F: Format>(a: F, b: F) -> bool {
    !a.is_nan() && !b.is_nan() && a.order() == b.order()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::half::Half;
    use crate::random::Random;
    use crate::value::Component;

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
    fn doubles_agree_with_an_ieee_machine() {
        for a in SAMPLES {
            assert!(same(a.negated(), -a) && same(a.magnitude(), a.abs()));
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

    fn half(bits: u16) -> Half {
        Half::new(bits)
    }

    /// Special and ordinary operands against host doubles, in which sums and products of halves are
    /// exact.
    #[test]
    fn halves_agree_with_an_ieee_machine() {
        let mut random = Random::named("half operations");
        let specials = [
            0x0000u16, 0x8000, 0x3c00, 0xbc00, 0x7bff, 0xfbff, 0x0400, 0x0001, 0x8003, 0x7c00,
            0xfc00, 0x7e00,
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
                    assert!(
                        accept.accepts(Component::Half(Half::from_double(x / y))),
                        "{x:e} / {y:e}"
                    );
                }
                for &c in &operands[..20] {
                    let Some(accept) = mul_add(a, b, c) else { continue };
                    let in_two = Half::from_double(Half::from_double(x * y).value() + c.value());
                    assert!(
                        accept.accepts(Component::Half(in_two)),
                        "{x:e} * {y:e} + {:e}",
                        c.value()
                    );
                }
            }
        }
    }

    #[test]
    fn units_in_the_last_place() {
        let accept = within_ulps::<Half>(&Real::integer(3), 2);
        assert_eq!(accept, Accept::hull(half(0x41fe), half(0x4202)));
        assert_eq!(
            within_ulps::<Half>(&half(1).real(), 1),
            Accept::hull(Half::zero(false).negated(), half(2))
        );
    }
}
