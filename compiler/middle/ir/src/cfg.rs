//! The control-flow graph under the structured tree: predecessors, successors, dominance, loop
//! depth.

use crate::ids::{Block, Inst, Node, Value};
use crate::inst::Jump;
use crate::shader::{NodeData, Shader, Step};
use cranelift_entity::SecondaryMap;
use smallvec::SmallVec;

/// Neighbors of a block, which has seldom more.
pub type Blocks = SmallVec<[Block; 4]>;

/// Control-flow graph of one shader; a snapshot that later edits of the control flow invalidate.
///
/// A block that nothing leads to (after an if both of whose branches jump, or after a loop without
/// a break) has no successors either, so phis need no sources for it.
#[derive(Clone, Debug, Default)]
pub struct Cfg {
    /// Blocks in program order, unreachable ones (after two jumping branches) included.
    pub order: Vec<Block>,
    /// Predecessors: entries first, then continues, then the end of the loop body.
    pub preds: SecondaryMap<Block, Blocks>,
    /// Successors; for an if: then, else.
    pub succs: SecondaryMap<Block, Blocks>,
    /// Number of loops around a block.
    pub loop_depth: SecondaryMap<Block, u32>,
    /// Immediate dominator; `None` for the entry and for unreachable blocks.
    pub idom: SecondaryMap<Block, Option<Block>>,
    /// The block at whose end each if node's condition is read.
    pub branch_block: SecondaryMap<Node, Option<Block>>,
    /// Header of each loop node.
    pub header: SecondaryMap<Node, Option<Block>>,
    /// Enter and leave number in the dominator tree; (0, 0) for unreachable blocks.
    interval: SecondaryMap<Block, (u32, u32)>,
}

enum Frame {
    If { entry: Vec<Block>, then_end: Vec<Block> },
    Loop { node: Node, breaks: Vec<Block>, continues: Vec<Block> },
}

impl Cfg {
    /// Builds the graph.
    pub fn new(shader: &Shader) -> Cfg {
        let mut cfg = Cfg::default();
        if let [node] = shader.body[..]
            && let NodeData::Block(block) = shader.nodes[node]
        {
            // Most shaders: the maps' defaults hold for their only block.
            cfg.order.push(block);
            cfg.interval[block] = (1, 2);
            return cfg;
        }
        cfg.resize(shader.blocks.len(), shader.nodes.len());
        cfg.connect(shader);
        cfg.dominators();
        cfg
    }

    /// Makes an entry for every block and node.
    fn resize(&mut self, blocks: usize, nodes: usize) {
        self.preds.resize(blocks);
        self.succs.resize(blocks);
        self.loop_depth.resize(blocks);
        self.idom.resize(blocks);
        self.interval.resize(blocks);
        self.branch_block.resize(nodes);
        self.header.resize(nodes);
    }

    fn connect(&mut self, shader: &Shader) {
        let mut frames: Vec<Frame> = Vec::new();
        // Blocks that fall through to the next block.
        let mut pending: Vec<Block> = Vec::new();
        let mut depth = 0;
        for step in shader.walk() {
            match step {
                Step::Block(block) => {
                    for pred in std::mem::take(&mut pending) {
                        self.edge(pred, block);
                    }
                    if let Some(Frame::Loop { node, .. }) = frames.last() {
                        self.header[*node].get_or_insert(block);
                    }
                    let reachable = self.order.is_empty() || !self.preds[block].is_empty();
                    self.order.push(block);
                    self.loop_depth[block] = depth;
                    if !reachable {
                        continue;
                    }
                    match shader.blocks[block].jump {
                        None => pending.push(block),
                        Some(Jump::Halt) => {}
                        Some(jump) => add_jump(&mut frames, block, jump),
                    }
                }
                Step::If(node) => {
                    self.branch_block[node] = pending.first().copied();
                    frames.push(Frame::If { entry: pending.clone(), then_end: Vec::new() });
                }
                Step::Else(_) => {
                    if let Some(Frame::If { entry, then_end }) = frames.last_mut() {
                        *then_end = std::mem::replace(&mut pending, std::mem::take(entry));
                    }
                }
                Step::EndIf(_) => {
                    if let Some(Frame::If { then_end, .. }) = frames.pop() {
                        pending.splice(0..0, then_end);
                    }
                }
                Step::Loop(node) => {
                    frames.push(Frame::Loop { node, breaks: Vec::new(), continues: Vec::new() });
                    depth += 1;
                }
                Step::EndLoop(_) => {
                    depth -= 1;
                    if let Some(Frame::Loop { node, breaks, continues }) = frames.pop() {
                        if let Some(header) = self.header[node] {
                            // An unreachable loop has no edges at all.
                            for latch in continues.into_iter().chain(std::mem::take(&mut pending)) {
                                self.edge(latch, header);
                            }
                        }
                        pending = breaks;
                    }
                }
            }
        }
    }

