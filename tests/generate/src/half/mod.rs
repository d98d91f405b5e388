//! The suite of 16-bit types: `float16_t` and its vectors and matrices, `int16_t`, `uint16_t` and theirs.

pub mod family;
pub mod float16;
pub mod functions;
pub mod ieee;
pub mod pool;

use crate::operation::{Interface, Signature};
use crate::shader::Stage;

/// The operations of a stage, and how each gets its operands: as uniforms, which every channel shares, or one set per vertex or pixel.
/// Of the sizes of a type one half goes one way in vertex shaders and the other way in fragment shaders.
pub fn signatures(stage: Stage) -> Vec<Signature> {
    family::signatures()
        .into_iter()
        .filter(|signature| stage != Stage::Geometry || is_for_geometry(signature))
        .map(|signature| {
            let odd = signature.arguments[0].ty.components() % 2 == 1;
            let per_lane = odd == (stage == Stage::Fragment);
            if per_lane && takes_lanes(&signature) {
                signature.interface(Interface::PerLane)
            } else {
                signature
            }
        })
        .collect()
}

/// Whether the writer of shaders may choose where the operands come from.
fn takes_lanes(signature: &Signature) -> bool {
    signature.interface == Interface::Uniforms
        && !signature.lanes
        && signature.memory.is_none()
        && signature.arguments.iter().all(|a| a.declared)
}

/// Geometry shaders run on the same machinery as vertex shaders, except for their inputs and outputs: they get one size of each type.
fn is_for_geometry(signature: &Signature) -> bool {
    signature
        .arguments
        .iter()
        .all(|a| a.ty.components() == 3 || a.ty.components() == 1 && signature.result.components() == 3)
}
