//! Edits of GLSL declarations and statements.

use glsl_syntax::ast::{DeclKind, ExprKind, StmtId, StmtKind};
use glsl_syntax::source::Span;

use super::edit::{Edit, sorted};
use super::shader::{self, Parsed, Source, disjoint};

/// Removes each global declaration.
pub(super) fn declarations(shaders: &[Source<'_>]) -> Vec<Edit> {
    disjoint(shader::edits(shaders, |shader| {
        let unit = shader.unit;
        let spans = unit.list(unit.globals).iter().map(|&id| unit.decls[id].span);
        spans.filter_map(|span| shader.put(span, "")).collect()
    }))
}

/// Removes each member of a structure or block.
pub(super) fn members(shaders: &[Source<'_>]) -> Vec<Edit> {
    disjoint(shader::edits(shaders, |shader| {
        let spans = shader.unit.members.values().map(|member| member.span);
        spans.filter_map(|span| shader.put(span, "")).collect()
    }))
}

/// Removes each qualifier.
pub(super) fn qualifiers(shaders: &[Source<'_>]) -> Vec<Edit> {
    disjoint(shader::edits(shaders, |shader| {
        let spans = shader.unit.qualifiers.values().map(|qualifier| qualifier.span);
        spans.filter_map(|span| shader.put(span, "")).collect()
    }))
}

/// Removes each statement at one depth of nesting.
pub(super) fn statements(shaders: &[Source<'_>], depth: usize) -> Vec<Edit> {
    disjoint(shader::edits(shaders, |shader| {
        let found = found(shader);
        let here = found.iter().filter(|found| found.depth == depth);
        // Where the grammar requires a statement, an empty one replaces it.
        here.filter_map(|found| shader.put(found.span, if found.listed { "" } else { ";" }))
            .collect()
    }))
}

/// Replaces each statement by one of the statements in it.
pub(super) fn unwrapped(shaders: &[Source<'_>]) -> Vec<Edit> {
    shader::edits(shaders, |shader| {
        sorted(found(shader).iter().flat_map(|found| inner(shader, found)).collect())
    })
}

/// A statement of a shader.
pub(super) struct Found {
    pub(super) statement: StmtId,
    pub(super) span: Span,
    depth: usize,
    /// True in a list, which may become empty.
    listed: bool,
}

/// Returns the statements of all functions.
pub(super) fn found(shader: &Parsed<'_>) -> Vec<Found> {
    let unit = shader.unit;
    let mut all = Vec::new();
    for body in unit.functions.values().filter_map(|function| function.body.expand()) {
        if let StmtKind::Compound(list) = unit.stmts[body].kind {
            unit.list(list)
                .iter()
                .for_each(|&statement| find(shader, statement, 0, true, &mut all));
        }
    }
    all
}

fn find(shader: &Parsed<'_>, statement: StmtId, depth: usize, listed: bool, all: &mut Vec<Found>) {
    let unit = shader.unit;
    all.push(Found { statement, span: unit.stmts[statement].span, depth, listed });
    match unit.stmts[statement].kind {
        StmtKind::Compound(list) | StmtKind::Switch { body: list, .. } => {
            unit.list(list).iter().for_each(|&inner| find(shader, inner, depth + 1, true, all));
        }
        StmtKind::If { then, otherwise, .. } => {
            find(shader, then, depth + 1, false, all);
            otherwise
                .expand()
                .into_iter()
                .for_each(|inner| find(shader, inner, depth + 1, false, all));
        }
        StmtKind::While { body, .. }
        | StmtKind::DoWhile { body, .. }
        | StmtKind::For { body, .. } => {
            find(shader, body, depth + 1, false, all);
        }
        _ => {}
    }
}

/// Values of a counter with which the body of a loop is tried on its own.
const PASSES: u32 = 4;

/// Replaces a loop by its body with a value in place of its counter.
fn passes(shader: &Parsed<'_>, found: &Found, init: StmtId, body: StmtId) -> Vec<Edit> {
    let Some(counter) = counter(shader, init) else { return Vec::new() };
    let body = shader.unit.stmts[body].span;
    let at = |value: u32| {
        let text = shader.with_values(body, &[(counter, value.to_string())])?;
        shader.put(found.span, &text)
    };
    (0..PASSES).filter_map(at).collect()
}

/// Returns the name of the variable that a loop declares or sets at its start.
fn counter<'a>(shader: &'a Parsed<'_>, init: StmtId) -> Option<&'a str> {
    let unit = shader.unit;
    let name = match unit.stmts[init].kind {
        StmtKind::Decl(decl) => match unit.decls[decl].kind {
            DeclKind::Variables { declarators, .. } => {
                unit.declarators[*unit.list(declarators).first()?].name.span
            }
            _ => return None,
        },
        StmtKind::Expr(expr) => match unit.exprs[expr].kind {
            ExprKind::Assign(_, target, _) => unit.exprs[target].span,
            _ => return None,
        },
        _ => return None,
    };
    shader.text_of(name)
}

/// Returns the possible replacements of a statement.
fn inner(shader: &Parsed<'_>, found: &Found) -> Vec<Edit> {
    let stmts = &shader.unit.stmts;
    let by = |part: StmtId| shader.replace(found.span, stmts[part].span);
    match stmts[found.statement].kind {
        StmtKind::If { then, otherwise, .. } => {
            let otherwise = otherwise.expand();
            let without = otherwise.and_then(|otherwise| {
                let end = stmts[then].span.end;
                shader.put(Span::new(end, stmts[otherwise].span.end), "")
            });
            [by(then), otherwise.and_then(by), without].into_iter().flatten().collect()
        }
        StmtKind::For { init, body, .. } => {
            let passes = passes(shader, found, init, body);
            passes.into_iter().chain(by(body)).collect()
        }
        StmtKind::While { body, .. } | StmtKind::DoWhile { body, .. } => {
            by(body).into_iter().collect()
        }
        StmtKind::Switch { body, .. } => {
            let is_label = |&&part: &&StmtId| {
                matches!(stmts[part].kind, StmtKind::Case(_) | StmtKind::Default)
            };
            let list = shader.unit.list(body);
            let parts = &list[list.iter().take_while(is_label).count()..];
            let (Some(&first), Some(&last)) = (parts.first(), parts.last()) else {
                return Vec::new();
            };
            let inside = Span::new(stmts[first].span.start, stmts[last].span.end);
            shader.replace(found.span, inside).into_iter().collect()
        }
        StmtKind::Compound(_) if found.listed && found.span.end - found.span.start >= 2 => {
            let inside = Span::new(found.span.start + 1, found.span.end - 1);
            let empty = inside.start == inside.end;
            let edit =
                if empty { shader.put(found.span, "") } else { shader.replace(found.span, inside) };
            edit.into_iter().collect()
        }
        _ => Vec::new(),
    }
}
