//! Payload of vertex threads of eight channels: g0, g1 output handles, push constants, then four
//! registers (x y z w) per input slot.

use super::target::{Scalar, ScalarSelection};
use super::urb::VertexOutputs;
use crate::error::CompileError;
use crate::lir::{Op, Operand, Type};
use crate::output::VueMap;
use crate::stages::vertex::VertexTarget;
use ir::Value;
use std::ops::Range;

/// Register of the output handles.
const OUTPUT_HANDLES: u8 = 1;

impl VertexTarget for Scalar {
    const PUSH_START: u32 = 2;
    const REGISTERS_PER_SLOT: u32 = 4;
    const PAYLOAD_END: u32 = 124;

    fn outputs(map: VueMap) -> VertexOutputs {
        VertexOutputs::new(map, OUTPUT_HANDLES)
    }

    fn input_component(register: u32, component: u8) -> Operand {
        Operand::grf((register + u32::from(component)) as u8, Type::UD)
    }

    fn set_attribute(isel: &mut ScalarSelection<'_>, result: Value, register: u32, first: u8) {
        let components = first..first + isel.shader.components(result);
        isel.set(result, components.map(|c| Self::input_component(register, c)).collect());
    }

    fn select_attribute(
        _isel: &mut ScalarSelection<'_>,
        _result: Value,
        _index: Value,
        _registers: Range<u32>,
        _first: u8,
    ) -> Result<(), CompileError> {
        Err(CompileError::internal("attributes with a variable index must be lowered"))
    }

    fn define_op(
        isel: &mut ScalarSelection<'_>,
        result: Value,
        op: Op,
        ty: Type,
        operands: [Operand; 2],
    ) {
        let dst = isel.define(result, ty)[0];
        isel.builder().emit(op, dst, &operands);
    }
}
