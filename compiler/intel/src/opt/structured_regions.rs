//! Nesting of instructions in regions of control flow, for cheap dominance.

use crate::lir::{Op, Program};
use vocabulary::{InternalError, Phase};

/// For every instruction the end of the innermost arm (IF arm, ELSE arm, loop body, program) around
/// it.
pub(super) struct StructuredRegions {
    end: Vec<usize>,
}

impl StructuredRegions {
    pub(super) fn new(program: &Program) -> StructuredRegions {
        let n = program.insts.len();
        let mut end = vec![n; n];
        if !program.insts.iter().any(|inst| matches!(inst.op, Op::If | Op::Do)) {
            return StructuredRegions { end };
        }
        // Starts of the open regions.
        let mut open: Vec<usize> = Vec::new();
        let mut members: Vec<Vec<usize>> = vec![Vec::new()];
        let mut close = |members: &mut Vec<Vec<usize>>, i: usize| {
            // The first list is that of the whole program.
            let list = members.pop().filter(|_| !members.is_empty()).unwrap_or_else(|| {
                let error = InternalError::new(Phase::Lower, "no construct is open");
                error.at(&program.insts[i]).raise()
            });
            list.into_iter().for_each(|m| end[m] = i);
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
    pub(super) fn dominates(&self, a: usize, b: usize) -> bool {
        a < b && self.end.get(a).is_some_and(|&end| b <= end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lir;

    #[test]
    fn instructions_dominate_the_rest_of_their_region() {
        let text = "program width=8 payload=20
  mov(8) g10<1>:F, g2<1>:F
  (+f0.0) if(8)
    do(8)
      mov(8) g11<1>:F, g2<1>:F
      mov(8) g12<1>:F, g2<1>:F
    (+f0.0) while(8)
  else(8)
    mov(8) g13<1>:F, g2<1>:F
  endif(8)
  mov(8) g14<1>:F, g2<1>:F
";
        let regions = StructuredRegions::new(&lir::parse(text).expect("a program"));
        for (a, b) in [(0, 1), (0, 3), (0, 7), (0, 9), (1, 7), (2, 5), (3, 4), (8, 9)] {
            assert!(regions.dominates(a, b), "{a} {b}");
        }
        for (a, b) in [(3, 3), (4, 3), (2, 7), (3, 7), (3, 9), (7, 9), (9, 0)] {
            assert!(!regions.dominates(a, b), "{a} {b}");
        }
    }

    #[test]
    fn an_end_without_a_construct_is_an_internal_error() {
        let text = "program width=8 payload=20\n  (+f0.0) if(8)\n  endif(8)\n  endif(8)\n";
        let program = lir::parse(text).expect("a program");
        let error = InternalError::catch(|| StructuredRegions::new(&program)).err();
        let error = error.expect("an error").to_string();
        assert!(error.contains("no construct is open at `endif(8)"), "{error}");
    }
}
