//! Elimination of common subexpressions within blocks.
//!
//! ```text
//! before:
//!   add(8) v0<1>:UD, v1<1>:UD, v2<1>:UD
//!   add(8) v3<1>:UD, v2<1>:UD, v1<1>:UD
//! after:
//!   add(8) v0<1>:UD, v1<1>:UD, v2<1>:UD
//!   mov(8) v3<1>:UD, v0<1>:UD
//! ```

use super::facts::use_counts::UseCounts;
use crate::lir::cfg::block_ranges;
use crate::lir::{File, Inst, MessageKind, Op, Operand, Program};
use crate::model::Model;
use rustc_hash::FxBuildHasher;
use std::collections::VecDeque;
use std::hash::BuildHasher;

/// How many expressions are remembered per block; older ones are forgotten, which keeps the search
/// linear.
const WINDOW: usize = 64;

/// Replaces a computation by a copy of an equal earlier one's result, in straight line as long as
/// neither its sources nor its result are written.
pub(crate) fn opt_cse(program: &mut Program, _model: &Model) -> bool {
    let mut changed = false;
    let mut window = Window {
        known: VecDeque::with_capacity(WINDOW),
        uses: UseCounts::new(program),
        digests: [0; 256],
    };
    for block in block_ranges(program) {
        window.clear(&program.insts);
        for i in block.start..block.end {
            let inst = &program.insts[i];
            let mut expression = is_expression(inst).then(|| digest(inst));
            let earlier = expression.and_then(|digest| window.find(&program.insts, inst, digest));
            window.forget_clobbered(&program.insts, inst);
            if let Some(k) = earlier {
                let mut copy =
                    Inst::new(Op::Mov, inst.exec_size, inst.dst, &[program.insts[k].dst]);
                copy.group = inst.group;
                copy.no_mask = inst.no_mask;
                copy.line = inst.line;
                program.insts[i] = copy;
                changed = true;
                expression = None;
            }
            if let Some(digest) = expression {
                window.add(&program.insts, (i, digest));
            }
        }
    }
    changed
}

/// An instruction that can be used again, with its [`digest`].
type Known = (usize, u64);

/// Expressions of the current block that can be used again.
struct Window {
    /// Oldest first.
    known: VecDeque<Known>,
    /// The registers of their operands.
    uses: UseCounts,
    /// Number of digests that begin with each byte: most expressions are new.
    digests: [u8; 256],
}

/// Index of a digest in [`Window::digests`]. Its high bits depend on all others.
fn slot(digest: u64) -> usize {
    (digest >> 56) as usize
}

impl Window {
    fn clear(&mut self, insts: &[Inst]) {
        for (index, _) in self.known.drain(..) {
            self.uses.remove(operands(&insts[index]));
        }
        self.digests.fill(0);
    }

    fn add(&mut self, insts: &[Inst], known: Known) {
        if self.known.len() == WINDOW
            && let Some((oldest, digest)) = self.known.pop_front()
        {
            self.uses.remove(operands(&insts[oldest]));
            self.digests[slot(digest)] -= 1;
        }
        self.digests[slot(known.1)] += 1;
        self.uses.add(operands(&insts[known.0]));
        self.known.push_back(known);
    }

    /// The latest instruction that computes what `inst` does, which has this digest.
    fn find(&self, insts: &[Inst], inst: &Inst, digest: u64) -> Option<usize> {
        if self.digests[slot(digest)] == 0 {
            return None;
        }
        let alike = self.known.iter().rev().filter(|known| known.1 == digest);
        alike.map(|known| known.0).find(|&index| equal(&insts[index], inst))
    }

    /// Forgets what `inst` changes an operand of.
    fn forget_clobbered(&mut self, insts: &[Inst], inst: &Inst) {
        if !inst.dst.is_reg() || !self.uses.may_use(&inst.dst) {
            return;
        }
        let (uses, digests) = (&mut self.uses, &mut self.digests);
        self.known.retain(|&(index, digest)| {
            let stays = !clobbers(inst, &insts[index]);
            if !stays {
                uses.remove(operands(&insts[index]));
                digests[slot(digest)] -= 1;
            }
            stays
        });
    }
}

/// All operands.
fn operands(inst: &Inst) -> impl Iterator<Item = &Operand> {
    inst.src.iter().chain([&inst.dst])
}

fn is_expression(inst: &Inst) -> bool {
    let pure_op = !matches!(
        inst.op,
        Op::Mov | Op::Undef | Op::Nop | Op::Mach | Op::Addc | Op::Subb | Op::Mac
    );
    let reads_itself = inst.src.iter().any(|s| s.is_reg() && s.file == inst.dst.file);
    pure_op
        && !inst.has_side_effects()
        && matches!(inst.dst.file, File::Vgrf(_))
        && inst.predicate.is_none()
        && (inst.cond.is_none() || inst.op == Op::Sel)
        && !inst.touches_accumulator()
        && !inst.align16
        && !reads_itself
        && inst.message.as_ref().is_none_or(|m| m.kind == MessageKind::ConstantLoad && m.rlen == 1)
        && inst.dst.stride() == Some(1)
}

/// The same for instructions that are [`equal`], and seldom for others.
fn digest(inst: &Inst) -> u64 {
    let hasher = FxBuildHasher;
    // Sources may be exchanged.
    let sources = inst.src.iter().map(|source| hasher.hash_one(source)).fold(0, u64::wrapping_add);
    sources.wrapping_add(hasher.hash_one((inst.op, inst.exec_size, inst.group)))
}

fn equal(a: &Inst, b: &Inst) -> bool {
    let exchanged = || {
        a.op.info().commutative
            && a.src.len() == 2
            && b.src.len() == 2
            && a.src[0] == b.src[1]
            && a.src[1] == b.src[0]
    };
    a.op == b.op
        && (a.src == b.src || exchanged())
        && a.dst.ty == b.dst.ty
        && a.dst.region == b.dst.region
        && a.exec_size == b.exec_size
        && a.group == b.group
        && a.no_mask == b.no_mask
        && a.saturate == b.saturate
        && a.cond == b.cond
        && a.message == b.message
}

/// `inst` writes a source or the result of `expression`.
fn clobbers(inst: &Inst, expression: &Inst) -> bool {
    let file = inst.dst.file;
    expression.dst.file == file || expression.src.iter().any(|s| s.file == file)
}
