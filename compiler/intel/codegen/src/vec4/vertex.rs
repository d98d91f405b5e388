//! Payload of vertex threads of two lanes: g0 (output handles), push constants, a register per
//! input slot.

use super::target::{Vec4, Vec4Selection};
use super::urb::VertexOutputs;
use crate::error::CompileError;
use crate::lir::{CondMod, Op, Operand, Swizzle, Type};
use crate::output::VueMap;
use crate::stages::vertex::VertexTarget;
use ir::Value;
use std::ops::Range;

impl VertexTarget for Vec4 {
    const PUSH_START: u32 = 1;
    const REGISTERS_PER_SLOT: u32 = 1;
    const PAYLOAD_END: u32 = 100;

    fn outputs(map: VueMap) -> VertexOutputs {
        VertexOutputs::new(map)
    }

    fn input_component(register: u32, component: u8) -> Operand {
        Operand::grf(register as u8, Type::UD).swizzled(Swizzle::new([component; 4]))
    }

    fn set_attribute(isel: &mut Vec4Selection<'_>, result: Value, register: u32, first: u8) {
        let pick = pick(isel, result, first);
        isel.set(result, Operand::grf(register as u8, Type::UD).swizzled(pick));
    }

    /// One predicated move per candidate, for the vertices that select it.
    fn select_attribute(
        isel: &mut Vec4Selection<'_>,
        result: Value,
        index: Value,
        registers: Range<u32>,
        first: u8,
    ) -> Result<(), CompileError> {
        let pick = pick(isel, result, first);
        let dst = isel.define(result);
        let index = isel.get(index, &[0], Type::UD);
        for (candidate, register) in (0..).zip(registers) {
            let attribute = Operand::grf(register as u8, Type::UD).swizzled(pick);
            if candidate == 0 {
                isel.mov(dst, attribute);
                continue;
            }
            isel.cmp(Operand::null(Type::UD), index, Operand::ud(candidate), CondMod::Z);
            isel.mov(dst, attribute).predicate(false);
        }
        Ok(())
    }

    fn define_op(
        isel: &mut Vec4Selection<'_>,
        result: Value,
        op: Op,
        ty: Type,
        operands: [Operand; 2],
    ) {
        let dst = isel.define(result).retype(ty);
        isel.emit(op, dst, &operands);
    }
}

/// The swizzle that reads an attribute as `result`, from component `first` on.
fn pick(isel: &Vec4Selection<'_>, result: Value, first: u8) -> Swizzle {
    let last = isel.shader.components(result) - 1;
    Swizzle::new([0, 1, 2, 3].map(|c: u8| (first + c.min(last)) & 3))
}
