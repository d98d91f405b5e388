//! Removal of outputs that the next stage does not read.
//!
//! ```text
//! before:
//!   store_output v0 slot=var0 mask=3
//! after:
//!   store_output v0.x slot=var0 mask=1
//! ```

use super::rewrite::{Action, rewrite};
use crate::inst::InstKind;
use crate::intrinsics::IntrinsicOp;
use crate::shader::Shader;
use crate::varyings::{InputReads, generic, slot_at};

/// Removes stores to components of generic outputs that are not among the next stage's `reads`.
/// Assumes that nothing else looks at them: no transform feedback.
pub fn opt_unread_outputs(shader: &mut Shader, reads: &InputReads) -> bool {
    let mut narrowed = false;
    let removed = rewrite(shader, |b, inst| {
        let InstKind::Intrinsic(intrinsic) = &b.shader.insts[inst].kind else {
            return Action::Keep;
        };
        let (IntrinsicOp::StoreOutput, [value, offset]) = (intrinsic.op, &intrinsic.srcs[..])
        else {
            return Action::Keep;
        };
        let Some(varying) = slot_at(b.shader, intrinsic, *offset).and_then(generic) else {
            return Action::Keep;
        };
        let fields = &intrinsic.fields;
        let read = (0..b.shader.components(*value))
            .filter(|c| reads.contains(varying, fields.component + c));
        let mask = read.fold(0, |mask, c| mask | 1 << c) & fields.write_mask;
        if mask == 0 {
            return Action::Remove;
        }
        if mask != fields.write_mask {
            narrowed = true;
            if let InstKind::Intrinsic(intrinsic) = &mut b.shader.insts[inst].kind {
                intrinsic.fields.write_mask = mask;
            }
        }
        Action::Keep
    });
    removed | narrowed
}
