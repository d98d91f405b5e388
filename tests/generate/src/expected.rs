//! Uniforms that hold the accepted results, as shaders declare them and scripts set them.

use crate::value::{Scalar, Type};

/// Suffix of an array with the values of four lanes.
pub const LANES: &str = "_lanes";

/// Names of the uniforms with the accepted results.
pub fn limits(result: Type) -> &'static [&'static str] {
    if result.is_floating() { &["low", "high"] } else { &["low"] }
}

/// Type and number of the uniforms with the accepted results: for matrices of halves a vector for
/// each column.
pub fn expected(result: Type) -> (Type, usize) {
    match result.scalar {
        Scalar::Half if result.is_matrix() => {
            (Type { columns: 1, ..result.expected() }, result.columns)
        }
        _ => (result.expected(), 1),
    }
}
