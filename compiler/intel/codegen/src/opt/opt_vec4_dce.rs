//! Elimination of dead code in Align16 programs, one bit per byte of every register.
//!
//! ```text
//! before:
//!   add(8) v0<1>:F, v1<1>:F, v2<1>:F align16 ; only x and z are read
//! after:
//!   add(8) v0<1>.xz:F, v1<1>:F, v2<1>:F align16
//! ```

use super::dead_code::{Needed, eliminate};
use crate::lir::cfg::Cfg;
use crate::lir::{File, Inst, Op, Operand, Program, acts_on_dwords};
use crate::model::Model;
use crate::pattern::{dst_reach, periodic_mask, regs_written};

/// Removes instructions whose results nothing reads, takes dead components out of the writemasks of
/// Align16 instructions, and conditional modifiers away whose flags nothing reads. Flags never live
/// across basic blocks in vec4 programs.
pub(crate) fn opt_vec4_dce(program: &mut Program, _model: &Model) -> bool {
    let cfg = program.analysis::<Cfg>();
    let flags_out = vec![false; cfg.blocks.len()];
    eliminate(program, &cfg, &flags_out, step_flags, simplify)
}

/// Returns true if the flag is read after what is before `inst`. Parts of a split comparison of
/// doubles write some of its bits only.
fn step_flags(inst: &Inst, flag_live: bool) -> bool {
    let kills = inst.writes_flag() && inst.predicate.is_none() && inst.exec_type().size() < 8;
    inst.reads_flag() || flag_live && !kills
}

/// Bytes of register `reg` that `inst` may write, predicated or not.
fn touched(inst: &Inst, reg: u32) -> u32 {
    match dst_reach(inst, reg) {
        0 => u32::MAX,
        mask => mask,
    }
}

fn simplify(inst: &mut Inst, needed: &Needed<'_, bool>) -> bool {
    let &Needed { accesses, live, flags: flag_live, .. } = needed;
    if inst.op == Op::Nop || inst.has_side_effects() || inst.touches_accumulator() {
        return false;
    }
    let flags_needed = inst.writes_flag() && flag_live;
    let Some(first) = accesses.grf(&inst.dst) else {
        if inst.dst.file == File::Null && !flags_needed {
            inst.op = Op::Nop;
            return true;
        }
        return false;
    };
    let used = |reg: u32| live.get(first + reg as usize).copied().unwrap_or(u32::MAX);
    let any = (0..regs_written(inst)).any(|reg| used(reg) & touched(inst, reg) != 0);
    if !any {
        if !flags_needed {
            inst.op = Op::Nop;
        } else if matches!(inst.op, Op::Cmp | Op::Mov | Op::And | Op::Or | Op::Xor)
            && inst.dst.ty.size() == 4
        {
            let mask = inst.dst.writemask;
            inst.dst = Operand::null(inst.dst.ty).masked(mask);
        } else {
            return false;
        }
        return true;
    }
    let mut changed = false;
    if inst.writes_flag() && !flag_live && inst.op != Op::Cmp {
        inst.cond = None;
        changed = true;
    }
    let size = inst.dst.ty.size();
    // Undef means whole registers.
    let vector = inst.align16 && inst.op != Op::Undef;
    if vector && matches!(size, 4 | 8) && inst.message.is_none() && !flags_needed {
        let mask = inst.dst.writemask & live_components(inst, used);
        // Of 64-bit components XY and ZW could not be encoded.
        let legal = mask != 0 && !(size == 8 && acts_on_dwords(mask));
        if mask != inst.dst.writemask && legal {
            inst.dst.writemask = mask;
            changed = true;
        }
    }
    changed
}

/// Components of the destination of an Align16 instruction that are live in any of its vertices.
fn live_components(inst: &Inst, used: impl Fn(u32) -> u32) -> u8 {
    let size = inst.dst.ty.size();
    let rows = u32::from(inst.exec_size).div_ceil(4);
    let is_live = |c: u32| {
        (0..rows).any(|row| {
            let byte = inst.dst.offset % 32 + (row * 4 + c) * size;
            used(byte / 32) & periodic_mask(1, 0, size, byte % 32) != 0
        })
    };
    (0..4u8).filter(|c| is_live(u32::from(*c))).fold(0, |mask, c| mask | 1 << c)
}
