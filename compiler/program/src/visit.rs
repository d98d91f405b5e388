//! Walking expressions and statements: children, roots, and rewriting of ids.

use crate::expression::{ExprId, ExprKind, TextureLod};
use crate::shader::Statement;

/// One traversal for shared and mutable references: `$f` sees each operand in evaluation order.
macro_rules! walk_children {
    ($kind:expr, $f:ident, $iter:ident, $($mutable:tt)?) => {
        match $kind {
            ExprKind::Literal(_) | ExprKind::Local(_) | ExprKind::Global(_) => {}
            ExprKind::Unary(_, a)
            | ExprKind::Convert(a)
            | ExprKind::Splat(a)
            | ExprKind::DiagonalMatrix(a)
            | ExprKind::ResizeMatrix(a)
            | ExprKind::RuntimeLength(a)
            | ExprKind::Swizzle { base: a, .. }
            | ExprKind::Member { base: a, .. }
            | ExprKind::PreIncrement { place: a, .. }
            | ExprKind::PostIncrement { place: a, .. } => $f(a),
            ExprKind::Binary(_, a, b)
            | ExprKind::Sequence(a, b)
            | ExprKind::Assign { place: a, value: b }
            | ExprKind::CompoundAssign { place: a, value: b, .. }
            | ExprKind::Index { base: a, index: b } => {
                $f(a);
                $f(b);
            }
            ExprKind::Select { condition, if_true, if_false } => {
                $f(condition);
                $f(if_true);
                $f(if_false);
            }
            ExprKind::Compose(items) | ExprKind::Aggregate(items) => items.$iter().for_each($f),
            ExprKind::Call { arguments, .. } | ExprKind::Builtin { arguments, .. } => {
                arguments.$iter().for_each($f)
            }
            ExprKind::CallSubroutine { place: first, arguments: rest }
            | ExprKind::Atomic { place: first, operands: rest, .. } => {
                $f(first);
                rest.$iter().for_each($f);
            }
            ExprKind::Texture(call) => {
                $f(& $($mutable)? call.sampler);
                call.coordinate.$iter().for_each(&mut $f);
                call.compare.$iter().for_each(&mut $f);
                match & $($mutable)? call.lod {
                    TextureLod::Implicit => {}
                    TextureLod::Bias(a) | TextureLod::Explicit(a) => $f(a),
                    TextureLod::Gradient(a, b) => {
                        $f(a);
                        $f(b);
                    }
                }
                call.offsets.$iter().for_each(&mut $f);
                call.component.$iter().for_each(&mut $f);
                call.sample.$iter().for_each(&mut $f);
            }
            ExprKind::Image(call) => {
                $f(& $($mutable)? call.image);
                call.coordinate.$iter().for_each(&mut $f);
                call.sample.$iter().for_each(&mut $f);
                call.data.$iter().for_each(&mut $f);
            }
        }
    };
}

impl ExprKind {
    /// Calls `f` with each operand, in evaluation order.
    pub fn for_each_child(&self, mut f: impl FnMut(ExprId)) {
        let mut f = |id: &ExprId| f(*id);
        walk_children!(self, f, iter,);
    }

    /// Calls `f` with a mutable reference to each operand, in evaluation order.
    pub fn for_each_child_mut(&mut self, mut f: impl FnMut(&mut ExprId)) {
        walk_children!(self, f, iter_mut, mut);
    }
}

impl Statement {
    /// Calls `f` with each expression of the statement and of the statements inside it.
    pub fn for_each_expr(&self, f: &mut dyn FnMut(ExprId)) {
        fn list(statements: &[Statement], f: &mut dyn FnMut(ExprId)) {
            statements.iter().for_each(|s| s.for_each_expr(f));
        }
        match self {
            Statement::Expression(e) => f(*e),
            Statement::Declare { value, .. } => value.iter().for_each(|&e| f(e)),
            Statement::If { condition, then, otherwise } => {
                f(*condition);
                list(then, f);
                list(otherwise, f);
            }
            Statement::Loop { init, condition_declaration, condition, step, body, .. } => {
                list(init, f);
                list(condition_declaration, f);
                condition.iter().for_each(|&e| f(e));
                list(body, f);
                step.iter().for_each(|&e| f(e));
            }
            Statement::Switch { selector, cases } => {
                f(*selector);
                cases.iter().for_each(|case| list(&case.body, f));
            }
            Statement::Block(body) => list(body, f),
            Statement::Return(value) => value.iter().for_each(|&e| f(e)),
            Statement::Break | Statement::Continue | Statement::Discard | Statement::Demote => {}
        }
    }

    /// Calls `f` with each expression whose value the statement, or one inside it, drops.
    pub fn for_each_dropped_value(&self, f: &mut dyn FnMut(ExprId)) {
        match self {
            Statement::Expression(e) => f(*e),
            _ => self.for_each_inner(&mut |inner| inner.for_each_dropped_value(f)),
        }
    }

    /// Calls `f` with each statement directly inside this one.
    fn for_each_inner(&self, f: &mut dyn FnMut(&Statement)) {
        match self {
            Statement::If { then, otherwise, .. } => then.iter().chain(otherwise).for_each(f),
            Statement::Loop { init, condition_declaration, body, .. } => {
                init.iter().chain(condition_declaration).chain(body).for_each(f);
            }
            Statement::Switch { cases, .. } => {
                cases.iter().flat_map(|case| &case.body).for_each(f);
            }
            Statement::Block(body) => body.iter().for_each(f),
            Statement::Expression(_)
            | Statement::Declare { .. }
            | Statement::Return(_)
            | Statement::Break
            | Statement::Continue
            | Statement::Discard
            | Statement::Demote => {}
        }
    }

    /// Calls `f` with a mutable reference to each expression id of the statement and of the
    /// statements inside it.
    pub fn for_each_expr_mut(&mut self, f: &mut dyn FnMut(&mut ExprId)) {
        fn list(statements: &mut [Statement], f: &mut dyn FnMut(&mut ExprId)) {
            statements.iter_mut().for_each(|s| s.for_each_expr_mut(f));
        }
        match self {
            Statement::Expression(e) => f(e),
            Statement::Declare { value, .. } => value.iter_mut().for_each(f),
            Statement::If { condition, then, otherwise } => {
                f(condition);
                list(then, f);
                list(otherwise, f);
            }
            Statement::Loop { init, condition_declaration, condition, step, body, .. } => {
                list(init, f);
                list(condition_declaration, f);
                condition.iter_mut().for_each(&mut *f);
                list(body, f);
                step.iter_mut().for_each(f);
            }
            Statement::Switch { selector, cases } => {
                f(selector);
                cases.iter_mut().for_each(|case| list(&mut case.body, f));
            }
            Statement::Block(body) => list(body, f),
            Statement::Return(value) => value.iter_mut().for_each(f),
            Statement::Break | Statement::Continue | Statement::Discard | Statement::Demote => {}
        }
    }
}
