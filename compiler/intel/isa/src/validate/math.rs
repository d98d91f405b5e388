//! MATH.

use super::context::{Context, Rule, rules};
use crate::inst::{AccessMode, MathFn};
use crate::opcode::Form;
use crate::operand::{Operand, RegFile};
use crate::types::Type;

pub(super) static RULES: &[Rule] = rules! {
    "math-destination": math_destination, "MATH writes a general register";
    "gen7-math-immediate": gen7_math_immediate, "gen7 MATH has no immediates";
    "gen7-math-regions": gen7_math_regions, "gen7 MATH operands are packed, sources may be scalar";
    "gen8-math-strides": gen8_math_strides, "MATH source and destination strides are equal, scalars excepted";
    "math-types": math_types, "MATH works on F, from Skylake on also HF";
    "math-division-types": math_division_types, "integer division works on D and UD";
    "math-division-width": math_division_width, "integer division is limited to SIMD8";
    "math-division-modifiers": math_division_modifiers, "integer division has no source modifiers";
    "gen7-math-division-src1": gen7_math_division_src1, "gen7 integer division takes src1 from a general register";
    "math-half-width": math_half_width, "half-float MATH is limited to SIMD8";
    "math-function": math_function, "the macro functions INVM and RSQRTM exist from gen8 on";
};

/// MATH, by its opcode or its function.
pub(super) fn concern(c: &Context) -> bool {
    is_math(c) || c.inst.math.is_some()
}

fn is_math(c: &Context) -> bool {
    c.form == Form::Math
}

fn is_division(c: &Context) -> bool {
    c.inst.math.is_some_and(MathFn::is_integer)
}

fn math_destination(c: &Context) -> bool {
    is_math(c) && c.inst.dst.file != RegFile::Grf
}

fn gen7_math_immediate(c: &Context) -> bool {
    is_math(c) && !c.devinfo.math_immediates && c.sources.iter().any(Operand::is_imm)
}

fn align1_math(c: &Context) -> bool {
    is_math(c) && c.inst.access_mode == AccessMode::Align1
}

/// Elements one after the other.
fn is_packed(src: &Operand) -> bool {
    let region = src.region;
    region.vstride == region.width
        && (region.hstride == 1 || region.width == 1 && region.hstride == 0)
}

fn gen7_math_regions(c: &Context) -> bool {
    align1_math(c)
        && c.devinfo.math_packed_sources
        && (c.inst.dst.region.hstride != 1
            || c.register_sources().any(|src| !src.region.is_scalar() && !is_packed(src)))
}

/// The distance in elements between a region's first channels.
fn element_stride(src: &Operand) -> u8 {
    if src.region.width == 1 { src.region.vstride } else { src.region.hstride }
}

fn gen8_math_strides(c: &Context) -> bool {
    let dst_stride = u32::from(c.inst.dst.region.hstride) * c.inst.dst.ty.size();
    align1_math(c)
        && !c.devinfo.math_packed_sources
        && c.exec_size > 1
        && c.register_sources().any(|src| {
            !src.region.is_scalar() && u32::from(element_stride(src)) * src.ty.size() != dst_stride
        })
        && !c.any_operand(|operand| operand.ty == Type::HF)
}

fn math_types(c: &Context) -> bool {
    let allowed = |ty| matches!(ty, Type::F | Type::VF) || ty == Type::HF && c.devinfo.has_hf_math;
    is_math(c) && !is_division(c) && c.any_operand(|operand| !allowed(operand.ty))
}

fn math_division_types(c: &Context) -> bool {
    is_division(c) && c.any_operand(|operand| !matches!(operand.ty, Type::D | Type::UD))
}

fn math_division_width(c: &Context) -> bool {
    is_division(c) && c.exec_size > 8
}

fn math_division_modifiers(c: &Context) -> bool {
    is_division(c) && c.register_sources().any(|src| src.negate || src.abs)
}

fn gen7_math_division_src1(c: &Context) -> bool {
    is_division(c) && !c.devinfo.math_immediates && c.inst.src[1].file != RegFile::Grf
}

fn math_half_width(c: &Context) -> bool {
    is_math(c) && c.exec_size > 8 && c.any_operand(|operand| operand.ty == Type::HF)
}

fn math_function(c: &Context) -> bool {
    matches!(c.inst.math, Some(MathFn::Invm | MathFn::Rsqrtm)) && !c.devinfo.math_immediates
}
