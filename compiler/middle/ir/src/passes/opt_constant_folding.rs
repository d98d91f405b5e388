//! Constant folding.
//!
//! ```text
//! before:
//!   v2 = iadd 2, 3
//! after:
//!   v2 = const 5
//! ```

use crate::fold::FoldCtx;
use crate::ids::Inst;
use crate::inst::{Alu, InstKind};
use crate::shader::Shader;

/// Replaces ALU instructions on constants by their result, derivatives of constants by zero, and
/// phis whose sources are one constant, wherever they are defined, by that.
///
/// Assumes nothing. Results are those of [`evaluate`] under the shader's float controls, so a
/// folded program computes what the evaluator computes.
pub fn opt_constant_folding(shader: &mut Shader) -> bool {
    let mut progress = false;
    for block in shader.block_order() {
        let mut phi_folded = false;
        for i in 0..shader.blocks[block].insts.len() {
            let inst = shader.blocks[block].insts[i];
            let phi = common_constant(shader, inst);
            phi_folded |= phi.is_some();
            if let Some(data) = phi.or_else(|| folded(shader, inst)) {
                shader.insts[inst].kind = InstKind::Const(data);
                progress = true;
            }
        }
        if phi_folded {
            // Phis come first.
            let mut insts = std::mem::take(&mut shader.blocks[block].insts);
            insts.sort_by_key(|&inst| !matches!(shader.insts[inst].kind, InstKind::Phi(_)));
            shader.blocks[block].insts = insts;
        }
    }
    progress
}

/// The constant that all defined sources of a phi are, apart from the phi itself.
fn common_constant(shader: &Shader, inst: Inst) -> Option<[u64; 4]> {
    let data = &shader.insts[inst];
    let InstKind::Phi(srcs) = &data.kind else { return None };
    let defined = |v: crate::ids::Value| {
        Some(v) != data.result && !matches!(shader.def(v).kind, InstKind::Undef)
    };
    let mut values = srcs.iter().map(|s| s.value).filter(|&v| defined(v));
    let first = *shader.as_const(values.next()?)?;
    let components = usize::from(shader.components(data.result?)).min(4);
    let equal = |v| shader.as_const(v).is_some_and(|c| c[..components] == first[..components]);
    values.all(equal).then_some(first)
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
    alu.op.evaluate(
        fold_ctx(shader, alu),
        &sources[..alu.srcs.len().min(4)],
        shape.bits,
        shape.components,
    )
}

/// The folding context of an instruction.
pub(super) fn fold_ctx(shader: &Shader, alu: &Alu) -> FoldCtx {
    let unsized_source = alu.op.info().inputs.iter().position(|i| i.bits == 0).unwrap_or(0);
    let bits = alu.srcs.get(unsized_source).map_or(32, |s| shader.bits(s.value));
    FoldCtx { bits, flush_f32: shader.info.float_controls.flush_f32 }
}
