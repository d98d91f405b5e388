//! Removal of the 64-bit Align16 writemasks XY and ZW (`align16-df-writemask`).
//!
//! ```text
//! before:
//!   mov(8) v0<1>.xy:DF, v1<1>:DF align16
//! after:
//!   mov(8) v0<1>.x:DF, v1<1>:DF align16
//!   mov(8) v0<1>.y:DF, v1<1>:DF align16
//! ```

use super::splitting::{is_align16_df, push_split};
use crate::lir::{File, Inst, Op, Operand, Program, Swizzle, WRITEMASK_XYZW, acts_on_dwords};
use crate::model::{Model, Quirk};
use cranelift_entity::EntityRef;

/// Replaces the writemasks XY and ZW: where nothing ever lives in the other two components they are
/// written too, else each component is written by an instruction of its own.
///
/// Assumes encodable sources (`lower_df_swizzle`), and keeps them so. Guarantees that no 64-bit
/// Align16 instruction has one of the two writemasks.
pub(crate) fn lower_df_writemask(program: &mut Program, model: &Model) -> bool {
    if !model.handles(Quirk::Align16DfWritemask) {
        return false;
    }
    let written = written_components(program);
    let old = program.take_insts();
    let mut changed = false;
    for inst in old {
        let mask = inst.dst.writemask;
        if !is_align16_df(&inst) || !acts_on_dwords(mask) {
            program.insts.push(inst);
            continue;
        }
        changed = true;
        if others_are_dead(&inst, &written) && !completes_flags(&program.insts, &inst) {
            program.insts.push(widened(inst));
        } else {
            let low = mask & mask.wrapping_neg();
            push_split(program, inst, &[low, mask & !low]);
        }
    }
    changed
}

/// Components of each virtual register that any Align16 instruction writes as 64-bit data;
/// everything for registers written otherwise.
fn written_components(program: &Program) -> Vec<u8> {
    let mut written = vec![0; program.vregs.len()];
    for inst in &program.insts {
        let Some(v) = inst.dst.vreg().filter(|_| inst.op != Op::Undef) else { continue };
        written[v.index()] |=
            if is_align16_df(inst) && inst.dst.ty.size() == 8 && inst.dst.offset == 0 {
                inst.dst.writemask
            } else {
                WRITEMASK_XYZW
            };
    }
    written
}

fn others_are_dead(inst: &Inst, written: &[u8]) -> bool {
    match inst.dst.file {
        File::Vgrf(v) => written.get(v.index()).is_some_and(|w| w & !inst.dst.writemask == 0),
        // Flags of components that no reader looks at, or that later instructions write.
        File::Null => true,
        _ => false,
    }
}

/// True if an instruction writes some components' flags after others wrote those of other
/// components: a comparison in pieces.
fn completes_flags(before: &[Inst], inst: &Inst) -> bool {
    let earlier = before.iter().rev().find(|other| {
        let same = other.flag == inst.flag;
        other.op.info().control_flow || same && (other.writes_flag() || other.reads_flag())
    });
    inst.writes_flag()
        && earlier.is_some_and(|other| {
            other.writes_flag() && other.align16 && other.dst.writemask & !inst.dst.writemask != 0
        })
}

/// The instruction with all components written; the other two repeat what the enabled ones read, or
/// where the row step is fixed (three sources) read the other oword.
fn widened(mut inst: Inst) -> Inst {
    let upper = inst.dst.writemask == 0b1100;
    let three = inst.op.info().three_source;
    for src in &mut inst.src {
        let [a, b] = if upper { [2, 3] } else { [0, 1] }.map(|c| src.swizzle.get(c));
        src.swizzle = match (three, upper) {
            (false, _) => Swizzle::new([a, b, a, b]),
            (true, false) => Swizzle::new([a, b, a ^ 2, b ^ 2]),
            (true, true) => Swizzle::new([a ^ 2, b ^ 2, a, b]),
        };
    }
    inst.dst = Operand { writemask: WRITEMASK_XYZW, ..inst.dst };
    inst
}
