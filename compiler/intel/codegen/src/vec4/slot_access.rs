//! Access to slots in vec4 code: a slot is a register, half of it for each lane.

use super::patch_access::dword;
use super::target::{PAYLOAD_BUDGET, Vec4, Vec4Selection};
use super::urb::VertexOutputs;
use crate::error::CompileError;
use crate::lir::{CondMod, Op, Operand, Swizzle, Type};
use crate::output::Width;
use crate::stages::slot_access::{Handles, SlotAccess, SlotOffset};
use ir::{Intrinsic, Value};

impl SlotAccess for Vec4 {
    const WIDTH: Width = Width::Vec4;
    const LANES: u32 = 2;
    const PAYLOAD_BUDGET: u32 = PAYLOAD_BUDGET;

    type Outputs = VertexOutputs;
    type Slot = Operand;

    fn payload_dword(register: u32, n: u32) -> Operand {
        dword(register, n)
    }

    fn payload_slot(byte: u32) -> Operand {
        Operand::grf_scalar(byte, Type::UD)
    }

    fn slot_dword(slot: &Operand, n: u32) -> Operand {
        slot.swizzled(Swizzle::new([n as u8; 4]))
    }

    fn set_operand(isel: &mut Vec4Selection<'_>, result: Value, operand: Operand) {
        isel.set(result, operand);
    }

    fn set_slot(isel: &mut Vec4Selection<'_>, result: Value, slot: Operand, first: u8) {
        isel.set(result, from_component(slot, first));
    }

    fn define_constant(isel: &mut Vec4Selection<'_>, result: Value, constant: u32) {
        let dst = isel.define(result);
        isel.mov(dst, Operand::ud(constant));
    }

    fn define_components(isel: &mut Vec4Selection<'_>, result: Value, components: Vec<Operand>) {
        let dst = isel.define(result);
        for (c, component) in components.into_iter().enumerate() {
            isel.mov(dst.masked(1 << c), component);
        }
    }

    fn scalar(isel: &mut Vec4Selection<'_>, value: Value) -> Operand {
        isel.get(value, &[0], Type::UD)
    }

    fn add_vertex(
        isel: &mut Vec4Selection<'_>,
        offset: SlotOffset,
        vertex: Value,
        slots: u32,
    ) -> SlotOffset {
        let vertex = isel.get(vertex, &[0], Type::UD);
        let at = isel.temp(Type::UD);
        isel.emit(Op::Mul, at.masked(1), &[vertex, Operand::uw(slots as u16)]);
        if let Some(more) = offset.per_lane {
            isel.emit(Op::Add, at.masked(1), &[at.swizzled(Swizzle::XXXX), more]);
        }
        SlotOffset { per_lane: Some(at.swizzled(Swizzle::XXXX)), ..offset }
    }

    /// The active lanes alone get the components.
    fn read_slot(
        isel: &mut Vec4Selection<'_>,
        handles: Handles,
        offset: SlotOffset,
        first: u8,
        result: Value,
    ) -> Result<(), CompileError> {
        let data = isel.emit_patch_read(handles, offset)?;
        let dst = isel.define(result);
        isel.mov(dst, from_component(data, first));
        Ok(())
    }

    fn read_header(
        isel: &mut Vec4Selection<'_>,
        patch: Operand,
    ) -> Result<[Operand; 2], CompileError> {
        let mut read = |constant| {
            isel.emit_patch_read(Handles::Shared(patch), SlotOffset { constant, per_lane: None })
        };
        Ok([read(0)?, read(1)?])
    }

    fn write_slot(
        isel: &mut Vec4Selection<'_>,
        patch: Operand,
        offset: SlotOffset,
        value: Value,
        pick: [u8; 4],
        mask: u8,
    ) -> Result<(), CompileError> {
        let (payload, data) = isel.patch_payload();
        let from = isel.get(value, &pick, Type::UD);
        isel.mov(data, from);
        isel.emit_patch_write(payload, patch, offset, mask, false)
    }

    fn begin_if(isel: &mut Vec4Selection<'_>, a: Operand, b: Operand, cond: CondMod) {
        isel.begin_if(a, b, cond);
    }

    fn emit_memory(
        isel: &mut Vec4Selection<'_>,
        intrinsic: &Intrinsic,
        result: Option<Value>,
    ) -> Result<(), CompileError> {
        isel.emit_memory(intrinsic, result)
    }
}

/// The components of a slot from `first` on; the last one repeats.
pub(super) fn from_component(slot: Operand, first: u8) -> Operand {
    slot.swizzled(Swizzle::new([0, 1, 2, 3].map(|c: u8| (first + c).min(3))))
}
