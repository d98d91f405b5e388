//! Integers, booleans, bits, bit-fields, packing and conversions of 32-bit values.

use super::alu::{Ctx, read};
use super::target::{Vec4Selection, first};
use crate::error::CompileError;
use crate::lir::{Arf, CondMod, Op, Operand, PredMode, Type};
use crate::model::Quirk;
use ir::AluOp;

impl Vec4Selection<'_> {
    /// Emits an operation on 32-bit integers or booleans.
    pub(super) fn emit_integer(&mut self, ctx: &Ctx<'_>) -> Result<(), CompileError> {
        use AluOp::*;
        let (d, ud) = (Type::D, Type::UD);
        if !matches!(ctx.src_bits, 1 | 32) || !matches!(ctx.bits, 1 | 32) {
            return Err(self.not_lowered(ctx.alu.op, ctx.src_bits));
        }
        match ctx.alu.op {
            Iadd => self.simple(ctx, Op::Add, d),
            Isub => {
                let (a, b) = (self.arg(ctx, 0, d), self.arg(ctx, 1, d).neg());
                let dst = self.dst(ctx, d);
                self.emit(Op::Add, dst, &[a, b]);
            }
            Imul => self.emit_imul(ctx),
            ImulHigh => self.emit_mul_high(ctx, d),
            UmulHigh => self.emit_mul_high(ctx, ud),
            Idiv => self.simple(ctx, Op::MathIntDivQuotient, d),
            Udiv => self.simple(ctx, Op::MathIntDivQuotient, ud),
            Irem => self.simple(ctx, Op::MathIntDivRemainder, d),
            Umod => self.simple(ctx, Op::MathIntDivRemainder, ud),
            Imod => self.emit_imod(ctx),
            UaddCarry | UsubBorrow => {
                let op = if ctx.alu.op == UaddCarry { Op::Addc } else { Op::Subb };
                let (a, b) = (self.arg(ctx, 0, ud), self.arg(ctx, 1, ud));
                let mask = first(ctx.n);
                self.emit(op, Operand::null(ud).masked(mask), &[a, b]).acc_write = true;
                let dst = self.dst(ctx, ud);
                self.mov(dst, Operand::arf(Arf::Accumulator(0), ud));
            }
            Isign => {
                // The sign in every bit, or'ed with one if positive.
                let a = self.arg(ctx, 0, d);
                let dst = self.dst(ctx, d);
                self.cmp(Operand::null(d).masked(dst.writemask), a, Operand::d(0), CondMod::G);
                self.emit(Op::Asr, dst, &[a, Operand::d(31)]);
                self.emit(Op::Or, dst, &[read(dst), Operand::d(1)]).predicate(false);
            }
            Imin => self.minmax(ctx, d, CondMod::L),
            Imax => self.minmax(ctx, d, CondMod::Ge),
            Umin => self.minmax(ctx, ud, CondMod::L),
            Umax => self.minmax(ctx, ud, CondMod::Ge),
            Ishl => self.simple(ctx, Op::Shl, ud),
            Ishr => self.emit_shift_right(ctx),
            Ushr => self.simple(ctx, Op::Shr, ud),
            Iand => self.simple(ctx, Op::And, ud),
            Ior => self.simple(ctx, Op::Or, ud),
            Ixor => self.simple(ctx, Op::Xor, ud),
            Inot => self.simple(ctx, Op::Not, ud),
            F2i32 => self.convert(ctx, Type::F, d),
            F2u32 => self.convert(ctx, Type::F, ud),
            I2f32 => self.convert(ctx, d, Type::F),
            U2f32 => self.convert(ctx, ud, Type::F),
            I2i32 | U2u32 => self.convert(ctx, ud, ud),
            F2f32 => self.convert(ctx, Type::F, Type::F),
            // A boolean is 0 or −1.
            B2f32 => {
                let a = self.arg(ctx, 0, ud);
                let dst = self.dst(ctx, ud);
                self.emit(Op::And, dst, &[a, Operand::ud(0x3f80_0000)]);
            }
            B2i32 => {
                let a = self.arg(ctx, 0, d).neg();
                let dst = self.dst(ctx, d);
                self.mov(dst, a);
            }
            _ => return self.emit_bits(ctx),
        }
        Ok(())
    }

    fn convert(&mut self, ctx: &Ctx<'_>, from: Type, to: Type) {
        let a = self.arg(ctx, 0, from);
        let dst = self.dst(ctx, to);
        self.mov(dst, a);
    }

    fn emit_shift_right(&mut self, ctx: &Ctx<'_>) {
        let (a, count) = (self.arg(ctx, 0, Type::D), self.arg(ctx, 1, Type::UD));
        let dst = self.dst(ctx, Type::D);
        self.emit(Op::Asr, dst, &[a, count]);
    }

    fn emit_imul(&mut self, ctx: &Ctx<'_>) {
        let d = Type::D;
        let (mut a, mut b) = (self.arg(ctx, 0, d), self.arg(ctx, 1, d));
        if a.is_imm() {
            std::mem::swap(&mut a, &mut b);
        }
        // MUL reads the low word of src1 only.
        let short = b.imm_bits().is_some_and(|bits| bits < 0x8000)
            && !self.model.devinfo().mach_after_word_mul;
        if short || !self.model.handles(Quirk::Gen7DwordMul) {
            let dst = self.dst(ctx, d);
            self.emit(Op::Mul, dst, &[a, b]);
            return;
        }
        if self.model.devinfo().mach_after_word_mul {
            self.multiply_by_words(ctx, a, b);
            return;
        }
        let mask = first(ctx.n);
        let acc = Operand::arf(Arf::Accumulator(0), d);
        self.emit(Op::Mul, acc.masked(mask), &[a, b]);
        self.emit(Op::Mach, Operand::null(d).masked(mask), &[a, b]).acc_write = true;
        let dst = self.dst(ctx, d);
        self.mov(dst, acc);
    }

    /// Emits a·b as a·lo(b) + (a·hi(b) << 16), for generations without a product of dwords even in
    /// the accumulator. Only Align1 has a region of every second word.
    fn multiply_by_words(&mut self, ctx: &Ctx<'_>, a: Operand, b: Operand) {
        let ud = Type::UD;
        let mask = first(ctx.n);
        let [a, b] = [a, b].map(|from| self.copied(from, ud, mask));
        let [low, high] = [0, 2].map(|byte| {
            let product = self.temp(ud);
            let words = b.retype(Type::UW).byte_offset(byte).strided(2);
            self.emit_align1(Op::Mul, (8, 0), product, &[a, words]);
            product
        });
        let shifted = self.temp(ud).masked(mask);
        self.emit(Op::Shl, shifted, &[high, Operand::ud(16)]);
        let dst = self.dst(ctx, ud);
        self.emit(Op::Add, dst, &[low, read(shifted)]);
    }

    /// Copies a source to a new register: instructions in Align1 have no swizzles.
    fn copied(&mut self, from: Operand, ty: Type, mask: u8) -> Operand {
        let copy = self.temp(ty);
        self.mov(copy.masked(mask), from.retype(ty));
        copy
    }

    /// Emits the high half of a product: MUL to the accumulator, then MACH.
    fn emit_mul_high(&mut self, ctx: &Ctx<'_>, ty: Type) {
        let (a, b) = (self.arg(ctx, 0, ty), self.arg(ctx, 1, ty));
        let dst = self.dst(ctx, ty);
        let acc = Operand::arf(Arf::Accumulator(0), ty);
        if !self.model.devinfo().mach_after_word_mul {
            self.emit(Op::Mul, acc.masked(dst.writemask), &[a, b]);
            self.emit(Op::Mach, dst, &[a, b]).acc_write = true;
            return;
        }
        // Only Align1 has a region of every second word.
        let [a, b] = [a, b].map(|from| self.copied(from, ty, dst.writemask));
        let words = b.retype(Type::UW).strided(2);
        self.emit_align1(Op::Mul, (8, 0), acc, &[a, words]);
        let high = self.temp(ty);
        self.emit_align1(Op::Mach, (8, 0), high, &[a, b]).acc_write = true;
        self.mov(dst, high);
    }

    /// The hardware's remainder has the sign of the dividend: add the divisor if the signs differ.
    fn emit_imod(&mut self, ctx: &Ctx<'_>) {
        let d = Type::D;
        let mask = first(ctx.n);
        let (a, b) = (self.arg(ctx, 0, d), self.arg(ctx, 1, d));
        let [remainder, signs, sum] = [(); 3].map(|()| self.temp(d).masked(mask));
        self.emit(Op::MathIntDivRemainder, remainder, &[a, b]);
        self.emit(Op::Xor, signs, &[read(remainder), b]);
        // A remainder of zero needs no correction: its signs count as equal.
        self.cmp(Operand::null(d).masked(mask), read(remainder), Operand::d(0), CondMod::Z);
        self.mov(signs, Operand::d(0)).predicate(false);
        self.emit(Op::Add, sum, &[read(remainder), b]);
        self.cmp(Operand::null(d).masked(mask), read(signs), Operand::d(0), CondMod::L);
        let dst = self.dst(ctx, d);
        self.emit(Op::Sel, dst, &[read(sum), read(remainder)]).predicate(false);
    }

    fn emit_bits(&mut self, ctx: &Ctx<'_>) -> Result<(), CompileError> {
        use AluOp::*;
        let ud = Type::UD;
        match ctx.alu.op {
            Bfm => self.simple(ctx, Op::Bfi1, ud),
            Bfi => self.simple(ctx, Op::Bfi2, ud),
            Ibfe | Ubfe => {
                let ty = if ctx.alu.op == Ibfe { Type::D } else { ud };
                let [value, offset, bits] = [0, 1, 2].map(|i| self.arg(ctx, i, ty));
                let dst = self.dst(ctx, ty);
                self.emit(Op::Bfe, dst, &[bits, offset, value]);
            }
            BitfieldInsert => self.emit_bitfield_insert(ctx),
            IbitfieldExtract => self.emit_bitfield_extract(ctx, Type::D),
            UbitfieldExtract => self.emit_bitfield_extract(ctx, ud),
            BitfieldReverse => self.simple(ctx, Op::Bfrev, ud),
            BitCount => self.simple(ctx, Op::Cbit, ud),
            FindLsb => self.simple(ctx, Op::Fbl, ud),
            UfindMsb | IfindMsb => {
                // FBH counts from the top, −1 if there is none: 31 − count, except for −1.
                let ty = if ctx.alu.op == IfindMsb { Type::D } else { ud };
                let a = self.arg(ctx, 0, ty);
                let dst = self.dst(ctx, Type::D);
                self.emit(Op::Fbh, dst.retype(ty), &[a]);
                let mask = dst.writemask;
                self.cmp(
                    Operand::null(Type::D).masked(mask),
                    read(dst),
                    Operand::d(-1),
                    CondMod::Nz,
                );
                self.emit(Op::Add, dst, &[read(dst).neg(), Operand::d(31)]).predicate(false);
            }
            PackHalf => {
                let (low, high) = (self.arg(ctx, 0, Type::F), self.arg(ctx, 1, Type::F));
                self.pack_half(ctx, low, high);
            }
            PackHalf2x16 => {
                let src = ctx.alu.srcs[0];
                let [low, high] = [0, 1].map(|c| self.get(src.value, &[src.swizzle[c]], Type::F));
                self.pack_half(ctx, low, high);
            }
            UnpackHalfX => {
                let a = self.arg(ctx, 0, ud);
                let dst = self.dst(ctx, Type::F);
                self.unpack_half(dst, a);
            }
            UnpackHalfY => {
                let a = self.arg(ctx, 0, ud);
                let high = self.temp(ud).masked(first(ctx.n));
                self.emit(Op::Shr, high, &[a, Operand::ud(16)]);
                let dst = self.dst(ctx, Type::F);
                self.unpack_half(dst, read(high));
            }
            UnpackHalf2x16 => {
                let a = self.arg(ctx, 0, ud);
                let halves = self.temp(ud);
                self.mov(halves.masked(1), a);
                self.emit(Op::Shr, halves.masked(2), &[a, Operand::ud(16)]);
                let dst = self.dst(ctx, Type::F);
                self.unpack_half(dst, read(halves));
            }
            op => return Err(self.not_lowered(op, ctx.src_bits)),
        }
        Ok(())
    }

    /// Align16 conversions to half leave it in a dword whose high word is zero; from gen8 on only
    /// Align1 converts, as a move into the low words.
    fn pack_half(&mut self, ctx: &Ctx<'_>, low: Operand, high: Operand) {
        let ud = Type::UD;
        let mask = first(ctx.n);
        if !self.model.devinfo().half_conversion_opcodes {
            let [low, high] = [low, high].map(|from| self.copied(from, Type::F, mask));
            let [top, packed] = [(); 2].map(|()| self.temp(ud));
            let low_words = |dwords: Operand| dwords.retype(Type::HF).strided(2);
            self.emit_align1(Op::Mov, (8, 0), low_words(top), &[high]);
            self.emit(Op::Shl, packed, &[top, Operand::ud(16)]);
            self.emit_align1(Op::Mov, (8, 0), low_words(packed), &[low]);
            let dst = self.dst(ctx, ud);
            self.mov(dst, packed);
            return;
        }
        let [lower, upper, shifted] = [(); 3].map(|()| self.temp(ud).masked(mask));
        self.emit(Op::F32to16, lower, &[low]);
        self.emit(Op::F32to16, upper, &[high]);
        self.emit(Op::Shl, shifted, &[read(upper), Operand::ud(16)]);
        let dst = self.dst(ctx, ud);
        self.emit(Op::Or, dst, &[read(lower), read(shifted)]);
    }

    fn unpack_half(&mut self, dst: Operand, src: Operand) {
        if !self.model.devinfo().half_conversion_opcodes {
            let halves = self.copied(src, Type::UD, dst.writemask).retype(Type::HF).strided(2);
            let floats = self.temp(Type::F);
            self.emit_align1(Op::Mov, (8, 0), floats, &[halves]);
            self.mov(dst, floats);
            return;
        }
        let mut src = src;
        if src.is_imm() {
            let copy = self.temp(Type::UD);
            self.mov(copy, src);
            src = copy;
        }
        self.emit(Op::F16to32, dst, &[src]);
    }

    /// Emits GLSL's insert. BFI1 and BFI2 take bits modulo 32, so 32 bits select the whole value.
    fn emit_bitfield_insert(&mut self, ctx: &Ctx<'_>) {
        let ud = Type::UD;
        let mask = first(ctx.n);
        let [base, insert, offset, bits] = [0, 1, 2, 3].map(|i| self.arg(ctx, i, ud));
        let constant = bits.imm_bits().is_some();
        let [field, merged] = [(); 2].map(|()| self.temp(ud).masked(mask));
        if bits.imm_bits().is_some_and(|b| b >= 32) {
            let dst = self.dst(ctx, ud);
            self.mov(dst, insert);
            return;
        }
        self.emit(Op::Bfi1, field, &[bits, offset]);
        if constant {
            let dst = self.dst(ctx, ud);
            self.emit(Op::Bfi2, dst, &[read(field), insert, base]);
            return;
        }
        self.emit(Op::Bfi2, merged, &[read(field), insert, base]);
        self.cmp(Operand::null(ud).masked(mask), bits, Operand::ud(31), CondMod::G);
        let dst = self.dst(ctx, ud);
        self.emit(Op::Sel, dst, &[insert, read(merged)]).predicate_mode(PredMode::Normal, false);
    }

    /// Emits GLSL's extract, likewise.
    fn emit_bitfield_extract(&mut self, ctx: &Ctx<'_>, ty: Type) {
        let mask = first(ctx.n);
        let [value, offset, bits] = [0, 1, 2].map(|i| self.arg(ctx, i, ty));
        if let Some(count) = bits.imm_bits() {
            let dst = self.dst(ctx, ty);
            if count >= 32 {
                self.mov(dst, value);
            } else {
                self.emit(Op::Bfe, dst, &[bits, offset, value]);
            }
            return;
        }
        let part = self.temp(ty).masked(mask);
        self.emit(Op::Bfe, part, &[bits, offset, value]);
        self.cmp(
            Operand::null(Type::UD).masked(mask),
            bits.retype(Type::UD),
            Operand::ud(31),
            CondMod::G,
        );
        let dst = self.dst(ctx, ty);
        self.emit(Op::Sel, dst, &[value, read(part)]).predicate_mode(PredMode::Normal, false);
    }
}
