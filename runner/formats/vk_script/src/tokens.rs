//! Tokens, which both formats share: words, quoted texts, numbers and line ends.
//!
//! Words end at blanks, commas and parentheses. `#` begins a comment, a backslash at the end of a
//! line continues it. A number ends where its syntax ends, so that `5%` and `0:3` are two tokens.

use nom::branch::alt;
use nom::bytes::complete::{tag, tag_no_case, take_while1};
use nom::character::complete::{digit0, digit1, one_of};
use nom::combinator::{not, opt};
use nom::sequence::{preceded, terminated};
use nom::{IResult, Parser};

use crate::error::Span;
use crate::text::{Fault, Step, saturate};

/// A token and its place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub(crate) kind: Kind<'a>,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Kind of a token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind<'a> {
    /// Any other text: a name, a keyword, a parenthesis, a comma.
    Word(&'a str),
    /// The text between quotation marks, with its backslashes.
    Quoted(&'a str),
    /// A decimal integer. The magnitude is `None` above 2^64 - 1.
    Integer { negative: bool, magnitude: Option<u64> },
    /// A hexadecimal integer; `None` above 2^64 - 1.
    Hex(Option<u64>),
    /// A number with a fraction or an exponent, or `nan`.
    Real(f64),
    /// The end of a line.
    LineEnd,
    /// The end of the text.
    End,
}

impl Token<'_> {
    pub(crate) fn span(&self) -> Span {
        Span { start: saturate(self.start), end: saturate(self.end) }
    }

    pub(crate) fn fault(&self, message: impl Into<String>) -> Fault {
        Fault { start: self.start, end: self.end, message: message.into() }
    }

    pub(crate) fn ends_line(&self) -> bool {
        matches!(self.kind, Kind::LineEnd | Kind::End)
    }

    pub(crate) fn is(&self, word: &str) -> bool {
        self.kind == Kind::Word(word)
    }
}

/// A place in a text from which tokens are read.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    /// End of the part that is read.
    end: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a str) -> Cursor<'a> {
        Cursor { text, at: 0, end: text.len() }
    }

    /// Reads a part of a text.
    pub(crate) fn part(text: &'a str, span: Span) -> Cursor<'a> {
        Cursor { text, at: span.start as usize, end: (span.end as usize).min(text.len()) }
    }

    /// Offset of the next byte.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Continues at an offset.
    pub(crate) fn jump(&mut self, at: usize) {
        self.at = at.min(self.end);
    }

    /// The unread text.
    pub(crate) fn rest(&self) -> &'a str {
        self.text.get(self.at..self.end).unwrap_or("")
    }

    pub(crate) fn peek(&self) -> Token<'a> {
        self.clone().next()
    }

    pub(crate) fn next(&mut self) -> Token<'a> {
        loop {
            self.skip_blanks();
            let rest = self.rest();
            let start = self.at;
            if let Some(length) = continuation(rest) {
                self.at += length;
                continue;
            }
            let (kind, length) = scan(rest);
            self.at += length;
            return Token { kind, start, end: self.at };
        }
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest();
        let after = rest.trim_start_matches(is_blank);
        let after = if after.starts_with('#') {
            let line_end = after.find('\n').unwrap_or(after.len());
            &after[line_end..]
        } else {
            after
        };
        self.at += rest.len() - after.len();
    }

    /// Reads a word; `expected` says which, for the error.
    pub(crate) fn word(&mut self, expected: &str) -> Step<(&'a str, Token<'a>)> {
        let token = self.next();
        match token.kind {
            Kind::Word(word) => Ok((word, token)),
            _ => Err(token.fault(format!("expected {expected}"))),
        }
    }

    /// Reads a word or a quoted text.
    pub(crate) fn word_or_quoted(&mut self, expected: &str) -> Step<(String, Token<'a>)> {
        let token = self.next();
        match token.kind {
            Kind::Word(word) => Ok((word.to_owned(), token)),
            Kind::Quoted(text) => Ok((unescape(text), token)),
            _ => Err(token.fault(format!("expected {expected}"))),
        }
    }

    /// Reads a given word.
    pub(crate) fn keyword(&mut self, keyword: &str) -> Step<Token<'a>> {
        let token = self.next();
        if token.is(keyword) {
            Ok(token)
        } else {
            Err(token.fault(format!("expected `{keyword}`")))
        }
    }

    /// Reads a given word if it is next.
    pub(crate) fn accept(&mut self, keyword: &str) -> bool {
        let found = self.peek().is(keyword);
        if found {
            self.next();
        }
        found
    }

    /// Reads an integer of 0 to 2^32 - 1.
    pub(crate) fn unsigned(&mut self, expected: &str) -> Step<u32> {
        let token = self.peek();
        let value = self.unsigned64(expected)?;
        u32::try_from(value).map_err(|_| {
            token.fault(format!(
                "{expected} is larger than 32 bits: expected a number up to 4294967295"
            ))
        })
    }

    /// Reads an integer of 0 to 2^64 - 1.
    pub(crate) fn unsigned64(&mut self, expected: &str) -> Step<u64> {
        let token = self.next();
        match token.kind {
            Kind::Integer { negative: false, magnitude: Some(value) } | Kind::Hex(Some(value)) => {
                Ok(value)
            }
            Kind::Integer { negative: true, magnitude: Some(0) } => Ok(0),
            Kind::Integer { negative: true, .. } => {
                Err(token.fault(format!("negative number: expected {expected}")))
            }
            Kind::Integer { .. } | Kind::Hex(None) => {
                Err(token.fault(format!("number of more than 64 bits: expected {expected}")))
            }
            _ => Err(token.fault(format!("expected {expected}"))),
        }
    }

    /// Reads a number of any kind.
    pub(crate) fn real(&mut self, expected: &str) -> Step<f64> {
        let token = self.next();
        number(&token).map(Number::real).ok_or_else(|| token.fault(format!("expected {expected}")))
    }

    /// Demands the end of a line or of the text.
    pub(crate) fn end_of_line(&mut self, command: &str) -> Step<()> {
        let token = self.next();
        if token.ends_line() {
            return Ok(());
        }
        Err(token.fault(format!("unexpected text after `{command}`")))
    }
}

