//! Division of 32-bit integers by way of a reciprocal of singles.

use crate::machine::{Arg, Part, ZERO, bits, constant, int};
use crate::select::Selection;
use amd_isa::Opcode;
use ir::AluOp;

/// 2^32 less a few units: the scaled reciprocal never exceeds the true one.
const SCALE: u32 = 0x4f7f_fffe;
/// Largest divisor that shifts replace, signed and unsigned.
const MAX_SHIFTED: u32 = 1 << 30;

impl Selection<'_> {
    /// Quotient or remainder; 0 for a division by 0.
    pub(crate) fn divide(&mut self, op: AluOp, a: Arg, b: Arg) -> Part {
        if let Arg::Fixed(divisor) = b {
            let divisor = constant(divisor);
            if divisor.is_power_of_two() && divisor <= MAX_SHIFTED {
                return self.shifted(op, a, divisor);
            }
        }
        let (a, b) = (self.e.in_vector(a), self.e.in_vector(b));
        let value = match op {
            AluOp::Udiv => self.unsigned_division(a, b).0,
            AluOp::Umod => self.unsigned_division(a, b).1,
            _ => self.signed_division(op, a, b),
        };
        let to = self.e.vector();
        let nonzero = self.nonzero(b.into());
        self.e.select(to, nonzero.into(), value, ZERO);
        to
    }

    /// Quotient or remainder by a power of two.
    fn shifted(&mut self, op: AluOp, a: Arg, divisor: u32) -> Part {
        let shift = divisor.trailing_zeros() as i32;
        let a = self.e.in_vector(a);
        let mask = bits(self.chip(), divisor - 1);
        match op {
            AluOp::Udiv => self.e.valu1(Opcode::VLshrrevB32, &[int(shift).into(), a.into()]),
            // The sign of a modulus is the divisor's.
            AluOp::Umod | AluOp::Imod => self.e.valu1(Opcode::VAndB32, &[mask.into(), a.into()]),
            AluOp::Idiv if shift == 0 => a,
            AluOp::Irem if shift == 0 => self.e.in_vector(ZERO),
            _ => {
                // A quotient rounds towards zero: negative numbers are raised before the shift.
                let sign = self.e.valu1(Opcode::VAshrrevI32, &[int(31).into(), a.into()]);
                let rest = int(32 - shift);
                let raise = self.e.valu1(Opcode::VLshrrevB32, &[rest.into(), sign.into()]);
                let raised = self.e.vector();
                self.add(raised, a.into(), raise.into());
                if op == AluOp::Idiv {
                    return self.e.valu1(Opcode::VAshrrevI32, &[int(shift).into(), raised.into()]);
                }
                let whole = bits(self.chip(), !(divisor - 1));
                let whole = self.e.valu1(Opcode::VAndB32, &[whole.into(), raised.into()]);
                let to = self.e.vector();
                self.subtract(to, a.into(), whole.into());
                to
            }
        }
    }

    /// Quotient and remainder. The estimate of the quotient is at most two too small.
    fn unsigned_division(&mut self, a: Part, b: Part) -> (Part, Part) {
        let divisor = self.e.valu1(Opcode::VCvtF32U32, &[b.into()]);
        let reciprocal = self.e.valu1(Opcode::VRcpIflagF32, &[divisor.into()]);
        let scale = bits(self.chip(), SCALE);
        let scaled = self.e.valu1(Opcode::VMulF32, &[scale.into(), reciprocal.into()]);
        let estimate = self.e.valu1(Opcode::VCvtU32F32, &[scaled.into()]);
        // One step of Newton's method in fixed point.
        let negative = self.e.vector();
        self.subtract(negative, ZERO, b.into());
        let error = self.e.valu1(Opcode::VMulLoU32, &[negative.into(), estimate.into()]);
        let correction = self.e.valu1(Opcode::VMulHiU32, &[estimate.into(), error.into()]);
        let better = self.e.vector();
        self.add(better, estimate.into(), correction.into());

        let mut quotient = self.e.valu1(Opcode::VMulHiU32, &[a.into(), better.into()]);
        let product = self.e.valu1(Opcode::VMulLoU32, &[quotient.into(), b.into()]);
        let mut rest = self.e.vector();
        self.subtract(rest, a.into(), product.into());
        for _ in 0..2 {
            let too_small = self.e.compare(Opcode::VCmpGeU32, rest, b);
            let (more, less) = (self.e.vector(), self.e.vector());
            self.add(more, int(1), quotient.into());
            self.subtract(less, rest.into(), b.into());
            let (next, left) = (self.e.vector(), self.e.vector());
            self.e.select(next, too_small.into(), more, quotient);
            self.e.select(left, too_small.into(), less, rest);
            (quotient, rest) = (next, left);
        }
        (quotient, rest)
    }

    /// Divides magnitudes and gives the result its sign.
    fn signed_division(&mut self, op: AluOp, a: Part, b: Part) -> Part {
        let sign =
            |s: &mut Self, x: Part| s.e.valu1(Opcode::VAshrrevI32, &[int(31).into(), x.into()]);
        let (a_sign, b_sign) = (sign(self, a), sign(self, b));
        let (a_size, b_size) =
            (self.conditional_negation(a, a_sign), self.conditional_negation(b, b_sign));
        let (quotient, rest) = self.unsigned_division(a_size, b_size);
        if op == AluOp::Idiv {
            let sign = self.e.valu1(Opcode::VXorB32, &[a_sign.into(), b_sign.into()]);
            return self.conditional_negation(quotient, sign);
        }
        let rest = self.conditional_negation(rest, a_sign);
        if op == AluOp::Irem {
            return rest;
        }
        // The sign of a modulus is the divisor's: one more divisor where the signs differ.
        let differs = self.e.valu1(Opcode::VXorB32, &[rest.into(), b.into()]);
        let differs = self.e.compare(Opcode::VCmpGtI32, ZERO, differs);
        let nonzero = self.nonzero(rest.into());
        let both = self.e.mask();
        self.e.sop2(Opcode::SAndB64, both, differs, nonzero);
        let more = self.e.vector();
        self.add(more, rest.into(), b.into());
        let to = self.e.vector();
        self.e.select(to, both.into(), more, rest);
        to
    }

    /// The negation of `x` where `sign` is -1, `x` where it is 0.
    fn conditional_negation(&mut self, x: Part, sign: Part) -> Part {
        let flipped = self.e.valu1(Opcode::VXorB32, &[x.into(), sign.into()]);
        let to = self.e.vector();
        self.subtract(to, flipped.into(), sign.into());
        to
    }
}
