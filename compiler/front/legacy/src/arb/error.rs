//! Errors with their position in the program text.

/// Error that makes a program fail to load.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct Error {
    /// Line of the program text, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// Description, with the offending text.
    pub message: String,
}

/// An error at byte `at` of `text`.
pub(crate) fn error(text: &str, at: usize, message: impl Into<String>) -> Error {
    let before = &text[..at.min(text.len())];
    let line = before.matches('\n').count() as u32 + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() as u32 + 1;
    Error { line, column, message: message.into() }
}
