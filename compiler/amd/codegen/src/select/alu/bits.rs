//! Bit-field operations on the vector unit. `v_bfi_b32` selects bits and does not shift the
//! inserted value.

use crate::machine::{Arg, Part, int};
use crate::select::{Selection, Step, is_constant};
use amd_isa::Opcode;
use ir::{Alu, AluOp, Value};

impl Selection<'_> {
    /// An operation on bits; false if it is none.
    pub(crate) fn bits(&mut self, alu: &Alu, result: Value) -> Step<bool> {
        use AluOp::*;
        match alu.op {
            Ior => {
                if let Some((mask, yes, no)) = self.bit_selection(alu)? {
                    let to = self.result(result);
                    let sources = [mask.into(), yes.into(), no.into()];
                    self.e.valu(Opcode::VBfiB32, &[to.into()], &sources);
                } else {
                    self.vector_operation(Opcode::VOrB32, alu, result)?;
                }
            }
            Inot => self.vector_operation(Opcode::VNotB32, alu, result)?,
            Bfm => self.vector_operation(Opcode::VBfmB32, alu, result)?,
            Ubfe => self.vector_operation(Opcode::VBfeU32, alu, result)?,
            Ibfe => self.vector_operation(Opcode::VBfeI32, alu, result)?,
            BitfieldReverse => self.vector_operation(Opcode::VBfrevB32, alu, result)?,
            FindLsb => self.vector_operation(Opcode::VFfblB32, alu, result)?,
            BitCount => {
                let x = self.source(alu, 0)?;
                let to = self.result(result);
                self.e.valu(Opcode::VBcntU32B32, &[to.into()], &[x.into(), int(0).into()]);
            }
            UfindMsb => self.highest_bit(Opcode::VFfbhU32, alu, result)?,
            IfindMsb => self.highest_bit(Opcode::VFfbhI32, alu, result)?,
            Bfi => self.insert(alu, result)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn vector_operation(&mut self, opcode: Opcode, alu: &Alu, result: Value) -> Step {
        let mut sources = Vec::new();
        for index in 0..alu.srcs.len() {
            sources.push(self.source(alu, index)?.into());
        }
        let to = self.result(result);
        self.e.valu(opcode, &[to.into()], &sources);
        Ok(())
    }

    /// The instruction counts from the top, -1 for none. Exclusive or with 31 counts from the
    /// bottom and makes -1 less than that.
    fn highest_bit(&mut self, opcode: Opcode, alu: &Alu, result: Value) -> Step {
        let x = self.source(alu, 0)?;
        let from_top = self.e.valu1(opcode, &[x.into()]);
        let from_bottom = self.e.valu1(Opcode::VXorB32, &[int(31).into(), from_top.into()]);
        let to = self.result(result);
        self.e.valu(Opcode::VMaxI32, &[to.into()], &[int(-1).into(), from_bottom.into()]);
        Ok(())
    }

    /// `bfi`, which shifts the inserted value to the mask's lowest bit: the offset of a `bfm`, or
    /// the number of zeros below.
    fn insert(&mut self, alu: &Alu, result: Value) -> Step {
        let (mask, insert) = (self.source(alu, 0)?, self.source(alu, 1)?);
        let base = self.source(alu, 2)?;
        let offset = self.mask_offset(alu, mask)?;
        let shifted = if offset == int(0) {
            insert
        } else {
            self.e.valu1(Opcode::VLshlrevB32, &[offset.into(), insert.into()]).into()
        };
        let to = self.result(result);
        let sources = [mask.into(), shifted.into(), base.into()];
        self.e.valu(Opcode::VBfiB32, &[to.into()], &sources);
        Ok(())
    }

    /// Number of the lowest bit of the mask of a `bfi`; anything if the mask is 0.
    pub(crate) fn mask_offset(&mut self, alu: &Alu, mask: Arg) -> Step<Arg> {
        let (value, _) = Selection::component(alu, 0);
        if let Some(bits) = self.constant(value).filter(|_| is_constant(mask)) {
            return Ok(int(bits.trailing_zeros() as i32 & 31));
        }
        if let Some(bfm) = self.maker(value).filter(|made| made.op == AluOp::Bfm) {
            let (offset, component) = Selection::component(bfm, 1);
            return self.dword(offset, component);
        }
        Ok(self.e.valu1(Opcode::VFfblB32, &[mask.into()]).into())
    }

    /// The sum, where an operand is a count of bits with a single use: the instruction adds.
    pub(crate) fn add_bits_or(&mut self, to: Part, alu: &Alu, a: Arg, b: Arg) -> Step {
        for (index, other) in [(0, b), (1, a)] {
            let (value, _) = Selection::component(alu, index);
            let count = self.maker(value).filter(|made| made.op == AluOp::BitCount);
            if let Some(count) = count
                && self.uses[value] == 1
                && self.shader.bits(count.srcs[0].value) == 32
                && self.homes[value] == crate::homes::Home::Vector
            {
                let x = self.source(count, 0)?;
                self.e.valu(Opcode::VBcntU32B32, &[to.into()], &[x.into(), other.into()]);
                return Ok(());
            }
        }
        self.add(to, a, b);
        Ok(())
    }

    /// Recognizes `a & m | b & ~m`: the mask and the two values.
    fn bit_selection(&mut self, alu: &Alu) -> Step<Option<(Arg, Arg, Arg)>> {
        let (left, right) = (alu.srcs[0].value, alu.srcs[1].value);
        let is_and = |value: Value| {
            self.maker(value).filter(|a| a.op == AluOp::Iand && self.uses[value] == 1)
        };
        let (Some(left), Some(right)) = (is_and(left), is_and(right)) else { return Ok(None) };
        for (with, without) in [(left, right), (right, left)] {
            for (m, n) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                if self.is_complement(without, n, with, m) {
                    let mask = self.source(with, m)?;
                    let (yes, no) = (self.source(with, 1 - m)?, self.source(without, 1 - n)?);
                    return Ok(Some((mask, yes, no)));
                }
            }
        }
        Ok(None)
    }

    /// True if source `n` of the first is the complement of source `m` of the second.
    fn is_complement(&self, first: &Alu, n: usize, second: &Alu, m: usize) -> bool {
        let (not, not_component) = Selection::component(first, n);
        let (mask, mask_component) = Selection::component(second, m);
        if let (Some(a), Some(b)) = (self.shader.as_const(not), self.shader.as_const(mask)) {
            let (a, b) = (a[usize::from(not_component & 3)], b[usize::from(mask_component & 3)]);
            return a as u32 == !(b as u32);
        }
        self.maker(not).is_some_and(|made| {
            made.op == AluOp::Inot && Selection::component(made, 0) == (mask, mask_component)
        })
    }
}
