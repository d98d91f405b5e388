//! `scanf`-style matching of scan patterns.
//!
//! A blank in a pattern matches any number of blanks, none included; literals match exactly; the
//! conversions (whole words of the pattern: `D`, `U`, `F`, `W`, `W31`, and `0xX`) skip leading
//! blanks. Text after the last conversion, in the pattern and in the line, is ignored.

use crate::numbers::{scan_hex, scan_signed, scan_unsigned, strtod, strtof};
use crate::text::{skip_space, utf8_prefix, word_bytes};

/// Maximum conversions in one pattern (`texture quads`).
const MAX_CAPTURES: usize = 22;
/// Maximum length of a `W31` word, in bytes.
const SHORT_WORD: usize = 31;

/// The texts that the conversions of a pattern consumed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Captures<'a> {
    texts: [&'a [u8]; MAX_CAPTURES],
    len: usize,
}

impl<'a> Captures<'a> {
    pub(crate) fn new() -> Captures<'a> {
        Captures { texts: [&[]; MAX_CAPTURES], len: 0 }
    }

    /// Number of conversions made.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The text of a conversion; empty if it was not made.
    pub(crate) fn text(&self, index: usize) -> &'a [u8] {
        self.texts.get(index).copied().unwrap_or_default()
    }

    /// A `W` conversion. A word of 31 bytes may have been cut inside a character, which is then
    /// dropped.
    pub(crate) fn word(&self, index: usize) -> &'a str {
        utf8_prefix(self.text(index))
    }

    /// A `D` conversion for a 64-bit variable.
    pub(crate) fn signed64(&self, index: usize) -> i64 {
        scan_signed(self.text(index)).map_or(0, |(_, value)| value)
    }

    /// A `D` conversion for an `int`; wider values wrap.
    pub(crate) fn signed(&self, index: usize) -> i32 {
        self.signed64(index) as i32
    }

    /// A `U` conversion for a 64-bit variable.
    pub(crate) fn unsigned64(&self, index: usize) -> u64 {
        scan_unsigned(self.text(index)).map_or(0, |(_, value)| value)
    }

    /// A `U` conversion for an `unsigned`; wider values wrap.
    pub(crate) fn unsigned(&self, index: usize) -> u32 {
        self.unsigned64(index) as u32
    }

    /// An `X` conversion for an `unsigned`.
    pub(crate) fn hex(&self, index: usize) -> u32 {
        scan_hex(self.text(index)).map_or(0, |(_, value)| value as u32)
    }

    /// An `F` conversion for a `float`.
    pub(crate) fn single(&self, index: usize) -> f32 {
        strtof(self.text(index)).map_or(0.0, |(_, value)| value)
    }

    /// An `F` conversion for a `double`.
    pub(crate) fn double(&self, index: usize) -> f64 {
        strtod(self.text(index)).map_or(0.0, |(_, real)| real.value)
    }

    /// Consecutive `F` conversions for `float`s.
    pub(crate) fn singles<const N: usize>(&self, first: usize) -> [f32; N] {
        std::array::from_fn(|i| self.single(first + i))
    }

    /// Consecutive `F` conversions for `double`s.
    pub(crate) fn doubles<const N: usize>(&self, first: usize) -> [f64; N] {
        std::array::from_fn(|i| self.double(first + i))
    }

    /// Consecutive `D` conversions for `int`s.
    pub(crate) fn signeds<const N: usize>(&self, first: usize) -> [i32; N] {
        std::array::from_fn(|i| self.signed(first + i))
    }

    fn push(&mut self, text: &'a [u8]) {
        if let Some(slot) = self.texts.get_mut(self.len) {
            *slot = text;
            self.len += 1;
        }
    }
}

/// Matches as much of `pattern` as possible; `captures` holds the conversions made. Returns whether
/// those are all.
pub(crate) fn scan<'a>(pattern: &str, line: &'a [u8], captures: &mut Captures<'a>) -> bool {
    captures.len = 0;
    let mut input = line;
    let mut first = true;
    let mut remaining = conversions(pattern);
    for element in pattern.split(' ') {
        if !first {
            input = skip_space(input);
        }
        first = false;
        let rest = match element {
            "D" | "U" => convert(input, captures, |i| scan_signed(i).map(|(rest, _)| rest).ok()),
            "F" => convert(input, captures, |i| strtod(i).map(|(rest, _)| rest).ok()),
            "W" => convert(input, captures, |i| word_bytes(i).map(|(rest, _)| rest).ok()),
            "W31" => convert(input, captures, short_word),
            "0xX" => match input.strip_prefix(b"0x") {
                Some(digits) => {
                    convert(digits, captures, |i| scan_hex(i).map(|(rest, _)| rest).ok())
                }
                None => None,
            },
            literal => {
                match input.strip_prefix(literal.as_bytes()) {
                    Some(rest) => {
                        input = rest;
                        continue;
                    }
                    // A literal after the last conversion does not matter.
                    None => return remaining == 0,
                }
            }
        };
        let Some(rest) = rest else { return false };
        input = rest;
        remaining -= 1;
        if remaining == 0 {
            return true;
        }
    }
    remaining == 0
}

fn conversions(pattern: &str) -> usize {
    pattern
        .split(' ')
        .filter(|element| matches!(*element, "D" | "U" | "F" | "W" | "W31" | "0xX"))
        .count()
}

/// Runs one conversion and records the text it consumed, leading blanks dropped.
fn convert<'a>(
    input: &'a [u8],
    captures: &mut Captures<'a>,
    read: impl Fn(&'a [u8]) -> Option<&'a [u8]>,
) -> Option<&'a [u8]> {
    let input = skip_space(input);
    let rest = read(input)?;
    captures.push(&input[..input.len() - rest.len()]);
    Some(rest)
}

fn short_word(input: &[u8]) -> Option<&[u8]> {
    let (_, word) = word_bytes(input).ok()?;
    Some(&input[word.len().min(SHORT_WORD)..])
}
