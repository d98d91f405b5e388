//! Simplification of control flow: empty constructs, and jumps in constructs of their own.
//!
//! ```text
//! before:
//!   (+f0.0) if(8)
//!     break(8)
//!   endif(8)
//! after:
//!   (+f0.0) break(8)
//! ```

use crate::lir::{Op, Program};
use crate::model::Model;

/// Removes `if … endif` around nothing and `else` before `endif`, and turns `if; break; endif`
/// (or continue) into a predicated jump.
pub(crate) fn opt_control_flow(program: &mut Program, _model: &Model) -> bool {
    let mut changed = false;
    for i in 0..program.insts.len() {
        let op = |k: usize| program.insts.get(i + k).map(|inst| inst.op);
        match (op(0), op(1), op(2)) {
            (Some(Op::If), Some(Op::Break | Op::Continue), Some(Op::Endif)) => {
                let (predicate, flag) = (program.insts[i].predicate, program.insts[i].flag);
                if program.insts[i + 1].predicate.is_none() {
                    program.insts[i + 1].predicate = predicate;
                    program.insts[i + 1].flag = flag;
                    program.insts[i].op = Op::Nop;
                    program.insts[i + 2].op = Op::Nop;
                    changed = true;
                }
            }
            (Some(Op::If), Some(Op::Break | Op::Continue), Some(Op::Else))
                if program.insts.get(i + 3).is_some_and(|e| e.op == Op::Endif)
                    && program.insts[i + 1].predicate.is_none() =>
            {
                let (predicate, flag) = (program.insts[i].predicate, program.insts[i].flag);
                program.insts[i + 1].predicate = predicate;
                program.insts[i + 1].flag = flag;
                for k in [0, 2, 3] {
                    program.insts[i + k].op = Op::Nop;
                }
                changed = true;
            }
            (Some(Op::Else), Some(Op::Endif), _) => {
                program.insts[i].op = Op::Nop;
                changed = true;
            }
            (Some(Op::If), Some(Op::Endif), _) => {
                program.insts[i].op = Op::Nop;
                program.insts[i + 1].op = Op::Nop;
                changed = true;
            }
            // An empty first arm: the second one under the opposite predicate.
            (Some(Op::If), Some(Op::Else), _) => {
                if let Some(p) = &mut program.insts[i].predicate {
                    p.inverse = !p.inverse;
                    program.insts[i + 1].op = Op::Nop;
                    changed = true;
                }
            }
            _ => {}
        }
    }
    if changed {
        for inst in &mut program.insts {
            if inst.op == Op::Nop {
                inst.predicate = None;
            }
        }
        program.compact();
    }
    changed
}
