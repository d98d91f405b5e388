//! Values of numeric literals.

use std::cmp::Ordering;

use super::Parser;
use super::keyword::Suffixes;
use crate::ast::{ExprId, ExprKind, FloatType, IntType};
use crate::token::Token;

impl Parser<'_> {
    pub(super) fn int_literal(&mut self) -> super::Parsed<ExprId> {
        let token = self.bump();
        let spelling = token.spelling(self.unit.sources.bytes());
        match integer(spelling, self.buffers.keywords.suffixes) {
            Ok((value, ty)) => self.push_expr(ExprKind::Int(value, ty), self.span(token), 0),
            Err(message) => Err(self.error(self.span(token), message)),
        }
    }

    pub(super) fn float_literal(&mut self) -> super::Parsed<ExprId> {
        let token: Token = self.bump();
        let spelling = token.spelling(self.unit.sources.bytes());
        match float(spelling, self.buffers.keywords.suffixes) {
            Ok((value, ty)) => self.push_expr(ExprKind::Float(value, ty), self.span(token), 0),
            Err(message) => Err(self.error(self.span(token), message)),
        }
    }
}

/// Value and type of an integer literal (GLSL 4.60 section 4.1.3): unsuffixed literals keep any
/// 32-bit pattern.
fn integer(spelling: &[u8], allowed: Suffixes) -> Result<(u64, IntType), &'static str> {
    let (radix, rest) = match spelling {
        [b'0', b'x' | b'X', rest @ ..] => (16, rest),
        [b'0', rest @ ..] if rest.first().is_some_and(u8::is_ascii_digit) => (8, rest),
        _ => (10, spelling),
    };
    let mut value = 0u64;
    let mut overflow = false;
    let mut digits = 0;
    for &byte in rest {
        let Some(digit) = (byte as char).to_digit(if radix == 16 { 16 } else { 10 }) else { break };
        if digit >= radix {
            return Err("an octal literal has only the digits 0 to 7");
        }
        digits += 1;
        let next =
            value.checked_mul(u64::from(radix)).and_then(|v| v.checked_add(u64::from(digit)));
        overflow |= next.is_none();
        value = next.unwrap_or(0);
    }
    if digits == 0 {
        return Err("a hexadecimal literal needs digits");
    }
    let (ty, ok, bits) = match &rest[digits..] {
        b"" => (IntType::Int, true, 32),
        b"u" | b"U" => (IntType::Uint, allowed.uint, 32),
        b"l" | b"L" => (IntType::Int64, allowed.int64, 64),
        b"ul" | b"UL" => (IntType::Uint64, allowed.int64, 64),
        b"s" | b"S" => (IntType::Int16, allowed.int16, 16),
        b"us" | b"uS" | b"Us" | b"US" => (IntType::Uint16, allowed.int16, 16),
        _ => return Err("unknown suffix of an integer literal"),
    };
    if !ok {
        return Err("this literal suffix needs a later version or an extension");
    }
    if overflow || bits < 64 && value >> bits != 0 {
        return Err("integer literal too large for its type");
    }
    Ok((value, ty))
}

/// Value and type of a floating-point literal; a `float` is rounded once, from the decimal.
fn float(spelling: &[u8], allowed: Suffixes) -> Result<(f64, FloatType), &'static str> {
    let number =
        spelling.iter().rposition(|b| matches!(b, b'0'..=b'9' | b'.')).map_or(0, |i| i + 1);
    let (digits, suffix) = spelling.split_at(number);
    let (ty, ok) = match suffix {
        b"" => (FloatType::Float, true),
        b"f" | b"F" => (FloatType::Float, allowed.float),
        b"lf" | b"LF" => (FloatType::Double, allowed.double),
        b"hf" | b"HF" => (FloatType::Half, allowed.half),
        _ => return Err("unknown suffix of a floating-point literal"),
    };
    if !ok {
        return Err("this literal suffix needs a later version or an extension");
    }
    if !digits.iter().any(|b| matches!(b, b'.' | b'e' | b'E')) {
        return Err("a floating-point literal needs a point or an exponent");
    }
    let digits = std::str::from_utf8(digits).unwrap_or_default();
    let value = match ty {
        FloatType::Float => digits.parse::<f32>().map(f64::from),
        FloatType::Double => digits.parse::<f64>(),
        FloatType::Half => digits.parse::<f64>().map(|value| toward_decimal(value, digits)),
    };
    value.map(|value| (value, ty)).map_err(|_| "malformed floating-point literal")
}

