//! Both halves of products of integers of 8, 16 and 64 bits.

use program::{BinaryOp, ExprId, LocalId, Scalar, Statement, TypeId};

use super::arithmetic::{signed, unsigned};
use super::state::ShaderBuilder;
use crate::error::Error;
use crate::module::Instruction;

impl ShaderBuilder<'_> {
    /// The halves of a product of 8 or 16 bits each, the low one first.
    pub(crate) fn narrow_product(
        &mut self,
        i: &Instruction,
        factors: [ExprId; 2],
        is_signed: bool,
        out: &mut Vec<Statement>,
    ) -> Result<(), Error> {
        let (own, _) = self.shape(self.ty(factors[0]));
        let (narrow, wide) = match is_signed {
            true => (signed(own), Scalar::Int),
            false => (unsigned(own), Scalar::Uint),
        };
        let [a, b] = factors.map(|factor| {
            let factor = self.cast(factor, narrow);
            self.cast(factor, wide)
        });
        let ty = self.ty(a);
        let product = self.binary(BinaryOp::Mul, a, b);
        let product = self.declared("product", ty, Some(product), out);
        let of_half = self.with_scalar(ty, narrow);
        let low = self.local(product);
        let low = self.cast(low, narrow);
        let low = self.declared("low", of_half, Some(low), out);
        let high = self.shifted(product, own.bits() as i32);
        let high = self.cast(high, narrow);
        let high = self.declared("high", of_half, Some(high), out);
        self.pair(i, [low, high], out)
    }

    /// The halves of a product of 64 bits each, the low one first: from the products of halves of
    /// 32 bits.
    pub(crate) fn long_product(
        &mut self,
        i: &Instruction,
        factors: [ExprId; 2],
        is_signed: bool,
        out: &mut Vec<Statement>,
    ) -> Result<(), Error> {
        let [a, b] = factors.map(|factor| {
            let factor = self.cast(factor, Scalar::Uint64);
            let ty = self.ty(factor);
            self.declared("factor", ty, Some(factor), out)
        });
        let ty = self.body.locals[a].ty;
        let [a_low, b_low] = [a, b].map(|factor| self.low_half(factor, ty, out));
        let [a_high, b_high] = [a, b].map(|factor| {
            let high = self.shifted(factor, 32);
            self.declared("high", ty, Some(high), out)
        });
        let mut product = |this: &mut Self, x: LocalId, y: LocalId| {
            let (x, y) = (this.local(x), this.local(y));
            let value = this.binary(BinaryOp::Mul, x, y);
            this.declared("part", ty, Some(value), out)
        };
        let lowest = product(self, a_low, b_low);
        let first = product(self, a_low, b_high);
        let second = product(self, a_high, b_low);
        let highest = product(self, a_high, b_high);
        let middle = [first, second].map(|part| self.low_half(part, ty, out));
        let middle = middle.map(|part| self.local(part));
        let carried = self.shifted(lowest, 32);
        let sum =
            middle.into_iter().fold(carried, |sum, part| self.binary(BinaryOp::Add, sum, part));
        let sum = self.declared("middle", ty, Some(sum), out);
        let parts = [first, second, sum].map(|part| self.shifted(part, 32));
        let highest = self.local(highest);
        let mut high =
            parts.into_iter().fold(highest, |sum, part| self.binary(BinaryOp::Add, sum, part));
        if is_signed {
            // A negative factor is 2^64 too large as an unsigned one.
            for (negative, other) in [(a, b), (b, a)] {
                let sign = self.local(negative);
                let sign = self.cast(sign, Scalar::Int64);
                let bits = self.with_scalar(ty, Scalar::Uint);
                let bits = self.number(bits, 63);
                let mask = self.binary(BinaryOp::ShiftRight, sign, bits);
                let mask = self.cast(mask, Scalar::Uint64);
                let other = self.local(other);
                let surplus = self.binary(BinaryOp::BitAnd, mask, other);
                high = self.binary(BinaryOp::Sub, high, surplus);
            }
        }
        let high = self.declared("high", ty, Some(high), out);
        let low = product_of(self, a, b);
        let low = self.declared("low", ty, Some(low), out);
        self.pair(i, [low, high], out)
    }

    /// The lower 32 bits of a local.
    fn low_half(&mut self, local: LocalId, ty: TypeId, out: &mut Vec<Statement>) -> LocalId {
        let value = self.local(local);
        let ones = self.number(ty, -1);
        let bits = self.with_scalar(ty, Scalar::Uint);
        let bits = self.number(bits, 32);
        let mask = self.binary(BinaryOp::ShiftRight, ones, bits);
        let low = self.binary(BinaryOp::BitAnd, value, mask);
        self.declared("low", ty, Some(low), out)
    }

    /// A local shifted right.
    fn shifted(&mut self, local: LocalId, bits: i32) -> ExprId {
        let value = self.local(local);
        let of_bits = self.with_scalar(self.ty(value), Scalar::Uint);
        let bits = self.number(of_bits, bits);
        self.binary(BinaryOp::ShiftRight, value, bits)
    }
}

fn product_of(builder: &mut ShaderBuilder<'_>, a: LocalId, b: LocalId) -> ExprId {
    let (a, b) = (builder.local(a), builder.local(b));
    builder.binary(BinaryOp::Mul, a, b)
}
