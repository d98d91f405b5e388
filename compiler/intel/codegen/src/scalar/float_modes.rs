//! Modes of the float unit: which widths keep their denormals.

use super::target::ScalarSelection;
use crate::lir::{Arf, Op, Operand, Type};
use crate::model::Model;
use ir::{InstKind, Shader};

/// Control register bit: keep DF denormals.
const CR0_FP64_DENORM_PRESERVE: u32 = 1 << 6;
/// Control register bit: keep HF denormals.
const CR0_FP16_DENORM_PRESERVE: u32 = 1 << 10;

impl ScalarSelection<'_> {
    /// Sets the control register's denormal modes.
    pub(super) fn emit_denormal_modes(&mut self) {
        let bits = denormal_bits(self.shader, self.model);
        if bits != 0 {
            let control = Operand::arf(Arf::Control(0), Type::UD);
            let mut b = self.builder();
            b.all_channels(1).emit(Op::Or, control, &[control.scalar(), Operand::ud(bits)]);
        }
    }
}

/// Returns whether the operation moves half floats as HF: in the IR they are in dwords.
fn packs_halves(op: ir::AluOp) -> bool {
    use ir::AluOp::*;
    matches!(op, PackHalf | PackHalf2x16 | UnpackHalfX | UnpackHalfY | UnpackHalf2x16)
}

/// Control register bits for the widths in which the shader computes. Copies need none.
fn denormal_bits(shader: &Shader, model: &Model) -> u32 {
    let mut bits = 0;
    for block in shader.block_order() {
        for &inst in &shader.blocks[block].insts {
            let data = &shader.insts[inst];
            let (InstKind::Alu(alu), Some(result)) = (&data.kind, data.result) else { continue };
            if packs_halves(alu.op) && !model.devinfo().half_conversion_opcodes {
                bits |= CR0_FP16_DENORM_PRESERVE;
            }
            let info = alu.op.info();
            let inputs =
                info.inputs.iter().zip(&alu.srcs).map(|(o, s)| (o.class, shader.bits(s.value)));
            for (class, width) in inputs.chain([(info.output.class, shader.bits(result))]) {
                let computes = class == ir::Class::Float || alu.op == ir::AluOp::Bcsel;
                match width {
                    64 if computes => bits |= CR0_FP64_DENORM_PRESERVE,
                    16 if computes => bits |= CR0_FP16_DENORM_PRESERVE,
                    _ => {}
                }
            }
        }
    }
    bits
}
