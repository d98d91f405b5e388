//! Errors of the back end.

use crate::lir::Failures;
use ir::PassError;
use thiserror::Error;
use vocabulary::{InternalError, Phase};

/// A shader that cannot be compiled.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{phase}: {message}")]
pub struct CompileError {
    /// The phase that failed: [`Phase::Lower`], [`Phase::Allocate`] or [`Phase::Encode`].
    pub phase: Phase,
    /// The reason.
    pub message: String,
    /// The internal error, if the compiler itself is at fault.
    #[source]
    pub internal: Option<Box<InternalError>>,
}

impl CompileError {
    /// Returns an error of instruction selection.
    #[cold]
    pub fn lower(message: impl Into<String>) -> CompileError {
        CompileError { phase: Phase::Lower, message: message.into(), internal: None }
    }

    /// Returns an internal error of instruction selection: the IR breaks a rule that the
    /// validator or an earlier pass guarantees.
    #[cold]
    #[track_caller]
    pub fn internal(message: impl Into<String>) -> CompileError {
        InternalError::new(Phase::Lower, message).into()
    }

    /// Returns an error of register allocation.
    #[cold]
    pub fn allocate(message: impl Into<String>) -> CompileError {
        CompileError { phase: Phase::Allocate, message: message.into(), internal: None }
    }

    /// Returns an error of encoding.
    #[cold]
    pub fn encode(message: impl Into<String>) -> CompileError {
        CompileError { phase: Phase::Encode, message: message.into(), internal: None }
    }
}

impl From<InternalError> for CompileError {
    #[cold]
    fn from(error: InternalError) -> CompileError {
        CompileError {
            phase: error.phase,
            message: error.to_string(),
            internal: Some(Box::new(error)),
        }
    }
}

impl From<PassError<Failures>> for CompileError {
    #[cold]
    fn from(error: PassError<Failures>) -> CompileError {
        match error {
            PassError::Invalid { pass, failures } => {
                InternalError::new(Phase::Lower, failures.to_string()).in_pass(pass).into()
            }
            PassError::Internal(error) => error.into(),
        }
    }
}
