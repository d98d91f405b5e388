//! Dead code elimination by byte-granular liveness.

use crate::bir::cfg::Cfg;
use crate::bir::{Arf, File, Inst, Op, Operand, PredMode, Program};
use crate::liveness::LiveOut;
use crate::model::Model;
use crate::pattern::{dst_write_pattern, regs_read, regs_written, src_read_pattern};

/// Removes instructions whose results nobody reads. Comparisons and other instructions of which only the flag is
/// needed keep the null register as destination; conditional modifiers whose flag nobody reads go.
pub fn opt_dead_code(program: &mut Program, model: &dyn Model) -> bool {
    let _ = model;
    let cfg = Cfg::new(program);
    let live_out = LiveOut::new(program, &cfg);
    let flags_out = flags_live_out(program, &cfg);
    let mut live = vec![0u32; live_out.grf_count()];
    let mut changed = false;
    for (b, block) in cfg.blocks.iter().enumerate() {
        live_out.load(b, &mut live);
        let mut flags = flags_out[b];
        for i in (block.start..block.end).rev() {
            changed |= simplify(program, i, &live_out, &live, flags);
            let inst = &program.insts[i];
            step(inst, &live_out, &mut live);
            flags = step_flags(inst, flags, program.width);
        }
    }
    if changed {
        program.compact();
    }
    changed
}

/// Removes or reduces instruction `i` given what is live after it.
fn simplify(program: &mut Program, i: usize, sets: &LiveOut, live: &[u32], flags: u8) -> bool {
    let width = program.width;
    let inst = &mut program.insts[i];
    if inst.has_side_effects() || inst.op == Op::Nop || inst.acc_write {
        return false;
    }
    let writes_implicit = matches!(inst.op, Op::Mach | Op::Addc | Op::Subb | Op::Mac);
    let dst_live = match inst.dst.file {
        File::Vgrf(_) => {
            let first = sets.first(&inst.dst).unwrap_or(0);
            (0..regs_written(inst)).any(|r| live.get(first + r as usize).is_some_and(|m| *m != 0))
        }
        File::Grf(_) | File::Arf(_) => true,
        _ => false,
    };
    let flag_live = inst.writes_flag() && flags & flag_bits(inst, width) != 0;
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

fn step(inst: &Inst, sets: &LiveOut, live: &mut [u32]) {
    if let Some(first) = sets.first(&inst.dst) {
        for r in 0..regs_written(inst) {
            if let Some(mask) = live.get_mut(first + r as usize) {
                *mask &= !dst_write_pattern(inst, r);
            }
        }
    }
    for (index, src) in inst.src.iter().enumerate() {
        if let Some(first) = sets.first(src) {
            for r in 0..regs_read(inst, index) {
                if let Some(mask) = live.get_mut(first + r as usize) {
                    *mask |= src_read_pattern(inst, index, r);
                }
            }
        }
    }
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

fn step_flags(inst: &Inst, mut flags: u8, width: u8) -> u8 {
    if inst.writes_flag()
        && inst.predicate.is_none()
        && inst.group == 0
        && inst.exec_size >= width
        && !inst.align16
        && inst.cond.is_some()
    {
        flags &= !flag_bits(inst, width);
    }
    flags | flags_read(inst)
}

fn flags_live_out(program: &Program, cfg: &Cfg) -> Vec<u8> {
    let n = cfg.blocks.len();
    let (mut live_in, mut live_out) = (vec![0u8; n], vec![0u8; n]);
    let mut changed = true;
    while changed {
        changed = false;
        for b in (0..n).rev() {
            // Flags are not saved per channel: what the other arm or a later iteration needs counts.
            let out = cfg.blocks[b].physical_succs.iter().fold(0, |m, &s| m | live_in[s]);
            let block = &cfg.blocks[b];
            let flags = program.insts[block.start..block.end]
                .iter()
                .rev()
                .fold(out, |f, i| step_flags(i, f, program.width));
            changed |= flags != live_in[b] || out != live_out[b];
            live_in[b] = flags;
            live_out[b] = out;
        }
    }
    live_out
}
