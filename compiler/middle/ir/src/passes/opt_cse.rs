//! Common-subexpression elimination over the dominator tree.
//!
//! ```text
//! before:
//!   v2 = fadd v0, v1
//!   v3 = fadd v1, v0
//!   v4 = fmul v2, v3
//! after:
//!   v2 = fadd v0, v1
//!   v4 = fmul v2, v2
//! ```

use super::rewrite::resolve;
use crate::cfg::Cfg;
use crate::ids::{Block, Inst, Value};
use crate::inst::{InstKind, Src};
use crate::shader::Shader;
use cranelift_entity::SecondaryMap;
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;
use std::hash::BuildHasher;

/// Replaces a pure instruction by an equal one whose block dominates it: constants, arithmetic,
/// system values, uniform and input loads, texture accesses. Phis are merged within their block.
///
/// Commutative operands compare in either order; exact and inexact instructions never merge with
/// each other, so `precise` is neither lost nor spread. Derivatives merge with dominating ones:
/// where lanes have left in between the later one was undefined.
pub fn opt_cse(shader: &mut Shader) -> bool {
    let cfg = Cfg::new(shader);
    let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
    // By the keys' digests: whole keys take several times the memory of the shader.
    let mut seen: FxHashMap<u64, SmallVec<[(Block, Inst); 1]>> = FxHashMap::default();
    seen.reserve(shader.blocks.values().map(|block| block.insts.len()).sum());
    let mut progress = false;
    for &block in &cfg.order {
        let insts = std::mem::take(&mut shader.blocks[block].insts);
        let mut kept = Vec::with_capacity(insts.len());
        for inst in insts {
            shader.insts[inst].kind.for_each_src_mut(|v| *v = resolve(&map, *v));
            let key = key(shader, block, inst);
            if let (Some(key), Some(result)) = (key, shader.insts[inst].result) {
                let candidates = seen.entry(FxBuildHasher.hash_one(&key)).or_default();
                let equal = candidates.iter().find(|&&(other, candidate)| {
                    cfg.dominates(other, block)
                        && self::key(shader, other, candidate).as_ref() == Some(&key)
                });
                if let Some(&(_, equal)) = equal {
                    map[result] = shader.insts[equal].result;
                    progress = true;
                    continue;
                }
                candidates.push((block, inst));
            }
            kept.push(inst);
        }
        shader.blocks[block].insts = kept;
    }
    if progress {
        shader.replace_uses(&map);
    }
    progress
}

/// Equal keys compute equal values. Phis carry their block.
type Key = (InstKind, u8, u8, Option<Block>);

fn key(shader: &Shader, block: Block, inst: Inst) -> Option<Key> {
    let data = &shader.insts[inst];
    let shape = shader.values[data.result?];
    let mut kind = data.kind.clone();
    let mut place = None;
    match &mut kind {
        InstKind::Phi(srcs) => {
            srcs.sort_by_key(|s| s.pred);
            place = Some(block);
        }
        InstKind::Alu(alu) => {
            let info = alu.op.info();
            for (i, src) in alu.srcs.iter_mut().enumerate() {
                let used = usize::from(info.source_components(i, shape.components).min(4));
                src.swizzle[used..].fill(0);
            }
            if info.commutative()
                && let [a, b, ..] = &mut alu.srcs[..]
                && order(b) < order(a)
            {
                std::mem::swap(a, b);
            }
        }
        kind if kind.is_pure() => {}
        _ => return None,
    }
    // Undefined values stay apart: each may be another value.
    (kind != InstKind::Undef).then_some((kind, shape.bits, shape.components, place))
}

fn order(src: &Src) -> (Value, [u8; 4]) {
    (src.value, src.swizzle)
}
