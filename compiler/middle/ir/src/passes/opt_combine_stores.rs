//! Combination of stores to the components of one output.
//!
//! ```text
//! before:
//!   store_output v0 slot=var0 component=0 mask=1
//!   store_output v1 slot=var0 component=1 mask=1
//! after:
//!   v2 = vec2 v0, v1
//!   store_output v2 slot=var0 component=0 mask=3
//! ```

use super::rewrite::{Action, rewrite};
use crate::builder::Builder;
use crate::ids::{Inst, Value};
use crate::inst::InstKind;
use crate::intrinsics::{Intrinsic, IntrinsicOp};
use crate::shader::Shader;
use crate::slot::Slot;
use crate::varyings::slot_at;
use std::collections::{BTreeMap, BTreeSet};

/// The destination of a store: a slot, of the patch or of one of its vertices.
type Target = (Slot, Option<Value>);

/// Lets the last of a block's stores to components of one output write them all, where nothing
/// between them may read outputs, orders accesses or may write to the same place by another name.
/// Meant for tessellation control shaders, whose stores are messages.
pub fn opt_combine_stores(shader: &mut Shader) -> bool {
    let groups = groups(shader);
    let earlier: BTreeSet<Inst> = groups.values().flatten().copied().collect();
    rewrite(shader, |b, inst| {
        if earlier.contains(&inst) {
            return Action::Remove;
        }
        if let Some(members) = groups.get(&inst) {
            combine(b, members, inst);
        }
        Action::Keep
    })
}

/// For the last store of each group the ones before it, in order.
fn groups(shader: &Shader) -> BTreeMap<Inst, Vec<Inst>> {
    let mut groups = BTreeMap::new();
    for block in shader.block_order() {
        let mut open: BTreeMap<Target, Vec<Inst>> = BTreeMap::new();
        for &inst in &shader.blocks[block].insts {
            let InstKind::Intrinsic(intrinsic) = &shader.insts[inst].kind else { continue };
            match (store(shader, intrinsic), intrinsic.op) {
                (Some(place), _) => {
                    // Another vertex may be the same one.
                    open.retain(|&(slot, vertex), _| slot != place.0 || vertex == place.1);
                    open.entry(place).or_default().push(inst);
                }
                (None, op) => {
                    let info = op.info();
                    let reads =
                        matches!(op, IntrinsicOp::LoadOutput | IntrinsicOp::LoadPerVertexOutput);
                    if info.has_side_effects() || reads {
                        close(&mut open, &mut groups);
                    }
                }
            }
        }
        close(&mut open, &mut groups);
    }
    groups
}

fn close(open: &mut BTreeMap<Target, Vec<Inst>>, groups: &mut BTreeMap<Inst, Vec<Inst>>) {
    for mut stores in std::mem::take(open).into_values() {
        if let Some(last) = stores.pop().filter(|_| !stores.is_empty()) {
            groups.insert(last, stores);
        }
    }
}

/// Where a store at a constant offset goes, if it stays within its slot.
fn store(shader: &Shader, intrinsic: &Intrinsic) -> Option<Target> {
    let (value, vertex, offset) = match (intrinsic.op, &intrinsic.srcs[..]) {
        (IntrinsicOp::StoreOutput, &[value, offset]) => (value, None, offset),
        (IntrinsicOp::StorePerVertexOutput, &[value, vertex, offset]) => {
            (value, Some(vertex), offset)
        }
        _ => return None,
    };
    let fits = intrinsic.fields.component + shader.components(value) <= 4;
    Some((slot_at(shader, intrinsic, offset).filter(|_| fits)?, vertex))
}

/// Makes the store `last` write what `members` write, too.
fn combine(b: &mut Builder<'_>, members: &[Inst], last: Inst) {
    let mut parts: [Option<(Value, u8)>; 4] = [None; 4];
    for &inst in members.iter().chain([&last]) {
        let InstKind::Intrinsic(intrinsic) = &b.shader.insts[inst].kind else { continue };
        let (value, fields) = (intrinsic.srcs[0], &intrinsic.fields);
        for c in (0..b.shader.components(value)).filter(|c| fields.write_mask >> c & 1 != 0) {
            parts[usize::from(fields.component + c)] = Some((value, c));
        }
    }
    let first = parts.iter().position(Option::is_some).unwrap_or(0);
    let end = parts.iter().rposition(Option::is_some).map_or(first, |last| last + 1);
    let mut components = Vec::new();
    let mut mask = 0;
    for (index, part) in parts[first..end].iter().enumerate() {
        components.push(match *part {
            Some((value, c)) => {
                mask |= 1 << index;
                b.channel(value, c)
            }
            None => b.imm(0),
        });
    }
    let value = b.vec(&components);
    if let InstKind::Intrinsic(intrinsic) = &mut b.shader.insts[last].kind {
        intrinsic.srcs[0] = value;
        (intrinsic.fields.component, intrinsic.fields.write_mask) = (first as u8, mask);
    }
}
