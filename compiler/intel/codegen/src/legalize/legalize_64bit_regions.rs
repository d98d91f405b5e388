//! Equal strides and offsets for instructions with 64-bit operands (`chv-64bit-regions`).
//!
//! ```text
//! before:
//!   mov(8) v0<1>:DF, v1<1>:F
//! after:
//!   mov(8) v2<2>:UD, v1<1>:UD
//!   mov(8) v0<1>:DF, v2<2>:F
//! ```

use crate::lir::{Inst, Op, Operand, Program, REG_SIZE, Type};
use crate::model::{Model, Quirk};

/// Cherryview executes an instruction with a 64-bit operand only if destination and sources have
/// one stride, a multiple of 8 bytes, and one offset within their registers; scalars are excepted.
/// Narrower sources are spread to that stride first, narrower results gathered afterwards. Assumes
/// legal immediates; afterwards every piece of an instruction obeys the rule too, because all
/// operands advance alike.
pub(crate) fn legalize_64bit_regions(program: &mut Program, model: &Model) -> bool {
    if !model.handles(Quirk::Chv64bitRegions) {
        return false;
    }
    let mut changed = false;
    let old = program.take_insts();
    for inst in old {
        if restricted(&inst) {
            changed |= legalize(program, inst);
        } else {
            program.insts.push(inst);
        }
    }
    changed
}

/// Instructions under the rule. Single channels have no stride, Align16 has rules of its own.
fn restricted(inst: &Inst) -> bool {
    let other = inst.align16
        || inst.exec_size == 1
        || inst.op.info().three_source
        || inst.op.is_send()
        || inst.op.info().control_flow
        || inst.op.is_virtual();
    !other && inst.has_64bit()
}

/// Distance of channels in bytes.
fn stride_bytes(operand: &Operand) -> Option<u32> {
    operand.stride().map(|s| u32::from(s) * operand.ty.size())
}

/// A source that the rule is about.
fn strided_source(src: &Operand) -> bool {
    src.is_reg() && !src.is_scalar()
}

fn legalize(program: &mut Program, mut inst: Inst) -> bool {
    let wide =
        inst.src.iter().filter(|s| strided_source(s)).chain(inst.dst.is_reg().then_some(&inst.dst));
    let stride = wide.filter_map(stride_bytes).filter(|s| s % 8 == 0).max().unwrap_or(8).max(8);
    let fits = |o: &Operand| stride_bytes(o) == Some(stride) && o.offset.is_multiple_of(REG_SIZE);
    // With everything at one offset other than 0 nothing needs to move.
    let first = if inst.dst.is_reg() { inst.dst.offset % REG_SIZE } else { 0 };
    let aligned = |o: &Operand| stride_bytes(o) == Some(stride) && o.offset % REG_SIZE == first;
    let dst_ok = !inst.dst.is_reg() || stride_bytes(&inst.dst) == Some(stride);
    if dst_ok && inst.src.iter().all(|s| !strided_source(s) || aligned(s)) {
        program.insts.push(inst);
        return false;
    }
    for index in 0..inst.src.len() {
        let src = inst.src[index];
        if strided_source(&src) && !fits(&src) {
            let place = spread_place(program, &inst, src.ty, stride);
            copy(program, &inst, place, src.unmodified());
            inst.src[index] = Operand { negate: src.negate, abs: src.abs, ..place };
        }
    }
    if !inst.dst.is_reg() || fits(&inst.dst) {
        program.insts.push(inst);
        return true;
    }
    let dst = inst.dst;
    let place = spread_place(program, &inst, dst.ty, stride);
    if inst.is_predicated_write() {
        // Channels that the predicate leaves out keep their value.
        copy(program, &inst, place, dst);
    }
    inst.dst = place;
    let around = inst.clone();
    program.insts.push(inst);
    copy(program, &around, dst, place);
    true
}

/// A register with an element per channel at the given distance.
fn spread_place(program: &mut Program, inst: &Inst, ty: Type, stride: u32) -> Operand {
    let step = (stride / ty.size()).max(1);
    program.vreg_for(ty, u32::from(inst.exec_size) * step).strided(step as u8)
}

/// Copies bits between different strides for the channels of `around`: 64-bit ones by dwords,
/// because the rule holds for copies as well.
fn copy(program: &mut Program, around: &Inst, dst: Operand, src: Operand) {
    let ty = if dst.ty.size() == 8 { Type::UD } else { Type::uint(dst.ty.size() * 8) };
    for part in 0..(dst.ty.size() / ty.size()) {
        let mut inst = Inst::new(
            Op::Mov,
            around.exec_size,
            dst.subscript(ty, part),
            &[src.subscript(ty, part)],
        );
        inst.group = around.group;
        inst.no_mask = around.no_mask;
        inst.remark = "64-bit regions";
        inst.line = around.line;
        program.insts.push(inst);
    }
}
