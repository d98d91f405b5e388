//! Byte-granular liveness of virtual registers and last uses of payload registers.
//!
//! Sets are kept per GRF of a virtual register as a 32-bit mask of its bytes, and only for the GRFs that are
//! live into some block; everything else lives inside one block. Live *intervals* are contiguous ranges of
//! instruction indices, `[definition, last use]`.
//!
//! Two facts about divergent control flow widen the intervals: the other arm of an IF runs after the first
//! (covered because intervals have no holes), and channels that left a loop wait while others iterate, so what
//! is defined in a loop and used after it is live throughout that loop.

use crate::bir::cfg::{Block, Cfg};
use crate::bir::{File, Inst, Operand, Program, REG_SIZE, VReg};
use crate::pattern::{dst_write_pattern, regs_read, regs_written, src_read_pattern};
use cranelift_entity::EntityRef;

/// How finely definitions are tracked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
pub enum Granularity {
    /// One bit per byte.
    #[default]
    Byte,
    /// One bit per register: a write that does not cover the whole register defines nothing. For comparisons.
    Register,
}

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

    /// Both are live at some point (a value may take the place of one that is last used by its definition).
    #[must_use]
    pub fn overlaps(&self, other: &Interval) -> bool {
        !(self.is_empty() || other.is_empty() || self.end <= other.start || other.end <= self.start)
    }
}

/// Live intervals of a program.
#[derive(Clone, Debug)]
pub struct Liveness {
    /// First entry of each virtual register in `grf`.
    base: Vec<usize>,
    /// Interval of each GRF of each virtual register.
    grf: Vec<Interval>,
    /// Interval of each virtual register as a whole.
    vreg: Vec<Interval>,
    /// Instruction index after which each payload register is free; 0 if it is never used.
    pub payload_last_use: Vec<usize>,
}

/// Data-flow sets of one block for the tracked GRFs.
#[derive(Clone, Default)]
struct Sets {
    /// Bytes read before they are defined in the block.
    uses: Vec<u32>,
    /// Bytes defined for all channels.
    defs: Vec<u32>,
    /// Bytes possibly written.
    writes: Vec<u32>,
    live_in: Vec<u32>,
    live_out: Vec<u32>,
    written_in: Vec<u32>,
    written_out: Vec<u32>,
}

impl Liveness {
    /// Computes liveness of `program`, byte by byte.
    #[must_use]
    pub fn new(program: &Program, cfg: &Cfg) -> Liveness {
        Liveness::with_granularity(program, cfg, Granularity::Byte)
    }

    /// Computes liveness with definitions tracked as finely as asked.
    #[must_use]
    pub fn with_granularity(program: &Program, cfg: &Cfg, granularity: Granularity) -> Liveness {
        let mut analysis = Analysis::new(program, cfg, granularity);
        let mut blocks = analysis.solve();
        analysis.solve_written(&mut blocks);
        let grf = analysis.intervals(&blocks);
        let vreg = program
            .vregs
            .iter()
            .map(|(v, data)| {
                let first = analysis.base[v.index()];
                grf[first..first + usize::from(data.regs)].iter().filter(|i| !i.is_empty()).fold(
                    Interval::EMPTY,
                    |acc, i| Interval { start: acc.start.min(i.start), end: acc.end.max(i.end) },
                )
            })
            .collect();
        let payload_last_use = payload_last_use(program, cfg);
        Liveness { base: analysis.base, grf, vreg, payload_last_use }
    }

    /// Interval of the whole register.
    #[must_use]
    pub fn interval(&self, v: VReg) -> Interval {
        self.vreg[v.index()]
    }

    /// Interval of GRF `reg` of the register.
    #[must_use]
    pub fn grf_interval(&self, v: VReg, reg: usize) -> Interval {
        self.grf.get(self.base[v.index()] + reg).copied().unwrap_or(Interval::EMPTY)
    }

    /// Takes all payload registers as needed up to the end of a program of `length` instructions.
    pub fn keep_payload(&mut self, length: usize) {
        self.payload_last_use.fill(length);
    }

    /// Largest number of GRFs live at once: those of virtual registers and those of the payload that are still needed.
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
    base: Vec<usize>,
    tracked: Vec<usize>,
    masks: Vec<Vec<u32>>,
}

impl LiveOut {
    /// Computes the sets of `program`.
    #[must_use]
    pub fn new(program: &Program, cfg: &Cfg) -> LiveOut {
        let mut analysis = Analysis::new(program, cfg, Granularity::Byte);
        let sets = analysis.solve();
        let masks = sets.into_iter().map(|s| s.live_out).collect();
        LiveOut { base: analysis.base, tracked: analysis.tracked, masks }
    }

