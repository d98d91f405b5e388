//! The walk that both eliminations of dead code share: backwards, with what is read later.

use crate::lir::cfg::Cfg;
use crate::lir::{Inst, Op, Program};
use crate::liveness::{ByteAccesses, LiveOut};

/// Data that instructions after one read.
pub(super) struct Needed<'a, F> {
    /// Accesses of the program's instructions.
    pub accesses: &'a ByteAccesses,
    /// Number of the instruction.
    pub index: usize,
    /// Bytes by GRF.
    pub live: &'a [u32],
    /// Flags.
    pub flags: F,
}

/// Simplifies instructions from the last one to the first. `simplify` returns true if it changed
/// the instruction, and makes it a NOP if nothing is left. `flags_out` holds the flags that are
/// read after each block, `step_flags` takes them from after an instruction to before it.
pub(super) fn eliminate<F: Copy>(
    program: &mut Program,
    cfg: &Cfg,
    flags_out: &[F],
    step_flags: impl Fn(&Inst, F) -> F,
    simplify: impl Fn(&mut Inst, &Needed<'_, F>) -> bool,
) -> bool {
    let live_out = program.analysis::<LiveOut>();
    let accesses = live_out.accesses();
    let mut live = live_out.nothing();
    let mut changed = false;
    for (b, block) in cfg.blocks.iter().enumerate() {
        live_out.load(b, &mut live);
        let mut flags = flags_out[b];
        for index in (block.start..block.end).rev() {
            let inst = &mut program.insts[index];
            let simpler = simplify(inst, &Needed { accesses, index, live: &live, flags });
            changed |= simpler;
            if inst.op == Op::Nop {
                continue;
            }
            if simpler {
                accesses.step_over(inst, &mut live);
            } else {
                accesses.step_back(index, &mut live);
            }
            flags = step_flags(inst, flags);
        }
    }
    if changed {
        program.compact();
    }
    changed
}
