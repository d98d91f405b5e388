//! Copies of operands that three-source instructions cannot take.
//!
//! ```text
//! before:
//!   mad(8) v0<1>:F, v1<1>:F, v2<2>:F, v3<0>:F
//! after:
//!   mov(8) v4<1>:F, v2<2>:F
//!   mad(8) v0<1>:F, v1<1>:F, v4<1>:F, v3<0>:F
//! ```

use crate::lir::{File, Inst, Op, Operand, Program, REG_SIZE, Type, VReg};
use crate::model::{Model, Quirk};
use cranelift_entity::SecondaryMap;

/// Three-source operands are packed rows at 16-byte offsets, or replicated scalars of 32 bits or
/// less: copies everything else to a register of its own. Destinations likewise. Align16 programs'
/// instructions are left alone except for the replication of 64-bit scalars, which exists in
/// neither mode.
pub(crate) fn legalize_three_source(program: &mut Program, model: &Model) -> bool {
    let mut changed = false;
    let computed = computed_registers(program);
    // Copies of scalars that never change, for the block at hand.
    let mut copies: Vec<(Inst, Operand)> = Vec::new();
    let old = program.take_insts();
    for mut inst in old {
        if inst.op.info().control_flow {
            copies.clear();
        }
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
            let source = src.unmodified();
            let reusable = source.is_scalar() && is_stable(&source, &computed);
            let wanted = copy_of(&inst, Operand::none(), source);
            let known =
                copies.iter().find(|(made, _)| reusable && *made == wanted).map(|(_, copy)| *copy);
            let copy = known.unwrap_or_else(|| {
                let copy = program.vreg_for(src.ty, u32::from(inst.exec_size));
                program.insts.push(copy_of(&inst, copy, source));
                if reusable {
                    copies.push((wanted, copy));
                }
                copy
            });
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
            back.line = inst.line;
            program.insts.push(inst);
            program.insts.push(back);
        } else {
            program.insts.push(inst);
        }
    }
    changed
}

fn acceptable(src: &Operand, model: &Model) -> bool {
    if src.is_imm() {
        return false;
    }
    if src.is_scalar() {
        // Replication picks dwords.
        return src.ty.size() == 4
            || src.ty.size() == 8 && !model.handles(Quirk::ThreeSourceNoDfRep);
    }
    let grid =
        if src.ty == Type::HF && model.handles(Quirk::BdwHfMadOffset) { REG_SIZE } else { 16 };
    src.stride() == Some(1) && src.offset.is_multiple_of(grid)
}

/// Copy of `src` for the channels of `around`.
fn copy_of(around: &Inst, dst: Operand, src: Operand) -> Inst {
    let mut copy = Inst::new(Op::Mov, around.exec_size, dst, &[src]);
    copy.group = around.group;
    copy.no_mask = around.no_mask;
    copy
}

/// For each register whether anything but the loading of constants writes it.
fn computed_registers(program: &Program) -> SecondaryMap<VReg, bool> {
    let mut computed: SecondaryMap<VReg, bool> = SecondaryMap::new();
    for inst in &program.insts {
        if let Some(v) = inst.dst.vreg() {
            computed[v] |= inst.remark != super::legalize_constants::REMARK;
        }
    }
    computed
}

/// The operand's value is the same everywhere in a block: payload, or a constant's register.
fn is_stable(operand: &Operand, computed: &SecondaryMap<VReg, bool>) -> bool {
    match operand.file {
        File::Grf(_) => true,
        File::Vgrf(v) => !computed[v],
        _ => false,
    }
}
