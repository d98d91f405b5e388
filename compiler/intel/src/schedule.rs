//! List scheduling of allocated programs, and the static cycle estimate that drives it.
//!
//! The model is coarse: an instruction issues in two cycles (four when sixteen wide), its result is there after
//! [`Model::latency`]. Times are estimates of our own, good for comparing our programs with each other.

use crate::allocate::graph::run;
use crate::lir::cfg::Cfg;
use crate::lir::{Arf, File, Inst, MessageKind, Op, Operand, Program, REG_SIZE};
use crate::model::Model;
use crate::pattern::{regs_read, regs_written};
use smallvec::SmallVec;

/// Blocks longer than this keep their order: the search for the next instruction is quadratic.
const MAX_BLOCK: usize = 2000;

/// Things instructions depend on each other through: 128 registers, two accumulators, four flag subregisters,
/// other architecture state, memory.
const RESOURCES: usize = 136;
const ACCUMULATOR: usize = 128;
const FLAGS: usize = 130;
const STATE: usize = 134;
const MEMORY: usize = 135;

/// Reorders the instructions of each block so that results are asked for late: of those whose operands are
/// available the one on the longest remaining path goes first. Works on allocated programs and changes no
/// registers, so it can neither cause spills nor change results. Gives whether the order is another.
pub fn schedule(program: &mut Program, model: &Model) -> bool {
    let cfg = Cfg::new(program);
    let mut changed = false;
    for block in &cfg.blocks {
        let first =
            block.start + usize::from(program.insts.get(block.start).is_some_and(|i| i.op.starts_block()));
        let mut last = block.end;
        // Control flow, and what ends the thread, stays where it is.
        while last > first && is_fixed(&program.insts[last - 1]) {
            last -= 1;
        }
        if last <= first + 1 || last - first > MAX_BLOCK {
            continue;
        }
        let order = order(&program.insts[first..last], model);
        changed |= !order.is_sorted();
        permute(&mut program.insts[first..last], &order);
    }
    changed
}

/// Brings what stands at `order[k]` to place `k`, for all `k`.
fn permute(insts: &mut [Inst], order: &[usize]) {
    for k in 0..order.len() {
        // What stood at a place before this one was exchanged with what stands where its order leads.
        let mut from = order[k];
        while from < k {
            from = order[from];
        }
        insts.swap(k, from);
    }
}

fn is_fixed(inst: &Inst) -> bool {
    inst.op.info().control_flow || inst.message.as_ref().is_some_and(|m| m.eot)
}

/// A set of resources.
#[derive(Clone, Copy, Default)]
struct Set {
    /// One bit for each register.
    registers: u128,
    /// One bit for each of the others, from `ACCUMULATOR` on.
    others: u8,
}

impl Set {
    fn insert(&mut self, resource: usize) {
        self.others |= 1 << (resource - ACCUMULATOR);
    }

    fn contains(self, resource: usize) -> bool {
        if resource < ACCUMULATOR {
            self.registers >> resource & 1 != 0
        } else {
            self.others >> (resource - ACCUMULATOR) & 1 != 0
        }
    }

    /// Ascending.
    fn iter(mut self) -> impl Iterator<Item = usize> {
        std::iter::from_fn(move || {
            if self.registers != 0 {
                let register = self.registers.trailing_zeros();
                self.registers &= self.registers - 1;
                return Some(register as usize);
            }
            let other = self.others.trailing_zeros() as usize;
            self.others &= self.others.wrapping_sub(1);
            (other < RESOURCES - ACCUMULATOR).then_some(ACCUMULATOR + other)
        })
    }
}

/// Resources that an instruction reads and writes.
#[derive(Clone, Copy, Default)]
struct Access {
    reads: Set,
    writes: Set,
}

