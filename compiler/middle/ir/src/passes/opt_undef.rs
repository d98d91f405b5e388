//! Simplification of choices with undefined values.
//!
//! ```text
//! before:
//!   v1 = undef
//!   v2 = bcsel v0, v1, v3
//! after:
//!   v2 = mov v3
//! ```

use super::rewrite::{Action, rewrite};
use crate::cfg::{Cfg, positions};
use crate::ids::Value;
use crate::inst::{InstData, InstKind};
use crate::ops::AluOp;
use crate::shader::Shader;

/// Selections with an undefined side become the other side; phis become their only defined source
/// where that is available at the phi; moves and vectors of undefined components only are
/// undefined.
///
/// Arithmetic on undefined values stays: its results are undefined in a narrower sense (an
/// undefined value times zero may still be zero).
pub fn opt_undef(shader: &mut Shader) -> bool {
    if !shader.insts.values().any(concerns) {
        return false;
    }
    let cfg = Cfg::new(shader);
    let places = positions(shader);
    rewrite(shader, |b, inst| {
        let is_undef = |v: Value| matches!(b.shader.def(v).kind, InstKind::Undef);
        let data = &b.shader.insts[inst];
        let Some(result) = data.result else { return Action::Keep };
        let shape = b.shader.values[result];
        match &data.kind {
            InstKind::Alu(alu) if alu.op == AluOp::Bcsel => {
                let [_, x, y] = alu.srcs[..] else { return Action::Keep };
                let source = match (is_undef(x.value), is_undef(y.value)) {
                    (true, _) => y,
                    (_, true) => x,
                    _ => return Action::Keep,
                };
                Action::Replace(b.alu_src(AluOp::Mov, &[source], shape.components))
            }
            InstKind::Alu(alu) if alu.op == AluOp::Mov || alu.op.is_vec() => {
                if alu.srcs.iter().all(|s| is_undef(s.value)) {
                    Action::Replace(b.undef(shape.bits, shape.components))
                } else {
                    Action::Keep
                }
            }
            InstKind::Phi(srcs) => {
                let defined = |v: &Value| *v != result && !is_undef(*v);
                let Some(only) = srcs.iter().map(|s| s.value).find(defined) else {
                    return Action::Keep;
                };
                if srcs.iter().any(|s| s.value != only && defined(&s.value)) {
                    return Action::Keep;
                }
                if srcs.iter().all(|s| s.value == only) {
                    return Action::Keep;
                }
                let here = places[inst].map(|p| p.0);
                let there = places[b.shader.values[only].def].map(|p| p.0);
                match (there, here) {
                    (Some(there), Some(here)) if there != here && cfg.dominates(there, here) => {
                        Action::Replace(only)
                    }
                    _ => Action::Keep,
                }
            }
            _ => Action::Keep,
        }
    })
}

/// An undefined value, or a phi that is one of its own sources, which is as good.
fn concerns(data: &InstData) -> bool {
    match &data.kind {
        InstKind::Undef => true,
        InstKind::Phi(srcs) => srcs.iter().any(|src| Some(src.value) == data.result),
        _ => false,
    }
}
