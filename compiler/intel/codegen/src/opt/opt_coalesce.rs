//! Register coalescing: values are computed where a copy would put them.
//!
//! ```text
//! before:
//!   not(8) v1<1>:UD, v2<1>:UD
//!   mov(8) v0<1>:UD, v1<1>:UD
//! after:
//!   not(8) v0<1>:UD, v2<1>:UD
//! ```
//!
//! A [`WholeCopy`] moves all registers of its source, by one instruction or by several in a row, to
//! whole registers of its destination. Its source becomes a name of that place in the destination
//! if one of the four proofs of [`Proofs`] holds:
//!
//! 1. `are_apart`: the two are never live at once as intervals;
//! 2. `is_local`: the source lives only between its definition and the copy, within one block in
//!    which no other instruction uses the destination;
//! 3. `is_same_value`: the source has one definition, before the copy, which is all that is written
//!    to the place of the copy and read only afterwards, in one block: both hold the same value,
//!    and no split message, whose parts must not overlap, reads both;
//! 4. `are_apart_by_channel`: both keep each channel's data in the same place and are written under
//!    the execution mask only, and no channel needs both at once. Data that waits in the
//!    destination belongs to channels that the source's writes do not touch.

use super::facts::channel_ranges::{ChannelRanges, may_share};
use super::facts::sites::Sites;
use crate::lir::cfg::Cfg;
use crate::lir::{File, Inst, Op, Operand, Program, REG_SIZE, VReg};
use crate::liveness::{ByteAccesses, Liveness};
use crate::model::Model;
use cranelift_entity::SecondaryMap;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Merges sources of whole copies into the destinations.
pub(crate) fn opt_coalesce(program: &mut Program, _model: &Model) -> bool {
    if !(0..program.insts.len()).any(|at| WholeCopy::at(program, at).is_some()) {
        return false;
    }
    let mut proofs = Proofs::new(program);
    let mut merges = Merges::new(program);
    for at in order(program, &proofs.cfg) {
        if let Some(copy) = WholeCopy::at(program, at)
            && merges.can_add(&copy)
            && proofs.hold(&copy)
        {
            merges.add(&copy);
        }
    }
    merges.apply(program)
}

/// Returns the instructions in the order in which the pass tries them: copies from one iteration to
/// the next first, because both their registers are live across the loop.
fn order(program: &Program, cfg: &Cfg) -> Vec<usize> {
    let is_back = |at: &usize| {
        let block = cfg.block_of[*at];
        let ends_loop = |succ: usize| {
            let first = program.insts.get(cfg.blocks[succ].start);
            first.is_some_and(|inst| inst.op == Op::While)
        };
        cfg.blocks[block].succs.iter().any(|&succ| succ <= block || ends_loop(succ))
    };
    let (back, others): (Vec<usize>, Vec<usize>) = (0..program.insts.len()).partition(is_back);
    [back, others].concat()
}

/// A copy of all of `src` to whole registers of `dst`, by one instruction or several in a row.
#[derive(Clone, Copy)]
struct WholeCopy {
    src: VReg,
    dst: VReg,
    /// Number of registers.
    regs: u32,
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
    /// The whole copy that begins at instruction `at`.
    fn at(program: &Program, at: usize) -> Option<WholeCopy> {
        let inst = &program.insts[at];
        let (dst, src) = packed_copy(inst)?;
        let (offset, step) = (inst.dst.offset, inst.bytes_written());
        let regs = u32::from(program.vregs[src].regs);
        let bytes = regs * REG_SIZE;
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
            regs,
            offset,
            element: inst.dst.ty.size(),
            no_mask: inst.no_mask,
            first: at,
            last,
            step,
        })
    }

    /// A single instruction.
    fn is_one(&self) -> bool {
        self.first == self.last
    }

    fn bytes(&self) -> u32 {
        self.regs * REG_SIZE
    }

    /// First register of the place in the destination.
    fn first_reg(&self) -> u32 {
        self.offset / REG_SIZE
    }

    /// True if `length` bytes of `operand` are partly in the place that the copy writes.
    fn meets(&self, operand: &Operand, length: u32) -> bool {
        operand.vreg() == Some(self.dst)
            && operand.offset < self.offset + self.bytes()
            && self.offset < operand.offset + length
    }
}

