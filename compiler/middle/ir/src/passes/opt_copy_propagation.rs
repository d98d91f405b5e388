//! Copy propagation through `mov`, `vecN` and trivial phis.
//!
//! ```text
//! before:
//!   v2 = vec2 v0, v1
//!   v3 = fadd v2.y, v2.x
//! after:
//!   v2 = vec2 v0, v1
//!   v3 = fadd v1, v0
//! ```

use super::rewrite::resolve;
use crate::ids::{Inst, Value};
use crate::inst::{IDENTITY, InstKind, Src};
use crate::ops::AluOp;
use crate::shader::Shader;
use cranelift_entity::SecondaryMap;

/// Makes every use read the original instead of a copy: whole values everywhere, single components
/// where the use is an ALU source and can swizzle. Phis whose sources are all the same value (or
/// the phi itself) are copies.
///
/// Leaves the copies for `opt_dce`. A value with several sources of which only some are wanted
/// (`vec4(a, b, c, d).xx`) counts as a copy of the wanted one.
pub fn opt_copy_propagation(shader: &mut Shader) -> bool {
    let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
    let mut progress = false;
    for block in shader.block_order() {
        for i in 0..shader.blocks[block].insts.len() {
            let inst = shader.blocks[block].insts[i];
            shader.insts[inst].kind.for_each_src_mut(|v| {
                let to = resolve(&map, *v);
                progress |= to != *v;
                *v = to;
            });
            progress |= propagate_sources(shader, inst);
            if let (Some(result), Some(original)) =
                (shader.insts[inst].result, copied_value(shader, inst))
            {
                map[result] = Some(original);
            }
        }
    }
    // Uses in loop-header phis and conditions come last.
    for step in shader.walk() {
        match step {
            crate::shader::Step::If(node) => {
                progress |= shader.condition(node).is_some_and(|c| map[c].is_some());
            }
            crate::shader::Step::Block(block) => {
                for &inst in &shader.blocks[block].insts {
                    if let InstKind::Phi(srcs) = &shader.insts[inst].kind {
                        progress |= srcs.iter().any(|s| map[s.value].is_some());
                    }
                }
            }
            _ => {}
        }
    }
    if progress {
        shader.replace_uses(&map);
    }
    progress
}

/// The value this instruction copies whole, if it does.
fn copied_value(shader: &Shader, inst: Inst) -> Option<Value> {
    let data = &shader.insts[inst];
    let result = data.result?;
    let original = match &data.kind {
        InstKind::Phi(srcs) => {
            let mut others = srcs.iter().map(|s| s.value).filter(|&v| v != result);
            let first = others.next()?;
            return others.all(|v| v == first).then_some(first);
        }
        InstKind::Alu(alu) if alu.op == AluOp::Mov => {
            let src = alu.srcs.first()?;
            let count = usize::from(shader.components(result));
            (src.swizzle[..count] == IDENTITY[..count]).then_some(src.value)?
        }
        InstKind::Alu(alu) if alu.op.is_vec() => {
            let first = alu.srcs.first()?.value;
            let in_order = alu
                .srcs
                .iter()
                .enumerate()
                .all(|(i, s)| s.value == first && usize::from(s.swizzle[0]) == i);
            in_order.then_some(first)?
        }
        _ => return None,
    };
    (shader.components(original) == shader.components(result)).then_some(original)
}

/// Rewrites the swizzled sources of an ALU instruction that read copies.
fn propagate_sources(shader: &mut Shader, inst: Inst) -> bool {
    let components = shader.insts[inst].result.map_or(1, |v| shader.components(v));
    let mut progress = false;
    let mut index = 0;
    while let InstKind::Alu(alu) = &shader.insts[inst].kind
        && let Some(&src) = alu.srcs.get(index)
    {
        let count = alu.op.info().source_components(index, components);
        let mut best = src;
        while let Some(better) = original_source(shader, &best, count) {
            best = better;
        }
        if best != src
            && let InstKind::Alu(alu) = &mut shader.insts[inst].kind
        {
            alu.srcs[index] = best;
            progress = true;
        }
        index += 1;
    }
    progress
}

/// The source one copy further back.
fn original_source(shader: &Shader, src: &Src, count: u8) -> Option<Src> {
    let alu = shader.as_alu(src.value)?;
    let used = &src.swizzle[..usize::from(count.min(4))];
    let mut swizzle = [0; 4];
    let value = match alu.op {
        AluOp::Mov => {
            let inner = alu.srcs.first()?;
            for (out, &c) in swizzle.iter_mut().zip(used) {
                *out = inner.swizzle[usize::from(c & 3)];
            }
            inner.value
        }
        op if op.is_vec() => {
            let value = alu.srcs.get(usize::from(*used.first()?))?.value;
            for (out, &c) in swizzle.iter_mut().zip(used) {
                let inner = alu.srcs.get(usize::from(c))?;
                if inner.value != value {
                    return None;
                }
                *out = inner.swizzle[0];
            }
            value
        }
        _ => return None,
    };
    // Beyond the used components anything goes; repeat the last so that equal sources look equal.
    let last = swizzle[used.len() - 1];
    swizzle[used.len()..].fill(last);
    Some(Src { value, swizzle })
}
