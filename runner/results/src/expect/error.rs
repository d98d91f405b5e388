//! Errors of expectation files.

use std::path::Path;

/// Expectations that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ExpectError {
    /// A malformed line.
    #[error("{path}:{line}: {message}")]
    Line {
        /// Path of the file.
        path: String,
        /// Line number, from 1.
        line: usize,
        /// Description of the problem.
        message: String,
    },
    /// A file that cannot be read or used as a whole.
    #[error("{path}: {message}")]
    File {
        /// Path of the file.
        path: String,
        /// Description of the problem.
        message: String,
    },
}

impl ExpectError {
    pub(super) fn line(path: &Path, line: usize, message: impl Into<String>) -> ExpectError {
        ExpectError::Line { path: path.display().to_string(), line, message: message.into() }
    }
}
