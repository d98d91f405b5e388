//! Byte-granular liveness of virtual registers and last uses of payload registers.
//!
//! Sets are kept per GRF of a virtual register as a 32-bit mask of its bytes, and only for the GRFs
//! that are live into some block; everything else lives inside one block. Live *intervals* are
//! contiguous ranges of instruction indices, `[definition, last use]`.
//!
//! Two facts about divergent control flow widen the intervals: the other arm of an IF runs after
//! the first (covered because intervals have no holes), and channels that left a loop wait while
//! others iterate, so what is defined in a loop and used after it is live throughout that loop.

mod byte_accesses;

use crate::lir::cfg::{BasicBlock, Cfg};
use crate::lir::{File, Program, VReg};
use crate::pattern::{regs_read, regs_written};
pub use byte_accesses::{ByteAccess, ByteAccesses};
use cranelift_entity::EntityRef;
use vocabulary::LivenessGranularity;

/// An interval of instruction indices; empty if `start > end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// First definition (or 0 if used before any).
    pub start: usize,
    /// Last use.
    pub end: usize,
}

impl Interval {
    const EMPTY: Interval = Interval { start: usize::MAX, end: 0 };

    fn add(&mut self, ip: usize) {
        self.start = self.start.min(ip);
        self.end = self.end.max(ip);
    }

    /// Never touched.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.start > self.end
    }

    /// Both are live at some point (a value may take the place of one that is last used by its
    /// definition).
    #[must_use]
    pub fn overlaps(&self, other: &Interval) -> bool {
        !(self.is_empty() || other.is_empty() || self.end <= other.start || other.end <= self.start)
    }
}

/// Live intervals of a program.
#[derive(Clone, Debug)]
pub struct Liveness {
    accesses: ByteAccesses,
    /// Interval of each GRF of each virtual register.
    grf: Vec<Interval>,
    /// Interval of each virtual register as a whole.
    vreg: Vec<Interval>,
    /// Instruction index after which each payload register is free; 0 if it is never used.
    pub payload_last_use: Vec<usize>,
}

/// A mask of bytes for each tracked GRF at each block.
#[derive(Clone, Debug)]
struct Masks {
    /// Number of tracked GRFs.
    row: usize,
    all: Vec<u32>,
}

impl Masks {
    fn new(blocks: usize, row: usize) -> Masks {
        Masks { row, all: vec![0; blocks * row] }
    }

    fn row(&self, block: usize) -> &[u32] {
        &self.all[block * self.row..][..self.row]
    }

    fn row_mut(&mut self, block: usize) -> &mut [u32] {
        &mut self.all[block * self.row..][..self.row]
    }
}

/// Adds the bytes of `more`.
fn unite(masks: &mut [u32], more: &[u32]) {
    masks.iter_mut().zip(more).for_each(|(mask, &more)| *mask |= more);
}

/// Data-flow sets of the blocks.
struct Sets {
    /// Bytes read before they are defined in the block.
    uses: Masks,
    /// Bytes defined for all channels.
    defs: Masks,
    /// Bytes possibly written.
    writes: Masks,
    live_in: Masks,
    live_out: Masks,
}

/// Bytes that may have been written when a block begins and when it ends.
struct Written {
    before: Masks,
    after: Masks,
}

impl Liveness {
    /// Computes liveness of `program`, byte by byte.
    #[must_use]
    pub fn new(program: &Program, cfg: &Cfg) -> Liveness {
        Liveness::with_granularity(program, cfg, LivenessGranularity::Byte)
    }

