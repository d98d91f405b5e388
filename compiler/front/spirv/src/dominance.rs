//! Dominance of the blocks of a function.

use rspirv::spirv::Op;
use rustc_hash::FxHashMap;

use crate::module::{Function, Instruction, LabeledBlock, Module};

/// Immediate dominators by position in reverse postorder.
pub(crate) struct Dominance {
    /// Positions of the blocks that the first one reaches.
    position: FxHashMap<u32, usize>,
    /// First and last number of the blocks that each block dominates, in the tree's preorder.
    spans: Vec<(usize, usize)>,
    /// Labels, in the order of positions.
    labels: Vec<u32>,
    /// Positions of the blocks from which branches lead to each block.
    before: Vec<Vec<usize>>,
    /// Positions of the immediate dominators; the first block is its own.
    parent: Vec<usize>,
    /// Positions of the blocks whose immediate dominator each block is.
    children: Vec<Vec<usize>>,
}

impl Dominance {
    /// Dominance on the ways of branches.
    pub(crate) fn new(module: &Module, function: &Function) -> Dominance {
        Dominance::along(function, |block| branches(module, block))
    }

    /// Structural dominance: headers lead to their merge blocks and continue targets, too.
    pub(crate) fn structural(module: &Module, function: &Function) -> Dominance {
        Dominance::along(function, |block| {
            let mut targets = branches(module, block);
            for i in &module.instructions[block.body.clone()] {
                match i.op {
                    Op::SelectionMerge => targets.extend(i.id_at(0)),
                    Op::LoopMerge => targets.extend(i.ids_from(0).take(2)),
                    _ => {}
                }
            }
            targets
        })
    }

    fn along(function: &Function, targets: impl Fn(&LabeledBlock) -> Vec<u32>) -> Dominance {
        let targets: FxHashMap<u32, Vec<u32>> =
            function.blocks.iter().map(|block| (block.label, targets(block))).collect();
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
        let parent = immediate_dominators(&before);
        let mut children = vec![Vec::new(); order.len()];
        for (block, &above) in parent.iter().enumerate().skip(1) {
            if let Some(list) = children.get_mut(above) {
                list.push(block);
            }
        }
        Dominance { position, spans: spans(&children), labels: order, before, parent, children }
    }

    /// The blocks that the first one reaches, each behind its dominators.
    pub(crate) fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// The immediate dominator of a block; `None` for the first one.
    pub(crate) fn parent(&self, label: u32) -> Option<u32> {
        let &block = self.position.get(&label)?;
        (block != 0).then(|| self.labels[self.parent[block]])
    }

    /// True if a branch between reached blocks closes a cycle.
    pub(crate) fn is_back(&self, from: u32, to: u32) -> bool {
        self.position.get(&to) <= self.position.get(&from)
    }