fn access(inst: &Inst) -> Access {
    let mut a = Access::default();
    for (index, src) in inst.src.iter().enumerate() {
        add_operand(&mut a.reads, src, regs_read(inst, index));
    }
    add_operand(&mut a.writes, &inst.dst, regs_written(inst));
    if inst.predicate.is_some() {
        (FLAGS..STATE).for_each(|flag| a.reads.insert(flag));
    }
    if inst.is_predicated_write() {
        // What the predicate leaves out stays.
        add_operand(&mut a.reads, &inst.dst, regs_written(inst));
    }
    if inst.writes_flag() {
        a.writes.insert(FLAGS + usize::from(inst.flag & 3));
    }
    // Integer products, carries and MAC leave traces in the accumulator whether asked to or not.
    if inst.touches_accumulator() {
        a.reads.insert(ACCUMULATOR);
        a.writes.insert(ACCUMULATOR);
    }
    // The mode bits hold for everything that follows.
    a.reads.insert(STATE);
    match inst.message.as_ref().map(|m| m.kind) {
        None if inst.op == Op::Await => a.writes.insert(MEMORY),
        None => {}
        Some(MessageKind::ConstantLoad | MessageKind::Sample) => {}
        Some(MessageKind::ScratchRead | MessageKind::UrbRead) => a.reads.insert(MEMORY),
        Some(_) => {
            a.reads.insert(MEMORY);
            a.writes.insert(MEMORY);
        }
    }
    a
}

/// Adds what an operand of `count` registers stands in.
fn add_operand(set: &mut Set, operand: &Operand, count: u32) {
    match operand.file {
        File::Grf(_) => {
            set.registers |= operand.grf_byte().map_or(0, |byte| run(byte / REG_SIZE, count));
        }
        File::Arf(Arf::Accumulator(_)) => set.insert(ACCUMULATOR),
        File::Arf(Arf::Flag(n)) => (0..2).for_each(|i| set.insert(FLAGS + 2 * usize::from(n & 1) + i)),
        File::Arf(_) => set.insert(STATE),
        _ => {}
    }
}

fn issue_cycles(inst: &Inst) -> u32 {
    if inst.exec_size > 8 { 4 } else { 2 }
}

/// An edge: the later instruction, and the cycles from the earlier one's issue to its own.
type Edges = Vec<SmallVec<[(u32, u32); 4]>>;

/// Dependences among the instructions of a block: reads after writes wait for the result, writes after reads or
/// writes for the issue.
fn dependences(insts: &[Inst], latencies: &[u32]) -> Edges {
    let mut edges: Edges = insts.iter().map(|_| SmallVec::new()).collect();
    let mut writer: [Option<usize>; RESOURCES] = [None; RESOURCES];
    let mut readers: [SmallVec<[u32; 4]>; RESOURCES] = std::array::from_fn(|_| SmallVec::new());
    for (i, inst) in insts.iter().enumerate() {
        let a = access(inst);
        let here = i as u32;
        for r in a.reads.iter() {
            if let Some(w) = writer[r] {
                edges[w].push((here, latencies[w]));
            }
        }
        for r in a.writes.iter() {
            if let Some(w) = writer[r] {
                // Results arrive in order.
                let wait = latencies[w].saturating_sub(latencies[i]);
                edges[w].push((here, wait.max(issue_cycles(&insts[w]))));
            }
            for &reader in readers[r].iter().filter(|&&reader| reader != here) {
                let reader = reader as usize;
                edges[reader].push((here, issue_cycles(&insts[reader])));
            }
        }
        for r in a.reads.iter() {
            readers[r].push(here);
        }
        for r in a.writes.iter() {
            writer[r] = Some(i);
            readers[r].clear();
            if a.reads.contains(r) {
                readers[r].push(here);
            }
        }
    }
    edges
}

/// The new order of a block's instructions.
fn order(insts: &[Inst], model: &Model) -> Vec<usize> {
    let n = insts.len();
    let latencies: Vec<u32> = insts.iter().map(|inst| model.latency(inst)).collect();
    let edges = dependences(insts, &latencies);
    // Cycles from an instruction's issue to the end of the block along the longest chain.
    let mut remaining = vec![0u64; n];
    for i in (0..n).rev() {
        let tail = edges[i].iter().map(|&(to, wait)| u64::from(wait) + remaining[to as usize]).max();
        remaining[i] = tail.unwrap_or(0).max(u64::from(latencies[i]));
    }
    let mut waiting = vec![0usize; n];
    edges.iter().flatten().for_each(|&(to, _)| waiting[to as usize] += 1);
    let mut ready: Vec<usize> = (0..n).filter(|&i| waiting[i] == 0).collect();
    let mut earliest = vec![0u64; n];
    let (mut now, mut out) = (0u64, Vec::with_capacity(n));
    while !ready.is_empty() {
        // Whatever can issue now, by length of the rest; else what can issue soonest. Ties keep the old order.
        let best = (0..ready.len()).min_by_key(|&k| {
            let i = ready[k];
            (earliest[i].max(now), std::cmp::Reverse(remaining[i]), i)
        });
        let Some(best) = best else { break };
        let i = ready.swap_remove(best);
        now = now.max(earliest[i]);
        for &(to, wait) in &edges[i] {
            let to = to as usize;
            earliest[to] = earliest[to].max(now + u64::from(wait));
            waiting[to] -= 1;
            if waiting[to] == 0 {
                ready.push(to);
            }
        }
        now += u64::from(issue_cycles(&insts[i]));
        out.push(i);
    }
    out
}

