//! Interference graph of virtual registers and its coloring with runs of GRFs.
//!
//! A node of size s may start at any GRF p whose run p … p+s−1 it is allowed; a neighbor of size m
//! blocks at most s+m−1 of these positions. A node whose neighbors together block fewer positions
//! than it has can always be colored last (the generalized degree test); otherwise coloring is
//! tried optimistically.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::lir::{File, Inst, Op, Program, VReg};
use crate::liveness::{Interval, Liveness};
use crate::pattern::{regs_read, regs_written};
use cranelift_entity::EntityRef;
use rustc_hash::FxHashSet;

/// Number of general registers.
pub const GRF_COUNT: u32 = 128;
/// First register that the payload of a thread-ending message may use.
const EOT_FIRST: u32 = 112;

/// One virtual register as a node.
#[derive(Clone, Debug)]
struct Node {
    /// GRFs.
    size: u32,
    /// GRFs the node must not use (payload still needed, or outside its range), one bit per GRF.
    forbidden: u128,
    /// Hard conflicts.
    neighbors: Vec<u32>,
    /// Conflicts unless both start at the same GRF.
    aligned: Vec<u32>,
    /// Never touched: needs no register.
    unused: bool,
    /// Must be colored before everything else.
    first: bool,
}

/// The interference graph.
#[derive(Clone, Debug)]
pub struct Graph {
    nodes: Vec<Node>,
    /// Live interval of each node: nodes whose intervals overlap are connected.
    intervals: Vec<Interval>,
    /// Pairs that are connected by rules inside one instruction, the smaller index first.
    constrained: FxHashSet<(u32, u32)>,
}

/// Mask of `size` registers from `start`; those past the file's end are left out.
pub(crate) fn run(start: u32, size: u32) -> u128 {
    let ones = if size >= 128 { u128::MAX } else { (1u128 << size) - 1 };
    ones.checked_shl(start).unwrap_or(0)
}

/// Bit p is set if the run of `size` registers from p is inside the file and avoids `taken`.
fn free_starts(taken: u128, size: u32) -> u128 {
    let mut free = !taken;
    // Doubling: after each step bit p tells that the run of `have` registers from p is free.
    let mut have = 1;
    while have < size {
        let step = have.min(size - have);
        free &= free >> step;
        have += step;
    }
    if size > 1 {
        free &= u128::MAX >> (size - 1);
    }
    free
}

impl Graph {
    /// Builds the graph from live intervals.
    #[must_use]
    pub fn new(program: &Program, liveness: &Liveness) -> Graph {
        let n = program.vregs.len();
        let mut graph = Graph {
            nodes: Vec::with_capacity(n),
            intervals: program.vregs.keys().map(|v| liveness.interval(v)).collect(),
            constrained: FxHashSet::default(),
        };
        for (v, data) in program.vregs.iter() {
            let interval = liveness.interval(v);
            graph.nodes.push(Node {
                size: u32::from(data.regs),
                forbidden: payload_conflicts(liveness, interval),
                neighbors: Vec::with_capacity(16),
                aligned: Vec::new(),
                unused: interval.is_empty(),
                first: false,
            });
        }
        graph.connect_overlapping();
        for inst in &program.insts {
            graph.constrain(inst);
        }
        graph
    }

    /// Keeps responses out of r127: where one overlaps its message's payload there, gen8 corrupts
    /// it (`gen8-r127`).
    pub fn keep_responses_below_r127(&mut self, program: &Program) {
        for inst in program.insts.iter().filter(|inst| inst.message.is_some_and(|m| m.rlen > 0)) {
            if let Some(v) = inst.dst.vreg() {
                self.nodes[v.index()].forbidden |= run(GRF_COUNT - 1, 1);
            }
        }
    }

    /// Connects nodes whose intervals overlap: each pair once.
    fn connect_overlapping(&mut self) {
        let intervals = &self.intervals;
        let mut order: Vec<u32> =
            (0..intervals.len() as u32).filter(|&n| !intervals[n as usize].is_empty()).collect();
        order.sort_by_key(|&n| (intervals[n as usize].start, n));
        let mut active: Vec<u32> = Vec::new();
        for n in order {
            let interval = intervals[n as usize];
            active.retain(|&a| {
                let active = intervals[a as usize];
                active.end > interval.start || active.start == interval.start
            });
            for &a in &active {
                if intervals[a as usize].overlaps(&interval) {
                    self.nodes[a as usize].neighbors.push(n);
                    self.nodes[n as usize].neighbors.push(a);
                }
            }
            active.push(n);
        }
    }

