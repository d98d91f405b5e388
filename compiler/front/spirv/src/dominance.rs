//! Dominance of the blocks of a function.

use rustc_hash::FxHashMap;

use crate::module::{Function, Instruction, Module};

/// Immediate dominators by position in reverse postorder (Cooper, Harvey and Kennedy's algorithm).
pub(crate) struct Dominance {
    /// Positions of the blocks that the first one reaches.
    position: FxHashMap<u32, usize>,
    /// First and last number of the blocks that each block dominates, in the tree's preorder.
    spans: Vec<(usize, usize)>,
    /// Labels, in the order of positions.
    labels: Vec<u32>,
    /// Positions of the blocks from which branches lead to each block.
    before: Vec<Vec<usize>>,
    /// Positions of the blocks whose immediate dominator each block is.
    children: Vec<Vec<usize>>,
}

impl Dominance {
    pub(crate) fn new(module: &Module, function: &Function) -> Dominance {
        let targets: FxHashMap<u32, Vec<u32>> = function
            .blocks
            .iter()
            .map(|block| {
                let last = module.instructions[block.body.clone()].last();
                (block.label, last.map_or(Vec::new(), Instruction::targets))
            })
            .collect();
        let order =
            reverse_postorder(function.blocks.first().map_or(0, |block| block.label), &targets);
        let position: FxHashMap<u32, usize> =
            order.iter().enumerate().map(|(index, &label)| (label, index)).collect();
        let mut before = vec![Vec::new(); order.len()];
        for (index, label) in order.iter().enumerate() {
            for target in targets.get(label).into_iter().flatten() {
                if let Some(&to) = position.get(target) {
                    before[to].push(index);
                }
            }
        }
        let mut parent = vec![usize::MAX; order.len()];
        if let Some(first) = parent.first_mut() {
            *first = 0;
        }
        let mut changes = true;
        while changes {
            changes = false;
            for block in 1..order.len() {
                let known = before[block].iter().copied().filter(|&p| parent[p] != usize::MAX);
                let Some(new) = known.reduce(|a, b| common(&parent, a, b)) else { continue };
                changes |= parent[block] != new;
                parent[block] = new;
            }
        }
        let mut children = vec![Vec::new(); order.len()];
        for (block, &above) in parent.iter().enumerate().skip(1) {
            if let Some(list) = children.get_mut(above) {
                list.push(block);
            }
        }
        Dominance { position, spans: spans(&children), labels: order, before, children }
    }

    /// True if the first block of the function reaches a block.
    pub(crate) fn is_reached(&self, label: u32) -> bool {
        self.position.contains_key(&label)
    }

    /// True if each way to `b` goes through `a`; a block dominates itself.
    pub(crate) fn dominates(&self, a: u32, b: u32) -> bool {
        let span = |label| self.position.get(&label).map(|&block| self.spans[block]);
        match (span(a), span(b)) {
            (Some((first, last)), Some((number, _))) => (first..=last).contains(&number),
            _ => false,
        }
    }

    /// The blocks whose immediate dominator is `header`, each before those that it leads to.
    pub(crate) fn children(&self, header: u32) -> impl Iterator<Item = u32> {
        self.labels_in(&self.children, header)
    }

    /// The blocks from which branches lead to a block.
    pub(crate) fn before(&self, label: u32) -> impl Iterator<Item = u32> {
        self.labels_in(&self.before, label)
    }

    /// The blocks in the list of a block.
    fn labels_in(&self, lists: &[Vec<usize>], label: u32) -> impl Iterator<Item = u32> {
        let blocks = self.position.get(&label).map_or(&[][..], |&block| lists[block].as_slice());
        blocks.iter().map(|&block| self.labels[block])
    }
}

/// Spans of the blocks in the preorder of the tree of dominators.
fn spans(children: &[Vec<usize>]) -> Vec<(usize, usize)> {
    let (mut spans, mut next) = (vec![(0, 0); children.len()], 0);
    let mut open = vec![(0, 0)];
    while let Some((block, child)) = open.last_mut() {
        let Some(span) = spans.get_mut(*block) else { break };
        if *child == 0 {
            span.0 = next;
            next += 1;
        }
        match children[*block].get(*child) {
            Some(&below) => {
                *child += 1;
                open.push((below, 0));
            }
            None => {
                span.1 = next - 1;
                open.pop();
            }
        }
    }
    spans
}

fn common(parent: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        if a > b {
            a = parent[a];
        } else {
            b = parent[b];
        }
    }
    a
}

fn reverse_postorder(first: u32, targets: &FxHashMap<u32, Vec<u32>>) -> Vec<u32> {
    let mut order = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    let mut open = vec![(first, 0)];
    seen.insert(first);
    while let Some((label, next)) = open.last_mut() {
        let target = targets.get(label).and_then(|list| list.get(*next)).copied();
        *next += 1;
        match target {
            Some(target) => {
                if seen.insert(target) {
                    open.push((target, 0));
                }
            }
            None => {
                order.push(*label);
                open.pop();
            }
        }
    }
    order.reverse();
    order
}
