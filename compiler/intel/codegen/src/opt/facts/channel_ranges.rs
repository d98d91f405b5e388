//! Points of a program at which some channel needs a register.

use crate::lir::cfg::Cfg;
use crate::lir::{Inst, Program, VReg};
use crate::liveness::LiveOut;
use crate::pattern::{regs_read, regs_written};
use cranelift_entity::EntityRef;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Source `index` may stand where the destination will be, at byte `dst_offset` of the same
/// register.
pub(in crate::opt) fn may_share(inst: &Inst, index: usize, dst_offset: u32) -> bool {
    let operand = &inst.src[index];
    let one_register = regs_written(inst) <= 1 && regs_read(inst, index) <= 1;
    let same_layout = operand.offset == dst_offset
        && operand.stride() == inst.dst.stride()
        && operand.ty.size() == inst.dst.ty.size()
        && !operand.is_scalar();
    one_register || same_layout || inst.op.is_send()
}

/// For every GRF of every register the points at which some channel needs it, or at which it is
/// written: ascending disjoint ranges `start..=end`. Points are the entries of blocks and the
/// places after instructions: a channel that enters a block need not come from the block before it.
pub(in crate::opt) struct ChannelRanges {
    sets: Rc<LiveOut>,
    ranges: Vec<Vec<(usize, usize)>>,
    /// Points after instructions that read a register in another layout than they write one.
    uneven: BTreeSet<usize>,
}

impl ChannelRanges {
    /// The point after instruction `i` of block `b`.
    pub(in crate::opt) fn point_after(b: usize, i: usize) -> usize {
        i + b + 1
    }

    pub(in crate::opt) fn new(program: &Program, cfg: &Cfg) -> ChannelRanges {
        let sets = program.analysis::<LiveOut>();
        let accesses = sets.accesses();
        let mut ranges: Vec<Vec<(usize, usize)>> = vec![Vec::new(); accesses.grf_count()];
        let mut live = sets.nothing();
        let mut end = vec![0; live.len()];
        let mut uneven = BTreeSet::new();
        for (b, block) in cfg.blocks.iter().enumerate().rev() {
            let entry = block.start + b;
            // Registers that may be live somewhere in the block.
            let mut used: Vec<usize> = Vec::new();
            for &(g, bytes) in sets.at_end(b) {
                live[g] = bytes;
                end[g] = block.end + b;
                used.push(g);
            }
            for i in (block.start..block.end).rev() {
                let point = ChannelRanges::point_after(b, i);
                for write in accesses.writes(i) {
                    let g = write.grf;
                    if live[g] == 0 {
                        end[g] = point;
                    }
                    live[g] &= !write.bytes;
                    if live[g] == 0 {
                        ranges[g].push((point, end[g]));
                    }
                }
                let inst = &program.insts[i];
                let mixed = |index: usize| !may_share(inst, index, inst.src[index].offset);
                let reads_mixed = |index: usize| inst.src[index].vreg().is_some() && mixed(index);
                if inst.dst.vreg().is_some() && (0..inst.src.len()).any(reads_mixed) {
                    uneven.insert(point);
                }
                for read in accesses.reads(i) {
                    if live[read.grf] == 0 {
                        end[read.grf] = point - 1;
                        used.push(read.grf);
                    }
                    live[read.grf] |= read.bytes;
                }
            }
            for g in used {
                if live[g] != 0 {
                    ranges[g].push((entry, end[g]));
                }
                live[g] = 0;
            }
        }
        for list in &mut ranges {
            list.sort_unstable();
        }
        ChannelRanges { sets, ranges, uneven }
    }

    /// No channel needs two runs of `regs` registers at once, given by virtual register and first
    /// register. A copy from one to the other is before point `at`.
    pub(in crate::opt) fn are_apart(
        &self,
        a: (VReg, u32),
        b: (VReg, u32),
        regs: u32,
        at: usize,
    ) -> bool {
        let first =
            |(v, reg): (VReg, u32)| self.sets.accesses().first_grf(v.index()) + reg as usize;
        (0..regs as usize)
            .all(|r| self.disjoint(&self.ranges[first(a) + r], &self.ranges[first(b) + r], at))
    }

    fn disjoint(&self, a: &[(usize, usize)], b: &[(usize, usize)], at: usize) -> bool {
        let (mut i, mut j) = (0, 0);
        while let (Some(&(a0, a1)), Some(&(b0, b1))) = (a.get(i), b.get(j)) {
            if a0.max(b0) <= a1.min(b1) {
                return false;
            }
            // One begins where the other ends: the instruction there reads one and writes the
            // other.
            let (earlier_end, later_start) = if a1 < b0 { (a1, b0) } else { (b1, a0) };
            if earlier_end + 1 == later_start
                && later_start != at
                && self.uneven.contains(&later_start)
            {
                return false;
            }
            if a1 < b1 { i += 1 } else { j += 1 }
        }
        true
    }
}
