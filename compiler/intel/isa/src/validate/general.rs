//! Operands of every instruction: files, bounds, alignment, immediates, controls.

use super::context::{Context, Rule, is_direct_grf, rules};
use crate::opcode::{Form, Opcode};
use crate::operand::{Addressing, Arf, Operand, RegFile};
use crate::types::Type;

pub(super) static RULES: &[Rule] = rules! {
    "source-not-null": source_not_null, "sources may not be null";
    "register-bounds": register_bounds, "general registers end at r127";
    "arf-exists": arf_exists, "there is no such architecture register";
    "arf-indirect": arf_indirect, "architecture registers are addressed directly";
    "subregister-alignment": subregister_alignment, "a subregister is a multiple of its type's size";
    "immediate-last": immediate_last, "only the last source may be an immediate";
    "immediate-64bit": immediate_64bit, "64-bit immediates exist in one-source instructions, DF ones from gen8 on";
    "immediate-word": immediate_word, "a 16-bit immediate fills both halves of the dword";
    "immediate-vector-alignment": immediate_vector_alignment, "a vector immediate needs a 16-byte aligned destination";
    "immediate-vf-stride": immediate_vf_stride, "a VF immediate needs a destination stride of a dword";
    "immediate-v-stride": immediate_v_stride, "a V or UV immediate needs a destination stride of a word";
    "address-subregister": address_subregister, "a0 has 8 words, 16 from gen8 on";
    "address-types": address_types, "a0 holds words and dwords";
    "address-span": address_span, "what is written to a0 ends within it";
    "mixed-source-types": mixed_source_types, "sources are all floating-point or all integers";
    "condition-allowed": condition_allowed, "the opcode has no conditional modifier";
    "saturate-allowed": saturate_allowed, "the opcode does not saturate";
    "channel-group": channel_group, "the channel group starts at a multiple of the number of channels";
    "simd32-condition": simd32_condition, "before gen8 SIMD32 must not set conditions";
    "align16-simd16": align16_simd16, "Align16 is limited to SIMD8 on Ivy Bridge";
    "align16-vstride": align16_vstride, "Align16 vertical strides are 0 and 4, from Haswell on also 2";
    "align16-destination-stride": align16_destination_stride, "an Align16 destination has stride 1";
    "writemask-empty": writemask_empty, "a general-register destination needs an enabled component";
};

fn source_not_null(c: &Context) -> bool {
    c.is_basic() && c.sources.iter().any(|src| src.is_null())
}

fn register_bounds(c: &Context) -> bool {
    c.any_operand(|operand| is_direct_grf(operand) && u16::from(operand.nr) >= c.devinfo.grf_count)
}

/// The destination, null or not, and the sources.
fn operands<'a>(c: &'a Context) -> impl Iterator<Item = &'a Operand> {
    let dst = c.inst.opcode.info().has_dst.then_some(&c.inst.dst);
    dst.into_iter().chain(c.sources)
}

/// How many registers of a kind there are; kinds without a name are left alone.
fn arf_count(c: &Context, arf: Arf) -> u8 {
    match arf {
        Arf::Accumulator(_) => c.devinfo.accumulators,
        Arf::Flag(_) | Arf::State(_) => 2,
        Arf::Notification(_) => 3,
        _ => 1,
    }
}

fn arf_exists(c: &Context) -> bool {
    operands(c)
        .filter(|operand| operand.file == RegFile::Arf && !operand.is_indirect())
        .any(|operand| operand.arf().is_some_and(|arf| operand.nr & 0xf >= arf_count(c, arf)))
}

fn arf_indirect(c: &Context) -> bool {
    operands(c).any(|operand| operand.file == RegFile::Arf && operand.is_indirect())
}

fn subregister_alignment(c: &Context) -> bool {
    let aligned = |subnr: u8, ty: Type| u32::from(subnr).is_multiple_of(ty.size());
    // A replicated three-source operand of any type is addressed in dwords.
    c.is_basic()
        && c.any_operand(|operand| !operand.is_imm() && !aligned(operand.subnr, operand.ty))
}

fn immediate_last(c: &Context) -> bool {
    let before_last = c.sources.len().saturating_sub(1);
    c.sources.iter().take(before_last).any(|src| src.is_imm())
}

