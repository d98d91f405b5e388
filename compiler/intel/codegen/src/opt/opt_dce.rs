//! Elimination of dead code by byte-granular liveness.
//!
//! ```text
//! before:
//!   cmp.l.f0.0(8) v0<1>:F, v1<1>:F, v2<1>:F ; only the flag is read
//!   not(8) v3<1>:UD, v4<1>:UD ; not read
//! after:
//!   cmp.l.f0.0(8) null<1>:F, v1<1>:F, v2<1>:F
//! ```

use crate::lir::cfg::{BasicBlock, Cfg};
use crate::lir::{Arf, File, Inst, Op, Operand, PredMode, Program};
use crate::liveness::{ByteAccess, LiveOut};
use crate::model::Model;

/// Removes instructions whose results are not read. Comparisons and other instructions of which
/// only the flag is needed keep the null register as destination; conditional modifiers whose flag
/// is not read go.
pub(crate) fn opt_dce(program: &mut Program, model: &Model) -> bool {
    let _ = model;
    let (cfg, live_out) = (program.analysis::<Cfg>(), program.analysis::<LiveOut>());
    let flags_out = flags_live_out(program, &cfg);
    let accesses = live_out.accesses();
    let mut live = live_out.nothing();
    let mut changed = false;
    for (b, block) in cfg.blocks.iter().enumerate() {
        live_out.load(b, &mut live);
        let mut flags = flags_out[b];
        for i in (block.start..block.end).rev() {
            let needed = Needed { dst: is_read(accesses.writes(i), &live), flags };
            let left = simplify(&mut program.insts[i], program.width, &needed);
            changed |= left != Left::Everything;
            match left {
                Left::Everything | Left::Result => accesses.step_back(i, &mut live),
                Left::Flag => accesses.step_reads(i, &mut live),
                Left::Nothing => {}
            }
            flags = step_flags(&program.insts[i], flags, program.width);
        }
    }
    if changed {
        program.compact();
    }
    changed
}

/// Results of an instruction that are read later.
struct Needed {
    /// Some byte of the destination, if that is a virtual register.
    dst: bool,
    /// Flag subregisters.
    flags: u8,
}

/// Remainder of an instruction after [`simplify`].
#[derive(Clone, Copy, PartialEq, Eq)]
enum Left {
    Everything,
    /// It no longer writes the flag.
    Result,
    /// It no longer writes its destination.
    Flag,
    Nothing,
}

fn is_read(writes: &[ByteAccess], live: &[u32]) -> bool {
    writes.iter().any(|access| live[access.grf] != 0)
}

/// Removes or reduces an instruction.
fn simplify(inst: &mut Inst, width: u8, needed: &Needed) -> Left {
    if inst.has_side_effects() || inst.op == Op::Nop || inst.acc_write {
        return Left::Everything;
    }
    let writes_implicit = matches!(inst.op, Op::Mach | Op::Addc | Op::Subb | Op::Mac);
    let dst_live = match inst.dst.file {
        File::Vgrf(_) => needed.dst,
        File::Grf(_) | File::Arf(_) => true,
        _ => false,
    };
    let flag_live = inst.writes_flag() && needed.flags & flag_bits(inst, width) != 0;
    if dst_live {
        if inst.writes_flag() && !flag_live && inst.op.info().can_cmod && inst.cond.is_some() {
            inst.cond = None;
            return Left::Result;
        }
        return Left::Everything;
    }
    if flag_live {
        // Three-source instructions have no null destination.
        if inst.dst.is_null() || inst.is_predicated_write() || inst.op.info().three_source {
            return Left::Everything;
        }
        inst.dst = Operand { file: File::Null, offset: 0, ..inst.dst };
        return Left::Flag;
    }
    if writes_implicit && inst.dst.is_null() {
        return Left::Everything;
    }
    inst.op = Op::Nop;
    inst.src.clear();
    inst.dst = Operand::none();
    inst.message = None;
    inst.predicate = None;
    inst.cond = None;
    Left::Nothing
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
