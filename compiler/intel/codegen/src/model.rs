//! Decisions of the compiler that depend on the device.
//!
//! The facts are in [`DevInfo`], the quirks in [`Quirk`]; a [`Model`] adds the quirks whose
//! handling is switched off, and rules that combine several facts.

use crate::lir::{File, Inst, MessageKind, Op, Operand, REG_SIZE, RowStep, Type};
use intel_isa::DevInfo;
pub use intel_isa::Quirk;
pub use vocabulary::QuirkSet;

/// Decisions of the compiler that depend on the device and on the quirks that it handles.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    devinfo: &'static DevInfo,
    disabled: QuirkSet,
}

impl Model {
    /// Returns the model of `devinfo` with the handling of `disabled` quirks switched off.
    #[must_use]
    pub fn new(devinfo: &'static DevInfo, disabled: QuirkSet) -> Model {
        Model { devinfo, disabled }
    }

    /// Facts of the device.
    #[must_use]
    pub fn devinfo(&self) -> &'static DevInfo {
        self.devinfo
    }

    /// True if the compiler must work around this trap: the hardware has it and its handling is not
    /// switched off.
    #[must_use]
    pub fn handles(&self, quirk: Quirk) -> bool {
        self.devinfo.has_quirk(quirk) && !self.disabled.contains(quirk)
    }

    /// Source modifiers of AND, OR, XOR and NOT may be taken for arithmetic negation: never, except
    /// where the handling of `gen8-logic-not` is switched off.
    #[must_use]
    pub fn logic_takes_modifiers(&self) -> bool {
        self.devinfo.has_quirk(Quirk::Gen8LogicNot) && !self.handles(Quirk::Gen8LogicNot)
    }

    /// The most channels `inst` may process at once (a power of two).
    #[must_use]
    pub fn max_exec_size(&self, inst: &Inst) -> u8 {
        let mut limit = u32::from(opcode_limit(self, inst));
        if inst.op.is_send()
            || inst.op.info().control_flow
            || matches!(inst.op, Op::Undef | Op::Nop)
        {
            return inst.exec_size;
        }
        if matches!(inst.op, Op::Pln | Op::Line) {
            return limit.min(16) as u8;
        }
        if inst.align16 {
            return limit.min(align16_limit(self, inst)) as u8;
        }
        let regs = |n: u32| {
            inst.src
                .iter()
                .filter(|s| s.is_reg())
                .map(|s| span(s, n))
                .chain([dst_span(inst, n)])
                .max()
                .unwrap_or(0)
        };
        while limit > 1 && regs(limit) > 2 {
            limit /= 2;
        }
        while limit > 1
            && dst_span(inst, limit) > 1
            && !two_register_destination_ok(self, inst, limit)
        {
            limit /= 2;
        }
        // The even split of a two-register source of a one-register destination, and of the
        // destination itself, holds for every region the back ends make: power-of-two strides at
        // aligned offsets.
        limit.max(1) as u8
    }

    /// True if the last source of `inst` may be an immediate.
    #[must_use]
    pub fn accepts_immediate(&self, inst: &Inst, ty: Type) -> bool {
        if inst.op.info().three_source || matches!(inst.op, Op::Pln | Op::Line) || inst.op.is_send()
        {
            return false;
        }
        if inst.op.is_math() && (inst.src.len() < 2 || !self.devinfo.math_immediates) {
            return false;
        }
        match ty.size() {
            8 => inst.src.len() == 1 && self.devinfo.has_64bit_immediates(),
            1 => false,
            _ => true,
        }
    }

    /// Estimated cycles from issue to availability of the result of `inst`.
    #[must_use]
    pub fn latency(&self, inst: &Inst) -> u32 {
        match inst.message.as_ref().map(|m| m.kind) {
            Some(MessageKind::Sample) => 200,
            Some(
                MessageKind::ConstantLoad
                | MessageKind::Memory
                | MessageKind::ByteScatteredWrite { .. },
            ) => 100,
            Some(_) => 50,
            None if inst.op.is_math() => 22,
            None => 14,
        }
    }
}

/// Registers that `operand` spans when `exec_size` channels use it.
fn span(operand: &Operand, exec_size: u32) -> u32 {
    (operand.offset % REG_SIZE + operand.extent(exec_size)).div_ceil(REG_SIZE)
}

/// Destination extent in registers with unit stride counted as stored.
fn dst_span(inst: &Inst, exec_size: u32) -> u32 {
    if inst.dst.is_reg() { span(&inst.dst, exec_size) } else { 0 }
}

/// The instruction executes on 64-bit elements or writes them.
fn is_64bit_execution(inst: &Inst) -> bool {
    inst.exec_type().size() == 8 || (inst.dst.is_reg() && inst.dst.ty.size() == 8)
}

/// A packed word src0 of a packed dword destination, or a scalar: may be narrower than the
/// destination. As src1, Haswell leaves packed words where they are when the first eight channels
/// are disabled.
fn exempt_from_two_grf_rule(model: &Model, inst: &Inst, index: usize) -> bool {
    let src = &inst.src[index];
    if src.is_scalar() {
        return !(src.ty.size() == 8 && model.devinfo().has_quirk(Quirk::IvbDfRegions));
    }
    let packed_words = src.ty.size() == 2 && src.stride() == Some(1);
    index == 0 && packed_words && inst.dst.ty.size() == 4 && inst.dst.stride() == Some(1)
}

