//! Payload of tessellation evaluation threads of eight channels: g0 (dword 0 the patch handle,
//! dword 1 the primitive id), g1–g3 the coordinates, g4 output handles, push constants, slots of
//! the patch.

use super::target::{Components, PAYLOAD_BUDGET, Scalar};
use super::urb::VertexOutputs;
use crate::lir::{Operand, Type};
use crate::output::VueMap;
use crate::stages::tess_evaluation::EvaluationTarget;

/// First register of the coordinates.
const COORDINATES: u8 = 1;
/// Register of the output handles.
const OUTPUT_HANDLES: u8 = 4;

impl EvaluationTarget for Scalar {
    const PUSH_START: u32 = 5;
    const PUSH_BUDGET: u32 = PAYLOAD_BUDGET - Self::PUSH_START;
    const PRIMITIVE_ID: (u32, u32) = (0, 1);

    fn patch_handle() -> Operand {
        Operand::grf_scalar(0, Type::UD)
    }

    fn coordinates() -> Components {
        (0..3).map(|c| Operand::grf(COORDINATES + c, Type::UD)).collect()
    }

    fn outputs(map: VueMap) -> VertexOutputs {
        VertexOutputs::new(map, OUTPUT_HANDLES)
    }
}
