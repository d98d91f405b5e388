//! Booleans: masks of lanes, and 0 or 1 in vector registers where lanes get them in different
//! places.

use crate::homes::Home;
use crate::machine::{Arg, EXEC, File, Part, ZERO, int};
use crate::select::{Held, Selection, Step};
use amd_isa::Opcode;
use ir::{Alu, AluOp, Value};

impl Selection<'_> {
    /// The mask of a boolean: a pair of scalar registers, 0 or -1. Bits of lanes that were inactive
    /// at its definition mean nothing.
    pub(crate) fn mask_of(&mut self, value: Value, component: u8) -> Step<Arg> {
        if let Some(data) = self.shader.as_const(value) {
            return Ok(if data[usize::from(component & 3)] & 1 != 0 { int(-1) } else { ZERO });
        }
        let held = self.held(value, component)?;
        if self.e.is_vector(held) {
            return Ok(self.e.compare(Opcode::VCmpNeU32, ZERO, held).into());
        }
        Ok(held)
    }

    /// Sets a boolean to masks, in the form of its home.
    pub(crate) fn set_masks(&mut self, result: Value, masks: Held) -> Step {
        if self.homes[result] != Home::VectorBool {
            self.set(result, masks);
            return Ok(());
        }
        let mut held = Held::new();
        for mask in masks {
            let to = self.e.vector();
            self.mask_to_vector(to, mask);
            held.push(to.into());
        }
        self.set(result, held);
        Ok(())
    }

    /// Writes 1 for the lanes of a mask and 0 for the others.
    pub(crate) fn mask_to_vector(&mut self, to: Part, mask: Arg) {
        match mask {
            Arg::Part(_) => self.e.select(to, mask, int(1), ZERO),
            constant => self.e.copy(to, if constant == ZERO { ZERO } else { int(1) }),
        }
    }

    /// An operation with a boolean as its result.
    pub(crate) fn boolean(&mut self, alu: &Alu, result: Value) -> Step {
        let source_bits = alu.srcs.first().map_or(0, |src| self.shader.bits(src.value));
        let mask = if source_bits == 1 { self.logic(alu)? } else { self.comparison(alu, result)? };
        self.set_masks(result, Held::from_slice(&[mask.into()]))
    }

    /// Logic on booleans.
    fn logic(&mut self, alu: &Alu) -> Step<Part> {
        let mut masks = Vec::new();
        for index in 0..alu.srcs.len() {
            let (value, component) = Selection::component(alu, index);
            masks.push(self.mask_of(value, component)?);
        }
        let to = self.e.mask();
        let opcode = match alu.op {
            AluOp::Inot => {
                self.e.sop1(Opcode::SNotB64, to, masks[0]);
                return Ok(to);
            }
            AluOp::Bcsel => {
                let (yes, no) = (self.e.mask(), self.e.mask());
                self.e.sop2(Opcode::SAndB64, yes, masks[1], masks[0]);
                self.e.sop2(Opcode::SAndn2B64, no, masks[2], masks[0]);
                self.e.sop2(Opcode::SOrB64, to, yes, no);
                return Ok(to);
            }
            AluOp::Iand => Opcode::SAndB64,
            AluOp::Ior => Opcode::SOrB64,
            AluOp::Ixor | AluOp::Ine => Opcode::SXorB64,
            AluOp::Ieq => Opcode::SXnorB64,
            op => return self.unsupported(&format!("{} on booleans", op.name())),
        };
        self.e.sop2(opcode, to, masks[0], masks[1]);
        // Where lanes agree and masks of false are zero, the result is its own condition.
        let joins = matches!(alu.op, AluOp::Iand | AluOp::Ior);
        let exact = |mask: &Arg| match mask {
            Arg::Part(part) => self.zero_if_false.contains(part),
            constant => *constant == ZERO,
        };
        if joins && masks.iter().all(exact) {
            self.zero_if_false.insert(to);
            self.e.note_condition(to);
        }
        Ok(to)
    }

    /// Sets the scalar condition code to a boolean that is the same in all active lanes.
    pub(crate) fn condition_code(&mut self, mask: Arg) {
        if self.e.has_condition(mask) {
            return;
        }
        let any = self.e.mask();
        self.e.sop2(Opcode::SAndB64, any, mask, EXEC);
        self.e.note_condition(mask);
    }

    /// `bcsel` of values that are not booleans.
    pub(crate) fn choose(&mut self, alu: &Alu, result: Value) -> Step {
        let (cond, component) = Selection::component(alu, 0);
        let mask = self.mask_of(cond, component)?;
        // The two sources of each half of the result.
        let mut halves = Vec::new();
        let [(yes, yes_component), (no, no_component)] =
            [Selection::component(alu, 1), Selection::component(alu, 2)];
        if self.shader.bits(result) == 64 {
            let yes = self.halves(yes, yes_component)?;
            let no = self.halves(no, no_component)?;
            halves.extend([(yes.0, no.0), (yes.1, no.1)]);
        } else {
            halves.push((self.dword(yes, yes_component)?, self.dword(no, no_component)?));
        }
        if halves.iter().all(|(yes, no)| yes == no) && halves.len() == 1 {
            self.set(result, Held::from_slice(&[halves[0].0]));
            return Ok(());
        }
        let to = self.result(result);
        let scalar = self.homes[result] == Home::Scalar;
        if scalar {
            self.condition_code(mask);
        }
        for (half, (yes, no)) in (0..).zip(halves) {
            let to = to.at(half);
            match mask {
                _ if scalar => self.e.sop2(Opcode::SCselectB32, to, yes, no),
                Arg::Part(_) => self.e.select(to, mask, yes, no),
                constant => self.e.copy(to, if constant == ZERO { no } else { yes }),
            }
        }
        Ok(())
    }

    /// Conversion of a boolean: `one` for true, zero for false.
    pub(crate) fn boolean_to(&mut self, alu: &Alu, result: Value, one: [Arg; 2]) -> Step {
        let (value, component) = Selection::component(alu, 0);
        let mask = self.mask_of(value, component)?;
        let to = self.result(result);
        let dwords = self.dwords_of(result);
        let scalar = self.homes[result] == Home::Scalar;
        if scalar {
            self.condition_code(mask);
        }
        // The last dword of a wide result has the value of a number.
        for (half, one) in (0..dwords).zip(one) {
            let to = to.at(half);
            match mask {
                _ if scalar => self.e.sop2(Opcode::SCselectB32, to, one, ZERO),
                Arg::Part(_) => self.e.select(to, mask, one, ZERO),
                constant => self.e.copy(to, if constant == ZERO { ZERO } else { one }),
            }
        }
        Ok(())
    }

    /// A mask of the lanes where a dword is not zero.
    pub(crate) fn nonzero(&mut self, arg: Arg) -> Part {
        self.e.compare(Opcode::VCmpNeU32, ZERO, arg)
    }

    /// A new pair of scalar registers.
    pub(crate) fn scalar_pair(&mut self) -> Part {
        self.e.reg(File::Scalar, 2)
    }
}
