//! "Region Alignment Rules": what regions that span registers may do, in Align1.
//!
//! Rules ask where the bytes of each channel lie; see [`Span`](super::operand_spans::Span).

use super::context::{Context, Rule, is_direct_grf, is_dword, rules};
use super::operand_spans::Span;
use crate::opcode::Form;
use crate::operand::{Operand, Region};
use crate::quirks::Quirk;
use crate::types::Type;

pub(super) static RULES: &[Rule] = rules! {
    "span-source": span_source, "a source spans at most two registers";
    "span-destination": span_destination, "a destination spans at most two registers";
    "span-end": span_end, "a region ends at r127 at the latest";
    "span-oword-split": span_oword_split,
        "with a source of two registers, a one-register destination is within one oword or even in both";
    "span-even-split": span_even_split, "a destination of two registers is split evenly between them";
    "gen7-two-grf-derived": derived, "each destination register comes from one source register";
    "gen7-two-grf-offset": same_offset, "sources start at the same offset in both their registers";
    "gen7-two-grf-source": two_grf_source, "a destination of two registers needs sources of two registers";
    "gen7-second-half": second_half, "the second register of a destination holds the next 8 (4 of 64 bits) channels";
    "gen7-indirect-span": indirect_span,
        "gen7: a destination of two registers needs 1x1 regions of indirect sources";
    "overlap-compressed": overlap, "the first register of a destination is not what the second half reads";
    "align16-span": align16_span, "an Align16 destination spans at most two registers";
    "align16-span-end": align16_end, "an Align16 operand ends at r127 at the latest";
};

/// Instructions with regions.
pub(super) fn concern(c: &Context) -> bool {
    c.is_basic() || c.form == Form::ThreeSource
}

fn source_spans<'c>(c: &'c Context) -> impl Iterator<Item = (&'c Operand, &'c Span)> {
    c.sources.iter().zip(&c.spans().src).filter_map(|(src, span)| Some((src, span.as_ref()?)))
}

fn span_source(c: &Context) -> bool {
    // LINE and PLN read whole vectors, regardless of their regions.
    c.is_align1() && source_spans(c).any(|(_, span)| span.registers > 2)
}

/// Bytes from the first to the last channel of an indirect destination, wherever it starts.
fn indirect_destination(c: &Context) -> Option<u32> {
    let dst = c.real_dst().filter(|dst| dst.is_indirect())?;
    let size = c.element_size(dst);
    Some((c.exec_size - 1) * u32::from(dst.region.hstride) * size + size)
}

fn span_destination(c: &Context) -> bool {
    c.is_align1()
        && (c.spans().dst.as_ref().is_some_and(|span| span.registers > 2)
            || indirect_destination(c).is_some_and(|bytes| bytes > 64))
}

fn span_end(c: &Context) -> bool {
    let beyond = |operand: &Operand, span: &Span| {
        is_direct_grf(operand)
            && u32::from(operand.nr) + span.registers > u32::from(c.devinfo.grf_count)
    };
    c.is_align1()
        && (source_spans(c).any(|(src, span)| beyond(src, span))
            || c.spans().dst.as_ref().is_some_and(|span| beyond(&c.inst.dst, span)))
}

/// Align1 arithmetic with a destination of `registers` registers: its span.
fn destination_of<'c>(c: &'c Context, registers: u32) -> Option<&'c Span> {
    if !c.is_align1() {
        return None;
    }
    c.spans().dst.as_ref().filter(|span| span.registers == registers)
}

fn span_oword_split(c: &Context) -> bool {
    let Some(dst) = destination_of(c, 1).filter(|_| c.devinfo.even_split_destination) else {
        return false;
    };
    let upper = dst.starts().iter().filter(|&&start| start >= 16).count();
    let lower = dst.starts().len() - upper;
    source_spans(c).any(|(_, span)| span.registers == 2)
        && upper != 0
        && lower != 0
        && upper != lower
}

fn span_even_split(c: &Context) -> bool {
    let applies = c.devinfo.even_split_destination || c.form == Form::Math;
    let Some(dst) = destination_of(c, 2).filter(|_| applies) else { return false };
    let second = dst.starts().iter().filter(|&&start| start >= 32).count();
    second * 2 != dst.starts().len()
}

/// Gen7 with a destination of two registers: its span.
fn compressed<'c>(c: &'c Context) -> Option<&'c Span> {
    destination_of(c, 2).filter(|_| c.devinfo.has_quirk(Quirk::Gen7TwoGrfSource))
}

