//! Calls of functions that their own shader only declares.
//!
//! A prototype names a definition with the same parameters. Where the stage has none, Mesa's linker looks for one that the
//! arguments convert to, as if the call stood beside it, and piglit tests that.

use crate::expression::{Expr, ExprId, ExprKind};
use crate::shader::{Direction, Function, FunctionId, Shader};
use crate::types::{TypeId, TypeTable};

/// Points calls of functions without a definition to the one of the same name that the arguments convert to: the only one,
/// or, where overloads are ranked, the one with the fewest conversions.
pub(super) fn resolve(shader: &mut Shader, types: &TypeTable) {
    let undefined: Vec<FunctionId> =
        shader.functions.iter().filter(|(_, f)| f.body.is_none()).map(|(id, _)| id).collect();
    for id in undefined {
        let declared = &shader.functions[id];
        let fitting = shader.functions.iter().filter_map(|(other, f)| {
            Some((conversions(shader, types, declared, f.body.is_some().then_some(f)?)?, other))
        });
        let mut fitting: Vec<(usize, FunctionId)> = fitting.collect();
        fitting.sort_unstable();
        let best = match *fitting {
            [(_, only)] => Some(only),
            [(fewest, best), (more, _), ..] if shader.conversions.ranking && fewest < more => Some(best),
            _ => None,
        };
        if let Some(best) = best {
            redirect(shader, id, best);
        }
    }
}

/// How many arguments of a call must be converted to go to another function; none if it does not fit.
fn conversions(shader: &Shader, types: &TypeTable, declared: &Function, defined: &Function) -> Option<usize> {
    let alike = declared.name == defined.name
        && declared.result == defined.result
        && declared.parameters.len() == defined.parameters.len();
    if !alike {
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

/// Whether values of type `from` convert implicitly to type `to`.
fn converts(shader: &Shader, types: &TypeTable, from: TypeId, to: TypeId) -> bool {
    let shape = |ty| types.shape(ty).zip(types.scalar_of(ty));
    let (Some((from_shape, from)), Some((to_shape, to))) = (shape(from), shape(to)) else { return false };
    from_shape == to_shape && shader.conversions.allow(from, to)
}

/// Makes all calls of one function calls of another.
fn redirect(shader: &mut Shader, from: FunctionId, to: FunctionId) {
    let target = &shader.functions[to];
    let wanted: Vec<TypeId> = target.parameters.iter().map(|p| target.locals[p.local].ty).collect();
    let calls: Vec<ExprId> = shader
        .exprs
        .iter()
        .filter(|(_, e)| matches!(e.kind, ExprKind::Call { function, .. } if function == from))
        .map(|(id, _)| id)
        .collect();
    for call in calls {
        let ExprKind::Call { arguments, .. } = shader.exprs[call].kind.clone() else { continue };
        let mut converted = arguments;
        for (argument, &ty) in converted.iter_mut().zip(&wanted) {
            let given = &shader.exprs[*argument];
            if given.ty != ty {
                let (precise, span) = (given.precise, given.span);
                *argument = shader.exprs.push(Expr { kind: ExprKind::Convert(*argument), ty, precise, span });
            }
        }
        shader.exprs[call].kind = ExprKind::Call { function: to, arguments: converted };
    }
}
