//! The stages: initial registers, interface intrinsics, exports.

pub(crate) mod barycentric;
pub(crate) mod compute;
pub(crate) mod copy;
mod destination;
mod emitted_vertices;
pub(crate) mod fragment;
pub(crate) mod geometry;
mod patch;
pub(crate) mod tess_control;
pub(crate) mod tess_evaluation;
pub(crate) mod vertex;

use crate::machine::{Arg, Part};
use crate::output::UserValue;
use crate::select::{Selection, Step};
use amd_isa::{Format, Modifiers, Opcode, Operand};
use ir::{Intrinsic, Value};
use std::collections::BTreeMap;

impl Selection<'_> {
    /// A value of the driver; false if the intrinsic is none.
    pub(crate) fn user_intrinsic(
        &mut self,
        intrinsic: &Intrinsic,
        result: Option<Value>,
    ) -> Step<bool> {
        let (Some(value), Some(result)) = (UserValue::of(intrinsic.op), result) else {
            return Ok(false);
        };
        let part = self.user_value(value)?;
        self.set_parts(result, part);
        Ok(true)
    }

    /// Stores a value of an output in registers until the end of the program.
    pub(crate) fn store_output(&mut self, intrinsic: &Intrinsic) -> Step {
        let (value, fields) = (intrinsic.srcs[0], &intrinsic.fields);
        let offset = intrinsic.srcs.get(1).and_then(|&offset| self.constant(offset));
        let slot = offset.and_then(|offset| fields.slot.advance(offset as u8));
        let Some(slot) = slot else { return self.unsupported("an output with a variable index") };
        for c in 0..self.shader.components(value) {
            if fields.write_mask >> c & 1 == 0 {
                continue;
            }
            let from = self.dword(value, c)?;
            let to = match self.outputs.get(&(slot, fields.component + c)) {
                Some(&to) => to,
                None => {
                    let to = self.e.vector();
                    self.outputs.insert((slot, fields.component + c), to);
                    to
                }
            };
            if self.written.0 != Some(self.e.label) {
                self.written = (Some(self.e.label), BTreeMap::new());
            }
            self.written.1.insert((slot, fields.component + c), from);
            if !self.e.holds(to, from) {
                self.e.copy(to, from);
                self.e.note_copy(to, from);
            }
        }
        Ok(())
    }

    /// The value of an output here, in a vector register; none if nothing writes it.
    pub(crate) fn output_here(&mut self, place: (ir::Slot, u8)) -> Option<Part> {
        let here = self.written.0 == Some(self.e.label);
        match self.written.1.get(&place).filter(|_| here) {
            Some(&value) => Some(self.e.shared_vector(value)),
            None => self.outputs.get(&place).copied(),
        }
    }

    /// The four components of an output; off where nothing was written.
    pub(crate) fn output_channels(&self, slot: ir::Slot) -> [Arg; 4] {
        [0, 1, 2, 3].map(|c| match self.outputs.get(&(slot, c)) {
            Some(&part) => part.into(),
            None => Arg::Fixed(Operand::Off),
        })
    }

    /// The slots of outputs, in order.
    pub(crate) fn written_slots(&self) -> Vec<ir::Slot> {
        let mut slots: Vec<ir::Slot> = self.outputs.keys().map(|(slot, _)| *slot).collect();
        slots.dedup();
        slots
    }

    /// Adds an export.
    pub(crate) fn export(&mut self, target: u8, channels: [Arg; 4], modifiers: Modifiers) {
        let [x, y, z, w] = channels;
        let args = [Arg::Fixed(Operand::Target(target)), x, y, z, w];
        self.e.push(Format::Exp, Opcode::Exp, &args, modifiers);
    }

    /// Begins the code after the shader's.
    pub(crate) fn start_epilogue(&mut self) {
        let epilogue = self.epilogue;
        self.e.place(epilogue);
        if let Some(live) = self.live_lanes() {
            self.e.sop1(Opcode::SMovB64, crate::machine::EXEC, live);
        }
    }
}

/// Returns consecutive dwords of a register as operands.
pub(crate) fn dwords(first: Part, count: u8) -> impl Iterator<Item = Arg> {
    (0..count).map(move |dword| first.at(dword).into())
}
