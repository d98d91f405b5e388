//! Inputs of geometry shaders: from the payload, or pulled from the URB if they would fill the
//! register file.
//!
//! The handles of pulled inputs are in one payload register, a dword per vertex of the thread's
//! primitive.

use super::geometry::GeometryStage;
use super::slot_access::from_component;
use super::target::{Vec4, Vec4Selection};
use crate::error::CompileError;
use crate::lir::{CondMod, Op, Operand, REG_SIZE, Type};
use crate::output::GeometryDispatch;
use crate::stages::slot_access::SlotAccess;
use crate::stages::vue::{self, PerVertexInput};
use ir::{Intrinsic, Slot, Value};

/// An access to an input: the vertex, the slot, and the slots of the array after it.
struct Access {
    vertex: Value,
    offset: Value,
    slot: u32,
    /// First component.
    first: u8,
    /// Slots of the vertex after `slot` that the offset may reach.
    reach: u32,
}

impl GeometryStage {
    pub(super) fn emit_per_vertex_input(
        &self,
        isel: &mut Vec4Selection<'_>,
        intrinsic: &Intrinsic,
        result: Value,
    ) -> Result<(), CompileError> {
        let PerVertexInput { vertex, offset, slot, first } =
            PerVertexInput::of(intrinsic, &self.layout.inputs)?;
        let reach = self.slots_after(intrinsic.fields.slot);
        let access = Access { vertex, offset, slot, first, reach };
        match self.handles {
            Some(register) => {
                let handles = isel.vertex_handles(register, self.layout.vertices_in, access.vertex);
                let mut place = Vec4::slot_offset(isel, access.offset);
                place.constant = self.clamped_slot(access.slot, place.constant);
                let row = isel.emit_patch_read(handles, place)?;
                isel.set(result, from_component(row, first));
            }
            None => self.emit_pushed_input(isel, &access, result),
        }
        Ok(())
    }

    /// A slot of an input vertex in the payload.
    fn input_slot(&self, vertex: u32, slot: u32) -> Operand {
        let index = vertex * self.layout.inputs.slots.len() as u32 + slot;
        let start = self.input_start;
        match self.dispatch {
            GeometryDispatch::DualObject => Operand::grf((start + index) as u8, Type::UD),
            // One primitive for both lanes: read like a uniform.
            _ => Operand::grf_scalar(start * REG_SIZE + index * 16, Type::UD),
        }
    }

    fn emit_pushed_input(&self, isel: &mut Vec4Selection<'_>, access: &Access, result: Value) {
        let known_vertex = isel.constant(access.vertex).map(|v| v.min(self.last_vertex()));
        let known_offset = isel.constant(access.offset);
        if let (Some(v), Some(o)) = (known_vertex, known_offset) {
            let from = self.input_slot(v, self.clamped_slot(access.slot, o));
            isel.set(result, from_component(from, access.first));
            return;
        }
        // One predicated move per candidate, for the objects that select it.
        let vertices = known_vertex.map_or(0..=self.last_vertex(), |v| v..=v);
        let offsets = known_offset.map_or(0..=access.reach, |o| o..=o);
        let number = isel.temp(Type::UD);
        let v = isel.get(access.vertex, &[0], Type::UD);
        isel.emit(Op::Shl, number, &[v, Operand::ud(8)]);
        let o = isel.get(access.offset, &[0], Type::UD);
        isel.emit(Op::Add, number, &[number, o]);
        let dst = isel.define(result);
        for v in vertices {
            for o in offsets.clone() {
                isel.cmp(Operand::null(Type::UD), number, Operand::ud(v << 8 | o), CondMod::Z);
                let from = self.input_slot(v, self.clamped_slot(access.slot, o));
                isel.mov(dst, from_component(from, access.first)).predicate(false);
            }
        }
    }

    fn last_vertex(&self) -> u32 {
        self.layout.vertices_in - 1
    }

    /// Slot `offset` after `slot`, or the last one.
    fn clamped_slot(&self, slot: u32, offset: u32) -> u32 {
        let last = self.layout.inputs.slots.len() as u32 - 1;
        slot.saturating_add(offset).min(last)
    }

    /// Number of slots of an array that follow `slot` in the input vertices.
    fn slots_after(&self, slot: Slot) -> u32 {
        let has = |n: u8| {
            let place = slot.advance(n).and_then(|s| vue::place(s).ok().flatten());
            place.is_some_and(|(varying, _)| self.layout.inputs.slot(varying).is_some())
        };
        (1..=u8::MAX).take_while(|&n| has(n)).count() as u32
    }
}
