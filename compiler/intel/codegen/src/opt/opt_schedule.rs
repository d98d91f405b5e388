//! List scheduling of allocated programs.
//!
//! ```text
//! before:
//!   math.inv(8) g10<1>:F, g2<1>:F
//!   add(8) g11<1>:F, g10<1>:F, g3<1>:F
//!   mul(8) g12<1>:F, g4<1>:F, g5<1>:F
//! after:
//!   math.inv(8) g10<1>:F, g2<1>:F
//!   mul(8) g12<1>:F, g4<1>:F, g5<1>:F
//!   add(8) g11<1>:F, g10<1>:F, g3<1>:F
//! ```

use crate::lir::cfg::block_ranges;
use crate::lir::{Inst, Program};
use crate::model::Model;
use crate::timing::{dependences, issue_cycles};

/// Blocks longer than this keep their order: the search for the next instruction is quadratic.
const MAX_BLOCK: usize = 2000;

/// Reorders the instructions of each block so that results are needed late: of those whose operands
/// are available the one on the longest remaining path goes first. Works on allocated programs and
/// changes no registers, so it can neither cause spills nor change results. Returns whether the
/// order changes.
pub(crate) fn opt_schedule(program: &mut Program, model: &Model) -> bool {
    let mut changed = false;
    for block in block_ranges(program) {
        let first = block.start
            + usize::from(program.insts.get(block.start).is_some_and(|i| i.op.starts_block()));
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

/// Moves the instruction at `order[k]` to place `k`, for all `k`.
fn permute(insts: &mut [Inst], order: &[usize]) {
    for k in 0..order.len() {
        // Instructions of earlier places were exchanged with those that `order` names.
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

/// The new order of a block's instructions.
fn order(insts: &[Inst], model: &Model) -> Vec<usize> {
    let n = insts.len();
    let latencies: Vec<u32> = insts.iter().map(|inst| model.latency(inst)).collect();
    let edges = dependences(insts, &latencies);
    // Cycles from an instruction's issue to the end of the block along the longest chain.
    let mut remaining = vec![0u64; n];
    for i in (0..n).rev() {
        let tail =
            edges[i].iter().map(|&(to, wait)| u64::from(wait) + remaining[to as usize]).max();
        remaining[i] = tail.unwrap_or(0).max(u64::from(latencies[i]));
    }
    let mut waiting = vec![0usize; n];
    edges.iter().flatten().for_each(|&(to, _)| waiting[to as usize] += 1);
    let mut ready: Vec<usize> = (0..n).filter(|&i| waiting[i] == 0).collect();
    let mut earliest = vec![0u64; n];
    let (mut now, mut out) = (0u64, Vec::with_capacity(n));
    while !ready.is_empty() {
        // Of those that can issue now the one with the longest path; else the one that can issue
        // soonest. Ties keep the old order.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lir::{Op, Operand, Type};

    fn g(nr: u8) -> Operand {
        Operand::grf(nr, Type::F)
    }

    #[test]
    fn permutations_bring_each_to_its_place() {
        let original: Vec<Inst> = (0..6).map(|nr| Inst::new(Op::Mov, 8, g(nr), &[g(nr)])).collect();
        for order in
            [[0, 1, 2, 3, 4, 5], [5, 4, 3, 2, 1, 0], [2, 0, 1, 5, 3, 4], [1, 2, 3, 4, 5, 0]]
        {
            let mut insts = original.clone();
            permute(&mut insts, &order);
            assert_eq!(insts, order.map(|i| original[i].clone()));
        }
    }
}
