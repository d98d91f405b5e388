//! Elimination of dead code by byte-granular liveness.
//!
//! ```text
//! before:
//!   cmp.l.f0.0(8) v0<1>:F, v1<1>:F, v2<1>:F ; only the flag is read
//!   not(8) v3<1>:UD, v4<1>:UD ; not read
//! after:
//!   cmp.l.f0.0(8) null<1>:F, v1<1>:F, v2<1>:F
//! ```

use super::dead_code::{Needed, eliminate};
use crate::lir::cfg::{BasicBlock, Cfg};
use crate::lir::{Arf, File, Inst, Op, Operand, PredMode, Program};
use crate::model::Model;

/// Removes instructions whose results are not read. Comparisons and other instructions of which
/// only the flag is needed keep the null register as destination; conditional modifiers whose flag
/// is not read go.
pub(crate) fn opt_dce(program: &mut Program, _model: &Model) -> bool {
    let cfg = program.analysis::<Cfg>();
    let (width, flags_out) = (program.width, flags_live_out(program, &cfg));
    let step_flags = |inst: &Inst, flags| step_flags(inst, flags, width);
    eliminate(program, &cfg, &flags_out, step_flags, |inst, needed| simplify(inst, width, needed))
}

/// Removes or reduces an instruction; flags are a bit per subregister.
fn simplify(inst: &mut Inst, width: u8, needed: &Needed<'_, u8>) -> bool {
    if inst.has_side_effects() || inst.op == Op::Nop || inst.acc_write {
        return false;
    }
    let writes_implicit = matches!(inst.op, Op::Mach | Op::Addc | Op::Subb | Op::Mac);
    let dst_live = match inst.dst.file {
        File::Vgrf(_) => {
            let mut writes = needed.accesses.writes(needed.index).iter();
            writes.any(|access| needed.live[access.grf] != 0)
        }
        File::Grf(_) | File::Arf(_) => true,
        _ => false,
    };
    let flag_live = inst.writes_flag() && needed.flags & flag_bits(inst, width) != 0;
    if dst_live {
        if inst.writes_flag() && !flag_live && inst.op.info().can_cmod && inst.cond.is_some() {
            inst.cond = None;
            return true;
        }
        return false;
    }
    if flag_live {
        // Three-source instructions have no null destination.
        if inst.dst.is_null() || inst.is_predicated_write() || inst.op.info().three_source {
            return false;
        }
        inst.dst = Operand { file: File::Null, offset: 0, ..inst.dst };
        return true;
    }
    if writes_implicit && inst.dst.is_null() {
        return false;
    }
    inst.op = Op::Nop;
    inst.src.clear();
    inst.dst = Operand::none();
    inst.message = None;
    inst.predicate = None;
    inst.cond = None;
    true
}

/// Flag subregisters that the instruction writes by condition: bit n is subregister n.
fn flag_bits(inst: &Inst, width: u8) -> u8 {
    match inst.dst.file {
        File::Arf(Arf::Flag(n)) => 3 << (2 * n),
        _ if width > 16 => 3 << (inst.flag & 2),
        _ => 1 << inst.flag,
    }
}

/// Flag subregisters that the instruction reads.
fn flags_read(inst: &Inst) -> u8 {
    let mut bits = 0;
    if let Some(p) = inst.predicate {
        bits |= match p.mode {
            PredMode::AnyV | PredMode::AllV => 0xf,
            _ => 1 << inst.flag,
        };
    }
    for src in &inst.src {
        if let File::Arf(Arf::Flag(n)) = src.file {
            bits |= 3 << (2 * n);
        }
    }
    bits
}

fn step_flags(inst: &Inst, flags: u8, width: u8) -> u8 {
    let (kept, read) = flag_effect(inst, width);
    flags & kept | read
}

/// Flag subregisters whose earlier bits survive the instruction, and those that it reads.
fn flag_effect(inst: &Inst, width: u8) -> (u8, u8) {
    let mut kept = u8::MAX;
    if inst.writes_flag()
        && inst.predicate.is_none()
        && inst.group == 0
        && inst.exec_size >= width
        && !inst.align16
        && inst.cond.is_some()
    {
        kept = !flag_bits(inst, width);
    }
    (kept, flags_read(inst))
}

/// Flag subregisters whose bits some channel needs after each block.
pub(super) fn flags_live_out(program: &Program, cfg: &Cfg) -> Vec<u8> {
    let n = cfg.blocks.len();
    let (mut live_in, mut live_out) = (vec![0u8; n], vec![0u8; n]);
    if n == 1 {
        return live_out;
    }
    // Flags are independent of each other: the effects of a block on no flag and on all flags give
    // its effect on any set.
    let effect = |block: &BasicBlock| {
        let insts = program.insts[block.start..block.end].iter().rev();
        insts.fold([0, u8::MAX], |flags, inst| {
            let (kept, read) = flag_effect(inst, program.width);
            flags.map(|flags: u8| flags & kept | read)
        })
    };
    let effects: Vec<[u8; 2]> = cfg.blocks.iter().map(effect).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for b in (0..n).rev() {
            // Flags are not saved per channel: what the other arm or a later iteration needs
            // counts.
            let out = cfg.blocks[b].physical_succs.iter().fold(0, |m, &s| m | live_in[s]);
            let [read, through] = effects[b];
            let into = read | out & through;
            changed |= into != live_in[b] || out != live_out[b];
            live_in[b] = into;
            live_out[b] = out;
        }
    }
    live_out
}
