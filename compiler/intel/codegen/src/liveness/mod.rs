//! Byte-granular liveness of virtual registers and last uses of payload registers.
//!
//! Sets are kept per GRF of a virtual register as a 32-bit mask of its bytes, and only for the
//! blocks that it is live into or out of; most GRFs live inside one block. Live *intervals* are
//! contiguous ranges of instruction indices, `[definition, last use]`.
//!
//! Two facts about divergent control flow widen the intervals: the other arm of an IF runs after
//! the first (covered because intervals have no holes), and channels that left a loop wait while
//! others iterate, so what is defined in a loop and used after it is live throughout that loop.

mod byte_accesses;
mod data_flow;
mod live_out;

use crate::lir::cfg::Cfg;
use crate::lir::{File, Program, VReg};
use crate::pattern::{regs_read, regs_written};
pub use byte_accesses::{ByteAccess, ByteAccesses};
use cranelift_entity::EntityRef;
use data_flow::{LiveBlocks, OutermostLoops, for_each_crossing};
pub use live_out::LiveOut;
use std::rc::Rc;
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
    accesses: Rc<ByteAccesses>,
    /// Interval of each GRF of each virtual register.
    grf: Vec<Interval>,
    /// Interval of each virtual register as a whole.
    vreg: Vec<Interval>,
    /// Instruction index after which each payload register is free; 0 if it is never used.
    pub payload_last_use: Vec<usize>,
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
        Liveness::of_accesses(program, cfg, Rc::new(ByteAccesses::new(program, granularity)))
    }

    /// Computes liveness from the accesses of `program`.
    #[must_use]
    pub fn of_accesses(program: &Program, cfg: &Cfg, accesses: Rc<ByteAccesses>) -> Liveness {
        let grf = grf_intervals(&accesses, cfg);
        let vreg = program
            .vregs
            .iter()
            .map(|(v, data)| {
                let first = accesses.first_grf(v.index());
                grf[first..first + usize::from(data.regs)].iter().filter(|i| !i.is_empty()).fold(
                    Interval::EMPTY,
                    |acc, i| Interval { start: acc.start.min(i.start), end: acc.end.max(i.end) },
                )
            })
            .collect();
        let payload_last_use = payload_last_use(program, cfg);
        Liveness { accesses, grf, vreg, payload_last_use }
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

    /// Largest number of GRFs live at once in a program of `instructions` instructions: those of
    /// virtual registers and those of the payload that are still needed.
    #[must_use]
    pub fn max_live(&self, instructions: usize) -> usize {
        let mut delta = vec![0isize; instructions + 2];
        for interval in self.grf.iter().filter(|interval| !interval.is_empty()) {
            delta[interval.start] += 1;
            delta[interval.end.max(interval.start + 1)] -= 1;
        }
        for &last in &self.payload_last_use {
            delta[0] += 1;
            delta[last.min(instructions)] -= 1;
        }
        let (mut live, mut most) = (0, 0);
        for d in delta {
            live += d;
            most = most.max(live);
        }
        usize::try_from(most).unwrap_or(0)
    }
}

/// Intervals of all GRFs, by dense number.
fn grf_intervals(accesses: &ByteAccesses, cfg: &Cfg) -> Vec<Interval> {
    let mut intervals = vec![Interval::EMPTY; accesses.grf_count()];
    let insts = cfg.blocks.last().map_or(0, |block| block.end);
    for ip in 0..insts {
        for access in accesses.reads(ip).iter().chain(accesses.writes(ip)) {
            intervals[access.grf].add(ip);
        }
    }
    let outermost = OutermostLoops::new(cfg);
    for_each_crossing(accesses, cfg, |grf, effects, live| {
        let first_write = effects.iter().find(|effect| effect.written).map(|effect| effect.block);
        let Some(first_write) = first_write else { return };
        let reaches = |block| outermost.reaches(first_write, block);
        let until = |block| first_write == block || reaches(block);
        stretch(&mut intervals[grf], cfg, live, reaches, until);
    });
    intervals
}

/// Stretches the interval of a GRF over the blocks that it is live into or out of, where it may
/// have been written `before` a block or `until` its end: a read of something never written on a
/// path does not stretch the interval to the program's start.
fn stretch(
    interval: &mut Interval,
    cfg: &Cfg,
    live: &LiveBlocks,
    before: impl Fn(usize) -> bool,
    until: impl Fn(usize) -> bool,
) {
    let needed_at = |block: usize| live.into(block) != 0 && before(block);
    for &block in live.touched() {
        if needed_at(block) {
            interval.add(cfg.blocks[block].start);
        }
        if live.out_of(block) != 0 && until(block) {
            interval.add(cfg.blocks[block].end);
        }
    }
    for l in &cfg.loops {
        let last = cfg.blocks.len() - 1;
        let after = cfg.block_of.get(l.end + 1).copied().unwrap_or(last);
        let written_inside = interval.start <= l.end;
        if written_inside && needed_at(after) && interval.start > l.start {
            interval.add(l.start);
            interval.add(l.end + 1);
        }
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
