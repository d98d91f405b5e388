//! Errors of settings.

use std::io;

/// Settings that cannot be used.
#[derive(Debug, thiserror::Error)]
pub(in crate::cli) enum SettingsError {
    /// The file cannot be read.
    #[error("{path}: {source}")]
    Read {
        /// Path of the file.
        path: String,
        /// The system's error.
        source: io::Error,
    },
    /// A part of the file is wrong.
    #[error("{path}:{line}:{column}: {message}")]
    Line {
        /// Path of the file.
        path: String,
        /// Line number, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        /// Description of the problem.
        message: String,
    },
    /// A variable of the environment is wrong.
    #[error("variable {name}: {message}")]
    Variable {
        /// Name of the variable.
        name: String,
        /// Description of the problem.
        message: String,
    },
    /// The file has no such profile.
    #[error("{path}: no profile `{profile}`{hint}")]
    NoProfile {
        /// Path of the file.
        path: String,
        /// The wanted profile.
        profile: String,
        /// The profiles that there are.
        hint: String,
    },
    /// A profile is wanted, and there is no file.
    #[error(
        "profile `{profile}`: no runner.toml in the working directory or above; --settings FILE names one elsewhere"
    )]
    NoFile {
        /// The wanted profile.
        profile: String,
    },
}
