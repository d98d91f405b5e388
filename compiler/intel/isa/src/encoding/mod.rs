//! Bytes to instructions and back.

mod compact;
mod compact_tables;
mod decode;
mod encode;
mod error;
mod fields;
mod operands;
mod types;
mod writer;

#[cfg(test)]
mod tests;

pub use decode::{Located, decode, decode_program, raw_encoding};
pub use encode::{encode, encode_into, encode_program};
pub use error::{DecodeError, EncodeError};
pub use fields::Field;
