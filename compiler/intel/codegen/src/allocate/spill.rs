//! Choice of registers to spill, and spill code through scratch messages.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::lir::cfg::Cfg;
use crate::lir::{File, Inst, Message, MessageKind, Op, Operand, Program, REG_SIZE, Type, VReg};
use crate::liveness::{Interval, Liveness};
use crate::model::Model;
use crate::pattern::{dst_write_pattern, regs_read, regs_written};
use crate::sends;
use cranelift_entity::{EntityRef, SecondaryMap};

use super::graph::{GRF_COUNT, Graph};

/// Remark of fill messages.
pub(super) const FILL: &str = "fill";
/// Remark of spill messages and of the moves that feed them.
pub(super) const SPILL: &str = "spill";

/// State of spilling across rounds of allocation.
#[derive(Clone, Debug, Default)]
pub(super) struct Spiller {
    /// Next free byte of scratch memory.
    pub scratch_bytes: u32,
    /// Registers written to scratch.
    pub spills: u32,
    /// Registers read back.
    pub fills: u32,
    /// Registers that spilling must not choose: temporaries of spill code.
    pub(super) pinned: Vec<VReg>,
    /// GRFs to keep free in the next round of spilling by pressure.
    pub reserve: u32,
}

/// GRFs more to keep free in each further round of spilling by pressure: the temporaries of spill
/// code need some, too.
const RESERVE_PER_ROUND: u32 = 4;

/// Registers one scratch message moves at most.
const MAX_BLOCK: u32 = 4;

/// Cost of every virtual register: loads and stores weighted by loop depth; `None` where spilling
/// is impossible.
#[must_use]
pub(super) fn costs(program: &Program, cfg: &Cfg, spiller: &Spiller) -> Vec<Option<f64>> {
    let mut cost: Vec<Option<f64>> = vec![Some(0.0); program.vregs.len()];
    for &v in &spiller.pinned {
        cost[v.index()] = None;
    }
    for block in &cfg.blocks {
        let weight = 10f64.powi(block.loop_depth.min(12) as i32);
        for inst in &program.insts[block.start..block.end] {
            let eot = inst.message.as_ref().is_some_and(|m| m.eot);
            for (index, src) in inst.src.iter().enumerate() {
                if let Some(entry) = src.vreg().and_then(|v| cost.get_mut(v.index())) {
                    if eot {
                        *entry = None;
                    } else if let Some(c) = entry {
                        *c += weight * f64::from(regs_read(inst, index));
                    }
                }
            }
            if let Some(Some(c)) = inst.dst.vreg().and_then(|v| cost.get_mut(v.index())) {
                *c += weight * f64::from(regs_written(inst));
            }
        }
    }
    cost
}

/// The `count` registers whose spilling relieves most per cost, best first; fewer if fewer can be
/// spilled.
#[must_use]
pub(super) fn choose(
    program: &Program,
    graph: &Graph,
    costs: &[Option<f64>],
    count: usize,
) -> Vec<VReg> {
    let mut candidates = Vec::new();
    for v in program.vregs.keys() {
        let Some(cost) = costs.get(v.index()).copied().flatten() else { continue };
        let pressure = graph.pressure(v);
        if cost > 0.0 && pressure > 0 {
            candidates.push((f64::from(pressure) / cost, v));
        }
    }
    candidates.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    candidates.into_iter().take(count).map(|(_, v)| v).collect()
}

/// Instructions of the shortest interval that [`relieve`] spills: the temporaries of spill code
/// live as long as a shorter one.
const SHORTEST_RELIEF: usize = 4;