/// Rules for destinations over two registers, `n` channels.
fn two_register_destination_ok(model: &Model, inst: &Inst, n: u32) -> bool {
    let narrow = |index: usize, s: &Operand| {
        s.is_reg() && span(s, n) < 2 && !exempt_from_two_grf_rule(model, inst, index)
    };
    if model.handles(Quirk::Gen7TwoGrfSource)
        && inst.src.iter().enumerate().any(|(i, s)| narrow(i, s))
    {
        return false;
    }
    if inst.no_mask && inst.predicate.is_none() && !inst.writes_flag() {
        return true;
    }
    let wide = is_64bit_execution(inst);
    if wide && model.handles(Quirk::IvbDfSecondHalf) {
        return false;
    }
    if model.handles(Quirk::Gen7SecondHalfControls) {
        // Channels in the destination's first register must be exactly a quarter (a nibble).
        let stride = u32::from(inst.dst.stride().unwrap_or(1).max(1));
        let per_register = REG_SIZE / (inst.dst.ty.size() * stride).max(1);
        let expected = if inst.exec_type().size() == 8 { 4 } else { 8 };
        return per_register == expected
            && inst.dst.offset % REG_SIZE < inst.dst.ty.size() * stride;
    }
    true
}

/// Limits by opcode.
fn opcode_limit(model: &Model, inst: &Inst) -> u8 {
    let mut limit = inst.exec_size.min(16);
    let mut cap = |n: u8| limit = limit.min(n);
    if inst.op.info().three_source {
        if model.handles(Quirk::Ivb3srcSimd8) {
            cap(8);
        }
        if inst.dst.ty == Type::DF && model.handles(Quirk::IvbDfSecondHalf) {
            cap(4);
        }
    }
    match inst.op {
        Op::Cmp | Op::Cmpn if !inst.dst.is_null() && model.handles(Quirk::IvbCmp16) => cap(8),
        Op::Bfi1 | Op::Bfi2 if model.handles(Quirk::HswBfiSimd8) => cap(8),
        Op::MathIntDivQuotient | Op::MathIntDivRemainder => cap(8),
        Op::Mach | Op::Addc | Op::Subb => cap(8),
        Op::Mul if uses_integer_accumulator(inst) => cap(8),
        op if op.is_math()
            && (inst.dst.ty == Type::HF || inst.src[0].ty == Type::HF)
            && model.handles(Quirk::HfMath) =>
        {
            cap(8);
        }
        _ => {}
    }
    let has = |ty: Type| inst.dst.ty == ty || inst.src.iter().any(|s| s.ty == ty);
    if has(Type::HF) && has(Type::F) {
        // Mixed float mode executes as F on packed operands.
        cap(8);
    }
    if inst.has_64bit() && !inst.dst.is_reg() {
        // CMP to null: the flag bits of the second half follow the same enables.
        cap(if model.handles(Quirk::IvbDfSecondHalf) && !inst.no_mask { 4 } else { 8 });
    }
    limit
}

/// An explicit or implicit accumulator operand of integer type: eight channels.
fn uses_integer_accumulator(inst: &Inst) -> bool {
    let is_acc = |o: &Operand| {
        matches!(o.file, File::Arf(crate::lir::Arf::Accumulator(_))) && o.ty.is_integer()
    };
    is_acc(&inst.dst) || inst.src.iter().any(is_acc)
}

/// Limits of Align16 instructions (channels are components: 8 is both halves of SIMD4x2).
fn align16_limit(model: &Model, inst: &Inst) -> u32 {
    let wide = is_64bit_execution(inst);
    let mut limit = 8;
    if wide && model.handles(Quirk::IvbAlign16DfWidth) {
        limit = 4;
    }
    if wide && inst.op == Op::Sel && model.handles(Quirk::Gen7Align16DfSel) {
        limit = limit.min(4);
    }
    if inst.dst.ty.size() == 8
        && inst.src.iter().any(|s| s.is_reg() && s.ty.size() < 8)
        && model.handles(Quirk::Align16QwordDst)
    {
        limit = limit.min(2);
    }
    if wide && !inst.src.iter().all(|src| serves_both_vertices(model, inst, src)) {
        limit = limit.min(4);
    }
    limit.min(u32::from(inst.exec_size))
}

/// One instruction over both vertices can read this 64-bit Align16 source. With vertical stride 0
/// the second half reads either the same oword again, right for vectors shared by both vertices, or
/// that of the next register (`gen7-align16-vstride0`), right for the others.
fn serves_both_vertices(model: &Model, inst: &Inst, src: &Operand) -> bool {
    if !src.is_reg() || src.ty.size() != 8 || !model.handles(Quirk::Align16DfSwizzle) {
        return true;
    }
    let replicated = inst.op.info().three_source && src.is_scalar();
    if replicated && !model.handles(Quirk::ThreeSourceNoDfRep) {
        return true;
    }
    match inst.row_step(src) {
        Some(RowStep::Same(_)) => src.is_scalar() != model.handles(Quirk::Gen7Align16Vstride0),
        _ => !src.is_scalar(),
    }
}
