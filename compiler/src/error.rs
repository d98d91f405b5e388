//! Errors of the compiler.

use std::fmt;
use thiserror::Error;
use vocabulary::Phase;

/// A stage that cannot be compiled.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{phase}: {message}")]
pub struct CompileError {
    /// The phase that failed.
    pub phase: Phase,
    /// The reason.
    pub message: String,
}

impl CompileError {
    pub(crate) fn new(phase: Phase, message: impl fmt::Display) -> CompileError {
        CompileError { phase, message: message.to_string() }
    }
}

impl From<lower::LowerError> for CompileError {
    fn from(error: lower::LowerError) -> CompileError {
        CompileError::new(Phase::Lower, error)
    }
}

impl From<ir::ValidationError> for CompileError {
    fn from(error: ir::ValidationError) -> CompileError {
        CompileError::new(Phase::Ir, error)
    }
}

impl From<intel::CompileError> for CompileError {
    fn from(error: intel::CompileError) -> CompileError {
        CompileError::new(error.phase, error.message)
    }
}
