//! Tokens of the text form.

use std::fmt;

/// Why a text is not a shader.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct ParseError {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// Description of the error.
    pub message: String,
}

/// A token and where it starts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub(crate) kind: TokenKind<'a>,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind<'a> {
    /// Letters, digits and `_ . ! -`.
    Word(&'a str),
    /// Contents of a quoted string, escapes not resolved (names have none).
    Text(&'a str),
    /// One of `{ } [ ] = , : @`.
    Punct(char),
    Newline,
    End,
}

impl fmt::Display for TokenKind<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TokenKind::Word(word) => write!(f, "`{word}`"),
            TokenKind::Text(text) => write!(f, "\"{text}\""),
            TokenKind::Punct(c) => write!(f, "`{c}`"),
            TokenKind::Newline => write!(f, "end of line"),
            TokenKind::End => write!(f, "end of text"),
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '!' | '-')
}

/// Splits a text into tokens, the last of them [`TokenKind::End`].
pub(crate) fn tokens(text: &str) -> Result<Vec<Token<'_>>, ParseError> {
    let mut tokens = Vec::new();
    let mut line_number = 0;
    for line in text.lines() {
        line_number += 1;
        let mut rest = line;
        while let Some(c) = rest.chars().next() {
            let column = line[..line.len() - rest.len()].chars().count() as u32 + 1;
            let error = |message: String| ParseError { line: line_number, column, message };
            let (kind, length) = match c {
                ';' => break,
                ' ' | '\t' => {
                    rest = &rest[1..];
                    continue;
                }
                '{' | '}' | '[' | ']' | '=' | ',' | ':' | '@' => (TokenKind::Punct(c), 1),
                '"' => match rest[1..].find('"') {
                    Some(end) => (TokenKind::Text(&rest[1..=end]), end + 2),
                    None => return Err(error("string without end".into())),
                },
                c if is_word(c) => {
                    let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                    (TokenKind::Word(&rest[..length]), length)
                }
                c => return Err(error(format!("unexpected character {c:?}"))),
            };
            tokens.push(Token { kind, line: line_number, column });
            rest = &rest[length..];
        }
        tokens.push(Token {
            kind: TokenKind::Newline,
            line: line_number,
            column: line.chars().count() as u32 + 1,
        });
    }
    tokens.push(Token { kind: TokenKind::End, line: line_number + 1, column: 1 });
    Ok(tokens)
}
