//! Reasons why a command or a batch cannot be executed.

use packets::{Command, Fault, WalkError};

/// Why a batch cannot be executed further.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GpuError {
    /// The batch cannot be walked.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// The GPU does not have the engine.
    #[error("not modeled: engine {0}")]
    Engine(u32),
    /// A command failed.
    #[error("{name} ({header:#010x}) at {address:#x}: {reason}")]
    Command {
        /// Name of the command.
        name: &'static str,
        /// First double word.
        header: u32,
        /// Address of the command.
        address: u64,
        /// Reason.
        reason: CommandError,
    },
}

/// Why a command cannot be executed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// It uses something that the virtual GPU does not have yet.
    #[error("not modeled: {0}")]
    NotModeled(String),
    /// It accesses memory outside every object.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// The process that submitted the batch has ended.
    #[error("stopped, because the process has ended")]
    Abandoned,
    /// A kernel cannot be decoded or executed.
    #[error("kernel at {address:#x}: {text}")]
    Kernel {
        /// Address of the kernel.
        address: u64,
        /// Reason.
        text: String,
    },
}

impl CommandError {
    /// The error of the kernel at an address.
    #[must_use]
    pub fn kernel(address: u64, error: &dyn std::fmt::Display) -> CommandError {
        CommandError::Kernel { address, text: error.to_string() }
    }
}

impl GpuError {
    /// The error of a command.
    #[must_use]
    pub fn of(command: &Command<'_>, reason: CommandError) -> GpuError {
        let (name, address) = (command.layout.name, command.address);
        GpuError::Command { name, header: command.words[0], address, reason }
    }
}

/// Result of a part of a command.
pub type Outcome<T> = Result<T, CommandError>;

/// The error of a part that is not modeled.
///
/// # Errors
/// Always.
pub fn not_modeled<T>(what: impl Into<String>) -> Outcome<T> {
    Err(CommandError::NotModeled(what.into()))
}
