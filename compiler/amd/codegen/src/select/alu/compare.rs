//! Comparisons.

use crate::machine::{Arg, Part, ZERO, int};
use crate::select::{Selection, Step};
use amd_isa::Opcode;
use ir::{Alu, AluOp, Value};

impl Selection<'_> {
    /// A comparison; returns the mask.
    pub(crate) fn comparison(&mut self, alu: &Alu, result: Value) -> Step<Part> {
        let bits = self.shader.bits(alu.srcs[0].value);
        match bits {
            64 => self.wide_comparison(alu),
            32 => {
                let a = self.source(alu, 0)?;
                let b = if alu.srcs.len() > 1 { self.source(alu, 1)? } else { ZERO };
                let scalar = !self.e.is_vector(a) && !self.e.is_vector(b);
                if let (true, Some(opcode)) =
                    (scalar && !self.uniformity.is_divergent(result), scalar_opcode(alu.op))
                {
                    return Ok(self.scalar_comparison(opcode, a, b));
                }
                let Some(opcode) = vector_opcode(alu.op) else {
                    return self.unsupported(alu.op.name());
                };
                let mask = self.e.compare(opcode, a, b);
                if !self.uniformity.is_divergent(result) {
                    self.zero_if_false.insert(mask);
                }
                Ok(mask)
            }
            _ => self.unsupported(&format!("{} with {bits} bits", alu.op.name())),
        }
    }

    /// Compares on the scalar unit and makes a mask of the result.
    fn scalar_comparison(&mut self, opcode: Opcode, a: Arg, b: Arg) -> Part {
        self.e.sopc(opcode, a, b);
        let to = self.e.mask();
        self.e.sop2(Opcode::SCselectB64, to, int(-1), ZERO);
        self.e.note_condition(to);
        self.zero_if_false.insert(to);
        to
    }

    fn wide_comparison(&mut self, alu: &Alu) -> Step<Part> {
        use AluOp::*;
        let a = self.wide_source(alu, 0)?;
        let b = if alu.srcs.len() > 1 { self.wide_source(alu, 1)? } else { ZERO };
        let opcode = match alu.op {
            Feq => Opcode::VCmpEqF64,
            Fneu | F2b => Opcode::VCmpNeqF64,
            Flt => Opcode::VCmpLtF64,
            Fge => Opcode::VCmpGeF64,
            Ieq => Opcode::VCmpEqU64,
            Ine | I2b => Opcode::VCmpNeU64,
            Ilt => Opcode::VCmpLtI64,
            Ige => Opcode::VCmpGeI64,
            Ult => Opcode::VCmpLtU64,
            Uge => Opcode::VCmpGeU64,
            op => return self.unsupported(op.name()),
        };
        Ok(self.e.compare(opcode, a, b))
    }
}

fn vector_opcode(op: AluOp) -> Option<Opcode> {
    use AluOp::*;
    Some(match op {
        Feq => Opcode::VCmpEqF32,
        Fneu | F2b => Opcode::VCmpNeqF32,
        Flt => Opcode::VCmpLtF32,
        Fge => Opcode::VCmpGeF32,
        Ieq => Opcode::VCmpEqU32,
        Ine | I2b => Opcode::VCmpNeU32,
        Ilt => Opcode::VCmpLtI32,
        Ige => Opcode::VCmpGeI32,
        Ult => Opcode::VCmpLtU32,
        Uge => Opcode::VCmpGeU32,
        _ => return None,
    })
}

fn scalar_opcode(op: AluOp) -> Option<Opcode> {
    use AluOp::*;
    Some(match op {
        Ieq => Opcode::SCmpEqU32,
        Ine | I2b => Opcode::SCmpLgU32,
        Ilt => Opcode::SCmpLtI32,
        Ige => Opcode::SCmpGeI32,
        Ult => Opcode::SCmpLtU32,
        Uge => Opcode::SCmpGeU32,
        _ => return None,
    })
}
