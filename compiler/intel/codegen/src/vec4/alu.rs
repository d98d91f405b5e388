//! Arithmetic: vectors, floats; the dispatch over all ALU operations.

use super::compare::{comparison, reduction};
use super::target::{Vec4Selection, first};
use crate::error::CompileError;
use crate::lir::{CondMod, Op, Operand, Type};
use ir::{Alu, AluOp, Value};
use smallvec::SmallVec;

/// One operation under selection.
pub(super) struct Ctx<'s> {
    pub alu: &'s Alu,
    pub result: Value,
    /// Components of the result.
    pub n: u8,
    /// Bits of the result and of the first source.
    pub bits: u8,
    pub src_bits: u8,
}

impl Vec4Selection<'_> {
    /// Emits an ALU operation.
    pub(super) fn emit_alu(&mut self, alu: &Alu, result: Value) -> Result<(), CompileError> {
        let ctx = Ctx {
            alu,
            result,
            n: self.shader.components(result),
            bits: self.shader.bits(result),
            src_bits: alu.srcs.first().map_or(32, |s| self.shader.bits(s.value)),
        };
        if comparison(alu.op).is_some() {
            return self.emit_comparison(alu, result);
        }
        if let Some(reduction) = reduction(alu.op) {
            return self.emit_reduction(alu, reduction, result);
        }
        match alu.op {
            AluOp::Mov => {
                let ty = self.raw_type(result);
                let a = self.src(&alu.srcs[0], ctx.n, ty);
                // Registers of values never change, except those of phis.
                let changes =
                    matches!(self.shader.def(alu.srcs[0].value).kind, ir::InstKind::Phi(_));
                if a.is_reg() && !changes {
                    self.set(result, a);
                } else {
                    let dst = self.define(result);
                    self.mov(dst, a);
                }
                Ok(())
            }
            AluOp::Vec2 | AluOp::Vec3 | AluOp::Vec4 => {
                self.emit_vector(&ctx);
                Ok(())
            }
            AluOp::Bcsel => self.emit_select(alu, result),
            _ if ctx.bits == 64 || ctx.src_bits == 64 => self.emit_fp64(&ctx),
            _ => self.emit_32bit(&ctx),
        }
    }

    /// Source `index` of the operation, as many components as it reads.
    pub(super) fn arg(&mut self, ctx: &Ctx<'_>, index: usize, ty: Type) -> Operand {
        let Some(src) = ctx.alu.srcs.get(index) else {
            let message = format!("{} lacks source {index}", ctx.alu.op.name());
            self.internal_error(message).raise();
        };
        let n = ctx.alu.op.info().source_components(index, ctx.n);
        self.src(&src.clone(), n, ty)
    }

    /// The destination, as `ty`.
    pub(super) fn dst(&mut self, ctx: &Ctx<'_>, ty: Type) -> Operand {
        self.define(ctx.result).retype(ty)
    }

    /// Emits one instruction with the operation's sources, all of type `ty`.
    pub(super) fn simple(&mut self, ctx: &Ctx<'_>, op: Op, ty: Type) {
        let srcs: SmallVec<[Operand; 4]> =
            (0..ctx.alu.srcs.len()).map(|i| self.arg(ctx, i, ty)).collect();
        let dst = self.dst(ctx, ty);
        self.emit(op, dst, &srcs);
    }

    /// A vector of scalars: one move per source value.
    fn emit_vector(&mut self, ctx: &Ctx<'_>) {
        let ty = self.raw_type(ctx.result);
        let dst = self.define(ctx.result);
        let srcs = &ctx.alu.srcs;
        let mut done = 0u8;
        if ctx.bits != 64 {
            // Constants first, together.
            let mut values = [0; 4];
            for (c, src) in srcs.iter().enumerate() {
                if let Some(bits) = self.shader.as_const(src.value) {
                    let bits = bits[usize::from(src.swizzle[0] & 3)];
                    values[c] =
                        if ctx.bits == 1 { (bits & 1) * 0xffff_ffff } else { bits & 0xffff_ffff };
                    done |= 1 << c;
                }
            }
            if done != 0 {
                self.load_constants(dst.masked(done), &values);
            }
        }
        for c in 0..srcs.len() {
            if done >> c & 1 != 0 {
                continue;
            }
            let value = srcs[c].value;
            let mut pick = [srcs[c].swizzle[0]; 4];
            let mut mask = 0;
            for (d, src) in srcs.iter().enumerate() {
                if src.value == value {
                    pick[d] = src.swizzle[0];
                    mask |= 1 << d;
                }
            }
            let from = self.get(value, &pick, ty);
            self.mov(dst.masked(mask), from);
            done |= mask;
        }
    }

    /// Operations on 32-bit values and booleans.
    fn emit_32bit(&mut self, ctx: &Ctx<'_>) -> Result<(), CompileError> {
        use AluOp::*;
        let f = Type::F;
        let is_float =
            ctx.alu.op.info().inputs.first().is_some_and(|i| i.class == ir::Class::Float);
        if is_float && ctx.src_bits != 32 {
            return Err(self.not_lowered(ctx.alu.op, ctx.src_bits));
        }
        match ctx.alu.op {
            Fadd | Fsub => self.emit_fadd(ctx),
            Fmul => self.simple(ctx, Op::Mul, f),
            Ffma => {
                let [a, b, c] = [0, 1, 2].map(|i| self.arg(ctx, i, f));
                let dst = self.dst(ctx, f);
                self.emit(Op::Mad, dst, &[c, a, b]);
            }
            Flrp => {
                // src0 · src1 + (1 − src0) · src2.
                let [a, b, t] = [0, 1, 2].map(|i| self.arg(ctx, i, f));
                let dst = self.dst(ctx, f);
                self.emit(Op::Lrp, dst, &[t, b, a]);
            }
            Fneg => self.move_modified(ctx, f, Operand::neg),
            Fabs => self.move_modified(ctx, f, Operand::absolute),
            Ineg => self.move_modified(ctx, Type::D, Operand::neg),
            Iabs => self.move_modified(ctx, Type::D, Operand::absolute),
            Fsat => {
                let a = self.arg(ctx, 0, f);
                let dst = self.dst(ctx, f);
                self.mov(dst, a).saturate = true;
            }
            Fmin => self.minmax(ctx, f, CondMod::L),
            Fmax => self.minmax(ctx, f, CondMod::Ge),
            Fsign => {
                // The sign bit, joined to 1.0 where the value has a magnitude; not for NaN.
                let a = self.arg(ctx, 0, f);
                let ud = Type::UD;
                let dst = self.dst(ctx, ud);
                self.cmp(
                    Operand::null(f).masked(dst.writemask),
                    a.absolute(),
                    Operand::f(0.0),
                    CondMod::G,
                );
                let mode = crate::lir::PredMode::Normal;
                self.emit(Op::And, dst, &[a.unmodified().retype(ud), Operand::ud(0x8000_0000)]);
                self.emit(Op::Or, dst, &[read(dst), Operand::ud(0x3f80_0000)])
                    .predicate_mode(mode, false);
            }
            Fdiv => {
                let (a, b) = (self.arg(ctx, 0, f), self.arg(ctx, 1, f));
                let inverse = self.temp(f).masked(first(ctx.n));
                self.emit(Op::MathInv, inverse, &[b]);
                let dst = self.dst(ctx, f);
                self.emit(Op::Mul, dst, &[a, read(inverse)]);
            }
            Frcp => self.simple(ctx, Op::MathInv, f),
            Frsq => self.simple(ctx, Op::MathRsq, f),
            Fsqrt => self.simple(ctx, Op::MathSqrt, f),
            Fexp2 => self.simple(ctx, Op::MathExp, f),
            Flog2 => self.simple(ctx, Op::MathLog, f),
            Fsin => self.simple(ctx, Op::MathSin, f),
            Fcos => self.simple(ctx, Op::MathCos, f),
            Fpow => self.simple(ctx, Op::MathPow, f),
            Ffloor => self.simple(ctx, Op::Rndd, f),
            Ftrunc => self.simple(ctx, Op::Rndz, f),
            Ffract => self.simple(ctx, Op::Frc, f),
            FroundEven => self.simple(ctx, Op::Rnde, f),
            Fceil => {
                // −floor(−x)
                let a = self.arg(ctx, 0, f).neg();
                let down = self.temp(f).masked(first(ctx.n));
                self.emit(Op::Rndd, down, &[a]);
                let dst = self.dst(ctx, f);
                self.mov(dst, read(down).neg());
            }
            Fmod | Frem => self.emit_fmod(ctx),
            Fdot2 => self.simple(ctx, Op::Dp2, f),
            Fdot3 => self.simple(ctx, Op::Dp3, f),
            Fdot4 => self.simple(ctx, Op::Dp4, f),
            // Vertices have no neighbors.
            Fddx | Fddy | FddxFine | FddyFine | FddxCoarse | FddyCoarse => {
                let dst = self.dst(ctx, f);
                self.mov(dst, Operand::f(0.0));
            }
            _ => return self.emit_integer(ctx),
        }
        Ok(())
    }

    fn move_modified(&mut self, ctx: &Ctx<'_>, ty: Type, modify: fn(Operand) -> Operand) {
        let a = modify(self.arg(ctx, 0, ty));
        let dst = self.dst(ctx, ty);
        self.mov(dst, a);
    }

    pub(super) fn minmax(&mut self, ctx: &Ctx<'_>, ty: Type, cond: CondMod) {
        let (a, b) = (self.arg(ctx, 0, ty), self.arg(ctx, 1, ty));
        let dst = self.dst(ctx, ty);
        self.emit(Op::Sel, dst, &[a, b]).condition(cond);
    }

    fn emit_fadd(&mut self, ctx: &Ctx<'_>) {
        let subtract = ctx.alu.op == AluOp::Fsub;
        if let Some(product) = self.fused_product(ctx.result) {
            let outer = &product.swizzle[..usize::from(ctx.n)];
            let mut factors = [Operand::f(0.0); 2];
            for (slot, src) in factors.iter_mut().zip(&product.mul.srcs) {
                let picked: Vec<u8> =
                    outer.iter().map(|&c| src.swizzle[usize::from(c & 3)]).collect();
                *slot = self.get(src.value, &picked, Type::F);
            }
            let mut addend = self.arg(ctx, 1 - product.source, Type::F);
            if (subtract && product.source == 1) != product.is_negated {
                factors[0] = factors[0].neg();
            }
            if subtract && product.source == 0 {
                addend = addend.neg();
            }
            let dst = self.dst(ctx, Type::F);
            self.emit(Op::Mad, dst, &[addend, factors[0], factors[1]]);
            return;
        }
        let (a, mut b) = (self.arg(ctx, 0, Type::F), self.arg(ctx, 1, Type::F));
        if subtract {
            b = b.neg();
        }
        let dst = self.dst(ctx, Type::F);
        self.emit(Op::Add, dst, &[a, b]);
    }

    /// Emits `a − b·floor(a/b)` (0 where that is b), or the same with truncation.
    fn emit_fmod(&mut self, ctx: &Ctx<'_>) {
        let f = Type::F;
        let mask = first(ctx.n);
        let (a, b) = (self.arg(ctx, 0, f), self.arg(ctx, 1, f));
        let [inverse, quotient, whole, product] = [(); 4].map(|()| self.temp(f).masked(mask));
        self.emit(Op::MathInv, inverse, &[b]);
        self.emit(Op::Mul, quotient, &[a, read(inverse)]);
        let round = if ctx.alu.op == AluOp::Fmod { Op::Rndd } else { Op::Rndz };
        self.emit(round, whole, &[read(quotient)]);
        self.emit(Op::Mul, product, &[b, read(whole)]);
        let dst = self.dst(ctx, f);
        self.emit(Op::Add, dst, &[a, read(product).neg()]);
        self.cmp(Operand::null(f).masked(mask), read(dst), b, CondMod::Z);
        self.mov(dst, Operand::f(0.0)).predicate(false);
    }
}

/// A register just written, to be read.
pub(super) fn read(dst: Operand) -> Operand {
    Operand { writemask: crate::lir::WRITEMASK_XYZW, ..dst }
}
