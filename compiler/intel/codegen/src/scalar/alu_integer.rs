//! Integer arithmetic, bits and bit-fields.

use super::alu::Ctx;
use super::target::ScalarSelection;
use crate::error::CompileError;
use crate::lir::{Arf, CondMod, Op, Operand, Type};
use crate::model::Quirk;
use ir::AluOp;

impl ScalarSelection<'_> {
    /// Emits an integer operation.
    pub(super) fn emit_integer(&mut self, ctx: &Ctx<'_>) -> Result<(), CompileError> {
        use AluOp::*;
        let is_bool = ctx.src_bits == 1;
        if ctx.src_bits == 64 && !self.model.devinfo().has_q {
            return Err(CompileError::lower(format!(
                "64-bit {} does not exist here",
                ctx.alu.op.name()
            )));
        }
        let (int, uint) = if is_bool {
            (Type::D, Type::D)
        } else {
            (Type::int(ctx.src_bits), Type::uint(ctx.src_bits))
        };
        match ctx.alu.op {
            Iadd => self.binary(ctx, Op::Add, int),
            Isub => {
                let (a, b) = (self.arg(ctx, 0, int), self.arg(ctx, 1, int).neg());
                self.builder().emit(Op::Add, ctx.dst.retype(int), &[a, b]);
            }
            Ineg => {
                let a = self.arg(ctx, 0, int).neg();
                self.builder().mov(ctx.dst.retype(int), a);
            }
            Iabs => {
                let a = self.arg(ctx, 0, int).absolute();
                self.builder().mov(ctx.dst.retype(int), a);
            }
            Isign => self.emit_isign(ctx, int),
            Imul => self.emit_imul(ctx, int),
            ImulHigh => self.emit_mul_high(ctx, Type::D)?,
            UmulHigh => self.emit_mul_high(ctx, Type::UD)?,
            Idiv | Udiv | Umod | Irem | Imod => self.emit_division(ctx)?,
            UaddCarry => {
                // The carry is set where the sum is below an operand.
                let (a, b) = (self.arg(ctx, 0, Type::UD), self.arg(ctx, 1, Type::UD));
                let mut build = self.builder();
                let sum = build.temp(Type::UD);
                build.emit(Op::Add, sum, &[a, b]);
                let wrapped = build.temp(Type::UD);
                build.cmp(wrapped, sum, a, CondMod::L);
                build.mov(ctx.dst.retype(Type::D), wrapped.retype(Type::D).neg());
            }
            UsubBorrow => {
                let (a, b) = (self.arg(ctx, 0, Type::UD), self.arg(ctx, 1, Type::UD));
                let mut build = self.builder();
                let below = build.temp(Type::UD);
                build.cmp(below, a, b, CondMod::L);
                build.mov(ctx.dst.retype(Type::D), below.retype(Type::D).neg());
            }
            Imin | Imax => self.int_minmax(ctx, int, ctx.alu.op == Imin),
            Umin | Umax => self.int_minmax(ctx, uint, ctx.alu.op == Umin),
            Ishl => self.shift(ctx, Op::Shl, uint),
            Ishr => self.shift(ctx, Op::Asr, int),
            Ushr => self.shift(ctx, Op::Shr, uint),
            Iand => self.binary(ctx, Op::And, uint),
            Ior => self.binary(ctx, Op::Or, uint),
            Ixor => self.binary(ctx, Op::Xor, uint),
            Inot => {
                let a = self.arg(ctx, 0, uint);
                self.builder().emit(Op::Not, ctx.dst.retype(uint), &[a]);
            }
            Ieq | Ine | Ilt | Ige => {
                let cond = match ctx.alu.op {
                    Ieq => CondMod::Z,
                    Ine => CondMod::Nz,
                    Ilt => CondMod::L,
                    _ => CondMod::Ge,
                };
                let (a, b) = (self.arg(ctx, 0, int), self.arg(ctx, 1, int));
                self.compare_into(ctx.dst, a, b, cond);
            }
            Ult | Uge => {
                let cond = if ctx.alu.op == Ult { CondMod::L } else { CondMod::Ge };
                let (a, b) = (self.arg(ctx, 0, uint), self.arg(ctx, 1, uint));
                self.compare_into(ctx.dst, a, b, cond);
            }
            I2b => {
                let a = self.arg(ctx, 0, int);
                self.compare_into(ctx.dst, a, Operand::imm(0, int), CondMod::Nz);
            }
            _ => return self.emit_bit_operation(ctx),
        }
        Ok(())
    }

    fn binary(&mut self, ctx: &Ctx<'_>, op: Op, ty: Type) {
        let (a, b) = (self.arg(ctx, 0, ty), self.arg(ctx, 1, ty));
        self.builder().emit(op, ctx.dst.retype(ty), &[a, b]);
    }

    fn shift(&mut self, ctx: &Ctx<'_>, op: Op, ty: Type) {
        let (a, count) = (self.arg(ctx, 0, ty), self.arg(ctx, 1, Type::UD));
        let count = if ty.size() == 2 { self.word_count(count) } else { count };
        self.builder().emit(op, ctx.dst.retype(ty), &[a, count]);
    }

    /// A shift count for words: a word, because the instruction executes in the widest type, and
    /// its low four bits, because the hardware takes five.
    fn word_count(&mut self, count: Operand) -> Operand {
        if let Some(bits) = count.imm_bits() {
            return Operand::uw(bits as u16 & 15);
        }
        let mut b = self.builder();
        let masked = b.temp(Type::UW);
        b.emit(Op::And, masked, &[count.subscript(Type::UW, 0), Operand::uw(15)]);
        masked
    }

    fn int_minmax(&mut self, ctx: &Ctx<'_>, ty: Type, min: bool) {
        let cond = if min { CondMod::L } else { CondMod::Ge };
        let (a, b) = (self.arg(ctx, 0, ty), self.arg(ctx, 1, ty));
        self.builder().minmax(ctx.dst.retype(ty), a, b, cond);
    }

    /// Emits −1, 0 or 1: the sign in every bit, or'ed with one if positive.
    fn emit_isign(&mut self, ctx: &Ctx<'_>, ty: Type) {
        let a = self.arg(ctx, 0, ty);
        let dst = ctx.dst.retype(ty);
        let mut b = self.builder();
        b.cmp(Operand::null(ty), a, Operand::imm(0, ty), CondMod::G);
        let last = ty.size() * 8 - 1;
        let count = if ty.size() == 2 { Operand::uw(last as u16) } else { Operand::ud(last) };
        b.emit(Op::Asr, dst, &[a, count]);
        b.emit(Op::Or, dst, &[dst, Operand::imm(1, ty)]).predicate(false);
    }

    fn emit_imul(&mut self, ctx: &Ctx<'_>, ty: Type) {
        let (mut a, mut b) = (self.arg(ctx, 0, ty), self.arg(ctx, 1, ty));
        if a.is_imm() {
            std::mem::swap(&mut a, &mut b);
        }
        let dst = ctx.dst.retype(ty);
        if ty.size() != 4 || !self.model.handles(Quirk::Gen7DwordMul) {
            self.builder().emit(Op::Mul, dst, &[a, b]);
            return;
        }
        // MUL reads the low word of src1 only: a·b = a·lo(b) + (a·hi(b) << 16), the latter added
        // word by word.
        let mut build = self.builder();
        if let Some(bits) = b.imm_bits() {
            let value = bits as u32;
            if value <= 0xffff {
                build.emit(Op::Mul, dst, &[a, Operand::uw(value as u16)]);
                return;
            }
        }
        let (low, high) = (build.temp(ty), build.temp(ty));
        build.emit(Op::Mul, low, &[a, b.subscript(Type::UW, 0)]);
        build.emit(Op::Mul, high, &[a, b.subscript(Type::UW, 1)]);
        let (low, high) = (low.retype(Type::UD), high.retype(Type::UD));
        let raw = dst.retype(Type::UD);
        build.emit(
            Op::Add,
            low.subscript(Type::UW, 1),
            &[low.subscript(Type::UW, 1), high.subscript(Type::UW, 0)],
        );
        build.mov(raw, low);
    }

    /// Emits the high half of a product: MUL to the accumulator, then MACH, eight channels at a
    /// time.
    fn emit_mul_high(&mut self, ctx: &Ctx<'_>, ty: Type) -> Result<(), CompileError> {
        self.only_32bit(ctx)?;
        let (a, b) = (self.arg(ctx, 0, ty), self.arg(ctx, 1, ty));
        let dst = ctx.dst.retype(ty);
        let acc1 = self.model.handles(Quirk::IvbAcc1);
        let by_words = self.model.devinfo().mach_after_word_mul;
        let mut build = self.builder();
        let b = if b.is_imm() {
            let copy = build.temp(ty);
            build.mov(copy, b);
            copy
        } else {
            b
        };
        for group in (0..build.exec_size).step_by(8) {
            let at = |o: Operand| o.channel_offset(u32::from(group));
            // Implicit accumulator accesses of the second quarter use acc1 on ivb: compute it in
            // the first quarter without masks, then move under them.
            let detour = group > 0 && acc1;
            let mut part = build.sub_group(8, if detour { 0 } else { group });
            part.no_mask |= detour;
            let acc = Operand::arf(Arf::Accumulator(0), ty);
            let multiplier = if by_words { at(b).subscript(Type::UW, 0) } else { at(b) };
            let target = if detour { part.temp(ty) } else { at(dst) };
            part.emit(Op::Mul, acc, &[at(a), multiplier]);
            part.emit(Op::Mach, target, &[at(a), at(b)]).acc_write = true;
            if detour {
                build.sub_group(8, group).mov(at(dst), target);
            }
        }
        Ok(())
    }

    fn emit_division(&mut self, ctx: &Ctx<'_>) -> Result<(), CompileError> {
        use AluOp::*;
        self.only_32bit(ctx)?;
        let signed = matches!(ctx.alu.op, Idiv | Irem | Imod);
        let ty = if signed { Type::D } else { Type::UD };
        let (a, b) = (self.arg(ctx, 0, ty), self.arg(ctx, 1, ty));
        let dst = ctx.dst.retype(ty);
        let mut build = self.builder();
        let op = if matches!(ctx.alu.op, Idiv | Udiv) {
            Op::MathIntDivQuotient
        } else {
            Op::MathIntDivRemainder
        };
        if ctx.alu.op != Imod {
            build.emit(op, dst, &[a, b]);
            return Ok(());
        }
        // The hardware's remainder has the sign of the dividend: add the divisor if the signs
        // differ.
        let remainder = build.temp(ty);
        build.emit(op, remainder, &[a, b]);
        let signs = build.temp(ty);
        build.emit(Op::Xor, signs, &[remainder, b]);
        let sum = build.temp(ty);
        build.emit(Op::Add, sum, &[remainder, b]);
        build.cmp(Operand::null(ty), signs, Operand::d(0), CondMod::L);
        let fixed = build.temp(ty);
        build.emit(Op::Sel, fixed, &[sum, remainder]).predicate(false);
        build.mov(Operand::null(ty), remainder).condition(CondMod::Nz);
        build.emit(Op::Sel, dst, &[fixed, remainder]).predicate(false);
        Ok(())
    }

    fn emit_bit_operation(&mut self, ctx: &Ctx<'_>) -> Result<(), CompileError> {
        use AluOp::*;
        let ud = Type::UD;
        let dst = ctx.dst.retype(ud);
        match ctx.alu.op {
            Bfm => {
                let (bits, offset) = (self.arg(ctx, 0, ud), self.arg(ctx, 1, ud));
                self.builder().emit(Op::Bfi1, dst, &[bits, offset]);
            }
            Bfi => {
                let [mask, insert, base] = [0, 1, 2].map(|i| self.arg(ctx, i, ud));
                self.builder().emit(Op::Bfi2, dst, &[mask, insert, base]);
            }
            Ibfe | Ubfe => {
                let ty = if ctx.alu.op == Ibfe { Type::D } else { ud };
                let [value, offset, bits] = [0, 1, 2].map(|i| self.arg(ctx, i, ty));
                self.builder().emit(Op::Bfe, ctx.dst.retype(ty), &[bits, offset, value]);
            }
            BitfieldReverse => {
                let a = self.arg(ctx, 0, ud);
                self.builder().emit(Op::Bfrev, dst, &[a]);
            }
            BitCount => {
                let a = self.arg(ctx, 0, ud);
                self.builder().emit(Op::Cbit, dst, &[a]);
            }
            FindLsb => {
                let a = self.arg(ctx, 0, ud);
                self.builder().emit(Op::Fbl, dst, &[a]);
            }
            UfindMsb | IfindMsb => {
                // FBH counts from the top, −1 if there is none: 31 − count, except for −1.
                let ty = if ctx.alu.op == IfindMsb { Type::D } else { ud };
                let a = self.arg(ctx, 0, ty);
                let dst = ctx.dst.retype(Type::D);
                let mut b = self.builder();
                b.emit(Op::Fbh, dst.retype(ty), &[a]);
                b.cmp(Operand::null(Type::D), dst, Operand::d(-1), CondMod::Nz);
                b.emit(Op::Add, dst, &[dst.neg(), Operand::d(31)]).predicate(false);
            }
            op => {
                return Err(CompileError::internal(format!("{} is not lowered", op.name())));
            }
        }
        Ok(())
    }
}
