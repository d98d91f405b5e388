//! Side effects of expressions.

use program::{ExprId, ExprKind, Shader};

/// True if an expression may have side effects.
pub(crate) fn has_effects(shader: &Shader, root: ExprId) -> bool {
    let mut open = vec![root];
    while let Some(id) = open.pop() {
        let kind = &shader.exprs[id].kind;
        match kind {
            ExprKind::Assign { .. }
            | ExprKind::CompoundAssign { .. }
            | ExprKind::PreIncrement { .. }
            | ExprKind::PostIncrement { .. }
            | ExprKind::Call { .. }
            | ExprKind::CallSubroutine { .. }
            | ExprKind::Atomic { .. }
            | ExprKind::Image(_) => return true,
            ExprKind::Builtin { function, .. } if function.writes() => return true,
            _ => kind.for_each_child(|child| open.push(child)),
        }
    }
    false
}
