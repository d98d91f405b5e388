//! Exact real numbers as fractions of integers of any size, and their correct rounding to binary
//! formats.

use dashu_base::{DivRem, SquareRoot, UnsignedAbs};
use dashu_int::{IBig, UBig};

/// A binary floating-point format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BinaryFormat {
    /// Bits of the significand, the hidden one included.
    pub precision: u32,
    /// Exponent of the smallest normal number.
    pub min_exponent: i32,
    /// Exponent of the largest finite numbers.
    pub max_exponent: i32,
}

/// IEEE binary64.
pub const BINARY64: BinaryFormat =
    BinaryFormat { precision: 53, min_exponent: -1022, max_exponent: 1023 };
/// IEEE binary32.
pub const BINARY32: BinaryFormat =
    BinaryFormat { precision: 24, min_exponent: -126, max_exponent: 127 };
/// IEEE binary16.
pub const BINARY16: BinaryFormat =
    BinaryFormat { precision: 11, min_exponent: -14, max_exponent: 15 };

/// Direction of a rounding.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rounding {
    /// To nearest, ties to even.
    Nearest,
    /// Toward negative infinity.
    Down,
    /// Toward positive infinity.
    Up,
}

/// A fraction. The denominator is never zero.
#[derive(Clone, Debug)]
pub struct Real {
    numerator: IBig,
    denominator: UBig,
}

impl Real {
    /// An integer.
    pub fn integer(n: i64) -> Real {
        Real { numerator: n.into(), denominator: UBig::ONE }
    }

