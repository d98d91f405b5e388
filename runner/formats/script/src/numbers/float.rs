//! Floating-point readers: `strtod`, `strtof`, bit patterns, and the conversion to half floats.

use super::integer::{hex_pattern, sign};
use crate::text::{Parsed, miss, skip_space};

/// A number as `strtod` returns it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Real<T> {
    pub(crate) value: T,
    /// `strtod` would report `ERANGE`: the number overflows, or it is below the normal range and
    /// not exact. A decimal below the normal range counts as inexact; only decimals of more than a
    /// thousand digits would be exact there.
    pub(crate) out_of_range: bool,
}

/// An 8-digit bit pattern after exactly `0x` (low 32 bits of a longer one), or a decimal,
/// hexadecimal or special number read as double and then rounded to single.
pub(crate) fn float32(input: &[u8]) -> Parsed<'_, Real<f32>> {
    if let Ok((rest, pattern)) = hex_pattern(input) {
        return Ok((rest, Real { value: f32::from_bits(pattern as u32), out_of_range: false }));
    }
    let (rest, real) = strtod(input)?;
    Ok((rest, Real { value: real.value as f32, out_of_range: real.out_of_range }))
}

/// A 16-digit bit pattern after exactly `0x`, or a decimal, hexadecimal or special number.
pub(crate) fn float64(input: &[u8]) -> Parsed<'_, Real<f64>> {
    if let Ok((rest, pattern)) = hex_pattern(input) {
        return Ok((rest, Real { value: f64::from_bits(pattern), out_of_range: false }));
    }
    strtod(input)
}

/// C's `strtod` in the "C" locale: decimal, C99 hexadecimal (never a bit pattern), `inf`,
/// `infinity`, `nan`, `nan(…)`.
pub(crate) fn strtod(input: &[u8]) -> Parsed<'_, Real<f64>> {
    read(input)
}

/// C's `strtof`: like [`strtod`], but rounded once, to single.
pub(crate) fn strtof(input: &[u8]) -> Parsed<'_, f32> {
    let (rest, real) = read::<f32>(input)?;
    Ok((rest, real.value))
}

/// Bits of the half float that a double becomes in a `half` column: the mantissa is cut, not
/// rounded; magnitudes below 2⁻²⁴ become zero and those of 65536 and more infinity.
pub(crate) fn half_bits(value: f64) -> u16 {
    let bits = (value as f32).to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let exponent = (bits >> 23 & 0xff) as i32 - 127;
    let mantissa = (bits >> 13 & 0x3ff) as u16;
    let magnitude = match exponent {
        128 if bits & 0x7f_ffff != 0 => 0x7c01,
        16.. => 0x7c00,
        -14..=15 => ((exponent + 15) as u16) << 10 | mantissa,
        -24..=-15 => (0x400 | mantissa) >> (-14 - exponent),
        _ => 0,
    };
    sign | magnitude
}

/// A format to which numbers are rounded.
trait Format: Copy + 'static {
    /// Bits of the significand, the hidden one included.
    const PRECISION: u32;
    /// Largest binary exponent of a finite number.
    const MAX_EXPONENT: i64;
    /// Largest integer up to which all integers are exact.
    const MAX_INTEGER: u64;
    /// 10⁰ and up, as long as the powers are exact.
    const POWERS: &'static [Self];
    const INFINITY: Self;
    const NAN: Self;
    fn from_bits(bits: u64) -> Self;
    fn from_integer(n: u64) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    fn negate(self) -> Self;
    /// Neither zero, subnormal, infinite nor NaN.
    fn is_normal(self) -> bool;
    /// Correctly rounded value of a decimal number.
    fn parse(text: &str) -> Option<Self>;
}

