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
use crate::info::Stage;
use crate::inst::{Alu, InstKind, Src};
use crate::intrinsics::{Intrinsic, IntrinsicOp};
use crate::ops::AluOp;
use crate::shader::{NodeData, Shader};
use crate::varyings::input_offset;
use smallvec::smallvec;

/// Maximum number of instructions that may run although their branch is not taken.
pub(super) const MAX_SPECULATED: usize = 10;

/// Turns ifs whose branches are one block each of a few cheap instructions into straight-line code:
/// both branches run, and each phi at the merge becomes a `bcsel`.
///
/// Only arithmetic, constants, undefined values, and uniforms and fragment inputs at constant
/// offsets move. Derivatives, other loads, textures and anything with an effect keep their control
/// flow. Leaves an if with empty branches, which `opt_dead_cf` removes.
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

pub(super) fn block_of(shader: &Shader, node: Node) -> Option<Block> {
    match shader.nodes[node] {
        NodeData::Block(block) => Some(block),
        _ => None,
    }
}

/// Returns the number of instructions that cost something, if all of them may run where they did
/// not before.
pub(super) fn speculation_cost(shader: &Shader, insts: &[Inst]) -> Option<usize> {
    insts.iter().try_fold(0, |sum, &inst| Some(sum + cost(shader, inst)?))
}

/// Returns the cost of an instruction that may run where it did not before.
fn cost(shader: &Shader, inst: Inst) -> Option<usize> {
    match &shader.insts[inst].kind {
        InstKind::Alu(alu) => {
            // Doubles run at a fraction of the speed, and these are long sequences once lowered.
            let costly = matches!(
                alu.op,
                AluOp::Fdiv | AluOp::Fsqrt | AluOp::Frsq | AluOp::Frcp | AluOp::Fpow
            );
            let wide = alu.srcs.iter().any(|s| shader.bits(s.value) == 64);
            // Modifiers and names of other values.
            let is_free = matches!(
                alu.op,
                AluOp::Fneg | AluOp::Fabs | AluOp::Fsat | AluOp::Ineg | AluOp::Inot | AluOp::Mov
            ) || alu.op.is_vec();
            let may_move = !(alu.op.info().is_derivative() || costly && wide);
            // A component of a double takes as long as two instructions, in both back ends.
            let components = |s: &Src| usize::from(shader.components(s.value));
            let each = alu.srcs.iter().map(components).max().unwrap_or(1);
            let price = if wide { 2 * each } else { 1 };
            may_move.then_some(if is_free { 0 } else { price })
        }
        InstKind::Const(_) | InstKind::Undef => Some(0),
        InstKind::Intrinsic(intrinsic) => load_cost(shader, inst, intrinsic),
        _ => None,
    }
}

/// Returns the cost of a load at a constant offset that may run where it did not before. Uniforms
/// are in registers for the most part.
fn load_cost(shader: &Shader, inst: Inst, intrinsic: &Intrinsic) -> Option<usize> {
    let is_constant = |&value: &Value| shader.as_const(value).is_some();
    let is_fragment = shader.info.stage == Stage::Fragment;
    let components = shader.insts[inst].result.map_or(0, |value| shader.components(value));
    match intrinsic.op {
        IntrinsicOp::LoadUbo if intrinsic.srcs.iter().all(is_constant) => Some(0),
        IntrinsicOp::LoadInput | IntrinsicOp::LoadInterpolatedInput
            if is_fragment && input_offset(intrinsic).as_ref().is_some_and(is_constant) =>
        {
            Some(components.into())
        }
        _ => None,
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
    if (insts.is_empty() && phis.is_empty())
        || speculation_cost(shader, &insts).is_none_or(|cost| cost > MAX_SPECULATED)
    {
        return false;
    }
    for branch in branches {
        shader.blocks[branch].insts.clear();
    }
    shader.blocks[before].insts.extend(insts);
    for phi in phis {
        replace_phi(shader, phi, cond, [then, other]);
    }
    true
}

/// Makes the phi after an `if` a selection of the values that its branches give, or a copy of the
/// only one.
pub(super) fn replace_phi(shader: &mut Shader, phi: Inst, cond: Value, branches: [Block; 2]) {
    let InstKind::Phi(srcs) = &shader.insts[phi].kind else { return };
    let from = |block| srcs.iter().find(|s| s.pred == block).map(|s| Src::new(s.value));
    let (op, srcs) = match branches.map(from) {
        [Some(x), Some(y)] => (AluOp::Bcsel, smallvec![Src::splat(cond, 0), x, y]),
        [Some(x), None] | [None, Some(x)] => (AluOp::Mov, smallvec![x]),
        [None, None] => return,
    };
    shader.insts[phi].kind = InstKind::Alu(Alu { op, srcs, exact: false });
}