fn immediate_64bit(c: &Context) -> bool {
    c.sources.iter().any(|src| {
        src.is_imm()
            && src.ty.size() == 8
            && (c.sources.len() > 1 || src.ty == Type::DF && !c.devinfo.has_64bit_immediates())
    })
}

fn immediate_word(c: &Context) -> bool {
    c.sources.iter().any(|src| {
        let halves = (src.imm >> 16 & 0xffff, src.imm & 0xffff);
        src.is_imm() && matches!(src.ty, Type::W | Type::UW | Type::HF) && halves.0 != halves.1
    })
}

/// Returns whether a source is a vector immediate of one of `types`.
fn has_vector(c: &Context, types: &[Type]) -> bool {
    c.sources.iter().any(|src| src.is_imm() && types.contains(&src.ty))
}

fn immediate_vector_alignment(c: &Context) -> bool {
    has_vector(c, &[Type::V, Type::UV, Type::VF]) && !c.inst.dst.subnr.is_multiple_of(16)
}

/// Destination stride in bytes.
fn dst_stride(c: &Context) -> u32 {
    u32::from(c.inst.dst.region.hstride) * c.inst.dst.ty.size()
}

fn immediate_vf_stride(c: &Context) -> bool {
    has_vector(c, &[Type::VF]) && dst_stride(c) != 4
}

fn immediate_v_stride(c: &Context) -> bool {
    has_vector(c, &[Type::V, Type::UV]) && dst_stride(c) != 2
}

fn address_subregister(c: &Context) -> bool {
    c.any_operand(|operand| match operand.addressing {
        Addressing::Indirect { subreg, .. } => subreg >= c.devinfo.address_subregisters,
        Addressing::Direct => false,
    })
}

/// The destination, if it is a0.
fn address_destination<'a>(c: &'a Context) -> Option<&'a Operand> {
    c.real_dst().filter(|dst| matches!(dst.arf(), Some(Arf::Address(_))))
}

fn address_types(c: &Context) -> bool {
    c.is_basic()
        && address_destination(c)
            .is_some_and(|dst| dst.ty.is_float() || !matches!(dst.ty.size(), 2 | 4))
}

fn address_span(c: &Context) -> bool {
    c.is_align1()
        && address_destination(c).is_some_and(|dst| {
            let last = (c.exec_size - 1) * u32::from(dst.region.hstride) * dst.ty.size();
            u32::from(dst.subnr) + last + dst.ty.size()
                > 2 * u32::from(c.devinfo.address_subregisters)
        })
}

fn mixed_source_types(c: &Context) -> bool {
    c.is_basic() && matches!(c.sources, [a, b] if a.ty.is_float() != b.ty.is_float())
}

fn condition_allowed(c: &Context) -> bool {
    c.inst.cond_mod.is_some() && !c.inst.opcode.info().cond_mod
}

fn saturate_allowed(c: &Context) -> bool {
    c.inst.saturate && !c.inst.opcode.info().saturate
}

fn channel_group(c: &Context) -> bool {
    let first = u32::from(c.inst.qtr_control) * 8 + if c.inst.nib_control { 4 } else { 0 };
    let channels = c.channels();
    c.form != Form::Bare && !c.inst.no_mask && channels > 4 && !first.is_multiple_of(channels)
}

fn simd32_condition(c: &Context) -> bool {
    !c.devinfo.simd32_masks
        && c.exec_size == 32
        && c.inst.cond_mod.is_some()
        && c.inst.opcode != Opcode::Sel
}

fn align16_simd16(c: &Context) -> bool {
    c.is_align16() && !c.devinfo.align16_simd16 && c.exec_size > 8
}

fn align16_destination_stride(c: &Context) -> bool {
    c.is_align16() && c.inst.opcode.info().has_dst && c.inst.dst.region.hstride != 1
}

fn align16_vstride(c: &Context) -> bool {
    let allowed = |vstride| matches!(vstride, 0 | 4) || vstride == 2 && c.devinfo.align16_vstride2;
    c.is_align16() && c.register_sources().any(|src| !allowed(src.region.vstride))
}

fn writemask_empty(c: &Context) -> bool {
    c.real_dst().is_some_and(|dst| dst.file == RegFile::Grf && dst.writemask.0 == 0)
}
