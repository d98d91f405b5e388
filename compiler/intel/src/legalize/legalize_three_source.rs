//! Copies operands that three-source instructions cannot take.

use crate::bir::{Inst, Op, Operand, Program};
use crate::model::{Model, Quirk};

/// Three-source operands are packed rows at 16-byte offsets, or replicated scalars of 32 bits or less: copies
/// everything else to a register of its own. Destinations likewise. Align16 programs' instructions are left alone
/// except for the replication of 64-bit scalars, which exists in neither mode.
pub fn legalize_three_source(program: &mut Program, model: &dyn Model) -> bool {
    let mut changed = false;
    let old = std::mem::take(&mut program.insts);
    for mut inst in old {
        if !inst.op.info().three_source || inst.align16 {
            program.insts.push(inst);
            continue;
        }
        for index in 0..inst.src.len() {
            let src = inst.src[index];
            if acceptable(&src, model) {
                continue;
            }
            changed = true;
            let copy = program.vreg_for(src.ty, u32::from(inst.exec_size));
            push_copy(program, &inst, copy, src.unmodified());
            inst.src[index] = Operand { negate: src.negate, abs: src.abs, ..copy };
        }
        let packed = inst.dst.stride() == Some(1) && inst.dst.offset % 16 == 0;
        if inst.dst.is_reg() && !packed {
            changed = true;
            let dst = inst.dst;
            let temp = program.vreg_for(dst.ty, u32::from(inst.exec_size));
            inst.dst = temp;
            let predicate = inst.predicate;
            let mut back = Inst::new(Op::Mov, inst.exec_size, dst, &[temp]);
            back.group = inst.group;
            back.no_mask = inst.no_mask;
            back.predicate = predicate;
            back.flag = inst.flag;
            program.insts.push(inst);
            program.insts.push(back);
        } else {
            program.insts.push(inst);
        }
    }
    changed
}

fn acceptable(src: &Operand, model: &dyn Model) -> bool {
    if src.is_imm() {
        return false;
    }
    if src.is_scalar() {
        return src.ty.size() < 8 || !model.handles(Quirk::ThreeSourceNoDfRep);
    }
    src.stride() == Some(1) && src.offset.is_multiple_of(16)
}

fn push_copy(program: &mut Program, around: &Inst, dst: Operand, src: Operand) {
    let mut copy = Inst::new(Op::Mov, around.exec_size, dst, &[src]);
    copy.group = around.group;
    copy.no_mask = around.no_mask;
    program.insts.push(copy);
}
