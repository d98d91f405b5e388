//! Errors of the back end.

use thiserror::Error;
use vocabulary::{InternalError, Phase};

/// A shader that cannot be compiled.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{phase}: {message}")]
pub struct CompileError {
    /// The phase that failed: [`Phase::Lower`], [`Phase::Allocate`], [`Phase::Encode`] or
    /// [`Phase::Validate`].
    pub phase: Phase,
    /// The reason.
    pub message: String,
    /// True if the compiler itself is at fault.
    pub internal: bool,
}

impl CompileError {
    /// Returns an error of instruction selection: the back end lacks something.
    #[cold]
    pub fn lower(message: impl Into<String>) -> CompileError {
        CompileError { phase: Phase::Lower, message: message.into(), internal: false }
    }

    /// Returns an internal error of instruction selection: the IR breaks a rule that the validator
    /// or an earlier pass guarantees.
    #[cold]
    pub fn internal(message: impl Into<String>) -> CompileError {
        CompileError { phase: Phase::Lower, message: message.into(), internal: true }
    }

    /// Returns an error of register allocation.
    #[cold]
    pub fn allocate(message: impl Into<String>) -> CompileError {
        CompileError { phase: Phase::Allocate, message: message.into(), internal: false }
    }

    /// Returns an error of encoding.
    #[cold]
    pub fn encode(message: impl Into<String>) -> CompileError {
        CompileError { phase: Phase::Encode, message: message.into(), internal: false }
    }
}

impl From<InternalError> for CompileError {
    #[cold]
    fn from(error: InternalError) -> CompileError {
        CompileError { phase: error.phase, message: error.to_string(), internal: true }
    }
}
