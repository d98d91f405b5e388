//! Integer readers: `strtol` and its relatives, hexadecimal bit patterns, `scanf`'s `%d`, `%u` and
//! `%x`.

use crate::text::{Parsed, miss, skip_space};

/// An integer before its conversion to a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Integer {
    pub(crate) negative: bool,
    /// Absolute value, `u64::MAX` when `overflow`.
    pub(crate) magnitude: u64,
    /// More digits than 64 bits hold.
    pub(crate) overflow: bool,
}

impl Integer {
    /// The value as `strtoll` returns it: clamped to 64 signed bits; the flag is true if it was
    /// clamped.
    pub(crate) fn clamped(self) -> (i64, bool) {
        if self.negative {
            let fits = self.magnitude <= 1 << 63;
            (
                if fits { (self.magnitude as i64).wrapping_neg() } else { i64::MIN },
                self.overflow || !fits,
            )
        } else {
            match i64::try_from(self.magnitude) {
                Ok(value) => (value, self.overflow),
                Err(_) => (i64::MAX, true),
            }
        }
    }

    /// The value as `strtoull` returns it: a minus sign negates modulo 2⁶⁴, overflow gives the
    /// maximum.
    pub(crate) fn modular(self) -> u64 {
        if self.negative && !self.overflow { self.magnitude.wrapping_neg() } else { self.magnitude }
    }
}

/// `strtol` with base 0: sign, then `0x` hexadecimal, `0` octal, or decimal digits.
pub(crate) fn strtol(input: &[u8]) -> Parsed<'_, Integer> {
    let (rest, negative) = sign(skip_space(input));
    let (rest, magnitude, overflow) = match rest {
        [b'0', b'x' | b'X', digit, ..] if digit.is_ascii_hexdigit() => hex_digits(&rest[2..]),
        [b'0', ..] => digits(rest, 8),
        [b'1'..=b'9', ..] => digits(rest, 10),
        _ => return miss(),
    };
    Ok((rest, Integer { negative, magnitude, overflow }))
}

/// Exactly `0x` at the number's start, then an unsigned hexadecimal number; more than 64 bits
/// become all ones, as in `strtoull`. Without digits after it the value is 0 and the `x` stays
/// unread.
pub(crate) fn hex_pattern(input: &[u8]) -> Parsed<'_, u64> {
    let input = skip_space(input);
    match input {
        [b'0', b'x', digit, ..] if digit.is_ascii_hexdigit() => {
            let (rest, value, _) = hex_digits(&input[2..]);
            Ok((rest, value))
        }
        [b'0', b'x', ..] => Ok((&input[1..], 0)),
        _ => miss(),
    }
}

/// Base 0, clamped to 64 signed bits, low 32 bits.
pub(crate) fn signed32(input: &[u8]) -> Parsed<'_, i32> {
    let (rest, integer) = strtol(input)?;
    Ok((rest, integer.clamped().0 as i32))
}

/// Base 0, 64 unsigned bits, low 32 bits.
pub(crate) fn unsigned32(input: &[u8]) -> Parsed<'_, u32> {
    let (rest, integer) = strtol(input)?;
    Ok((rest, integer.modular() as u32))
}

/// A 64-bit pattern or a signed number base 0; the flag is true if the number did not fit.
pub(crate) fn signed64(input: &[u8]) -> Parsed<'_, (i64, bool)> {
    if let Ok((rest, pattern)) = hex_pattern(input) {
        return Ok((rest, (pattern as i64, false)));
    }
    let (rest, integer) = strtol(input)?;
    Ok((rest, integer.clamped()))
}

/// `strtoull` base 0; the flag is true if the number did not fit.
pub(crate) fn unsigned64(input: &[u8]) -> Parsed<'_, (u64, bool)> {
    let (rest, integer) = strtol(input)?;
    Ok((rest, (integer.modular(), integer.overflow)))
}

/// `%d` and its longer forms: decimal digits only.
pub(crate) fn scan_signed(input: &[u8]) -> Parsed<'_, i64> {
    let (rest, integer) = scan_decimal(input)?;
    Ok((rest, integer.clamped().0))
}

