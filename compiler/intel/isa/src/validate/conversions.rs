//! "General Restrictions Based on Operand Types": the destination's stride and alignment against
//! the execution type, and conversions that do not exist.

use super::context::{Context, Rule, rules};
use crate::operand::Operand;
use crate::quirks::Quirk;
use crate::types::Type;

pub(super) static RULES: &[Rule] = rules! {
    "packed-byte-destination": packed_byte, "only a raw MOV writes packed bytes";
    "byte-64bit-conversion": byte_64bit, "there is no direct conversion between bytes and 64-bit types";
    "half-64bit-conversion": half_64bit, "there is no direct conversion between HF and 64-bit types";
    "half-integer-stride": half_integer_stride, "conversion between HF and integers: destination stride of a dword";
    "half-integer-alignment": half_integer_alignment, "conversion between HF and integers: dword-aligned destination";
    "half-destination": half_destination,
        "conversion to HF: destination stride 2, or packed and oword-aligned in mixed float mode";
    "destination-stride": destination_stride,
        "a destination narrower than the execution type has the execution type's stride";
    "destination-alignment": destination_alignment,
        "a destination narrower than the execution type is aligned to it (bytes: or the next one)";
};

/// Arithmetic on more than one channel, whose destination is subject to these rules.
fn applies(c: &Context) -> bool {
    c.is_basic() && c.exec_size > 1 && c.inst.opcode.info().has_dst && !c.sources.is_empty()
}

fn is_byte(ty: Type) -> bool {
    matches!(ty, Type::B | Type::UB)
}

/// A byte destination with stride 1.
fn is_packed_byte(c: &Context) -> bool {
    is_byte(c.inst.dst.ty) && c.inst.dst.region.hstride == 1
}

fn packed_byte(c: &Context) -> bool {
    applies(c) && is_packed_byte(c) && !c.is_raw_move()
}

/// Returns whether destination and some source satisfy the two tests, either way round.
fn converts(c: &Context, one: impl Fn(Type) -> bool, other: impl Fn(Type) -> bool) -> bool {
    let dst = c.inst.dst.ty;
    c.sources.iter().any(|src| one(dst) && other(src.ty) || other(dst) && one(src.ty))
}

fn byte_64bit(c: &Context) -> bool {
    c.is_basic() && c.inst.opcode.info().has_dst && converts(c, is_byte, |ty| ty.size() == 8)
}

fn half_64bit(c: &Context) -> bool {
    c.is_basic()
        && c.inst.opcode.info().has_dst
        && converts(c, |ty| ty == Type::HF, |ty| ty.size() == 8)
}

/// Align1 conversion between HF and integers.
fn is_half_integer(c: &Context) -> bool {
    applies(c) && c.is_align1() && converts(c, |ty| ty == Type::HF, Type::is_integer)
}

/// Distance of the destination's elements in bytes.
fn stride_bytes(dst: &Operand) -> u32 {
    u32::from(dst.region.hstride) * dst.ty.size()
}

fn half_integer_stride(c: &Context) -> bool {
    is_half_integer(c) && stride_bytes(&c.inst.dst) != 4
}

fn half_integer_alignment(c: &Context) -> bool {
    is_half_integer(c) && !c.inst.dst.is_indirect() && !c.inst.dst.subnr.is_multiple_of(4)
}

/// F and HF among destination and sources.
fn is_mixed(c: &Context) -> bool {
    let dst = c.inst.dst.ty;
    let has = |ty| dst == ty || c.sources.iter().any(|src| src.ty == ty);
    c.devinfo.has_hf && has(Type::F) && has(Type::HF)
}

fn half_destination(c: &Context) -> bool {
    let dst = &c.inst.dst;
    if !applies(c)
        || !c.is_align1()
        || !c.devinfo.has_packed_mixed_float
        || dst.ty != Type::HF
        || is_half_integer(c)
    {
        return false;
    }
    let converts = c.sources.iter().any(|src| src.ty != Type::HF);
    let packed = is_mixed(c) && dst.region.hstride == 1 && dst.subnr.is_multiple_of(16);
    converts && dst.region.hstride != 2 && !packed
}

/// Size of the execution type if the destination is narrower and follows the general rule. Raw byte
/// moves do not. The mixed float mode of later parts has rules of its own.
fn wider_execution(c: &Context) -> Option<u32> {
    let raw_bytes = is_byte(c.inst.dst.ty) && c.is_raw_move();
    if !applies(c)
        || is_packed_byte(c)
        || raw_bytes
        || is_mixed(c) && c.devinfo.has_packed_mixed_float
    {
        return None;
    }
    let exec = c.exec_type.size();
    let dst = match c.inst.dst.ty.size() {
        // A DF instruction of ivb writes two dwords per channel.
        4 if c.devinfo.has_quirk(Quirk::IvbDfRegions) && exec == 8 => 8,
        size => size,
    };
    (exec > dst).then_some(exec)
}

fn destination_stride(c: &Context) -> bool {
    let Some(exec) = wider_execution(c) else { return false };
    // Mixed float mode in Align16 packs its results.
    stride_bytes(&c.inst.dst) != exec && (c.is_align1() || !is_mixed(c))
}

fn destination_alignment(c: &Context) -> bool {
    let Some(exec) = wider_execution(c) else { return false };
    let dst = &c.inst.dst;
    if !c.is_align1() || dst.is_indirect() {
        return false;
    }
    match u32::from(dst.subnr) % exec {
        0 => false,
        1 => !is_byte(dst.ty),
        _ => true,
    }
}
