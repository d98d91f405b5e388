//! One break for loops that run once, such as those of `switch` statements: what follows an `if`
//! with a break moves into its other branch.
//!
//! ```text
//! before:
//!   loop {
//!     if v0 { break } else {}
//!     v1 = fadd v2, v2
//!     break
//!   }
//!   v3 = phi v4, v1
//! after:
//!   loop {
//!     if v0 {} else { v1 = fadd v2, v2 }
//!     v5 = phi v4, v1
//!     break
//!   }
//!   v3 = phi v5
//! ```

use super::rewrite::rename_preds;
use crate::cfg::Cfg;
use crate::ids::{Block, Inst, Node, Value};
use crate::inst::{InstKind, Jump, PhiSrc};
use crate::shader::{NodeData, Shader};
use cranelift_entity::SecondaryMap;
use smallvec::smallvec;

/// Maximum number of ifs with breaks in a loop: they end up within each other.
const MAX_IFS: usize = 64;

/// Replaces the breaks of loops that never start a second iteration by a single one at the end of
/// the body: `opt_dead_cf` removes such loops. A loop with a break in an `if` whose two branches
/// both reach the code after it is left alone.
pub fn opt_single_break(shader: &mut Shader) -> bool {
    if !shader.nodes.values().any(|node| matches!(node, NodeData::Loop { .. })) {
        return false;
    }
    let cfg = Cfg::new(shader);
    let body = std::mem::take(&mut shader.body);
    let mut pass = SingleBreak {
        shader,
        cfg,
        renamed: SecondaryMap::new(),
        map: SecondaryMap::new(),
        found: false,
    };
    pass.list(&body);
    let SingleBreak { renamed, map, found, .. } = pass;
    shader.body = body;
    if found {
        rename_preds(shader, &renamed);
        shader.replace_uses(&map);
    }
    found
}

struct SingleBreak<'a> {
    shader: &'a mut Shader,
    /// Of the shader as it was.
    cfg: Cfg,
    /// Blocks merged into others.
    renamed: SecondaryMap<Block, Option<Block>>,
    /// Phis replaced by values.
    map: SecondaryMap<Value, Option<Value>>,
    found: bool,
}

