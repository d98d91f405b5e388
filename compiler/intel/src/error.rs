//! Why a shader could not be compiled.

use std::fmt;
use thiserror::Error;

/// The part of the back end that gave up; names as in results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// Instruction selection.
    Lower,
    /// Register allocation.
    Allocate,
    /// Encoding.
    Encode,
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Layer::Lower => "lower",
            Layer::Allocate => "allocate",
            Layer::Encode => "encode",
        })
    }
}

/// A shader that cannot be compiled.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{layer}: {message}")]
pub struct CompileError {
    /// Where.
    pub layer: Layer,
    /// What.
    pub message: String,
}

impl CompileError {
    /// An error of instruction selection.
    #[cold]
    pub fn lower(message: impl Into<String>) -> CompileError {
        CompileError { layer: Layer::Lower, message: message.into() }
    }

    /// An error of register allocation.
    #[cold]
    pub fn allocate(message: impl Into<String>) -> CompileError {
        CompileError { layer: Layer::Allocate, message: message.into() }
    }

    /// An error of encoding.
    #[cold]
    pub fn encode(message: impl Into<String>) -> CompileError {
        CompileError { layer: Layer::Encode, message: message.into() }
    }
}
