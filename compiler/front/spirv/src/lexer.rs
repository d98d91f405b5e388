//! Tokens of assembly text.

use crate::error::AssemblyError;

/// A token with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub(crate) kind: TokenKind,
    /// Text; of a string what is between the quotes, escapes included.
    pub(crate) text: &'a str,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// `%name`.
    Id,
    /// `=`.
    Equals,
    /// A number, name, or names joined by `|`.
    Word,
    /// A quoted string.
    Text,
}

impl Token<'_> {
    pub(crate) fn error(&self, message: impl Into<String>) -> AssemblyError {
        AssemblyError { line: self.line, column: self.column, message: message.into() }
    }

    /// True if an instruction's name is here.
    pub(crate) fn is_opcode(&self) -> bool {
        let name = self.text.strip_prefix("Op");
        // `OpenCL_C` is a language.
        let is_name = name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_uppercase()));
        self.kind == TokenKind::Word && is_name
    }
}

/// Splits a text into tokens; `;` begins a comment.
pub(crate) fn tokens(text: &str) -> Result<Vec<Token<'_>>, AssemblyError> {
    let mut lexer = Lexer { rest: text, line: 1, column: 1 };
    let mut list = Vec::new();
    while let Some(token) = lexer.next()? {
        list.push(token);
    }
    Ok(list)
}

struct Lexer<'a> {
    rest: &'a str,
    line: u32,
    column: u32,
}

impl<'a> Lexer<'a> {
    fn next(&mut self) -> Result<Option<Token<'a>>, AssemblyError> {
        self.skip();
        let (line, column) = (self.line, self.column);
        let token = |kind, text| Ok(Some(Token { kind, text, line, column }));
        let Some(first) = self.rest.chars().next() else { return Ok(None) };
        match first {
            '=' => token(TokenKind::Equals, self.take(1)),
            '"' => {
                let Some(length) = quoted_length(&self.rest[1..]) else {
                    let message = "the string has no end".to_owned();
                    return Err(AssemblyError { line, column, message });
                };
                let text = self.take(length + 2);
                token(TokenKind::Text, &text[1..=length])
            }
            _ => {
                let ends = |c: char| c.is_whitespace() || matches!(c, '=' | ';' | '"');
                let length = self.rest.find(ends).unwrap_or(self.rest.len());
                match self.take(length) {
                    "%" => {
                        let message = "`%` without a name".to_owned();
                        Err(AssemblyError { line, column, message })
                    }
                    text if first == '%' => token(TokenKind::Id, text),
                    text => token(TokenKind::Word, text),
                }
            }
        }
    }

    /// Skips space and comments.
    fn skip(&mut self) {
        loop {
            let space = self.rest.len() - self.rest.trim_start().len();
            self.take(space);
            if !self.rest.starts_with(';') {
                return;
            }
            let comment = self.rest.find('\n').unwrap_or(self.rest.len());
            self.take(comment);
        }
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        match taken.rfind('\n') {
            Some(last) => {
                self.line += taken.matches('\n').count() as u32;
                self.column = (taken.len() - last) as u32;
            }
            None => self.column += taken.len() as u32,
        }
        taken
    }
}

/// Returns the bytes before the closing quote.
fn quoted_length(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some(at),
            _ => {}
        }
    }
    None
}

/// Returns a string without the backslashes of its escapes.
pub(crate) fn unescaped(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        result.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    result
}