macro_rules! format {
    ($float:ident, $bits:ident, $precision:literal, $max_exponent:literal, [$($power:literal)*]) => {
        impl Format for $float {
            const PRECISION: u32 = $precision;
            const MAX_EXPONENT: i64 = $max_exponent;
            const MAX_INTEGER: u64 = 1 << $precision;
            const POWERS: &'static [Self] = &[$($power),*];
            const INFINITY: Self = $float::INFINITY;
            // The quiet NaN without payload, sign clear.
            const NAN: Self = $float::from_bits($float::INFINITY.to_bits() | 1 << ($precision - 2));
            fn from_bits(bits: u64) -> Self {
                $float::from_bits(bits as $bits)
            }
            fn from_integer(n: u64) -> Self {
                n as $float
            }
            fn mul(self, other: Self) -> Self {
                self * other
            }
            fn div(self, other: Self) -> Self {
                self / other
            }
            fn negate(self) -> Self {
                -self
            }
            fn is_normal(self) -> bool {
                $float::is_normal(self)
            }
            fn parse(text: &str) -> Option<Self> {
                text.parse().ok()
            }
        }
    };
}

format!(f32, u32, 24, 127, [1e0 1e1 1e2 1e3 1e4 1e5 1e6 1e7 1e8 1e9 1e10]);
format!(f64, u64, 53, 1023, [1e0 1e1 1e2 1e3 1e4 1e5 1e6 1e7 1e8 1e9 1e10 1e11 1e12 1e13 1e14 1e15 1e16 1e17 1e18
                             1e19 1e20 1e21 1e22]);

fn read<F: Format>(input: &[u8]) -> Parsed<'_, Real<F>> {
    let (rest, negative) = sign(skip_space(input));
    let (rest, real): (_, Real<F>) = match rest {
        [b'0', b'x' | b'X', tail @ ..] => hexadecimal::<F>(tail).or_else(|_| decimal(rest))?,
        [b'0'..=b'9' | b'.', ..] => decimal(rest)?,
        _ => special(rest)?,
    };
    let value = if negative { real.value.negate() } else { real.value };
    Ok((rest, Real { value, ..real }))
}

/// `inf`, `infinity`, `nan`, `nan(characters)`, in any case.
fn special<F: Format>(input: &[u8]) -> Parsed<'_, Real<F>> {
    let without = |word: &[u8]| match input.split_at_checked(word.len()) {
        Some((head, rest)) if head.eq_ignore_ascii_case(word) => Some(rest),
        _ => None,
    };
    let real = |value| Real { value, out_of_range: false };
    if let Some(rest) = without(b"infinity").or_else(|| without(b"inf")) {
        return Ok((rest, real(F::INFINITY)));
    }
    let Some(rest) = without(b"nan") else { return miss() };
    Ok((nan_payload(rest).unwrap_or(rest), real(F::NAN)))
}

/// The input after `(characters)`; the characters, which C leaves to the library, do not change the
/// value.
fn nan_payload(input: &[u8]) -> Option<&[u8]> {
    let inner = input.strip_prefix(b"(")?;
    let end = inner.iter().position(|b| !b.is_ascii_alphanumeric() && *b != b'_')?;
    inner.split_at(end).1.strip_prefix(b")")
}

/// A decimal number without sign. Up to 19 digits with a small exponent need one exact
/// multiplication or division; the rest goes to the standard library, which rounds correctly.
fn decimal<F: Format>(input: &[u8]) -> Parsed<'_, Real<F>> {
    let mut significand = 0u64;
    let mut digits = 0usize;
    let mut exponent = 0i64;
    let mut nonzero = false;
    let mut fits = true;
    let mut at = 0;
    let mut point = false;
    while let Some(&byte) = input.get(at) {
        match byte {
            b'0'..=b'9' => {
                let digit = byte - b'0';
                nonzero |= digit != 0;
                digits += 1;
                // 10¹⁸ leaves room for one more digit.
                if significand < 1_000_000_000_000_000_000 {
                    significand = significand * 10 + u64::from(digit);
                    exponent -= i64::from(point);
                } else {
                    fits = false;
                }
            }
            b'.' if !point => point = true,
            _ => break,
        }
        at += 1;
    }
    if digits == 0 {
        return miss();
    }
    if let Some((length, power)) = decimal_exponent(&input[at..]) {
        at += length;
        exponent = exponent.saturating_add(power);
    }
    let (text, rest) = input.split_at(at);
    if fits && significand <= F::MAX_INTEGER {
        let power = F::POWERS.get(exponent.unsigned_abs() as usize);
        let exact = F::from_integer(significand);
        if let Some(&power) = power {
            let value = if exponent < 0 { exact.div(power) } else { exact.mul(power) };
            return Ok((rest, Real { value, out_of_range: false }));
        }
    }
    let Some(value) = std::str::from_utf8(text).ok().and_then(F::parse) else { return miss() };
    Ok((rest, Real { value, out_of_range: nonzero && !value.is_normal() }))
}

