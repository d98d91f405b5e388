//! Replacement of inputs that are copies of other inputs.
//!
//! ```text
//! before:
//!   v0 = load_input slot=var0 component=0
//!   v1 = load_input slot=var1 component=0
//! after:
//!   v0 = load_input slot=var0 component=0
//!   v1 = load_input slot=var0 component=0
//! ```

use super::rewrite::{Action, rewrite};
use crate::info::Stage;
use crate::inst::InstKind;
use crate::intrinsics::{Fields, IntrinsicOp};
use crate::shader::Shader;
use crate::slot::Slot;
use crate::varying_places::mode;
use crate::varyings::{OutputCopies, generic, input_offset, slot_at};

/// Replaces components of a fragment shader's generic inputs that are `copies` of others, if both
/// are interpolated alike: the previous stage need not write the copies. Reads at run-time indices
/// stay.
pub fn opt_copied_inputs(shader: &mut Shader, copies: &OutputCopies) -> bool {
    if shader.info.stage != Stage::Fragment {
        return false;
    }
    rewrite(shader, |b, inst| {
        let data = &b.shader.insts[inst];
        let (InstKind::Intrinsic(intrinsic), Some(result)) = (&data.kind, data.result) else {
            return Action::Keep;
        };
        let offset = match intrinsic.op {
            IntrinsicOp::LoadInput | IntrinsicOp::LoadInterpolatedInput => input_offset(intrinsic),
            _ => None,
        };
        let Some(varying) =
            offset.and_then(|offset| slot_at(b.shader, intrinsic, offset)).and_then(generic)
        else {
            return Action::Keep;
        };
        let first = intrinsic.fields.component;
        let declared = mode(b.shader, varying);
        let original = |component: u8| {
            let (original, at) = copies.get(varying, component)?;
            (declared.is_some() && mode(b.shader, original) == declared).then_some((original, at))
        };
        let originals: Vec<Option<(u8, u8)>> =
            (first..first + b.shader.components(result)).map(original).collect();
        if originals.iter().all(Option::is_none) {
            return Action::Keep;
        }
        let intrinsic = intrinsic.clone();
        let mut direct = intrinsic.srcs.clone();
        if let Some(offset) = direct.last_mut() {
            *offset = b.imm(0);
        }
        let channels: Vec<_> = (first..)
            .zip(originals)
            .map(|(component, original)| {
                let (varying, component) = original.unwrap_or((varying, component));
                let fields =
                    Fields { slot: Slot::Var(varying), component, ..(*intrinsic.fields).clone() };
                b.load(intrinsic.op, &direct, fields, 32, 1)
            })
            .collect();
        Action::Replace(b.vec(&channels))
    })
}
