//! Errors and the part of the text that they are about.

/// A range of byte offsets into the parsed text, end exclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset just past the last byte.
    pub end: u32,
}

impl Span {
    /// The span as a range that can index the text.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// The first error of a script.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}: `{text}`")]
pub struct ParseError {
    /// The offending bytes.
    pub span: Span,
    /// Line of `span.start`, counted from 1.
    pub line: u32,
    /// Column of `span.start` in characters, counted from 1.
    pub column: u32,
    /// One sentence without position and without the offending text.
    pub message: String,
    /// The offending text, shortened, invalid UTF-8 replaced.
    pub text: String,
}

/// The error of a text that spans cannot address.
pub(crate) fn too_large() -> ParseError {
    ParseError {
        span: Span::default(),
        line: 1,
        column: 1,
        message: "script of 4 GiB or more".to_owned(),
        text: String::new(),
    }
}
