//! Folding of tests against zero into the instructions that compute the value.
//!
//! ```text
//! before:
//!   and(8) v0<1>:UD, v1<1>:UD, v2<1>:UD
//!   cmp.nz.f0.0(8) null<1>:UD, v0<1>:UD, 0x0:UD
//! after:
//!   and.nz.f0.0(8) v0<1>:UD, v1<1>:UD, v2<1>:UD
//! ```

use crate::lir::cfg::block_ranges;
use crate::lir::{CondMod, Inst, Op, Program};
use crate::model::Model;

/// Removes `mov.nz null, x` and `cmp.c null, x, 0` where an earlier instruction of the block that
/// computes x can set the flag itself: a comparison whose result is tested for truth, or an
/// instruction with a conditional modifier of its own. Nothing in between may touch the flag.
pub(crate) fn opt_cmod_propagation(program: &mut Program, _model: &Model) -> bool {
    let mut changed = false;
    for block in block_ranges(program) {
        for i in block.start..block.end {
            if let Some(test) = test_of(&program.insts[i]) {
                changed |= fold(program, block.start, i, test);
            }
        }
    }
    if changed {
        program.compact();
    }
    changed
}

/// The condition on source 0 that an instruction tests and nothing else.
fn test_of(inst: &Inst) -> Option<CondMod> {
    let src = inst.src.first()?;
    if !inst.dst.is_null()
        || inst.predicate.is_some()
        || inst.align16
        || inst.saturate
        || src.is_modified()
    {
        return None;
    }
    src.vreg()?;
    match inst.op {
        Op::Mov if inst.dst.ty.size() == src.ty.size() && src.ty.is_integer() => inst.cond,
        Op::Cmp if inst.src[1].imm_bits() == Some(0) => inst.cond,
        _ => None,
    }
}

fn fold(program: &mut Program, start: usize, at: usize, cond: CondMod) -> bool {
    let test = program.insts[at].clone();
    let src = test.src[0];
    let extent = test.bytes_read(0);
    // Somebody between here and there reads the flag as it is: it must not change.
    let mut flag_read = false;
    for i in (start..at).rev() {
        let inst = &program.insts[i];
        let writes_it = inst.dst.vreg() == src.vreg()
            && inst.dst.vreg().is_some()
            && inst.dst.offset < src.offset + extent
            && src.offset < inst.dst.offset + inst.bytes_written();
        if writes_it {
            return fold_into(program, i, at, &test, cond, flag_read);
        }
        // The same test again: the flag still holds its result.
        let same = inst.op == test.op
            && inst.src == test.src
            && inst.cond == test.cond
            && inst.flag == test.flag
            && inst.exec_size == test.exec_size
            && inst.group == test.group
            && inst.predicate.is_none()
            && inst.dst.is_null()
            && inst.no_mask == test.no_mask;
        if same {
            program.insts[at].op = Op::Nop;
            program.insts[at].cond = None;
            return true;
        }
        if inst.writes_flag() && touches(inst, test.flag) {
            return false;
        }
        flag_read |= inst.reads_flag();
    }
    false
}

fn touches(inst: &Inst, flag: u8) -> bool {
    inst.flag == flag || matches!(inst.dst.file, crate::lir::File::Arf(_)) || inst.cond.is_none()
}

fn fold_into(
    program: &mut Program,
    i: usize,
    at: usize,
    test: &Inst,
    cond: CondMod,
    flag_read: bool,
) -> bool {
    let inst = &mut program.insts[i];
    let src = test.src[0];
    let same_elements = inst.dst.offset == src.offset
        && inst.dst.stride() == src.stride()
        && inst.dst.ty.size() == src.ty.size()
        && inst.exec_size == test.exec_size
        && inst.group == test.group
        && inst.no_mask == test.no_mask
        && inst.predicate.is_none()
        && !inst.align16;
    if !same_elements {
        return false;
    }
    if matches!(inst.op, Op::Cmp | Op::Cmpn) {
        // 0 or −1 is true exactly where the comparison held.
        let truth = src.ty.is_integer() && cond == CondMod::Nz;
        if !truth || inst.flag != test.flag {
            return false;
        }
        program.insts[at].op = Op::Nop;
        program.insts[at].cond = None;
        return true;
    }
    let zero_test = matches!(cond, CondMod::Z | CondMod::Nz);
    let same_type =
        inst.dst.ty == src.ty || (zero_test && inst.dst.ty.is_integer() && src.ty.is_integer());
    // Float results that overflow or saturate, and wrapped integer sums, compare as they were
    // before.
    let ordered_ok = zero_test || (inst.dst.ty.is_float() && !inst.saturate) || inst.op == Op::Mov;
    let exact = inst.dst.ty == inst.exec_type()
        || (inst.dst.ty.is_integer() && inst.exec_type().is_integer());
    if !inst.op.info().can_cmod || !same_type || !ordered_ok || !exact || inst.touches_accumulator()
    {
        return false;
    }
    // Sums, products and shifted values of integers keep their tests: a negated UD has a 33rd bit.
    if matches!(inst.op, Op::Add | Op::Mul | Op::Mad | Op::Shl) && inst.dst.ty.is_integer() {
        return false;
    }
    match inst.cond {
        None if flag_read || inst.reads_flag() => return false,
        None => {
            inst.cond = Some(cond);
            inst.flag = test.flag;
        }
        Some(old) if old == cond && inst.flag == test.flag => {}
        Some(_) => return false,
    }
    program.insts[at].op = Op::Nop;
    program.insts[at].cond = None;
    true
}
