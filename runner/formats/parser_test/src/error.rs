//! Errors with their position.

use std::ops::Range;

/// Maximum length of the offending text in bytes, without the ellipsis that marks a cut.
const TEXT_LIMIT: usize = 80;

/// The first error of a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}{}", quoted(.text))]
pub struct ParseError {
    /// Bytes of the offending text.
    pub span: Range<usize>,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// One sentence without the offending text.
    pub message: String,
    /// The offending text, shortened, invalid UTF-8 replaced; may be empty.
    pub text: String,
}

impl ParseError {
    /// Returns the error at `at`, a part of `file`.
    pub(crate) fn new(file: &[u8], at: &[u8], message: impl Into<String>) -> ParseError {
        let start = (at.as_ptr() as usize).saturating_sub(file.as_ptr() as usize).min(file.len());
        let end = (start + at.len()).min(file.len());
        let before = &file[..start];
        let line_start = before.iter().rposition(|&b| b == b'\n').map_or(0, |newline| newline + 1);
        let is_character_start = |byte: &&u8| **byte & 0xc0 != 0x80;
        let column = before[line_start..].iter().filter(is_character_start).count() + 1;
        ParseError {
            span: start..end,
            line: line_of(file, start),
            column: u32::try_from(column).unwrap_or(u32::MAX),
            message: message.into(),
            text: shortened(at),
        }
    }
}

/// Returns the line of an offset, from 1.
pub(crate) fn line_of(file: &[u8], offset: usize) -> u32 {
    let before = file.get(..offset).unwrap_or(file);
    let newlines = memchr::memchr_iter(b'\n', before).count();
    u32::try_from(newlines + 1).unwrap_or(u32::MAX)
}

fn shortened(bytes: &[u8]) -> String {
    match bytes.get(..TEXT_LIMIT) {
        Some(head) if bytes.len() > head.len() => format!("{}…", String::from_utf8_lossy(head)),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

fn quoted(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(": `{text}`") }
}