    /// The child of a block in the tree of dominators that dominates a block.
    pub(crate) fn child_towards(&self, header: u32, label: u32) -> Option<u32> {
        let (&header, &block) = (self.position.get(&header)?, self.position.get(&label)?);
        let number = self.spans[block].0;
        let children = &self.children[header];
        let after = children.partition_point(|&child| self.spans[child].0 <= number);
        let child = *children.get(after.checked_sub(1)?)?;
        (number <= self.spans[child].1).then(|| self.labels[child])
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

/// The targets of the branch that ends a block.
fn branches(module: &Module, block: &LabeledBlock) -> Vec<u32> {
    module.instructions[block.body.clone()].last().map_or(Vec::new(), Instruction::targets)
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

/// The immediate dominator of each block, from the blocks before each; the first one is its own.
/// Near linear (Georgiadis's Semi-NCA).
fn immediate_dominators(before: &[Vec<usize>]) -> Vec<usize> {
    let tree = Tree::new(before);
    let count = tree.blocks.len();
    let (mut above, mut label) = (tree.parent.clone(), (0..count).collect::<Vec<_>>());
    let mut semi: Vec<usize> = (0..count).collect();
    for number in (1..count).rev() {
        let mut least = tree.parent[number];
        for &block in &before[tree.blocks[number]] {
            let from = tree.numbers[block];
            let best = least_above(from, number + 1, &mut above, &mut label, &semi);
            least = least.min(semi[best]);
        }
        semi[number] = least;
    }
    let mut dominator = tree.parent.clone();
    for number in 1..count {
        let mut above = dominator[number];
        while above > semi[number] {
            above = dominator[above];
        }
        dominator[number] = above;
    }
    let mut result = vec![0; count];
    for (number, &block) in tree.blocks.iter().enumerate() {
        result[block] = tree.blocks[dominator[number]];
    }
    result
}

/// The number of least semidominator on the way up from a number to those before `linked`. The
/// ways become shorter.
fn least_above(
    from: usize,
    linked: usize,
    above: &mut [usize],
    label: &mut [usize],
    semi: &[usize],
) -> usize {
    let (mut way, mut top) = (Vec::new(), from);
    while above[top] >= linked {
        way.push(top);
        top = above[top];
    }
    while let Some(number) = way.pop() {
        above[number] = above[top];
        if semi[label[top]] < semi[label[number]] {
            label[number] = label[top];
        }
        top = number;
    }
    label[from]
}

/// A tree of depth-first search, by numbers in its preorder.
struct Tree {
    blocks: Vec<usize>,
    numbers: Vec<usize>,
    /// Numbers of the blocks above.
    parent: Vec<usize>,
}

impl Tree {
    fn new(before: &[Vec<usize>]) -> Tree {
        let mut after = vec![Vec::new(); before.len()];
        for (block, list) in before.iter().enumerate() {
            for &from in list {
                after[from].push(block);
            }
        }
        let mut tree = Tree {
            blocks: Vec::new(),
            numbers: vec![usize::MAX; before.len()],
            parent: Vec::new(),
        };
        let mut open = if before.is_empty() { Vec::new() } else { vec![(0, 0)] };
        while let Some((block, parent)) = open.pop() {
            if tree.numbers[block] != usize::MAX {
                continue;
            }
            let number = tree.blocks.len();
            tree.numbers[block] = number;
            tree.blocks.push(block);
            tree.parent.push(parent);
            open.extend(after[block].iter().map(|&next| (next, number)));
        }
        tree
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The blocks that the first one reaches without going through another.
    fn reached(after: &[Vec<usize>], without: usize) -> Vec<bool> {
        let mut seen = vec![false; after.len()];
        let mut open = vec![0];
        while let Some(block) = open.pop() {
            if block != without && !std::mem::replace(&mut seen[block], true) {
                open.extend(&after[block]);
            }
        }
        seen
    }

    #[test]
    fn dominators_are_on_all_ways() {
        let mut state = 1_u64;
        let mut random = |count: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888);
            (state >> 33) as usize % count
        };
        for _ in 0..300 {
            let count = 2 + random(12);
            // A way to each block, and others in any direction.
            let mut edges: Vec<(usize, usize)> = (1..count).map(|to| (random(to), to)).collect();
            edges.extend((0..random(2 * count)).map(|_| (random(count), 1 + random(count - 1))));
            let (mut before, mut after) = (vec![Vec::new(); count], vec![Vec::new(); count]);
            for (from, to) in edges {
                before[to].push(from);
                after[from].push(to);
            }
            let parent = immediate_dominators(&before);
            for block in 1..count {
                let mut chain = vec![0];
                let mut above = parent[block];
                while above != 0 {
                    chain.push(above);
                    above = parent[above];
                }
                chain.sort_unstable();
                let is_needed = |other: &usize| {
                    *other != block && (*other == 0 || !reached(&after, *other)[block])
                };
                let expected: Vec<usize> = (0..count).filter(is_needed).collect();
                assert_eq!(chain, expected, "of {block} in {after:?}");
            }
        }
    }
}
