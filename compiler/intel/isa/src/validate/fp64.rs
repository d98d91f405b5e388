//! 64-bit types: Ivy Bridge's doubling, Cherryview's regions, Align16 limits.

use super::context::{Context, Rule, is_direct_grf, rules};
use crate::opcode::{Form, Opcode};
use crate::operand::{Operand, RegFile, Region};
use crate::quirks::Quirk;
use crate::types::Type;

pub(super) static RULES: &[Rule] = rules! {
    "ivb-df-exec-size": ivb_exec_size, "a DF instruction of Ivy Bridge encodes twice its channels: at least 2";
    "ivb-df-scalar": ivb_scalar, "a DF scalar of Ivy Bridge is two dwords: <0;2,1>";
    "ivb-df-second-half": ivb_second_half, "Ivy Bridge: a DF instruction of more than 4 channels needs WE_all";
    "ivb-align16-df-width": ivb_align16_width, "Ivy Bridge: an Align16 DF instruction has at most 4 channels";
    "align16-df-width": align16_width, "an Align16 DF instruction has at most 8 channels";
    "gen7-align16-df-sel": align16_sel, "gen7: an Align16 DF SEL has at most 4 channels";
    "align16-qword-destination": align16_qword, "Align16: a 64-bit destination of narrower sources has 2 channels";
    "chv-64bit-regions": chv_regions,
        "Cherryview: 64-bit operands have equal strides, multiples of 8 bytes, and linear regions";
    "chv-64bit-offset": chv_offset, "Cherryview: 64-bit sources start at the destination's offset, scalars excepted";
    "chv-64bit-indirect": chv_indirect, "Cherryview: no indirect addressing with 64-bit operands";
    "chv-64bit-arf": chv_arf, "Cherryview: no architecture register but null with 64-bit operands";
    "chv-64bit-accumulator": chv_accumulator, "Cherryview: neither MAC nor AccWrEnable with 64-bit operands";
    "chv-64bit-dependency": chv_dependency, "Cherryview: no dependency control with 64-bit operands";
    "64bit-dependency": dependency, "no dependency control with 64-bit operands";
    "df-opcode": df_opcode, "the opcode has no 64-bit float form";
};

fn has_df(c: &Context) -> bool {
    c.is_basic() && c.any_operand(|operand| operand.ty == Type::DF)
}

fn ivb_exec_size(c: &Context) -> bool {
    has_df(c) && c.devinfo.has_quirk(Quirk::IvbDfExecSize) && c.exec_size < 2
}

fn ivb_scalar(c: &Context) -> bool {
    c.is_align1()
        && c.devinfo.has_quirk(Quirk::IvbDfRegions)
        && c.register_sources().any(|src| src.ty == Type::DF && src.region.is_scalar())
}

fn ivb_second_half(c: &Context) -> bool {
    has_df(c)
        && c.is_align1()
        && c.devinfo.has_quirk(Quirk::IvbDfExecSize)
        && c.channels() > 4
        && !c.inst.no_mask
}

fn ivb_align16_width(c: &Context) -> bool {
    has_df(c) && c.is_align16() && c.devinfo.has_quirk(Quirk::IvbDfExecSize) && c.channels() > 4
}

fn align16_width(c: &Context) -> bool {
    has_df(c) && c.is_align16() && c.channels() > 8
}

fn align16_sel(c: &Context) -> bool {
    has_df(c)
        && c.is_align16()
        && c.inst.opcode == Opcode::Sel
        && c.devinfo.has_quirk(Quirk::Gen7TwoGrfSource)
        && c.channels() > 4
}

fn align16_qword(c: &Context) -> bool {
    c.is_align16()
        && c.devinfo.has_q
        && c.real_dst().is_some_and(|dst| dst.ty.size() == 8)
        && c.sources.iter().any(|src| src.ty.size() != 8)
        && c.exec_size > 2
}

/// Instructions under Cherryview's restrictions: a 64-bit operand, or dword multiplication.
fn restricted(c: &Context) -> bool {
    // The type counts, even that of the null register.
    let wide = c.has_64bit() || c.inst.opcode.info().has_dst && c.inst.dst.ty.size() == 8;
    c.devinfo.has_quirk(Quirk::Chv64bitRegions) && c.is_basic() && (wide || c.is_dword_multiply())
}

/// Distance between channels in bytes, for regions with one.
fn stride_bytes(src: &Operand) -> u32 {
    let Region { vstride, width, hstride } = src.region;
    u32::from(if width == 1 { vstride } else { hstride }) * src.ty.size()
}

fn chv_regions(c: &Context) -> bool {
    if !restricted(c) || !c.is_align1() || c.exec_size == 1 {
        return false;
    }
    let dst_stride = u32::from(c.inst.dst.region.hstride) * c.inst.dst.ty.size();
    let linear = |r: Region| {
        u32::from(r.vstride) == u32::from(r.width) * u32::from(r.hstride)
            || r.hstride == 0 && r.width == 1
    };
    c.register_sources().any(|src| {
        !src.region.is_scalar()
            && (!linear(src.region)
                || stride_bytes(src) != dst_stride
                || !dst_stride.is_multiple_of(8))
    })
}

fn chv_offset(c: &Context) -> bool {
    restricted(c)
        && c.is_align1()
        && c.real_dst().is_some_and(|dst| {
            c.register_sources()
                .any(|src| !src.region.is_scalar() && is_direct_grf(src) && src.subnr != dst.subnr)
        })
}

fn chv_indirect(c: &Context) -> bool {
    restricted(c) && c.any_operand(Operand::is_indirect)
}

fn chv_arf(c: &Context) -> bool {
    restricted(c) && c.any_operand(|operand| operand.file == RegFile::Arf && !operand.is_null())
}

fn chv_accumulator(c: &Context) -> bool {
    restricted(c) && (c.inst.opcode == Opcode::Mac || c.inst.acc_wr_en)
}

fn chv_dependency(c: &Context) -> bool {
    restricted(c) && (c.inst.no_dd_check || c.inst.no_dd_clear)
}

/// Vec4 code generation found dependency control unsafe on 64-bit operands from gen7 on
/// (`brw_vec4.cpp`).
fn dependency(c: &Context) -> bool {
    c.is_basic() && c.has_64bit() && (c.inst.no_dd_check || c.inst.no_dd_clear)
}

/// DF has moves, selects, compares, addition, multiplication and MAD; nothing rounds it, and MATH
/// ignores it.
fn df_opcode(c: &Context) -> bool {
    let allowed = [
        Opcode::Mov,
        Opcode::Dim,
        Opcode::Sel,
        Opcode::Cmp,
        Opcode::Cmpn,
        Opcode::Add,
        Opcode::Mul,
        Opcode::Mac,
        Opcode::Mad,
        Opcode::Madm,
    ];
    let arithmetic = matches!(c.form, Form::Basic | Form::Math | Form::ThreeSource);
    arithmetic
        && !allowed.contains(&c.inst.opcode)
        && c.any_operand(|operand| operand.ty == Type::DF)
}
