//! Logic, bit counting, bit fields of two sources, carries: instructions of integers. Operand types
//! are those of the PRMs' instruction pages.

use super::context::{Context, Rule, is, is_dword, rules};
use crate::opcode::Opcode;
use crate::types::Type;

pub(super) static RULES: &[Rule] = rules! {
    "logic-types": logic_types, "logic and bit instructions work on integers";
    "logic-destination": logic_destination, "logic instructions write integers";
    "bit-count-destination": bit_count_destination, "CBIT and LZD count into D or UD, FBH and FBL into integers";
    "lzd-source": lzd_source, "LZD counts in D or UD";
    "bfrev-types": bfrev_types, "BFREV works on D and UD";
    "bfi1-types": bfi1_types, "BFI1 works on D and UD";
    "bit-modifiers": bit_modifiers, "BFI1, BFREV, CBIT, FBH and FBL have no source modifiers";
    "addc-destination": addc_destination, "ADDC and SUBB write UD";
    "addc-modifiers": addc_modifiers, "ADDC and SUBB have no source modifiers";
    "q-opcode": q_opcode, "the opcode has no 64-bit integer form";
};

fn logic_types(c: &Context) -> bool {
    let bits = [
        Opcode::Bfrev,
        Opcode::Bfi1,
        Opcode::Fbl,
        Opcode::Cbit,
        Opcode::Shl,
        Opcode::Shr,
        Opcode::Asr,
    ];
    (c.inst.opcode.is_logic() || is(c, &bits)) && c.sources.iter().any(|src| src.ty.is_float())
}

fn logic_destination(c: &Context) -> bool {
    c.inst.opcode.is_logic() && c.real_dst().is_some_and(|dst| dst.ty.is_float())
}

/// Intel's compilers let FBH and FBL write words and bytes (the kernels of the VA driver for
/// Broadwell and Skylake).
fn bit_count_destination(c: &Context) -> bool {
    let Some(dst) = c.real_dst() else { return false };
    is(c, &[Opcode::Cbit, Opcode::Lzd]) && !is_dword(dst.ty)
        || is(c, &[Opcode::Fbh, Opcode::Fbl]) && dst.ty.is_float()
}

fn lzd_source(c: &Context) -> bool {
    c.inst.opcode == Opcode::Lzd && !is_dword(c.inst.src[0].ty)
}

fn bfrev_types(c: &Context) -> bool {
    c.inst.opcode == Opcode::Bfrev && c.any_operand(|operand| !is_dword(operand.ty))
}

fn bfi1_types(c: &Context) -> bool {
    c.inst.opcode == Opcode::Bfi1 && c.any_operand(|operand| !is_dword(operand.ty))
}

fn has_modifiers(c: &Context) -> bool {
    c.sources.iter().any(|src| src.negate || src.abs)
}

fn bit_modifiers(c: &Context) -> bool {
    is(c, &[Opcode::Bfi1, Opcode::Bfrev, Opcode::Cbit, Opcode::Fbh, Opcode::Fbl])
        && has_modifiers(c)
}

fn is_carry(c: &Context) -> bool {
    is(c, &[Opcode::Addc, Opcode::Subb])
}

fn addc_destination(c: &Context) -> bool {
    is_carry(c) && c.real_dst().is_some_and(|dst| dst.ty != Type::UD)
}

fn addc_modifiers(c: &Context) -> bool {
    is_carry(c) && has_modifiers(c)
}

fn q_opcode(c: &Context) -> bool {
    let without = [
        Opcode::Avg,
        Opcode::Addc,
        Opcode::Subb,
        Opcode::Mac,
        Opcode::Mach,
        Opcode::Sad2,
        Opcode::Sada2,
        Opcode::Lzd,
        Opcode::Fbh,
        Opcode::Fbl,
        Opcode::Cbit,
        Opcode::Bfrev,
        Opcode::Bfi1,
    ];
    is(c, &without) && c.any_operand(|operand| matches!(operand.ty, Type::Q | Type::UQ))
}