    /// Computes liveness with definitions tracked as finely as asked.
    #[must_use]
    pub fn with_granularity(
        program: &Program,
        cfg: &Cfg,
        granularity: LivenessGranularity,
    ) -> Liveness {
        let mut analysis = Analysis::new(program, cfg, granularity);
        let sets = analysis.solve();
        let written = analysis.solve_written(&sets.writes);
        let grf = analysis.intervals(&sets, &written);
        let vreg = program
            .vregs
            .iter()
            .map(|(v, data)| {
                let first = analysis.accesses.first_grf(v.index());
                grf[first..first + usize::from(data.regs)].iter().filter(|i| !i.is_empty()).fold(
                    Interval::EMPTY,
                    |acc, i| Interval { start: acc.start.min(i.start), end: acc.end.max(i.end) },
                )
            })
            .collect();
        let payload_last_use = payload_last_use(program, cfg);
        Liveness { accesses: analysis.accesses, grf, vreg, payload_last_use }
    }

    /// Interval of the whole register.
    #[must_use]
    pub fn interval(&self, v: VReg) -> Interval {
        self.vreg[v.index()]
    }

    /// Interval of GRF `reg` of the register.
    #[must_use]
    pub fn grf_interval(&self, v: VReg, reg: usize) -> Interval {
        self.grf.get(self.accesses.first_grf(v.index()) + reg).copied().unwrap_or(Interval::EMPTY)
    }

    /// Takes all payload registers as needed up to the end of a program of `length` instructions.
    pub fn keep_payload(&mut self, length: usize) {
        self.payload_last_use.fill(length);
    }

    /// Largest number of GRFs live at once: those of virtual registers and those of the payload
    /// that are still needed.
    #[must_use]
    pub fn max_live(&self, program: &Program) -> usize {
        let mut delta = vec![0isize; program.insts.len() + 2];
        for (v, data) in program.vregs.iter() {
            let interval = self.interval(v);
            if !interval.is_empty() {
                delta[interval.start] += isize::from(data.regs);
                delta[interval.end.max(interval.start + 1)] -= isize::from(data.regs);
            }
        }
        for &last in &self.payload_last_use {
            delta[0] += 1;
            delta[last.min(program.insts.len())] -= 1;
        }
        let (mut live, mut most) = (0, 0);
        for d in delta {
            live += d;
            most = most.max(live);
        }
        usize::try_from(most).unwrap_or(0)
    }
}

/// Bytes of virtual registers that are live at the end of each block.
#[derive(Clone, Debug)]
pub struct LiveOut {
    accesses: ByteAccesses,
    /// GRFs that are live into some block.
    tracked: Vec<usize>,
    /// Their masks at the end of each block.
    masks: Masks,
}

impl LiveOut {
    /// Computes the sets of `program`.
    #[must_use]
    pub fn new(program: &Program, cfg: &Cfg) -> LiveOut {
        let mut analysis = Analysis::new(program, cfg, LivenessGranularity::Byte);
        let masks = analysis.solve().live_out;
        // They were numbered in ascending order.
        let numbered =
            analysis.tracked.iter().enumerate().filter(|(_, number)| **number != usize::MAX);
        let tracked = numbered.map(|(grf, _)| grf).collect();
        LiveOut { accesses: analysis.accesses, tracked, masks }
    }

    /// Accesses of the program's instructions.
    #[must_use]
    pub fn accesses(&self) -> &ByteAccesses {
        &self.accesses
    }

    /// Masks at the start of a walk: nothing is live.
    #[must_use]
    pub fn nothing(&self) -> Vec<u32> {
        vec![0; self.accesses.grf_count()]
    }

    /// Takes masks by dense GRF number from the start of some block, or from [`LiveOut::nothing`],
    /// to the end of `block`. Values that live inside of one block only are dead at its start.
    pub fn load(&self, block: usize, live: &mut [u32]) {
        for (&grf, &mask) in self.tracked.iter().zip(self.masks.row(block)) {
            live[grf] = mask;
        }
    }
}

/// Effect of one block on one GRF.
struct Effect {
    block: usize,
    grf: usize,
    /// Bytes read before they are defined in the block.
    exposed: u32,
    /// Bytes defined for all channels.
    defined: u32,
    /// Some byte may be written.
    written: bool,
}

/// Effects, block by block.
struct Effects {
    list: Vec<Effect>,
    /// The last effect on each GRF.
    last: Vec<usize>,
    /// Where the effects of the current block begin.
    start: usize,
}