    /// A finite double, exactly.
    pub fn from_f64(x: f64) -> Real {
        assert!(x.is_finite(), "only finite numbers are real");
        let bits = x.to_bits();
        let exponent = (bits >> 52 & 0x7ff) as i32;
        let fraction = bits & ((1 << 52) - 1);
        let (significand, scale) =
            if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) };
        let magnitude = Real::integer(significand as i64).scaled(scale);
        if x.is_sign_negative() { magnitude.negated() } else { magnitude }
    }

    /// self · 2ⁿ.
    pub fn scaled(self, n: i32) -> Real {
        let shift = n.unsigned_abs() as usize;
        if n >= 0 {
            Real { numerator: self.numerator << shift, ..self }
        } else {
            Real { denominator: self.denominator << shift, ..self }
        }
    }

    /// −self.
    pub fn negated(self) -> Real {
        Real { numerator: -self.numerator, ..self }
    }

    /// |self|.
    pub fn abs(self) -> Real {
        if self.is_negative() { self.negated() } else { self }
    }

    /// self + other.
    pub fn add(&self, other: &Real) -> Real {
        let left = &self.numerator * IBig::from(other.denominator.clone());
        let right = &other.numerator * IBig::from(self.denominator.clone());
        Real { numerator: left + right, denominator: &self.denominator * &other.denominator }
    }

    /// self − other.
    pub fn sub(&self, other: &Real) -> Real {
        self.add(&other.clone().negated())
    }

    /// self · other.
    pub fn mul(&self, other: &Real) -> Real {
        Real {
            numerator: &self.numerator * &other.numerator,
            denominator: &self.denominator * &other.denominator,
        }
    }

    /// self / other, for other ≠ 0.
    pub fn div(&self, other: &Real) -> Real {
        assert!(!other.is_zero(), "division by zero");
        let magnitude = (&other.numerator).unsigned_abs();
        let numerator = &self.numerator * IBig::from(other.denominator.clone());
        let numerator = if other.is_negative() { -numerator } else { numerator };
        Real { numerator, denominator: &self.denominator * magnitude }
    }

    /// True for 0.
    pub fn is_zero(&self) -> bool {
        self.numerator == IBig::ZERO
    }

    /// True for negative numbers.
    pub fn is_negative(&self) -> bool {
        self.numerator < IBig::ZERO
    }

    /// self < other.
    pub fn less(&self, other: &Real) -> bool {
        self.sub(other).is_negative()
    }

    /// Largest integer not above self.
    pub fn floor(&self) -> Real {
        let (quotient, remainder) = (&self.numerator).unsigned_abs().div_rem(&self.denominator);
        let quotient = IBig::from(quotient);
        let exact = remainder == UBig::ZERO;
        let numerator = match (self.is_negative(), exact) {
            (false, _) => quotient,
            (true, true) => -quotient,
            (true, false) => -quotient - IBig::ONE,
        };
        Real { numerator, denominator: UBig::ONE }
    }

    /// Smallest integer not below self.
    pub fn ceil(&self) -> Real {
        self.clone().negated().floor().negated()
    }

    /// Nearest integer not farther from 0 than self.
    pub fn trunc(&self) -> Real {
        if self.is_negative() { self.ceil() } else { self.floor() }
    }

    /// To the nearest integer, of two equally near ones the even one.
    pub fn round_even(&self) -> Real {
        let below = self.floor();
        let twice = self.sub(&below).scaled(1);
        let one = Real::integer(1);
        let odd = !below.clone().scaled(-1).is_integer();
        let up = one.less(&twice) || (!twice.less(&one) && odd);
        if up { below.add(&one) } else { below }
    }

    /// True for integers.
    pub fn is_integer(&self) -> bool {
        self.sub(&self.floor()).is_zero()
    }

    /// √self for self ≥ 0, rounded down at 2⁻³⁰⁰ relative precision or better; exact when the root
    /// is such a fraction.
    pub fn sqrt(&self) -> Real {
        assert!(!self.is_negative(), "root of a negative number");
        // √(n/d) = √(n·d·4ᵏ) / (d·2ᵏ).
        let bits = 2200usize;
        let radicand = ((&self.numerator).unsigned_abs() * &self.denominator) << (2 * bits);
        Real { numerator: IBig::from(radicand.sqrt()), denominator: &self.denominator << bits }
    }

    /// The integer value, truncated toward zero; `None` if it does not fit.
    pub fn truncated(&self) -> Option<i64> {
        let (quotient, _) = (&self.numerator).unsigned_abs().div_rem(&self.denominator);
        let magnitude = i64::try_from(quotient).ok()?;
        Some(if self.is_negative() { -magnitude } else { magnitude })
    }

    /// Exponent e with 2ᵉ ≤ |self| < 2ᵉ⁺¹, for self ≠ 0.
    pub fn exponent(&self) -> i32 {
        let magnitude = (&self.numerator).unsigned_abs();
        let bits = |x: &UBig| dashu_base::BitTest::bit_len(x) as i32;
        let guess = bits(&magnitude) - bits(&self.denominator);
        let power = Real::integer(1).scaled(guess);
        if self.clone().abs().less(&power) { guess - 1 } else { guess }
    }

    /// Rounds to a format; returns the value as a double, which holds every single and half.
    /// `negative_zero` is the sign of an exact zero.
    pub fn round(&self, format: BinaryFormat, rounding: Rounding, negative_zero: bool) -> f64 {
        if self.is_zero() {
            return if negative_zero { -0.0 } else { 0.0 };
        }
        let exponent = self.exponent().max(format.min_exponent);
        let unit = exponent - (format.precision as i32 - 1);
        // |self| in units of the last place, as quotient and remainder.
        let scaled = self.clone().abs().scaled(-unit);
        let (quotient, remainder) = (&scaled.numerator).unsigned_abs().div_rem(&scaled.denominator);
        let negative = self.is_negative();
        let up = match rounding {
            Rounding::Nearest => {
                let twice = &remainder << 1;
                twice > scaled.denominator
                    || (twice == scaled.denominator && &quotient & UBig::ONE == UBig::ONE)
            }
            Rounding::Down => negative && remainder != UBig::ZERO,
            Rounding::Up => !negative && remainder != UBig::ZERO,
        };
        let quotient = if up { quotient + UBig::ONE } else { quotient };
        let significand = u64::try_from(quotient).expect("a significand has at most 54 bits");
        let magnitude = significand_times_power(significand, unit);
        let limit = significand_times_power(
            (1 << format.precision) - 1,
            format.max_exponent - format.precision as i32 + 1,
        );
        let toward_zero = match rounding {
            Rounding::Nearest => false,
            Rounding::Down => !negative,
            Rounding::Up => negative,
        };
        let magnitude = match magnitude > limit {
            true if toward_zero => limit,
            true => f64::INFINITY,
            false => magnitude,
        };
        if negative { -magnitude } else { magnitude }
    }
}

