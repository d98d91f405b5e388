//! Lowering of 64-bit Align16 swizzles to those of the hardware (`align16-df-swizzle`).
//!
//! ```text
//! before:
//!   mov(8) v0<1>:DF, v1<1>.xyxx:DF align16
//! after:
//!   mov(8) v0<1>.yz:DF, v1<1>.xyxx:DF align16
//!   mov(8) v0<1>.xw:DF, v1<1>.xyxx:DF align16
//! ```

use super::splitting::{copy, is_align16_df, push_split};
use super::swizzle_class::split;
use crate::lir::{Inst, Operand, Program, Swizzle};
use crate::model::{Model, Quirk};
use smallvec::SmallVec;

/// Splits 64-bit Align16 instructions until every source can be encoded.
///
/// Assumes whole instructions over both vertices with logical swizzles and writemasks. Guarantees
/// that each source has a [row step](Inst::row_step) under its instruction's writemask; sources of
/// three-source instructions that have none are copied. Writemasks may be any, XY and ZW too;
/// widths are untouched; swizzles stay logical.
pub(crate) fn lower_df_swizzle(program: &mut Program, model: &Model) -> bool {
    if !model.handles(Quirk::Align16DfSwizzle) {
        return false;
    }
    // Replicated scalars need no copy (where that quirk's handling is switched off).
    let replicates = !model.handles(Quirk::ThreeSourceNoDfRep);
    let old = program.take_insts();
    let mut changed = false;
    for mut inst in old {
        if !is_align16_df(&inst) {
            program.insts.push(inst);
            continue;
        }
        if inst.op.info().three_source {
            for index in 0..inst.src.len() {
                let src = inst.src[index];
                let fits = src.is_scalar() && replicates || inst.row_step(&src).is_some();
                if !fits {
                    inst.src[index] = in_order(program, src, inst.dst.writemask);
                    changed = true;
                }
            }
        }
        changed |= push_encodable(program, inst);
    }
    changed
}

/// A copy of `src` with the components of `mask` in order.
fn in_order(program: &mut Program, src: Operand, mask: u8) -> Operand {
    let (moved, mov) = copy(program, src.unmodified(), mask);
    push_encodable(program, mov);
    Operand { swizzle: Swizzle::XYZW, negate: src.negate, abs: src.abs, ..moved }
}

/// Appends `inst`, split source by source. Returns true if there is more than one instruction.
fn push_encodable(program: &mut Program, inst: Inst) -> bool {
    let mut masks: SmallVec<[u8; 4]> = SmallVec::from_slice(&[inst.dst.writemask]);
    for src in inst.src.iter().filter(|src| src.is_reg() && src.ty.size() == 8) {
        masks = masks.into_iter().flat_map(|mask| split(src.swizzle, mask)).collect();
    }
    push_split(program, inst, &masks);
    masks.len() > 1
}
