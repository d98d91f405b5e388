//! Binary floating-point formats: their bits, their values and rounding to them, derived from the
//! parameters of the format alone.

use std::fmt::Debug;

use crate::half::Half;
use crate::real::{BINARY16, BINARY32, BINARY64, BinaryFormat, Real, Rounding};
use crate::value::{Component, Scalar};

/// A floating-point type of the tests. Every value comes from its bits and from exact arithmetic,
/// never from the machine's floating-point unit.
pub trait Format: Copy + PartialEq + Debug + 'static {
    /// Parameters of the format.
    const BINARY: BinaryFormat;
    /// The GLSL component type.
    const SCALAR: Scalar;
    /// Bits of a value.
    const BITS: u32;

    /// The value with these bits.
    fn from_bits(bits: u64) -> Self;

    /// The bits.
    fn bits(self) -> u64;

    /// The value in a component of this type.
    fn of(x: Component) -> Self;

    /// The value as a component.
    fn component(self) -> Component;

    /// Mask of the sign bit.
    fn sign_mask() -> u64 {
        1 << (Self::BITS - 1)
    }

    /// Bits of positive infinity: all bits of the exponent.
    fn exponent_mask() -> u64 {
        Self::sign_mask() - (1 << (Self::BINARY.precision - 1))
    }

    /// The quiet NaN without a payload.
    fn nan() -> Self {
        Self::from_bits(Self::exponent_mask() | 1 << (Self::BINARY.precision - 2))
    }

    /// Infinity of a sign.
    fn infinity(negative: bool) -> Self {
        Self::from_bits(Self::exponent_mask()).with_sign(negative)
    }

    /// Zero of a sign.
    fn zero(negative: bool) -> Self {
        Self::from_bits(0).with_sign(negative)
    }

    /// 1.
    fn one() -> Self {
        Self::nearest(&Real::integer(1), false)
    }

    /// An exact number rounded in a direction; `negative_zero` is the sign of an exact zero.
    fn rounded(x: &Real, rounding: Rounding, negative_zero: bool) -> Self {
        Self::representable(x.round(Self::BINARY, rounding, negative_zero))
    }

    /// An exact number rounded to nearest, ties to even.
    fn nearest(x: &Real, negative_zero: bool) -> Self {
        Self::rounded(x, Rounding::Nearest, negative_zero)
    }

    /// A double rounded to nearest, ties to even, in one rounding.
    fn from_double(x: f64) -> Self {
        if x.is_finite() {
            Self::nearest(&Real::from_f64(x), x.is_sign_negative())
        } else {
            Self::representable(x)
        }
    }

    /// The value that a double holds exactly.
    fn representable(x: f64) -> Self {
        if x.is_nan() {
            return Self::nan();
        }
        let negative = x.is_sign_negative();
        if x.is_infinite() {
            return Self::infinity(negative);
        }
        if x == 0.0 {
            return Self::zero(negative);
        }
        let magnitude = Real::from_f64(x).abs();
        let exponent = magnitude.exponent().max(Self::BINARY.min_exponent);
        let fraction_bits = Self::BINARY.precision as i32 - 1;
        let significand = magnitude.scaled(fraction_bits - exponent).truncated();
        let significand = significand.expect("a significand of at most 53 bits") as u64;
        // The hidden bit of a normal number adds one to the exponent.
        let biased = (exponent - Self::BINARY.min_exponent) as u64;
        Self::from_bits((biased << fraction_bits) + significand).with_sign(negative)
    }

    /// The value as a double, exactly; infinities and NaN included.
    fn value(self) -> f64 {
        match () {
            () if self.is_nan() => f64::NAN,
            () if self.is_infinite() => f64::INFINITY.with_sign(self.sign_bit()),
            () => self.real().round(BINARY64, Rounding::Nearest, self.sign_bit()),
        }
    }

    /// The value of a finite number.
    fn real(self) -> Real {
        assert!(self.is_finite(), "only finite numbers are real");
        let fraction_bits = Self::BINARY.precision - 1;
        let bits = self.bits() & !Self::sign_mask();
        let (biased, fraction) =
            ((bits >> fraction_bits) as i32, bits & ((1 << fraction_bits) - 1));
        let hidden = if biased == 0 { 0 } else { 1 << fraction_bits };
        let exponent = biased.max(1) - 1 + Self::BINARY.min_exponent - fraction_bits as i32;
        let magnitude = Real::integer((fraction | hidden) as i64).scaled(exponent);
        if self.sign_bit() { magnitude.negated() } else { magnitude }
    }

    /// True for a NaN.
    fn is_nan(self) -> bool {
        self.bits() & !Self::sign_mask() > Self::exponent_mask()
    }

    /// True for an infinity.
    fn is_infinite(self) -> bool {
        self.bits() & !Self::sign_mask() == Self::exponent_mask()
    }

    /// True for a number.
    fn is_finite(self) -> bool {
        self.bits() & !Self::sign_mask() < Self::exponent_mask()
    }

    /// True for both zeros.
    fn is_zero(self) -> bool {
        self.bits() & !Self::sign_mask() == 0
    }

    /// True for a number other than 0 below the smallest normal one in magnitude.
    fn is_subnormal(self) -> bool {
        self.bits() & Self::exponent_mask() == 0 && !self.is_zero()
    }

    /// The sign bit.
    fn sign_bit(self) -> bool {
        self.bits() & Self::sign_mask() != 0
    }

    /// The value with another sign bit.
    fn with_sign(self, negative: bool) -> Self {
        let sign = if negative { Self::sign_mask() } else { 0 };
        Self::from_bits(self.bits() & !Self::sign_mask() | sign)
    }

    /// The magnitude of `self` with the sign of `other`.
    fn with_sign_of(self, other: Self) -> Self {
        self.with_sign(other.sign_bit())
    }

    /// −self: the other sign bit, of a NaN too.
    fn negated(self) -> Self {
        self.with_sign(!self.sign_bit())
    }

    /// |self|, of a NaN too.
    fn magnitude(self) -> Self {
        self.with_sign(false)
    }

    /// An integer that orders values as numbers; 0 for both zeros. Not for NaN.
    fn order(self) -> i64 {
        let magnitude = self.magnitude().bits() as i64;
        if self.sign_bit() { -magnitude } else { magnitude }
    }

    /// The next larger value; the smallest subnormal for both zeros.
    fn successor(self) -> Self {
        match self.order() {
            0 => Self::from_bits(1),
            n if n > 0 => Self::from_bits(self.bits() + 1),
            _ => Self::from_bits(self.bits() - 1),
        }
    }

    /// The next smaller value.
    fn predecessor(self) -> Self {
        self.negated().successor().negated()
    }
}

