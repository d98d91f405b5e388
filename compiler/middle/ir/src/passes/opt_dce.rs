//! Dead-code elimination.
//!
//! ```text
//! before:
//!   v1 = fadd v0, v0
//!   v2 = fmul v0, v0
//!   store_output v1
//! after:
//!   v1 = fadd v0, v0
//!   store_output v1
//! ```

use crate::ids::{Inst, Value};
use crate::inst::InstKind;
use crate::intrinsics::IntrinsicOp;
use crate::shader::{Shader, Step};
use cranelift_entity::{EntitySet, SecondaryMap};

/// Removes instructions without side effects whose results nothing live reads, and stores to local
/// variables that nothing live loads.
///
/// Guarantees that cycles of phis which only feed each other disappear too. Leaves control flow
/// alone.
pub fn opt_dce(shader: &mut Shader) -> bool {
    let mut live: EntitySet<Inst> = EntitySet::new();
    let mut work: Vec<Inst> = Vec::new();
    // Stores to locals become live when a live instruction loads the local.
    let mut stores: SecondaryMap<crate::ids::Local, Vec<Inst>> = SecondaryMap::new();
    for step in shader.walk() {
        match step {
            Step::Block(block) => {
                for &inst in &shader.blocks[block].insts {
                    match &shader.insts[inst].kind {
                        InstKind::Intrinsic(i) if i.op == IntrinsicOp::StoreLocal => {
                            if let Some(local) = i.fields.local {
                                stores[local].push(inst);
                            }
                        }
                        kind if kind.has_side_effects() => work.push(inst),
                        _ => {}
                    }
                }
            }
            Step::If(node) => work.extend(shader.condition(node).map(|c| shader.values[c].def)),
            _ => {}
        }
    }
    while let Some(inst) = work.pop() {
        if !live.insert(inst) {
            continue;
        }
        let kind = &shader.insts[inst].kind;
        kind.for_each_src(|v: Value| work.push(shader.values[v].def));
        if let InstKind::Intrinsic(i) = kind
            && i.op == IntrinsicOp::LoadLocal
            && let Some(local) = i.fields.local
        {
            work.append(&mut stores[local]);
        }
    }
    let mut progress = false;
    for block in shader.block_order() {
        let insts = &mut shader.blocks[block].insts;
        let before = insts.len();
        insts.retain(|&inst| live.contains(inst));
        progress |= insts.len() != before;
    }
    progress
}