/// Destination and source of a copy between packed registers.
fn packed_copy(inst: &Inst) -> Option<(VReg, VReg)> {
    if !inst.is_plain_copy() || inst.align16 {
        return None;
    }
    let packed = inst.dst.stride() == Some(1) && inst.src[0].stride() == Some(1);
    packed.then_some((inst.dst.vreg()?, inst.src[0].vreg()?))
}

/// Registers to merge.
struct Merges {
    /// Source register → destination register and byte offset.
    merged: SecondaryMap<VReg, Option<(VReg, u32)>>,
    /// Registers of destinations that stand for a source, too: facts about them have changed.
    places: BTreeSet<(VReg, u32)>,
}

impl Merges {
    fn new(program: &Program) -> Merges {
        Merges { merged: program.vreg_table(), places: BTreeSet::new() }
    }

    /// True if no other merge has changed what the proofs say about the copy's registers.
    fn can_add(&self, copy: &WholeCopy) -> bool {
        let is_place = |v: VReg, first: u32| {
            (first..first + copy.regs).any(|reg| self.places.contains(&(v, reg)))
        };
        self.merged[copy.src].is_none()
            && self.merged[copy.dst].is_none()
            && !is_place(copy.dst, copy.first_reg())
            && !is_place(copy.src, 0)
    }

    fn add(&mut self, copy: &WholeCopy) {
        self.merged[copy.src] = Some((copy.dst, copy.offset));
        let first = copy.first_reg();
        self.places.extend((first..first + copy.regs).map(|reg| (copy.dst, reg)));
    }

    /// Renames the sources and removes copies that move nothing. Returns false if there are none.
    fn apply(&self, program: &mut Program) -> bool {
        if self.places.is_empty() {
            return false;
        }
        for inst in &mut program.insts {
            self.rename(&mut inst.dst);
            for src in &mut inst.src {
                self.rename(src);
            }
            if inst.is_plain_copy() && inst.dst.is_reg() && same_place(&inst.dst, &inst.src[0]) {
                inst.op = Op::Nop;
            }
        }
        program.compact();
        true
    }

    fn rename(&self, operand: &mut Operand) {
        if let Some((v, offset)) = operand.vreg().and_then(|v| self.merged[v]) {
            operand.file = File::Vgrf(v);
            operand.offset += offset;
        }
    }
}

fn same_place(a: &Operand, b: &Operand) -> bool {
    a.file == b.file && a.offset == b.offset && a.region == b.region
}

/// Facts about the program as it was, from which proofs follow that a copy's source may be merged.
struct Proofs<'a> {
    program: &'a Program,
    cfg: Rc<Cfg>,
    liveness: Liveness,
    sites: Sites,
    /// Expensive: made for the first copy that needs them.
    ranges: Option<ChannelRanges>,
}

