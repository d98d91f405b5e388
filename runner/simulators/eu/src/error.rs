//! Errors: bytes that are not a program, and programs that do what is not modeled.

use thiserror::Error;

use crate::host::HostError;

/// Bytes that cannot be decoded into a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DecodeError {
    /// An instruction is not one of this generation's.
    #[error("at byte {offset:#x}: {reason}")]
    Instruction {
        /// Where, in bytes from the start of the binary.
        offset: usize,
        /// Why.
        reason: String,
    },
    /// A jump that does not lead to an instruction.
    #[error("at byte {offset:#x}: the jump to byte {target:#x} leads to no instruction")]
    Jump {
        /// The jumping instruction.
        offset: usize,
        /// Where it would go.
        target: i64,
    },
    /// An entry point that is not an instruction's.
    #[error("no kernel starts at byte {offset:#x}")]
    Entry {
        /// The requested offset.
        offset: usize,
    },
}

/// Why an instruction could not be executed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Reason {
    /// The step budget is used up.
    #[error("the step limit of {0} is reached")]
    StepLimit(u64),
    /// Execution ran past the last instruction without an end-of-thread message.
    #[error("execution ran past the end of the kernel")]
    RanOff,
    /// An illegal instruction was executed.
    #[error("illegal instruction")]
    Illegal,
    /// The hardware has it, this simulator does not.
    #[error("not modeled: {0}")]
    NotModeled(String),
    /// A message that contradicts itself.
    #[error("malformed message: {0}")]
    Message(String),
    /// The host could not serve a message.
    #[error("{0}")]
    Host(String),
}

/// A failed execution and where it was.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("instruction {index} at byte {offset:#x} ({text}): {reason}")]
pub struct SimError {
    /// Index of the instruction in the kernel.
    pub index: usize,
    /// Its byte offset in the binary.
    pub offset: usize,
    /// The instruction as text.
    pub text: String,
    /// The error.
    pub reason: Reason,
}

impl SimError {
    /// Returns whether the step budget ran out: a deterministic timeout.
    pub fn is_timeout(&self) -> bool {
        matches!(self.reason, Reason::StepLimit(_))
    }
}

impl From<HostError> for Reason {
    fn from(error: HostError) -> Reason {
        Reason::Host(error.0)
    }
}
