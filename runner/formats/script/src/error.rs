//! Errors with their position: [`Span`], [`ParseError`] and the internal [`Fault`].

use std::fmt;

/// A range of byte offsets into the parsed file, end exclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset just past the last byte.
    pub end: u32,
}

impl Span {
    /// The span as a range that can index the file's bytes.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Kind of a parse error, named after the violated part of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The bytes are not text: invalid UTF-8 or a NUL.
    Encoding,
    /// The file is larger than a 32-bit offset can address.
    TooLarge,
    /// `[require]` is missing, a header is unknown, or a section's body is malformed.
    Section,
    /// A line of `[require]` that is recognized but malformed or contradictory.
    Require,
    /// A malformed column header or an unreadable value in `[vertex data]`.
    VertexData,
    /// A line of `[test]` that no command pattern matches.
    UnknownCommand,
    /// A recognized command with arguments it does not take.
    Arguments,
    /// A number outside its valid range.
    Range,
    /// An unknown word where a GL enum is expected. Piglit aborts there, which its harness counts
    /// as a crash.
    UnknownEnum,
    /// A malformed CHECK line, or one outside `[test]`.
    Check,
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ErrorKind::Encoding => "encoding",
            ErrorKind::TooLarge => "file size",
            ErrorKind::Section => "section",
            ErrorKind::Require => "requirement",
            ErrorKind::VertexData => "vertex data",
            ErrorKind::UnknownCommand => "unknown command",
            ErrorKind::Arguments => "arguments",
            ErrorKind::Range => "range",
            ErrorKind::UnknownEnum => "unknown enum",
            ErrorKind::Check => "CHECK line",
        })
    }
}

/// The first error in a file at which piglit's interpreter stops.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct ParseError {
    /// The part of the format that was violated.
    pub kind: ErrorKind,
    /// The offending bytes.
    pub span: Span,
    /// Line of `span.start`, counted from 1.
    pub line: u32,
    /// Column of `span.start` in characters, counted from 1.
    pub column: u32,
    /// One sentence without position and without the offending text.
    pub message: String,
    /// The offending text, shortened to [`ParseError::TEXT_LIMIT`] bytes, invalid UTF-8 replaced.
    pub text: String,
}

impl ParseError {
    /// Maximum length of `text` in bytes, without the ellipsis that marks a cut.
    pub const TEXT_LIMIT: usize = 80;

    /// Locates `at`, which must be a part of `file` (anything else is reported at the end of the
    /// file).
    pub(crate) fn locate(file: &[u8], fault: &Fault<'_>) -> ParseError {
        let start = offset_in(file, fault.at);
        let end = (start + fault.at.len()).min(file.len());
        let before = file.get(..start).unwrap_or_default();
        let line_start = before.iter().rposition(|&b| b == b'\n').map_or(0, |newline| newline + 1);
        let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
        let is_character_start = |byte: &&u8| **byte & 0xc0 != 0x80;
        let column = before.iter().skip(line_start).filter(is_character_start).count() + 1;
        ParseError {
            kind: fault.kind,
            span: Span { start: saturate(start), end: saturate(end) },
            line: saturate(line),
            column: saturate(column),
            message: fault.message.clone(),
            text: shorten(fault.at),
        }
    }
}

/// An error before its position is computed: `at` is the offending part of the file itself.
#[derive(Clone, Debug)]
pub(crate) struct Fault<'a> {
    pub(crate) kind: ErrorKind,
    pub(crate) at: &'a [u8],
    pub(crate) message: String,
}

impl<'a> Fault<'a> {
    pub(crate) fn new(kind: ErrorKind, at: &'a [u8], message: impl Into<String>) -> Fault<'a> {
        Fault { kind, at, message: message.into() }
    }
}

/// Offset of `part` inside `whole`, clamped to `whole`'s length.
pub(crate) fn offset_in(whole: &[u8], part: &[u8]) -> usize {
    (part.as_ptr() as usize).saturating_sub(whole.as_ptr() as usize).min(whole.len())
}

/// A count or offset as the 32 bits that spans use; larger files are rejected before.
pub(crate) fn saturate(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

fn shorten(bytes: &[u8]) -> String {
    match bytes.get(..ParseError::TEXT_LIMIT) {
        Some(head) if bytes.len() > head.len() => format!("{}…", String::from_utf8_lossy(head)),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}