impl Effects {
    /// Effect of `block`, the current one, on a GRF.
    fn on(&mut self, block: usize, grf: usize) -> &mut Effect {
        let last = &mut self.last[grf];
        if *last == usize::MAX || *last < self.start {
            *last = self.list.len();
            self.list.push(Effect { block, grf, exposed: 0, defined: 0, written: false });
        }
        &mut self.list[*last]
    }
}

struct Analysis<'a> {
    cfg: &'a Cfg,
    accesses: ByteAccesses,
    /// Dense number of each GRF that is live into some block, `usize::MAX` for the others.
    tracked: Vec<usize>,
}

impl<'a> Analysis<'a> {
    fn new(program: &Program, cfg: &'a Cfg, granularity: LivenessGranularity) -> Analysis<'a> {
        let accesses = ByteAccesses::new(program, granularity);
        let tracked = vec![usize::MAX; accesses.grf_count()];
        Analysis { cfg, accesses, tracked }
    }

    /// Finds the GRFs with upward-exposed reads, then solves the data-flow equations for them.
    fn solve(&mut self) -> Sets {
        let blocks = self.cfg.blocks.len();
        let effects = if blocks > 1 { self.effects() } else { Vec::new() };
        let n = self.track(&effects);
        let none = || Masks::new(blocks, n);
        let mut sets =
            Sets { uses: none(), defs: none(), writes: none(), live_in: none(), live_out: none() };
        for effect in &effects {
            let Some(t) = self.tracked_number(effect.grf) else { continue };
            sets.uses.row_mut(effect.block)[t] = effect.exposed;
            sets.defs.row_mut(effect.block)[t] = effect.defined;
            sets.writes.row_mut(effect.block)[t] = if effect.written { u32::MAX } else { 0 };
        }
        if n > 0 {
            self.solve_live(&mut sets);
        }
        sets
    }

    fn tracked_number(&self, grf: usize) -> Option<usize> {
        self.tracked.get(grf).copied().filter(|&t| t != usize::MAX)
    }

    /// Returns the effects of each block on the GRFs it accesses.
    fn effects(&self) -> Vec<Effect> {
        let mut effects =
            Effects { list: Vec::new(), last: vec![usize::MAX; self.tracked.len()], start: 0 };
        for (block, range) in self.cfg.blocks.iter().enumerate() {
            effects.start = effects.list.len();
            for ip in range.start..range.end {
                for read in self.accesses.reads(ip) {
                    let effect = effects.on(block, read.grf);
                    effect.exposed |= read.bytes & !effect.defined;
                }
                for write in self.accesses.writes(ip) {
                    let effect = effects.on(block, write.grf);
                    effect.defined |= write.bytes;
                    effect.written = true;
                }
            }
        }
        effects.list
    }

    /// Numbers the GRFs that are read before they are defined in some block; gives how many there
    /// are.
    fn track(&mut self, effects: &[Effect]) -> usize {
        for effect in effects.iter().filter(|effect| effect.exposed != 0) {
            self.tracked[effect.grf] = 0;
        }
        let exposed = self.tracked.iter_mut().filter(|t| **t == 0);
        exposed.enumerate().map(|(number, t)| *t = number).count()
    }

    fn solve_live(&self, sets: &mut Sets) {
        let leads_back = |(b, block): (usize, &BasicBlock)| block.succs.iter().any(|&s| s <= b);
        // Without loops, one round sees every block after all that follow it.
        let again = self.cfg.blocks.iter().enumerate().any(leads_back);
        let mut changed = true;
        while changed {
            changed = false;
            for (b, block) in self.cfg.blocks.iter().enumerate().rev() {
                let out = sets.live_out.row_mut(b);
                for &s in &block.succs {
                    unite(out, sets.live_in.row(s));
                }
                let own = sets.uses.row(b).iter().zip(sets.defs.row(b));
                let through = out.iter().zip(own).map(|(out, (uses, defs))| uses | out & !defs);
                for (into, new) in sets.live_in.row_mut(b).iter_mut().zip(through) {
                    changed |= again && new & !*into != 0;
                    *into |= new;
                }
            }
        }
    }

    /// Forward: bytes that may have been written on some path, so that a read of something never
    /// written on a path does not stretch the interval to the program's start.
    fn solve_written(&self, writes: &Masks) -> Written {
        let blocks = self.cfg.blocks.len();
        let mut written = Written {
            before: Masks::new(blocks, writes.row),
            after: Masks::new(blocks, writes.row),
        };
        let mut changed = writes.row > 0;
        while changed {
            changed = false;
            for (b, block) in self.cfg.blocks.iter().enumerate() {
                let after = written.after.row_mut(b);
                unite(after, written.before.row(b));
                unite(after, writes.row(b));
                for &s in &block.physical_succs {
                    let again = s <= b;
                    for (into, &out) in written.before.row_mut(s).iter_mut().zip(after.iter()) {
                        changed |= again && out & !*into != 0;
                        *into |= out;
                    }
                }
            }
        }
        written
    }

    fn intervals(&self, sets: &Sets, written: &Written) -> Vec<Interval> {
        let mut grf = vec![Interval::EMPTY; self.tracked.len()];
        let insts = self.cfg.blocks.last().map_or(0, |block| block.end);
        for ip in 0..insts {
            for access in self.accesses.reads(ip).iter().chain(self.accesses.writes(ip)) {
                grf[access.grf].add(ip);
            }
        }
        for (g, interval) in grf.iter_mut().enumerate() {
            let Some(t) = self.tracked_number(g) else { continue };
            let needed_at = |b: usize| sets.live_in.row(b)[t] & written.before.row(b)[t] != 0;
            for (b, block) in self.cfg.blocks.iter().enumerate() {
                if needed_at(b) {
                    interval.add(block.start);
                }
                if sets.live_out.row(b)[t] & written.after.row(b)[t] != 0 {
                    interval.add(block.end);
                }
            }
            for l in &self.cfg.loops {
                let last = self.cfg.blocks.len() - 1;
                let after = self.cfg.block_of.get(l.end + 1).copied().unwrap_or(last);
                let written_inside = interval.start <= l.end;
                if written_inside && needed_at(after) && interval.start > l.start {
                    interval.add(l.start);
                    interval.add(l.end + 1);
                }
            }
        }
        grf
    }
}

/// Instruction index up to which each payload register is needed. Payload is defined once, at
/// thread start, so a use inside a loop counts as a use at the end of the outermost loop around it.
fn payload_last_use(program: &Program, cfg: &Cfg) -> Vec<usize> {
    let mut last = vec![0; usize::from(program.payload_regs)];
    let mut outermost_end = 0;
    let mut next_loop = 0;
    for (ip, inst) in program.insts.iter().enumerate() {
        // Loops are sorted by start: step to the outermost one that begins here.
        while let Some(l) = cfg.loops.get(next_loop) {
            if l.start > ip {
                break;
            }
            if l.start == ip && ip >= outermost_end {
                outermost_end = l.end;
            }
            next_loop += 1;
        }
        let use_ip = ip.max(outermost_end);
        if inst.message.as_ref().is_some_and(|m| m.eot) {
            // The thread's header stays where debugging tools and the end of the thread expect it.
            for entry in last.iter_mut().take(2) {
                *entry = (*entry).max(use_ip);
            }
        }
        for (index, src) in inst.src.iter().enumerate() {
            if let File::Grf(nr) = src.file {
                // A two-register operand may still be read after the first half of the destination
                // is written.
                let spread = regs_written(inst) > 1 || regs_read(inst, index) > 1;
                let hazard = usize::from(spread && !inst.op.is_send());
                for reg in 0..regs_read(inst, index) {
                    if let Some(entry) = last.get_mut(usize::from(nr) + reg as usize) {
                        *entry = (*entry).max(use_ip + hazard);
                    }
                }
            }
        }
    }
    last
}
