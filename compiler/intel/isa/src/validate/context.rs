//! The instruction that rules see, and the form of a rule.

use std::cell::OnceCell;

use super::operand_spans::{Span, Spans};
use crate::devinfo::DevInfo;
use crate::inst::{AccessMode, Inst};
use crate::opcode::{Form, Opcode};
use crate::operand::{Operand, RegFile};
use crate::quirks::Quirk;
use crate::types::Type;

/// A rule about one instruction.
pub(crate) struct Rule {
    /// Name, in kebab case.
    pub name: &'static str,
    /// Requirement of the rule.
    pub message: &'static str,
    /// Returns whether an instruction breaks it.
    pub broken: fn(&Context) -> bool,
}

/// Builds a rule table: `"name": function, "message";`.
macro_rules! rules {
    ($($name:literal: $broken:expr, $message:literal;)*) => {
        &[$(crate::validate::context::Rule { name: $name, message: $message, broken: $broken },)*]
    };
}
pub(crate) use rules;

/// Returns whether the instruction's opcode is one of `opcodes`.
pub(crate) fn is(c: &Context, opcodes: &[Opcode]) -> bool {
    opcodes.contains(&c.inst.opcode)
}

/// An instruction with facts that many rules use.
pub(crate) struct Context<'a> {
    pub devinfo: &'a DevInfo,
    pub inst: &'a Inst,
    /// Encoded execution size.
    pub exec_size: u32,
    /// The sources the instruction reads.
    pub sources: &'a [Operand],
    /// Layout of the opcode's operands.
    pub form: Form,
    /// Type the instruction executes in; of the destination if there is no source.
    pub exec_type: Type,
    /// Bytes of the operands' channels, computed when a rule needs them.
    spans: OnceCell<Spans>,
}

impl<'a> Context<'a> {
    pub(super) fn new(devinfo: &'a DevInfo, inst: &'a Inst) -> Context<'a> {
        let sources = inst.used_sources();
        Context {
            devinfo,
            inst,
            exec_size: u32::from(inst.exec_size),
            sources,
            form: inst.opcode.form(),
            exec_type: execution_type(inst, sources),
            spans: OnceCell::new(),
        }
    }

    /// One- or two-source arithmetic, the subject of region and conversion rules. RET has the same
    /// layout, but reads two dwords at any execution size.
    pub(super) fn is_basic(&self) -> bool {
        matches!(self.form, Form::Basic | Form::Math) && self.inst.opcode != Opcode::Ret
    }

    /// Basic, in Align1.
    pub(super) fn is_align1(&self) -> bool {
        self.is_basic() && self.inst.access_mode == AccessMode::Align1
    }

    /// Basic, in Align16.
    pub(super) fn is_align16(&self) -> bool {
        self.is_basic() && self.inst.access_mode == AccessMode::Align16
    }

    /// The destination, unless there is none or it is null.
    pub(super) fn real_dst(&self) -> Option<&'a Operand> {
        let inst: &'a Inst = self.inst;
        (inst.opcode.info().has_dst && !inst.dst.is_null()).then_some(&inst.dst)
    }

    /// Sources that are registers.
    pub(super) fn register_sources(&self) -> impl Iterator<Item = &'a Operand> {
        self.sources.iter().filter(|src| !src.is_imm())
    }

    /// Returns whether a source or the destination satisfies `test` (null destinations do not
    /// count).
    pub(super) fn any_operand(&self, test: impl Fn(&Operand) -> bool) -> bool {
        self.sources.iter().any(&test) || self.real_dst().is_some_and(&test)
    }

    /// Returns whether an operand is 64 bits wide.
    pub(super) fn has_64bit(&self) -> bool {
        self.any_operand(|operand| operand.ty.size() == 8)
    }

    /// Bytes between a region's units: the type's size, except where DF regions count dwords.
    pub(super) fn element_size(&self, operand: &Operand) -> u32 {
        match operand.ty.size() {
            8 if self.devinfo.has_quirk(Quirk::IvbDfRegions) => 4,
            size => size,
        }
    }

    /// Bytes of the operands' channels.
    pub(super) fn spans(&self) -> &Spans {
        self.spans.get_or_init(|| {
            let source = |src: &Operand| Span::source(src, self.exec_size, self.element_size(src));
            let destination =
                |dst: &Operand| Span::destination(dst, self.exec_size, self.element_size(dst));
            Spans {
                dst: self.real_dst().and_then(destination),
                src: std::array::from_fn(|index| source(self.sources.get(index)?)),
            }
        })
    }

    /// Channels: half the encoded execution size where DF doubles it.
    pub(super) fn channels(&self) -> u32 {
        let doubled = self.devinfo.has_quirk(Quirk::IvbDfExecSize) && self.has_64bit();
        if doubled { self.exec_size / 2 } else { self.exec_size }
    }

    /// MOV without conversion, saturation or modifiers.
    pub(super) fn is_raw_move(&self) -> bool {
        let src = &self.inst.src[0];
        self.inst.opcode == Opcode::Mov
            && !self.inst.saturate
            && !src.negate
            && !src.abs
            && !src.ty.is_vector_immediate()
            && signed(self.inst.dst.ty) == signed(src.ty)
    }

    /// Multiplication of two dword integers.
    pub(super) fn is_dword_multiply(&self) -> bool {
        self.inst.opcode == Opcode::Mul && self.sources.iter().all(|src| is_dword(src.ty))
    }
}

/// D or UD.
pub(crate) fn is_dword(ty: Type) -> bool {
    matches!(ty, Type::D | Type::UD)
}

/// The signed type of the same size.
fn signed(ty: Type) -> Type {
    match ty {
        Type::UD => Type::D,
        Type::UW => Type::W,
        Type::UB => Type::B,
        Type::UQ => Type::Q,
        other => other,
    }
}

/// F beside HF.
pub(crate) fn is_mixed_float(a: Type, b: Type) -> bool {
    matches!((a, b), (Type::F, Type::HF) | (Type::HF, Type::F))
}

/// The type one operand executes in: integers as the signed type of at least 16 bits, VF as F.
fn operand_execution_type(ty: Type) -> Type {
    match ty {
        Type::VF => Type::F,
        Type::UQ => Type::Q,
        Type::UD => Type::D,
        Type::UW | Type::B | Type::UB | Type::V | Type::UV => Type::W,
        other => other,
    }
}

/// The execution type: the larger of the sources', where one HF source takes the destination's type
/// and F beside HF (destination included) is F.
fn execution_type(inst: &Inst, sources: &[Operand]) -> Type {
    let dst = inst.dst.ty;
    match sources {
        [] => dst,
        [src] if src.ty == Type::HF => dst,
        [src] => operand_execution_type(src.ty),
        [a, b, ..] => {
            let (a, b) = (operand_execution_type(a.ty), operand_execution_type(b.ty));
            if is_mixed_float(a, b) || is_mixed_float(a, dst) || is_mixed_float(b, dst) {
                return Type::F;
            }
            if a.size() >= b.size() { a } else { b }
        }
    }
}

/// Returns whether an operand is a directly addressed general register.
pub(crate) fn is_direct_grf(operand: &Operand) -> bool {
    operand.file == RegFile::Grf && !operand.is_indirect()
}