impl SingleBreak<'_> {
    /// Treats the loops of a list, inner ones first. Recursion is as deep as the nesting, which the
    /// validator bounds.
    fn list(&mut self, list: &[Node]) {
        for (i, &node) in list.iter().enumerate() {
            match self.shader.nodes[node].clone() {
                NodeData::Block(_) => {}
                NodeData::If { then_body, else_body, .. } => {
                    self.list(&then_body);
                    self.list(&else_body);
                }
                NodeData::Loop { body } => {
                    self.list(&body);
                    let exit = list.get(i + 1).and_then(|&next| self.block(next));
                    if let Some(exit) = exit {
                        self.loop_node(node, body, exit);
                    }
                }
            }
        }
    }

    fn loop_node(&mut self, node: Node, body: Vec<Node>, exit: Block) {
        let mut ifs = 0;
        if self.breaks(&body) < 2
            || self.has_dead_code(&body)
            || !self.is_treatable(&body, &mut ifs)
        {
            return;
        }
        let phis: Vec<Inst> = self.phis(exit);
        let (body, values) = self.treat(body, &phis);
        let (Some(end), Some(values)) = (self.end(&body), values) else { return };
        self.shader.blocks[end].jump = Some(Jump::Break);
        for (&phi, value) in phis.iter().zip(values) {
            self.shader.insts[phi].kind = InstKind::Phi(smallvec![PhiSrc { pred: end, value }]);
        }
        self.shader.nodes[node] = NodeData::Loop { body };
        self.found = true;
    }

    fn block(&self, node: Node) -> Option<Block> {
        match self.shader.nodes[node] {
            NodeData::Block(block) => Some(block),
            _ => None,
        }
    }

    /// Last block of a list.
    fn end(&self, list: &[Node]) -> Option<Block> {
        list.last().and_then(|&node| self.block(node))
    }

    fn phis(&self, block: Block) -> Vec<Inst> {
        let is_phi = |inst: &Inst| matches!(self.shader.insts[*inst].kind, InstKind::Phi(_));
        self.shader.blocks[block].insts.iter().copied().take_while(is_phi).collect()
    }

    /// Breaks of this loop in a list of its body.
    fn breaks(&self, list: &[Node]) -> usize {
        list.iter().map(|&node| self.breaks_of(node)).sum()
    }

    fn breaks_of(&self, node: Node) -> usize {
        match &self.shader.nodes[node] {
            NodeData::Block(block) => {
                usize::from(self.shader.blocks[*block].jump == Some(Jump::Break))
            }
            NodeData::If { then_body, else_body, .. } => {
                self.breaks(then_body) + self.breaks(else_body)
            }
            NodeData::Loop { .. } => 0,
        }
    }

    /// A list has code that nothing leads to; phis know nothing of it.
    fn has_dead_code(&self, list: &[Node]) -> bool {
        list.iter().any(|&node| match &self.shader.nodes[node] {
            NodeData::Block(block) => {
                let data = &self.shader.blocks[*block];
                let is_empty = data.insts.is_empty() && data.jump.is_none();
                !is_empty && !self.cfg.is_reachable(*block)
            }
            NodeData::If { then_body, else_body, .. } => {
                self.has_dead_code(then_body) || self.has_dead_code(else_body)
            }
            NodeData::Loop { body } => self.has_dead_code(body),
        })
    }

    /// A list of the body has a `continue` of this loop.
    fn continues(&self, list: &[Node]) -> bool {
        list.iter().any(|&node| match &self.shader.nodes[node] {
            NodeData::Block(block) => self.shader.blocks[*block].jump == Some(Jump::Continue),
            NodeData::If { then_body, else_body, .. } => {
                self.continues(then_body) || self.continues(else_body)
            }
            NodeData::Loop { .. } => false,
        })
    }

    /// Control gets past the end of a list.
    fn is_passed(&self, list: &[Node]) -> bool {
        let ends_in_jump = self.end(list).is_some_and(|b| self.shader.blocks[b].jump.is_some());
        let last = list.len().checked_sub(2).map(|i| &self.shader.nodes[list[i]]);
        let is_blocked = match last {
            Some(NodeData::If { then_body, else_body, .. }) => {
                !self.is_passed(then_body) && !self.is_passed(else_body)
            }
            Some(NodeData::Loop { body }) => self.breaks(body) == 0,
            _ => false,
        };
        !ends_in_jump && !is_blocked
    }

    /// Every path through a list ends in a break or a halt, and each `if` with a break has a branch
    /// that does not go on. Counts these ifs.
    fn is_treatable(&self, list: &[Node], ifs: &mut usize) -> bool {
        let at = list.iter().position(|&node| self.breaks_of(node) > 0);
        let Some(at) = at.filter(|&at| at + 1 < list.len()) else {
            return !self.continues(list) && !self.is_passed(list);
        };
        *ifs += 1;
        let NodeData::If { then_body, else_body, .. } = &self.shader.nodes[list[at]] else {
            return false;
        };
        let (before, rest) = (&list[..at], &list[at + 1..]);
        let (goes_on, other) = match (self.is_passed(then_body), self.is_passed(else_body)) {
            (true, true) => return false,
            (true, false) => (then_body, else_body),
            _ => (else_body, then_body),
        };
        let followed =
            if self.is_passed(goes_on) { [goes_on, rest].concat() } else { goes_on.clone() };
        *ifs <= MAX_IFS
            && !self.continues(before)
            && self.is_treatable(other, ifs)
            && self.is_treatable(&followed, ifs)
    }

    /// Restructures a treatable list so that control passes its end instead of a break. Returns the
    /// values that the exit's phis take there, if control gets there at all.
    fn treat(&mut self, mut list: Vec<Node>, phis: &[Inst]) -> (Vec<Node>, Option<Vec<Value>>) {
        let at = list.iter().position(|&node| self.breaks_of(node) > 0);
        let Some(at) = at.filter(|&at| at + 1 < list.len()) else {
            let values = self.leave(&list, phis);
            return (list, values);
        };
        let node = list[at];
        let NodeData::If { cond, then_body, else_body } = self.shader.nodes[node].clone() else {
            return (list, None);
        };
        let rest = list.split_off(at + 1);
        let (then_passed, else_passed) = (self.is_passed(&then_body), self.is_passed(&else_body));
        let then_body = if then_passed { self.join(then_body, &rest) } else { then_body };
        let else_body = if else_passed { self.join(else_body, &rest) } else { else_body };
        let (then_body, then_values) = self.treat(then_body, phis);
        let (else_body, else_values) = self.treat(else_body, phis);
        let ends = [self.end(&then_body), self.end(&else_body)];
        self.shader.nodes[node] = NodeData::If { cond, then_body, else_body };
        let (merge, merge_node) = self.shader.create_block();
        list.push(merge_node);
        let values = match (then_values, else_values, ends) {
            (Some(a), Some(b), [Some(then_end), Some(else_end)]) => {
                let pairs = a.into_iter().zip(b);
                let pairs = pairs.map(|(a, b)| self.phi(merge, [(then_end, a), (else_end, b)]));
                Some(pairs.collect())
            }
            (a, b, _) => a.or(b),
        };
        (list, values)
    }

    /// Removes the break at the end of a list without other breaks. Returns the values of the
    /// exit's phis there.
    fn leave(&mut self, list: &[Node], phis: &[Inst]) -> Option<Vec<Value>> {
        let end = self.end(list)?;
        if self.shader.blocks[end].jump != Some(Jump::Break) {
            return None;
        }
        self.shader.blocks[end].jump = None;
        phis.iter().map(|&phi| self.source(phi, end)).collect()
    }

    /// The source of a phi for a predecessor, by its present name.
    fn source(&self, phi: Inst, pred: Block) -> Option<Value> {
        let InstKind::Phi(srcs) = &self.shader.insts[phi].kind else { return None };
        srcs.iter().find(|src| self.present(src.pred) == pred).map(|src| src.value)
    }

    fn present(&self, mut block: Block) -> Block {
        while let Some(into) = self.renamed[block] {
            block = into;
        }
        block
    }

    /// A value that depends on the branch taken.
    fn phi(&mut self, block: Block, srcs: [(Block, Value); 2]) -> Value {
        let [(_, a), (_, b)] = srcs;
        if a == b {
            return a;
        }
        let shape = (self.shader.bits(a), self.shader.components(a));
        let srcs = srcs.map(|(pred, value)| PhiSrc { pred, value });
        let line = self.shader.line_of(a);
        let kind = InstKind::Phi(srcs.into_iter().collect());
        let inst = self.shader.create_inst(kind, Some(shape), line);
        self.shader.blocks[block].insts.push(inst);
        self.shader.insts[inst].result.unwrap_or(a)
    }

    /// Appends to a list the nodes that follow it whenever control passes its end. The first of
    /// them is a block, which joins the list's last one.
    fn join(&mut self, mut list: Vec<Node>, rest: &[Node]) -> Vec<Node> {
        let (Some(into), Some(from)) = (self.end(&list), rest.first().and_then(|&n| self.block(n)))
        else {
            return list;
        };
        let data = std::mem::take(&mut self.shader.blocks[from]);
        for inst in data.insts {
            match (&self.shader.insts[inst].kind, self.shader.insts[inst].result) {
                (InstKind::Phi(_), Some(result)) => {
                    self.map[result] = self.source(inst, into);
                }
                _ => self.shader.blocks[into].insts.push(inst),
            }
        }
        self.shader.blocks[into].jump = data.jump;
        self.renamed[from] = Some(into);
        list.extend(&rest[1..]);
        list
    }
}
