//! Register coalescing: values are computed where a copy would put them.
//!
//! ```text
//! before:
//!   not(8) v1<1>:UD, v2<1>:UD
//!   mov(8) v0<1>:UD, v1<1>:UD
//! after:
//!   not(8) v0<1>:UD, v2<1>:UD
//! ```

use super::sites::Sites;
use crate::lir::cfg::Cfg;
use crate::lir::{File, Inst, Op, Operand, Program, REG_SIZE, VReg};
use crate::liveness::{ByteAccesses, LiveOut, Liveness};
use crate::model::Model;
use crate::pattern::{regs_read, regs_written};
use cranelift_entity::{EntityRef, SecondaryMap};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Merges the source of a copy of whole registers, or of a run of copies that together move all its
/// registers, into the destination, when
/// - the two are never live at once as intervals, or
/// - the source lives only between its definition and the copy, within one block in which no other
///   instruction uses the destination, or
/// - the source has one definition, before the copy, which is all that is written to the place of
///   the copy and read only afterwards, in one block: both hold the same value, and no split
///   message, whose parts must not overlap, reads both, or
/// - both keep each channel's data in the same place and are written under the execution mask only,
///   and no channel needs both at once: what waits in the destination belongs to channels that the
///   source's writes do not touch.
pub(crate) fn opt_coalesce(program: &mut Program, model: &Model) -> bool {
    let _ = model;
    if !(0..program.insts.len()).any(|at| whole_copy(program, at).is_some()) {
        return false;
    }
    let cfg = program.analysis::<Cfg>();
    let liveness = Liveness::of_accesses(program, &cfg, program.analysis::<ByteAccesses>());
    let mut touched: BTreeSet<(VReg, u32)> = BTreeSet::new();
    // Source register → destination register and byte offset.
    let mut merged: SecondaryMap<VReg, Option<(VReg, u32)>> = program.vreg_table();
    let sites = Sites::new(program);
    let mut ranges: Option<ChannelRanges> = None;
    let mut changed = false;
    // Copies from one iteration to the next first: both registers are live across the loop.
    let is_back = |at: &usize| {
        let block = cfg.block_of[*at];
        let ends_loop = |succ: usize| {
            let first = program.insts.get(cfg.blocks[succ].start);
            first.is_some_and(|inst| inst.op == Op::While)
        };
        cfg.blocks[block].succs.iter().any(|&succ| succ <= block || ends_loop(succ))
    };
    let (back, others): (Vec<usize>, Vec<usize>) = (0..program.insts.len()).partition(is_back);
    for at in back.into_iter().chain(others) {
        let Some(copy) = whole_copy(program, at) else { continue };
        let regs = u32::from(program.vregs[copy.src].regs);
        let place: Vec<(VReg, u32)> =
            (0..regs).map(|r| (copy.dst, copy.offset / REG_SIZE + r)).collect();
        if touched.contains(&(copy.src, u32::MAX))
            || touched.contains(&(copy.dst, u32::MAX))
            || place.iter().any(|p| touched.contains(p))
            || (0..regs).any(|r| touched.contains(&(copy.src, r)))
        {
            continue;
        }
        let fits = copy.apart(&liveness, &place)
            || in_block(program, &cfg, &sites, &copy)
            || sites.same_value(program, &cfg, &copy)
            || (copy.is_one()
                && sites.by_channel(program, &copy)
                && ranges.get_or_insert_with(|| ChannelRanges::new(program, &cfg)).apart(
                    &copy,
                    regs,
                    behind(cfg.block_of[at], at),
                ));
        if !fits {
            continue;
        }
        merged[copy.src] = Some((copy.dst, copy.offset));
        touched.insert((copy.src, u32::MAX));
        touched.extend(place);
        changed = true;
    }
    if !changed {
        return false;
    }
    for inst in &mut program.insts {
        rename(&mut inst.dst, &merged);
        for src in &mut inst.src {
            rename(src, &merged);
        }
        if inst.is_plain_copy() && inst.dst.is_reg() && same_place(&inst.dst, &inst.src[0]) {
            inst.op = Op::Nop;
        }
    }
    program.compact();
    true
}

/// A copy of all of `src` to whole registers of `dst`, by one instruction or several in a row.
#[derive(Clone, Copy)]
struct WholeCopy {
    src: VReg,
    dst: VReg,
    /// Byte offset in `dst`.
    offset: u32,
    /// Bytes per channel.
    element: u32,
    no_mask: bool,
    /// The instructions.
    first: usize,
    last: usize,
    /// Bytes that each of them moves.
    step: u32,
}

impl WholeCopy {
    /// A single instruction.
    fn is_one(&self) -> bool {
        self.first == self.last
    }

