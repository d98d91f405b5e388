//! Conversion of small ifs to selections.
//!
//! ```text
//! before:
//!   if v0 { v1 = fadd v2, v2 } else {}
//!   v3 = phi v1, v2
//! after:
//!   v1 = fadd v2, v2
//!   v3 = bcsel v0, v1, v2
//! ```

use super::rewrite::prune_phis;
use crate::ids::{Block, Inst, Node, Value};
use crate::inst::{Alu, InstKind, Src};
use crate::ops::AluOp;
use crate::shader::{NodeData, Shader};
use smallvec::smallvec;

/// Most instructions that may run although their branch is not taken.
const LIMIT: usize = 8;

/// Turns ifs whose branches are one block each of a few cheap instructions into straight-line code:
/// both branches run, and each phi at the merge becomes a `bcsel`.
///
/// Only arithmetic, constants and undefined values move; derivatives, loads, textures and anything
/// with an effect keep their control flow. Leaves an if with empty branches, which `opt_dead_cf`
/// removes.
pub fn opt_peephole_select(shader: &mut Shader) -> bool {
    let mut progress = false;
    let mut lists: Vec<Vec<Node>> = vec![shader.body.clone()];
    while let Some(list) = lists.pop() {
        for (i, &node) in list.iter().enumerate() {
            match &shader.nodes[node] {
                NodeData::Block(_) => {}
                NodeData::Loop { body } => lists.push(body.clone()),
                NodeData::If { cond, then_body, else_body } => {
                    lists.push(then_body.clone());
                    lists.push(else_body.clone());
                    let cond = *cond;
                    let single = |list: &[Node]| match list {
                        [node] => block_of(shader, *node),
                        _ => None,
                    };
                    let around = (i > 0).then(|| block_of(shader, list[i - 1])).flatten();
                    let after = list.get(i + 1).and_then(|&n| block_of(shader, n));
                    if let (Some(before), Some(then), Some(other), Some(merge)) =
                        (around, single(then_body), single(else_body), after)
                    {
                        progress |= select(shader, cond, before, then, other, merge);
                    }
                }
            }
        }
    }
    if progress {
        prune_phis(shader);
    }
    progress
}

fn block_of(shader: &Shader, node: Node) -> Option<Block> {
    match shader.nodes[node] {
        NodeData::Block(block) => Some(block),
        _ => None,
    }
}

/// The instruction may run where it did not before.
fn is_cheap(shader: &Shader, inst: Inst) -> bool {
    match &shader.insts[inst].kind {
        InstKind::Alu(alu) => {
            // Doubles run at a fraction of the speed, and these are long sequences once lowered.
            let costly = matches!(
                alu.op,
                AluOp::Fdiv | AluOp::Fsqrt | AluOp::Frsq | AluOp::Frcp | AluOp::Fpow
            );
            let wide = alu.srcs.iter().any(|s| shader.bits(s.value) == 64);
            !(alu.op.info().is_derivative() || (costly && wide))
        }
        InstKind::Const(_) | InstKind::Undef => true,
        _ => false,
    }
}

fn select(
    shader: &mut Shader,
    cond: Value,
    before: Block,
    then: Block,
    other: Block,
    merge: Block,
) -> bool {
    let branches = [then, other];
    if branches.iter().any(|&b| shader.blocks[b].jump.is_some()) {
        return false;
    }
    let insts: Vec<Inst> =
        branches.iter().flat_map(|&b| shader.blocks[b].insts.iter().copied()).collect();
    let phis: Vec<Inst> = shader.blocks[merge]
        .insts
        .iter()
        .copied()
        .take_while(|&i| matches!(shader.insts[i].kind, InstKind::Phi(_)))
        .collect();
    let counted =
        insts.iter().filter(|&&i| matches!(shader.insts[i].kind, InstKind::Alu(_))).count();
    if (insts.is_empty() && phis.is_empty())
        || counted > LIMIT
        || !insts.iter().all(|&i| is_cheap(shader, i))
    {
        return false;
    }
    for branch in branches {
        shader.blocks[branch].insts.clear();
    }
    shader.blocks[before].insts.extend(insts);
    for phi in phis {
        let InstKind::Phi(srcs) = &shader.insts[phi].kind else { continue };
        let from = |block| srcs.iter().find(|s| s.pred == block).map(|s| s.value);
        let (Some(x), Some(y)) = (from(then), from(other)) else { continue };
        let srcs = smallvec![Src::splat(cond, 0), Src::new(x), Src::new(y)];
        shader.insts[phi].kind = InstKind::Alu(Alu { op: AluOp::Bcsel, srcs, exact: false });
    }
    true
}
