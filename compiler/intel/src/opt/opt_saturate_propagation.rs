//! Folds saturating moves into the instruction that computes their source.

use crate::bir::cfg::Cfg;
use crate::bir::{Op, Program, VReg};
use crate::model::Model;
use cranelift_entity::SecondaryMap;

/// Turns `x = op …; y = mov.sat x` into `x = op.sat …; y = mov x` where nothing else reads x.
pub fn opt_saturate_propagation(program: &mut Program, model: &dyn Model) -> bool {
    let _ = model;
    let cfg = Cfg::new(program);
    let (mut reads, mut writes): (SecondaryMap<VReg, u32>, SecondaryMap<VReg, u32>) = Default::default();
    for inst in &program.insts {
        inst.src.iter().filter_map(|s| s.vreg()).for_each(|v| reads[v] += 1);
        if let Some(v) = inst.dst.vreg() {
            writes[v] += 1;
        }
    }
    let mut changed = false;
    for block in &cfg.blocks {
        for at in block.start..block.end {
            let sat = &program.insts[at];
            if sat.op != Op::Mov
                || !sat.saturate
                || sat.predicate.is_some()
                || sat.cond.is_some()
                || sat.align16
            {
                continue;
            }
            let (dst, src) = (sat.dst, sat.src[0]);
            let Some(v) = src.vreg() else { continue };
            if src.is_modified() || dst.ty != src.ty || !dst.ty.is_float() || reads[v] != 1 || writes[v] != 1
            {
                continue;
            }
            let shape = (sat.exec_size, sat.group, sat.no_mask);
            let Some(def) = (block.start..at).rev().find(|&i| program.insts[i].dst.vreg() == Some(v)) else {
                continue;
            };
            let inst = &mut program.insts[def];
            let fits = inst.op.info().can_saturate
                && inst.dst.ty == src.ty
                && inst.dst.offset == src.offset
                && inst.dst.stride() == src.stride()
                && (inst.exec_size, inst.group, inst.no_mask) == shape
                && inst.predicate.is_none()
                && inst.cond.is_none_or(|_| inst.op == Op::Sel);
            if fits {
                inst.saturate = true;
                program.insts[at].saturate = false;
                changed = true;
            }
        }
    }
    changed
}