    /// No register of the source is needed while the one it would become is.
    fn apart(&self, liveness: &Liveness, place: &[(VReg, u32)]) -> bool {
        let whole = liveness.interval(self.src);
        place.iter().enumerate().all(|(r, &(v, reg))| {
            // The registers that one instruction moves count as one value.
            let source = if self.is_one() { whole } else { liveness.grf_interval(self.src, r) };
            let moved_at = self.first + r * REG_SIZE as usize / self.step as usize;
            source.end <= moved_at && !liveness.grf_interval(v, reg as usize).overlaps(&source)
        })
    }
}

/// The whole copy that begins at instruction `at`.
fn whole_copy(program: &Program, at: usize) -> Option<WholeCopy> {
    let inst = &program.insts[at];
    let (dst, src) = packed_copy(inst)?;
    let (offset, step) = (inst.dst.offset, inst.bytes_written());
    let bytes = u32::from(program.vregs[src].regs) * REG_SIZE;
    let aligned = offset.is_multiple_of(REG_SIZE) && step.is_multiple_of(REG_SIZE);
    if dst == src || !aligned || !bytes.is_multiple_of(step) {
        return None;
    }
    let last = at + (bytes / step) as usize - 1;
    let run = program.insts.get(at..=last)?;
    let follows = |(index, next): (u32, &Inst)| {
        packed_copy(next) == Some((dst, src))
            && next.bytes_written() == step
            && next.src[0].offset == index * step
            && next.dst.offset == offset + index * step
            && next.no_mask == inst.no_mask
    };
    (0..).zip(run).all(follows).then_some(WholeCopy {
        src,
        dst,
        offset,
        element: inst.dst.ty.size(),
        no_mask: inst.no_mask,
        first: at,
        last,
        step,
    })
}

/// Destination and source of a copy between packed registers.
fn packed_copy(inst: &Inst) -> Option<(VReg, VReg)> {
    if !inst.is_plain_copy() || inst.align16 {
        return None;
    }
    let packed = inst.dst.stride() == Some(1) && inst.src[0].stride() == Some(1);
    packed.then_some((inst.dst.vreg()?, inst.src[0].vreg()?))
}

fn same_place(a: &Operand, b: &Operand) -> bool {
    a.file == b.file && a.offset == b.offset && a.region == b.region
}

fn rename(operand: &mut Operand, merged: &SecondaryMap<VReg, Option<(VReg, u32)>>) {
    if let Some((v, offset)) = operand.vreg().and_then(|v| merged[v]) {
        operand.file = File::Vgrf(v);
        operand.offset += offset;
    }
}

impl Sites {
    /// The source has one definition, of all channels of the copy, in its block, and the place of
    /// the copy no other value: it is read in the block, after the copy.
    fn same_value(&self, program: &Program, cfg: &Cfg, copy: &WholeCopy) -> bool {
        let [def] = self.writes[copy.src][..] else { return false };
        let (inst, by) = (&program.insts[def], &program.insts[copy.first]);
        let block = cfg.block_of[copy.first];
        let bytes = u32::from(program.vregs[copy.src].regs) * REG_SIZE;
        let is_whole = copy.is_one()
            && def < copy.first
            && cfg.block_of[def] == block
            && inst.dst.offset == 0
            && inst.bytes_written() == bytes
            && (inst.dst.stride() == Some(1) || inst.op.is_send())
            && !inst.is_predicated_write()
            && (inst.no_mask, inst.exec_size, inst.group) == (by.no_mask, by.exec_size, by.group);
        let hits = |operand: &Operand, length: u32| {
            operand.vreg() == Some(copy.dst)
                && operand.offset < copy.offset + bytes
                && copy.offset < operand.offset + length
        };
        let is_only_write = |&at: &usize| {
            let inst = &program.insts[at];
            at == copy.first || inst.op == Op::Undef || !hits(&inst.dst, inst.bytes_written())
        };
        let is_later_read = |&at: &usize| {
            let inst = &program.insts[at];
            let reads = |(n, src): (usize, &Operand)| hits(src, inst.bytes_read(n));
            at > copy.first && cfg.block_of[at] == block || !inst.src.iter().enumerate().any(reads)
        };
        is_whole
            && self.lengthening(copy, def) <= longest(program, copy)
            && self.writes[copy.dst].iter().all(is_only_write)
            && self.reads[copy.dst].iter().all(is_later_read)
            && !self.are_parts(program, copy)
    }

