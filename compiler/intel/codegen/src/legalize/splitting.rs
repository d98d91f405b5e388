//! Splitting of an instruction into several ones with fewer components each.

use crate::lir::{Inst, Op, Operand, Program, Swizzle};

/// An Align16 instruction on 64-bit data.
pub(super) fn is_align16_df(inst: &Inst) -> bool {
    inst.align16
        && inst.message.is_none()
        && !inst.op.info().control_flow
        && inst.op != Op::Undef
        && (inst.dst.ty.size() == 8 || inst.exec_type().size() == 8)
}

/// Components of a source that an instruction writing `mask` reads through `swizzle`.
pub(super) fn picked(swizzle: Swizzle, mask: u8) -> u8 {
    (0..4u8).filter(|c| mask >> c & 1 != 0).fold(0, |read, c| read | 1 << swizzle.get(c))
}

/// Appends `inst` as one instruction per writemask of `masks`. Assumes that `inst` works component
/// by component. No instruction overwrites the sources of a later one: they are emitted in such an
/// order, or if there is none, the sources in the way are copied first.
pub(super) fn push_split(program: &mut Program, mut inst: Inst, masks: &[u8]) {
    let order = order(&inst, masks).unwrap_or_else(|| {
        copy_overlapping(program, &mut inst);
        masks.to_vec()
    });
    for mask in order {
        program.insts.push(Inst { dst: inst.dst.masked(mask), ..inst.clone() });
    }
}

/// Returns an order in which no instruction overwrites the sources of a later one.
fn order(inst: &Inst, masks: &[u8]) -> Option<Vec<u8>> {
    let mut left = masks.to_vec();
    let mut order = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let harmless =
            |writer: &u8| left.iter().all(|r| r == writer || !clobbers(inst, *writer, *r));
        let next = left.iter().position(harmless)?;
        order.push(left.remove(next));
    }
    Some(order)
}

/// Returns whether `inst` limited to `writer` overwrites the sources of `inst` limited to `reader`.
fn clobbers(inst: &Inst, writer: u8, reader: u8) -> bool {
    inst.src.iter().filter(|src| overlaps(&inst.dst, src)).any(|src| {
        let aligned = src.offset == inst.dst.offset && !src.is_scalar();
        !aligned || picked(src.swizzle, reader) & writer != 0
    })
}

/// Returns whether two 64-bit vectors of both vertices share bytes.
fn overlaps(dst: &Operand, src: &Operand) -> bool {
    dst.is_reg() && src.file == dst.file && src.offset.abs_diff(dst.offset) < 64
}

/// Replaces the sources that overlap the destination by copies.
fn copy_overlapping(program: &mut Program, inst: &mut Inst) {
    for index in 0..inst.src.len() {
        let src = inst.src[index];
        if !overlaps(&inst.dst, &src) {
            continue;
        }
        let row = Operand { swizzle: Swizzle::XYZW, ..src.unmodified() };
        let (copy, mov) = copy(program, row, picked(src.swizzle, inst.dst.writemask));
        program.insts.push(mov);
        inst.src[index] =
            Operand { swizzle: src.swizzle, negate: src.negate, abs: src.abs, ..copy };
    }
}

/// A new register and the instruction that copies the components of `mask` of a source to it.
pub(super) fn copy(program: &mut Program, src: Operand, mask: u8) -> (Operand, Inst) {
    let copy = Operand::vgrf(program.vreg(2), src.ty);
    let mut mov = Inst::new(Op::Mov, 8, copy.masked(mask), &[src]);
    mov.align16 = true;
    (copy, mov)
}
