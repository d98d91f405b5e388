//! IEEE 754 binary16 numbers: their values exactly, and exact numbers rounded to them once.

use crate::real::{HALF, Real, Rounding};

/// A half, by its bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Half(u16);

const SIGN: u16 = 0x8000;
const EXPONENT: u16 = 0x7c00;
const FRACTION: u16 = 0x03ff;

impl Half {
    /// +0.
    pub const ZERO: Half = Half(0);
    /// 1.
    pub const ONE: Half = Half(0x3c00);
    /// +∞.
    pub const INFINITY: Half = Half(EXPONENT);
    /// A quiet NaN.
    pub const NAN: Half = Half(0x7e00);
    /// The largest finite one, 65504.
    pub const MAX: Half = Half(0x7bff);

    /// The half with these bits.
    pub const fn from_bits(bits: u16) -> Half {
        Half(bits)
    }

    /// Its bits.
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// An exact number, to nearest, ties to even; `negative_zero` is the sign of an exact zero.
    pub fn nearest(x: &Real, negative_zero: bool) -> Half {
        Half::rounded(x, Rounding::Nearest, negative_zero)
    }

    /// An exact number rounded in a direction.
    pub fn rounded(x: &Real, rounding: Rounding, negative_zero: bool) -> Half {
        Half::representable(x.round(HALF, rounding, negative_zero))
    }

    /// A double, to nearest, ties to even, in one rounding.
    pub fn from_double(x: f64) -> Half {
        if x.is_finite() {
            Half::nearest(&Real::from_f64(x), x.is_sign_negative())
        } else {
            Half::representable(x)
        }
    }

    /// The half that a double holds exactly.
    fn representable(x: f64) -> Half {
        let sign = if x.is_sign_negative() { SIGN } else { 0 };
        if x.is_nan() {
            return Half::NAN;
        }
        if x.is_infinite() {
            return Half(sign | EXPONENT);
        }
        if x == 0.0 {
            return Half(sign);
        }
        let magnitude = Real::from_f64(x).abs();
        let exponent = magnitude.exponent().max(HALF.min_exponent);
        let significand =
            magnitude.scaled(10 - exponent).truncated().expect("a significand of 11 bits") as u16;
        // The hidden bit of a normal number adds one to the exponent.
        Half(sign | ((((exponent + 14) as u16) << 10) + significand))
    }

    /// Its exact value, infinities and NaN included.
    pub fn value(self) -> f64 {
        if self.is_nan() {
            return f64::NAN;
        }
        let magnitude =
            if self.is_infinite() { f64::INFINITY } else { self.significand() as f64 * self.unit() };
        if self.is_negative() { -magnitude } else { magnitude }
    }

    /// Its exact value as the float that has it.
    pub fn single(self) -> f32 {
        // Every half is a float: nothing is rounded.
        self.value() as f32
    }

    /// Its exact value, when it is finite.
    pub fn real(self) -> Real {
        assert!(self.is_finite(), "only finite numbers are real");
        Real::from_f64(self.value())
    }

    /// |self| in units of its last place.
    fn significand(self) -> u16 {
        if self.0 & EXPONENT == 0 { self.0 & FRACTION } else { self.0 & FRACTION | 0x400 }
    }

    /// Unit of the last place, a power of two.
    fn unit(self) -> f64 {
        let exponent = u64::from((self.0 & EXPONENT) >> 10).max(1);
        f64::from_bits((exponent + 1023 - 25) << 52)
    }

    /// Whether this is a NaN.
    pub fn is_nan(self) -> bool {
        self.0 & !SIGN > EXPONENT
    }

    /// Whether this is an infinity.
    pub fn is_infinite(self) -> bool {
        self.0 & !SIGN == EXPONENT
    }

    /// Whether this is neither.
    pub fn is_finite(self) -> bool {
        self.0 & EXPONENT != EXPONENT
    }

    /// Whether this is one of the zeros.
    pub fn is_zero(self) -> bool {
        self.0 & !SIGN == 0
    }

    /// Whether this is below the smallest normal number in magnitude and not 0.
    pub fn is_subnormal(self) -> bool {
        self.0 & EXPONENT == 0 && !self.is_zero()
    }

    /// The sign bit.
    pub fn is_negative(self) -> bool {
        self.0 & SIGN != 0
    }

    /// −self, of a NaN too.
    pub fn negated(self) -> Half {
        Half(self.0 ^ SIGN)
    }

    /// |self|, of a NaN too.
    pub fn abs(self) -> Half {
        Half(self.0 & !SIGN)
    }

    /// The magnitude of this with the sign of the other.
    pub fn with_sign_of(self, other: Half) -> Half {
        Half(self.0 & !SIGN | other.0 & SIGN)
    }

