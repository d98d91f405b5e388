//! Conditional discards in place of ifs around a discard.
//!
//! ```text
//! before:
//!   if v0 { discard; halt } else {}
//! after:
//!   discard_if v0
//! ```

use super::opt_peephole_select::{block_of, replace_phi};
use super::rewrite::prune_phis;
use crate::builder::Builder;
use crate::ids::{Block, Inst, Node, Value};
use crate::inst::{InstKind, Jump};
use crate::intrinsics::{Fields, IntrinsicOp};
use crate::shader::{NodeData, Shader};

/// Turns an `if` that only discards or demotes into `discard_if` or `demote_if`. Invocations of
/// discarded pixels may go on as helpers, so ifs in loops stay: the discard may end a loop. Leaves
/// an if with empty branches, which `opt_dead_cf` removes.
pub fn opt_discard_if(shader: &mut Shader) -> bool {
    let mut progress = false;
    let mut lists: Vec<Vec<Node>> = vec![shader.body.clone()];
    while let Some(list) = lists.pop() {
        for (i, &node) in list.iter().enumerate() {
            let NodeData::If { cond, then_body, else_body } = shader.nodes[node].clone() else {
                continue;
            };
            let around = (i > 0).then(|| block_of(shader, list[i - 1])).flatten();
            let after = list.get(i + 1).and_then(|&n| block_of(shader, n));
            if let ([then], [other], Some(before), Some(merge)) =
                (&then_body[..], &else_body[..], around, after)
                && let (Some(then), Some(other)) =
                    (block_of(shader, *then), block_of(shader, *other))
            {
                let site = Site { cond, before, merge };
                progress |= site.replace(shader, then, other, false)
                    || site.replace(shader, other, then, true);
            }
            lists.extend([then_body, else_body]);
        }
    }
    if progress {
        prune_phis(shader);
    }
    progress
}

/// An `if` between two blocks.
struct Site {
    cond: Value,
    before: Block,
    merge: Block,
}

impl Site {
    /// Replaces the `if` if the branch `taken` only discards and the branch `other` does nothing.
    fn replace(&self, shader: &mut Shader, taken: Block, other: Block, is_inverse: bool) -> bool {
        let rest = &shader.blocks[other];
        let Some(op) = discard_of(shader, taken) else { return false };
        if !rest.insts.is_empty() || rest.jump.is_some() {
            return false;
        }
        shader.blocks[taken].insts.clear();
        shader.blocks[taken].jump = None;
        let is_phi = |inst: &Inst| matches!(shader.insts[*inst].kind, InstKind::Phi(_));
        let phis: Vec<Inst> =
            shader.blocks[self.merge].insts.iter().copied().take_while(is_phi).collect();
        let branches = if is_inverse { [other, taken] } else { [taken, other] };
        for phi in phis {
            replace_phi(shader, phi, self.cond, branches);
        }
        let mut b = Builder::at_end(shader, self.before);
        let cond = if is_inverse { b.inot(self.cond) } else { self.cond };
        b.intrinsic(op, &[cond], Fields::default(), None);
        true
    }
}

/// The conditional form of the only instruction of a block, if that is a discard.
fn discard_of(shader: &Shader, block: Block) -> Option<IntrinsicOp> {
    let data = &shader.blocks[block];
    let [inst] = data.insts[..] else { return None };
    let InstKind::Intrinsic(intrinsic) = &shader.insts[inst].kind else { return None };
    match (intrinsic.op, data.jump) {
        (IntrinsicOp::Discard, None | Some(Jump::Halt)) => Some(IntrinsicOp::DiscardIf),
        (IntrinsicOp::Demote, None) => Some(IntrinsicOp::DemoteIf),
        _ => None,
    }
}
