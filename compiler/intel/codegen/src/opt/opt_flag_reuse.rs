//! Elimination of comparisons whose result the flag still holds.
//!
//! ```text
//! before:
//!   cmp.l.f0.0(8) v0<1>:F, v1<1>:F, v2<1>:F
//!   cmp.l.f0.0(8) null<1>:F, v1<1>:F, v2<1>:F
//! after:
//!   cmp.l.f0.0(8) v0<1>:F, v1<1>:F, v2<1>:F
//! ```

use crate::lir::cfg::block_ranges;
use crate::lir::{Inst, Op, Program};
use crate::model::Model;

/// Removes a comparison that only sets a flag where an equal one set it last in the block and
/// nothing has written to its sources since.
pub(crate) fn opt_flag_reuse(program: &mut Program, _model: &Model) -> bool {
    let mut changed = false;
    for block in block_ranges(program) {
        // The comparison whose result the flag holds.
        let mut holder: Option<usize> = None;
        for i in block.start..block.end {
            let inst = &program.insts[i];
            if let Some(h) = holder
                && is_plain_comparison(inst)
                && inst.dst.is_null()
                && same_test(&program.insts[h], inst)
            {
                program.insts[i].op = Op::Nop;
                program.insts[i].cond = None;
                changed = true;
                continue;
            }
            if inst.writes_flag() {
                holder = is_plain_comparison(inst).then_some(i);
            }
            let clobbered = |h: usize| {
                program.insts[h].src.iter().any(|s| s.is_reg() && s.file == inst.dst.file)
            };
            if holder.is_some_and(clobbered) {
                holder = None;
            }
        }
    }
    if changed {
        program.compact();
    }
    changed
}

fn is_plain_comparison(inst: &Inst) -> bool {
    inst.op == Op::Cmp
        && inst.cond.is_some()
        && inst.predicate.is_none()
        && !inst.align16
        && !inst.touches_accumulator()
}

fn same_test(a: &Inst, b: &Inst) -> bool {
    a.src == b.src
        && a.cond == b.cond
        && a.flag == b.flag
        && a.exec_size == b.exec_size
        && a.group == b.group
        && a.no_mask == b.no_mask
}