    /// Number of GRFs of all virtual registers.
    #[must_use]
    pub fn grf_count(&self) -> usize {
        self.tracked.len()
    }

    /// Dense number of the GRF at an operand's offset, if it is a virtual register.
    #[must_use]
    pub fn first(&self, operand: &Operand) -> Option<usize> {
        operand.vreg().map(|v| self.base[v.index()] + (operand.offset / REG_SIZE) as usize)
    }

    /// Fills `live` with the masks at the end of `block`, by dense GRF number.
    pub fn load(&self, block: usize, live: &mut [u32]) {
        for (mask, &t) in live.iter_mut().zip(&self.tracked) {
            *mask = if t == usize::MAX { 0 } else { self.masks[block][t] };
        }
    }
}

/// What one block does to one GRF.
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

struct Analysis<'a> {
    program: &'a Program,
    cfg: &'a Cfg,
    base: Vec<usize>,
    granularity: Granularity,
    /// Dense number of each GRF that is live into some block, `usize::MAX` for the others.
    tracked: Vec<usize>,
}

impl<'a> Analysis<'a> {
    fn new(program: &'a Program, cfg: &'a Cfg, granularity: Granularity) -> Analysis<'a> {
        let mut base = Vec::with_capacity(program.vregs.len());
        let mut count = 0;
        for data in program.vregs.values() {
            base.push(count);
            count += usize::from(data.regs);
        }
        Analysis { program, cfg, base, granularity, tracked: vec![usize::MAX; count] }
    }

    /// Calls `f(grf, mask)` for the GRFs of virtual registers that source `index` reads.
    fn reads(&self, inst: &Inst, index: usize, mut f: impl FnMut(usize, u32)) {
        let Some(first) = self.first(&inst.src[index]) else { return };
        for reg in 0..regs_read(inst, index) {
            let mask = match self.granularity {
                Granularity::Byte => src_read_pattern(inst, index, reg),
                Granularity::Register => u32::MAX,
            };
            if mask != 0 {
                f(first + reg as usize, mask);
            }
        }
    }

    /// Calls `f(grf, defined, touched)` for the GRFs of virtual registers that the destination writes.
    fn writes(&self, inst: &Inst, mut f: impl FnMut(usize, u32)) {
        let Some(first) = self.first(&inst.dst) else { return };
        for reg in 0..regs_written(inst) {
            let mut mask = dst_write_pattern(inst, reg);
            if self.granularity == Granularity::Register && mask != u32::MAX {
                mask = 0;
            }
            f(first + reg as usize, mask);
        }
    }

    fn first(&self, operand: &Operand) -> Option<usize> {
        operand.vreg().map(|v| self.base[v.index()] + (operand.offset / REG_SIZE) as usize)
    }

    /// Finds the GRFs with upward-exposed reads, then solves the data-flow equations for them.
    fn solve(&mut self) -> Vec<Sets> {
        let effects = if self.cfg.blocks.len() > 1 { self.effects() } else { Vec::new() };
        let n = self.track(&effects);
        let blank = Sets {
            uses: vec![0; n],
            defs: vec![0; n],
            writes: vec![0; n],
            live_in: vec![0; n],
            live_out: vec![0; n],
            ..Sets::default()
        };
        let mut sets = vec![blank; self.cfg.blocks.len()];
        if n == 0 {
            return sets;
        }
        for effect in &effects {
            let Some(t) = self.tracked_number(effect.grf) else { continue };
            let set = &mut sets[effect.block];
            set.uses[t] = effect.exposed;
            set.defs[t] = effect.defined;
            set.writes[t] = if effect.written { u32::MAX } else { 0 };
        }
        self.solve_live(&mut sets, n);
        sets
    }

    fn tracked_number(&self, grf: usize) -> Option<usize> {
        self.tracked.get(grf).copied().filter(|&t| t != usize::MAX)
    }

    /// What each block does to the GRFs it mentions.
    fn effects(&self) -> Vec<Effect> {
        let mut effects: Vec<Effect> = Vec::new();
        // The last effect on each GRF; it is the current block's if it stands after the block's start.
        let mut last = vec![usize::MAX; self.tracked.len()];
        for (block, range) in self.cfg.blocks.iter().enumerate() {
            let start = effects.len();
            let mut on = |grf: usize, change: &dyn Fn(&mut Effect)| {
                let Some(last) = last.get_mut(grf) else { return };
                if *last == usize::MAX || *last < start {
                    *last = effects.len();
                    effects.push(Effect { block, grf, exposed: 0, defined: 0, written: false });
                }
                change(&mut effects[*last]);
            };
            for inst in &self.program.insts[range.start..range.end] {
                for index in 0..inst.src.len() {
                    self.reads(inst, index, |grf, mask| on(grf, &|e| e.exposed |= mask & !e.defined));
                }
                self.writes(inst, |grf, mask| {
                    on(grf, &|e| {
                        e.defined |= mask;
                        e.written = true;
                    });
                });
            }
        }
        effects
    }

    /// Numbers the GRFs that are read before they are defined in some block; gives how many there are.
    fn track(&mut self, effects: &[Effect]) -> usize {
        for effect in effects.iter().filter(|effect| effect.exposed != 0) {
            self.tracked[effect.grf] = 0;
        }
        let exposed = self.tracked.iter_mut().filter(|t| **t == 0);
        exposed.enumerate().map(|(number, t)| *t = number).count()
    }

    fn solve_live(&self, sets: &mut [Sets], n: usize) {
        let leads_back = |(b, block): (usize, &Block)| block.succs.iter().any(|&s| s <= b);
        // Without loops, one round sees every block after all that follow it.
        let again = self.cfg.blocks.iter().enumerate().any(leads_back);
        let mut changed = true;
        while changed {
            changed = false;
            for b in (0..sets.len()).rev() {
                let mut out = std::mem::take(&mut sets[b].live_out);
                for &s in &self.cfg.blocks[b].succs {
                    out.iter_mut().zip(&sets[s].live_in).for_each(|(out, &live)| *out |= live);
                }
                let set = &mut sets[b];
                set.live_out = out;
                for t in 0..n {
                    let new = set.uses[t] | (set.live_out[t] & !set.defs[t]);
                    changed |= again && new & !set.live_in[t] != 0;
                    set.live_in[t] |= new;
                }
            }
        }
    }

    /// Forward: bytes that may have been written on some path, so that a read of something never written on a
    /// path does not stretch the interval to the program's start.
    fn solve_written(&self, sets: &mut [Sets]) {
        for set in sets.iter_mut() {
            set.written_in.resize(set.writes.len(), 0);
            set.written_out.resize(set.writes.len(), 0);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for b in 0..sets.len() {
                let set = &mut sets[b];
                for ((out, &into), &own) in set.written_out.iter_mut().zip(&set.written_in).zip(&set.writes) {
                    *out |= into | own;
                }
                let out = std::mem::take(&mut sets[b].written_out);
                for &s in &self.cfg.blocks[b].physical_succs {
                    let again = s <= b;
                    for (into, &out) in sets[s].written_in.iter_mut().zip(&out) {
                        changed |= again && out & !*into != 0;
                        *into |= out;
                    }
                }
                sets[b].written_out = out;
            }
        }
    }

    fn intervals(&self, sets: &[Sets]) -> Vec<Interval> {
        let mut grf = vec![Interval::EMPTY; self.tracked.len()];
        for (ip, inst) in self.program.insts.iter().enumerate() {
            for index in 0..inst.src.len() {
                self.reads(inst, index, |g, _| {
                    if let Some(i) = grf.get_mut(g) {
                        i.add(ip);
                    }
                });
            }
            self.writes(inst, |g, _| {
                if let Some(i) = grf.get_mut(g) {
                    i.add(ip);
                }
            });
        }
        for (g, interval) in grf.iter_mut().enumerate() {
            let Some(t) = self.tracked_number(g) else { continue };
            for (block, set) in self.cfg.blocks.iter().zip(sets) {
                if set.live_in[t] & set.written_in[t] != 0 {
                    interval.add(block.start);
                }
                if set.live_out[t] & set.written_out[t] != 0 {
                    interval.add(block.end);
                }
            }
            for l in &self.cfg.loops {
                let after = self.cfg.block_of.get(l.end + 1).copied().unwrap_or(sets.len() - 1);
                let written_inside = interval.start <= l.end;
                if written_inside
                    && sets[after].live_in[t] & sets[after].written_in[t] != 0
                    && interval.start > l.start
                {
                    interval.add(l.start);
                    interval.add(l.end + 1);
                }
            }
        }
        grf
    }
}

/// Instruction index up to which each payload register is needed. Payload is defined once, at thread start, so
/// a use inside a loop counts as a use at the end of the outermost loop around it.
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
                // A two-register operand may still be read after the first half of the destination is written.
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
