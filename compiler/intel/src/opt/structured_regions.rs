//! Nesting of instructions in regions of control flow, for cheap dominance.

use crate::lir::{Op, Program};

/// For every instruction the end of the innermost arm (IF arm, ELSE arm, loop body, program) around
/// it.
pub(super) struct StructuredRegions {
    end: Vec<usize>,
}

impl StructuredRegions {
    pub fn new(program: &Program) -> StructuredRegions {
        let n = program.insts.len();
        let mut end = vec![n; n];
        if !program.insts.iter().any(|inst| matches!(inst.op, Op::If | Op::Do)) {
            return StructuredRegions { end };
        }
        // Starts of the open regions.
        let mut open: Vec<usize> = Vec::new();
        let mut members: Vec<Vec<usize>> = vec![Vec::new()];
        let mut close = |members: &mut Vec<Vec<usize>>, i: usize| {
            if members.len() > 1 {
                for m in members.pop().unwrap_or_default() {
                    end[m] = i;
                }
            }
        };
        for (i, inst) in program.insts.iter().enumerate() {
            match inst.op {
                Op::If | Op::Do => {
                    if let Some(top) = members.last_mut() {
                        top.push(i);
                    }
                    open.push(i);
                    members.push(Vec::new());
                    continue;
                }
                Op::Else => {
                    close(&mut members, i);
                    members.push(Vec::new());
                    continue;
                }
                Op::Endif | Op::While => {
                    open.pop();
                    close(&mut members, i);
                }
                _ => {}
            }
            if let Some(top) = members.last_mut() {
                top.push(i);
            }
        }
        StructuredRegions { end }
    }

    /// Every path to instruction `b` passes instruction `a` (sufficient, for structured programs).
    pub fn dominates(&self, a: usize, b: usize) -> bool {
        a < b && self.end.get(a).is_some_and(|&end| b <= end)
    }
}
