//! Encoding and decoding of instructions, from one table of fields per chip.

mod decode;
mod encode;
pub(crate) mod fields;

use thiserror::Error;

use crate::chip::Chip;
use crate::field::Field;
use crate::slot::Row;

pub use decode::{Located, decode, decode_first, decode_meaning, decode_program, words_of_bytes};
pub use encode::encode;

/// Why dwords are no instruction.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DecodeError {
    /// No format has the prefix, or the format has no such opcode.
    #[error("{word:#010x} is not an instruction of {chip}")]
    Opcode {
        /// Chip.
        chip: &'static str,
        /// The first dword.
        word: u32,
    },
    /// A field has a value without meaning.
    #[error("{mnemonic}: operand code {code} has no meaning")]
    Operand {
        /// The operation.
        mnemonic: &'static str,
        /// The field's value.
        code: u32,
    },
    /// A register tuple goes past the last register.
    #[error("{mnemonic}: {count} registers from {first} on go past the last register")]
    Tuple {
        /// The operation.
        mnemonic: &'static str,
        /// Code of the first register.
        first: u32,
        /// Number of registers.
        count: u8,
    },
    /// The instruction goes past the end of the program.
    #[error("the instruction {word:#010x} goes past the end")]
    Truncated {
        /// The first dword, or 0 if there is none.
        word: u32,
    },
    /// An instruction of a program, with its place.
    #[error("offset {offset:#06x}: {error}")]
    At {
        /// Offset in bytes.
        offset: usize,
        /// The error there.
        error: Box<DecodeError>,
    },
    /// The bytes are no whole dwords.
    #[error("{bytes} bytes are no whole number of dwords")]
    Length {
        /// Number of bytes.
        bytes: usize,
    },
}

/// Why an instruction has no encoding.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EncodeError {
    /// The chip lacks the opcode in the format.
    #[error("{mnemonic} has no format {format} on {chip}")]
    Opcode {
        /// The operation.
        mnemonic: &'static str,
        /// The format.
        format: String,
        /// The chip.
        chip: &'static str,
    },
    /// A value does not fit its field.
    #[error("{mnemonic}: {what} does not fit its field")]
    Range {
        /// The operation.
        mnemonic: &'static str,
        /// The value.
        what: String,
    },
    /// The operand cannot be encoded at its place.
    #[error("{mnemonic}: operand {number} cannot be {what}")]
    Operand {
        /// The operation.
        mnemonic: &'static str,
        /// Number of the operand, from 1.
        number: usize,
        /// Description of the operand.
        what: String,
    },
    /// Two different literals.
    #[error("{mnemonic}: literals {first:#x} and {second:#x}: an instruction has one")]
    Literals {
        /// The operation.
        mnemonic: &'static str,
        /// The first.
        first: u32,
        /// The second.
        second: u32,
    },
}

/// The bits of the first dword that tell format and opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpcodeBits {
    /// The bits.
    pub mask: u32,
    /// Their values.
    pub bits: u32,
}

/// The bits of the first dword that tell a row of the opcode table.
pub fn opcode_bits(chip: Chip, row: &Row) -> Option<OpcodeBits> {
    let layout = fields::layout(chip, row.format)?;
    let mut bits = 0;
    let mut mask = 0;
    let (high, low) = layout.span(Field::Op).unwrap_or((0, 1));
    if high >= low {
        layout.set(&mut mask, Field::Op, (1 << (high - low + 1)) - 1);
        layout.set(&mut bits, Field::Op, u32::from(row.number));
    }
    let bits = bits as u32 | layout.prefix_bits;
    Some(OpcodeBits { mask: mask as u32 | layout.prefix_mask, bits })
}
