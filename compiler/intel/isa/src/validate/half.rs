//! Half floats: which instructions take them, and mixed float mode.

use super::context::{Context, Rule, is_mixed_float, rules};
use crate::inst::AccessMode;
use crate::opcode::Opcode;
use crate::operand::Operand;
use crate::types::Type;

pub(super) static RULES: &[Rule] = rules! {
    "half-operand-types": operand_types,
        "HF operands go with HF and F only; MOV converts, from Skylake on also ADD from integers";
    "mixed-indirect": mixed_indirect, "mixed float mode has no indirect sources";
    "mixed-f-width": mixed_f_width, "mixed float mode with an F destination is limited to SIMD8";
    "mixed-packed-width": mixed_packed_width, "mixed float mode with a packed HF destination is limited to SIMD8";
    "mixed-packed-alignment": mixed_packed_alignment, "a packed HF destination in mixed float mode is oword-aligned";
    "mixed-accumulator-offset": mixed_accumulator_offset,
        "mixed float mode with packed HF destination: accumulator sources have offset 0";
    "mixed-accumulator-stride": mixed_accumulator_stride,
        "mixed float mode with an accumulator source and HF destination: destination stride 2";
    "mixed-math-stride": mixed_math_stride, "mixed float MATH in Align1 needs strided HF sources";
    "mixed-align16-vstride": mixed_align16_vstride, "mixed float mode in Align16 needs vertical stride 4";
    "mixed-align16-width": mixed_align16_width, "mixed float mode in Align16 is limited to SIMD8";
    "mixed-align16-accumulator": mixed_align16_accumulator, "mixed float mode in Align16 reads no accumulator";
};

/// Instructions with a half float among their operands.
pub(super) fn concern(c: &Context) -> bool {
    is_half(c.inst.dst.ty) || c.sources.iter().any(|src| is_half(src.ty))
}

fn is_half(ty: Type) -> bool {
    ty == Type::HF
}

/// Arithmetic that has a destination.
fn arithmetic(c: &Context) -> bool {
    c.is_basic() && c.inst.opcode.info().has_dst && !c.sources.is_empty()
}

fn operand_types(c: &Context) -> bool {
    let dst = c.inst.dst.ty;
    if !arithmetic(c) || !(is_half(dst) || c.sources.iter().any(|src| is_half(src.ty))) {
        return false;
    }
    let float = |ty| matches!(ty, Type::HF | Type::F | Type::VF);
    let all_floats = float(dst) && c.sources.iter().all(|src| float(src.ty));
    let from_integers = is_half(dst) && c.sources.iter().all(|src| src.ty.is_integer());
    match c.inst.opcode {
        Opcode::Mov | Opcode::Smov => false,
        Opcode::Add if c.devinfo.add_integers_to_half => !all_floats && !from_integers,
        // CMP writes a mask, which may be typed as an integer.
        Opcode::Cmp | Opcode::Cmpn => c.sources.iter().any(|src| !float(src.ty)),
        _ => !all_floats,
    }
}

/// F beside HF, anywhere.
fn is_mixed(c: &Context) -> bool {
    let dst = c.inst.dst.ty;
    let sources = c.sources;
    arithmetic(c)
        && c.devinfo.has_hf
        && (sources.iter().any(|src| is_mixed_float(src.ty, dst))
            || matches!(sources, [a, b] if is_mixed_float(a.ty, b.ty)))
}

fn mixed(c: &Context, mode: AccessMode) -> bool {
    is_mixed(c) && c.inst.access_mode == mode
}

/// Returns whether an accumulator is read, explicitly or by the operation.
fn reads_accumulator(c: &Context) -> bool {
    matches!(c.inst.opcode, Opcode::Mac | Opcode::Mach | Opcode::Sada2)
        || c.sources.iter().any(Operand::is_accumulator)
}

fn packed_half(c: &Context) -> bool {
    is_half(c.inst.dst.ty) && c.inst.dst.region.hstride == 1
}

fn mixed_indirect(c: &Context) -> bool {
    is_mixed(c) && c.sources.iter().any(Operand::is_indirect)
}

fn mixed_f_width(c: &Context) -> bool {
    is_mixed(c) && c.exec_size > 8 && c.inst.dst.ty == Type::F
}

fn mixed_packed_width(c: &Context) -> bool {
    mixed(c, AccessMode::Align1) && c.exec_size > 8 && packed_half(c)
}

fn mixed_packed_alignment(c: &Context) -> bool {
    mixed(c, AccessMode::Align1) && packed_half(c) && !c.inst.dst.subnr.is_multiple_of(16)
}

fn mixed_accumulator_offset(c: &Context) -> bool {
    mixed(c, AccessMode::Align1)
        && packed_half(c)
        && c.sources.iter().any(|src| src.is_accumulator() && src.ty.is_float() && src.subnr != 0)
}

fn mixed_accumulator_stride(c: &Context) -> bool {
    mixed(c, AccessMode::Align1)
        && is_half(c.inst.dst.ty)
        && reads_accumulator(c)
        && c.inst.dst.region.hstride != 2
}

fn mixed_math_stride(c: &Context) -> bool {
    mixed(c, AccessMode::Align1)
        && c.inst.math.is_some()
        && c.register_sources().any(|src| is_half(src.ty) && src.region.hstride <= 1)
}

fn mixed_align16_vstride(c: &Context) -> bool {
    mixed(c, AccessMode::Align16) && c.register_sources().any(|src| src.region.vstride != 4)
}

fn mixed_align16_width(c: &Context) -> bool {
    mixed(c, AccessMode::Align16) && c.exec_size > 8
}

fn mixed_align16_accumulator(c: &Context) -> bool {
    mixed(c, AccessMode::Align16) && reads_accumulator(c)
}
