//! Errors of the compiler.

use intel_codegen::output::Width;
use thiserror::Error;
use vocabulary::{InternalError, Phase};

use crate::passes::PassError;

/// A stage that cannot be compiled.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum CompileError {
    /// The typed program cannot be lowered to IR.
    #[error("lower: {0}")]
    Lower(#[from] lower::LowerError),
    /// An IR pass failed.
    #[error("ir: {0}")]
    Pass(#[from] PassError),
    /// The back end failed.
    #[error(transparent)]
    Backend(#[from] ir::CompileError),
    /// The EU validator refuses the binary.
    #[error("validate: {0}")]
    Validate(#[from] InvalidBinary),
    /// An internal error outside of passes and back end.
    #[error("{}: {}", .0.phase, .0)]
    Internal(#[from] InternalError),
}

impl CompileError {
    /// Returns the phase that failed.
    pub fn phase(&self) -> Phase {
        match self {
            CompileError::Lower(lower::LowerError::Internal(error))
            | CompileError::Pass(PassError::Internal(error))
            | CompileError::Internal(error) => error.phase,
            CompileError::Lower(_) => Phase::Lower,
            CompileError::Pass(PassError::Invalid { .. }) => Phase::Ir,
            CompileError::Backend(error) => error.phase,
            CompileError::Validate(_) => Phase::Validate,
        }
    }

    /// Returns the reason without the phase.
    pub fn reason(&self) -> String {
        match self {
            CompileError::Lower(error @ lower::LowerError::Malformed(_)) => {
                format!("internal compiler error: {error}")
            }
            CompileError::Lower(error) => error.to_string(),
            CompileError::Pass(error @ PassError::Invalid { .. }) => {
                format!("internal compiler error: {error}")
            }
            CompileError::Pass(error) => error.to_string(),
            CompileError::Backend(error) => error.message.clone(),
            CompileError::Validate(error) => error.to_string(),
            CompileError::Internal(error) => error.to_string(),
        }
    }

    /// Returns true if the compiler itself is at fault, so that the test counts as a crash: no
    /// shader may lead to a malformed program or to IR that the validator refuses.
    pub fn is_internal(&self) -> bool {
        match self {
            CompileError::Internal(_)
            | CompileError::Lower(
                lower::LowerError::Internal(_) | lower::LowerError::Malformed(_),
            )
            | CompileError::Pass(_) => true,
            CompileError::Backend(error) => error.internal.is_some(),
            CompileError::Lower(_) | CompileError::Validate(_) => false,
        }
    }
}

/// A kernel that breaks the instruction set's rules.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error(
    "{} kernel, offset {:#x}: {} ({}; {count} {} in all){}",
    width.name(), first.offset, first.message, first.rule,
    if *count == 1 { "violation" } else { "violations" },
    instruction.as_ref().map(|text| format!("\n  {text}")).unwrap_or_default()
)]
pub struct InvalidBinary {
    /// Width of the kernel.
    pub width: Width,
    /// The first violation.
    pub first: intel_isa::Violation,
    /// Number of violations.
    pub count: usize,
    /// The instruction of the first violation; `None` if it does not decode.
    pub instruction: Option<String>,
}
