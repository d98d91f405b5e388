//! Restrictions of single instructions.

use super::context::{Context, Rule, is, is_dword, rules};
use crate::inst::{CondMod, ThreadControl};
use crate::opcode::Opcode;
use crate::operand::{Arf, RegFile};
use crate::quirks::Quirk;
use crate::types::Type;

pub(super) static RULES: &[Rule] = rules! {
    "illegal": |c| c.inst.opcode == Opcode::Illegal, "the illegal instruction traps";
    "cmp-condition": cmp_condition, "CMP and CMPN need a condition";
    "gen7-cmp-switch": gen7_cmp_switch, "gen7 CMP to the null register needs {switch}";
    "gen7-cmp-destination": gen7_cmp_destination, "gen7 CMP writes a general register or null";
    "sel-selects": sel_selects, "SEL has either a predicate or a condition";
    "logic-condition": logic_condition, "logic instructions know no overflow and unordered conditions";
    "gen8-logic-abs": gen8_logic_abs, "abs means nothing on logic sources";
    "mul-dword-first": mul_dword_first, "multiplying a dword by a narrower integer, the dword is src0";
    "mul-dword-modifiers": mul_dword_modifiers, "a dword multiplication neither saturates nor sets conditions";
    "gen7-mul-float-destination": gen7_mul_float_destination, "gen7: no float destination for dword multiplication";
    "gen8-mul-accumulator": gen8_mul_accumulator, "gen8: dword by dword does not write the accumulator";
    "chv-dword-mul": chv_dword_mul, "Cherryview cannot multiply dword by dword to a dword";
    "mul-64bit": mul_64bit, "there is no multiplication of 64-bit integers";
    "dim-immediate": dim_immediate, "DIM loads an immediate of type F into DF";
    "f16-conversion-types": f16_conversion_types, "f32to16 and f16to32 hold the half in W, UW, D or UD";
    "mach-types": mach_types, "MACH works on D and UD";
    "avg-types": avg_types, "AVG works on integers";
    "sad2-types": sad2_types, "SAD2 and SADA2 take bytes and write words";
    "plane-types": plane_types, "LINE and PLN work on floats";
    "plane-source": plane_source, "src0 of LINE and PLN is a scalar region";
    "plane-alignment": plane_alignment, "src0 of LINE and PLN starts at the first or the fifth dword of a register";
    "plane-width": plane_width, "PLN has 8 or 16 channels";
    "plane-align1": plane_align1, "PLN runs in Align1";
    "dot-product-align16": dot_product_align16, "dot products of vectors run in Align16";
    "dot-product-types": dot_product_types, "dot products of vectors work on floats";
    "rounding-types": rounding_types, "rounding instructions work on F (from gen8 on also HF)";
    "wait-register": wait_register, "WAIT waits for a notification register in SIMD1";
    "movi-indirect": movi_indirect, "MOVI reads through a0";
    "control-register-switch": control_register_switch, "an instruction that names cr0 needs {switch}";
};

fn is_cmp(c: &Context) -> bool {
    is(c, &[Opcode::Cmp, Opcode::Cmpn])
}

fn cmp_condition(c: &Context) -> bool {
    is_cmp(c) && c.inst.cond_mod.is_none()
}

fn gen7_cmp_switch(c: &Context) -> bool {
    is_cmp(c)
        && c.devinfo.has_quirk(Quirk::Gen7CmpSwitch)
        && c.inst.dst.is_null()
        && c.inst.thread_control != ThreadControl::Switch
}

fn gen7_cmp_destination(c: &Context) -> bool {
    is_cmp(c)
        && c.devinfo.has_quirk(Quirk::Gen7CmpSwitch)
        && c.real_dst().is_some_and(|dst| dst.file == RegFile::Arf)
}

fn sel_selects(c: &Context) -> bool {
    c.inst.opcode == Opcode::Sel && c.inst.cond_mod.is_some() == c.inst.predicate.is_some()
}

fn logic_condition(c: &Context) -> bool {
    c.inst.opcode.is_logic() && matches!(c.inst.cond_mod, Some(CondMod::O | CondMod::U))
}

fn gen8_logic_abs(c: &Context) -> bool {
    c.inst.opcode.is_logic()
        && c.devinfo.has_quirk(Quirk::Gen8LogicNot)
        && c.register_sources().any(|src| src.abs)
}

fn mul_dword_first(c: &Context) -> bool {
    let [a, b, _] = &c.inst.src;
    c.inst.opcode == Opcode::Mul && is_dword(b.ty) && a.ty.size() < 4
}

fn mul_dword_modifiers(c: &Context) -> bool {
    c.inst.opcode == Opcode::Mul
        && c.sources.iter().any(|src| is_dword(src.ty))
        && matches!(c.inst.dst.ty, Type::D | Type::UD | Type::W | Type::UW)
        && (c.inst.saturate || c.inst.cond_mod.is_some())
}

