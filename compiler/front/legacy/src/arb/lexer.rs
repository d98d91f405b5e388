//! Tokens with their positions.

use crate::arb::error::{Error, error};

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'a> {
    /// Name or keyword: letters, digits, `_` and `$`, not beginning with a digit.
    Name(&'a str),
    /// Unsigned number; integers keep their value.
    Number {
        /// Value.
        value: f32,
        /// The text was all digits: the integer.
        integer: Option<u32>,
    },
    /// One of `, ; . - + [ ] { } =`.
    Symbol(char),
    /// `..`
    Range,
    /// End of the text.
    End,
}

/// Reads one token after the other.
#[derive(Clone, Debug)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    /// Reads `text` from byte `at` on.
    pub(super) fn new(text: &'a str, at: usize) -> Lexer<'a> {
        Lexer { text, at }
    }

    /// The next token and the byte that it starts at.
    pub(super) fn next(&mut self) -> Result<(Token<'a>, usize), Error> {
        self.skip_blanks();
        let start = self.at;
        let rest = &self.text[start..];
        let Some(c) = rest.chars().next() else { return Ok((Token::End, start)) };
        let after_dot = rest.as_bytes().get(1).copied();
        let token = match c {
            'a'..='z' | 'A'..='Z' | '_' | '$' => {
                let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
                let end = rest.find(|c| !word(c)).unwrap_or(rest.len());
                self.at += end;
                return Ok((Token::Name(&rest[..end]), start));
            }
            '0'..='9' => return self.number(start),
            '.' if after_dot == Some(b'.') => {
                self.at += 1;
                Token::Range
            }
            '.' if after_dot.is_some_and(|b: u8| b.is_ascii_digit()) => return self.number(start),
            ',' | ';' | '.' | '-' | '+' | '[' | ']' | '{' | '}' | '=' => Token::Symbol(c),
            other => {
                return Err(error(
                    self.text,
                    start,
                    format!("unexpected character `{}`", other.escape_debug()),
                ));
            }
        };
        self.at += 1;
        Ok((token, start))
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            self.at += blank;
            let rest = &self.text[self.at..];
            if !rest.starts_with('#') {
                return;
            }
            self.at += rest.find('\n').unwrap_or(rest.len());
        }
    }

    /// Digits, a fraction, an exponent. A dot that another dot follows belongs to a range.
    fn number(&mut self, start: usize) -> Result<(Token<'a>, usize), Error> {
        let bytes = self.text.as_bytes();
        let digits = |mut at: usize| {
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
            at
        };
        let mut end = digits(start);
        let whole = end;
        if bytes.get(end) == Some(&b'.') && bytes.get(end + 1) != Some(&b'.') {
            end = digits(end + 1);
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            let exponent = digits(end + 1 + sign);
            if exponent > end + 1 + sign {
                end = exponent;
            }
        }
        self.at = end;
        let text = &self.text[start..end];
        let integer = if end == whole { text.parse().ok() } else { None };
        match text.parse() {
            Ok(value) => Ok((Token::Number { value, integer }, start)),
            Err(_) => Err(error(self.text, start, format!("malformed number `{text}`"))),
        }
    }
}
