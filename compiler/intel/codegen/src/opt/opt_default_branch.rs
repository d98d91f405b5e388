//! Branches that only copy become defaults, copied before the other branch runs.
//!
//! ```text
//! before:
//!   (+f0.0) if(8)
//!     add(8) v0<1>:F, v1<1>:F, v2<1>:F
//!   else(8)
//!     mov(8) v0<1>:UD, 0x0:UD
//!   endif(8)
//! after:
//!   mov(8) v0<1>:UD, 0x0:UD
//!   (+f0.0) if(8)
//!     add(8) v0<1>:F, v1<1>:F, v2<1>:F
//!   endif(8)
//! ```

use crate::lir::{Inst, Op, Operand, Program};
use crate::model::Model;

/// Maximum number of copies that run always instead of in a branch.
const MAX_COPIES: usize = 3;

/// Moves the copies of a branch that has nothing else before the `if`, which then needs no
/// `else`. The other branch must write their destinations in every channel that it runs for before
/// it reads them, and must not contain jumps.
pub(crate) fn opt_default_branch(program: &mut Program, _model: &Model) -> bool {
    let mut changed = false;
    // Positions of the open ifs, with those of their `else`.
    let mut open: Vec<(usize, Option<usize>)> = Vec::new();
    for at in 0..program.insts.len() {
        match program.insts[at].op {
            Op::If => open.push((at, None)),
            Op::Else => {
                if let Some((_, place)) = open.last_mut() {
                    *place = Some(at);
                }
            }
            Op::Endif => {
                if let Some((start, Some(middle))) = open.pop() {
                    changed |= hoist(program, start, middle, at);
                }
            }
            _ => {}
        }
    }
    if changed {
        program.compact();
    }
    changed
}

/// Moves the copies of one branch of an `if` before it.
fn hoist(program: &mut Program, start: usize, middle: usize, end: usize) -> bool {
    let insts = &program.insts;
    let (first, second) = (&insts[start + 1..middle], &insts[middle + 1..end]);
    if insts[start].predicate.is_none() {
        return false;
    }
    let copies_second = are_defaults(second, first);
    if !copies_second && !are_defaults(first, second) {
        return false;
    }
    // In the order of the program: copies, `if`, the other branch.
    let (copies, other) = if copies_second { (second, first) } else { (first, second) };
    let copies: Vec<Inst> = copies.to_vec();
    let other: Vec<Inst> = other.to_vec();
    let mut branch = insts[start].clone();
    if !copies_second && let Some(predicate) = &mut branch.predicate {
        predicate.inverse = !predicate.inverse;
    }
    let mut place = start;
    for inst in copies.into_iter().chain([branch]).chain(other) {
        program.insts[place] = inst;
        place += 1;
    }
    let last = &mut program.insts[place];
    *last = Inst::new(Op::Nop, last.exec_size, Operand::none(), &[]);
    true
}

/// The branch consists of copies whose destinations the other branch defines before it reads them.
fn are_defaults(branch: &[Inst], other: &[Inst]) -> bool {
    let is_copy = |inst: &Inst| {
        inst.op == Op::Mov
            && inst.dst.vreg().is_some()
            && inst.predicate.is_none()
            && inst.cond.is_none()
            && !inst.no_mask
            && !inst.align16
            && !inst.touches_accumulator()
    };
    let jumps =
        |inst: &Inst| matches!(inst.op, Op::Break | Op::Continue | Op::Halt | Op::Do | Op::While);
    (1..=MAX_COPIES).contains(&branch.len())
        && branch.iter().all(is_copy)
        && !other.iter().any(jumps)
        && branch.iter().all(|copy| defines(other, copy) && !changes_source(other, copy))
}

/// The instructions write the destination of a copy, outside of inner ifs, and do not read it
/// before.
fn defines(insts: &[Inst], copy: &Inst) -> bool {
    let (start, end) = (copy.dst.offset, copy.dst.offset + copy.bytes_written());
    let mut depth = 0;
    for inst in insts {
        let reads = |(n, src): (usize, &Operand)| {
            src.vreg() == copy.dst.vreg()
                && src.offset < end
                && start < src.offset + inst.bytes_read(n)
        };
        if inst.src.iter().enumerate().any(reads) {
            return false;
        }
        match inst.op {
            Op::If => depth += 1,
            Op::Endif => depth -= 1,
            _ => {}
        }
        let covers = inst.dst.vreg() == copy.dst.vreg()
            && inst.dst.offset <= start
            && end <= inst.dst.offset + inst.bytes_written()
            && inst.dst.stride() == copy.dst.stride()
            && inst.dst.ty.size() == copy.dst.ty.size()
            && (inst.exec_size, inst.group) == (copy.exec_size, copy.group);
        if depth == 0 && covers && !inst.is_predicated_write() && !inst.op.is_send() {
            return true;
        }
    }
    false
}

/// An instruction changes, for all channels, what a copy reads.
fn changes_source(insts: &[Inst], copy: &Inst) -> bool {
    insts.iter().any(|inst| inst.no_mask && inst.dst.is_reg() && inst.dst.file == copy.src[0].file)
}