/// A number as written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    /// Bits of an integer in two's complement, and whether it was negative.
    Integer { bits: u64, negative: bool },
    /// Any other number.
    Real(f64),
}

impl Number {
    pub(crate) fn real(self) -> f64 {
        match self {
            Number::Integer { bits, negative: false } => bits as f64,
            Number::Integer { bits, negative: true } => -(bits.wrapping_neg() as f64),
            Number::Real(value) => value,
        }
    }
}

/// The number that a token is, if it is one that fits into 64 bits.
pub(crate) fn number(token: &Token<'_>) -> Option<Number> {
    match token.kind {
        Kind::Integer { negative, magnitude } => {
            let magnitude = magnitude?;
            let bits = if negative { magnitude.wrapping_neg() } else { magnitude };
            Some(Number::Integer { bits, negative })
        }
        Kind::Hex(bits) => Some(Number::Integer { bits: bits?, negative: false }),
        Kind::Real(value) => Some(Number::Real(value)),
        _ => None,
    }
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\x0b' | '\x0c')
}

/// Length of a backslash and the line end that follows it.
fn continuation(rest: &str) -> Option<usize> {
    ["\\\n", "\\\r\n"].iter().find(|mark| rest.starts_with(**mark)).map(|mark| mark.len())
}

/// The first token of a text that does not begin with a blank, and its length.
fn scan(rest: &str) -> (Kind<'_>, usize) {
    let Some(first) = rest.chars().next() else {
        return (Kind::End, 0);
    };
    match first {
        '\n' => (Kind::LineEnd, 1),
        ',' | '(' | ')' => (Kind::Word(&rest[..1]), 1),
        '"' => quoted(rest),
        _ => match scan_number(rest) {
            Ok((after, kind)) => (kind, rest.len() - after.len()),
            Err(_) => {
                let length = rest.find(ends_word).unwrap_or(rest.len());
                (Kind::Word(&rest[..length]), length)
            }
        },
    }
}

fn ends_word(c: char) -> bool {
    is_blank(c) || matches!(c, '\n' | ',' | '(' | ')')
}

fn quoted(rest: &str) -> (Kind<'_>, usize) {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            '"' if !escaped => return (Kind::Quoted(&rest[1..at]), at + 1),
            '\n' => break,
            _ => escaped = c == '\\' && !escaped,
        }
    }
    // Without a closing mark it is a word, which no command accepts.
    let length = rest.find(ends_word).unwrap_or(rest.len());
    (Kind::Word(&rest[..length]), length)
}

