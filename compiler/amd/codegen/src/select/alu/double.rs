//! Arithmetic of doubles.

use super::float::{MAGNITUDE, SIGN, clamp};
use crate::machine::bits;
use crate::select::{Selection, Step};
use amd_isa::Opcode;
use ir::{Alu, AluOp, Value};

impl Selection<'_> {
    pub(crate) fn double(&mut self, alu: &Alu, result: Value) -> Step {
        use AluOp::*;
        let opcode = match alu.op {
            Fadd | Fsub => Opcode::VAddF64,
            Fmul => Opcode::VMulF64,
            Ffma => Opcode::VFmaF64,
            Fmin => Opcode::VMinF64,
            Fmax => Opcode::VMaxF64,
            Fsat => {
                let x = self.float_source(alu, 0)?;
                let to = self.result(result);
                self.e.valu_with(Opcode::VMaxF64, &[to.into()], &[x, x], clamp());
                return Ok(());
            }
            Fneg | Fabs => return self.double_sign(alu, result),
            op => return self.unsupported(&format!("{} of 64 bits", op.name())),
        };
        let mut sources = Vec::new();
        for index in 0..alu.srcs.len() {
            sources.push(self.float_source(alu, index)?);
        }
        if alu.op == Fsub {
            sources[1] = sources[1].negated();
        }
        let to = self.result(result);
        self.e.valu(opcode, &[to.into()], &sources);
        Ok(())
    }

    fn double_sign(&mut self, alu: &Alu, result: Value) -> Step {
        let (value, component) = Selection::component(alu, 0);
        let (low, high) = self.halves(value, component)?;
        let (opcode, mask) = match alu.op {
            AluOp::Fneg => (Opcode::VXorB32, SIGN),
            _ => (Opcode::VAndB32, MAGNITUDE),
        };
        let to = self.result(result);
        self.e.copy(to, low);
        let mask = bits(self.chip(), mask);
        self.e.valu(opcode, &[to.at(1).into()], &[mask.into(), high.into()]);
        Ok(())
    }
}
