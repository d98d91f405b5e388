//! Lexical level: blanks, words, lines, and the `nom` types that every reader shares.

use nom::bytes::complete::{take_while, take_while1};
use nom::{FindSubstring, IResult, Parser};

/// Result of a reader: the unread rest and the value, or a [`Miss`].
pub(crate) type Parsed<'a, T> = IResult<&'a [u8], T, Miss>;

/// Marker for a reader that did not match. The caller knows what was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Miss;

impl<I> nom::error::ParseError<I> for Miss {
    fn from_error_kind(_: I, _: nom::error::ErrorKind) -> Self {
        Miss
    }

    fn append(_: I, _: nom::error::ErrorKind, other: Self) -> Self {
        other
    }
}

/// The recoverable `nom` error.
pub(crate) fn miss<'a, T>() -> Parsed<'a, T> {
    Err(nom::Err::Error(Miss))
}

/// C's `isspace` without the newline: readers only ever see one line. A carriage return counts, so
/// files with CR LF line ends read like files without.
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
}

/// `input` without its leading blanks.
pub(crate) fn skip_space(mut input: &[u8]) -> &[u8] {
    while let [first, rest @ ..] = input {
        if !is_space(*first) {
            break;
        }
        input = rest;
    }
    input
}

/// `input` without trailing blanks.
pub(crate) fn trim_end(mut input: &[u8]) -> &[u8] {
    while let [rest @ .., last] = input {
        if !is_space(*last) {
            break;
        }
        input = rest;
    }
    input
}

/// A run of non-blank bytes after optional blanks.
pub(crate) fn word_bytes(input: &[u8]) -> Parsed<'_, &[u8]> {
    nom::sequence::preceded(take_while(is_space), take_while1(|b| !is_space(b))).parse(input)
}

/// A run of non-blank characters after optional blanks. Bytes that are not UTF-8 do not match: they
/// are in a comment.
pub(crate) fn word(input: &[u8]) -> Parsed<'_, &str> {
    let (rest, bytes) = word_bytes(input)?;
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok((rest, text)),
        Err(_) => miss(),
    }
}

/// The text of a part of a file up to the first byte that is not UTF-8: a comment, or a character
/// cut by the part's end.
pub(crate) fn utf8_prefix(bytes: &[u8]) -> &str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            bytes.get(..error.valid_up_to()).and_then(|b| std::str::from_utf8(b).ok()).unwrap_or("")
        }
    }
}

/// Splits at the first newline: the line without it, and the text after it (`None` without a
/// newline).
pub(crate) fn split_line(input: &[u8]) -> (&[u8], Option<&[u8]>) {
    match input.find_substring(&b"\n"[..]) {
        Some(end) => (&input[..end], Some(&input[end + 1..])),
        None => (input, None),
    }
}

/// The lines of a section body with their file line numbers.
pub(crate) struct Lines<'a> {
    rest: Option<&'a [u8]>,
    number: u32,
}

impl<'a> Lines<'a> {
    /// `first` is the file line number of the body's first line. A final newline does not start
    /// another line.
    pub(crate) fn new(body: &'a [u8], first: u32) -> Lines<'a> {
        Lines { rest: Some(body), number: first }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = (u32, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let input = self.rest.filter(|rest| !rest.is_empty())?;
        let (line, rest) = split_line(input);
        self.rest = rest;
        let number = self.number;
        self.number = number.saturating_add(1);
        Some((number, line))
    }
}
