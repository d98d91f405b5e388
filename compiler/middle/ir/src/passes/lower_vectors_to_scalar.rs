//! Scalarization for back ends that process one component per instruction.
//!
//! ```text
//! before:
//!   32x2 v2 = fadd v0, v1
//! after:
//!   32x1 v3 = fadd v0.x, v1.x
//!   32x1 v4 = fadd v0.y, v1.y
//!   32x2 v2 = vec2 v3, v4
//! ```

use super::rewrite::{Action, rewrite, rewrite_alu};
use crate::builder::Builder;
use crate::ids::{Block, Inst, Value};
use crate::inst::{Alu, InstKind, PhiSrc, Src};
use crate::ops::AluOp;
use crate::shader::Shader;
use smallvec::SmallVec;

/// Splits per-component ALU instructions and phis into scalars joined by `vecN`, and reductions
/// (dot products, all/any comparisons) and vector packing into scalar operations.
///
/// Afterwards no ALU instruction but `vecN` has a vector result or a vector operand; constants,
/// loads and texture results stay vectors, read component by component through swizzles.
/// `opt_copy_propagation` and `opt_dce` then remove most of the `vecN`. Dot products are summed
/// from x up as their folding function does.
pub fn lower_vectors_to_scalar(shader: &mut Shader) -> bool {
    let alu = rewrite_alu(shader, |b, alu, result| {
        let components = b.shader.components(result);
        if alu.op.info().is_per_component() {
            return (components > 1).then(|| split(b, alu, components));
        }
        reduction(b, alu).or_else(|| packing(b, alu))
    });
    alu | scalarize_phis(shader)
}

/// The same operation on each component.
fn split(b: &mut Builder<'_>, alu: &Alu, components: u8) -> Value {
    let parts: SmallVec<[Value; 4]> = (0..components)
        .map(|c| {
            let srcs: SmallVec<[Src; 4]> =
                alu.srcs.iter().map(|s| Src::splat(s.value, s.swizzle[usize::from(c)])).collect();
            b.alu_src(alu.op, &srcs, 1)
        })
        .collect();
    b.vec(&parts)
}

/// Component operation and joining operation of a reduction, with its length.
fn reduction_ops(op: AluOp) -> Option<(AluOp, AluOp, u8)> {
    use AluOp::*;
    Some(match op {
        Fdot2 => (Fmul, Fadd, 2),
        Fdot3 => (Fmul, Fadd, 3),
        Fdot4 => (Fmul, Fadd, 4),
        BallFeq2 => (Feq, Iand, 2),
        BallFeq3 => (Feq, Iand, 3),
        BallFeq4 => (Feq, Iand, 4),
        BanyFneu2 => (Fneu, Ior, 2),
        BanyFneu3 => (Fneu, Ior, 3),
        BanyFneu4 => (Fneu, Ior, 4),
        BallIeq2 => (Ieq, Iand, 2),
        BallIeq3 => (Ieq, Iand, 3),
        BallIeq4 => (Ieq, Iand, 4),
        BanyIne2 => (Ine, Ior, 2),
        BanyIne3 => (Ine, Ior, 3),
        BanyIne4 => (Ine, Ior, 4),
        _ => return None,
    })
}

fn reduction(b: &mut Builder<'_>, alu: &Alu) -> Option<Value> {
    let (each, join, count) = reduction_ops(alu.op)?;
    let mut total: Option<Value> = None;
    for c in 0..usize::from(count) {
        let srcs: SmallVec<[Src; 4]> =
            alu.srcs.iter().map(|s| Src::splat(s.value, s.swizzle[c])).collect();
        let part = b.alu_src(each, &srcs, 1);
        total = Some(match total {
            None => part,
            Some(total) => b.alu(join, &[total, part]),
        });
    }
    total
}

/// Vector forms of packing operations with split forms.
fn packing(b: &mut Builder<'_>, alu: &Alu) -> Option<Value> {
    use AluOp::*;
    let pack = match alu.op {
        PackVec64 => Some(Pack64),
        PackVec32 => Some(Pack32),
        PackHalf2x16 => Some(PackHalf),
        _ => None,
    };
    let src = alu.srcs.first()?;
    if let Some(op) = pack {
        let [x, y, ..] = src.swizzle;
        return Some(b.alu_src(op, &[Src::splat(src.value, x), Src::splat(src.value, y)], 1));
    }
    let (x, y) = match alu.op {
        UnpackVec64 => (Unpack64X, Unpack64Y),
        UnpackVec32 => (Unpack32X, Unpack32Y),
        UnpackHalf2x16 => (UnpackHalfX, UnpackHalfY),
        _ => return None,
    };
    let src = Src::splat(src.value, src.swizzle[0]);
    let parts = [b.alu_src(x, &[src], 1), b.alu_src(y, &[src], 1)];
    Some(b.vec(&parts))
}

/// Vector phis become one phi per component and a `vecN` after the phis; the components are taken
/// at the ends of the predecessors.
fn scalarize_phis(shader: &mut Shader) -> bool {
    let mut phis: Vec<(Block, Inst)> = Vec::new();
    for block in shader.block_order() {
        for &inst in &shader.blocks[block].insts {
            let data = &shader.insts[inst];
            let vector = data.result.is_some_and(|v| shader.components(v) > 1);
            if matches!(data.kind, InstKind::Phi(_)) && vector {
                phis.push((block, inst));
            }
        }
    }
    let mut replacements = rustc_hash::FxHashMap::default();
    for &(block, inst) in &phis {
        let data = &shader.insts[inst];
        let (InstKind::Phi(srcs), Some(result)) = (data.kind.clone(), data.result) else {
            continue;
        };
        let shape = shader.values[result];
        let mut parts: SmallVec<[Value; 4]> = SmallVec::new();
        for c in 0..shape.components {
            let mut scalar: SmallVec<[PhiSrc; 2]> = SmallVec::new();
            for src in &srcs {
                let value = Builder::at_end(shader, src.pred).channel(src.value, c);
                scalar.push(PhiSrc { pred: src.pred, value });
            }
            parts.push(Builder::at(shader, block, 0).phi(scalar, shape.bits, 1));
        }
        let insts = &shader.blocks[block].insts;
        let after =
            insts.iter().take_while(|&&i| matches!(shader.insts[i].kind, InstKind::Phi(_))).count();
        let joined = Builder::at(shader, block, after).vec(&parts);
        replacements.insert(inst, joined);
    }
    rewrite(shader, |_, inst| {
        replacements.get(&inst).map_or(Action::Keep, |&v| Action::Replace(v))
    });
    !phis.is_empty()
}
