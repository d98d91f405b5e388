//! Edits of GLSL expressions.

use glsl_syntax::ast::{ExprId, ExprKind, TranslationUnit};

use super::edit::Edit;
use super::shader::{self, Parsed, Source};

/// Replacements of expressions; the front end rejects wrong types.
const LITERALS: [&str; 4] = ["0", "1", "0.0", "true"];

/// Replaces each expression by each of its operands, the longest first, by a literal or a zero of
/// its type; outer expressions come first.
pub(super) fn edits(shaders: &[Source<'_>]) -> Vec<Edit> {
    shader::edits(shaders, |shader| {
        let unit = shader.unit;
        let mut all: Vec<ExprId> = unit.exprs.keys().collect();
        let span = |id: ExprId| unit.exprs[id].span;
        all.sort_by_key(|&id| (span(id).start, std::cmp::Reverse(span(id).end)));
        let mut edits = Vec::new();
        for id in all {
            let mut operands = operands(unit, id);
            operands.sort_by_key(|&operand| {
                let span = unit.exprs[operand].span;
                std::cmp::Reverse(span.end - span.start)
            });
            edits.extend(
                operands.iter().filter_map(|&operand| shader.replace(span(id), span(operand))),
            );
            edits.extend(LITERALS.iter().filter_map(|literal| shader.put(span(id), literal)));
            edits.extend(zero(shader, id));
        }
        edits
    })
}

/// Replaces a call by one with zero as its argument: a vector or matrix of zeros.
fn zero(shader: &Parsed<'_>, id: ExprId) -> Option<Edit> {
    let call = &shader.unit.exprs[id];
    let ExprKind::Call(..) = call.kind else { return None };
    let (name, _) = shader.text.get(shader.range(call.span)?)?.split_once('(')?;
    shader.put(call.span, &format!("{name}(0)"))
}

fn operands(unit: &TranslationUnit, id: ExprId) -> Vec<ExprId> {
    match unit.exprs[id].kind {
        ExprKind::Name(_) | ExprKind::Int(..) | ExprKind::Float(..) | ExprKind::Bool(_) => {
            Vec::new()
        }
        ExprKind::Unary(_, a) | ExprKind::Field(a, _) => vec![a],
        ExprKind::Binary(_, a, b)
        | ExprKind::Assign(_, a, b)
        | ExprKind::Comma(a, b)
        | ExprKind::Index(a, b) => vec![a, b],
        ExprKind::Ternary(a, b, c) => vec![a, b, c],
        ExprKind::Method(a, _, list) => {
            std::iter::once(a).chain(unit.list(list).iter().copied()).collect()
        }
        ExprKind::Call(_, list) | ExprKind::InitList(list) => unit.list(list).to_vec(),
    }
}