/// `%u` and its longer forms: decimal digits only.
pub(crate) fn scan_unsigned(input: &[u8]) -> Parsed<'_, u64> {
    let (rest, integer) = scan_decimal(input)?;
    Ok((rest, integer.modular()))
}

/// `%x`: hexadecimal digits with or without `0x`.
pub(crate) fn scan_hex(input: &[u8]) -> Parsed<'_, u64> {
    let (rest, negative) = sign(skip_space(input));
    let (rest, magnitude, overflow) = match rest {
        [b'0', b'x' | b'X', digit, ..] if digit.is_ascii_hexdigit() => hex_digits(&rest[2..]),
        [digit, ..] if digit.is_ascii_hexdigit() => hex_digits(rest),
        _ => return miss(),
    };
    Ok((rest, Integer { negative, magnitude, overflow }.modular()))
}

fn scan_decimal(input: &[u8]) -> Parsed<'_, Integer> {
    let (rest, negative) = sign(skip_space(input));
    if !rest.first().is_some_and(u8::is_ascii_digit) {
        return miss();
    }
    let (rest, magnitude, overflow) = digits(rest, 10);
    Ok((rest, Integer { negative, magnitude, overflow }))
}

/// An optional sign and whether it is a minus.
pub(crate) fn sign(input: &[u8]) -> (&[u8], bool) {
    match input {
        [b'-', rest @ ..] => (rest, true),
        [b'+', rest @ ..] => (rest, false),
        _ => (input, false),
    }
}

/// Digits of a base up to ten: rest, value, and whether it overflowed (the value is then
/// `u64::MAX`).
fn digits(mut input: &[u8], base: u8) -> (&[u8], u64, bool) {
    let mut value = 0u64;
    let mut overflow = false;
    while let [byte, rest @ ..] = input {
        let digit = byte.wrapping_sub(b'0');
        if digit >= base {
            break;
        }
        match value.checked_mul(base.into()).and_then(|v| v.checked_add(digit.into())) {
            Some(next) => value = next,
            None => overflow = true,
        }
        input = rest;
    }
    (input, if overflow { u64::MAX } else { value }, overflow)
}

/// Hexadecimal digits: rest, value, and whether it overflowed. Eight digits are converted at a
/// time, because bit patterns of 8 and 16 digits are most of the corpus.
fn hex_digits(mut input: &[u8]) -> (&[u8], u64, bool) {
    let mut value = 0u64;
    let mut overflow = false;
    while let Some((chunk, rest)) = input.split_first_chunk::<8>() {
        let Some(eight) = eight_hex_digits(*chunk) else { break };
        overflow |= value >> 32 != 0;
        value = value << 32 | u64::from(eight);
        input = rest;
    }
    while let [byte, rest @ ..] = input {
        let Some(digit) = (*byte as char).to_digit(16) else { break };
        overflow |= value >> 60 != 0;
        value = value << 4 | u64::from(digit);
        input = rest;
    }
    (input, if overflow { u64::MAX } else { value }, overflow)
}

/// Value of eight ASCII hexadecimal digits, all lanes of a 64-bit word at once; `None` if one is
/// not a digit.
fn eight_hex_digits(chunk: [u8; 8]) -> Option<u32> {
    const LANES: u64 = 0x0101_0101_0101_0101;
    const TOP: u64 = 0x80 * LANES;
    // Top bit of each lane: is the lane (known to be below 0x80) at least `bound`?
    let at_least = |word: u64, bound: u8| word + u64::from(0x80 - bound) * LANES;
    let word = u64::from_le_bytes(chunk);
    if word & TOP != 0 {
        return None;
    }
    let lower = word | (0x20 * LANES);
    let digit = at_least(word, b'0') & !at_least(word, b'9' + 1);
    let letter = at_least(lower, b'a') & !at_least(lower, b'f' + 1);
    if (digit | letter) & TOP != TOP {
        return None;
    }
    // Letters have bit 6 set and their low nibble counts from 1.
    let nibbles = (word & (0x0f * LANES)) + 9 * ((word >> 6) & LANES);
    let bytes = (nibbles << 4 | nibbles >> 8) & 0x00ff_00ff_00ff_00ff;
    let halves = (bytes << 8 | bytes >> 16) & 0x0000_ffff_0000_ffff;
    Some((halves << 16 | halves >> 32) as u32)
}
