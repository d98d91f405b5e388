//! Interference graph of virtual registers and its coloring with runs of GRFs.
//!
//! A node of size s may start at any GRF p whose run p … p+s−1 it is allowed; a neighbor of size m
//! blocks at most s+m−1 of these positions. A node whose neighbors together block fewer positions
//! than it has can always be colored last (the generalized degree test); otherwise coloring is
//! tried optimistically.
//!
//! A payload that is filled over a long time has registers that hold nothing yet. With
//! [`Extent::Parts`] other nodes may be there until then: two nodes conflict only at the positions
//! where registers of both that are live at the same time would coincide.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::lir::{File, Inst, Op, Program, VReg};
use crate::liveness::{Interval, Liveness};
use crate::pattern::{regs_read, regs_written};
use cranelift_entity::EntityRef;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// Number of general registers.
pub const GRF_COUNT: u32 = 128;
/// First register that the payload of a thread-ending message may use.
const EOT_FIRST: u32 = 112;

/// Registers that a node keeps others from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All of its registers from the first definition of any to the last use of any.
    Whole,
    /// Each of its registers while it is live.
    Parts,
}

/// One virtual register as a node.
#[derive(Clone, Debug)]
struct Node {
    /// GRFs.
    size: u32,
    /// Positions that neither the payload nor the node's range forbid, one bit per GRF.
    positions: u128,
    /// Interval of each GRF.
    parts: Parts,
    /// Hard conflicts of all GRFs.
    neighbors: Vec<u32>,
    /// Conflicts of those GRFs that are live at the same time.
    partial: Vec<u32>,
    /// Conflicts unless both start at the same GRF.
    aligned: Vec<u32>,
    /// Never touched: needs no register.
    unused: bool,
    /// Must be colored before everything else.
    first: bool,
}

/// Intervals of the GRFs of a node.
#[derive(Clone, Debug)]
enum Parts {
    /// All have this one.
    Equal(Interval),
    /// One for each GRF.
    Each(Vec<Interval>),
}

impl Parts {
    fn new(liveness: &Liveness, v: VReg, size: u32, extent: Extent) -> Parts {
        let whole = liveness.interval(v);
        let part = |r: u32| liveness.grf_interval(v, r as usize);
        if extent == Extent::Whole || (0..size).all(|r| part(r) == whole) {
            Parts::Equal(whole)
        } else {
            Parts::Each((0..size).map(part).collect())
        }
    }

    fn get(&self, reg: u32) -> Interval {
        match self {
            Parts::Equal(interval) => *interval,
            Parts::Each(intervals) => intervals[reg as usize],
        }
    }

    fn are_equal(&self) -> bool {
        matches!(self, Parts::Equal(_))
    }
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
    pub fn new(program: &Program, liveness: &Liveness, extent: Extent) -> Graph {
        let n = program.vregs.len();
        let mut graph = Graph {
            nodes: Vec::with_capacity(n),
            intervals: program.vregs.keys().map(|v| liveness.interval(v)).collect(),
            constrained: FxHashSet::default(),
        };
        for (v, data) in program.vregs.iter() {
            let size = u32::from(data.regs);
            let parts = Parts::new(liveness, v, size, extent);
            graph.nodes.push(Node {
                size,
                positions: positions(liveness, &parts, size),
                parts,
                neighbors: Vec::with_capacity(16),
                partial: Vec::new(),
                aligned: Vec::new(),
                unused: liveness.interval(v).is_empty(),
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
                self.forbid(v, run(GRF_COUNT - 1, 1));
            }
        }
    }

    /// Keeps a node out of these GRFs.
    fn forbid(&mut self, v: VReg, grfs: u128) {
        let node = &mut self.nodes[v.index()];
        node.positions &= free_starts(grfs, node.size);
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
                if !intervals[a as usize].overlaps(&interval) {
                    continue;
                }
                let (x, y) = (&self.nodes[a as usize], &self.nodes[n as usize]);
                let are_equal = x.parts.are_equal() && y.parts.are_equal();
                if are_equal || conflicts(x, y).count() as u32 == x.size * y.size {
                    self.nodes[a as usize].neighbors.push(n);
                    self.nodes[n as usize].neighbors.push(a);
                } else if conflicts(x, y).next().is_some() {
                    self.nodes[a as usize].partial.push(n);
                    self.nodes[n as usize].partial.push(a);
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
                        self.forbid(v, run(0, EOT_FIRST));
                        self.nodes[v.index()].first = true;
                    }
                }
            }
            self.separate_parts(inst);
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

