//! Common subexpressions within blocks.

use crate::bir::cfg::Cfg;
use crate::bir::{File, Inst, MessageKind, Op, Program};
use crate::model::Model;
use cranelift_entity::EntityRef;

/// How many expressions are remembered per block; older ones are forgotten, which keeps the search linear.
const WINDOW: usize = 64;

/// Replaces a computation by a copy of an equal earlier one's result, in straight line as long as neither its
/// sources nor its result are written.
pub fn opt_common_subexpressions(program: &mut Program, model: &dyn Model) -> bool {
    let _ = model;
    let cfg = Cfg::new(program);
    let mut changed = false;
    for block in &cfg.blocks {
        let mut known: Vec<Known> = Vec::new();
        for i in block.start..block.end {
            let inst = &program.insts[i];
            let mut expression = is_expression(inst);
            let same = |k: &&Known| equal(&program.insts[k.index], inst);
            let earlier = known.iter().rev().find(|k| expression && same(k)).map(|k| k.index);
            if inst.dst.is_reg() {
                let written = file_bit(inst.dst.file);
                known.retain(|k| k.files & written == 0 || !clobbers(inst, &program.insts[k.index]));
            }
            if let Some(k) = earlier {
                let mut copy = Inst::new(Op::Mov, inst.exec_size, inst.dst, &[program.insts[k].dst]);
                copy.group = inst.group;
                copy.no_mask = inst.no_mask;
                program.insts[i] = copy;
                changed = true;
                expression = false;
            }
            if expression {
                if known.len() == WINDOW {
                    known.remove(0);
                }
                known.push(Known::new(i, &program.insts[i]));
            }
        }
    }
    changed
}

/// An expression that can be used again.
struct Known {
    index: usize,
    /// [`file_bit`] of what it reads and writes.
    files: u64,
}

impl Known {
    fn new(index: usize, inst: &Inst) -> Known {
        let operands = inst.src.iter().chain([&inst.dst]);
        Known { index, files: operands.fold(0, |bits, operand| bits | file_bit(operand.file)) }
    }
}

/// One of 64 bits, the same for the same file: most registers are told apart without a look at their names.
fn file_bit(file: File) -> u64 {
    match file {
        File::Vgrf(v) => 1 << (v.index() % 64),
        _ => u64::MAX,
    }
}

fn is_expression(inst: &Inst) -> bool {
    let pure_op =
        !matches!(inst.op, Op::Mov | Op::Undef | Op::Nop | Op::Mach | Op::Addc | Op::Subb | Op::Mac);
    let reads_itself = inst.src.iter().any(|s| s.is_reg() && s.file == inst.dst.file);
    pure_op
        && !inst.has_side_effects()
        && matches!(inst.dst.file, File::Vgrf(_))
        && inst.predicate.is_none()
        && (inst.cond.is_none() || inst.op == Op::Sel)
        && !inst.touches_accumulator()
        && !inst.align16
        && !reads_itself
        && inst.message.as_ref().is_none_or(|m| m.kind == MessageKind::ConstantLoad && m.rlen == 1)
        && inst.dst.stride() == Some(1)
}

fn equal(a: &Inst, b: &Inst) -> bool {
    let exchanged = || {
        a.op.info().commutative
            && a.src.len() == 2
            && b.src.len() == 2
            && a.src[0] == b.src[1]
            && a.src[1] == b.src[0]
    };
    a.op == b.op
        && (a.src == b.src || exchanged())
        && a.dst.ty == b.dst.ty
        && a.dst.region == b.dst.region
        && a.exec_size == b.exec_size
        && a.group == b.group
        && a.no_mask == b.no_mask
        && a.saturate == b.saturate
        && a.cond == b.cond
        && a.message == b.message
}

/// `inst` writes a source or the result of `expression`.
fn clobbers(inst: &Inst, expression: &Inst) -> bool {
    let file = inst.dst.file;
    expression.dst.file == file || expression.src.iter().any(|s| s.file == file)
}
