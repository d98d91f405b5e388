//! Halving of Align16 instructions that are too wide for the hardware.
//!
//! ```text
//! before:
//!   add(8) v0<1>:DF, v1<1>:DF, v2<1>:DF align16 ; ivb
//! after:
//!   add(4) v0<1>:DF, v1<1>:DF, v2<1>:DF align16
//!   add(4) v0+32<1>:DF, v1+32<1>:DF, v2+32<1>:DF align16 group4
//! ```

use crate::lir::{Inst, Program};
use crate::model::{Model, Quirk};

/// Splits instructions over both vertices into one per vertex where [`Model::max_exec_size`] allows
/// four channels only. The second half takes its enables and flags four channels on
/// (`df-exec-mask`).
///
/// Assumes encodable sources and writemasks. Guarantees that no Align16 instruction is wider than
/// the model allows.
pub(crate) fn lower_simd_width(program: &mut Program, model: &Model) -> bool {
    let old = program.take_insts();
    let mut changed = false;
    for inst in old {
        let splits = inst.align16 && inst.exec_size == 8 && model.max_exec_size(&inst) < 8;
        if splits {
            changed = true;
            program.insts.extend([half(&inst, 0, model), half(&inst, 1, model)]);
        } else {
            program.insts.push(inst);
        }
    }
    changed
}

/// The part of `inst` that belongs to one vertex.
fn half(inst: &Inst, vertex: u32, model: &Model) -> Inst {
    let mut half = inst.clone();
    half.exec_size = 4;
    half.group = if model.handles(Quirk::DfExecMask) { 4 * vertex as u8 } else { 0 };
    if half.dst.is_reg() {
        half.dst = half.dst.byte_offset(4 * vertex * half.dst.ty.size());
    }
    for src in half.src.iter_mut().filter(|src| src.is_reg() && !src.is_scalar()) {
        *src = src.byte_offset(4 * vertex * src.ty.size());
    }
    half
}