/// Registers whose spilling leaves `reserve` GRFs free at every instruction: where too many are
/// live, those that cost least per GRF and instruction of their interval.
#[must_use]
pub(super) fn relieve(
    program: &Program,
    liveness: &Liveness,
    costs: &[Option<f64>],
    reserve: u32,
) -> Vec<VReg> {
    let mut parts: Vec<(VReg, Interval)> = Vec::with_capacity(program.vregs.len());
    for (v, data) in program.vregs.iter() {
        parts.extend(intervals(liveness, v, usize::from(data.regs)).map(|part| (v, part)));
    }
    parts.sort_by_key(|&(v, part)| (part.start, v));
    let mut payload_ends = liveness.payload_last_use.clone();
    payload_ends.sort_unstable();
    let mut live_ends: BinaryHeap<Reverse<(usize, VReg)>> = BinaryHeap::new();
    let mut candidates: BinaryHeap<Reverse<(u64, VReg)>> = BinaryHeap::new();
    let mut spilled: SecondaryMap<VReg, bool> = SecondaryMap::new();
    // Live GRFs of each register, and of all that are not spilled.
    let mut held: SecondaryMap<VReg, u32> = program.vreg_table();
    let mut live = 0;
    let mut victims = Vec::new();
    for begun in parts.chunk_by(|a, b| (a.0, a.1.start) == (b.0, b.1.start)) {
        let (v, now) = (begun[0].0, begun[0].1.start);
        while let Some(&Reverse((end, ended))) = live_ends.peek() {
            if end > now {
                break;
            }
            live_ends.pop();
            held[ended] -= 1;
            live -= u32::from(!spilled[ended]);
        }
        held[v] += begun.len() as u32;
        live_ends.extend(begun.iter().map(|(_, part)| Reverse((part.end.max(now + 1), v))));
        if spilled[v] {
            continue;
        }
        live += begun.len() as u32;
        let price = price(liveness, v, usize::from(program.vregs[v].regs), costs[v.index()]);
        candidates.extend(price.map(|price| Reverse((price, v))));
        let payload = payload_ends.partition_point(|&end| end <= now);
        let payload = (payload_ends.len() - payload) as u32;
        while live + payload + reserve > GRF_COUNT {
            let Some(Reverse((_, victim))) = candidates.pop() else { break };
            if held[victim] > 0 && !spilled[victim] {
                live -= held[victim];
                spilled[victim] = true;
                victims.push(victim);
            }
        }
    }
    victims
}

/// Intervals of the GRFs of `v` that are used at all.
fn intervals(liveness: &Liveness, v: VReg, regs: usize) -> impl Iterator<Item = Interval> + '_ {
    (0..regs).map(move |r| liveness.grf_interval(v, r)).filter(|interval| !interval.is_empty())
}

/// Cost of spilling `v` per GRF and instruction at which it is live, as bits ordered like the
/// number; `None` for registers that cannot be spilled or whose spilling relieves nothing.
fn price(liveness: &Liveness, v: VReg, regs: usize, cost: Option<f64>) -> Option<u64> {
    let length = |interval: Interval| interval.end.max(interval.start + 1) - interval.start;
    let area: usize = intervals(liveness, v, regs).map(length).sum();
    let is_long = length(liveness.interval(v)) >= SHORTEST_RELIEF;
    let cost = cost.filter(|&cost| cost > 0.0 && is_long)?;
    Some((cost / area as f64).to_bits())
}

impl Spiller {
    /// Spills by pressure, each time with more GRFs kept free. Returns false where that spills
    /// nothing.
    pub(super) fn relieve(
        &mut self,
        program: &mut Program,
        model: &Model,
        cfg: &Cfg,
        liveness: &Liveness,
    ) -> bool {
        let costs = costs(program, cfg, self);
        let victims = relieve(program, liveness, &costs, self.reserve);
        self.reserve += RESERVE_PER_ROUND;
        self.spill(program, model, &victims);
        !victims.is_empty()
    }

    /// Moves the values of `victims` to scratch memory in one walk over the program: every
    /// instruction that uses one gets a temporary of its own, filled before and stored after. The
    /// victims themselves are pinned.
    pub(super) fn spill(&mut self, program: &mut Program, model: &Model, victims: &[VReg]) {
        let mut slots: SecondaryMap<VReg, Option<u32>> = SecondaryMap::new();
        for &victim in victims {
            slots[victim] = Some(self.scratch_bytes);
            self.scratch_bytes += u32::from(program.vregs[victim].regs) * REG_SIZE;
        }
        self.pinned.extend_from_slice(victims);
        let slot_of = |operand: &Operand| operand.vreg().and_then(|v| slots[v]);
        let old = std::mem::take(&mut program.insts);
        // Outside of IFs and loops every channel that is ever live is enabled.
        let mut nesting = 0usize;
        for mut inst in old {
            match inst.op {
                Op::If | Op::Do => nesting += 1,
                Op::Endif | Op::While => nesting = nesting.saturating_sub(1),
                _ => {}
            }
            for index in 0..inst.src.len() {
                if let Some(slot) = slot_of(&inst.src[index]) {
                    let first = inst.src[index].offset / REG_SIZE;
                    let count = regs_read(&inst, index);
                    let temp = self.temporary(program, count);
                    self.fill(
                        program,
                        model,
                        Operand::vgrf(temp, Type::UD),
                        slot + first * REG_SIZE,
                        count,
                    );
                    inst.src[index].file = File::Vgrf(temp);
                    inst.src[index].offset -= first * REG_SIZE;
                }
            }
            match slot_of(&inst.dst) {
                Some(slot) if inst.op != Op::Undef => {
                    self.push_stored(program, model, inst, slot, nesting == 0);
                }
                Some(_) => {}
                None => program.insts.push(inst),
            }
        }
    }

