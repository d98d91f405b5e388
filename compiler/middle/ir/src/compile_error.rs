//! Errors of code generators.

use std::fmt::Display;

use thiserror::Error;
use vocabulary::{InternalError, Phase};

use crate::pass::PassError;

/// A shader that a code generator cannot compile.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{phase}: {message}")]
pub struct CompileError {
    /// The phase that failed: [`Phase::Lower`], [`Phase::Allocate`], [`Phase::Encode`] or
    /// [`Phase::Validate`].
    pub phase: Phase,
    /// The reason.
    pub message: String,
    /// The internal error, if the compiler itself is at fault.
    #[source]
    pub internal: Option<Box<InternalError>>,
}

impl CompileError {
    /// Returns an error of instruction selection: the code generator lacks something.
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

impl<F: Display> From<PassError<F>> for CompileError {
    #[cold]
    fn from(error: PassError<F>) -> CompileError {
        match error {
            PassError::Invalid { pass, failures } => {
                InternalError::new(Phase::Lower, failures.to_string()).in_pass(pass).into()
            }
            PassError::Internal(error) => error.into(),
        }
    }
}
