//! Errors of lowering.

use program::Stage;
use thiserror::Error;
use vocabulary::InternalError;

/// A stage that cannot be lowered.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum LowerError {
    /// The program has no such stage.
    #[error("the program has no {0} stage")]
    NoStage(Stage),
    /// The typed program breaks one of its own rules: a defect of the front end.
    #[error("malformed program: {0}")]
    Malformed(&'static str),
    /// A built-in function without a lowering.
    #[error("built-in function `{0}` is not supported")]
    Unsupported(&'static str),
    /// Inlining, or a copy of an array element by element, grew past any sensible size.
    #[error("shader grows past {0} instructions when calls are inlined and arrays copied")]
    TooLarge(usize),
    /// Calls or statements nest too deeply.
    #[error("calls or statements nest deeper than {0} levels")]
    TooDeep(usize),
    /// An internal error.
    #[error(transparent)]
    Internal(#[from] InternalError),
}
