//! Checks that instructions obey the hardware's restrictions.
//!
//! Each rule is a small named function beside the fact it enforces, listed in the table of its file. The facts are
//! those of the PRMs' "Register Region Restrictions" and instruction pages as quoted in Mesa's `brw_eu_validate.c`,
//! and of Mesa's code generators where noted.
//!
//! A rule sees one instruction at a time; [`validate_program`] adds the rules about the program as a whole.

mod accumulators;
mod bits;
mod branches;
mod cache;
mod conversions;
mod fp64;
mod general;
mod half;
mod instructions;
mod jumps;
mod math;
mod messages;
mod regions;
mod sends;
mod spans;
mod three_source;

#[cfg(test)]
mod tests;

pub use cache::ValidationCache;

use std::cell::OnceCell;

use spans::Spans;

use crate::devinfo::DevInfo;
use crate::encoding::DecodeError;
use crate::inst::{AccessMode, Inst};
use crate::opcode::{Form, Opcode};
use crate::operand::{Operand, RegFile};
use crate::quirks::Quirk;
use crate::types::Type;

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Byte offset of the instruction in the program.
    pub offset: usize,
    /// Name of the rule.
    pub rule: &'static str,
    /// What the rule demands, or why the bytes do not decode.
    pub message: String,
}

/// A rule about one instruction.
pub(crate) struct Rule {
    /// Name, in kebab case.
    pub name: &'static str,
    /// What it demands.
    pub message: &'static str,
    /// Whether an instruction breaks it.
    pub broken: fn(&Context) -> bool,
}

/// Builds a rule table: `"name": function, "message";`.
macro_rules! rules {
    ($($name:literal: $broken:expr, $message:literal;)*) => {
        &[$($crate::validate::Rule { name: $name, message: $message, broken: $broken },)*]
    };
}
pub(crate) use rules;

/// The rules of one file.
struct RuleSet {
    rules: &'static [Rule],
    /// Whether an instruction can break any of them: most of what compilers emit is no business of most rules.
    concern: fn(&Context) -> bool,
}

const fn of_all(rules: &'static [Rule]) -> RuleSet {
    RuleSet { rules, concern: |_| true }
}

const fn of_some(rules: &'static [Rule], concern: fn(&Context) -> bool) -> RuleSet {
    RuleSet { rules, concern }
}

/// All rules about one instruction, by file.
static RULES: &[RuleSet] = &[
    of_all(general::RULES),
    of_all(instructions::RULES),
    of_all(bits::RULES),
    of_some(branches::RULES, branches::concern),
    of_some(math::RULES, math::concern),
    of_all(accumulators::RULES),
    of_some(regions::RULES, |c| c.is_align1()),
    of_some(spans::RULES, spans::concern),
    of_all(conversions::RULES),
    of_some(half::RULES, half::concern),
    of_all(fp64::RULES),
    of_some(three_source::RULES, three_source::concern),
    of_some(sends::RULES, sends::concern),
    of_some(messages::RULES, messages::concern),
];

/// Names of all rules, in the order they are checked.
pub fn rule_names() -> impl Iterator<Item = &'static str> {
    RULES.iter().flat_map(|set| set.rules).map(|rule| rule.name).chain(jumps::NAMES)
}

/// Checks one instruction; returns the broken rules' names and messages.
pub fn validate_inst(devinfo: &DevInfo, inst: &Inst) -> Vec<(&'static str, &'static str)> {
    let context = Context::new(devinfo, inst);
    RULES
        .iter()
        .filter(|set| (set.concern)(&context))
        .flat_map(|set| set.rules)
        .filter(|rule| (rule.broken)(&context))
        .map(|rule| (rule.name, rule.message))
        .collect()
}

/// Checks a program's instructions, as far as it reaches (see [`crate::ProgramEnd`]), and its jumps. Bytes that do not decode end the check with the violation `decode`.
pub fn validate_program(devinfo: &'static DevInfo, bytes: &[u8]) -> Vec<Violation> {
    ValidationCache::new(devinfo).validate_program(bytes)
}

