//! Removal of halts that save next to nothing.
//!
//! ```text
//! before:
//!   (+f0.1) cmp.z.f0.1(8) null<1>:D, v0<1>:D, 0x0:D
//!   (-f0.1.any4h) halt(8)
//!   mul(8) v1<1>:F, v2<1>:F, v3<1>:F
//!   halt_target(8)
//! after:
//!   (+f0.1) cmp.z.f0.1(8) null<1>:D, v0<1>:D, 0x0:D
//!   mul(8) v1<1>:F, v2<1>:F, v3<1>:F
//! ```

use crate::lir::{Op, PredMode, Program};
use crate::model::Model;

/// Maximum number of instructions that run for nothing.
const MAX_SKIPPED: usize = 16;

/// Removes the halts of quads without live pixels that skip only a few instructions, no message and
/// no loop: what these pixels compute then has no effect. Without halts nothing halts at the end.
pub(crate) fn opt_dead_halts(program: &mut Program, _model: &Model) -> bool {
    let Some(target) = program.insts.iter().rposition(|inst| inst.op == Op::HaltTarget) else {
        return false;
    };
    let first = program.insts[..target]
        .iter()
        .rposition(|inst| inst.message.is_some() || matches!(inst.op, Op::Do | Op::While))
        .map_or(0, |at| at + 1)
        .max(target.saturating_sub(MAX_SKIPPED));
    let mut changed = false;
    for inst in &mut program.insts[first..target] {
        let mode = inst.predicate.map(|predicate| predicate.mode);
        if inst.op == Op::Halt && mode == Some(PredMode::Any4h) {
            inst.op = Op::Nop;
            inst.predicate = None;
            changed = true;
        }
    }
    if !program.insts.iter().any(|inst| inst.op == Op::Halt) {
        program.insts[target].op = Op::Nop;
        changed = true;
    }
    if changed {
        program.compact();
    }
    changed
}
