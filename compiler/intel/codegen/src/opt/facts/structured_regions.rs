//! Nesting of instructions in regions of control flow, for cheap dominance.

use crate::lir::{Op, Program};
use vocabulary::{InternalError, Phase};

/// For every instruction the end of the innermost arm (IF arm, ELSE arm, loop body, program) around
/// it.
pub(in crate::opt) struct StructuredRegions {
    /// Number of the arm around each instruction.
    arm: Vec<usize>,
    /// End of each arm; the program is the first.
    ends: Vec<usize>,
}

impl StructuredRegions {
    pub(in crate::opt) fn new(program: &Program) -> StructuredRegions {
        let n = program.insts.len();
        let mut regions = StructuredRegions { arm: vec![0; n], ends: vec![n] };
        // The arms around an instruction, without the program.
        let mut open: Vec<usize> = Vec::new();
        for (i, inst) in program.insts.iter().enumerate() {
            if matches!(inst.op, Op::Else | Op::Endif | Op::While) {
                let closed = open.pop().unwrap_or_else(|| {
                    InternalError::new(Phase::Lower, "no construct is open").at(inst).raise()
                });
                regions.ends[closed] = i;
            }
            // An ELSE belongs to neither arm; no pass reads its entry.
            if inst.op != Op::Else {
                regions.arm[i] = open.last().copied().unwrap_or(0);
            }
            if matches!(inst.op, Op::If | Op::Do | Op::Else) {
                open.push(regions.ends.len());
                regions.ends.push(n);
            }
        }
        regions
    }

    /// Every path to instruction `b` passes instruction `a` (sufficient, for structured programs).
    pub(in crate::opt) fn dominates(&self, a: usize, b: usize) -> bool {
        a < b && self.arm.get(a).is_some_and(|&arm| b <= self.ends[arm])
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
