//! Calls of functions that their own shader only declares.
//!
//! A prototype names a definition with the same parameters. Where the stage has none, Mesa's linker
//! looks for one that the arguments convert to, as if the call stood beside it, and piglit tests
//! that.

use rustc_hash::FxHashMap;

use crate::expression::{Expr, ExprId, ExprKind};
use crate::shader::{Direction, Function, FunctionId, Shader};
use crate::types::{TypeId, TypeTable};

/// Points calls of functions without a definition to the one of the same name that the arguments
/// convert to: the only one, or, where overloads are ranked, the one with the fewest conversions.
pub(super) fn resolve(shader: &mut Shader, types: &TypeTable) {
    let undefined: Vec<FunctionId> =
        shader.functions.iter().filter(|(_, f)| f.body.is_none()).map(|(id, _)| id).collect();
    if undefined.is_empty() {
        return;
    }
    let mut defined: FxHashMap<Box<str>, Vec<FunctionId>> = FxHashMap::default();
    for (id, function) in shader.functions.iter().filter(|(_, f)| f.body.is_some()) {
        defined.entry(function.name.clone()).or_default().push(id);
    }
    let mut targets = FxHashMap::default();
    for id in undefined {
        let declared = &shader.functions[id];
        let others = defined.get(&declared.name).into_iter().flatten();
        let fitting = others.filter_map(|&other| {
            Some((conversions(shader, types, declared, &shader.functions[other])?, other))
        });
        let mut fitting: Vec<(usize, FunctionId)> = fitting.collect();
        fitting.sort_unstable();
        let best = match *fitting {
            [(_, only)] => Some(only),
            [(fewest, best), (more, _), ..] if shader.conversions.ranking && fewest < more => {
                Some(best)
            }
            _ => None,
        };
        targets.extend(best.map(|best| (id, best)));
    }
    redirect(shader, &targets);
}

/// How many arguments of a call must be converted to go to another function; none if it does not
/// fit.
fn conversions(
    shader: &Shader,
    types: &TypeTable,
    declared: &Function,
    defined: &Function,
) -> Option<usize> {
    if declared.result != defined.result || declared.parameters.len() != defined.parameters.len() {
        return None;
    }
    let mut count = 0;
    for (a, b) in declared.parameters.iter().zip(&defined.parameters) {
        let (from, to) = (declared.locals[a.local].ty, defined.locals[b.local].ty);
        if a.direction != b.direction {
            return None;
        }
        if from != to {
            if a.direction != Direction::In || !converts(shader, types, from, to) {
                return None;
            }
            count += 1;
        }
    }
    Some(count)
}

/// Returns true if values of type `from` convert implicitly to type `to`.
fn converts(shader: &Shader, types: &TypeTable, from: TypeId, to: TypeId) -> bool {
    let shape = |ty| types.shape(ty).zip(types.scalar_of(ty));
    let (Some((from_shape, from)), Some((to_shape, to))) = (shape(from), shape(to)) else {
        return false;
    };
    from_shape == to_shape && shader.conversions.allow(from, to)
}

/// Makes calls of functions calls of others.
fn redirect(shader: &mut Shader, targets: &FxHashMap<FunctionId, FunctionId>) {
    let redirected = |(id, e): (ExprId, &Expr)| match e.kind {
        ExprKind::Call { function, .. } => targets.get(&function).map(|&to| (id, to)),
        _ => None,
    };
    let calls: Vec<(ExprId, FunctionId)> = shader.exprs.iter().filter_map(redirected).collect();
    for (call, to) in calls {
        let target = &shader.functions[to];
        let wanted = target.parameters.iter().map(|p| target.locals[p.local].ty);
        let ExprKind::Call { arguments, .. } = shader.exprs[call].kind.clone() else { continue };
        let mut converted = arguments;
        for (argument, ty) in converted.iter_mut().zip(wanted) {
            let given = &shader.exprs[*argument];
            if given.ty != ty {
                let (precise, span) = (given.precise, given.span);
                *argument = shader.exprs.push(Expr {
                    kind: ExprKind::Convert(*argument),
                    ty,
                    precise,
                    span,
                });
            }
        }
        shader.exprs[call].kind = ExprKind::Call { function: to, arguments: converted };
    }
}