    fn edge(&mut self, from: Block, to: Block) {
        self.succs[from].push(to);
        self.preds[to].push(from);
    }

    /// Immediate dominators. Program order is a topological order of the forward edges, and the
    /// graph is reducible, so one pass over forward edges is enough.
    fn dominators(&mut self) {
        let mut position: SecondaryMap<Block, u32> = SecondaryMap::with_default(u32::MAX);
        for (i, &block) in self.order.iter().enumerate() {
            position[block] = i as u32;
        }
        let mut children: SecondaryMap<Block, Blocks> = SecondaryMap::new();
        let Some(&entry) = self.order.first() else { return };
        let mut reachable: SecondaryMap<Block, bool> = SecondaryMap::new();
        reachable[entry] = true;
        for &block in &self.order[1..] {
            let mut idom: Option<Block> = None;
            for &pred in &self.preds[block] {
                if position[pred] >= position[block] || !reachable[pred] {
                    continue;
                }
                idom = Some(match idom {
                    None => pred,
                    Some(other) => self.common_dominator(&position, other, pred),
                });
            }
            if let Some(parent) = idom {
                reachable[block] = true;
                self.idom[block] = Some(parent);
                children[parent].push(block);
            }
        }
        self.number(entry, &children);
    }

    fn common_dominator(
        &self,
        position: &SecondaryMap<Block, u32>,
        mut a: Block,
        mut b: Block,
    ) -> Block {
        while a != b {
            let later = if position[a] > position[b] { &mut a } else { &mut b };
            match self.idom[*later] {
                Some(up) => *later = up,
                None => return *later,
            }
        }
        a
    }

    fn number(&mut self, entry: Block, children: &SecondaryMap<Block, Blocks>) {
        let mut clock = 1;
        self.interval[entry].0 = clock;
        let mut stack = vec![(entry, 0)];
        while let Some((block, next)) = stack.pop() {
            clock += 1;
            match children[block].get(next) {
                Some(&child) => {
                    self.interval[child].0 = clock;
                    stack.push((block, next + 1));
                    stack.push((child, 0));
                }
                None => self.interval[block].1 = clock,
            }
        }
    }

    /// A path from the entry leads to the block.
    pub fn is_reachable(&self, block: Block) -> bool {
        self.interval[block].0 != 0
    }

    /// Every path from the entry to `b` goes through `a` (so `a` dominates itself). Everything
    /// dominates an unreachable block.
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        if !self.is_reachable(b) {
            return true;
        }
        let (a, b) = (self.interval[a], self.interval[b]);
        a.0 != 0 && a.0 <= b.0 && b.1 <= a.1
    }
}

fn add_jump(frames: &mut [Frame], block: Block, jump: Jump) {
    for frame in frames.iter_mut().rev() {
        if let Frame::Loop { breaks, continues, .. } = frame {
            if jump == Jump::Break {
                breaks.push(block)
            } else {
                continues.push(block)
            }
            return;
        }
    }
}

/// Where each instruction in a reachable list sits.
pub fn positions(shader: &Shader) -> SecondaryMap<Inst, Option<(Block, u32)>> {
    let mut map = SecondaryMap::new();
    map.resize(shader.insts.len());
    for block in shader.block_order() {
        for (i, &inst) in shader.blocks[block].insts.iter().enumerate() {
            map[inst] = Some((block, i as u32));
        }
    }
    map
}

/// Number of uses of each value, conditions of ifs included.
pub fn use_counts(shader: &Shader) -> SecondaryMap<Value, u32> {
    let mut uses: SecondaryMap<Value, u32> = SecondaryMap::new();
    uses.resize(shader.values.len());
    for step in shader.walk() {
        match step {
            Step::Block(block) => {
                for &inst in &shader.blocks[block].insts {
                    shader.insts[inst].kind.for_each_src(|v| uses[v] += 1);
                }
            }
            Step::If(node) => {
                if let Some(cond) = shader.condition(node) {
                    uses[cond] += 1;
                }
            }
            _ => {}
        }
    }
    uses
}
