//! Simplification of selections by what their conditions imply about selections in their operands.
//!
//! ```text
//! before:
//!   v1 = ieq v0, 1
//!   v2 = ieq v0, 2
//!   v5 = bcsel v1, v3, v4
//!   v6 = bcsel v2, v4, v5
//! after:
//!   v1 = ieq v0, 1
//!   v5 = bcsel v1, v3, v4
//!   v6 = mov v5
//! ```

use super::rewrite::rewrite_alu;
use crate::inst::{Alu, Src};
use crate::ops::AluOp;
use crate::shader::Shader;
use smallvec::SmallVec;

/// Maximum number of facts that follow from a condition, and of steps into an operand.
const MAX_FACTS: usize = 16;
const MAX_DEPTH: usize = 6;

/// Replaces a selection by one of its operands where that is what the other one is as well, under
/// the condition that selects the other one; and an operand that is a selection, whose condition is
/// decided by the outer one, by the operand that it selects. Scalar selections only.
pub fn opt_nested_selects(shader: &mut Shader) -> bool {
    rewrite_alu(shader, |b, alu, result| {
        if alu.op != AluOp::Bcsel || b.shader.components(result) != 1 {
            return None;
        }
        let shader = &*b.shader;
        let [cond, yes, no] = [0, 1, 2].map(|i| Scalar::new(&alu.srcs[i]));
        let (if_true, if_false) = (Facts::new(shader, cond, true), Facts::new(shader, cond, false));
        let (yes_seen, no_seen) = (if_true.resolve(yes), if_false.resolve(no));
        if if_true.resolve(no) == yes_seen {
            return Some(b.alu_src(AluOp::Mov, &[no.src()], 1));
        }
        if if_false.resolve(yes) == no_seen {
            return Some(b.alu_src(AluOp::Mov, &[yes.src()], 1));
        }
        if yes_seen == yes && no_seen == no {
            return None;
        }
        Some(b.alu_src(AluOp::Bcsel, &[cond.src(), yes_seen.src(), no_seen.src()], 1))
    })
}

/// A component of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Scalar {
    value: crate::ids::Value,
    component: u8,
}

impl Scalar {
    fn new(src: &Src) -> Scalar {
        Scalar { value: src.value, component: src.swizzle[0] & 3 }
    }

    /// The source of an instruction of which this scalar is a component.
    fn of(self, src: &Src) -> Scalar {
        Scalar { value: src.value, component: src.swizzle[usize::from(self.component)] & 3 }
    }

    fn src(self) -> Src {
        Src { value: self.value, swizzle: [self.component; 4] }
    }

    fn constant(self, shader: &Shader) -> Option<u64> {
        shader.as_const(self.value).map(|bits| bits[usize::from(self.component)])
    }
}

/// Comparison of a scalar with a constant: true if they are equal, or if they differ.
struct Comparison {
    scalar: Scalar,
    constant: u64,
    is_equal: bool,
}

impl Comparison {
    fn new(shader: &Shader, cond: Scalar) -> Option<Comparison> {
        let alu = shader.as_alu(cond.value)?;
        let is_equal = match alu.op {
            AluOp::Ieq => true,
            AluOp::Ine => false,
            _ => return None,
        };
        let [a, b] = [cond.of(&alu.srcs[0]), cond.of(&alu.srcs[1])];
        match (a.constant(shader), b.constant(shader)) {
            (None, Some(constant)) => Some(Comparison { scalar: a, constant, is_equal }),
            (Some(constant), None) => Some(Comparison { scalar: b, constant, is_equal }),
            _ => None,
        }
    }
}

/// Values of conditions that follow from one condition.
struct Facts<'a> {
    shader: &'a Shader,
    known: SmallVec<[(Scalar, bool); 4]>,
}

impl<'a> Facts<'a> {
    fn new(shader: &'a Shader, cond: Scalar, truth: bool) -> Facts<'a> {
        let mut facts = Facts { shader, known: SmallVec::new() };
        let mut open: SmallVec<[(Scalar, bool); 4]> = SmallVec::from_iter([(cond, truth)]);
        while let Some((cond, truth)) = open.pop() {
            if facts.known.len() == MAX_FACTS {
                break;
            }
            facts.known.push((cond, truth));
            let Some(alu) = shader.as_alu(cond.value) else { continue };
            let operands = alu.srcs.iter().map(|src| cond.of(src));
            match (alu.op, truth) {
                (AluOp::Inot, _) => open.extend(operands.map(|operand| (operand, !truth))),
                (AluOp::Iand, true) | (AluOp::Ior, false) => {
                    open.extend(operands.map(|operand| (operand, truth)));
                }
                _ => {}
            }
        }
        facts
    }

    /// The truth of a condition, as far as it follows.
    fn truth(&self, cond: Scalar, depth: usize) -> Option<bool> {
        if let Some(&(_, truth)) = self.known.iter().find(|(known, _)| *known == cond) {
            return Some(truth);
        }
        let alu = self.shader.as_alu(cond.value).filter(|_| depth > 0)?;
        let operand = |i: usize| self.truth(cond.of(&alu.srcs[i]), depth - 1);
        match alu.op {
            AluOp::Inot => operand(0).map(|truth| !truth),
            AluOp::Iand => match (operand(0), operand(1)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), truth) | (truth, Some(true)) => truth,
                _ => None,
            },
            AluOp::Ior => match (operand(0), operand(1)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), truth) | (truth, Some(false)) => truth,
                _ => None,
            },
            AluOp::Ieq | AluOp::Ine => self.compared(&Comparison::new(self.shader, cond)?),
            _ => None,
        }
    }

    /// The truth of a comparison that follows from another one of the same scalar.
    fn compared(&self, wanted: &Comparison) -> Option<bool> {
        self.known.iter().find_map(|&(cond, truth)| {
            let known = Comparison::new(self.shader, cond)?;
            if known.scalar != wanted.scalar {
                return None;
            }
            let equals_known = known.is_equal == truth;
            match (known.constant == wanted.constant, equals_known) {
                (true, equals) => Some(equals == wanted.is_equal),
                (false, true) => Some(!wanted.is_equal),
                (false, false) => None,
            }
        })
    }

    /// The operand that decided selections make of a scalar.
    fn resolve(&self, mut scalar: Scalar) -> Scalar {
        for _ in 0..MAX_DEPTH {
            let Some(alu) = self.shader.as_alu(scalar.value) else { break };
            let Some(side) = self.side(alu, scalar) else { break };
            scalar = scalar.of(&alu.srcs[side]);
        }
        scalar
    }

    /// The operand that a selection takes.
    fn side(&self, alu: &Alu, scalar: Scalar) -> Option<usize> {
        let cond = (alu.op == AluOp::Bcsel).then(|| scalar.of(&alu.srcs[0]))?;
        self.truth(cond, MAX_DEPTH).map(|truth| if truth { 1 } else { 2 })
    }
}
