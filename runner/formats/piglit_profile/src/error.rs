//! Errors of reading profiles.

/// A profile that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProfileError {
    /// Damaged compressed data.
    #[error("not a gzip file: {0}")]
    Compressed(String),
    /// Compressed data that expands beyond all measure.
    #[error("more than {0} MiB of text")]
    TooLarge(u64),
    /// Text in another encoding than UTF-8.
    #[error("invalid UTF-8 at byte {0}")]
    Encoding(usize),
    /// Malformed XML, or elements in the wrong place.
    #[error("line {line}: {message}")]
    Malformed {
        /// Line number, from 1.
        line: usize,
        /// The problem.
        message: String,
    },
}
