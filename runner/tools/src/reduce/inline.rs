//! Variables in place of which their values can stand.

use std::collections::HashSet;

use glsl_syntax::ast::{DeclKind, DeclaratorId, ExprId, ExprKind, StmtKind};
use glsl_syntax::source::Span;

use super::edit::{Edit, joined, sorted};
use super::shader::{self, Parsed, Source, holds};

/// Puts each assigned value in place of the variable, element or member that it is assigned to, and
/// removes the assignment, and the declaration of a variable that is used no more.
pub(super) fn variables(shaders: &[Source<'_>]) -> Vec<Edit> {
    shader::edits(shaders, |shader| {
        let (all, targets) = (definitions(shader), targets(shader));
        sorted(all.iter().flat_map(|one| inlined(shader, one, &all, &targets)).collect())
    })
}

/// A value that a variable, element or member gets.
struct Definition<'a> {
    /// The text by which it is named.
    target: &'a str,
    value: ExprId,
    /// Statement or declaration.
    span: Span,
}

fn definitions<'a>(shader: &'a Parsed<'_>) -> Vec<Definition<'a>> {
    let unit = shader.unit;
    let of_loops: HashSet<_> = unit
        .stmts
        .values()
        .filter_map(|stmt| match stmt.kind {
            StmtKind::For { init, .. } => Some(unit.stmts[init].span.start),
            _ => None,
        })
        .collect();
    let assigned = unit.stmts.values().filter_map(|stmt| {
        let StmtKind::Expr(expr) = stmt.kind else { return None };
        let ExprKind::Assign(_, target, value) = unit.exprs[expr].kind else { return None };
        Some(Definition {
            target: shader.text_of(unit.exprs[target].span)?,
            value,
            span: stmt.span,
        })
    });
    let declared = unit.decls.values().filter_map(|decl| {
        let declarator = &unit.declarators[only_name(shader, &decl.kind)?];
        let (target, value) = (shader.text_of(declarator.name.span)?, declarator.init.expand()?);
        Some(Definition { target, value, span: decl.span })
    });
    let mut all: Vec<Definition<'_>> = assigned.chain(declared).collect();
    all.retain(|definition| !of_loops.contains(&definition.span.start));
    all.sort_by_key(|definition| definition.span.start);
    all
}

/// Returns the name that a declaration of variables declares, if it is only one.
fn only_name(shader: &Parsed<'_>, kind: &DeclKind) -> Option<DeclaratorId> {
    let DeclKind::Variables { declarators, .. } = *kind else { return None };
    match *shader.unit.list(declarators) {
        [one] => Some(one),
        _ => None,
    }
}

/// Returns the expressions that are assigned to.
fn targets(shader: &Parsed<'_>) -> HashSet<Span> {
    let exprs = &shader.unit.exprs;
    let target = |kind: &ExprKind| match *kind {
        ExprKind::Assign(_, target, _) => Some(exprs[target].span),
        _ => None,
    };
    exprs.values().filter_map(|expr| target(&expr.kind)).collect()
}

/// Returns the edits that put a value where its variable is used: up to the next value, further on,
/// and everywhere.
fn inlined(
    shader: &Parsed<'_>,
    one: &Definition<'_>,
    all: &[Definition<'_>],
    targets: &HashSet<Span>,
) -> Vec<Edit> {
    let is_use = |span: &Span| {
        shader.text_of(*span) == Some(one.target)
            && !holds(one.span, *span)
            && !targets.contains(span)
    };
    let uses: HashSet<Span> =
        shader.unit.exprs.values().map(|expr| expr.span).filter(is_use).collect();
    let mut uses: Vec<Span> = uses.into_iter().collect();
    uses.sort_by_key(|span| span.start);
    let next = all.iter().filter(|other| other.target == one.target);
    let next = next.map(|other| other.span).find(|span| span.start > one.span.start);
    let from = uses.partition_point(|span| span.start < one.span.end);
    let to = next.map_or(uses.len(), |next| uses.partition_point(|span| span.end <= next.end));
    let mut choices = vec![&uses[from..to.max(from)], &uses[from..], &uses[..]];
    choices.dedup();
    choices.retain(|uses| !uses.is_empty());
    choices.into_iter().filter_map(|uses| put(shader, one, uses)).collect()
}

/// Returns the edit that puts a value in certain places.
fn put(shader: &Parsed<'_>, one: &Definition<'_>, uses: &[Span]) -> Option<Edit> {
    let value = shader.text_of(shader.unit.exprs[one.value].span)?;
    let mut edits: Vec<Edit> =
        uses.iter().map(|&span| shader.put_value(span, one.value, value)).collect::<Option<_>>()?;
    edits.push(shader.remove(one.span)?);
    edits.extend(unused_declaration(shader, one, uses));
    joined(shader.text, edits)
}

/// Returns the removal of the declaration of a variable of which no other use is left.
fn unused_declaration(shader: &Parsed<'_>, one: &Definition<'_>, gone: &[Span]) -> Option<Edit> {
    let is_left = shader
        .uses_of(one.target)
        .any(|expr| !holds(one.span, expr.span) && !gone.contains(&expr.span));
    if is_left {
        return None;
    }
    let declares = |kind: &DeclKind| {
        let name = only_name(shader, kind).map(|id| shader.unit.declarators[id].name.span);
        name.and_then(|span| shader.text_of(span)) == Some(one.target)
    };
    let decls = shader.unit.decls.values();
    let decl =
        decls.into_iter().find(|decl| declares(&decl.kind) && !holds(one.span, decl.span))?;
    shader.remove(decl.span)
}