    /// Source and destination are parts of one split message, which must not overlap (PRM Skylake,
    /// volume 7, `sends`).
    fn are_parts(&self, program: &Program, copy: &WholeCopy) -> bool {
        let reads_both = |&at: &usize| {
            let inst = &program.insts[at];
            inst.op.is_send() && inst.src.iter().any(|src| src.vreg() == Some(copy.dst))
        };
        self.reads[copy.src].iter().any(reads_both)
    }

    /// Instructions by which the destination lives longer if it holds the source, too.
    fn lengthening(&self, copy: &WholeCopy, def: usize) -> usize {
        let end = |v: VReg| self.range(v).map_or(0, |range| range.1);
        copy.first - def + end(copy.src).saturating_sub(end(copy.dst))
    }

    /// Every write to the source, and to the destination's part, puts channel c's bytes into
    /// element c of the copied range and respects the execution mask.
    fn by_channel(&self, program: &Program, copy: &WholeCopy) -> bool {
        let bytes = u32::from(program.vregs[copy.src].regs) * REG_SIZE;
        let aligned = |i: &usize, base: u32| {
            let inst = &program.insts[*i];
            let start = inst.dst.offset;
            if start >= base + bytes || start + inst.bytes_written() <= base {
                return true;
            }
            let place = base + u32::from(inst.group) * copy.element;
            let size = inst.dst.ty.size();
            let step = inst.dst.stride().map(|s| u32::from(s) * size);
            !inst.no_mask
                && !inst.op.is_send()
                && !inst.align16
                && step == Some(copy.element)
                && start >= place
                && start + size <= place + copy.element
        };
        !copy.no_mask
            && self.writes[copy.src].iter().all(|i| aligned(i, 0))
            && self.writes[copy.dst].iter().all(|i| aligned(i, copy.offset))
    }
}

/// Most instructions by which a destination may live longer for the sake of one of its parts: it
/// occupies all of its registers.
fn longest(program: &Program, copy: &WholeCopy) -> usize {
    let is_part = program.vregs[copy.dst].regs > program.vregs[copy.src].regs;
    match (is_part, program.width) {
        (false, _) => usize::MAX,
        (true, 0..=8) => 256,
        (true, _) => 48,
    }
}

/// The source's whole life is in the copy's block and ends with the copy; meanwhile no instruction
/// accesses the destination, except that the source's first definition may read it.
fn in_block(program: &Program, cfg: &Cfg, sites: &Sites, copy: &WholeCopy) -> bool {
    let Some((first, last)) = sites.range(copy.src) else { return false };
    if last != copy.last || cfg.block_of[first] != cfg.block_of[last] {
        return false;
    }
    let bytes = u32::from(program.vregs[copy.src].regs) * REG_SIZE;
    let hits = |operand: &Operand, length: u32| {
        operand.vreg() == Some(copy.dst)
            && operand.offset < copy.offset + bytes
            && copy.offset < operand.offset + length
    };
    for (i, inst) in program.insts.iter().enumerate().take(copy.first).skip(first) {
        if inst.dst.vreg() == Some(copy.src) && inst.no_mask != copy.no_mask {
            return false;
        }
        if inst.dst.vreg() == Some(copy.dst) && hits(&inst.dst, inst.bytes_written()) {
            return false;
        }
        for (index, operand) in inst.src.iter().enumerate() {
            if !hits(operand, inst.bytes_read(index)) {
                continue;
            }
            if i != first || !may_share(inst, index, inst.dst.offset + copy.offset) {
                return false;
            }
        }
    }
    true
}

/// Source `index` may stand where the destination will be, at byte `dst_offset` of the same
/// register.
fn may_share(inst: &Inst, index: usize, dst_offset: u32) -> bool {
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
/// places behind instructions: a channel that enters a block need not come from the block before
/// it.
struct ChannelRanges {
    sets: Rc<LiveOut>,
    ranges: Vec<Vec<(usize, usize)>>,
    /// Points behind instructions that read a register in another layout than they write one.
    uneven: BTreeSet<usize>,
}

/// The point behind instruction `i` of block `b`.
fn behind(b: usize, i: usize) -> usize {
    i + b + 1
}

impl ChannelRanges {
    fn new(program: &Program, cfg: &Cfg) -> ChannelRanges {
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
                let point = behind(b, i);
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

    /// No channel needs source and destination at once. The copy is before point `at`.
    fn apart(&self, copy: &WholeCopy, regs: u32, at: usize) -> bool {
        let first = |v: VReg| self.sets.accesses().first_grf(v.index());
        (0..regs as usize).all(|r| {
            let a = &self.ranges[first(copy.src) + r];
            let b = &self.ranges[first(copy.dst) + (copy.offset / REG_SIZE) as usize + r];
            self.disjoint(a, b, at)
        })
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
