//! Constant folding.

use crate::fold::{FoldCtx, evaluate};
use crate::ids::Inst;
use crate::inst::{Alu, InstKind};
use crate::shader::Shader;

/// Replaces ALU instructions on constants by their result, and derivatives of constants by zero.
///
/// Assumes nothing. Results are those of [`evaluate`] under the shader's float controls, so a folded program
/// computes what the evaluator computes.
pub fn opt_constant_fold(shader: &mut Shader) -> bool {
    let mut progress = false;
    for block in shader.block_order() {
        for i in 0..shader.blocks[block].insts.len() {
            let inst = shader.blocks[block].insts[i];
            if let Some(data) = folded(shader, inst) {
                shader.insts[inst].kind = InstKind::Const(data);
                progress = true;
            }
        }
    }
    progress
}

fn folded(shader: &Shader, inst: Inst) -> Option<[u64; 4]> {
    let data = &shader.insts[inst];
    let InstKind::Alu(alu) = &data.kind else { return None };
    let shape = shader.values[data.result?];
    let mut sources = [[0; 4]; 4];
    for (out, src) in sources.iter_mut().zip(&alu.srcs) {
        let constant = shader.as_const(src.value)?;
        *out = src.swizzle.map(|c| constant[usize::from(c & 3)]);
    }
    if alu.op.info().is_derivative() {
        return Some([0; 4]);
    }
    evaluate(alu.op, fold_ctx(shader, alu), &sources[..alu.srcs.len().min(4)], shape.bits, shape.components)
}

/// The folding context of an instruction.
pub(super) fn fold_ctx(shader: &Shader, alu: &Alu) -> FoldCtx {
    let unsized_source = alu.op.info().inputs.iter().position(|i| i.bits == 0).unwrap_or(0);
    let bits = alu.srcs.get(unsized_source).map_or(32, |s| shader.bits(s.value));
    FoldCtx { bits, flush_f32: shader.info.float_controls.flush_f32 }
}
