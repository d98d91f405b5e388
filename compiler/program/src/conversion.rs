//! Implicit conversions (GLSL 4.60 section 4.1.10): which ones a shader has depends on its version
//! and its extensions.

use crate::types::Scalar;

/// The implicit conversions of a shader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conversions {
    /// Any at all: from GLSL 1.20 on.
    pub any: bool,
    /// `int` to `uint`.
    pub int_to_uint: bool,
    /// To `double`.
    pub doubles: bool,
    /// To and from 64-bit integers.
    pub int64: bool,
    /// Of several functions that arguments convert to the best is called, as from GLSL 4.00 on;
    /// else that is ambiguous.
    pub ranking: bool,
}

impl Conversions {
    /// Returns true if a value of component type `from` converts implicitly to `to`.
    #[must_use]
    pub fn allow(&self, from: Scalar, to: Scalar) -> bool {
        use Scalar as S;
        if from == to {
            return true;
        }
        if !self.any {
            return false;
        }
        match (from, to) {
            (S::Int | S::Uint, S::Float) => true,
            (S::Int, S::Uint) => self.int_to_uint,
            (S::Int | S::Uint | S::Float, S::Double) => self.doubles,
            // ARB_gpu_shader_int64, section 4.1.10.
            (S::Int, S::Int64 | S::Uint64) | (S::Uint, S::Uint64) | (S::Int64, S::Uint64) => {
                self.int64
            }
            (S::Int64 | S::Uint64, S::Double) => self.int64,
            (S::Int16, S::Uint16 | S::Int | S::Uint | S::Int64 | S::Uint64) => true,
            (S::Uint16, S::Uint | S::Uint64) => true,
            (S::Int16 | S::Uint16, S::Float16 | S::Float | S::Double) => true,
            (S::Float16, S::Float | S::Double) => true,
            _ => false,
        }
    }

    /// Those that this one or the other has: shader objects of a stage may differ.
    #[must_use]
    pub fn or(self, other: Conversions) -> Conversions {
        Conversions {
            any: self.any | other.any,
            int_to_uint: self.int_to_uint | other.int_to_uint,
            doubles: self.doubles | other.doubles,
            int64: self.int64 | other.int64,
            ranking: self.ranking | other.ranking,
        }
    }
}