    /// An integer that orders halves as numbers; both zeros are 0. Not for NaN.
    pub fn order(self) -> i32 {
        let magnitude = i32::from(self.0 & !SIGN);
        if self.is_negative() { -magnitude } else { magnitude }
    }

    /// The next larger one; the smallest subnormal for both zeros.
    pub fn next_up(self) -> Half {
        match self.order() {
            0 => Half(1),
            n if n > 0 => Half(self.0 + 1),
            _ => Half(self.0 - 1),
        }
    }

    /// The next smaller one.
    pub fn next_down(self) -> Half {
        self.negated().next_up().negated()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> impl Iterator<Item = Half> {
        (0..=u16::MAX).map(Half)
    }

    /// The value by the definition: sign, 2^(e − 15), 1.f; 2⁻¹⁴ and 0.f for e = 0.
    fn defined(bits: u16) -> f64 {
        let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
        let (e, f) = (i32::from(bits >> 10 & 31), f64::from(bits & 0x3ff) / 1024.0);
        match e {
            0 => sign * f * 2f64.powi(-14),
            31 if f == 0.0 => sign * f64::INFINITY,
            31 => f64::NAN,
            _ => sign * (1.0 + f) * 2f64.powi(e - 15),
        }
    }

    #[test]
    fn all_values_are_as_defined_and_survive() {
        for half in all() {
            let expected = defined(half.bits());
            assert!(half.is_nan() == expected.is_nan(), "{half:?}");
            if !half.is_nan() {
                assert_eq!(half.value().to_bits(), expected.to_bits(), "{half:?}");
                assert_eq!(f64::from(half.single()).to_bits(), expected.to_bits(), "{half:?}");
                assert_eq!(Half::from_double(half.value()), half);
                assert_eq!(half.negated().value(), -half.value());
            }
        }
        assert!(Half::from_double(f64::NAN).is_nan());
    }

    /// Exhaustive: between each pair of neighbours what is below the middle rounds down, what is above it up and the middle to even.
    /// Above the largest finite half the next would be 65536.
    #[test]
    fn rounding_turns_at_every_middle() {
        for bits in 0..EXPONENT {
            let (below, above) = (Half(bits), Half(bits + 1));
            let next = if above.is_infinite() { 65536.0 } else { above.value() };
            // Exact: both have 11 bits and a common exponent range.
            let middle = (below.value() + next) / 2.0;
            let even = if bits % 2 == 0 { below } else { above };
            let expect = |x: f64, half: Half| {
                assert_eq!(Half::from_double(x), half, "{x:e}");
                assert_eq!(Half::from_double(-x), half.negated(), "{x:e}");
            };
            expect(middle, even);
            expect(middle.next_down(), below);
            expect(middle.next_up(), above);
            if bits > 0 {
                expect(below.value().next_down(), below);
            }
            expect(below.value().next_up(), below);
        }
        assert_eq!(Half::from_double(5e-324), Half::ZERO);
        assert_eq!(Half::from_double(f64::MAX), Half::INFINITY);
    }

    /// Twice rounded through float this is 1 + 2⁻¹⁰ instead.
    #[test]
    fn doubles_are_rounded_once() {
        let power = |n: i32| 2f64.powi(n);
        let just_below_a_tie = 1.0 + 3.0 * power(-11) - power(-40);
        assert_eq!(Half::from_double(just_below_a_tie), Half(0x3c01));
        assert_eq!(Half::from_double(f64::from(just_below_a_tie as f32)), Half(0x3c02));
        let just_above_a_tie = 1.0 + power(-11) + power(-40);
        assert_eq!(Half::from_double(just_above_a_tie), Half(0x3c01));
        assert_eq!(Half::from_double(f64::from(just_above_a_tie as f32)), Half(0x3c00));
    }

    #[test]
    fn directions_bracket() {
        let third = Real::integer(1).div(&Real::integer(3));
        let down = Half::rounded(&third, Rounding::Down, false);
        assert_eq!(Half::rounded(&third, Rounding::Up, false), down.next_up());
        assert!(down.real().less(&third) && third.less(&down.next_up().real()));
        assert_eq!(Half::rounded(&Real::integer(65505), Rounding::Down, false), Half::MAX);
        assert_eq!(Half::rounded(&Real::integer(65505), Rounding::Up, false), Half::INFINITY);
    }

    #[test]
    fn neighbours_are_adjacent() {
        for half in all().filter(|h| h.is_finite() && !h.is_zero()) {
            assert_eq!(half.next_up().order(), half.order() + 1, "{half:?}");
            assert_eq!(half.next_down().order(), half.order() - 1, "{half:?}");
        }
        assert_eq!(Half(0x8000).next_up(), Half(1));
        assert_eq!(Half::ZERO.next_down(), Half(0x8001));
    }
}