fn decode_violation(offset: usize, error: &DecodeError) -> Violation {
    Violation { offset, rule: "decode", message: error.to_string() }
}

/// Whether the instruction's opcode is one of these.
pub(crate) fn is(c: &Context, opcodes: &[Opcode]) -> bool {
    opcodes.contains(&c.inst.opcode)
}

/// An instruction with what many rules ask about it.
pub(crate) struct Context<'a> {
    pub devinfo: &'a DevInfo,
    pub inst: &'a Inst,
    /// Encoded execution size.
    pub exec_size: u32,
    /// The sources the instruction reads.
    pub sources: &'a [Operand],
    /// What the opcode's instructions look like.
    pub form: Form,
    /// Type the instruction executes in; of the destination if there is no source.
    pub exec_type: Type,
    /// Where the operands' channels lie, once a rule has asked.
    spans: OnceCell<Spans>,
}

impl<'a> Context<'a> {
    fn new(devinfo: &'a DevInfo, inst: &'a Inst) -> Context<'a> {
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

    /// One- or two-source arithmetic: what the region and conversion rules are about. RET only looks like it: it reads two
    /// dwords whatever its execution size.
    pub fn is_basic(&self) -> bool {
        matches!(self.form, Form::Basic | Form::Math) && self.inst.opcode != Opcode::Ret
    }

    /// Basic, in Align1.
    pub fn is_align1(&self) -> bool {
        self.is_basic() && self.inst.access_mode == AccessMode::Align1
    }

    /// Basic, in Align16.
    pub fn is_align16(&self) -> bool {
        self.is_basic() && self.inst.access_mode == AccessMode::Align16
    }

    /// The destination, unless there is none or it is null.
    pub fn real_dst(&self) -> Option<&'a Operand> {
        let inst: &'a Inst = self.inst;
        (inst.opcode.info().has_dst && !inst.dst.is_null()).then_some(&inst.dst)
    }

    /// Sources that are registers.
    pub fn register_sources(&self) -> impl Iterator<Item = &'a Operand> {
        self.sources.iter().filter(|src| !src.is_imm())
    }

    /// Whether source or destination satisfies `test` (null destinations do not count).
    pub fn any_operand(&self, test: impl Fn(&Operand) -> bool) -> bool {
        self.sources.iter().any(&test) || self.real_dst().is_some_and(&test)
    }

    /// Whether some operand is 64 bits wide.
    pub fn has_64bit(&self) -> bool {
        self.any_operand(|operand| operand.ty.size() == 8)
    }

    /// Bytes between a region's units: the type's size, except where DF regions count dwords.
    pub fn element_size(&self, operand: &Operand) -> u32 {
        match operand.ty.size() {
            8 if self.devinfo.has_quirk(Quirk::IvbDfRegions) => 4,
            size => size,
        }
    }

    /// Channels: half the encoded execution size where DF doubles it.
    pub fn channels(&self) -> u32 {
        match self.devinfo.has_quirk(Quirk::IvbDfExecSize) && self.has_64bit() {
            true => self.exec_size / 2,
            false => self.exec_size,
        }
    }

    /// MOV without conversion, saturation or modifiers.
    pub fn is_raw_move(&self) -> bool {
        let src = &self.inst.src[0];
        self.inst.opcode == Opcode::Mov
            && !self.inst.saturate
            && !src.negate
            && !src.abs
            && !src.ty.is_vector_immediate()
            && signed(self.inst.dst.ty) == signed(src.ty)
    }

    /// Multiplication of two dword integers.
    pub fn is_dword_multiply(&self) -> bool {
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

/// The execution type: the larger of the sources', where one HF source takes the destination's type and F beside HF
/// (destination included) is F.
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

/// Whether an operand lies in the general registers and is addressed directly.
pub(crate) fn is_direct_grf(operand: &Operand) -> bool {
    operand.file == RegFile::Grf && !operand.is_indirect()
}
