//! Rules of source modifiers that both copy propagations obey.

use crate::lir::{Inst, Op};

/// True if the result depends on the integer sources modulo their width only.
///
/// A modified source is wider than its type: the negated smallest integer is a positive number to
/// comparisons, selects, shifts, conversions and accumulators.
pub(in crate::opt) fn wraps(inst: &Inst) -> bool {
    let plain =
        inst.cond.is_none() && !inst.saturate && !inst.dst.ty.is_float() && inst.dst.is_reg();
    let modular = matches!(inst.op, Op::Mov | Op::Add | Op::Mul) || is_logic(inst.op);
    plain && modular && inst.dst.ty.size() <= inst.src[0].ty.size()
}

/// True for AND, OR, XOR and NOT.
pub(in crate::opt) fn is_logic(op: Op) -> bool {
    matches!(op, Op::And | Op::Or | Op::Xor | Op::Not)
}
