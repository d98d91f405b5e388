//! Replacement of conditions in the branches that they lead to.
//!
//! ```text
//! before:
//!   if v0 { v3 = bcsel v0, v1, v2 }
//! after:
//!   if v0 { v3 = bcsel true, v1, v2 }
//! ```

use crate::builder::Builder;
use crate::cfg::Cfg;
use crate::ids::{Block, Value};
use crate::inst::InstKind;
use crate::ops::AluOp;
use crate::shader::{NodeData, Shader, Step};
use cranelift_entity::SecondaryMap;

/// Replaces uses of an if's condition within its branches, and of the conditions that it implies,
/// by true or false.
pub fn opt_known_conditions(shader: &mut Shader) -> bool {
    let cfg = Cfg::new(shader);
    let mut known = Known::default();
    // Of each open if: how much was known before it.
    let mut frames: Vec<usize> = Vec::new();
    let mut last = None;
    let mut progress = false;
    for step in shader.walk() {
        match step {
            Step::Block(block) => {
                progress |= known.replace_in_block(shader, block);
                progress |= known.replace_in_phis(shader, &cfg, block);
                last = Some(block);
            }
            Step::If(node) => {
                let NodeData::If { cond, .. } = shader.nodes[node] else { continue };
                if let (Some(truth), Some(before)) = (known.truth[cond], last) {
                    let constant = Builder::at_end(shader, before).bool(truth);
                    if let NodeData::If { cond, .. } = &mut shader.nodes[node] {
                        *cond = constant;
                    }
                    progress = true;
                }
                frames.push(known.facts.len());
                known.learn(shader, cond, true);
            }
            Step::Else(node) => {
                if let Some(&before) = frames.last() {
                    known.forget(before);
                }
                // The condition may be a constant now, of which nothing follows.
                if let NodeData::If { cond, .. } = shader.nodes[node] {
                    known.learn(shader, cond, false);
                }
            }
            Step::EndIf(_) => {
                if let Some(before) = frames.pop() {
                    known.forget(before);
                }
            }
            Step::Loop(_) | Step::EndLoop(_) => {}
        }
    }
    progress
}

/// Booleans that are known where the walk is.
#[derive(Default)]
struct Known {
    truth: SecondaryMap<Value, Option<bool>>,
    /// Those with a truth, in the order of the ifs.
    facts: Vec<Value>,
}

impl Known {
    /// Notes that a condition has a truth, and what follows of it.
    fn learn(&mut self, shader: &Shader, cond: Value, truth: bool) {
        let mut open = vec![(cond, truth)];
        while let Some((value, truth)) = open.pop() {
            if shader.components(value) != 1
                || self.truth[value].is_some()
                || shader.as_const(value).is_some()
            {
                continue;
            }
            self.truth[value] = Some(truth);
            self.facts.push(value);
            let Some(alu) = shader.as_alu(value) else { continue };
            let operands = alu.srcs.iter().map(|src| src.value);
            match (alu.op, truth) {
                (AluOp::Inot, _) => open.extend(operands.map(|v| (v, !truth))),
                (AluOp::Iand, true) | (AluOp::Ior, false) => {
                    open.extend(operands.map(|v| (v, truth)));
                }
                _ => {}
            }
        }
    }

    /// Forgets all but the first `count` facts.
    fn forget(&mut self, count: usize) {
        for value in self.facts.drain(count..) {
            self.truth[value] = None;
        }
    }

    /// Replaces what the instructions of a block read. The sources of its phis belong to its
    /// predecessors.
    fn replace_in_block(&self, shader: &mut Shader, block: Block) -> bool {
        if self.facts.is_empty() {
            return false;
        }
        let mut constants = Constants::default();
        for at in 0..shader.blocks[block].insts.len() {
            let inst = shader.blocks[block].insts[at + constants.count()];
            if matches!(shader.insts[inst].kind, InstKind::Phi(_)) {
                continue;
            }
            let mut read = Vec::new();
            shader.insts[inst].kind.for_each_src(|v| read.extend(self.truth[v]));
            for truth in read {
                constants.make(shader, block, truth);
            }
            shader.insts[inst].kind.for_each_src_mut(|v| {
                if let Some(constant) = self.truth[*v].and_then(|truth| constants.get(truth)) {
                    *v = constant;
                }
            });
        }
        constants.count() > 0
    }

    /// Replaces what phis take from a block.
    fn replace_in_phis(&self, shader: &mut Shader, cfg: &Cfg, pred: Block) -> bool {
        if self.facts.is_empty() {
            return false;
        }
        let mut progress = false;
        for &block in &cfg.succs[pred] {
            for at in 0..shader.blocks[block].insts.len() {
                let inst = shader.blocks[block].insts[at];
                let InstKind::Phi(srcs) = &shader.insts[inst].kind else { break };
                let found =
                    srcs.iter().position(|s| s.pred == pred && self.truth[s.value].is_some());
                let Some(found) = found else { continue };
                let Some(truth) = self.truth[srcs[found].value] else { continue };
                let constant = Builder::at_end(shader, pred).bool(truth);
                if let InstKind::Phi(srcs) = &mut shader.insts[inst].kind {
                    srcs[found].value = constant;
                }
                progress = true;
            }
        }
        progress
    }
}

/// The constants at the start of a block.
#[derive(Default)]
struct Constants([Option<Value>; 2]);

impl Constants {
    fn count(&self) -> usize {
        self.0.iter().flatten().count()
    }

    fn get(&self, truth: bool) -> Option<Value> {
        self.0[usize::from(truth)]
    }

    /// Makes a constant unless there is one, after the phis.
    fn make(&mut self, shader: &mut Shader, block: Block, truth: bool) {
        if self.get(truth).is_none() {
            let insts = &shader.blocks[block].insts;
            let is_phi = |inst| matches!(shader.insts[inst].kind, InstKind::Phi(_));
            let phis = insts.iter().take_while(|&&inst| is_phi(inst)).count();
            self.0[usize::from(truth)] = Some(Builder::at(shader, block, phis).bool(truth));
        }
    }
}