    /// The parts of a split message do not overlap, nor do registers of them that hold nothing (PRM
    /// Skylake, volume 7, `sends`).
    fn separate_parts(&mut self, inst: &Inst) {
        let parts: SmallVec<[VReg; 4]> = inst.src.iter().filter_map(|src| src.vreg()).collect();
        for (index, part) in parts.iter().enumerate() {
            for other in &parts[..index] {
                self.connect(part.index(), other.index());
            }
        }
        // A part can be a part of the thread's payload.
        for (index, src) in inst.src.iter().enumerate() {
            let File::Grf(first) = src.file else { continue };
            let grfs = run(u32::from(first), regs_read(inst, index));
            parts.iter().for_each(|&part| self.forbid(part, grfs));
        }
    }

    /// All GRFs of the nodes conflict.
    fn are_connected(&self, a: usize, b: usize) -> bool {
        let (x, y) = (&self.nodes[a], &self.nodes[b]);
        let overlap = || {
            let are_equal = x.parts.are_equal() && y.parts.are_equal();
            self.intervals[a].overlaps(&self.intervals[b])
                && (are_equal || conflicts(x, y).count() as u32 == x.size * y.size)
        };
        self.constrained.contains(&pair(a, b)) || overlap()
    }

    /// Makes all GRFs of `a` and `b`, whose intervals may be disjoint, conflict.
    fn connect(&mut self, a: usize, b: usize) {
        if a == b || self.are_connected(a, b) {
            return;
        }
        self.constrained.insert(pair(a, b));
        for (n, m) in [(a, b), (b, a)] {
            self.nodes[n].partial.retain(|&other| other as usize != m);
            self.nodes[n].neighbors.push(m as u32);
        }
    }

    fn align(&mut self, a: usize, b: usize) {
        // Parts of both in one place are not aligned.
        if self.intervals[a].overlaps(&self.intervals[b]) {
            self.connect(a, b);
        } else if !self.are_connected(a, b) && !self.nodes[a].aligned.contains(&(b as u32)) {
            self.nodes[a].aligned.push(b as u32);
            self.nodes[b].aligned.push(a as u32);
        }
    }

    /// Neighbors that block positions of node `n`, and how many each blocks. The two nodes of a
    /// pair block as many positions of each other.
    fn blockers(&self, n: usize) -> impl Iterator<Item = (usize, u32)> + '_ {
        let node = &self.nodes[n];
        let whole = node.neighbors.iter().chain(&node.aligned).map(|&m| m as usize);
        let partial = node.partial.iter().map(|&m| m as usize);
        whole
            .map(|m| (m, self.nodes[m].size + node.size - 1))
            .chain(partial.map(|m| (m, distances(node, &self.nodes[m]))))
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
        if v.index() >= self.nodes.len() {
            return 0;
        }
        self.blockers(v.index()).map(|(_, positions)| positions).sum()
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
        let positions: Vec<u32> =
            self.nodes.iter().map(|node| node.positions.count_ones()).collect();
        let mut blocked: Vec<u32> =
            (0..n).map(|i| self.blockers(i).map(|(_, positions)| positions).sum()).collect();
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
            for (m, count) in self.blockers(i) {
                if !removed[m] {
                    blocked[m] = blocked[m].saturating_sub(count);
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
        let mut taken = 0;
        for &m in &node.neighbors {
            if let Some(p) = start[m as usize] {
                taken |= run(u32::from(p), self.nodes[m as usize].size);
            }
        }
        let mut starts = free_starts(taken, node.size) & node.positions;
        for &m in &node.partial {
            let Some(p) = start[m as usize].map(u32::from) else { continue };
            for (own, other) in conflicts(node, &self.nodes[m as usize]) {
                if let Some(position) = (p + other).checked_sub(own) {
                    starts &= !run(position, 1);
                }
            }
        }
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

/// Pairs of a GRF of `a` and a GRF of `b` that are live at the same time.
fn conflicts<'a>(a: &'a Node, b: &'a Node) -> impl Iterator<Item = (u32, u32)> + 'a {
    (0..a.size)
        .flat_map(move |own| (0..b.size).map(move |other| (own, other)))
        .filter(|&(own, other)| a.parts.get(own).overlaps(&b.parts.get(other)))
}

/// Number of distances between the first GRFs of two nodes at which GRFs that are live at the same
/// time coincide.
fn distances(a: &Node, b: &Node) -> u32 {
    let mut found = [0u128; 2];
    for (own, other) in conflicts(a, b) {
        let distance = GRF_COUNT + other - own;
        found[(distance / GRF_COUNT) as usize] |= 1 << (distance % GRF_COUNT);
    }
    found[0].count_ones() + found[1].count_ones()
}

/// Positions at which no GRF takes the place of payload that is still needed when it is written.
fn positions(liveness: &Liveness, parts: &Parts, size: u32) -> u128 {
    match parts {
        Parts::Equal(interval) => free_starts(payload_conflicts(liveness, *interval), size),
        Parts::Each(intervals) => {
            intervals.iter().enumerate().fold(free_starts(0, size), |positions, (reg, interval)| {
                positions & !(payload_conflicts(liveness, *interval) >> reg)
            })
        }
    }
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
