//! Removal of dead control flow: constant conditions, empty ifs, loops that run once, unreachable
//! code.
//!
//! ```text
//! before:
//!   if true { store_output v0 } else { store_output v1 }
//! after:
//!   store_output v0
//! ```

use super::rewrite::{prune_phis, rename_preds};
use crate::ids::{Block, Node, Value};
use crate::inst::{InstKind, Jump, PhiSrc};
use crate::shader::{NodeData, Shader};
use cranelift_entity::SecondaryMap;

/// Splices in the taken branch of ifs with a constant condition, removes ifs with nothing in them,
/// unrolls loops whose body always ends with its only break, and drops code that control cannot
/// reach.
///
/// Guarantees that afterwards the block that follows an if with two jumping branches, or a loop
/// without a break, is empty and the last of its list.
pub fn opt_dead_cf(shader: &mut Shader) -> bool {
    let body = std::mem::take(&mut shader.body);
    let mut pass =
        DeadCf { shader, renamed: SecondaryMap::new(), map: SecondaryMap::new(), progress: false };
    let (body, _) = pass.list(body);
    let DeadCf { renamed, map, progress, .. } = pass;
    shader.body = body;
    if progress {
        rename_preds(shader, &renamed);
        prune_phis(shader);
        shader.replace_uses(&map);
    }
    progress
}

struct DeadCf<'a> {
    shader: &'a mut Shader,
    /// Blocks merged into others.
    renamed: SecondaryMap<Block, Option<Block>>,
    /// Phis replaced by values.
    map: SecondaryMap<Value, Option<Value>>,
    progress: bool,
}

