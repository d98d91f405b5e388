//! Errors of commands.

use raster::device::DeviceError;

/// Error of a command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MachineError {
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The command is not valid.
    #[error("{0}")]
    Invalid(String),
    /// The machine lacks something that drivers may lack, too.
    #[error("{0}")]
    Lacks(String),
}

/// Result of a step.
pub(crate) type Flow<T = ()> = Result<T, MachineError>;

/// Returns the error of a command that is not valid.
pub(crate) fn invalid(reason: impl Into<String>) -> MachineError {
    MachineError::Invalid(reason.into())
}

/// Returns the error of a command that needs something that is missing.
pub(crate) fn lacks(what: impl std::fmt::Display) -> MachineError {
    MachineError::Lacks(format!("the machine lacks {what}"))
}