    /// Rules inside one instruction.
    fn constrain(&mut self, inst: &Inst) {
        if let Some(message) = &inst.message {
            if message.eot {
                for src in &inst.src {
                    if let Some(v) = src.vreg() {
                        self.nodes[v.index()].forbidden |= run(0, EOT_FIRST);
                        self.nodes[v.index()].first = true;
                    }
                }
            }
            return;
        }
        let Some(dst) = inst.dst.vreg() else { return };
        let written = regs_written(inst);
        for (index, src) in inst.src.iter().enumerate() {
            let Some(v) = src.vreg() else { continue };
            if v == dst || (written <= 1 && regs_read(inst, index) <= 1) {
                continue;
            }
            // Two halves execute one after the other: the first must not overwrite what the second
            // reads.
            let same_layout = src.offset == inst.dst.offset
                && src.stride().map(|s| u32::from(s) * src.ty.size())
                    == inst.dst.stride().map(|s| u32::from(s) * inst.dst.ty.size())
                && !src.is_scalar()
                && !matches!(inst.op, Op::Pln)
                && !inst.align16;
            let pair = (dst.index(), v.index());
            if same_layout {
                self.align(pair.0, pair.1);
            } else {
                self.connect(pair.0, pair.1);
            }
        }
    }

    fn are_connected(&self, a: usize, b: usize) -> bool {
        self.intervals[a].overlaps(&self.intervals[b]) || self.constrained.contains(&pair(a, b))
    }

    /// Makes `a` and `b`, whose intervals may be disjoint, interfere.
    fn connect(&mut self, a: usize, b: usize) {
        if a == b || self.are_connected(a, b) {
            return;
        }
        self.constrained.insert(pair(a, b));
        self.nodes[a].neighbors.push(b as u32);
        self.nodes[b].neighbors.push(a as u32);
    }

    fn align(&mut self, a: usize, b: usize) {
        if !self.are_connected(a, b) && !self.nodes[a].aligned.contains(&(b as u32)) {
            self.nodes[a].aligned.push(b as u32);
            self.nodes[b].aligned.push(a as u32);
        }
    }

