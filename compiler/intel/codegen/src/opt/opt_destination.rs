//! Computation of values where a strided copy would put them.
//!
//! ```text
//! before:
//!   or(8) v1<1>:UD, v2<1>:UD, v3<1>:UD
//!   mov(8) v0+4<2>:UD, v1<1>:UD
//! after:
//!   or(8) v0+4<2>:UD, v2<1>:UD, v3<1>:UD
//! ```

use crate::lir::cfg::block_ranges;
use crate::lir::{Inst, Op, Operand, Program, VReg};
use crate::model::Model;

/// Turns `x = op …; y<2> = mov x` into `y<2> = op …` where nothing else reads x and nothing
/// accesses y in between. Both forms need as many pieces as y's stride demands, so the copy is
/// saved. Copies of whole registers are left to the coalescer.
pub(crate) fn opt_destination(program: &mut Program, model: &Model) -> bool {
    if !program.insts.iter().any(|inst| strided_copy(inst).is_some()) {
        return false;
    }
    let single_use = program.single_use_values();
    let mut changed = false;
    for block in block_ranges(program) {
        for at in block.start..block.end {
            let copy = &program.insts[at];
            let Some(v) = strided_copy(copy).filter(|&v| single_use[v]) else { continue };
            let Some(def) = definition(program, block.start, at, v) else { continue };
            let copy = program.insts[at].clone();
            let inst = &mut program.insts[def];
            let mut candidate = inst.clone();
            candidate.dst = Operand { ty: inst.dst.ty, ..copy.dst };
            if !fits(inst, &copy) || reads_place(&candidate) {
                continue;
            }
            // As many pieces as the copy needed, at most.
            if model.max_exec_size(&candidate).min(copy.exec_size)
                < model.max_exec_size(&copy).min(copy.exec_size)
            {
                continue;
            }
            *inst = candidate;
            let copy = &mut program.insts[at];
            copy.op = Op::Nop;
            changed = true;
        }
    }
    if changed {
        program.compact();
    }
    changed
}

/// The register that a strided plain copy reads.
fn strided_copy(inst: &Inst) -> Option<VReg> {
    let plain = inst.is_plain_copy() && !inst.align16 && inst.dst.vreg().is_some();
    let strided = matches!(inst.dst.stride(), Some(2 | 4)) && inst.src[0].stride() == Some(1);
    (plain && strided && inst.src[0].offset == 0).then(|| inst.src[0].vreg()).flatten()
}

/// The instruction that defines `v`, if between it and `at` no instruction accesses the copy's
/// destination register.
fn definition(program: &Program, start: usize, at: usize, v: VReg) -> Option<usize> {
    let dst = program.insts[at].dst.vreg()?;
    for i in (start..at).rev() {
        let inst = &program.insts[i];
        if inst.dst.vreg() == Some(v) {
            return Some(i);
        }
        let mentions = inst.dst.vreg() == Some(dst) && overlaps(inst, &program.insts[at])
            || inst.src.iter().any(|s| s.vreg() == Some(dst));
        if mentions {
            return None;
        }
    }
    None
}

/// The two write interleaved elements apart (the other halves of the same doubles), or not.
fn overlaps(a: &Inst, b: &Inst) -> bool {
    let step = |i: &Inst| i.dst.stride().map(|s| u32::from(s) * i.dst.ty.size());
    let apart = step(a) == step(b)
        && step(a).is_some_and(|step| {
            let (x, y) = (a.dst.offset % step, b.dst.offset % step);
            x + a.dst.ty.size() <= y || y + b.dst.ty.size() <= x
        });
    !apart
}

fn fits(inst: &Inst, copy: &Inst) -> bool {
    let info = inst.op.info();
    !info.three_source
        && !inst.op.is_math()
        && !inst.op.is_send()
        && !inst.align16
        && !matches!(
            inst.op,
            Op::Pln | Op::Line | Op::Mach | Op::Addc | Op::Subb | Op::Undef | Op::Dim
        )
        && !inst.touches_accumulator()
        && inst.predicate.is_none_or(|_| inst.op == Op::Sel)
        && inst.dst.ty.size() == copy.dst.ty.size()
        && inst.exec_type().size() <= 4
        && inst.dst.stride() == Some(1)
        && inst.dst.offset == 0
        && (inst.exec_size, inst.group, inst.no_mask) == (copy.exec_size, copy.group, copy.no_mask)
}

/// A source is in the destination's register in another layout: pieces could overwrite each other's
/// sources.
fn reads_place(inst: &Inst) -> bool {
    let same_elements = |s: &Operand| {
        s.offset == inst.dst.offset
            && s.stride() == inst.dst.stride()
            && s.ty.size() == inst.dst.ty.size()
    };
    inst.src.iter().any(|s| s.vreg().is_some() && s.vreg() == inst.dst.vreg() && !same_elements(s))
}
