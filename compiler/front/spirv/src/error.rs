//! Errors of text and of modules.

/// A malformed text.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct AssemblyError {
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
    /// The wrong text and why.
    pub message: String,
}

/// A malformed or invalid module, or one that cannot be translated.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("word {offset}: {message}")]
pub struct Error {
    /// Number of the instruction's first word in the module.
    pub offset: usize,
    /// The instruction with its result's name, and what is wrong with it.
    pub message: String,
}

impl Error {
    /// An error at a word.
    pub(crate) fn new(offset: usize, message: impl Into<String>) -> Error {
        Error { offset, message: message.into() }
    }
}
