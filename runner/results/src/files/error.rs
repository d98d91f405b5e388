//! Errors of reading the files of a run.

use std::io;

use super::jsonl::FORMAT;

/// A results file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file cannot be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// Path of the file.
        path: String,
        /// The system's error.
        source: io::Error,
    },
    /// A folder is not that of a run, or its run has no results yet.
    #[error("{path}: {reason}")]
    NoRun {
        /// Path of the folder.
        path: String,
        /// The reason.
        reason: &'static str,
    },
    /// The file was written by a newer version of the runner.
    #[error("{path}: format {format} is newer than this runner, which reads format {FORMAT}")]
    Newer {
        /// Path of the file.
        path: String,
        /// Format of the file.
        format: u64,
    },
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
}