/// The value that a decimal number was rounded to, moved back toward the number by one unit if it
/// could be in the middle between two half-precision values: rounding to half precision afterwards
/// is then rounding the number itself.
fn toward_decimal(value: f64, digits: &str) -> f64 {
    // Such a middle has 12 significant bits of 53 at most, and is a multiple of 2^-36.
    const REST: u64 = (1 << 41) - 1;
    if value.to_bits() & REST != 0 {
        return value;
    }
    match significant_digits(digits).cmp(&significant_digits(&format!("{value:.36}"))) {
        Ordering::Less => value.next_down(),
        Ordering::Equal => value,
        Ordering::Greater => value.next_up(),
    }
}

/// The decimal exponent of a positive number's first digit other than 0, and the digits from there
/// on without trailing zeros; the pairs are ordered like the numbers. The smallest exponent and no
/// digits for 0.
fn significant_digits(text: &str) -> (i64, Vec<u8>) {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut digits: Vec<u8> =
        whole.bytes().chain(fraction.bytes()).skip_while(|&d| d == b'0').collect();
    let zeros = whole.len() + fraction.len() - digits.len();
    while digits.last() == Some(&b'0') {
        digits.pop();
    }
    if digits.is_empty() {
        return (i64::MIN, digits);
    }
    let exponent = exponent.parse::<i64>().unwrap_or(0);
    (exponent.saturating_add(whole.len() as i64 - zeros as i64), digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Suffixes =
        Suffixes { uint: true, float: true, double: true, int64: true, int16: true, half: true };

    #[test]
    fn integers() {
        assert_eq!(integer(b"0", ALL), Ok((0, IntType::Int)));
        assert_eq!(integer(b"017", ALL), Ok((15, IntType::Int)));
        assert_eq!(integer(b"0xffffffff", ALL), Ok((0xffff_ffff, IntType::Int)));
        assert_eq!(integer(b"0Xffu", ALL), Ok((255, IntType::Uint)));
        assert_eq!(integer(b"2147483648", ALL), Ok((1 << 31, IntType::Int)));
        assert_eq!(integer(b"18446744073709551615UL", ALL), Ok((u64::MAX, IntType::Uint64)));
        assert_eq!(integer(b"9223372036854775807L", ALL), Ok((i64::MAX as u64, IntType::Int64)));
        for spelling in ["65535us", "65535uS", "0xffffUs", "0177777US"] {
            assert_eq!(
                integer(spelling.as_bytes(), ALL),
                Ok((65535, IntType::Uint16)),
                "{spelling}"
            );
        }
        assert_eq!(integer(b"7S", ALL), Ok((7, IntType::Int16)));
    }

    #[test]
    fn bad_integers() {
        for bad in [
            "4294967296",
            "0x100000000",
            "65536s",
            "18446744073709551616ul",
            "08",
            "0x",
            "1uL",
            "1lu",
            "12ab",
        ] {
            assert!(integer(bad.as_bytes(), ALL).is_err(), "{bad}");
        }
        for gated in ["1u", "1l", "1UL", "1s"] {
            assert!(integer(gated.as_bytes(), Suffixes::default()).is_err(), "{gated}");
        }
    }

    #[test]
    fn floats() {
        assert_eq!(float(b"1.", ALL), Ok((1.0, FloatType::Float)));
        assert_eq!(float(b".5f", ALL), Ok((0.5, FloatType::Float)));
        assert_eq!(float(b"1.e3F", ALL), Ok((1000.0, FloatType::Float)));
        assert_eq!(float(b"1e-3lf", ALL), Ok((0.001, FloatType::Double)));
        assert_eq!(float(b"0.1", ALL), Ok((f64::from(0.1f32), FloatType::Float)));
        assert_eq!(float(b"2.LF", ALL), Ok((2.0, FloatType::Double)));
        assert_eq!(float(b"1.5HF", ALL), Ok((1.5, FloatType::Half)));
        // Rounding to f64 first would round this tie down to 1.
        assert_eq!(
            float(b"1.00000005960464477540", ALL),
            Ok((f64::from(1.000_000_1_f32), FloatType::Float))
        );
        for (text, value) in [
            ("1.00048828125hf", 1.000_488_281_25),
            ("1.000488281250000000000001hf", 1.000_488_281_25f64.next_up()),
            ("1000.48828124999999999999999e-3HF", 1.000_488_281_25f64.next_down()),
            ("0.00000002980232238769531250hf", 2f64.powi(-25)),
            ("2.98023223876953125000000001e-8hf", 2f64.powi(-25).next_up()),
            ("0.0hf", 0.0),
        ] {
            assert_eq!(float(text.as_bytes(), ALL), Ok((value, FloatType::Half)), "{text}");
        }
        for bad in ["1.0g", "1.0lF", "1ef", "1.0e", "1.2.3", "1f", "2LF", "3hf"] {
            assert!(float(bad.as_bytes(), ALL).is_err(), "{bad}");
        }
        assert!(float(b"1.0lf", Suffixes::default()).is_err());
    }
}
