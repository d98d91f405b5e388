//! Running error analysis in exact arithmetic: values that an implementation computes in several
//! rounded steps, with a bound on their error.
//!
//! Each operation inherits the error of its operands and adds the error that GLSL 4.60 section
//! 4.7.1 grants the operation itself. A fused multiply-add rounds once where the analysis rounds
//! twice, so it is always inside. Other orders of evaluation are covered by [`Bounded::accept`]'s
//! factor of two.

use std::marker::PhantomData;

use crate::accept::Accept;
use crate::format::Format;
use crate::real::{BINARY64, Real, Rounding};

/// An exact value and a bound on how far the result of an implementation in format `F` may differ
/// from it.
#[derive(Clone, Debug)]
pub struct Bounded<F> {
    value: Real,
    error: Real,
    /// Exponent of a power of two above the magnitude of every step's result.
    peak: i32,
    /// Format of each step's result.
    format: PhantomData<F>,
}

/// ULPs that a division may be off: the specification grants 2.5, of an exact quotient; a whole
/// number keeps bounds simple.
pub const DIVISION_ULPS: i64 = 3;
/// ULPs that `inversesqrt` may be off.
pub const INVERSE_SQRT_ULPS: i64 = 2;
/// ULPs that `sqrt` may be off: it inherits from `1.0 / inversesqrt(x)`, hence 2 + 2.5; the two
/// relative errors are taken at their largest and the product of errors fits in the half that is
/// left.
pub const SQRT_ULPS: i64 = 5;

impl<F: Format> Bounded<F> {
    /// An operand without error.
    pub fn exact(x: F) -> Bounded<F> {
        Bounded::within(x.real(), Real::integer(0))
    }

    /// A value with a bound on its error.
    pub fn within(value: Real, error: Real) -> Bounded<F> {
        let largest = value.clone().abs().add(&error);
        let peak = if largest.is_zero() { F::BINARY.min_exponent } else { largest.exponent() + 1 };
        Bounded { value, error, peak, format: PhantomData }
    }

    /// The exact value.
    pub fn value(&self) -> &Real {
        &self.value
    }

    /// The bound of the difference.
    pub fn error(&self) -> &Real {
        &self.error
    }

    /// A result of one operation with this inherited error that itself may be off by `roundoffs`
    /// unit roundoffs, or two of the smallest subnormals.
    fn rounded(&self, value: Real, inherited: Real, roundoffs: i64) -> Bounded<F> {
        let precision = F::BINARY.precision as i32;
        let largest = value.clone().abs().add(&inherited);
        // The relative error of one rounding to nearest is half a unit in the last place of 1.0.
        let own = largest.scaled(-precision).mul(&Real::integer(roundoffs));
        let smallest = F::BINARY.min_exponent + 1 - precision;
        let error = inherited.add(&own).add(&Real::integer(2).scaled(smallest));
        // Errors are kept short: an error rounded up to a double is still a bound.
        let error = Real::from_f64(error.round(BINARY64, Rounding::Up, false));
        Bounded::within(value, error).after(self)
    }

    /// The same value with a peak that is not below the operand's.
    pub fn after(self, operand: &Bounded<F>) -> Bounded<F> {
        Bounded { peak: self.peak.max(operand.peak), ..self }
    }

    /// self + other.
    pub fn add(&self, other: &Bounded<F>) -> Bounded<F> {
        self.rounded(self.value.add(&other.value), self.error.add(&other.error), 1).after(other)
    }

    /// −self, without error.
    pub fn neg(&self) -> Bounded<F> {
        Bounded { value: self.value.clone().negated(), ..self.clone() }
    }

    /// self − other.
    pub fn sub(&self, other: &Bounded<F>) -> Bounded<F> {
        self.add(&other.neg())
    }

    /// self · other.
    pub fn mul(&self, other: &Bounded<F>) -> Bounded<F> {
        let left = self.value.clone().abs().mul(&other.error);
        let right = other.value.clone().abs().add(&other.error).mul(&self.error);
        self.rounded(self.value.mul(&other.value), left.add(&right), 1).after(other)
    }

    /// self / other; `None` when the divisor may be 0.
    pub fn div(&self, other: &Bounded<F>) -> Option<Bounded<F>> {
        let smallest = other.value.clone().abs().sub(&other.error);
        if smallest.is_zero() || smallest.is_negative() {
            return None;
        }
        let quotient = self.value.div(&other.value);
        let inherited = self.error.add(&quotient.clone().abs().mul(&other.error)).div(&smallest);
        Some(self.rounded(quotient, inherited, 2 * DIVISION_ULPS).after(other))
    }

