//! The outcome of an expectation that does not hold.

/// The reason why an expectation does not hold: sentences without position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Mismatch {
    /// The sentences: what was expected, what was found, where, and how often.
    pub message: String,
}

pub(super) fn mismatch(message: impl Into<String>) -> Mismatch {
    Mismatch { message: message.into() }
}
