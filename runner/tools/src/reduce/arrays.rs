//! Arrays with fewer elements.

use std::collections::BTreeSet;

use glsl_syntax::ast::{BinaryOp, Declarator, Dim, ExprId, ExprKind, List, TypeSpecId};
use glsl_syntax::source::Span;

use super::edit::{Edit, joined, sorted};
use super::narrow::typed;
use super::shader::{self, Parsed, Source};
use super::tokens::items;

/// Shortens the arrays with each name, in all shaders together, with the lists of their elements
/// and the bounds of loops over as many.
pub(super) fn shorter(text: &str, shaders: &[Source<'_>]) -> Vec<Edit> {
    let edits = sizes(shaders).into_iter().flat_map(|(name, size)| {
        let fewer: BTreeSet<u64> = [1, size / 2, size - 1].into_iter().filter(|&n| n > 0).collect();
        fewer.into_iter().filter_map(move |fewer| {
            let change = Change { name: &name, size, fewer };
            joined(text, shader::all_edits(shaders, |shader| change.edits(shader)))
        })
    });
    sorted(edits.filter(Edit::shrinks).collect())
}

/// Returns the names of arrays with their outermost sizes.
fn sizes(shaders: &[Source<'_>]) -> BTreeSet<(String, u64)> {
    let sizes = shader::collected(shaders, |shader| {
        let names = typed(shader.unit).flat_map(|(ty, declarators)| {
            let sized = declarators.into_iter().filter_map(move |declarator| {
                let (_, size) = outermost(shader, ty, declarator)?;
                Some((shader.text_of(declarator.name.span)?.to_owned(), size))
            });
            sized.collect::<Vec<_>>()
        });
        names.filter(|(_, size)| *size > 1).collect()
    });
    sizes.into_iter().collect()
}

/// Returns position and value of the outermost size of an array.
fn outermost(shader: &Parsed<'_>, ty: TypeSpecId, declarator: &Declarator) -> Option<(Span, u64)> {
    let dims = match declarator.dims.is_empty() {
        true => shader.unit.types[ty].dims,
        false => declarator.dims,
    };
    literal(shader, dims)
}

fn literal(shader: &Parsed<'_>, dims: List<Dim>) -> Option<(Span, u64)> {
    let size = &shader.unit.exprs[shader.unit.list(dims).first()?.expand()?];
    match size.kind {
        ExprKind::Int(value, _) => Some((size.span, value)),
        _ => None,
    }
}

/// A change of the size of the arrays with a name.
struct Change<'a> {
    name: &'a str,
    size: u64,
    fewer: u64,
}

impl Change<'_> {
    fn edits(&self, shader: &Parsed<'_>) -> Vec<Edit> {
        let unit = shader.unit;
        let mut edits = Vec::new();
        for (ty, declarators) in typed(unit) {
            let named = declarators
                .into_iter()
                .filter(|one| shader.text_of(one.name.span) == Some(self.name));
            for declarator in named {
                edits.extend(self.size_of(shader, outermost(shader, ty, declarator)));
                let init = declarator.init.expand();
                edits.extend(init.into_iter().flat_map(|init| self.list(shader, init)));
            }
        }
        for expr in unit.exprs.values() {
            match expr.kind {
                ExprKind::Assign(_, target, value) if self.is_it(shader, target) => {
                    edits.extend(self.list(shader, value));
                }
                ExprKind::Binary(BinaryOp::Lt, _, bound) => {
                    let bound = &unit.exprs[bound];
                    let is_size = matches!(bound.kind, ExprKind::Int(n, _) if n == self.size);
                    edits.extend(self.size_of(shader, is_size.then_some((bound.span, self.size))));
                }
                _ => {}
            }
        }
        edits
    }

    fn is_it(&self, shader: &Parsed<'_>, id: ExprId) -> bool {
        shader.text_of(shader.unit.exprs[id].span) == Some(self.name)
    }

    fn size_of(&self, shader: &Parsed<'_>, found: Option<(Span, u64)>) -> Option<Edit> {
        let (span, _) = found.filter(|(_, size)| *size == self.size)?;
        shader.put(span, &self.fewer.to_string())
    }

    /// Shortens a list of all elements.
    fn list(&self, shader: &Parsed<'_>, id: ExprId) -> Vec<Edit> {
        let ExprKind::Call(callee, _) = shader.unit.exprs[id].kind else { return Vec::new() };
        let size = self.size_of(shader, literal(shader, callee.dims));
        size.into_iter().chain(self.elements(shader, callee.name.span)).collect()
    }

    /// Removes the last of the elements behind a type, if they are all.
    fn elements(&self, shader: &Parsed<'_>, ty: Span) -> Option<Edit> {
        let end = shader.range(ty)?.end;
        let open = end + shader.text.get(end..)?.find('(')?;
        let elements = items(shader.text, open)?;
        let last = elements.get(usize::try_from(self.fewer).ok()?.checked_sub(1)?)?.end;
        let is_all = elements.len() as u64 == self.size;
        is_all.then(|| Edit::delete(last..elements.last().map_or(last, |item| item.end)))
    }
}