impl Format for f64 {
    const BINARY: BinaryFormat = BINARY64;
    const SCALAR: Scalar = Scalar::Double;
    const BITS: u32 = 64;

    fn from_bits(bits: u64) -> f64 {
        f64::from_bits(bits)
    }

    fn bits(self) -> u64 {
        self.to_bits()
    }

    fn of(x: Component) -> f64 {
        x.double()
    }

    fn component(self) -> Component {
        Component::Double(self)
    }

    fn representable(x: f64) -> f64 {
        x
    }

    fn value(self) -> f64 {
        self
    }
}

impl Format for f32 {
    const BINARY: BinaryFormat = BINARY32;
    const SCALAR: Scalar = Scalar::Float;
    const BITS: u32 = 32;

    fn from_bits(bits: u64) -> f32 {
        f32::from_bits(bits as u32)
    }

    fn bits(self) -> u64 {
        self.to_bits().into()
    }

    fn of(x: Component) -> f32 {
        x.float()
    }

    fn component(self) -> Component {
        Component::Float(self)
    }

    fn representable(x: f64) -> f32 {
        // The float holds it: the host rounds nothing.
        x as f32
    }

    fn value(self) -> f64 {
        self.into()
    }
}

impl Format for Half {
    const BINARY: BinaryFormat = BINARY16;
    const SCALAR: Scalar = Scalar::Half;
    const BITS: u32 = 16;

    fn from_bits(bits: u64) -> Half {
        Half::new(bits as u16)
    }

    fn bits(self) -> u64 {
        self.word().into()
    }

    fn of(x: Component) -> Half {
        x.half()
    }

    fn component(self) -> Component {
        Component::Half(self)
    }

    fn value(self) -> f64 {
        Half::value(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> impl Iterator<Item = Half> {
        (0..=u16::MAX).map(Half::new)
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
            let expected = defined(half.word());
            assert!(half.is_nan() == expected.is_nan(), "{half:?}");
            if !half.is_nan() {
                assert_eq!(half.value().to_bits(), expected.to_bits(), "{half:?}");
                assert_eq!(
                    f64::from(f32::representable(half.value())).to_bits(),
                    expected.to_bits(),
                    "{half:?}"
                );
                assert_eq!(Half::from_double(half.value()), half);
                assert_eq!(half.negated().value(), -half.value());
            }
        }
        assert!(Half::from_double(f64::NAN).is_nan());
    }

    /// Exhaustive: between two neighbors, numbers below the middle round down, numbers above it up
    /// and the middle to even. The successor of the largest finite half would be 65536.
    #[test]
    fn rounding_turns_at_every_middle() {
        for bits in 0..0x7c00 {
            let (below, above) = (Half::new(bits), Half::new(bits + 1));
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
        assert_eq!(Half::from_double(5e-324), Half::zero(false));
        assert_eq!(Half::from_double(f64::MAX), Half::infinity(false));
    }

    /// Twice rounded through float this is 1 + 2⁻¹⁰ instead.
    #[test]
    fn doubles_are_rounded_once() {
        let power = |n: i32| 2f64.powi(n);
        let just_below_a_tie = 1.0 + 3.0 * power(-11) - power(-40);
        assert_eq!(Half::from_double(just_below_a_tie), Half::new(0x3c01));
        assert_eq!(Half::from_double(f64::from(just_below_a_tie as f32)), Half::new(0x3c02));
        let just_above_a_tie = 1.0 + power(-11) + power(-40);
        assert_eq!(Half::from_double(just_above_a_tie), Half::new(0x3c01));
        assert_eq!(Half::from_double(f64::from(just_above_a_tie as f32)), Half::new(0x3c00));
    }

    #[test]
    fn directions_bracket() {
        let third = Real::integer(1).div(&Real::integer(3));
        let down = Half::rounded(&third, Rounding::Down, false);
        assert_eq!(Half::rounded(&third, Rounding::Up, false), down.successor());
        assert!(down.real().less(&third) && third.less(&down.successor().real()));
        assert_eq!(Half::rounded(&Real::integer(65505), Rounding::Down, false), Half::new(0x7bff));
        assert_eq!(
            Half::rounded(&Real::integer(65505), Rounding::Up, false),
            Half::infinity(false)
        );
    }

    #[test]
    fn neighbors_are_adjacent() {
        for half in all().filter(|h| h.is_finite() && !h.is_zero()) {
            assert_eq!(half.successor().order(), half.order() + 1, "{half:?}");
            assert_eq!(half.predecessor().order(), half.order() - 1, "{half:?}");
        }
        assert_eq!(Half::new(0x8000).successor(), Half::new(1));
        assert_eq!(Half::zero(false).predecessor(), Half::new(0x8001));
    }
}
