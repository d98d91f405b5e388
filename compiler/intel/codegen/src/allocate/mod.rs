//! Register allocation: graph coloring with rematerialization and spilling, and a checker that
//! re-proves the result.

pub mod checker;
pub mod graph;
mod rematerialize;
mod rewrite;
mod sink;
mod spill;
#[cfg(test)]
mod tests;

use crate::error::CompileError;
use crate::lir::cfg::Cfg;
use crate::lir::{Program, REG_SIZE, VReg};
use crate::liveness::Liveness;
use crate::model::{Model, Quirk};
use cranelift_entity::EntityRef;
use graph::{Extent, Graph};
use rematerialize::Rematerializer;
use rewrite::rewrite;
use sink::sink;
use spill::Spiller;
use vocabulary::{LivenessGranularity, PayloadInterference};

/// Maximum number of virtual registers of a program: a bound on the time that a hostile shader
/// takes.
const MAX_REGISTERS: usize = 60_000;

/// Settings of an allocation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings {
    /// Spilling is allowed; otherwise a program that does not fit is an error.
    pub allow_spill: bool,
    /// Spill everything that can be spilled before the first attempt.
    pub spill_all: bool,
    /// Run the checker on the result.
    pub check: bool,
    /// Granularity of the liveness analysis.
    pub granularity: LivenessGranularity,
    /// Interference of payload registers.
    pub payload: PayloadInterference,
}

/// Result of an allocation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allocation {
    /// Scratch messages that write.
    pub spills: u32,
    /// Scratch messages that read.
    pub fills: u32,
    /// Bytes of scratch per thread: 0 or a power of two of at least 1024.
    pub scratch_bytes: u32,
    /// Largest number of GRFs live at once before anything was spilled, payload included.
    pub max_live: u32,
}

/// Replaces virtual registers by general registers, spilling to scratch memory from byte
/// `scratch_base` on where they do not fit. Sends that end the thread get their payload in g112 …
/// g127.
///
/// # Errors
/// The program does not fit, and spilling is not allowed or does not help.
pub fn allocate(
    program: &mut Program,
    model: &Model,
    settings: Settings,
    scratch_base: u32,
) -> Result<Allocation, CompileError> {
    if program.vregs.len() > MAX_REGISTERS {
        return Err(CompileError::allocate(format!(
            "{} virtual registers are too many",
            program.vregs.len()
        )));
    }
    program.forget_analyses();
    let mut original = settings.check.then(|| program.clone());
    let mut recomputation = Recomputation::default();
    let mut spiller =
        Spiller { scratch_bytes: scratch_base.next_multiple_of(REG_SIZE), ..Spiller::default() };
    if settings.spill_all {
        spill_everything(program, model, &mut spiller);
    }
    let first_round_budget = program.vregs.len() + 65;
    let mut max_live = None;
    for _ in 0..first_round_budget {
        let cfg = Cfg::new(program);
        let mut liveness = Liveness::with_granularity(program, &cfg, settings.granularity);
        if settings.payload == PayloadInterference::All {
            liveness.keep_payload(program.insts.len());
        }
        let live = liveness.max_live(program.insts.len()) as u32;
        let max_live = *max_live.get_or_insert(live);
        // The checker compares with the program without spills.
        let may_recompute = spiller.pinned.is_empty() && !settings.spill_all;
        // Coloring would fail.
        let hopeless = live > graph::GRF_COUNT;
        if hopeless && may_recompute && recomputation.relieve(program, &cfg, &liveness) {
            original = settings.check.then(|| program.clone());
            continue;
        }
        if hopeless && !settings.allow_spill {
            return Err(refusal(live - graph::GRF_COUNT));
        }
        if hopeless && spiller.relieve(program, model, &cfg, &liveness) {
            continue;
        }
        match color(program, model, &liveness) {
            Ok(starts) => {
                match &original {
                    Some(original) => {
                        let virtual_program = program.clone();
                        rewrite(program, &starts);
                        checker::check(original, &virtual_program, program, &starts, scratch_base)?;
                    }
                    None => rewrite(program, &starts),
                }
                let used = spiller.scratch_bytes;
                return Ok(Allocation {
                    spills: spiller.spills,
                    fills: spiller.fills,
                    scratch_bytes: if used == 0 { 0 } else { used.next_power_of_two().max(1024) },
                    max_live,
                });
            }
            Err(Failure { graph, failed }) => {
                if may_recompute && recomputation.relieve(program, &cfg, &liveness) {
                    original = settings.check.then(|| program.clone());
                    continue;
                }
                if !settings.allow_spill {
                    return Err(refusal(failed.len() as u32));
                }
                if spiller.reserve > 0 && spiller.relieve(program, model, &cfg, &liveness) {
                    continue;
                }
                // Several at once when far off, so that large programs converge in few rounds.
                let costs = spill::costs(program, &cfg, &spiller);
                let victims = spill::choose(program, &graph, &costs, failed.len().div_ceil(4));
                if victims.is_empty() {
                    return Err(CompileError::allocate("nothing left to spill"));
                }
                spiller.spill(program, model, &victims);
            }
        }
    }
    Err(CompileError::allocate("spilling does not converge"))
}

/// The error of a program that does not fit without spilling.
fn refusal(registers: u32) -> CompileError {
    CompileError::allocate(format!("{registers} registers do not fit"))
}

/// Ways to need fewer registers without scratch memory: values are computed later, once, or again.
#[derive(Default)]
struct Recomputation {
    has_sunk: bool,
    rematerializer: Rematerializer,
}

impl Recomputation {
    /// Returns whether it changed the program. Does not change the meaning of the program.
    fn relieve(&mut self, program: &mut Program, cfg: &Cfg, liveness: &Liveness) -> bool {
        let may_sink = !std::mem::replace(&mut self.has_sunk, true);
        (may_sink && sink(program, cfg, liveness))
            || self.rematerializer.relieve(program, cfg, liveness)
    }
}

/// A coloring that failed.
struct Failure {
    graph: Graph,
    /// The virtual registers without a place.
    failed: Vec<VReg>,
}

/// First GRF of each virtual register. Registers that are not yet needed, or not any more, are left
/// to others only where that decides: it makes instructions wait for each other.
fn color(
    program: &Program,
    model: &Model,
    liveness: &Liveness,
) -> Result<Vec<Option<u8>>, Failure> {
    let attempt = |extent| {
        let mut graph = Graph::new(program, liveness, extent);
        if model.handles(Quirk::Gen8R127) {
            graph.keep_responses_below_r127(program);
        }
        graph.color().map_err(|failed| Failure { graph, failed })
    };
    attempt(Extent::Whole).or_else(|_| attempt(Extent::Parts))
}

fn spill_everything(program: &mut Program, model: &Model, spiller: &mut Spiller) {
    let cfg = Cfg::new(program);
    let costs = spill::costs(program, &cfg, spiller);
    let victims: Vec<VReg> =
        program.vregs.keys().filter(|v| costs[v.index()].is_some_and(|cost| cost > 0.0)).collect();
    spiller.spill(program, model, &victims);
}
