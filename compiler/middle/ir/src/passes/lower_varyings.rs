//! Generic varyings in the places that stages agree on when they link.
//!
//! ```text
//! before:
//!   store_output v0 slot=var0 component=0 mask=1
//!   store_output v1 slot=var1 component=0 mask=1
//! after:
//!   store_output v0 slot=var0 component=0 mask=1
//!   store_output v1 slot=var0 component=1 mask=1
//! ```

use super::rewrite::{Action, rewrite};
use crate::builder::Builder;
use crate::ids::{Inst, Value};
use crate::info::Stage;
use crate::inst::InstKind;
use crate::intrinsics::{Fields, Intrinsic, IntrinsicOp};
use crate::shader::Shader;
use crate::slot::Slot;
use crate::varying_places::VaryingPlaces;
use crate::varyings::{generic, input_offset, slot_at};

/// Moves the generic inputs of a fragment shader, or the generic outputs of the stage before it, to
/// their new `places`. Outputs without one are not read and go. Both stages must do so.
pub fn lower_varyings(shader: &mut Shader, places: &VaryingPlaces) -> bool {
    if shader.info.stage == Stage::Fragment {
        places.declare(&mut shader.info.inputs);
        rewrite(shader, |b, inst| move_load(b, inst, places));
    } else {
        places.declare(&mut shader.info.outputs);
        rewrite(shader, |b, inst| move_store(b, inst, places));
    }
    true
}

fn move_load(b: &mut Builder<'_>, inst: Inst, places: &VaryingPlaces) -> Action {
    let data = &b.shader.insts[inst];
    let (InstKind::Intrinsic(intrinsic), Some(result)) = (&data.kind, data.result) else {
        return Action::Keep;
    };
    let offset = input_offset(intrinsic);
    let Some(varying) = offset.and_then(|offset| generic_at(b.shader, intrinsic, offset)) else {
        return Action::Keep;
    };
    let intrinsic = intrinsic.clone();
    let mut srcs = intrinsic.srcs.clone();
    if let Some(offset) = srcs.last_mut() {
        *offset = b.imm(0);
    }
    let first = intrinsic.fields.component;
    let channels: Vec<Value> = (first..first + b.shader.components(result))
        .map(|component| {
            // Nothing reads a component without a place.
            let Some((varying, component)) = places.get(varying, component) else {
                return b.undef(32, 1);
            };
            let slot = Slot::Var(varying);
            let fields = Fields { slot, component, ..(*intrinsic.fields).clone() };
            b.load(intrinsic.op, &srcs, fields, 32, 1)
        })
        .collect();
    Action::Replace(b.vec(&channels))
}

fn move_store(b: &mut Builder<'_>, inst: Inst, places: &VaryingPlaces) -> Action {
    let InstKind::Intrinsic(intrinsic) = &b.shader.insts[inst].kind else { return Action::Keep };
    let (IntrinsicOp::StoreOutput, [value, offset]) = (intrinsic.op, &intrinsic.srcs[..]) else {
        return Action::Keep;
    };
    let Some(varying) = generic_at(b.shader, intrinsic, *offset) else { return Action::Keep };
    let (value, fields) = (*value, intrinsic.fields.clone());
    let mut moved: Vec<(u8, (u8, u8))> = (0..b.shader.components(value))
        .filter(|c| fields.write_mask >> c & 1 != 0)
        .filter_map(|c| Some((c, places.get(varying, fields.component + c)?)))
        .collect();
    // Neighbors that stay neighbors are stored together.
    while let Some(&(_, (slot, first))) = moved.first() {
        let run = (0..).zip(&moved).take_while(|(n, (_, at))| *at == (slot, first + n)).count();
        let components: Vec<u8> = moved.drain(..run).map(|(c, _)| c).collect();
        let part = b.swizzle(value, &components);
        b.store_output(Slot::Var(slot), first, part);
    }
    Action::Remove
}

/// The generic varying of an access at a constant offset.
fn generic_at(shader: &Shader, intrinsic: &Intrinsic, offset: Value) -> Option<u8> {
    slot_at(shader, intrinsic, offset).and_then(generic)
}
