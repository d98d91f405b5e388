//! Conversions and packing.

use super::alu::Ctx;
use super::target::ScalarSelection;
use crate::error::CompileError;
use crate::lir::{Arf, Op, Operand, Type};
use ir::AluOp;

/// Control register: both bits of the rounding mode set round to zero, none to nearest even.
const CR0_ROUND_TO_ZERO: u32 = 3 << 4;

impl ScalarSelection<'_> {
    /// Emits a conversion; false if the operation is none.
    pub(super) fn emit_conversion(&mut self, ctx: &Ctx<'_>) -> Result<bool, CompileError> {
        use AluOp::*;
        let bits = ctx.src_bits;
        match ctx.alu.op {
            F2f16Rtz if bits > 16 => {
                self.set_rounding(true);
                self.convert(ctx, Type::float(bits), Type::HF)?;
                self.set_rounding(false);
            }
            F2f16 | F2f16Rtne | F2f16Rtz | F2f32 | F2f64 | F2i8 | F2i16 | F2i32 | F2i64 | F2u8
            | F2u16 | F2u32 | F2u64 => {
                let to = result_type(ctx.alu.op, ctx.bits);
                self.convert(ctx, Type::float(bits), to)?;
            }
            I2f16 | I2f32 | I2f64 | I2i8 | I2i16 | I2i32 | I2i64 => {
                self.convert(ctx, Type::int(bits), result_type(ctx.alu.op, ctx.bits))?;
            }
            U2f16 | U2f32 | U2f64 | U2u8 | U2u16 | U2u32 | U2u64 => {
                self.convert(ctx, Type::uint(bits), result_type(ctx.alu.op, ctx.bits))?;
            }
            // A boolean is 0 or −1.
            B2f16 | B2f32 | B2f64 | B2i8 | B2i16 | B2i32 | B2i64 => {
                let a = self.arg(ctx, 0, Type::D).neg();
                self.move_converted(ctx.dst.retype(result_type(ctx.alu.op, ctx.bits)), a)?;
            }
            Pack64 if self.emit_high_dword_replacement(ctx) => {}
            Pack64 => {
                let (low, high) = (self.arg(ctx, 0, Type::UD), self.arg(ctx, 1, Type::UD));
                self.pack_dwords(ctx.dst, low, high);
            }
            PackVec64 => {
                let low = self.src(&ctx.alu.srcs[0], 0, Type::UD);
                let high = self.src(&ctx.alu.srcs[0], 1, Type::UD);
                self.pack_dwords(ctx.dst, low, high);
            }
            PackHalf => {
                let (low, high) = (self.arg(ctx, 0, Type::F), self.arg(ctx, 1, Type::F));
                self.pack_half(ctx.dst, low, high)?;
            }
            PackHalf2x16 => {
                let low = self.src(&ctx.alu.srcs[0], 0, Type::F);
                let high = self.src(&ctx.alu.srcs[0], 1, Type::F);
                self.pack_half(ctx.dst, low, high)?;
            }
            UnpackHalfX | UnpackHalfY => {
                let a = self.arg(ctx, 0, Type::UD);
                self.unpack_half(ctx.dst, a, u32::from(ctx.alu.op == UnpackHalfY))?;
            }
            UnpackHalf2x16 => {
                let a = self.src(&ctx.alu.srcs[0], 0, Type::UD);
                self.unpack_half(ctx.dst, a, u32::from(ctx.component))?;
            }
            Pack32 | PackVec32 | Unpack32X | Unpack32Y | UnpackVec32 => self.emit_words(ctx),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Sets the rounding mode of the instructions that follow: to zero, or to nearest even.
    fn set_rounding(&mut self, to_zero: bool) {
        let control = Operand::arf(Arf::Control(0), Type::UD);
        let mut b = self.builder();
        let mut one = b.all_channels(1);
        if to_zero {
            one.emit(Op::Or, control, &[control.scalar(), Operand::ud(CR0_ROUND_TO_ZERO)]);
        } else {
            one.emit(Op::And, control, &[control.scalar(), Operand::ud(!CR0_ROUND_TO_ZERO)]);
        }
    }

    fn convert(&mut self, ctx: &Ctx<'_>, from: Type, to: Type) -> Result<(), CompileError> {
        let a = self.arg(ctx, 0, from);
        self.move_converted(ctx.dst.retype(to), a)
    }

    /// True if the device has no operands of a type.
    pub(super) fn lacks(&self, ty: Type) -> bool {
        let info = self.model.devinfo();
        match ty {
            Type::Q | Type::UQ => !info.has_q,
            Type::HF => !info.has_hf,
            Type::DF => !info.has_df,
            _ => false,
        }
    }

    /// Emits `dst = src`, through the intermediate types that the hardware needs.
    fn move_converted(&mut self, dst: Operand, src: Operand) -> Result<(), CompileError> {
        let info = self.model.devinfo();
        if self.lacks(dst.ty) || self.lacks(src.ty) {
            return Err(CompileError::lower(format!(
                "conversion from {} to {} does not exist on {}",
                src.ty.name(),
                dst.ty.name(),
                info.name
            )));
        }
        let via = match (src.ty, dst.ty) {
            (Type::HF, Type::DF | Type::Q | Type::UQ)
            | (Type::DF | Type::Q | Type::UQ, Type::HF) => Some(Type::F),
            (Type::B | Type::UB, Type::DF | Type::Q | Type::UQ)
            | (Type::DF | Type::Q | Type::UQ, Type::B | Type::UB) => Some(Type::D),
            _ => None,
        };
        if let Some(via) = via {
            let middle = self.builder().temp(via);
            self.move_converted(middle, src)?;
            return self.move_converted(dst, middle);
        }
        let mut b = self.builder();
        let step = element_step(dst.ty, src.ty);
        if step == dst.ty.size() {
            b.mov(dst, src);
            return Ok(());
        }
        // A narrow result takes the space of the execution type: spread, then gather as raw bits.
        let raw = Type::uint(dst.ty.size() * 8);
        let spread = b.temp(Type::uint(step * 8)).subscript(dst.ty, 0);
        b.mov(spread, src);
        b.mov(dst.retype(raw), spread.retype(raw));
        Ok(())
    }

    /// Emits a 64-bit value whose low dword is that of another one: a copy with a new high dword.
    /// The copy usually coalesces with its source.
    fn emit_high_dword_replacement(&mut self, ctx: &Ctx<'_>) -> bool {
        let low = &ctx.alu.srcs[0];
        let Some(unpack) = self.shader.as_alu(low.value).filter(|alu| alu.op == AluOp::Unpack64X)
        else {
            return false;
        };
        let component = low.swizzle[usize::from(ctx.component & 3)];
        let whole = self.src(&unpack.srcs[0], component, Type::DF);
        if !whole.is_reg() || whole.is_scalar() || whole.is_modified() {
            return false;
        }
        let high = self.arg(ctx, 1, Type::UD);
        let dst = ctx.dst.retype(Type::DF);
        let mut b = self.builder();
        b.mov(dst, whole);
        b.mov(dst.subscript(Type::UD, 1), high);
        true
    }

    /// Joins two dwords to a 64-bit value, one strided move each.
    pub(super) fn pack_dwords(&mut self, dst: Operand, low: Operand, high: Operand) {
        let dst = dst.retype(Type::DF);
        let mut b = self.builder();
        b.mov(dst.subscript(Type::UD, 0), low);
        b.mov(dst.subscript(Type::UD, 1), high);
    }

    fn pack_half(&mut self, dst: Operand, low: Operand, high: Operand) -> Result<(), CompileError> {
        let opcodes = self.model.devinfo().half_conversion_opcodes;
        let mut b = self.builder();
        let dst = dst.retype(Type::UD);
        let (op, half) = if opcodes { (Op::F32to16, Type::W) } else { (Op::Mov, Type::HF) };
        // High half into the low words, shifted up, then the low half into the low words.
        let top = b.temp(Type::UD);
        b.emit(op, top.subscript(half, 0), &[high]);
        b.emit(Op::Shl, dst, &[top, Operand::ud(16)]);
        b.emit(op, dst.subscript(half, 0), &[low]);
        Ok(())
    }

    fn unpack_half(&mut self, dst: Operand, src: Operand, part: u32) -> Result<(), CompileError> {
        let opcodes = self.model.devinfo().half_conversion_opcodes;
        let mut b = self.builder();
        let src = if src.is_imm() {
            let copy = b.temp(Type::UD);
            b.mov(copy, src);
            copy
        } else {
            src
        };
        let (op, half) = if opcodes { (Op::F16to32, Type::W) } else { (Op::Mov, Type::HF) };
        b.emit(op, dst.retype(Type::F), &[src.subscript(half, part)]);
        Ok(())
    }

    /// 16-bit halves of dwords.
    fn emit_words(&mut self, ctx: &Ctx<'_>) {
        use AluOp::*;
        match ctx.alu.op {
            Pack32 | PackVec32 => {
                let (low, high) = if ctx.alu.op == Pack32 {
                    (self.arg(ctx, 0, Type::UW), self.arg(ctx, 1, Type::UW))
                } else {
                    (
                        self.src(&ctx.alu.srcs[0], 0, Type::UW),
                        self.src(&ctx.alu.srcs[0], 1, Type::UW),
                    )
                };
                let dst = ctx.dst.retype(Type::UD);
                let mut b = self.builder();
                b.mov(dst.subscript(Type::UW, 0), low);
                b.mov(dst.subscript(Type::UW, 1), high);
            }
            _ => {
                let part = match ctx.alu.op {
                    Unpack32X => 0,
                    Unpack32Y => 1,
                    _ => u32::from(ctx.component),
                };
                let component = if ctx.alu.op == UnpackVec32 { 0 } else { ctx.component };
                let a = self.src(&ctx.alu.srcs[0], component, Type::UD).subscript(Type::UW, part);
                self.builder().mov(ctx.dst.retype(Type::UW), a);
            }
        }
    }
}

/// Bytes from element to element of the destination of a conversion: the size of its execution
/// type; a dword between integers and half floats.
fn element_step(dst: Type, src: Type) -> u32 {
    let integer_and_half =
        dst == Type::HF && src.is_integer() || dst.is_integer() && src == Type::HF;
    let execution = match (integer_and_half, src.size()) {
        (true, _) => 4,
        // Bytes execute as words, except in copies.
        (_, 1) if dst.size() > 1 => 2,
        (_, size) => size,
    };
    execution.max(dst.size())
}

/// Type of a conversion's result.
fn result_type(op: AluOp, bits: u32) -> Type {
    match op.info().output.class {
        ir::Class::Float => Type::float(bits),
        ir::Class::Int => Type::int(bits),
        _ => Type::uint(bits),
    }
}
