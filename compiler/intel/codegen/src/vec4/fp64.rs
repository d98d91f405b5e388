//! 64-bit operations: doubles, their conversions, and the dwords they consist of.
//!
//! A 64-bit vector takes two registers, one per vertex, x y z w. Arithmetic is emitted as whole
//! Align16 instructions with logical swizzles and writemasks, which later passes fit to the
//! hardware. Conversions between sizes run in Align1 and are split at once.

use super::align1_regions;
use super::alu::Ctx;
use super::target::{Vec4Selection, first};
use crate::error::CompileError;
use crate::lir::{CondMod, Op, Operand, Swizzle, Type};
use crate::model::Quirk;
use intel_isa::DfImmediates;
use ir::AluOp;

impl Vec4Selection<'_> {
    /// Emits an operation with a 64-bit result or source.
    pub(super) fn emit_fp64(&mut self, ctx: &Ctx<'_>) -> Result<(), CompileError> {
        use AluOp::*;
        let df = Type::DF;
        match ctx.alu.op {
            Fadd | Fsub => {
                let (a, mut b) = (self.arg(ctx, 0, df), self.arg(ctx, 1, df));
                if ctx.alu.op == Fsub {
                    b = b.neg();
                }
                let dst = self.dst(ctx, df);
                self.emit(Op::Add, dst, &[a, b]);
            }
            Fmul => self.simple(ctx, Op::Mul, df),
            Ffma => {
                let [a, b, c] = [0, 1, 2].map(|i| self.arg(ctx, i, df));
                let dst = self.dst(ctx, df);
                self.emit(Op::Mad, dst, &[c, a, b]);
            }
            Fneg | Fabs => {
                let a = self.arg(ctx, 0, df);
                let a = if ctx.alu.op == Fneg { a.neg() } else { a.absolute() };
                let dst = self.dst(ctx, df);
                self.mov(dst, a);
            }
            Fsat => {
                let a = self.arg(ctx, 0, df);
                let dst = self.dst(ctx, df);
                self.mov(dst, a).saturate = true;
            }
            Fmin => self.minmax(ctx, df, CondMod::L),
            Fmax => self.minmax(ctx, df, CondMod::Ge),
            F2f64 => self.widen(ctx, Type::F)?,
            I2f64 => self.widen(ctx, Type::D)?,
            U2f64 => self.widen(ctx, Type::UD)?,
            B2f64 => {
                // A boolean is 0 or −1.
                let a = self.arg(ctx, 0, Type::D).neg();
                let dst = self.dst(ctx, df);
                self.convert_up(dst, a, ctx.n);
            }
            F2f32 => self.narrow(ctx, Type::F)?,
            F2i32 => self.narrow(ctx, Type::D)?,
            F2u32 => self.narrow(ctx, Type::UD)?,
            Pack64 => {
                let (low, high) = (self.arg(ctx, 0, Type::UD), self.arg(ctx, 1, Type::UD));
                let dst = self.dst(ctx, df);
                self.put_dwords(dst, low, 0, ctx.n);
                self.put_dwords(dst, high, 1, ctx.n);
            }
            PackVec64 => {
                let src = ctx.alu.srcs[0];
                let [low, high] = [0, 1].map(|c| self.get(src.value, &[src.swizzle[c]], Type::UD));
                let dst = self.dst(ctx, df);
                self.put_dwords(dst, low, 0, 1);
                self.put_dwords(dst, high, 1, 1);
            }
            Unpack64X | Unpack64Y => {
                let part = u32::from(ctx.alu.op == Unpack64Y);
                let a = self.arg(ctx, 0, df);
                let dwords = self.dwords_of(a, part, ctx.n);
                self.set(ctx.result, dwords);
            }
            UnpackVec64 => {
                let a = self.arg(ctx, 0, df);
                let [low, high] = [0, 1].map(|part| self.dwords_of(a, part, 1));
                let dst = self.define(ctx.result);
                self.mov(dst.masked(1), low);
                self.mov(dst.masked(2), high.swizzled(Swizzle::XXXX));
            }
            op => return Err(self.not_lowered(op, 64)),
        }
        Ok(())
    }

    /// Converts 32-bit values to doubles.
    fn widen(&mut self, ctx: &Ctx<'_>, from: Type) -> Result<(), CompileError> {
        if ctx.src_bits == 64 && ctx.alu.op == AluOp::F2f64 {
            self.simple(ctx, Op::Mov, Type::DF);
            return Ok(());
        }
        if ctx.src_bits != 32 {
            return Err(self.not_lowered(ctx.alu.op, ctx.src_bits));
        }
        let a = self.arg(ctx, 0, from);
        let dst = self.dst(ctx, Type::DF);
        self.convert_up(dst, a, ctx.n);
        Ok(())
    }

    /// Emits `dst = src` for a 64-bit destination and a narrower source: Align1, a vertex at a
    /// time. (No generation can do all of it in Align16, but the handling of the quirks that forbid
    /// it can be switched off.)
    fn convert_up(&mut self, dst: Operand, src: Operand, n: u8) {
        let src = self.fold_immediate(src);
        let restricted = self.model.devinfo().has_quirk(Quirk::Gen7TwoGrfSource)
            || self.model.handles(Quirk::Align16QwordDst);
        if !restricted {
            self.mov(dst.masked(first(n)), src);
            return;
        }
        // Where regions count dwords (`ivb-df-regions`), both dwords of a channel read the same
        // source element, and only a stride leaves room for that.
        let in_dwords = self.model.handles(Quirk::IvbDfRegions);
        let accept = |region: &Operand| !in_dwords || region.stride().is_some();
        for (c, count) in align1_regions::runs(&[src], first(n), accept) {
            if count == 4
                && !self.model.handles(Quirk::Gen7TwoGrfSource)
                && !src.is_scalar()
                && let Some(whole) = align1_regions::source(&src, 0, 0, 4)
            {
                self.emit_align1(Op::Mov, (8, 0), dst, &[whole]);
                continue;
            }
            for vertex in 0..2 {
                let from = self.align1_source(&src, vertex, c, count);
                let to = align1_regions::destination(&dst, vertex, c, 1);
                let group = self.vertex_group(vertex);
                self.emit_align1(Op::Mov, (count, group), to, &[from]);
            }
        }
    }

    /// An immediate of an Align1 conversion goes through a register: its type's size differs from
    /// the execution's.
    fn fold_immediate(&mut self, src: Operand) -> Operand {
        if !src.is_imm() {
            return src;
        }
        let copy = self.temp(src.ty);
        self.mov(copy, src);
        copy
    }

    /// Converts doubles to 32-bit values: each result is in the low dword of a double first.
    fn narrow(&mut self, ctx: &Ctx<'_>, to: Type) -> Result<(), CompileError> {
        if ctx.src_bits != 64 {
            return Err(self.not_lowered(ctx.alu.op, ctx.src_bits));
        }
        let src = self.arg(ctx, 0, Type::DF);
        let spread = self.fp64_temp(ctx.n);
        let sources = [src];
        for (c, count) in align1_regions::runs(&sources, first(ctx.n), |_| true) {
            for vertex in 0..2 {
                let from = self.align1_source(&src, vertex, c, count);
                let to = align1_regions::destination(&spread.retype(to), vertex, c, 2);
                let group = self.vertex_group(vertex);
                self.emit_align1(Op::Mov, (count, group), to, &[from]);
            }
        }
        let low = self.pick_dwords(spread, 0);
        self.set(ctx.result, low);
        Ok(())
    }

    /// Components of one vertex as an Align1 source; the caller has split them so that one fits.
    fn align1_source(&self, src: &Operand, vertex: u32, component: u8, count: u8) -> Operand {
        align1_regions::source(src, vertex, component, count).unwrap_or_else(|| {
            let message =
                format!("no region has {count} components of {src:?} from {component} on");
            self.internal_error(message).raise()
        })
    }

    /// First channel of a vertex. DF channels take one enable bit each, so vertex 1's are 4 … 7 for
    /// any number of channels (`df-exec-mask`).
    fn vertex_group(&self, vertex: u32) -> u8 {
        if self.model.handles(Quirk::DfExecMask) { 4 * vertex as u8 } else { 0 }
    }

    /// Returns the low (0) or high (1) dwords of all components of a 64-bit register, as a 32-bit
    /// vector.
    pub(super) fn pick_dwords(&mut self, wide: Operand, part: u32) -> Operand {
        let dst = self.temp(Type::UD);
        let src = wide.retype(Type::UD).byte_offset(4 * part).with_region(8, 4, 2);
        self.emit_align1(Op::Mov, (8, 0), dst, &[src]);
        dst
    }

    /// Returns the low (0) or high (1) dwords of `n` components of a 64-bit operand, in order.
    pub(super) fn dwords_of(&mut self, src: Operand, part: u32, n: u8) -> Operand {
        if src.is_modified() {
            let copy = self.fp64_temp(n);
            self.mov(copy.masked(first(n)), src);
            return self.pick_dwords(copy, part);
        }
        if !src.is_scalar() {
            let all = self.pick_dwords(Operand { swizzle: Swizzle::XYZW, ..src }, part);
            return all.swizzled(src.swizzle);
        }
        // Uniform data needs no instruction if one oword has all the dwords.
        let component = |c: u8| u32::from(src.swizzle.get(c)) * 2 + part;
        let row = |dword: u32| src.byte_offset(dword / 4 * 16).retype(Type::UD);
        if (1..n).all(|c| component(c) / 4 == component(0) / 4) {
            let picked = [0, 1, 2, 3].map(|c| (component(if c < n { c } else { 0 }) % 4) as u8);
            return Operand { swizzle: Swizzle::XYZW, ..row(component(0)) }
                .swizzled(Swizzle::new(picked));
        }
        let dst = self.temp(Type::UD);
        for c in 0..n {
            let dword = component(c);
            let from = Operand { swizzle: Swizzle::XYZW, ..row(dword) };
            self.mov(dst.masked(1 << c), from.swizzled(Swizzle::new([(dword % 4) as u8; 4])));
        }
        dst
    }

    /// Writes the low (0) or high (1) dwords of the first `n` components of a 64-bit register.
    pub(super) fn put_dwords(&mut self, dst: Operand, src: Operand, part: u32, n: u8) {
        let target = dst.retype(Type::UD).byte_offset(4 * part);
        // Components that no region covers are gathered first.
        let channels = if n == 3 { 4 } else { n };
        let direct = (0..2).all(|v| align1_regions::source(&src, v, 0, channels).is_some());
        let src = if direct {
            src
        } else {
            let copy = self.temp(Type::UD);
            self.mov(copy.masked(first(n)), src);
            copy
        };
        if !self.model.handles(Quirk::Gen7SecondHalfControls)
            && !src.is_scalar()
            && n > 2
            && let Some(whole) = align1_regions::source(&src, 0, 0, 4)
        {
            self.emit_align1(Op::Mov, (8, 0), target.strided(2), &[whole]);
            return;
        }
        for vertex in 0..2 {
            let from = self.align1_source(&src, vertex, 0, channels);
            let to = align1_regions::destination(&target, vertex, 0, 2);
            self.emit_align1(Op::Mov, (channels, 4 * vertex as u8), to, &[from]);
        }
    }

    /// Loads a 64-bit constant into the scalar `dst`, for all channels.
    pub(super) fn load_fp64_constant(&mut self, dst: Operand, bits: u64) {
        match self.model.devinfo().df_immediates {
            DfImmediates::TwoMoves => {
                self.set_dword(dst, bits as u32);
                self.set_dword(dst.byte_offset(4), (bits >> 32) as u32);
            }
            DfImmediates::Dim => {
                let imm = Operand::imm(bits, Type::DF);
                self.emit_align1(Op::Dim, (1, 0), dst.strided(1), &[imm]).no_mask = true;
            }
            DfImmediates::Mov => {
                let imm = Operand::imm(bits, Type::DF);
                self.emit_align1(Op::Mov, (1, 0), dst.strided(1), &[imm]).no_mask = true;
            }
        }
    }

    /// 0.0 as a double.
    pub(super) fn fp64_zero(&mut self) -> Operand {
        self.fp64_constant([0; 4])
    }
}
