//! Splitting of instructions that process more channels than the hardware can.
//!
//! ```text
//! before:
//!   add(8) v0<1>:DF, v1<1>:DF, v2<1>:DF ; ivb
//! after:
//!   add(4) v0<1>:DF, v1<1>:DF, v2<1>:DF
//!   add(4) v0+32<1>:DF, v1+32<1>:DF, v2+32<1>:DF group4
//! ```

use crate::lir::{File, Inst, Op, Operand, Program};
use crate::model::Model;

/// Splits every instruction into pieces of [`Model::max_exec_size`] channels. Regions of the pieces
/// start at their first channel's element; flags follow the channel group. Assumes immediates and
/// three-source operands are legal; afterwards no instruction is too wide.
pub(crate) fn legalize_simd_width(program: &mut Program, model: &Model) -> bool {
    let mut changed = false;
    let old = program.take_insts();
    for inst in old {
        let width = model.max_exec_size(&inst).max(1);
        if width >= inst.exec_size {
            program.insts.push(inst);
            continue;
        }
        changed = true;
        if parts_clash(&inst) {
            split_through_temporary(program, model, &inst);
        } else {
            split(program, &inst, width);
        }
    }
    changed
}

fn split(program: &mut Program, inst: &Inst, width: u8) {
    for first in (0..inst.exec_size).step_by(usize::from(width)) {
        let mut piece = inst.clone();
        piece.exec_size = width;
        piece.group = inst.group + first;
        piece.dst = destination_part(&inst.dst, first);
        for src in &mut piece.src {
            *src = src.channel_offset(u32::from(first));
        }
        program.insts.push(piece);
    }
}

fn destination_part(dst: &Operand, first: u8) -> Operand {
    if !dst.is_reg() {
        return *dst;
    }
    let stride = u32::from(dst.stride().unwrap_or(1).max(1));
    dst.byte_offset(u32::from(first) * stride * dst.ty.size())
}

/// A later piece reads what an earlier one writes.
fn parts_clash(inst: &Inst) -> bool {
    let File::Vgrf(dst) = inst.dst.file else { return false };
    let dst_step = inst.dst.stride().map(|s| u32::from(s.max(1)) * inst.dst.ty.size());
    let written = inst.bytes_written();
    inst.src.iter().enumerate().any(|(index, src)| {
        if src.file != File::Vgrf(dst) {
            return false;
        }
        let same = src.offset == inst.dst.offset
            && src.stride().map(|s| u32::from(s) * src.ty.size()) == dst_step;
        let apart = src.offset >= inst.dst.offset + written
            || inst.dst.offset >= src.offset + inst.bytes_read(index);
        !same && !apart
    })
}

fn split_through_temporary(program: &mut Program, model: &Model, inst: &Inst) {
    let stride = u32::from(inst.dst.stride().unwrap_or(1).max(1));
    let temp = program.vreg_for(inst.dst.ty, u32::from(inst.exec_size) * stride);
    let mut compute = inst.clone();
    compute.dst = Operand { file: temp.file, offset: 0, ..inst.dst };
    if inst.is_predicated_write() {
        // Channels that the predicate leaves out keep their value.
        let mut keep = Inst::new(Op::Mov, inst.exec_size, compute.dst, &[inst.dst]);
        keep.group = inst.group;
        keep.no_mask = inst.no_mask;
        let width = model.max_exec_size(&keep).max(1);
        split(program, &keep, width.min(keep.exec_size));
    }
    let width = model.max_exec_size(&compute).max(1);
    split(program, &compute, width.min(compute.exec_size));
    let mut back = Inst::new(Op::Mov, inst.exec_size, inst.dst, &[compute.dst]);
    back.group = inst.group;
    back.no_mask = inst.no_mask;
    back.line = inst.line;
    let width = model.max_exec_size(&back).max(1);
    split(program, &back, width.min(back.exec_size));
}
