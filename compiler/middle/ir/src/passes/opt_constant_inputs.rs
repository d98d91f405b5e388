//! Replacement of inputs that the previous stage always fills with the same constants or uniforms.
//!
//! ```text
//! before:
//!   v0 = load_input slot=var0 component=0
//! after:
//!   v0 = const 0x3f800000
//! ```

use super::rewrite::{Action, rewrite};
use crate::inst::InstKind;
use crate::intrinsics::{Fields, Intrinsic, IntrinsicOp};
use crate::shader::Shader;
use crate::varyings::{DrawConstant, OutputConstants, generic, input_offset, slot_at};

/// Replaces the components of generic inputs that are `constants` of the previous stage;
/// interpolation leaves them as they are. Reads at run-time indices stay.
pub fn opt_constant_inputs(shader: &mut Shader, constants: &OutputConstants) -> bool {
    rewrite(shader, |b, inst| {
        let data = &b.shader.insts[inst];
        let (InstKind::Intrinsic(intrinsic), Some(result)) = (&data.kind, data.result) else {
            return Action::Keep;
        };
        let Some(offset) = input_offset(intrinsic) else { return Action::Keep };
        let Some(varying) = slot_at(b.shader, intrinsic, offset).and_then(generic) else {
            return Action::Keep;
        };
        let first = intrinsic.fields.component;
        let count = b.shader.components(result);
        let known: Vec<Option<DrawConstant>> =
            (0..count).map(|c| constants.get(varying, first + c)).collect();
        if known.iter().all(Option::is_none) {
            return Action::Keep;
        }
        let Intrinsic { op, srcs, fields } = intrinsic.clone();
        // A read of a vertex is one message for any number of components; others are an instruction
        // per component.
        let whole = op == IntrinsicOp::LoadPerVertexInput && known.iter().any(Option::is_none);
        let whole = whole.then(|| b.load(op, &srcs, (*fields).clone(), 32, count));
        let channels: Vec<_> = (0..count)
            .zip(known)
            .map(|(c, known)| match (known, whole) {
                (Some(DrawConstant::Constant(bits)), _) => b.imm(bits),
                (Some(DrawConstant::Uniform(byte)), _) => {
                    let (block, offset) = (b.imm(0), b.imm(byte));
                    b.load_ubo(block, offset, 32, 1)
                }
                (None, Some(whole)) => b.channel(whole, c),
                (None, None) => {
                    let fields = Fields { component: first + c, ..(*fields).clone() };
                    b.load(op, &srcs, fields, 32, 1)
                }
            })
            .collect();
        Action::Replace(b.vec(&channels))
    })
}
