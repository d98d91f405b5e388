//! Rematerialization: values that one instruction computes from the thread's payload or from
//! constants are computed again where they are used, instead of occupying registers in between.

use super::spill::relieve;
use crate::lir::cfg::Cfg;
use crate::lir::{File, Inst, Op, Program, REG_SIZE, VReg};
use crate::liveness::Liveness;
use cranelift_entity::{EntityRef, SecondaryMap};

/// Maximum number of rounds.
const MAX_ROUNDS: u32 = 4;
/// GRFs more to keep free in each further round.
const RESERVE_PER_ROUND: u32 = 2;
/// Instructions after which a value is computed once more.
const REUSE_DISTANCE: usize = 8;

/// State of rematerialization across rounds of allocation.
#[derive(Clone, Debug, Default)]
pub(super) struct Rematerializer {
    rounds: u32,
    /// Copies of values, which stay.
    pinned: Vec<VReg>,
}

impl Rematerializer {
    /// Rematerializes the values that relieve most where too many registers are live. Returns false
    /// where none helps. Does not change the meaning of the program.
    pub(super) fn relieve(
        &mut self,
        program: &mut Program,
        cfg: &Cfg,
        liveness: &Liveness,
    ) -> bool {
        while self.rounds < MAX_ROUNDS {
            let definitions = self.definitions(program);
            let costs = costs(program, cfg, &definitions);
            let victims = relieve(program, liveness, &costs, self.rounds * RESERVE_PER_ROUND);
            self.rounds += 1;
            if !victims.is_empty() {
                self.compute_at_uses(program, &definitions, &victims);
                return true;
            }
        }
        false
    }

    /// The instruction of each value that can be computed anywhere.
    fn definitions(&self, program: &Program) -> SecondaryMap<VReg, Option<usize>> {
        let mut definitions = program.vreg_table();
        let mut writes = program.vreg_table::<u32>();
        let changed: Vec<u32> = program.insts.iter().flat_map(registers_changed).collect();
        for (at, inst) in program.insts.iter().enumerate() {
            let Some(v) = inst.dst.vreg().filter(|_| inst.op != Op::Undef) else { continue };
            writes[v] += 1;
            let is_only = writes[v] == 1 && is_computable(program, &changed, inst, v);
            definitions[v] = is_only.then_some(at);
        }
        for &v in &self.pinned {
            definitions[v] = None;
        }
        definitions
    }

    /// Puts a copy of the definitions of `victims` before their uses. A copy serves the next
    /// few instructions.
    fn compute_at_uses(
        &mut self,
        program: &mut Program,
        definitions: &SecondaryMap<VReg, Option<usize>>,
        victims: &[VReg],
    ) {
        let mut values: SecondaryMap<VReg, Option<Inst>> = program.vreg_table();
        for &v in victims {
            values[v] = definitions[v].map(|at| program.insts[at].clone());
        }
        // The latest copy of each value, with its position.
        let mut copies: SecondaryMap<VReg, Option<(VReg, usize)>> = program.vreg_table();
        let mut known: Vec<VReg> = Vec::new();
        for (at, mut inst) in program.take_insts().into_iter().enumerate() {
            if inst.op.info().control_flow {
                known.drain(..).for_each(|v| copies[v] = None);
            }
            if inst.dst.vreg().is_some_and(|v| values[v].is_some()) {
                continue;
            }
            for src in &mut inst.src {
                let Some(v) = src.vreg() else { continue };
                let Some(value) = &values[v] else { continue };
                let near = copies[v].filter(|copy| at - copy.1 <= REUSE_DISTANCE);
                let temp = match near {
                    Some((temp, _)) => temp,
                    None => {
                        let mut copy = value.clone();
                        let temp = program.vreg(u32::from(program.vregs[v].regs));
                        copy.dst.file = File::Vgrf(temp);
                        // Neighbors in the quad may read it for channels that are disabled here.
                        copy.no_mask = true;
                        program.insts.push(copy);
                        self.pinned.push(temp);
                        copies[v] = Some((temp, at));
                        known.push(v);
                        temp
                    }
                };
                src.file = File::Vgrf(temp);
            }
            program.insts.push(inst);
        }
    }
}

/// The fixed registers that an instruction writes.
fn registers_changed(inst: &Inst) -> std::ops::Range<u32> {
    let start = inst.dst.grf_byte();
    let end = start.map_or(0, |start| (start + inst.bytes_written()).div_ceil(REG_SIZE));
    start.map_or(0, |start| start / REG_SIZE)..end
}

/// The instruction defines all of `v` from constants and the thread's payload.
fn is_computable(program: &Program, changed: &[u32], inst: &Inst, v: VReg) -> bool {
    let is_whole = inst.dst.offset == 0
        && inst.dst.stride() == Some(1)
        && inst.bytes_written() == u32::from(program.vregs[v].regs) * REG_SIZE;
    let payload_end = u32::from(program.payload_regs) * REG_SIZE;
    let is_fixed = |(index, src): (usize, &crate::lir::Operand)| match src.file {
        File::Imm(_) => true,
        File::Grf(_) => {
            let end = |byte: u32| byte + inst.bytes_read(index);
            let is_kept = |byte: u32| {
                !changed.iter().any(|&nr| nr * REG_SIZE < end(byte) && byte < (nr + 1) * REG_SIZE)
            };
            src.grf_byte().is_some_and(|byte| end(byte) <= payload_end && is_kept(byte))
        }
        _ => false,
    };
    is_cheap(inst)
        && is_whole
        && inst.predicate.is_none()
        && inst.cond.is_none()
        && !inst.touches_accumulator()
        && inst.src.iter().enumerate().all(is_fixed)
}

/// One instruction of a few cycles that reads nothing but its sources.
fn is_cheap(inst: &Inst) -> bool {
    let is_simple = matches!(
        inst.op,
        Op::Mov
            | Op::Pln
            | Op::Not
            | Op::And
            | Op::Or
            | Op::Xor
            | Op::Shr
            | Op::Shl
            | Op::Asr
            | Op::Bfe
            | Op::Add
            | Op::Mul
            | Op::Mad
    );
    let is_wide = inst.has_64bit() || (inst.op == Op::Mul && inst.dst.ty.is_integer());
    is_simple && !is_wide
}

/// Instructions that rematerialization adds for each value, weighted by loop depth; `None` for
/// values that it does not suit.
fn costs(
    program: &Program,
    cfg: &Cfg,
    definitions: &SecondaryMap<VReg, Option<usize>>,
) -> Vec<Option<f64>> {
    let mut cost: Vec<Option<f64>> = vec![None; program.vregs.len()];
    for v in program.vregs.keys() {
        cost[v.index()] = definitions[v].map(|_| 0.0);
    }
    for block in &cfg.blocks {
        let weight = 10f64.powi(block.loop_depth.min(12) as i32);
        for inst in &program.insts[block.start..block.end] {
            for v in inst.src.iter().filter_map(crate::lir::Operand::vreg) {
                if let Some(cost) = &mut cost[v.index()] {
                    *cost += weight;
                }
            }
        }
    }
    cost
}