/// A quoted text without its backslashes.
fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        match characters.next() {
            Some('a') => plain.push('\x07'),
            Some('b') => plain.push('\x08'),
            Some('t') => plain.push('\t'),
            Some('n') => plain.push('\n'),
            Some('v') => plain.push('\x0b'),
            Some('f') => plain.push('\x0c'),
            Some('r') => plain.push('\r'),
            Some(other) => plain.push(other),
            None => {}
        }
    }
    plain
}

fn scan_number(input: &str) -> IResult<&str, Kind<'_>> {
    alt((scan_hex, scan_decimal, scan_special)).parse(input)
}

fn scan_hex(input: &str) -> IResult<&str, Kind<'_>> {
    let digits = take_while1(|c: char| c.is_ascii_hexdigit());
    let (rest, digits) = preceded(tag("0x"), digits).parse(input)?;
    Ok((rest, Kind::Hex(u64::from_str_radix(digits, 16).ok())))
}

fn scan_decimal(input: &str) -> IResult<&str, Kind<'_>> {
    let with_integer = (digit1, opt((tag("."), digit0))).map(|_| ());
    let fraction = (tag("."), digit1).map(|_| ());
    let exponent = (one_of("eE"), opt(one_of("+-")), digit1);
    let (rest, _) = (opt(tag("-")), alt((with_integer, fraction)), opt(exponent)).parse(input)?;
    // Not `recognize`: at the end of the text it loses the digits behind the point.
    let text = &input[..input.len() - rest.len()];
    if text.contains(['.', 'e', 'E']) {
        // The syntax above is a part of what `parse` reads.
        return Ok((rest, Kind::Real(text.parse().unwrap_or(f64::NAN))));
    }
    let negative = text.starts_with('-');
    let magnitude = text.trim_start_matches('-').parse().ok();
    Ok((rest, Kind::Integer { negative, magnitude }))
}

/// `nan` and `inf` as whole words.
fn scan_special(input: &str) -> IResult<&str, Kind<'_>> {
    let words =
        alt((tag_no_case("nan"), tag_no_case("-nan"), tag_no_case("inf"), tag_no_case("-inf")));
    let (rest, word) = terminated(words, not(take_while1(|c| !ends_word(c)))).parse(input)?;
    let magnitude =
        if word.to_ascii_lowercase().ends_with("nan") { f64::NAN } else { f64::INFINITY };
    let value = if word.starts_with('-') { -magnitude } else { magnitude };
    Ok((rest, Kind::Real(value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind<'_>> {
        let mut cursor = Cursor::new(text);
        let mut found = Vec::new();
        loop {
            let token = cursor.next();
            if token.kind == Kind::End {
                return found;
            }
            found.push(token.kind);
        }
    }

    #[test]
    fn numbers_at_the_end_of_the_text() {
        let integer = |magnitude| Kind::Integer { negative: false, magnitude: Some(magnitude) };
        assert_eq!(kinds("-0.5"), [Kind::Real(-0.5)]);
        assert_eq!(kinds("12"), [integer(12)]);
        assert_eq!(kinds("1e3"), [Kind::Real(1000.0)]);
        assert_eq!(kinds(".25"), [Kind::Real(0.25)]);
        assert_eq!(kinds("7."), [Kind::Real(7.0)]);
        assert_eq!(kinds("0x1F"), [Kind::Hex(Some(31))]);
        assert_eq!(kinds("nan").len(), 1);
        assert_eq!(kinds("-0.00786614231765270"), [Kind::Real(-0.007_866_142_317_652_70)]);
    }

    #[test]
    fn words_and_numbers_in_one_piece() {
        let integer = |magnitude| Kind::Integer { negative: false, magnitude: Some(magnitude) };
        assert_eq!(kinds("5%"), [integer(5), Kind::Word("%")]);
        assert_eq!(kinds("0:3"), [integer(0), Kind::Word(":3")]);
        assert_eq!(
            kinds("(1,2)"),
            [Kind::Word("("), integer(1), Kind::Word(","), integer(2), Kind::Word(")")]
        );
        assert_eq!(
            kinds("name # comment\n\"a b\""),
            [Kind::Word("name"), Kind::LineEnd, Kind::Quoted("a b")]
        );
        assert_eq!(kinds("a \\\n b"), [Kind::Word("a"), Kind::Word("b")]);
        assert_eq!(kinds("information"), [Kind::Word("information")]);
    }
}
