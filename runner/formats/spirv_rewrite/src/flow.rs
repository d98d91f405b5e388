//! Control flow of a function: predecessors, dominators, constructs.

use std::collections::BTreeMap;

use rspirv::dr::{Function, Instruction, Operand};
use rspirv::spirv::Op;

/// Blocks of a function by their numbers, with the edges between them.
#[derive(Clone, Debug)]
pub(crate) struct Flow {
    numbers: BTreeMap<u32, usize>,
    labels: Vec<u32>,
    pub(crate) next: Vec<Vec<usize>>,
    before: Vec<Vec<usize>>,
    /// Immediate dominators; the first block and unreachable ones have none.
    idom: Vec<Option<usize>>,
    is_reachable: Vec<bool>,
    pub(crate) loops: Vec<Loop>,
    /// Headers with their merge blocks.
    pub(crate) merges: Vec<(usize, usize)>,
    /// Blocks and positions of the instructions that make results.
    makers: BTreeMap<u32, (usize, usize)>,
}

/// A loop: numbers of its blocks with a part of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Loop {
    pub(crate) header: usize,
    pub(crate) merge: usize,
    pub(crate) target: usize,
}

/// The labels to which a terminator may go, each once.
pub(crate) fn targets(terminator: &Instruction) -> Vec<u32> {
    let skipped = match terminator.class.opcode {
        Op::Branch => 0,
        Op::BranchConditional | Op::Switch => 1,
        _ => return Vec::new(),
    };
    let mut all: Vec<u32> =
        terminator.operands.iter().skip(skipped).filter_map(Operand::id_ref_any).collect();
    all.sort_unstable();
    all.dedup();
    all
}

impl Flow {
    pub(crate) fn new(function: &Function) -> Flow {
        let labels: Vec<u32> =
            function.blocks.iter().map(|block| block.label_id().unwrap_or(0)).collect();
        let numbers: BTreeMap<u32, usize> =
            labels.iter().enumerate().map(|(number, label)| (*label, number)).collect();
        let number = |label: u32| numbers.get(&label).copied();
        let next: Vec<Vec<usize>> = function
            .blocks
            .iter()
            .map(|block| {
                let ends = block.instructions.last().map(targets).unwrap_or_default();
                ends.into_iter().filter_map(number).collect()
            })
            .collect();
        let mut before = vec![Vec::new(); labels.len()];
        for (from, to) in next.iter().enumerate() {
            to.iter().for_each(|&to| before[to].push(from));
        }
        let loops = function.blocks.iter().enumerate().filter_map(|(header, block)| {
            let merge = block.instructions.iter().rev().nth(1)?;
            let label = |index: usize| number(merge.operands.get(index)?.id_ref_any()?);
            let is_loop = merge.class.opcode == Op::LoopMerge;
            is_loop.then_some(Loop { header, merge: label(0)?, target: label(1)? })
        });
        let loops = loops.collect();
        let merges = function.blocks.iter().enumerate().filter_map(|(header, block)| {
            let merge = block.instructions.iter().rev().nth(1)?;
            let is_merge = matches!(merge.class.opcode, Op::SelectionMerge | Op::LoopMerge);
            let label = merge.operands.first().filter(|_| is_merge)?.id_ref_any()?;
            Some((header, number(label)?))
        });
        let merges = merges.collect();
        let mut makers = BTreeMap::new();
        for (number, block) in function.blocks.iter().enumerate() {
            let results = block.instructions.iter().zip(0..);
            makers.extend(results.filter_map(|(i, at)| Some((i.result_id?, (number, at)))));
        }
        let mut flow = Flow {
            idom: vec![None; labels.len()],
            is_reachable: vec![false; labels.len()],
            numbers,
            labels,
            next,
            before,
            loops,
            merges,
            makers,
        };
        flow.find_dominators();
        flow
    }

    /// Immediate dominators by the iteration of Cooper, Harvey and Kennedy.
    fn find_dominators(&mut self) {
        let order = self.postorder();
        let mut rank = vec![0; self.labels.len()];
        for (position, &block) in order.iter().enumerate() {
            rank[block] = position;
            self.is_reachable[block] = true;
        }
        let mut is_changed = !order.is_empty();
        while is_changed {
            is_changed = false;
            for &block in order.iter().rev().skip(1) {
                let known = |from: &&usize| **from == 0 || self.idom[**from].is_some();
                let mut candidates = self.before[block].iter().filter(known).copied();
                let Some(first) = candidates.next() else { continue };
                let joined = candidates.fold(first, |a, b| self.common(a, b, &rank));
                if self.idom[block] != Some(joined) {
                    self.idom[block] = Some(joined);
                    is_changed = true;
                }
            }
        }
    }

    fn common(&self, mut a: usize, mut b: usize, rank: &[usize]) -> usize {
        while a != b {
            let lower = if rank[a] < rank[b] { &mut a } else { &mut b };
            *lower = self.idom[*lower].unwrap_or(0);
        }
        a
    }

    /// Reachable blocks, each after those to which it goes, as far as there is no loop.
    fn postorder(&self) -> Vec<usize> {
        let mut order = Vec::new();
        let mut is_seen = vec![false; self.labels.len()];
        let mut stack = Vec::new();
        if !self.labels.is_empty() {
            is_seen[0] = true;
            stack.push((0, 0));
        }
        while let Some((block, edge)) = stack.pop() {
            let Some(&to) = self.next[block].get(edge) else {
                order.push(block);
                continue;
            };
            stack.push((block, edge + 1));
            if !std::mem::replace(&mut is_seen[to], true) {
                stack.push((to, 0));
            }
        }
        order
    }

    /// Block and position of the instruction that makes a result.
    pub(crate) fn maker(&self, id: u32) -> Option<(usize, usize)> {
        self.makers.get(&id).copied()
    }

    pub(crate) fn number(&self, label: u32) -> Option<usize> {
        self.numbers.get(&label).copied()
    }

    pub(crate) fn label(&self, block: usize) -> u32 {
        self.labels[block]
    }

    pub(crate) fn is_reachable(&self, block: usize) -> bool {
        self.is_reachable[block]
    }

    /// True if every way to `block` passes `above`, or they are the same.
    pub(crate) fn dominates(&self, above: usize, block: usize) -> bool {
        let mut at = Some(block);
        while let Some(block) = at {
            if block == above {
                return true;
            }
            at = self.idom[block];
        }
        false
    }

    pub(crate) fn is_loop_header(&self, block: usize) -> bool {
        self.loops.iter().any(|of| of.header == block)
    }

    /// True if a block is in the continue construct of a loop.
    pub(crate) fn is_in_step(&self, block: usize) -> bool {
        self.loops
            .iter()
            .any(|of| self.dominates(of.target, block) && !self.dominates(of.merge, block))
    }

    /// The innermost loop in whose body a block is.
    pub(crate) fn innermost_loop(&self, block: usize) -> Option<Loop> {
        let inside =
            |of: &&Loop| self.dominates(of.header, block) && !self.dominates(of.merge, block);
        let all = self.loops.iter().filter(inside);
        all.copied().reduce(|a, b| if self.dominates(a.header, b.header) { b } else { a })
    }
}