impl Proofs<'_> {
    fn new(program: &Program) -> Proofs<'_> {
        let cfg = program.analysis::<Cfg>();
        let liveness = Liveness::of_accesses(program, &cfg, program.analysis::<ByteAccesses>());
        Proofs { program, cfg, liveness, sites: Sites::new(program), ranges: None }
    }

    /// True if one of the proofs holds; cheap ones come first.
    fn hold(&mut self, copy: &WholeCopy) -> bool {
        self.are_apart(copy)
            || self.is_local(copy)
            || self.is_same_value(copy)
            || self.are_apart_by_channel(copy)
    }

    /// No register of the source is needed while the one it would become is.
    fn are_apart(&self, copy: &WholeCopy) -> bool {
        let whole = self.liveness.interval(copy.src);
        (0..copy.regs as usize).all(|r| {
            // The registers that one instruction moves count as one value.
            let source =
                if copy.is_one() { whole } else { self.liveness.grf_interval(copy.src, r) };
            let moved_at = copy.first + r * REG_SIZE as usize / copy.step as usize;
            let place = self.liveness.grf_interval(copy.dst, copy.first_reg() as usize + r);
            source.end <= moved_at && !place.overlaps(&source)
        })
    }

    /// The source's whole life is in the copy's block and ends with the copy; meanwhile no
    /// instruction accesses the destination, except that the source's first definition may read it.
    fn is_local(&self, copy: &WholeCopy) -> bool {
        let Some((first, last)) = self.sites.range(copy.src) else { return false };
        if last != copy.last || self.cfg.block_of[first] != self.cfg.block_of[last] {
            return false;
        }
        let mut before = self.program.insts.iter().enumerate().take(copy.first).skip(first);
        before.all(|(i, inst)| {
            let is_other_mask = inst.dst.vreg() == Some(copy.src) && inst.no_mask != copy.no_mask;
            let is_harmless = |(index, operand): (usize, &Operand)| {
                !copy.meets(operand, inst.bytes_read(index))
                    || i == first && may_share(inst, index, inst.dst.offset + copy.offset)
            };
            !is_other_mask
                && !copy.meets(&inst.dst, inst.bytes_written())
                && inst.src.iter().enumerate().all(is_harmless)
        })
    }

    /// The source has one definition, of all channels of the copy, in its block, and the place of
    /// the copy no other value: it is read in the block, after the copy.
    fn is_same_value(&self, copy: &WholeCopy) -> bool {
        let [def] = self.sites.writes[copy.src][..] else { return false };
        let (inst, by) = (&self.program.insts[def], &self.program.insts[copy.first]);
        let block = self.cfg.block_of[copy.first];
        let is_whole = copy.is_one()
            && def < copy.first
            && self.cfg.block_of[def] == block
            && inst.dst.offset == 0
            && inst.bytes_written() == copy.bytes()
            && (inst.dst.stride() == Some(1) || inst.op.is_send())
            && !inst.is_predicated_write()
            && (inst.no_mask, inst.exec_size, inst.group) == (by.no_mask, by.exec_size, by.group);
        let is_only_write = |&at: &usize| {
            let inst = &self.program.insts[at];
            at == copy.first || inst.op == Op::Undef || !copy.meets(&inst.dst, inst.bytes_written())
        };
        let is_later_read = |&at: &usize| {
            let inst = &self.program.insts[at];
            let reads = |(n, src): (usize, &Operand)| copy.meets(src, inst.bytes_read(n));
            at > copy.first && self.cfg.block_of[at] == block
                || !inst.src.iter().enumerate().any(reads)
        };
        is_whole
            && self.lengthening(copy, def) <= self.longest(copy)
            && self.sites.writes[copy.dst].iter().all(is_only_write)
            && self.sites.reads[copy.dst].iter().all(is_later_read)
            && !self.are_parts(copy)
    }

    /// Source and destination are parts of one split message, which must not overlap (PRM Skylake,
    /// volume 7, `sends`).
    fn are_parts(&self, copy: &WholeCopy) -> bool {
        let reads_both = |&at: &usize| {
            let inst = &self.program.insts[at];
            inst.op.is_send() && inst.src.iter().any(|src| src.vreg() == Some(copy.dst))
        };
        self.sites.reads[copy.src].iter().any(reads_both)
    }

    /// Instructions by which the destination lives longer if it holds the source, too.
    fn lengthening(&self, copy: &WholeCopy, def: usize) -> usize {
        let end = |v: VReg| self.sites.range(v).map_or(0, |range| range.1);
        copy.first - def + end(copy.src).saturating_sub(end(copy.dst))
    }

    /// Maximum number of instructions by which a destination may live longer for the sake of one of
    /// its parts: it occupies all of its registers.
    fn longest(&self, copy: &WholeCopy) -> usize {
        let is_part = u32::from(self.program.vregs[copy.dst].regs) > copy.regs;
        match (is_part, self.program.width) {
            (false, _) => usize::MAX,
            (true, 0..=8) => 256,
            (true, _) => 48,
        }
    }

    /// Both keep each channel's data in the same place, and no channel needs both at once.
    fn are_apart_by_channel(&mut self, copy: &WholeCopy) -> bool {
        if !copy.is_one() || !self.are_by_channel(copy) {
            return false;
        }
        let ranges = self.ranges.get_or_insert_with(|| ChannelRanges::new(self.program, &self.cfg));
        let (source, place) = ((copy.src, 0), (copy.dst, copy.first_reg()));
        let at = ChannelRanges::point_after(self.cfg.block_of[copy.first], copy.first);
        ranges.are_apart(source, place, copy.regs, at)
    }

    /// Every write to the source, and to the destination's part, puts channel c's bytes into
    /// element c of the copied range and respects the execution mask.
    fn are_by_channel(&self, copy: &WholeCopy) -> bool {
        let aligned = |i: &usize, base: u32| {
            let inst = &self.program.insts[*i];
            let start = inst.dst.offset;
            if start >= base + copy.bytes() || start + inst.bytes_written() <= base {
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
            && self.sites.writes[copy.src].iter().all(|i| aligned(i, 0))
            && self.sites.writes[copy.dst].iter().all(|i| aligned(i, copy.offset))
    }
}