fn gen7_mul_float_destination(c: &Context) -> bool {
    c.inst.opcode == Opcode::Mul
        && c.devinfo.mul_dword_src1_low_word
        && c.inst.dst.ty == Type::F
        && c.sources.iter().any(|src| is_dword(src.ty))
}

fn gen8_mul_accumulator(c: &Context) -> bool {
    c.is_dword_multiply()
        && c.devinfo.even_split_destination
        && !c.devinfo.mul_dword_src1_low_word
        && c.inst.dst.is_accumulator()
}

fn chv_dword_mul(c: &Context) -> bool {
    let lacks = !c.devinfo.has_dword_mul && !c.devinfo.mul_dword_src1_low_word;
    lacks && c.is_dword_multiply() && c.inst.dst.ty.size() < 8
}

fn mul_64bit(c: &Context) -> bool {
    c.inst.opcode == Opcode::Mul && c.sources.iter().any(|src| matches!(src.ty, Type::Q | Type::UQ))
}

fn mach_types(c: &Context) -> bool {
    c.inst.opcode == Opcode::Mach && c.any_operand(|operand| !is_dword(operand.ty))
}

fn avg_types(c: &Context) -> bool {
    c.inst.opcode == Opcode::Avg && c.any_operand(|operand| operand.ty.is_float())
}

fn sad2_types(c: &Context) -> bool {
    is(c, &[Opcode::Sad2, Opcode::Sada2])
        && (c.sources.iter().any(|src| !matches!(src.ty, Type::B | Type::UB))
            || c.real_dst().is_some_and(|dst| !matches!(dst.ty, Type::W | Type::UW)))
}

fn dim_immediate(c: &Context) -> bool {
    c.inst.opcode == Opcode::Dim
        && !(c.inst.src[0].is_imm() && c.inst.src[0].ty == Type::F && c.inst.dst.ty == Type::DF)
}

fn f16_conversion_types(c: &Context) -> bool {
    let holds_half = |ty| matches!(ty, Type::W | Type::UW | Type::D | Type::UD);
    match c.inst.opcode {
        Opcode::F32To16 => !holds_half(c.inst.dst.ty) || c.inst.src[0].ty != Type::F,
        Opcode::F16To32 => !holds_half(c.inst.src[0].ty) || c.inst.dst.ty != Type::F,
        _ => false,
    }
}

fn plane_types(c: &Context) -> bool {
    is(c, &[Opcode::Line, Opcode::Pln]) && c.any_operand(|operand| !operand.ty.is_float())
}

fn plane_source(c: &Context) -> bool {
    is(c, &[Opcode::Line, Opcode::Pln]) && c.is_align1() && !c.inst.src[0].region.is_scalar()
}

fn plane_alignment(c: &Context) -> bool {
    is(c, &[Opcode::Line, Opcode::Pln]) && c.is_align1() && !c.inst.src[0].subnr.is_multiple_of(16)
}

fn plane_width(c: &Context) -> bool {
    c.inst.opcode == Opcode::Pln && !matches!(c.exec_size, 8 | 16)
}

fn plane_align1(c: &Context) -> bool {
    c.inst.opcode == Opcode::Pln && !c.is_align1()
}

fn is_dot_product(c: &Context) -> bool {
    is(c, &[Opcode::Dp2, Opcode::Dp3, Opcode::Dp4, Opcode::Dph])
}

fn dot_product_align16(c: &Context) -> bool {
    is_dot_product(c) && !c.is_align16()
}

fn dot_product_types(c: &Context) -> bool {
    is_dot_product(c) && c.any_operand(|operand| !operand.ty.is_float())
}

fn rounding_types(c: &Context) -> bool {
    is(c, &[Opcode::Rndd, Opcode::Rndu, Opcode::Rnde, Opcode::Rndz, Opcode::Frc])
        && c.sources.iter().any(|src| !matches!(src.ty, Type::F | Type::HF | Type::VF))
}

fn wait_register(c: &Context) -> bool {
    c.inst.opcode == Opcode::Wait
        && (c.exec_size != 1 || !matches!(c.inst.dst.arf(), Some(Arf::Notification(_))))
}

fn movi_indirect(c: &Context) -> bool {
    c.inst.opcode == Opcode::Movi && !c.inst.src[0].is_indirect()
}

/// The pipeline does not keep explicit accesses to the control register in order by itself
/// ("Implementation Restriction on Register Access" of the Skylake PRM, as Mesa's generators quote
/// it).
fn control_register_switch(c: &Context) -> bool {
    c.is_basic()
        && c.any_operand(|operand| matches!(operand.arf(), Some(Arf::Control(_))))
        && c.inst.thread_control != ThreadControl::Switch
}
