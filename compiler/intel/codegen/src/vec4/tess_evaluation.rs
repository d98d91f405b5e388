//! Payload of tessellation evaluation threads of two lanes: g0 (output handles), g1 (coordinates in
//! dwords 0–2 and 4–6, the patch handle in dword 3, the primitive id in dword 7), push constants,
//! slots of the patch. Facts: Mesa's `brw_vec4_tes.cpp`.

use super::target::{PAYLOAD_BUDGET, Vec4};
use super::urb::VertexOutputs;
use crate::lir::{Operand, REG_SIZE, Type};
use crate::output::VueMap;
use crate::stages::tess_evaluation::EvaluationTarget;

impl EvaluationTarget for Vec4 {
    const PUSH_START: u32 = 2;
    const PUSH_BUDGET: u32 = PAYLOAD_BUDGET;
    const PRIMITIVE_ID: (u32, u32) = (1, 7);

    fn patch_handle() -> Operand {
        Operand::grf_scalar(REG_SIZE + 12, Type::UD)
    }

    fn coordinates() -> Option<Operand> {
        Some(Operand::grf(1, Type::UD))
    }

    fn outputs(map: VueMap) -> VertexOutputs {
        VertexOutputs::new(map)
    }
}