    /// Neighbors that block positions of node `n`.
    fn blockers(&self, n: usize) -> impl Iterator<Item = usize> + '_ {
        let node = &self.nodes[n];
        node.neighbors.iter().chain(&node.aligned).map(|&m| m as usize)
    }

    /// Number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Has no nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Number of neighbors, weighted by how many positions each blocks: how much spilling the node
    /// helps.
    #[must_use]
    pub fn pressure(&self, v: VReg) -> u32 {
        let Some(size) = self.nodes.get(v.index()).map(|node| node.size) else { return 0 };
        self.blockers(v.index()).map(|m| self.nodes[m].size + size - 1).sum()
    }

    /// First GRF of each virtual register (`None` for unused ones), or the nodes that found no
    /// place.
    ///
    /// # Errors
    /// The virtual registers without a place, in the order in which they were tried.
    pub fn color(&self) -> Result<Vec<Option<u8>>, Vec<VReg>> {
        let stack = self.simplify();
        let mut start: Vec<Option<u8>> = vec![None; self.nodes.len()];
        let mut failed = Vec::new();
        for n in stack.into_iter().rev() {
            match self.place(n, &start) {
                Some(p) => start[n] = Some(p),
                None => failed.push(VReg::new(n)),
            }
        }
        if failed.is_empty() { Ok(start) } else { Err(failed) }
    }

    /// Order of removal: the last removed is colored first.
    fn simplify(&self) -> Vec<usize> {
        let n = self.nodes.len();
        let positions: Vec<u32> = self
            .nodes
            .iter()
            .map(|node| free_starts(node.forbidden, node.size).count_ones())
            .collect();
        let mut blocked: Vec<u32> = (0..n)
            .map(|i| self.blockers(i).map(|m| self.nodes[m].size + self.nodes[i].size - 1).sum())
            .collect();
        let mut removed: Vec<bool> =
            self.nodes.iter().map(|node| node.unused || node.first).collect();
        let mut stack = Vec::with_capacity(n);
        let mut ready: Vec<usize> =
            (0..n).rev().filter(|&i| !removed[i] && blocked[i] < positions[i]).collect();
        let mut remaining = removed.iter().filter(|r| !**r).count();
        let mut queued = vec![false; n];
        ready.iter().for_each(|&i| queued[i] = true);
        // Optimistic: when no node is ready, the one that is least short of positions goes next.
        // Filled when first needed; a node is in it once for every shortage it had, the least of
        // which comes first.
        let mut short: Option<BinaryHeap<Reverse<(u32, usize)>>> = None;
        while remaining > 0 {
            let next = ready.pop().or_else(|| {
                let shortage = |i: usize| Reverse((blocked[i].saturating_sub(positions[i]), i));
                let waiting = || (0..n).filter(|&i| !removed[i]).map(shortage).collect();
                short.get_or_insert_with(waiting).pop().map(|Reverse((_, i))| i)
            });
            let Some(i) = next else { break };
            if removed[i] {
                continue;
            }
            removed[i] = true;
            remaining -= 1;
            stack.push(i);
            let size = self.nodes[i].size;
            for m in self.blockers(i) {
                if !removed[m] {
                    blocked[m] = blocked[m].saturating_sub(size + self.nodes[m].size - 1);
                    if !queued[m] && blocked[m] < positions[m] {
                        queued[m] = true;
                        ready.push(m);
                    } else if let Some(short) = &mut short {
                        short.push(Reverse((blocked[m].saturating_sub(positions[m]), m)));
                    }
                }
            }
        }
        stack.extend((0..n).filter(|&i| self.nodes[i].first && !self.nodes[i].unused));
        stack
    }

    fn place(&self, n: usize, start: &[Option<u8>]) -> Option<u8> {
        let node = &self.nodes[n];
        let mut taken = node.forbidden;
        for &m in &node.neighbors {
            if let Some(p) = start[m as usize] {
                taken |= run(u32::from(p), self.nodes[m as usize].size);
            }
        }
        let mut starts = free_starts(taken, node.size);
        for &m in &node.aligned {
            let Some(p) = start[m as usize] else { continue };
            let other = run(u32::from(p), self.nodes[m as usize].size);
            let same = 1u128 << p;
            let disjoint = free_starts(other, node.size);
            starts &= disjoint | same;
        }
        if starts == 0 {
            return None;
        }
        // Message payloads that end the thread sit at the top; everything else fills from the
        // bottom.
        let p = if node.first { 127 - starts.leading_zeros() } else { starts.trailing_zeros() };
        Some(p as u8)
    }
}

/// Key of a pair of nodes.
fn pair(a: usize, b: usize) -> (u32, u32) {
    (a.min(b) as u32, a.max(b) as u32)
}

/// GRFs of the payload that are still needed when a register with this interval is first written.
fn payload_conflicts(liveness: &Liveness, interval: Interval) -> u128 {
    if interval.is_empty() {
        return 0;
    }
    let mut mask = 0;
    for (reg, &last) in liveness.payload_last_use.iter().enumerate() {
        if last > interval.start && reg < GRF_COUNT as usize {
            mask |= 1u128 << reg;
        }
    }
    mask
}

/// Highest GRF number that a program with fixed registers only touches, plus one.
#[must_use]
pub fn registers_used(program: &Program) -> u32 {
    let mut top = u32::from(program.payload_regs);
    for inst in &program.insts {
        if let File::Grf(nr) = inst.dst.file {
            top = top.max(u32::from(nr) + regs_written(inst));
        }
        for (index, src) in inst.src.iter().enumerate() {
            if let File::Grf(nr) = src.file {
                top = top.max(u32::from(nr) + regs_read(inst, index));
            }
        }
    }
    top
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_and_starts() {
        assert_eq!(run(0, 128), u128::MAX);
        assert_eq!(run(126, 2), 3u128 << 126);
        assert_eq!(free_starts(0, 1), u128::MAX);
        assert_eq!(free_starts(0, 2), u128::MAX >> 1);
        assert_eq!(free_starts(0, 127).count_ones(), 2);
        for size in 1..20 {
            let taken = 0x0000_f00f_0030_0000_8421_0000_00ff_1001u128;
            let want = (0..=128 - size)
                .filter(|&p| taken & run(p, size) == 0)
                .fold(0u128, |m, p| m | 1 << p);
            assert_eq!(free_starts(taken, size), want, "size {size}");
        }
    }
}
