//! Copies of sources that MATH reads at a distance.
//!
//! ```text
//! before:
//!   math.intmod(8) v0<1>:UD, v1+4<2>:UD, v2<1>:UD
//! after:
//!   mov(8) v3<1>:UD, v1+4<2>:UD
//!   math.intmod(8) v0<1>:UD, v3<1>:UD, v2<1>:UD
//! ```

use crate::lir::{Inst, Op, Operand, Program, Type};
use crate::model::Model;

/// MATH reads its sources at the stride of its destination, scalars excepted: copies the others,
/// such as one half of 64-bit values, to registers of their own. Half-float MATH has its own rule
/// and is left alone. Afterwards every piece of such an instruction obeys the rule too.
pub(crate) fn legalize_math(program: &mut Program, _: &Model) -> bool {
    let mut changed = false;
    let old = program.take_insts();
    for mut inst in old {
        let half = inst.dst.ty == Type::HF || inst.src.iter().any(|src| src.ty == Type::HF);
        if inst.op.is_math() && !inst.align16 && !half {
            for index in 0..inst.src.len() {
                changed |= gather(program, &mut inst, index);
            }
        }
        program.insts.push(inst);
    }
    changed
}

/// Replaces a source by a copy at the destination's stride, if it has another one.
fn gather(program: &mut Program, inst: &mut Inst, index: usize) -> bool {
    let (src, stride) = (inst.src[index], inst.dst.stride().unwrap_or(1));
    if !src.is_reg() || src.is_scalar() || src.stride() == Some(stride) {
        return false;
    }
    let place =
        program.vreg_for(src.ty, u32::from(inst.exec_size) * u32::from(stride)).strided(stride);
    let mut copy = Inst::new(Op::Mov, inst.exec_size, place, &[src.unmodified()]);
    copy.group = inst.group;
    copy.no_mask = inst.no_mask;
    program.insts.push(copy);
    inst.src[index] = Operand { negate: src.negate, abs: src.abs, ..place };
    true
}