/// Cycles of one pass over the program, blocks in loops weighted by ten per level.
#[must_use]
pub fn estimate(program: &Program, model: &Model) -> u32 {
    let cfg = Cfg::new(program);
    let mut ready = [0u64; RESOURCES];
    let mut total = 0u64;
    for block in &cfg.blocks {
        let mut now = 0u64;
        ready.fill(0);
        for inst in
            program.insts[block.start..block.end].iter().filter(|i| !i.op.is_virtual() && i.op != Op::Nop)
        {
            let a = access(inst);
            for r in a.reads.iter() {
                now = now.max(ready[r]);
            }
            for r in a.writes.iter() {
                ready[r] = now + u64::from(model.latency(inst));
            }
            now += u64::from(issue_cycles(inst));
        }
        total += now * 10u64.pow(block.loop_depth.min(6));
    }
    u32::try_from(total).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lir::build::Builder;
    use crate::lir::{CondMod, Type};
    use crate::model::{QuirkSet, model_for};
    use eu::DevInfo;

    fn g(nr: u8) -> Operand {
        Operand::grf(nr, Type::F)
    }

    fn scheduled(p: &Program) -> Program {
        let model = model_for(DevInfo::get("ivb").unwrap(), QuirkSet::default());
        let mut q = p.clone();
        schedule(&mut q, &model);
        assert!(estimate(&q, &model) <= estimate(p, &model));
        q
    }

    #[test]
    fn independent_work_fills_the_wait() {
        let mut p = Program::new(8);
        let mut b = Builder::new(&mut p);
        b.emit(Op::MathInv, g(10), &[g(2)]);
        b.emit(Op::Add, g(11), &[g(10), g(3)]);
        b.emit(Op::Mul, g(12), &[g(4), g(5)]);
        let q = scheduled(&p);
        let ops: Vec<Op> = q.insts.iter().map(|i| i.op).collect();
        assert_eq!(ops, [Op::MathInv, Op::Mul, Op::Add]);
    }

    #[test]
    fn dependences_hold() {
        let mut p = Program::new(8);
        let mut b = Builder::new(&mut p);
        // Flag written, read, written again, read again; a register reused for another value.
        b.cmp(Operand::null(Type::F), g(2), g(3), CondMod::L);
        b.emit(Op::Sel, g(10), &[g(2), g(3)]).predicate(false);
        b.cmp(Operand::null(Type::F), g(4), g(5), CondMod::L);
        b.emit(Op::Sel, g(11), &[g(4), g(5)]).predicate(false);
        b.emit(Op::MathInv, g(4), &[g(11)]);
        b.mov(g(10), g(4)).predicate(true);
        let q = scheduled(&p);
        let at = |inst: &Inst| q.insts.iter().position(|i| i == inst).unwrap();
        for (i, j) in [(0, 1), (1, 2), (2, 3), (3, 4), (1, 5), (2, 5), (4, 5)] {
            assert!(at(&p.insts[i]) < at(&p.insts[j]), "{i} before {j}");
        }
    }

    #[test]
    fn permutations_bring_each_to_its_place() {
        let original: Vec<Inst> = (0..6).map(|nr| Inst::new(Op::Mov, 8, g(nr), &[g(nr)])).collect();
        for order in [[0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0], [2, 0, 1, 5, 3, 4], [1, 2, 3, 4, 5, 0]] {
            let mut insts = original.clone();
            permute(&mut insts, &order);
            assert_eq!(insts, order.map(|i| original[i].clone()));
        }
    }

    #[test]
    fn control_flow_stays() {
        let mut p = Program::new(8);
        let mut b = Builder::new(&mut p);
        b.emit(Op::Mul, g(10), &[g(2), g(3)]);
        b.control(Op::If).predicate(false);
        b.emit(Op::Mul, g(11), &[g(2), g(3)]);
        b.control(Op::Endif);
        b.emit(Op::Add, g(12), &[g(11), g(3)]);
        let q = scheduled(&p);
        assert_eq!(q.insts[1].op, Op::If);
        assert_eq!(q.insts[3].op, Op::Endif);
    }
}
