//! Access to slots on eight channels, a lane each: a register per dword.

use super::target::{PAYLOAD_BUDGET, Scalar, ScalarSelection};
use super::urb::{UrbWrite, VertexOutputs};
use crate::error::CompileError;
use crate::lir::{CondMod, Op, Operand, REG_SIZE, Type};
use crate::output::Width;
use crate::stages::slot_access::{Handles, SlotAccess, SlotOffset};
use ir::{Intrinsic, Value};

/// The dwords of a slot.
pub(crate) struct SlotDwords {
    first: Operand,
    /// Bytes from one to the next.
    step: u32,
}

impl SlotAccess for Scalar {
    const WIDTH: Width = Width::Simd8;
    const LANES: u32 = 8;
    const PAYLOAD_BUDGET: u32 = PAYLOAD_BUDGET;

    type Outputs = VertexOutputs;
    type Slot = SlotDwords;

    fn payload_dword(register: u32, n: u32) -> Operand {
        Operand::grf_scalar(register * REG_SIZE + 4 * n, Type::UD)
    }

    fn payload_slot(byte: u32) -> SlotDwords {
        SlotDwords { first: Operand::grf_scalar(byte, Type::UD), step: 4 }
    }

    fn slot_dword(slot: &SlotDwords, n: u32) -> Operand {
        slot.first.byte_offset(n * slot.step)
    }

    fn set_operand(isel: &mut ScalarSelection<'_>, result: Value, operand: Operand) {
        isel.set_scalar(result, operand);
    }

    fn set_slot(isel: &mut ScalarSelection<'_>, result: Value, slot: SlotDwords, first: u8) {
        let dwords = first..first + isel.shader.components(result);
        isel.set(result, dwords.map(|n| Self::slot_dword(&slot, n.into())).collect());
    }

    fn define_constant(isel: &mut ScalarSelection<'_>, result: Value, constant: u32) {
        isel.set_scalar(result, Operand::ud(constant));
    }

    fn define_components(isel: &mut ScalarSelection<'_>, result: Value, components: Vec<Operand>) {
        isel.set(result, components.into());
    }

    fn scalar(isel: &mut ScalarSelection<'_>, value: Value) -> Operand {
        isel.get(value, 0, Type::UD)
    }

    fn add_vertex(
        isel: &mut ScalarSelection<'_>,
        offset: SlotOffset,
        vertex: Value,
        slots: u32,
    ) -> SlotOffset {
        let mut at = isel.get(vertex, 0, Type::UD);
        let mut b = isel.builder();
        if slots != 1 {
            let product = b.temp(Type::UD);
            b.emit(Op::Mul, product, &[at, Operand::uw(slots as u16)]);
            at = product;
        }
        if let Some(more) = offset.per_lane {
            let sum = b.temp(Type::UD);
            b.emit(Op::Add, sum, &[at, more]);
            at = sum;
        }
        SlotOffset { per_lane: Some(at), ..offset }
    }

    fn read_slot(
        isel: &mut ScalarSelection<'_>,
        handles: Handles,
        offset: SlotOffset,
        first: u8,
        result: Value,
    ) -> Result<(), CompileError> {
        let (Handles::Shared(handles) | Handles::PerLane(handles)) = handles;
        let count = u32::from(first + isel.shader.components(result));
        let mut data = isel.emit_urb_read(handles, offset, count)?;
        data.drain(..usize::from(first));
        isel.set(result, data);
        Ok(())
    }

    fn read_header(
        isel: &mut ScalarSelection<'_>,
        patch: Operand,
    ) -> Result<[SlotDwords; 2], CompileError> {
        let dwords = isel.emit_urb_read(patch, SlotOffset::default(), 8)?;
        Ok([0, 4].map(|n| SlotDwords { first: dwords[n], step: REG_SIZE }))
    }

    fn write_slot(
        isel: &mut ScalarSelection<'_>,
        patch: Operand,
        offset: SlotOffset,
        value: Value,
        pick: [u8; 4],
        mask: u8,
    ) -> Result<(), CompileError> {
        if mask == 0 {
            return Ok(());
        }
        let length = u8::BITS - mask.leading_zeros();
        let dword = |n: u32| (mask >> n & 1 != 0).then_some(pick[n as usize]);
        let data: Vec<Option<Operand>> =
            (0..length).map(|n| Some(isel.get(value, dword(n)?, Type::UD))).collect();
        let masks = data.contains(&None).then(|| Operand::ud(u32::from(mask) << 16));
        isel.emit_urb_write(UrbWrite { handles: patch, offset, masks, data: &data, eot: false })
    }

    fn begin_if(isel: &mut ScalarSelection<'_>, x: Operand, y: Operand, cond: CondMod) {
        let mut b = isel.builder();
        b.cmp(Operand::null(Type::UD), x, y, cond);
        b.control(Op::If).predicate(false);
    }

    fn emit_memory(
        isel: &mut ScalarSelection<'_>,
        intrinsic: &Intrinsic,
        result: Option<Value>,
    ) -> Result<(), CompileError> {
        isel.emit_memory(intrinsic, result)
    }
}
