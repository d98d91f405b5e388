//! Lowering of run-time indices of small local arrays to select chains.
//!
//! ```text
//! before:
//!   v1 = load_local v0 local=l0
//! after:
//!   v2 = load_local 0 local=l0
//!   v3 = load_local 1 local=l0
//!   v4 = ult v0, 1
//!   v1 = bcsel v4, v2, v3
//! ```

use super::rewrite::{Action, rewrite};
use crate::builder::Builder;
use crate::ids::{Local, Value};
use crate::inst::InstKind;
use crate::intrinsics::IntrinsicOp;
use crate::shader::Shader;

/// Replaces accesses at run-time indices to local arrays of at most `max_length` elements by
/// accesses to every element: a load selects one of them, a store rewrites each with the new or its
/// old value. Arrays that their declaration puts in memory stay.
///
/// Afterwards those arrays are only accessed at constant indices and `opt_promote_locals` removes
/// them. A load out of range gives the last element.
pub fn lower_locals_to_select_chain(shader: &mut Shader, max_length: u32) -> bool {
    rewrite(shader, |b, inst| {
        let InstKind::Intrinsic(intrinsic) = &b.shader.insts[inst].kind else {
            return Action::Keep;
        };
        let (op, srcs, fields) = (intrinsic.op, intrinsic.srcs.clone(), intrinsic.fields.clone());
        let Some(local) = fields.local else { return Action::Keep };
        let index = match op {
            IntrinsicOp::LoadLocal => srcs[0],
            IntrinsicOp::StoreLocal => srcs[1],
            _ => return Action::Keep,
        };
        let data = &b.shader.locals[local];
        let (length, stays) = (data.length, data.in_memory || data.length > max_length);
        if length == 0 || stays || b.shader.as_const(index).is_some() {
            return Action::Keep;
        }
        if op == IntrinsicOp::LoadLocal {
            return Action::Replace(load(b, local, index, 0, length));
        }
        for i in 0..length {
            let number = b.imm(i);
            let hit = b.ieq(index, number);
            let old = b.load_element(local, number);
            let value = b.bcsel(hit, srcs[0], old);
            b.store_element(local, number, value, fields.write_mask);
        }
        Action::Remove
    })
}

/// Selects among the elements from `start` up to `end` by halves. The depth is the logarithm of the
/// length.
fn load(b: &mut Builder<'_>, local: Local, index: Value, start: u32, end: u32) -> Value {
    if end - start <= 1 {
        let number = b.imm(start);
        return b.load_element(local, number);
    }
    let middle = start + (end - start) / 2;
    let (low, high) = (load(b, local, index, start, middle), load(b, local, index, middle, end));
    let number = b.imm(middle);
    let below = b.ult(index, number);
    b.bcsel(below, low, high)
}
