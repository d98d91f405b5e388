//! Integers on the scalar unit.

use crate::machine::{Arg, Part, ZERO, constant, int};
use crate::select::{Selection, Step};
use amd_isa::Opcode;
use ir::{Alu, AluOp, Value};

impl Selection<'_> {
    pub(crate) fn scalar_alu(&mut self, alu: &Alu, result: Value) -> Step {
        use AluOp::*;
        if alu.op == B2i32 {
            return self.boolean_to(alu, result, [int(1), ZERO]);
        }
        let mut sources = [ZERO; 3];
        for (index, source) in sources.iter_mut().enumerate().take(alu.srcs.len()) {
            *source = self.source(alu, index)?;
        }
        let [a, b, c] = sources;
        if alu.op == Iadd
            && let Some((a, b)) = self.difference(alu)?
        {
            let to = self.result(result);
            self.e.sop2(Opcode::SSubI32, to, a, b);
            return Ok(());
        }
        if let Some(opcode) = with_complement(alu.op)
            && let Some((a, b)) = self.complemented(alu)?
        {
            let to = self.result(result);
            self.e.sop2(opcode, to, a, b);
            return Ok(());
        }
        let to = self.result(result);
        if let Some(opcode) = two_sources(alu.op) {
            self.e.sop2(opcode, to, a, b);
            return Ok(());
        }
        if let Some(opcode) = one_source(alu.op) {
            self.e.sop1(opcode, to, a);
            return Ok(());
        }
        match alu.op {
            Ineg => self.e.sop2(Opcode::SSubI32, to, ZERO, a),
            UaddCarry | UsubBorrow => {
                let opcode = if alu.op == UaddCarry { Opcode::SAddU32 } else { Opcode::SSubU32 };
                let sum = self.e.scalar();
                self.e.sop2(opcode, sum, a, b);
                self.e.sop2(Opcode::SCselectB32, to, int(1), ZERO);
            }
            UfindMsb | IfindMsb => {
                let opcode =
                    if alu.op == UfindMsb { Opcode::SFlbitI32B32 } else { Opcode::SFlbitI32 };
                let (from_top, from_bottom) = (self.e.scalar(), self.e.scalar());
                self.e.sop1(opcode, from_top, a);
                self.e.sop2(Opcode::SXorB32, from_bottom, from_top, int(31));
                self.e.sop2(Opcode::SMaxI32, to, from_bottom, int(-1));
            }
            Ubfe | Ibfe => {
                let opcode = if alu.op == Ubfe { Opcode::SBfeU32 } else { Opcode::SBfeI32 };
                let field = self.packed_field(b, c);
                self.e.sop2(opcode, to, a, field);
            }
            Bfi => self.scalar_insert(alu, to, a, b, c)?,
            op => return self.unsupported(&format!("{} on the scalar unit", op.name())),
        }
        Ok(())
    }

    /// The operands of an operation with a complemented operand, that one last.
    fn complemented(&mut self, alu: &Alu) -> Step<Option<(Arg, Arg)>> {
        for index in [1, 0] {
            let (value, _) = Selection::component(alu, index);
            if let Some(not) = self.maker(value).filter(|made| made.op == AluOp::Inot) {
                return Ok(Some((self.source(alu, 1 - index)?, self.source(not, 0)?)));
            }
        }
        Ok(None)
    }

    /// Offset in bits 4:0, width in bits 22:16, both modulo 32.
    fn packed_field(&mut self, offset: Arg, width: Arg) -> Arg {
        if let (Arg::Fixed(offset), Arg::Fixed(width)) = (offset, width) {
            return int(((constant(width) & 31) << 16 | constant(offset) & 31) as i32);
        }
        let (low, high) = (self.e.scalar(), self.e.scalar());
        self.e.sop2(Opcode::SAndB32, low, offset, int(31));
        self.e.sop2(Opcode::SAndB32, high, width, int(31));
        let (shifted, field) = (self.e.scalar(), self.e.scalar());
        self.e.sop2(Opcode::SLshlB32, shifted, high, int(16));
        self.e.sop2(Opcode::SOrB32, field, low, shifted);
        field.into()
    }

    /// `base & ~mask | insert << offset & mask`.
    fn scalar_insert(&mut self, alu: &Alu, to: Part, mask: Arg, insert: Arg, base: Arg) -> Step {
        let (value, _) = Selection::component(alu, 0);
        let made = self.maker(value).filter(|made| made.op == AluOp::Bfm);
        let offset = if let Some(bits) = self.constant(value) {
            int(bits.trailing_zeros() as i32 & 31)
        } else if let Some(bfm) = made {
            let (offset, component) = Selection::component(bfm, 1);
            self.dword(offset, component)?
        } else {
            let offset = self.e.scalar();
            self.e.sop1(Opcode::SFf1I32B32, offset, mask);
            offset.into()
        };
        let [shifted, field, rest] = [self.e.scalar(), self.e.scalar(), self.e.scalar()];
        self.e.sop2(Opcode::SLshlB32, shifted, insert, offset);
        self.e.sop2(Opcode::SAndB32, field, shifted, mask);
        self.e.sop2(Opcode::SAndn2B32, rest, base, mask);
        self.e.sop2(Opcode::SOrB32, to, field, rest);
        Ok(())
    }
}

fn two_sources(op: AluOp) -> Option<Opcode> {
    use AluOp::*;
    Some(match op {
        Iadd => Opcode::SAddI32,
        Isub => Opcode::SSubI32,
        Imul => Opcode::SMulI32,
        Imin => Opcode::SMinI32,
        Imax => Opcode::SMaxI32,
        Umin => Opcode::SMinU32,
        Umax => Opcode::SMaxU32,
        Ishl => Opcode::SLshlB32,
        Ishr => Opcode::SAshrI32,
        Ushr => Opcode::SLshrB32,
        Iand => Opcode::SAndB32,
        Ior => Opcode::SOrB32,
        Ixor => Opcode::SXorB32,
        Bfm => Opcode::SBfmB32,
        _ => return None,
    })
}

/// Operations that complement their second source.
fn with_complement(op: AluOp) -> Option<Opcode> {
    match op {
        AluOp::Iand => Some(Opcode::SAndn2B32),
        AluOp::Ior => Some(Opcode::SOrn2B32),
        _ => None,
    }
}

fn one_source(op: AluOp) -> Option<Opcode> {
    use AluOp::*;
    Some(match op {
        Iabs => Opcode::SAbsI32,
        Inot => Opcode::SNotB32,
        BitfieldReverse => Opcode::SBrevB32,
        BitCount => Opcode::SBcnt1I32B32,
        FindLsb => Opcode::SFf1I32B32,
        _ => return None,
    })
}