    /// √self; `None` when the operand may be negative or 0.
    pub fn sqrt(&self) -> Option<Bounded<F>> {
        let smallest = self.value.sub(&self.error);
        if smallest.is_zero() || smallest.is_negative() {
            return None;
        }
        let root = self.value.sqrt();
        // |√(v+d) − √v| = |d| / (√(v+d) + √v) ≤ |d| / √v.
        let inherited = self.error.div(&root);
        Some(self.rounded(root, inherited, 2 * SQRT_ULPS))
    }

    /// self within limits. A value beyond a limit by more than twice its error becomes the limit,
    /// without error.
    pub fn clamp(&self, low: i64, high: i64) -> Bounded<F> {
        let (low, high) = (Real::integer(low), Real::integer(high));
        let doubled = self.error.add(&self.error);
        let limited = |limit: Real, sure: bool| {
            let error = if sure { Real::integer(0) } else { self.error.clone() };
            Bounded { value: limit, error, ..self.clone() }
        };
        if self.value.less(&low) {
            let sure = self.value.add(&doubled).less(&low);
            limited(low, sure)
        } else if high.less(&self.value) {
            let sure = high.add(&doubled).less(&self.value);
            limited(high, sure)
        } else {
            self.clone()
        }
    }

    /// The interval of twice the error around the value; `None` when a step on the way may have
    /// overflowed.
    pub fn accept(&self) -> Option<Accept> {
        let may_overflow = self.peak >= F::BINARY.max_exponent;
        (!may_overflow).then(|| around::<F>(&self.value, &self.error.add(&self.error)))
    }
}

/// From value − error to value + error, rounded outwards. An interval that is only 0 holds both
/// zeros.
pub fn around<F: Format>(value: &Real, error: &Real) -> Accept {
    Accept {
        low: F::rounded(&value.sub(error), Rounding::Down, true).component(),
        high: F::rounded(&value.add(error), Rounding::Up, false).component(),
    }
}

/// Size of one unit in the last place at a value; of a subnormal, that of the smallest normal.
pub fn ulp<F: Format>(value: &Real) -> Real {
    let smallest = F::BINARY.min_exponent;
    let exponent = if value.is_zero() { smallest } else { value.exponent().max(smallest) };
    Real::integer(1).scaled(exponent + 1 - F::BINARY.precision as i32)
}

/// The interval of some units in the last place around a value.
pub fn within_ulps<F: Format>(value: &Real, ulps: i64) -> Accept {
    around::<F>(value, &ulp::<F>(value).mul(&Real::integer(ulps)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(accept: Accept) -> (f64, f64) {
        (accept.low.double(), accept.high.double())
    }

    #[test]
    fn ulps_count_neighbors() {
        let (low, high) = interval(within_ulps::<f64>(&Real::integer(3), 2));
        assert_eq!(low, 3f64.next_down().next_down());
        assert_eq!(high, 3f64.next_up().next_up());
    }

    #[test]
    fn subnormals_have_the_smallest_unit() {
        let (low, high) = interval(within_ulps::<f64>(&Real::from_f64(5e-324), 1));
        assert_eq!((low.to_bits(), high.to_bits()), ((-0.0f64).to_bits(), 10e-324f64.to_bits()));
    }

    /// Host arithmetic is IEEE: its result in any order of evaluation has to be inside.
    #[test]
    fn host_results_are_inside() {
        let mut random = crate::random::Random::named("bounded");
        for _ in 0..2000 {
            let [a, b, c] = [(); 3].map(|()| random.double((-10, 10)));
            let [x, y, z] = [a, b, c].map(Bounded::<f64>::exact);
            let (low, high) = interval(x.mul(&y).add(&z).accept().expect("no overflow"));
            for result in [a * b + c, a.mul_add(b, c)] {
                assert!((low..=high).contains(&result), "{a:e} {b:e} {c:e}");
            }
            let sum = x.mul(&x).add(&y.mul(&y));
            let (low, high) = interval(
                z.div(&sum.sqrt().expect("a positive sum"))
                    .expect("a positive root")
                    .accept()
                    .expect("no overflow"),
            );
            for result in [c / (a * a + b * b).sqrt(), c * (1.0 / a.hypot(b))] {
                assert!((low..=high).contains(&result), "{a:e} {b:e} {c:e}");
            }
        }
    }

    #[test]
    fn bounds_stay_tight() {
        let product = Bounded::<f64>::exact(1.5).mul(&Bounded::<f64>::exact(1.25));
        let (low, high) = interval(product.accept().expect("no overflow"));
        assert!(high - low <= 8.0 * f64::EPSILON, "{low} {high}");
    }
}
