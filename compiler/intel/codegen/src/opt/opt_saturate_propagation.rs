//! Folding of saturating moves into the instructions that compute their source.
//!
//! ```text
//! before:
//!   mul(8) v0<1>:F, v1<1>:F, v2<1>:F
//!   mov.sat(8) v3<1>:F, v0<1>:F
//! after:
//!   mul.sat(8) v0<1>:F, v1<1>:F, v2<1>:F
//!   mov(8) v3<1>:F, v0<1>:F
//! ```

use crate::lir::cfg::block_ranges;
use crate::lir::{Inst, Op, Program};
use crate::model::Model;

/// Turns `x = op …; y = mov.sat x` into `x = op.sat …; y = mov x` where nothing else reads x.
pub(crate) fn opt_saturate_propagation(program: &mut Program, _model: &Model) -> bool {
    if !program.insts.iter().any(is_saturating_copy) {
        return false;
    }
    let single_use = program.single_use_values();
    let mut changed = false;
    for block in block_ranges(program) {
        for at in block.start..block.end {
            let sat = &program.insts[at];
            if !is_saturating_copy(sat) {
                continue;
            }
            let (dst, src) = (sat.dst, sat.src[0]);
            let Some(v) = src.vreg() else { continue };
            if src.is_modified() || dst.ty != src.ty || !dst.ty.is_float() || !single_use[v] {
                continue;
            }
            let shape = (sat.exec_size, sat.group, sat.no_mask);
            let Some(def) =
                (block.start..at).rev().find(|&i| program.insts[i].dst.vreg() == Some(v))
            else {
                continue;
            };
            let inst = &mut program.insts[def];
            let fits = inst.op.info().can_saturate
                && inst.dst.ty == src.ty
                && inst.dst.offset == src.offset
                && inst.dst.stride() == src.stride()
                && (inst.exec_size, inst.group, inst.no_mask) == shape
                && (inst.predicate.is_none() || inst.op == Op::Sel)
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

fn is_saturating_copy(inst: &Inst) -> bool {
    inst.op == Op::Mov
        && inst.saturate
        && inst.predicate.is_none()
        && inst.cond.is_none()
        && !inst.align16
}
