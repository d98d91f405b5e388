//! One `if` for two that are nested.
//!
//! ```text
//! before:
//!   if v0 {
//!     v2 = flt v1, v3
//!     if v2 { discard } else {}
//!   } else {}
//! after:
//!   v2 = flt v1, v3
//!   v4 = iand v0, v2
//!   if v4 { discard } else {}
//! ```

use super::opt_peephole_select::{MAX_SPECULATED, speculation_cost};
use super::rewrite::prune_phis;
use crate::builder::Builder;
use crate::ids::{Block, Inst, Node, Value};
use crate::inst::{InstKind, PhiSrc};
use crate::shader::{NodeData, Shader};
use smallvec::{SmallVec, smallvec};

/// Maximum number of selections in place of phis.
const MAX_SELECTIONS: usize = 3;

/// Merges an `if` into the one around it when each has an empty branch and the code between the two
/// is cheap enough to run always.
pub fn opt_nested_ifs(shader: &mut Shader) -> bool {
    let mut progress = false;
    let mut lists: Vec<Vec<Node>> = vec![shader.body.clone()];
    while let Some(list) = lists.pop() {
        for (i, &node) in list.iter().enumerate() {
            if let (Some(before), Some(merge)) = (i.checked_sub(1), list.get(i + 1))
                && let (Some(before), Some(merge)) =
                    (block_of(shader, list[before]), block_of(shader, *merge))
            {
                while flatten(shader, before, node, merge) {
                    progress = true;
                }
            }
            match &shader.nodes[node] {
                NodeData::Block(_) => {}
                NodeData::If { then_body, else_body, .. } => {
                    lists.extend([then_body.clone(), else_body.clone()]);
                }
                NodeData::Loop { body } => lists.push(body.clone()),
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

/// An if with one empty branch.
struct OneSided {
    cond: Value,
    /// The condition's value for the other branch.
    taken_if: bool,
    body: Vec<Node>,
    empty: Node,
}

fn one_sided(shader: &Shader, node: Node) -> Option<OneSided> {
    let NodeData::If { cond, then_body, else_body } = &shader.nodes[node] else { return None };
    let empty = |list: &[Node]| match list {
        [node] => block_of(shader, *node).filter(|&block| {
            let data = &shader.blocks[block];
            data.insts.is_empty() && data.jump.is_none()
        }),
        _ => None,
    };
    match (empty(then_body), empty(else_body)) {
        (None, Some(_)) => Some(OneSided {
            cond: *cond,
            taken_if: true,
            body: then_body.clone(),
            empty: else_body[0],
        }),
        (Some(_), None) => Some(OneSided {
            cond: *cond,
            taken_if: false,
            body: else_body.clone(),
            empty: then_body[0],
        }),
        _ => None,
    }
}

/// The value of a phi at the merge of the outer if.
struct Merged {
    phi: Inst,
    /// Value if all of the code runs; nothing if it ends in a jump.
    inside: Option<Value>,
    /// Values if only the outer condition holds, and if neither does.
    outer_only: Value,
    neither: Value,
}

/// Merges the `if` at `node`, which is between two blocks, with one in it.
fn flatten(shader: &mut Shader, before: Block, node: Node, merge: Block) -> bool {
    let Some(outer) = one_sided(shader, node) else { return false };
    let [first, inner, last] = outer.body[..] else { return false };
    let (Some(first), Some(last)) = (block_of(shader, first), block_of(shader, last)) else {
        return false;
    };
    let Some(inner) = one_sided(shader, inner) else { return false };
    let is_phi = |inst: &Inst| matches!(shader.insts[*inst].kind, InstKind::Phi(_));
    let last_data = &shader.blocks[last];
    let between = shader.blocks[first].insts.clone();
    if last_data.jump.is_some()
        || !last_data.insts.iter().all(is_phi)
        || between.iter().any(is_phi)
        || speculation_cost(shader, &between).is_none_or(|cost| cost > MAX_SPECULATED)
    {
        return false;
    }
    let (Some(inner_empty), Some(outer_empty), Some(inner_end)) = (
        block_of(shader, inner.empty),
        block_of(shader, outer.empty),
        inner.body.last().and_then(|&node| block_of(shader, node)),
    ) else {
        return false;
    };
    let merged: Option<Vec<Merged>> = shader.blocks[merge]
        .insts
        .iter()
        .filter(|inst| is_phi(inst))
        .map(|&phi| {
            let value = source(shader, phi, last)?;
            let neither = source(shader, phi, outer_empty)?;
            let def = shader.values[value].def;
            let (inside, outer_only) = if last_data.insts.contains(&def) {
                (source(shader, def, inner_end), source(shader, def, inner_empty)?)
            } else {
                (Some(value), value)
            };
            let inside = inside.filter(|_| shader.blocks[inner_end].jump.is_none());
            Some(Merged { phi, inside, outer_only, neither })
        })
        .collect();
    let Some(merged) = merged else { return false };
    let differs = |m: &&Merged| !is_same(shader, m.outer_only, m.neither);
    let selections = merged.iter().filter(differs).count();
    if selections > MAX_SELECTIONS || selections > 0 && becomes_selections(shader, &inner.body) {
        return false;
    }

    shader.blocks[first].insts.clear();
    shader.blocks[last].insts.clear();
    shader.blocks[before].insts.extend(between);
    let mut b = Builder::at_end(shader, before);
    let conds = [&outer, &inner].map(|one| if one.taken_if { one.cond } else { b.inot(one.cond) });
    let cond = b.iand(conds[0], conds[1]);
    for Merged { phi, inside, outer_only, neither } in merged {
        let other = if is_same(b.shader, outer_only, neither) {
            neither
        } else {
            let components = b.shader.components(neither);
            let splat = crate::inst::Src::splat(conds[0], 0);
            let srcs = [splat, outer_only.into(), neither.into()];
            b.alu_src(crate::ops::AluOp::Bcsel, &srcs, components)
        };
        let mut srcs: SmallVec<[PhiSrc; 2]> = smallvec![PhiSrc { pred: outer_empty, value: other }];
        srcs.extend(inside.map(|value| PhiSrc { pred: inner_end, value }));
        b.shader.insts[phi].kind = InstKind::Phi(srcs);
    }
    shader.nodes[node] = NodeData::If { cond, then_body: inner.body, else_body: vec![outer.empty] };
    true
}

/// Selections by the inner condition alone will take the place of the inner `if`.
fn becomes_selections(shader: &Shader, body: &[Node]) -> bool {
    let [node] = body else { return false };
    block_of(shader, *node).is_some_and(|block| {
        let data = &shader.blocks[block];
        data.jump.is_none()
            && speculation_cost(shader, &data.insts).is_some_and(|cost| cost <= MAX_SPECULATED)
    })
}

/// The source of a phi for a predecessor.
fn source(shader: &Shader, phi: Inst, pred: Block) -> Option<Value> {
    let InstKind::Phi(srcs) = &shader.insts[phi].kind else { return None };
    srcs.iter().find(|src| src.pred == pred).map(|src| src.value)
}

/// One value, or two equal constants.
fn is_same(shader: &Shader, a: Value, b: Value) -> bool {
    let constants = || Some((shader.as_const(a)?, shader.as_const(b)?));
    let shape = |value| (shader.bits(value), shader.components(value));
    a == b || shape(a) == shape(b) && constants().is_some_and(|(a, b)| a == b)
}
