//! Why a stage did not become a binary.

use std::fmt;
use thiserror::Error;

/// The layer that gave up, named as in results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layer {
    /// Typed program to IR, or instruction selection.
    Lower,
    /// A pass left a shader that the IR validator refuses.
    Ir,
    /// Register allocation.
    Allocate,
    /// Encoding.
    Encode,
    /// The EU validator refuses the binary.
    Validate,
}

impl Layer {
    /// The name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Layer::Lower => "lower",
            Layer::Ir => "ir",
            Layer::Allocate => "allocate",
            Layer::Encode => "encode",
            Layer::Validate => "validate",
        }
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A stage that cannot be compiled.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{layer}: {message}")]
pub struct CompileError {
    /// Where.
    pub layer: Layer,
    /// What.
    pub message: String,
}

impl CompileError {
    pub(crate) fn new(layer: Layer, message: impl fmt::Display) -> CompileError {
        CompileError { layer, message: message.to_string() }
    }
}

impl From<lower::LowerError> for CompileError {
    fn from(error: lower::LowerError) -> CompileError {
        CompileError::new(Layer::Lower, error)
    }
}

impl From<ir::ValidationError> for CompileError {
    fn from(error: ir::ValidationError) -> CompileError {
        CompileError::new(Layer::Ir, error)
    }
}

impl From<intel::CompileError> for CompileError {
    fn from(error: intel::CompileError) -> CompileError {
        let layer = match error.layer {
            intel::Layer::Lower => Layer::Lower,
            intel::Layer::Allocate => Layer::Allocate,
            intel::Layer::Encode => Layer::Encode,
        };
        CompileError::new(layer, error.message)
    }
}
