//! Simplification of single instructions that shows only after selection.
//!
//! ```text
//! before:
//!   (+f0.0) sel(8) v0<1>:UD, v1<1>:UD, v1<1>:UD
//! after:
//!   mov(8) v0<1>:UD, v1<1>:UD
//! ```

use crate::lir::{File, Op, Program, Type};
use crate::model::Model;

/// Selects between equal operands, and integer operations with neutral constants, become moves.
/// Comparisons have their constant last, where other passes look for it.
pub(crate) fn opt_algebraic(program: &mut Program, _model: &Model) -> bool {
    let mut changed = false;
    for inst in &mut program.insts {
        if inst.align16 || inst.saturate || inst.acc_write || inst.touches_accumulator() {
            continue;
        }
        if inst.op == Op::Cmp {
            changed |= inst.exchange_immediate(|_| false);
        }
        let move_first = match inst.op {
            Op::Sel => inst.cond.is_none() && inst.src[0] == inst.src[1],
            Op::Add | Op::Or | Op::Xor | Op::Shl | Op::Shr | Op::Asr => {
                inst.dst.ty.is_integer()
                    && inst.src[0].ty == inst.dst.ty
                    && inst.src[0].ty.size() == 4
                    && !inst.src[0].is_imm()
                    && inst.src[1].file == File::Imm(0)
            }
            Op::Mul => {
                inst.dst.ty == Type::D
                    && inst.src[0].ty == Type::D
                    && inst.src[1].file == File::Imm(1)
            }
            _ => false,
        };
        if move_first && (inst.op == Op::Sel || (inst.cond.is_none() && inst.predicate.is_none())) {
            if inst.op == Op::Sel {
                inst.predicate = None;
            }
            inst.op = Op::Mov;
            inst.src.truncate(1);
            changed = true;
        }
    }
    changed
}
