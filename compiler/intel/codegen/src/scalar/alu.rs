//! Arithmetic: floats, comparisons, selects; the dispatch over all ALU operations.

use super::target::{Components, ScalarSelection};
use crate::error::CompileError;
use crate::lir::{CondMod, Op, Operand, Region, Type};
use ir::{Alu, AluOp, Class, Src, Value};

/// One operation under selection, for one component of its result.
pub(super) struct Ctx<'s> {
    pub alu: &'s Alu,
    pub result: Value,
    /// Component of the result.
    pub component: u8,
    /// Destination, raw type.
    pub dst: Operand,
    /// Bits of the result and of the first source.
    pub bits: u32,
    pub src_bits: u32,
}

impl ScalarSelection<'_> {
    /// Emits an ALU operation.
    pub(super) fn emit_alu(&mut self, alu: &Alu, result: Value) -> Result<(), CompileError> {
        if self.emit_without_instruction(alu, result) {
            return Ok(());
        }
        let ty = self.raw_type(result);
        let dst = self.define(result, ty);
        let src_bits = alu.srcs.first().map_or(32, |s| u32::from(self.shader.bits(s.value)));
        self.check_floats(alu.op, src_bits)?;
        let bits = u32::from(self.shader.bits(result));
        for (component, &dst) in dst.iter().enumerate() {
            let ctx = Ctx { alu, result, component: component as u8, dst, bits, src_bits };
            self.emit_component(&ctx)?;
        }
        Ok(())
    }

    /// Refuses arithmetic of floats that the device has no type for. Conversions have checks of
    /// their own.
    fn check_floats(&self, op: AluOp, bits: u32) -> Result<(), CompileError> {
        let info = op.info();
        let is_conversion = info.output.bits > 1;
        let is_float = info.inputs.first().is_some_and(|input| input.class == Class::Float);
        if is_float && !is_conversion && self.lacks(Type::float(bits)) {
            let device = self.model.devinfo().name;
            return Err(CompileError::lower(format!(
                "{device} has no {} of {bits} bits",
                info.name
            )));
        }
        Ok(())
    }

    /// Vectors and parts become names for their sources and need no instruction. A phi's register
    /// changes only where control leaves everything that its value dominates.
    fn emit_without_instruction(&mut self, alu: &Alu, result: Value) -> bool {
        let ty = self.raw_type(result);
        let components: Components = match alu.op {
            AluOp::Vec2 | AluOp::Vec3 | AluOp::Vec4 => {
                alu.srcs.iter().map(|s| self.src(s, 0, ty)).collect()
            }
            AluOp::Mov => {
                (0..self.shader.components(result)).map(|c| self.src(&alu.srcs[0], c, ty)).collect()
            }
            AluOp::Unpack64X | AluOp::Unpack64Y => (0..self.shader.components(result))
                .map(|c| {
                    let part = u32::from(alu.op == AluOp::Unpack64Y);
                    self.src(&alu.srcs[0], c, Type::DF).subscript(Type::UD, part)
                })
                .collect(),
            AluOp::UnpackVec64 => (0..2)
                .map(|part| self.src(&alu.srcs[0], 0, Type::DF).subscript(Type::UD, part))
                .collect(),
            _ => return false,
        };
        self.set(result, components);
        true
    }

    /// Source `index` of the operation for the current component.
    pub(super) fn arg(&self, ctx: &Ctx<'_>, index: usize, ty: Type) -> Operand {
        match ctx.alu.srcs.get(index) {
            Some(src) => self.src(src, ctx.component, ty),
            None => {
                let message = format!("{} lacks source {index}", ctx.alu.op.name());
                self.internal_error(message).raise()
            }
        }
    }

    /// Emits one instruction with the operation's sources, all of type `ty`.
    fn simple(&mut self, ctx: &Ctx<'_>, op: Op, ty: Type) {
        let srcs: Vec<Operand> = (0..ctx.alu.srcs.len()).map(|i| self.arg(ctx, i, ty)).collect();
        self.builder().emit(op, ctx.dst.retype(ty), &srcs);
    }

    fn emit_component(&mut self, ctx: &Ctx<'_>) -> Result<(), CompileError> {
        let float = Type::float(ctx.bits);
        match ctx.alu.op {
            AluOp::Fadd | AluOp::Fsub => self.emit_fadd(ctx, float),
            AluOp::Fmul => self.simple(ctx, Op::Mul, float),
            AluOp::Ffma => {
                let [a, b, c] = [0, 1, 2].map(|i| self.arg(ctx, i, float));
                self.builder().emit(Op::Mad, ctx.dst.retype(float), &[c, a, b]);
            }
            AluOp::Flrp => {
                // src0 · src1 + (1 − src0) · src2.
                let [a, b, t] = [0, 1, 2].map(|i| self.arg(ctx, i, float));
                self.builder().emit(Op::Lrp, ctx.dst.retype(float), &[t, b, a]);
            }
            AluOp::Fneg => {
                let a = self.arg(ctx, 0, float).neg();
                self.builder().mov(ctx.dst.retype(float), a);
            }
            AluOp::Fabs => {
                let a = self.arg(ctx, 0, float).absolute();
                self.builder().mov(ctx.dst.retype(float), a);
            }
            AluOp::Fsat => {
                let a = self.arg(ctx, 0, float);
                self.builder().mov(ctx.dst.retype(float), a).saturate = true;
            }
            AluOp::Fmin | AluOp::Fmax => {
                let cond = if ctx.alu.op == AluOp::Fmin { CondMod::L } else { CondMod::Ge };
                let (a, b) = (self.arg(ctx, 0, float), self.arg(ctx, 1, float));
                self.builder().minmax(ctx.dst.retype(float), a, b, cond);
            }
            AluOp::Fsign => self.emit_fsign(ctx)?,
            AluOp::Fdiv => {
                self.only_32bit(ctx)?;
                let (a, b) = (self.arg(ctx, 0, float), self.arg(ctx, 1, float));
                let mut build = self.builder();
                let inverse = build.temp(float);
                build.emit(Op::MathInv, inverse, &[b]);
                build.emit(Op::Mul, ctx.dst.retype(float), &[a, inverse]);
            }
            AluOp::Fceil => {
                self.only_32bit(ctx)?;
                // −floor(−x)
                let a = self.arg(ctx, 0, float).neg();
                let mut build = self.builder();
                let down = build.temp(float);
                build.emit(Op::Rndd, down, &[a]);
                build.mov(ctx.dst.retype(float), down.neg());
            }
            AluOp::Feq | AluOp::Fneu | AluOp::Flt | AluOp::Fge => {
                let cond = match ctx.alu.op {
                    AluOp::Feq => CondMod::Z,
                    AluOp::Fneu => CondMod::Nz,
                    AluOp::Flt => CondMod::L,
                    _ => CondMod::Ge,
                };
                self.emit_compare(ctx, Type::float(ctx.src_bits), cond);
            }
            AluOp::F2b => {
                let ty = Type::float(ctx.src_bits);
                let a = self.arg(ctx, 0, ty);
                self.compare_into(ctx.dst, a, Operand::imm(0, ty), CondMod::Nz);
            }
            AluOp::Bcsel => self.emit_select(ctx)?,
            AluOp::Fdot2 | AluOp::Fdot3 | AluOp::Fdot4 => self.emit_dot(ctx, float),
            AluOp::Fddx
            | AluOp::FddxCoarse
            | AluOp::FddxFine
            | AluOp::Fddy
            | AluOp::FddyCoarse
            | AluOp::FddyFine => self.emit_derivative(ctx)?,
            op => match (math_function(op), rounding(op)) {
                (Some(function), _) => {
                    if ctx.src_bits != 16 || !self.model.devinfo().has_hf_math {
                        self.only_32bit(ctx)?;
                    }
                    self.simple(ctx, function, float);
                }
                (None, Some(function)) => {
                    self.only_32bit(ctx)?;
                    self.simple(ctx, function, float);
                }
                (None, None) => {
                    if !self.emit_conversion(ctx)? {
                        self.emit_integer(ctx)?;
                    }
                }
            },
        }
        Ok(())
    }

    /// Checks that the operands have 32 bits: earlier passes lower the operation for other sizes.
    pub(super) fn only_32bit(&self, ctx: &Ctx<'_>) -> Result<(), CompileError> {
        if ctx.src_bits == 32 {
            Ok(())
        } else {
            Err(CompileError::internal(format!(
                "{} of {} bits is not lowered",
                ctx.alu.op.name(),
                ctx.src_bits
            )))
        }
    }

    fn emit_fadd(&mut self, ctx: &Ctx<'_>, ty: Type) {
        let subtract = ctx.alu.op == AluOp::Fsub;
        if let Some(product) = self.fused_product(ctx.result) {
            let pick = product.swizzle[usize::from(ctx.component & 3)];
            let mut a = self.src(&product.mul.srcs[0], pick, ty);
            let b = self.src(&product.mul.srcs[1], pick, ty);
            let mut addend = self.arg(ctx, 1 - product.source, ty);
            if (subtract && product.source == 1) != product.is_negated {
                a = a.neg();
            }
            if subtract && product.source == 0 {
                addend = addend.neg();
            }
            self.builder().emit(Op::Mad, ctx.dst.retype(ty), &[addend, a, b]);
            return;
        }
        let (a, mut b) = (self.arg(ctx, 0, ty), self.arg(ctx, 1, ty));
        if subtract {
            b = b.neg();
        }
        self.builder().emit(Op::Add, ctx.dst.retype(ty), &[a, b]);
    }

    /// sign(x): x with its magnitude replaced by one, unless zero.
    fn emit_fsign(&mut self, ctx: &Ctx<'_>) -> Result<(), CompileError> {
        let ty = Type::float(ctx.src_bits);
        if ctx.src_bits == 64 {
            let a = self.arg(ctx, 0, ty);
            let dst = ctx.dst.retype(Type::DF);
            let mut b = self.builder();
            // Low dword 0; high dword: sign bit, or with 1.0's where x is not zero.
            b.cmp(Operand::null(Type::DF), a, Operand::df(0.0), CondMod::Nz);
            b.mov(dst.subscript(Type::UD, 0), Operand::ud(0));
            let high = dst.subscript(Type::UD, 1);
            b.emit(Op::And, high, &[a.subscript(Type::UD, 1), Operand::ud(0x8000_0000)]);
            b.emit(Op::Or, high, &[high, Operand::ud(0x3ff0_0000)]).predicate(false);
            return Ok(());
        }
        self.only_32bit(ctx)?;
        let a = self.arg(ctx, 0, Type::F);
        let dst = ctx.dst.retype(Type::UD);
        let mut b = self.builder();
        b.cmp(Operand::null(Type::F), a, Operand::f(0.0), CondMod::Nz);
        b.emit(Op::And, dst, &[a.retype(Type::UD), Operand::ud(0x8000_0000)]);
        b.emit(Op::Or, dst, &[dst, Operand::ud(0x3f80_0000)]).predicate(false);
        Ok(())
    }

    fn emit_compare(&mut self, ctx: &Ctx<'_>, ty: Type, cond: CondMod) {
        let (a, b) = (self.arg(ctx, 0, ty), self.arg(ctx, 1, ty));
        self.compare_into(ctx.dst, a, b, cond);
    }

    /// Emits a comparison into a 32-bit boolean. 64-bit operands make a 64-bit boolean, of which
    /// the low dword is kept.
    pub(super) fn compare_into(&mut self, dst: Operand, a: Operand, b: Operand, cond: CondMod) {
        let ty = a.ty;
        let mut build = self.builder();
        match ty.size() {
            8 => {
                let wide = build.temp(ty);
                build.cmp(wide, a, b, cond);
                build.mov(dst.retype(Type::D), wide.subscript(Type::D, 0));
            }
            4 => {
                build.cmp(dst.retype(ty), a, b, cond);
            }
            _ => {
                let narrow = build.temp(ty);
                build.cmp(narrow, a, b, cond);
                build.mov(dst.retype(Type::D), narrow.retype(Type::W));
            }
        }
    }

    fn emit_select(&mut self, ctx: &Ctx<'_>) -> Result<(), CompileError> {
        let cond = ctx.alu.srcs[0];
        let component = cond.swizzle[usize::from(ctx.component & 3)];
        if self.emit_select_of_one_and_zero(ctx, cond.value, component) {
            return Ok(());
        }
        let inverse = self.emit_condition(cond.value, component);
        let is_float =
            ctx.bits == 32 && ctx.alu.srcs[1..].iter().all(|src| self.is_float(src, ctx.component));
        let ty = if is_float { Type::F } else { self.raw_type(ctx.result) };
        let (a, b) = (self.arg(ctx, 1, ty), self.arg(ctx, 2, ty));
        let mut build = self.builder();
        if ty.size() > 1 {
            build.emit(Op::Sel, ctx.dst.retype(ty), &[a, b]).predicate(inverse);
            return Ok(());
        }
        // Bytes execute as words.
        let word = build.temp(Type::UW);
        build.emit(Op::Sel, word, &[a, b]).predicate(inverse);
        build.mov(ctx.dst.retype(ty), word.subscript(ty, 0));
        Ok(())
    }

    /// True if the source is the result of an operation on floats, or a constant that such an
    /// operation may have: no denormal number. A selection of two of them can take modifiers.
    fn is_float(&self, src: &Src, component: u8) -> bool {
        let result = |alu: &Alu| alu.op.info().output.class == Class::Float;
        match self.shader.as_const(src.value) {
            Some(bits) => {
                let bits = bits[usize::from(src.swizzle[usize::from(component & 3)] & 3)] as u32;
                bits == 0 || f32::from_bits(bits).is_normal()
            }
            None => self.shader.as_alu(src.value).is_some_and(result),
        }
    }

    /// Emits `c ? 1 : 0` or its opposite from the boolean's 0 or −1, which needs no constant in a
    /// register.
    fn emit_select_of_one_and_zero(&mut self, ctx: &Ctx<'_>, cond: Value, component: u8) -> bool {
        const ONE: u64 = 0x3f80_0000;
        if ctx.bits != 32 || self.is_64bit_comparison(cond) {
            return false;
        }
        let bits = [1, 2].map(|i| self.arg(ctx, i, Type::UD).imm_bits());
        let (ty, direct) = match bits {
            [Some(ONE), Some(0)] => (Type::F, true),
            [Some(0), Some(ONE)] => (Type::F, false),
            [Some(1), Some(0)] => (Type::D, true),
            [Some(0), Some(1)] => (Type::D, false),
            _ => return false,
        };
        let mut components = [component];
        let (cond, inverse) = self.strip_not(cond, &mut components);
        let boolean = self.get(cond, components[0], Type::D);
        let dst = ctx.dst.retype(ty);
        if direct != inverse {
            self.builder().mov(dst, boolean.neg());
        } else {
            self.builder().emit(Op::Add, dst, &[boolean, Operand::d(1)]);
        }
        true
    }

    fn emit_dot(&mut self, ctx: &Ctx<'_>, ty: Type) {
        let n = match ctx.alu.op {
            AluOp::Fdot2 => 2,
            AluOp::Fdot3 => 3,
            _ => 4,
        };
        let pair = |isel: &Self, c: u8| {
            (isel.src(&ctx.alu.srcs[0], c, ty), isel.src(&ctx.alu.srcs[1], c, ty))
        };
        let (a, b) = pair(self, 0);
        let mut sum = self.builder().temp(ty);
        self.builder().emit(Op::Mul, sum, &[a, b]);
        for c in 1..n {
            let (a, b) = pair(self, c);
            let last = c + 1 == n;
            let mut build = self.builder();
            let next = if last { ctx.dst.retype(ty) } else { build.temp(ty) };
            if ctx.alu.exact {
                let product = build.temp(ty);
                build.emit(Op::Mul, product, &[a, b]);
                build.emit(Op::Add, next, &[sum, product]);
            } else {
                build.emit(Op::Mad, next, &[sum, a, b]);
            }
            sum = next;
        }
    }

    /// Returns whether four consecutive channels are neighbors in two dimensions.
    pub(super) fn has_neighbors(&self) -> bool {
        match self.shader.info.stage {
            ir::Stage::Fragment => true,
            ir::Stage::Compute => self.shader.info.derivative_group != ir::DerivativeGroup::None,
            _ => false,
        }
    }

    /// Emits differences inside the quad by regions: the pixels of a quad are four consecutive
    /// channels (upper left, upper right, lower left, lower right).
    fn emit_derivative(&mut self, ctx: &Ctx<'_>) -> Result<(), CompileError> {
        self.only_32bit(ctx)?;
        let src = self.arg(ctx, 0, Type::F);
        if !src.is_reg() || src.is_scalar() || !self.has_neighbors() {
            // Constant over the primitive, or without neighbors.
            self.builder().mov(ctx.dst.retype(Type::F), Operand::f(0.0));
            return Ok(());
        }
        let fine_y = ctx.alu.op == AluOp::FddyFine;
        let mut b = self.builder();
        // Regions need the data in a register without modifiers.
        let copy = b.temp(Type::F);
        b.mov(copy, src);
        let dst = ctx.dst.retype(Type::F);
        if fine_y {
            // No region has the lower or the upper pair twice: each quad takes an instruction.
            for half in 0..u32::from(b.exec_size) / 4 {
                let mut quad = b.sub_group(4, (half * 4) as u8);
                let lower = copy.byte_offset(half * 16 + 8).with_region(0, 2, 1);
                let upper = copy.byte_offset(half * 16).with_region(0, 2, 1);
                quad.emit(Op::Add, dst.byte_offset(half * 16), &[lower, upper.neg()]);
            }
            return Ok(());
        }
        let (region, far) = match ctx.alu.op {
            AluOp::FddxFine => (Region::Exact { vstride: 2, width: 2, hstride: 0 }, 4),
            AluOp::Fddx | AluOp::FddxCoarse => {
                (Region::Exact { vstride: 4, width: 4, hstride: 0 }, 4)
            }
            _ => (Region::Exact { vstride: 4, width: 4, hstride: 0 }, 8),
        };
        let mut near = copy;
        near.region = region;
        let other = near.byte_offset(far);
        b.emit(Op::Add, dst, &[other, near.neg()]);
        Ok(())
    }
}

/// Functions that the math unit computes in one instruction.
fn math_function(op: AluOp) -> Option<Op> {
    Some(match op {
        AluOp::Frcp => Op::MathInv,
        AluOp::Frsq => Op::MathRsq,
        AluOp::Fsqrt => Op::MathSqrt,
        AluOp::Fexp2 => Op::MathExp,
        AluOp::Flog2 => Op::MathLog,
        AluOp::Fsin => Op::MathSin,
        AluOp::Fcos => Op::MathCos,
        AluOp::Fpow => Op::MathPow,
        _ => return None,
    })
}

/// Roundings to integers that are one instruction.
fn rounding(op: AluOp) -> Option<Op> {
    Some(match op {
        AluOp::Ffloor => Op::Rndd,
        AluOp::Ftrunc => Op::Rndz,
        AluOp::Ffract => Op::Frc,
        AluOp::FroundEven => Op::Rnde,
        _ => return None,
    })
}
