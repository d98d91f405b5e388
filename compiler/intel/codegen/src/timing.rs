//! Static timing of allocated programs: dependences and an estimate of cycles.
//!
//! The model is coarse: an instruction issues in two cycles (four when sixteen wide), its result is
//! there after [`Model::latency`]. Times are estimates of our own, good for comparing our programs
//! with each other.

use crate::allocate::graph::run;
use crate::lir::cfg::Cfg;
use crate::lir::{Arf, File, Inst, MessageKind, Op, Operand, Program, REG_SIZE};
use crate::model::Model;
use crate::pattern::{regs_read, regs_written};
use smallvec::SmallVec;

/// Things instructions depend on each other through: 128 registers, two accumulators, four flag
/// subregisters, other architecture state, memory.
const RESOURCES: usize = 136;
const ACCUMULATOR: usize = 128;
const FLAGS: usize = 130;
const STATE: usize = 134;
const MEMORY: usize = 135;

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
        // Channels that the predicate leaves out keep their value.
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

/// Adds the resources of an operand of `count` registers.
fn add_operand(set: &mut Set, operand: &Operand, count: u32) {
    match operand.file {
        File::Grf(_) => {
            set.registers |= operand.grf_byte().map_or(0, |byte| run(byte / REG_SIZE, count));
        }
        File::Arf(Arf::Accumulator(_)) => set.insert(ACCUMULATOR),
        File::Arf(Arf::Flag(n)) => {
            (0..2).for_each(|i| set.insert(FLAGS + 2 * usize::from(n & 1) + i))
        }
        File::Arf(_) => set.insert(STATE),
        _ => {}
    }
}

pub(crate) fn issue_cycles(inst: &Inst) -> u32 {
    if inst.exec_size > 8 { 4 } else { 2 }
}

/// An edge: the later instruction, and the cycles from the earlier one's issue to its own.
pub(crate) type Edges = Vec<SmallVec<[(u32, u32); 4]>>;

/// Dependences among the instructions of a block: reads after writes wait for the result, writes
/// after reads or writes for the issue.
pub(crate) fn dependences(insts: &[Inst], latencies: &[u32]) -> Edges {
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

/// Cycles of one pass over the program, blocks in loops weighted by ten per level.
#[must_use]
pub fn estimate(program: &Program, model: &Model) -> u32 {
    let cfg = Cfg::new(program);
    let mut ready = [0u64; RESOURCES];
    let mut total = 0u64;
    for block in &cfg.blocks {
        let mut now = 0u64;
        ready.fill(0);
        for inst in program.insts[block.start..block.end]
            .iter()
            .filter(|i| !i.op.is_virtual() && i.op != Op::Nop)
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
    use crate::lir;

    #[test]
    fn readers_wait_for_results_and_writers_for_issues() {
        let text = "program width=8 payload=20
  mov(8) g10<1>:F, g2<1>:F
  mov(8) g11<1>:F, g3<1>:F
  add(8) g12<1>:F, g10<1>:F, g11<1>:F
  mov(8) g10<1>:F, g4<1>:F
";
        let insts = lir::parse(text).expect("a program").insts;
        let edges = dependences(&insts, &[14; 4]);
        let issue = issue_cycles(&insts[0]);
        assert_eq!(edges[0][..], [(2, 14), (3, issue)], "the sum reads, the last move writes");
        assert_eq!(edges[1][..], [(2, 14)]);
        assert_eq!(edges[2][..], [(3, issue)], "g10 is read before it is written again");
        assert!(edges[3].is_empty());
    }
}
