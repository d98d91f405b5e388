//! Components of values that are read.

use cranelift_entity::SecondaryMap;
use ir::{InstKind, Shader, Value};

/// Returns the components of each value that instructions and conditions may read, one bit each.
pub(super) fn component_reads(shader: &Shader) -> SecondaryMap<Value, u8> {
    let mut reads: SecondaryMap<Value, u8> = SecondaryMap::new();
    reads.resize(shader.values.len());
    for block in shader.block_order() {
        for &inst in &shader.blocks[block].insts {
            let data = &shader.insts[inst];
            let InstKind::Alu(alu) = &data.kind else {
                data.kind.for_each_src(|value| reads[value] = u8::MAX);
                continue;
            };
            let result = data.result.map_or(4, |value| shader.components(value));
            for (src, input) in alu.srcs.iter().zip(alu.op.info().inputs) {
                let count = if input.components == 0 { result } else { input.components };
                let used = src.swizzle.iter().take(usize::from(count));
                reads[src.value] |= used.fold(0, |bits, c| bits | 1 << (c & 3));
            }
        }
    }
    for node in shader.nodes.values() {
        if let ir::NodeData::If { cond, .. } = node {
            reads[*cond] = u8::MAX;
        }
    }
    reads
}
