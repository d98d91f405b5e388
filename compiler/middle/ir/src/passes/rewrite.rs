//! Shared machinery of the passes that replace single instructions by short sequences.

use crate::builder::Builder;
use crate::cfg::Cfg;
use crate::ids::{Block, Inst, Value};
use crate::inst::{Alu, InstKind, Src};
use crate::shader::Shader;
use cranelift_entity::SecondaryMap;

/// The fate of an instruction.
pub(crate) enum Action {
    /// It stays.
    Keep,
    /// It goes; its result, if it has one, is replaced.
    Replace(Value),
    /// It goes; it has no result.
    Remove,
}

/// Visits every instruction in program order with a builder standing where the instruction was;
/// what the callback builds precedes the instruction and has its source line. Sources are already
/// replaced when the callback sees them, except those of loop-header phis, which are replaced at
/// the end.
pub(crate) fn rewrite(
    shader: &mut Shader,
    mut f: impl FnMut(&mut Builder<'_>, Inst) -> Action,
) -> bool {
    let mut map: SecondaryMap<Value, Option<Value>> = SecondaryMap::new();
    let mut progress = false;
    for block in shader.block_order() {
        let old = std::mem::take(&mut shader.blocks[block].insts);
        shader.blocks[block].insts.reserve(old.len());
        for inst in old {
            shader.insts[inst].kind.for_each_src_mut(|v| *v = resolve(&map, *v));
            let line = shader.insts[inst].line;
            let mut builder = Builder::at_end(shader, block);
            builder.line = line;
            match f(&mut builder, inst) {
                Action::Keep => shader.blocks[block].insts.push(inst),
                Action::Remove => progress = true,
                Action::Replace(value) => {
                    progress = true;
                    if let Some(result) = shader.insts[inst].result {
                        map[result] = Some(value);
                    }
                }
            }
        }
    }
    if progress {
        shader.replace_uses(&map);
    }
    progress
}

/// The value at the end of a replacement chain.
pub(crate) fn resolve(map: &SecondaryMap<Value, Option<Value>>, mut value: Value) -> Value {
    while let Some(next) = map[value] {
        value = next;
    }
    value
}

/// As [`rewrite`], for ALU instructions: the callback gets the instruction and its result and
/// returns the replacement, if any; without one, what it built is removed. The builder is exact if
/// the instruction was.
pub(crate) fn rewrite_alu(
    shader: &mut Shader,
    mut f: impl FnMut(&mut Builder<'_>, &Alu, Value) -> Option<Value>,
) -> bool {
    rewrite(shader, |b, inst| {
        let data = &b.shader.insts[inst];
        let (InstKind::Alu(alu), Some(result)) = (&data.kind, data.result) else {
            return Action::Keep;
        };
        let alu = alu.clone();
        b.exact = alu.exact;
        let start = b.position();
        match f(b, &alu, result) {
            Some(value) => Action::Replace(value),
            None => {
                b.rewind(start);
                Action::Keep
            }
        }
    })
}

/// The source's `components` components as a value: the value itself if the swizzle changes
/// nothing.
pub(crate) fn source_value(b: &mut Builder<'_>, src: &Src, components: u8) -> Value {
    b.swizzle(src.value, &src.swizzle[..usize::from(components.clamp(1, 4))])
}

/// All sources of a per-component instruction as values.
pub(crate) fn source_values(b: &mut Builder<'_>, alu: &Alu, components: u8) -> Vec<Value> {
    let counts = (0..alu.srcs.len()).map(|i| alu.op.info().source_components(i, components));
    let counts: Vec<u8> = counts.collect();
    alu.srcs.iter().zip(counts).map(|(src, count)| source_value(b, src, count)).collect()
}

/// Removes phi sources of blocks that are no longer predecessors.
pub(crate) fn prune_phis(shader: &mut Shader) {
    let cfg = Cfg::new(shader);
    for &block in &cfg.order {
        for i in 0..shader.blocks[block].insts.len() {
            let inst = shader.blocks[block].insts[i];
            match &mut shader.insts[inst].kind {
                InstKind::Phi(srcs) => srcs.retain(|s| cfg.preds[block].contains(&s.pred)),
                _ => break,
            }
        }
    }
}

/// Replaces the predecessors in phis by the blocks that they have been merged into.
pub(crate) fn rename_preds(shader: &mut Shader, renamed: &SecondaryMap<Block, Option<Block>>) {
    for block in shader.block_order() {
        for i in 0..shader.blocks[block].insts.len() {
            let inst = shader.blocks[block].insts[i];
            let InstKind::Phi(srcs) = &mut shader.insts[inst].kind else { break };
            for src in srcs.iter_mut() {
                while let Some(into) = renamed[src.pred] {
                    src.pred = into;
                }
            }
        }
    }
}

/// The remainder `rest` = x − y·whole, but 0 where rounding put the quotient of a multiple one
/// below: there the remainder is y, and the next quotient leaves nothing.
pub(crate) fn unless_multiple(
    b: &mut Builder<'_>,
    x: Value,
    y: Value,
    whole: Value,
    rest: Value,
) -> Value {
    let bits = b.shader.bits(x);
    let (zero, one) = (b.fconst(bits, 0.0), b.fconst(bits, 1.0));
    let next = b.fadd(whole, one);
    let negative = b.fneg(next);
    let left = b.ffma(y, negative, x);
    let (same, none) = (b.feq(rest, y), b.feq(left, zero));
    let multiple = b.iand(same, none);
    b.bcsel(multiple, zero, rest)
}
