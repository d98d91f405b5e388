//! Arithmetic of 32-bit integers on the vector unit.

use crate::machine::{Arg, Part, VCC, ZERO, int};
use crate::select::{Selection, Step};
use amd_isa::{Chip, Opcode};
use ir::{Alu, AluOp, Value};

impl Selection<'_> {
    /// An operation on integers; false if it is none.
    pub(crate) fn integer(&mut self, alu: &Alu, result: Value) -> Step<bool> {
        use AluOp::*;
        let mut sources = [ZERO; 2];
        for (index, source) in sources.iter_mut().enumerate().take(alu.srcs.len()) {
            *source = self.source(alu, index)?;
        }
        let [a, b] = sources;
        if let Some(opcode) = three_sources(alu.op)
            && let Some(sources) = self.nested(alu)?
        {
            let to = self.result(result);
            self.e.valu(opcode, &[to.into()], &sources);
            return Ok(true);
        }
        if let Some((opcode, reversed)) = simple(alu.op) {
            let to = self.result(result);
            let [first, second] = if reversed { [b, a] } else { [a, b] };
            self.e.valu(opcode, &[to.into()], &[first.into(), second.into()]);
            return Ok(true);
        }
        match alu.op {
            Iadd => {
                if let Some((a, b)) = self.difference(alu)? {
                    let to = self.result(result);
                    self.subtract(to, a, b);
                    return Ok(true);
                }
                let to = self.result(result);
                self.add_bits_or(to, alu, a, b)?;
            }
            Isub => {
                let to = self.result(result);
                self.subtract(to, a, b);
            }
            Ineg => {
                let to = self.result(result);
                self.subtract(to, ZERO, a);
            }
            Iabs => {
                let negative = self.e.vector();
                self.subtract(negative, ZERO, a);
                let to = self.result(result);
                self.e.valu(Opcode::VMaxI32, &[to.into()], &[a.into(), negative.into()]);
            }
            Isign => {
                let to = self.result(result);
                let sources = [a.into(), int(-1).into(), int(1).into()];
                self.e.valu(Opcode::VMed3I32, &[to.into()], &sources);
            }
            UaddCarry | UsubBorrow => {
                let sum = self.e.vector();
                match alu.op {
                    UaddCarry => self.add(sum, a, b),
                    _ => self.subtract(sum, a, b),
                }
                let to = self.result(result);
                self.e.select(to, VCC, int(1), ZERO);
            }
            Idiv | Udiv | Imod | Umod | Irem => {
                let value = self.divide(alu.op, a, b);
                self.set_parts(result, value);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The operands of a sum with a negated operand: a difference.
    pub(crate) fn difference(&mut self, alu: &Alu) -> Step<Option<(Arg, Arg)>> {
        for index in [1, 0] {
            let (value, _) = Selection::component(alu, index);
            if let Some(negated) = self.maker(value).filter(|made| made.op == AluOp::Ineg) {
                return Ok(Some((self.source(alu, 1 - index)?, self.source(negated, 0)?)));
            }
        }
        Ok(None)
    }

    /// The sum of dwords; the carries go to VCC.
    pub(crate) fn add(&mut self, to: Part, a: Arg, b: Arg) {
        let opcode = match self.chip() {
            Chip::Si => Opcode::VAddI32,
            Chip::Vi => Opcode::VAddU32,
        };
        self.e.valu(opcode, &[to.into(), VCC], &[a.into(), b.into()]);
    }

    /// The difference of dwords; the borrows go to VCC.
    pub(crate) fn subtract(&mut self, to: Part, a: Arg, b: Arg) {
        let (opcode, reversed) = match self.chip() {
            Chip::Si => (Opcode::VSubI32, Opcode::VSubrevI32),
            Chip::Vi => (Opcode::VSubU32, Opcode::VSubrevU32),
        };
        // The second source of the short encoding is a vector register.
        if self.e.is_vector(b) {
            self.e.valu(opcode, &[to.into(), VCC], &[a.into(), b.into()]);
        } else {
            self.e.valu(reversed, &[to.into(), VCC], &[b.into(), a.into()]);
        }
    }
}

/// Minimum and maximum of three values.
fn three_sources(op: AluOp) -> Option<Opcode> {
    use AluOp::*;
    Some(match op {
        Imin => Opcode::VMin3I32,
        Imax => Opcode::VMax3I32,
        Umin => Opcode::VMin3U32,
        Umax => Opcode::VMax3U32,
        _ => return None,
    })
}

/// Operations that are one instruction, and true if the sources are in the other order.
fn simple(op: AluOp) -> Option<(Opcode, bool)> {
    use AluOp::*;
    Some(match op {
        Imul => (Opcode::VMulLoU32, false),
        ImulHigh => (Opcode::VMulHiI32, false),
        UmulHigh => (Opcode::VMulHiU32, false),
        Imin => (Opcode::VMinI32, false),
        Imax => (Opcode::VMaxI32, false),
        Umin => (Opcode::VMinU32, false),
        Umax => (Opcode::VMaxU32, false),
        Iand => (Opcode::VAndB32, false),
        Ixor => (Opcode::VXorB32, false),
        Ishl => (Opcode::VLshlrevB32, true),
        Ishr => (Opcode::VAshrrevI32, true),
        Ushr => (Opcode::VLshrrevB32, true),
        _ => return None,
    })
}