/// `e`, sign, digits: length and clamped value. Without digits the `e` is not part of the number.
fn decimal_exponent(input: &[u8]) -> Option<(usize, i64)> {
    exponent_after(input, b'e')
}

fn exponent_after(input: &[u8], letter: u8) -> Option<(usize, i64)> {
    let (&first, rest) = input.split_first()?;
    if !first.eq_ignore_ascii_case(&letter) {
        return None;
    }
    let (digits, negative) = sign(rest);
    let count = digits.iter().take_while(|b| b.is_ascii_digit()).count();
    if count == 0 {
        return None;
    }
    let clamp = |value: i64, &byte: &u8| (value * 10 + i64::from(byte - b'0')).min(1 << 40);
    let value = digits.iter().take(count).fold(0, clamp);
    Some((input.len() - digits.len() + count, if negative { -value } else { value }))
}

/// A C99 hexadecimal number after its `0x`.
fn hexadecimal<F: Format>(input: &[u8]) -> Parsed<'_, Real<F>> {
    let mut significand = 0u64;
    let mut sticky = false;
    let mut exponent = 0i64;
    let mut digits = 0usize;
    let mut point = false;
    let mut at = 0;
    while let Some(&byte) = input.get(at) {
        match (byte as char).to_digit(16) {
            Some(digit) => {
                digits += 1;
                if significand >> 60 == 0 {
                    significand = significand << 4 | u64::from(digit);
                    exponent -= if point { 4 } else { 0 };
                } else {
                    sticky |= digit != 0;
                    exponent += if point { 0 } else { 4 };
                }
            }
            None if byte == b'.' && !point => point = true,
            None => break,
        }
        at += 1;
    }
    if digits == 0 {
        return miss();
    }
    if let Some((length, power)) = exponent_after(&input[at..], b'p') {
        at += length;
        exponent += power;
    }
    Ok((&input[at..], round_binary(significand, sticky, exponent)))
}

/// `significand · 2^exponent`, plus something less than one unit if `sticky`, rounded to nearest
/// even.
fn round_binary<F: Format>(significand: u64, sticky: bool, exponent: i64) -> Real<F> {
    if significand == 0 {
        return Real { value: F::from_bits(0), out_of_range: false };
    }
    let shift = significand.leading_zeros();
    let normalized = u128::from(significand << shift);
    let leading = exponent - i64::from(shift) + 63;
    if leading > F::MAX_EXPONENT {
        return Real { value: F::INFINITY, out_of_range: true };
    }
    let min_exponent = 1 - F::MAX_EXPONENT;
    let missing = (min_exponent - leading).clamp(0, 64) as u32;
    let dropped = 64 - F::PRECISION + missing;
    let (kept, lost) = (normalized >> dropped, normalized & ((1 << dropped) - 1));
    let half = 1u128 << (dropped - 1);
    let up = lost > half || lost == half && (sticky || kept & 1 == 1);
    let kept = kept as u64 + u64::from(up);
    // The hidden bit of `kept` adds one to the exponent field, and a carry out of the significand
    // adds the next.
    let field = if missing == 0 { (leading + F::MAX_EXPONENT - 1) as u64 } else { 0 };
    let bits = (field << (F::PRECISION - 1)) + kept;
    let infinite = (2 * F::MAX_EXPONENT as u64 + 1) << (F::PRECISION - 1);
    let inexact = lost != 0 || sticky;
    Real { value: F::from_bits(bits), out_of_range: bits >= infinite || missing > 0 && inexact }
}
