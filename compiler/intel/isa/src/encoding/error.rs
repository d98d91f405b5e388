//! Reasons for which instructions cannot be encoded or decoded.

use thiserror::Error;

use super::fields::Field;
use crate::opcode::Opcode;

/// Why an instruction cannot be encoded.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum EncodeError {
    /// The generation does not have the opcode.
    #[error("this generation has no `{}`", opcode.mnemonic())]
    NoSuchOpcode {
        /// The opcode.
        opcode: Opcode,
    },
    /// The generation does not have the field.
    #[error("this generation's instructions have no field {field:?}")]
    NoSuchField {
        /// The field.
        field: Field,
    },
    /// A value is too large for its field.
    #[error("{value} does not fit field {field:?} of {bits} bits")]
    DoesNotFit {
        /// The field.
        field: Field,
        /// The value.
        value: i64,
        /// Width of the field.
        bits: u32,
    },
    /// A value has no hardware code on this generation.
    #[error("{what} has no encoding here")]
    NoCode {
        /// The value.
        what: &'static str,
    },
    /// Two fields that share bits need different values.
    #[error("field {field:?} overlaps bits that hold something else")]
    Overlap {
        /// The later field.
        field: Field,
    },
    /// The instruction lacks its message (sends) or its function (MATH).
    #[error("`{}` needs a {what}", opcode.mnemonic())]
    Missing {
        /// The opcode.
        opcode: Opcode,
        /// The missing part.
        what: &'static str,
    },
    /// The instruction is marked compacted but no compacted form exists.
    #[error("instruction cannot be compacted")]
    NotCompactable,
}

/// Why bytes cannot be decoded.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum DecodeError {
    /// Fewer bytes than the instruction needs.
    #[error("truncated instruction: {have} bytes of {need}")]
    Truncated {
        /// Bytes left.
        have: usize,
        /// Bytes needed.
        need: usize,
    },
    /// No such opcode on this generation.
    #[error("opcode {code} does not exist on this generation")]
    UnknownOpcode {
        /// Number in the opcode field.
        code: u64,
    },
    /// A field holds a code that means nothing.
    #[error("reserved code {code} in field {field:?}")]
    Reserved {
        /// The field.
        field: Field,
        /// Its value.
        code: u64,
    },
    /// A combination this crate does not model.
    #[error("{what} is not a valid instruction")]
    Unsupported {
        /// The combination.
        what: &'static str,
    },
    /// At byte `offset` of a program.
    #[error("at byte {offset}: {error}")]
    At {
        /// Byte offset of the instruction.
        offset: usize,
        /// The error.
        error: Box<DecodeError>,
    },
}
