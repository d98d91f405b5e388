//! Instructions with three sources.

use super::context::{Context, Rule, rules};
use crate::opcode::{Form, Opcode};
use crate::quirks::Quirk;
use crate::types::Type;

pub(super) static RULES: &[Rule] = rules! {
    "ivb-3src-simd8": ivb_width, "three-source instructions are limited to SIMD8 on Ivy Bridge";
    "3src-df-width": df_width, "three-source DF instructions have at most 8 channels, on Ivy Bridge 4";
    "hsw-bfi-simd8": bfi_width, "BFI1 and BFI2 are limited to SIMD8 on Haswell";
    "3src-no-df-rep": no_df_rep, "64-bit three-source operands cannot be replicated";
    "3src-mixed-width": mixed_width, "three-source instructions that mix F and HF are limited to SIMD8";
    "3src-types": types, "the types of destination and sources do not go together";
    "bit-field-types": bit_field_types, "BFE and BFI2 work on D and UD";
    "bit-field-modifiers": bit_field_modifiers, "BFE and BFI2 have no source modifiers";
    "float-3src-types": float_types, "MAD and LRP work on floats, LRP on F only";
    "csel-condition": csel_condition, "CSEL has a condition and no predicate";
    "csel-types": csel_types, "CSEL works on F";
    "3src-alignment": alignment, "a three-source operand that is not replicated is 16-byte aligned";
    "bdw-hf-mad-offset": half_offset, "gen8 HF MAD misreads sources that do not start a register";
};

/// Three sources, or BFI1, which belongs to BFI2.
pub(super) fn concern(c: &Context) -> bool {
    is_three_source(c) || c.inst.opcode == Opcode::Bfi1
}

fn is_three_source(c: &Context) -> bool {
    c.form == Form::ThreeSource
}

fn ivb_width(c: &Context) -> bool {
    is_three_source(c) && c.devinfo.has_quirk(Quirk::Ivb3srcSimd8) && c.exec_size > 8
}

fn df_width(c: &Context) -> bool {
    let limit = if c.devinfo.has_quirk(Quirk::IvbDfExecSize) { 4 } else { 8 };
    is_three_source(c) && c.has_64bit() && c.channels() > limit
}

fn bfi_width(c: &Context) -> bool {
    matches!(c.inst.opcode, Opcode::Bfi1 | Opcode::Bfi2)
        && c.devinfo.has_quirk(Quirk::HswBfiSimd8)
        && c.exec_size > 8
}

fn no_df_rep(c: &Context) -> bool {
    is_three_source(c) && c.sources.iter().any(|src| src.rep_ctrl && src.ty.size() == 8)
}

/// All of one type, except that F and HF mix.
fn types(c: &Context) -> bool {
    let dst = c.inst.dst.ty;
    let half_or_single = |ty| matches!(ty, Type::F | Type::HF);
    is_three_source(c)
        && c.sources
            .iter()
            .any(|src| src.ty != dst && !(half_or_single(src.ty) && half_or_single(dst)))
}

fn mixed_width(c: &Context) -> bool {
    let has = |ty| c.any_operand(|operand| operand.ty == ty);
    is_three_source(c) && c.exec_size > 8 && has(Type::F) && has(Type::HF)
}

fn is_bit_field(c: &Context) -> bool {
    matches!(c.inst.opcode, Opcode::Bfe | Opcode::Bfi2)
}

fn bit_field_types(c: &Context) -> bool {
    is_bit_field(c) && c.any_operand(|operand| !super::context::is_dword(operand.ty))
}

fn bit_field_modifiers(c: &Context) -> bool {
    is_bit_field(c) && c.sources.iter().any(|src| src.negate || src.abs)
}

fn float_types(c: &Context) -> bool {
    match c.inst.opcode {
        Opcode::Mad | Opcode::Madm => c.any_operand(|operand| !operand.ty.is_float()),
        Opcode::Lrp => c.any_operand(|operand| operand.ty != Type::F),
        _ => false,
    }
}

fn csel_condition(c: &Context) -> bool {
    c.inst.opcode == Opcode::Csel && (c.inst.cond_mod.is_none() || c.inst.predicate.is_some())
}

fn csel_types(c: &Context) -> bool {
    c.inst.opcode == Opcode::Csel && c.any_operand(|operand| operand.ty != Type::F)
}

fn alignment(c: &Context) -> bool {
    is_three_source(c) && c.sources.iter().any(|src| !src.rep_ctrl && src.subnr % 16 != 0)
}

fn half_offset(c: &Context) -> bool {
    c.inst.opcode == Opcode::Mad
        && c.devinfo.has_quirk(Quirk::BdwHfMadOffset)
        && c.sources.iter().any(|src| src.ty == Type::HF && src.subnr != 0)
}
