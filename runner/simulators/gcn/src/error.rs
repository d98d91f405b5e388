//! Errors of execution.

use thiserror::Error;

/// Reason of a failed execution.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Reason {
    /// The step limit is used up.
    #[error("the step limit of {0} is reached")]
    StepLimit(u64),
    /// Execution went past the last instruction.
    #[error("execution ran past the end of the program")]
    RanOff,
    /// A jump to a place that is not an instruction.
    #[error("the jump leads to no instruction")]
    Jump,
    /// The hardware has it, this simulator does not.
    #[error("not modeled: {0}")]
    NotModeled(String),
    /// A register was used before its load was waited for.
    #[error("{register} is used before {counter} covers the load at byte {by:#x}")]
    Pending {
        /// The register.
        register: String,
        /// The counter to wait for.
        counter: &'static str,
        /// Offset of the load in bytes.
        by: usize,
    },
    /// A register was overwritten while a store or an export had still to read it.
    #[error("{register} is overwritten before expcnt covers the access at byte {by:#x}")]
    Held {
        /// The register.
        register: String,
        /// Offset of the store or export in bytes.
        by: usize,
    },
    /// Wait states are missing.
    #[error("hazard {name}: {states} wait states are needed after the instruction at byte {by:#x}")]
    Hazard {
        /// Name of the hazard.
        name: &'static str,
        /// Number of wait states.
        states: u8,
        /// Offset of the first instruction in bytes.
        by: usize,
    },
    /// The host has no memory there.
    #[error("no memory of {bytes} bytes at {address:#x}")]
    Memory {
        /// Address.
        address: u64,
        /// Number of bytes.
        bytes: usize,
    },
    /// A descriptor contradicts itself or the instruction.
    #[error("descriptor: {0}")]
    Descriptor(String),
    /// The host refuses an access to an image.
    #[error("image: {0}")]
    Image(String),
    /// An index relative to M0 is out of range.
    #[error("register index {0} is out of range")]
    RegisterIndex(i64),
}

/// A failed execution and its place.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("instruction at byte {offset:#x} ({text}): {reason}")]
pub struct ExecutionError {
    /// Offset of the instruction in bytes.
    pub offset: usize,
    /// Text of the instruction.
    pub text: String,
    /// Reason.
    pub reason: Reason,
}
