//! Failures of the evaluator.

/// Why evaluation stopped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvalError {
    /// The surroundings do not offer this.
    #[error("{0} is not supported here")]
    Unsupported(&'static str),
    /// The step limit was reached: probably an endless loop.
    #[error("more than {0} instructions")]
    Steps(u64),
    /// The shader breaks a rule of the validator.
    #[error("malformed shader: {0}")]
    Malformed(&'static str),
    /// Any failure of the surroundings.
    #[error("{0}")]
    Service(String),
}