impl DeadCf<'_> {
    fn block(&self, node: Node) -> Option<Block> {
        match self.shader.nodes[node] {
            NodeData::Block(block) => Some(block),
            _ => None,
        }
    }

    /// Last block of a list.
    fn end(&self, list: &[Node]) -> Option<Block> {
        list.last().and_then(|&n| self.block(n))
    }

    /// Cleans a list; gives it and whether control reaches its end. Recursion is as deep as the
    /// nesting, which the validator bounds.
    fn list(&mut self, list: Vec<Node>) -> (Vec<Node>, bool) {
        let mut out: Vec<Node> = Vec::with_capacity(list.len());
        let mut nodes = list.into_iter();
        out.extend(nodes.next());
        while let Some(node) = nodes.next() {
            let Some(next) = nodes.next() else { break };
            let reached = self.node(&mut out, node, next);
            if !reached {
                let is_next_unreachable = self.end(&out) == self.block(next);
                self.cut(&mut out, nodes.as_slice(), is_next_unreachable);
                return (out, false);
            }
        }
        let ends = self.end(&out).is_none_or(|b| self.shader.blocks[b].jump.is_none());
        (out, ends)
    }

    /// Control does not get past the last node of `out`: the rest goes. If control does not reach
    /// its final block either, the block stays, but empty.
    fn cut(&mut self, out: &mut [Node], rest: &[Node], is_end_unreachable: bool) {
        self.progress |= !rest.is_empty();
        if is_end_unreachable && let Some(block) = self.end(out) {
            let data = &mut self.shader.blocks[block];
            self.progress |= !data.insts.is_empty() || data.jump.is_some();
            data.insts.clear();
            data.jump = None;
        }
    }

    /// Handles an if or a loop and the block after it; gives whether control gets past them.
    fn node(&mut self, out: &mut Vec<Node>, node: Node, next: Node) -> bool {
        match std::mem::replace(&mut self.shader.nodes[node], NodeData::Loop { body: Vec::new() }) {
            NodeData::If { cond, then_body, else_body } => {
                self.if_node(out, node, next, cond, then_body, else_body)
            }
            NodeData::Loop { body } => self.loop_node(out, node, next, body),
            block @ NodeData::Block(_) => {
                self.shader.nodes[node] = block;
                out.extend([node, next]);
                true
            }
        }
    }

    fn if_node(
        &mut self,
        out: &mut Vec<Node>,
        node: Node,
        next: Node,
        cond: Value,
        then_body: Vec<Node>,
        else_body: Vec<Node>,
    ) -> bool {
        if let Some(value) = self.shader.as_const_u64(cond) {
            let (taken, reached) = self.list(if value != 0 { then_body } else { else_body });
            return self.splice(out, taken, next, reached);
        }
        let (then_body, then_reached) = self.list(then_body);
        let (else_body, else_reached) = self.list(else_body);
        if self.is_empty(&then_body) && self.is_empty(&else_body) && self.no_phis(next) {
            return self.splice(out, then_body, next, true);
        }
        self.shader.nodes[node] = NodeData::If { cond, then_body, else_body };
        out.extend([node, next]);
        then_reached || else_reached
    }

    fn is_empty(&self, list: &[Node]) -> bool {
        match list {
            [node] => self.block(*node).is_some_and(|b| {
                let data = &self.shader.blocks[b];
                data.insts.is_empty() && data.jump.is_none()
            }),
            _ => false,
        }
    }

    fn no_phis(&self, node: Node) -> bool {
        let first = self.block(node).and_then(|b| self.shader.blocks[b].insts.first().copied());
        first.is_none_or(|i| !matches!(self.shader.insts[i].kind, InstKind::Phi(_)))
    }

    fn loop_node(&mut self, out: &mut Vec<Node>, node: Node, next: Node, body: Vec<Node>) -> bool {
        let (body, reached) = self.list(body);
        let (breaks, continues) = self.jumps(&body);
        let end = self.end(&body);
        let ends_in_break = end.is_some_and(|b| self.shader.blocks[b].jump == Some(Jump::Break));
        if ends_in_break && breaks == 1 && continues == 0 && !reached {
            if let Some(end) = end {
                self.shader.blocks[end].jump = None;
            }
            return self.splice(out, body, next, true);
        }
        self.shader.nodes[node] = NodeData::Loop { body };
        out.extend([node, next]);
        breaks > 0
    }

    /// Breaks and continues of this loop in its body, inner loops excluded.
    fn jumps(&self, body: &[Node]) -> (usize, usize) {
        let (mut breaks, mut continues) = (0, 0);
        let mut work: Vec<Node> = body.to_vec();
        while let Some(node) = work.pop() {
            match &self.shader.nodes[node] {
                NodeData::Block(block) => match self.shader.blocks[*block].jump {
                    Some(Jump::Break) => breaks += 1,
                    Some(Jump::Continue) => continues += 1,
                    _ => {}
                },
                NodeData::If { then_body, else_body, .. } => {
                    work.extend(then_body);
                    work.extend(else_body);
                }
                NodeData::Loop { .. } => {}
            }
        }
        (breaks, continues)
    }

    /// Appends a list that now always runs, and the block after it, to `out`, merging adjoining
    /// blocks.
    fn splice(&mut self, out: &mut Vec<Node>, list: Vec<Node>, next: Node, reached: bool) -> bool {
        self.progress = true;
        let last = self.end(&list);
        let mut nodes = list.into_iter();
        if let (Some(into), Some(first)) = (self.end(out), nodes.next().and_then(|n| self.block(n)))
        {
            self.merge(into, first, None);
        }
        out.extend(nodes);
        if !reached {
            return false;
        }
        if let (Some(into), Some(next)) = (self.end(out), self.block(next)) {
            self.merge(into, next, last);
        }
        true
    }

    /// Appends `from` to `into`; the phis of `from` take their value from `pred` (their only source
    /// if `None`).
    fn merge(&mut self, into: Block, from: Block, pred: Option<Block>) {
        let data = std::mem::take(&mut self.shader.blocks[from]);
        for inst in data.insts {
            match &self.shader.insts[inst].kind {
                InstKind::Phi(srcs) => {
                    let wanted = |s: &&PhiSrc| pred.is_none_or(|pred| self.is_block(s.pred, pred));
                    let value = srcs.iter().find(wanted).map(|s| s.value);
                    if let (Some(result), Some(value)) = (self.shader.insts[inst].result, value) {
                        self.map[result] = Some(value);
                    }
                }
                _ => self.shader.blocks[into].insts.push(inst),
            }
        }
        self.shader.blocks[into].jump = data.jump;
        self.renamed[from] = Some(into);
    }

    /// `a` is `b` or has been merged into it, or `b` into `a`.
    fn is_block(&self, a: Block, b: Block) -> bool {
        let final_block = |mut block: Block| {
            while let Some(into) = self.renamed[block] {
                block = into;
            }
            block
        };
        final_block(a) == final_block(b)
    }
}