    /// Appends `inst`, whose destination lives at byte `slot` of scratch memory, with its loads and
    /// stores.
    fn push_stored(
        &mut self,
        program: &mut Program,
        model: &Model,
        mut inst: Inst,
        slot: u32,
        all_enabled: bool,
    ) {
        let first = inst.dst.offset / REG_SIZE;
        let count = regs_written(&inst);
        // One register before the data for the message header.
        let temp = self.temporary(program, count + 1);
        let data = Operand::vgrf(temp, Type::UD).byte_offset(REG_SIZE);
        let whole = (0..count).all(|r| dst_write_pattern(&inst, r) == u32::MAX);
        if !(whole && (inst.no_mask || all_enabled)) {
            self.fill(program, model, data, slot + first * REG_SIZE, count);
        }
        inst.dst.file = File::Vgrf(temp);
        inst.dst.offset = inst.dst.offset - first * REG_SIZE + REG_SIZE;
        let line = inst.line;
        program.insts.push(inst);
        let stores = program.insts.len();
        self.store(program, Operand::vgrf(temp, Type::UD), slot + first * REG_SIZE, count);
        program.set_lines(stores, line);
    }

    fn temporary(&mut self, program: &mut Program, regs: u32) -> VReg {
        let v = program.vreg(regs);
        self.pinned.push(v);
        v
    }

    /// Reads `count` registers at byte `slot` of scratch into `dst`.
    fn fill(&mut self, program: &mut Program, model: &Model, dst: Operand, slot: u32, count: u32) {
        let mut done = 0;
        while done < count {
            let n = block(count - done);
            let register = slot / REG_SIZE + done;
            let (payload, message) = if register + n <= sends::SCRATCH_BLOCK_REGS {
                (Operand::grf(0, Type::UD), sends::scratch_block_read(model, register, n))
            } else {
                let header = Operand::vgrf(self.temporary(program, 1), Type::UD);
                push_header(program, header, register * REG_SIZE, FILL);
                (header, oword_block(n, false))
            };
            let mut inst = Inst::new(Op::Send, 8, dst.byte_offset(done * REG_SIZE), &[payload]);
            inst.no_mask = true;
            inst.message = Some(message);
            inst.remark = FILL;
            program.insts.push(inst);
            self.fills += 1;
            done += n;
        }
    }

    /// Writes the `count` registers after the first one of `temp` to byte `slot` of scratch. The
    /// register before each block is used as header, so later blocks go through a payload of
    /// their own.
    fn store(&mut self, program: &mut Program, temp: Operand, slot: u32, count: u32) {
        let mut done = 0;
        while done < count {
            let n = block(count - done);
            let payload = if done == 0 {
                temp
            } else {
                let payload = Operand::vgrf(self.temporary(program, n + 1), Type::UD);
                for r in 0..n {
                    let from = temp.byte_offset((1 + done + r) * REG_SIZE);
                    push_mov(program, 8, payload.byte_offset((1 + r) * REG_SIZE), from, SPILL);
                }
                payload
            };
            push_header(program, payload, slot + done * REG_SIZE, SPILL);
            let mut inst = Inst::new(Op::Send, 8, Operand::null(Type::UW), &[payload]);
            inst.no_mask = true;
            inst.message = Some(oword_block(n, true));
            inst.remark = SPILL;
            program.insts.push(inst);
            self.spills += 1;
            done += n;
        }
    }
}

/// The largest block not above `count`: 1, 2 or 4 registers.
fn block(count: u32) -> u32 {
    match count {
        0 | 1 => 1,
        2 | 3 => 2,
        _ => MAX_BLOCK,
    }
}

/// Makes `header` that of a message to byte `slot` of scratch.
fn push_header(program: &mut Program, header: Operand, slot: u32, remark: &'static str) {
    push_mov(program, 8, header, Operand::grf(0, Type::UD), remark);
    push_mov(program, 1, header.byte_offset(8), Operand::ud(slot / 16), remark);
}

fn push_mov(
    program: &mut Program,
    exec_size: u8,
    dst: Operand,
    src: Operand,
    remark: &'static str,
) {
    let mut inst = Inst::new(Op::Mov, exec_size, dst, &[src]);
    inst.no_mask = true;
    inst.remark = remark;
    program.insts.push(inst);
}

/// Moves `regs` registers to or from the place that the header says.
fn oword_block(regs: u32, write: bool) -> Message {
    Message {
        sfid: intel_isa::Sfid::DataCache,
        control: sends::oword_block_control(sends::BTI_STATELESS, regs * 2, write),
        mlen: if write { (1 + regs) as u8 } else { 1 },
        ex_mlen: 0,
        rlen: if write { 0 } else { regs as u8 },
        header: true,
        eot: false,
        kind: if write { MessageKind::ScratchWrite } else { MessageKind::ScratchRead },
    }
}