/// significand · 2ᵉ, exactly or infinite; the significand has at most 54 bits.
fn significand_times_power(significand: u64, exponent: i32) -> f64 {
    if significand == 0 {
        return 0.0;
    }
    let bits = 64 - significand.leading_zeros() as i32;
    let top = bits - 1 + exponent;
    if top > 1023 {
        return f64::INFINITY;
    }
    if top < -1022 {
        // Subnormal: the unit is 2⁻¹⁰⁷⁴ and the significand counts it.
        let shift = exponent + 1074;
        return f64::from_bits(significand << shift.max(0));
    }
    let fraction = if bits <= 53 { significand << (53 - bits) } else { significand >> (bits - 53) };
    f64::from_bits(((top + 1023) as u64) << 52 | (fraction & ((1 << 52) - 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLES: [f64; 12] = [
        0.0,
        1.0,
        -1.5,
        0.1,
        f64::MAX,
        f64::MIN_POSITIVE,
        5e-324,
        -3.0e-310,
        4503599627370497.5,
        1e300,
        -7e-200,
        16777217.0,
    ];

    #[test]
    fn doubles_survive() {
        for x in SAMPLES {
            let back = Real::from_f64(x).round(BINARY64, Rounding::Nearest, false);
            assert_eq!(back.to_bits(), x.to_bits(), "{x:e}");
        }
    }

    #[test]
    fn arithmetic_rounds_as_ieee_hardware_does() {
        for a in SAMPLES {
            for b in SAMPLES {
                let (x, y) = (Real::from_f64(a), Real::from_f64(b));
                let check = |exact: Real, machine: f64| {
                    let rounded =
                        exact.round(BINARY64, Rounding::Nearest, machine.is_sign_negative());
                    assert_eq!(rounded.to_bits(), machine.to_bits(), "{a:e} {b:e}");
                };
                check(x.add(&y), a + b);
                check(x.mul(&y), a * b);
                if b != 0.0 {
                    check(x.div(&y), a / b);
                }
            }
            if a >= 0.0 {
                let root = Real::from_f64(a).sqrt().round(BINARY64, Rounding::Nearest, false);
                assert_eq!(root.to_bits(), a.sqrt().to_bits());
            }
            let single = Real::from_f64(a).round(BINARY32, Rounding::Nearest, a.is_sign_negative());
            assert_eq!(single as f32, a as f32);
            assert_eq!(f64::from(single as f32), single);
            assert_eq!(
                Real::from_f64(a).floor().round(BINARY64, Rounding::Nearest, false),
                a.floor()
            );
        }
    }

    #[test]
    fn directed_roundings_bracket() {
        let third = Real::integer(1).div(&Real::integer(3));
        let down = third.round(BINARY64, Rounding::Down, false);
        let up = third.round(BINARY64, Rounding::Up, false);
        assert_eq!(up, down.next_up());
        assert!(Real::from_f64(down).less(&third) && third.less(&Real::from_f64(up)));
        let beyond = Real::from_f64(f64::MAX).mul(&Real::integer(2));
        assert_eq!(beyond.round(BINARY64, Rounding::Down, false), f64::MAX);
        assert_eq!(beyond.round(BINARY64, Rounding::Up, false), f64::INFINITY);
    }
}
