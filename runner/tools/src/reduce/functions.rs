//! Functions in place of which their contents can stand, and their parameters.

use std::ops::Range;

use glsl_syntax::ast::{ExprId, ExprKind, Function, StmtKind, TranslationUnit};
use glsl_syntax::source::Span;

use super::edit::{Edit, joined, sorted};
use super::shader::{self, Parsed, Source, holds};
use super::statements::{Found, found};
use super::tokens::items;

/// Puts one of the arguments, or else the contents of each function, in place of its calls, and
/// removes it.
pub(super) fn inlined(shaders: &[Source<'_>]) -> Vec<Edit> {
    shader::edits(shaders, |shader| {
        let statements = found(shader);
        let edits =
            single(shader).filter(|(_, calls)| !calls.is_empty()).flat_map(|(function, calls)| {
                let with = |in_place: &dyn Fn(ExprId) -> Option<Vec<Edit>>| {
                    let edits = calls.iter().map(|&call| in_place(call));
                    let mut edits = edits.collect::<Option<Vec<_>>>()?.concat();
                    edits.push(shader.remove(definition(shader.unit, function)?)?);
                    joined(shader.text, edits)
                };
                let arguments = (0..function.params.len())
                    .map(|at| with(&|call| Some(vec![argument(shader, call, at)?])));
                let contents = with(&|call| in_place(shader, function, call, &statements));
                arguments.chain([contents]).flatten().collect::<Vec<_>>()
            });
        sorted(edits.collect())
    })
}

/// Returns the edit that puts an argument in place of a call.
fn argument(shader: &Parsed<'_>, call: ExprId, at: usize) -> Option<Edit> {
    let call = &shader.unit.exprs[call];
    let ExprKind::Call(_, arguments) = call.kind else { return None };
    let argument = *shader.unit.list(arguments).get(at)?;
    let text = shader.text_of(shader.unit.exprs[argument].span)?;
    shader.put_value(call.span, argument, text)
}

/// Removes each parameter with its arguments.
pub(super) fn parameters(shaders: &[Source<'_>]) -> Vec<Edit> {
    shader::edits(shaders, |shader| {
        let edits = single(shader).flat_map(|(function, calls)| {
            let without = |at: usize| {
                let names = calls.iter().map(|&call| callee(shader.unit, call));
                let names = names.chain(std::iter::once(Some(function.name.span)));
                let removal = |name: Option<Span>| {
                    let end = shader.range(name?)?.end;
                    Some(Edit::delete(without_item(&items(shader.text, end)?, at)?))
                };
                joined(shader.text, names.map(removal).collect::<Option<_>>()?)
            };
            (0..function.params.len()).filter_map(without).collect::<Vec<_>>()
        });
        sorted(edits.collect())
    })
}

/// Returns the functions that have a body and a name of their own, with their calls.
fn single<'a>(shader: &'a Parsed<'_>) -> impl Iterator<Item = (&'a Function, Vec<ExprId>)> {
    let unit = shader.unit;
    let named = |function: &Function| {
        let symbol = function.name.symbol;
        unit.functions.values().filter(move |other| other.name.symbol == symbol).count()
    };
    let functions = unit.functions.values().filter(move |function| {
        named(function) == 1
            && function.body.is_some()
            && shader.text_of(function.name.span) != Some("main")
    });
    functions.map(|function| {
        let is_call = |&(_, expr): &(ExprId, &glsl_syntax::ast::Expr)| match expr.kind {
            ExprKind::Call(callee, _) => {
                callee.name.symbol == function.name.symbol && callee.dims.is_empty()
            }
            _ => false,
        };
        (function, unit.exprs.iter().filter(is_call).map(|(id, _)| id).collect())
    })
}

/// Returns the name in a call.
fn callee(unit: &TranslationUnit, call: ExprId) -> Option<Span> {
    match unit.exprs[call].kind {
        ExprKind::Call(callee, _) => Some(callee.name.span),
        _ => None,
    }
}

/// Returns the declaration that is a function's definition.
fn definition(unit: &TranslationUnit, function: &Function) -> Option<Span> {
    let (name, body) = (function.name.span, unit.stmts[function.body.expand()?].span);
    unit.decls.values().map(|decl| decl.span).find(|&span| holds(span, name.to(body)))
}

/// Returns the edits that put a function's contents in place of a call: its statements before the
/// statement with the call, and the value that it returns in place of the call.
fn in_place(
    shader: &Parsed<'_>,
    function: &Function,
    call: ExprId,
    statements: &[Found],
) -> Option<Vec<Edit>> {
    let unit = shader.unit;
    let ExprKind::Call(_, arguments) = unit.exprs[call].kind else { return None };
    let params = unit.list(function.params).iter().zip(unit.list(arguments));
    let values: Vec<(&str, String)> = params
        .filter_map(|(&param, &argument)| {
            let name = shader.text_of(unit.params[param].name?.span)?;
            Some((name, shader.operand(argument)?))
        })
        .collect();
    let StmtKind::Compound(body) = unit.stmts[function.body.expand()?].kind else { return None };
    let body = unit.list(body);
    let (before, value) =
        match body.split_last().map(|(last, before)| (unit.stmts[*last].kind, before)) {
            Some((StmtKind::Return(value), before)) => (before, value.expand()),
            _ => (body, None),
        };
    let span = unit.exprs[call].span;
    let around = statements.iter().filter(|found| holds(found.span, span));
    let around = around.min_by_key(|found| found.span.end - found.span.start)?;
    let inside = match (before.first(), before.last()) {
        (Some(&first), Some(&last)) => {
            let inside = Span::new(unit.stmts[first].span.start, unit.stmts[last].span.end);
            shader.with_values(inside, &values)?
        }
        _ => String::new(),
    };
    if matches!(unit.stmts[around.statement].kind, StmtKind::Expr(expr) if expr == call) {
        return Some(vec![shader.put(around.span, &inside)?]);
    }
    let (value, at) = (value?, shader.range(around.span)?.start);
    let text = shader.with_values(unit.exprs[value].span, &values)?;
    let before = (!inside.is_empty()).then(|| Edit { range: at..at, text: inside + "\n" });
    Some(before.into_iter().chain(shader.put_value(span, value, &text)).collect())
}

/// Returns the range of an item of a list with one of its commas.
fn without_item(items: &[Range<usize>], at: usize) -> Option<Range<usize>> {
    let item = items.get(at)?;
    Some(match (items.get(at + 1), at.checked_sub(1).and_then(|before| items.get(before))) {
        (Some(next), _) => item.start..next.start,
        (None, Some(last)) => last.end..item.end,
        (None, None) => item.clone(),
    })
}
