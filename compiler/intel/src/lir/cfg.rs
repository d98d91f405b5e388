//! Basic blocks of a flat program.

use super::{Op, Program};
use smallvec::SmallVec;

/// A basic block: instructions `start..end`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BasicBlock {
    /// First instruction.
    pub start: usize,
    /// One past the last instruction.
    pub end: usize,
    /// Blocks that channels of this block may continue in (per channel).
    pub succs: SmallVec<[usize; 2]>,
    /// Blocks that the thread may execute next (a superset: the other arm runs after this one, a
    /// BREAK that some channels do not take falls through).
    pub physical_succs: SmallVec<[usize; 3]>,
    /// Inverse of `succs`.
    pub preds: SmallVec<[usize; 2]>,
    /// Number of enclosing loops.
    pub loop_depth: u32,
}

/// A loop: instruction indices of its `Do` and `While`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Index of the `Do`.
    pub start: usize,
    /// Index of the `While`.
    pub end: usize,
}

/// Control-flow graph of a program.
#[derive(Clone, Debug, Default)]
pub struct Cfg {
    /// Blocks in program order.
    pub blocks: Vec<BasicBlock>,
    /// Block of each instruction.
    pub block_of: Vec<usize>,
    /// All loops, inner ones after the loop that encloses them.
    pub loops: Vec<Loop>,
}

/// Indices of the markers that belong to one construct.
#[derive(Clone, Copy, Default)]
struct Construct {
    other: Option<usize>,
    end: usize,
}

impl Cfg {
    /// Builds the graph. Unbalanced markers yield a graph in which they fall through.
    #[must_use]
    pub fn new(program: &Program) -> Cfg {
        let insts = &program.insts;
        let n = insts.len();
        if !insts.iter().any(|inst| inst.op.starts_block() || inst.op.ends_block()) {
            let block = BasicBlock { start: 0, end: n, ..BasicBlock::default() };
            return Cfg { blocks: vec![block], block_of: vec![0; n], loops: Vec::new() };
        }
        let (constructs, enclosing_loop, loops, depth) = match_markers(program);

        let mut blocks: Vec<BasicBlock> = Vec::new();
        let mut block_of = vec![0; n];
        let mut start = 0;
        for (i, inst) in insts.iter().enumerate() {
            if i > start && inst.op.starts_block() {
                blocks.push(BasicBlock { start, end: i, ..BasicBlock::default() });
                start = i;
            }
            if inst.op.ends_block() {
                blocks.push(BasicBlock { start, end: i + 1, ..BasicBlock::default() });
                start = i + 1;
            }
        }
        // The last block also exists when the program is empty or ends in a jump: targets need a
        // home.
        blocks.push(BasicBlock { start, end: n, ..BasicBlock::default() });
        for (b, block) in blocks.iter().enumerate() {
            block_of[block.start..block.end].fill(b);
        }
        let at = |i: usize| if i < n { block_of[i] } else { blocks.len() - 1 };

        let halt_target = insts.iter().position(|i| i.op == Op::HaltTarget).unwrap_or(n);
        let mut edges: Vec<(usize, usize, bool)> = Vec::new();
        for (b, block) in blocks.iter().enumerate() {
            if b + 1 == blocks.len() {
                continue;
            }
            let last = block.end - 1;
            let inst = &insts[last];
            // An unpredicated jump leaves no channel for the next block, but arms of other channels
            // follow.
            let falls = inst.predicate.is_some();
            match inst.op {
                Op::If => {
                    edges.push((b, b + 1, true));
                    let skip = constructs[last].other.map_or(constructs[last].end, |e| e + 1);
                    edges.push((b, at(skip), true));
                }
                Op::Else => {
                    edges.push((b, at(constructs[last].end), true));
                    edges.push((b, b + 1, false));
                }
                Op::While => {
                    if let Some(l) = loops.iter().find(|l| l.end == last) {
                        edges.push((b, at(l.start), true));
                    }
                    edges.push((b, b + 1, falls));
                }
                Op::Break | Op::Continue => {
                    if let Some(l) = enclosing_loop[last].map(|l| loops[l]) {
                        let target = if inst.op == Op::Break { l.end + 1 } else { l.end };
                        edges.push((b, at(target), true));
                    }
                    edges.push((b, b + 1, falls));
                }
                Op::Halt => {
                    edges.push((b, at(halt_target), true));
                    edges.push((b, b + 1, falls));
                }
                _ => edges.push((b, b + 1, true)),
            }
        }
        for (from, to, logical) in edges {
            if !blocks[from].physical_succs.contains(&to) {
                blocks[from].physical_succs.push(to);
            }
            if logical && !blocks[from].succs.contains(&to) {
                blocks[from].succs.push(to);
                blocks[to].preds.push(from);
            }
        }
        for block in &mut blocks {
            block.loop_depth = depth.get(block.start).copied().unwrap_or(0);
        }
        Cfg { blocks, block_of, loops }
    }

    /// Returns for each block whether a channel may reach it.
    #[must_use]
    pub fn reachable(&self) -> Vec<bool> {
        let mut reachable = vec![false; self.blocks.len()];
        let mut stack = vec![0];
        while let Some(b) = stack.pop() {
            if !std::mem::replace(&mut reachable[b], true) {
                stack.extend(&self.blocks[b].succs);
            }
        }
        reachable
    }

    /// Index of the `While` of the outermost loop around instruction `index`, if it is inside a
    /// loop.
    #[must_use]
    pub fn outermost_loop_end(&self, index: usize) -> Option<usize> {
        // Loops are sorted by their start, so the first that contains the instruction is the
        // outermost.
        self.loops.iter().find(|l| l.start <= index && index <= l.end).map(|l| l.end)
    }
}

type Matched = (Vec<Construct>, Vec<Option<usize>>, Vec<Loop>, Vec<u32>);

/// Matches `If`/`Else`/`Endif` and `Do`/`While`; gives per instruction its construct, innermost
/// loop and depth.
fn match_markers(program: &Program) -> Matched {
    let n = program.insts.len();
    let mut constructs = vec![Construct { other: None, end: n }; n];
    let mut enclosing = vec![None; n];
    let mut loops: Vec<Loop> = Vec::new();
    let mut depth = vec![0; n];
    let mut if_stack: Vec<(usize, Option<usize>)> = Vec::new();
    let mut loop_stack: Vec<usize> = Vec::new();
    for (i, inst) in program.insts.iter().enumerate() {
        if inst.op == Op::Do {
            loop_stack.push(loops.len());
            loops.push(Loop { start: i, end: n });
        }
        enclosing[i] = loop_stack.last().copied();
        depth[i] = loop_stack.len() as u32;
        match inst.op {
            Op::If => if_stack.push((i, None)),
            Op::Else => {
                if let Some(top) = if_stack.last_mut() {
                    top.1 = Some(i);
                }
            }
            Op::Endif => {
                if let Some((start, other)) = if_stack.pop() {
                    constructs[start] = Construct { other, end: i };
                    if let Some(other) = other {
                        constructs[other] = Construct { other: None, end: i };
                    }
                }
            }
            Op::While => {
                if let Some(l) = loop_stack.pop() {
                    loops[l].end = i;
                }
            }
            _ => {}
        }
    }
    (constructs, enclosing, loops, depth)
}