fn derived(c: &Context) -> bool {
    let Some(dst) = compressed(c) else { return false };
    source_spans(c).any(|(_, span)| {
        span.registers == 2
            && (0..dst.starts().len()).any(|index| dst.in_second(index) != span.in_second(index))
    })
}

fn same_offset(c: &Context) -> bool {
    if compressed(c).is_none() || c.sources.len() != 2 {
        return false;
    }
    source_spans(c).any(|(src, span)| {
        let second = span.starts().iter().find(|&&start| start >= 32);
        second.is_some_and(|start| start % 32 != u32::from(src.subnr))
    })
}

/// Exceptions: scalars (DF on ivb has none: its scalar is `<0;2,1>`), and packed words under a
/// packed dword (on Haswell those of src1 stay where they are when the first eight channels are
/// disabled).
fn two_grf_source(c: &Context) -> bool {
    if compressed(c).is_none() {
        return false;
    }
    let dst = &c.inst.dst;
    let always_enabled = c.inst.no_mask && c.inst.predicate.is_none();
    let packed_dword = dst.region.hstride == 1 && (is_dword(dst.ty) || dst.ty == Type::F);
    let mut spans =
        c.spans().src.iter().enumerate().filter_map(|(n, span)| Some((n, span.as_ref()?)));
    spans.any(|(index, span)| {
        let src = &c.sources[index];
        let advances = index == 0 || !c.devinfo.packed_word_src1_hazard || always_enabled;
        let packed_word = advances
            && matches!(src.ty, Type::W | Type::UW)
            && src.region.hstride == 1
            && src.region.vstride == src.region.width;
        span.registers == 1 && !src.region.is_scalar() && !(packed_dword && packed_word)
    })
}

/// The second half of a compressed instruction takes its channel enables 8 (64-bit: 4) further on,
/// regardless of its destination holds. NoMask instructions do not care.
fn second_half(c: &Context) -> bool {
    let Some(dst) = compressed(c).filter(|_| !c.inst.no_mask) else { return false };
    let per_register = match (c.exec_type.size() == 8, c.devinfo.has_quirk(Quirk::IvbDfExecSize)) {
        (true, false) => 4,
        // Encoded channels count dwords on ivb: eight again.
        (true, true) | (false, _) => 8,
    };
    let first = (0..dst.starts().len()).filter(|&index| !dst.in_second(index)).count();
    first != per_register
}

/// Before gen8 an instruction whose channels have addresses of their own writes one register.
fn indirect_span(c: &Context) -> bool {
    compressed(c).is_some()
        && c.sources.iter().any(|src| src.is_indirect() && src.region.vstride == Region::VXH)
}

/// A compressed instruction runs its halves in order: what the first one writes, the second one
/// reads changed.
fn overlap(c: &Context) -> bool {
    let Some(dst) = destination_of(c, 2).filter(|_| is_direct_grf(&c.inst.dst)) else {
        return false;
    };
    let size = c.element_size(&c.inst.dst);
    let base = u32::from(c.inst.dst.nr) * 32;
    let written = |from: u32, to: u32| {
        let mut starts = dst.starts().iter().filter(|&&start| start < 32).map(|start| base + start);
        starts.any(|start| start < to && from < start + size)
    };
    source_spans(c).filter(|(src, _)| is_direct_grf(src)).any(|(src, span)| {
        let base = u32::from(src.nr) * 32;
        let mut second =
            span.starts().iter().enumerate().filter(|(index, _)| dst.in_second(*index));
        second.any(|(_, start)| written(base + start, base + start + c.element_size(src)))
    })
}

/// Registers an Align16 operand covers: rows one after the other, or one row if it is replicated.
fn align16_registers(c: &Context, operand: &Operand) -> u32 {
    if operand.rep_ctrl || operand.region.vstride == 0 && operand.region.width == 4 {
        return 1;
    }
    (u32::from(operand.subnr) + c.exec_size * c.element_size(operand)).div_ceil(32)
}

fn is_align16(c: &Context) -> bool {
    c.is_align16() || c.form == Form::ThreeSource
}

fn align16_span(c: &Context) -> bool {
    is_align16(c)
        && c.real_dst().is_some_and(|dst| is_direct_grf(dst) && align16_registers(c, dst) > 2)
}

fn align16_end(c: &Context) -> bool {
    is_align16(c)
        && c.any_operand(|operand| {
            is_direct_grf(operand)
                && u32::from(operand.nr) + align16_registers(c, operand)
                    > u32::from(c.devinfo.grf_count)
        })
}
