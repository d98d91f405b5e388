//! Vectors of which one component serves, and structures of one member.

use std::collections::BTreeSet;

use glsl_syntax::ast::{DeclKind, ExprId, ExprKind, List, TypeKind, TypeSpecId};
use glsl_syntax::ast::{Declarator, DeclaratorId, TranslationUnit};

use super::edit::{Edit, joined, sorted};
use super::shader::{self, Parsed, Source};

/// Makes scalars of the vectors with each name, in all shaders together: components of them become
/// the scalar, and of a list of components that is assigned to them one remains.
pub(super) fn vectors(text: &str, shaders: &[Source<'_>]) -> Vec<Edit> {
    let names = names(shaders);
    let edits = names.iter().flat_map(|(name, size)| {
        (0..*size).filter_map(|component| {
            let edits = shader::all_edits(shaders, |shader| scalar(shader, name, component));
            joined(text, edits)
        })
    });
    sorted(edits.filter(Edit::shrinks).collect())
}

/// Returns the names of vectors, with the number of their components.
fn names(shaders: &[Source<'_>]) -> BTreeSet<(String, usize)> {
    let names = shader::collected(shaders, |shader| {
        let found = typed(shader.unit).flat_map(|(ty, declarators)| {
            let size = vector(shader, ty).map(|(_, size)| size);
            let names = declarators.into_iter().map(|declarator| declarator.name.span);
            names.filter_map(move |span| Some((shader.text_of(span)?.to_owned(), size?)))
        });
        found.collect()
    });
    names.into_iter().collect()
}

/// Returns the types of variables and members with what they declare.
pub(super) fn typed(
    unit: &TranslationUnit,
) -> impl Iterator<Item = (TypeSpecId, Vec<&Declarator>)> {
    let variables = unit.decls.values().filter_map(|decl| match decl.kind {
        DeclKind::Variables { ty, declarators, .. } => Some((ty, declarators)),
        _ => None,
    });
    let members = unit.members.values().map(|member| (member.ty, member.declarators));
    let declared = |list: List<DeclaratorId>| {
        unit.list(list).iter().map(|&id| &unit.declarators[id]).collect()
    };
    variables.chain(members).map(move |(ty, list)| (ty, declared(list)))
}

/// Returns the type of a vector's components and their number.
fn vector(shader: &Parsed<'_>, ty: TypeSpecId) -> Option<(&'static str, usize)> {
    let TypeKind::Name(symbol) = shader.unit.types[ty].kind else { return None };
    let name = shader.unit.interner.text(symbol);
    let (name, size) = name.split_at_checked(name.len().checked_sub(1)?)?;
    let scalar = match name {
        "vec" => "float",
        "ivec" => "int",
        "uvec" => "uint",
        "dvec" => "double",
        "bvec" => "bool",
        _ => return None,
    };
    Some((scalar, size.parse().ok().filter(|size| (2..=4).contains(size))?))
}

/// Makes a scalar of the vectors with a name in one shader.
fn scalar(shader: &Parsed<'_>, name: &str, component: usize) -> Vec<Edit> {
    let unit = shader.unit;
    let is_it = |declarator: &Declarator| shader.text_of(declarator.name.span) == Some(name);
    let mut edits = Vec::new();
    for (ty, declarators) in typed(unit).filter(|(_, all)| all.iter().any(|one| is_it(one))) {
        let Some((scalar, _)) = vector(shader, ty) else { continue };
        let span = unit.types[ty].span;
        let word = shader.range(span).map(|range| range.start);
        let word = word
            .zip(shader.text_of(span))
            .map(|(start, text)| start..start + text.find(['[', ' ']).unwrap_or(text.len()));
        edits.extend(word.map(|range| Edit { range, text: scalar.to_owned() }));
        let inits = declarators.iter().filter(|one| is_it(one)).filter_map(|one| one.init.expand());
        edits.extend(inits.filter_map(|init| only(shader, init, component)));
    }
    for expr in unit.exprs.values() {
        match expr.kind {
            ExprKind::Field(base, field) if is_of(shader, base, name) => {
                let end = shader.range(unit.exprs[base].span).map(|range| range.end);
                let swizzle = shader.text_of(field.span).unwrap_or_default();
                if swizzle.len() == 1 {
                    let to = shader.range(expr.span).map(|range| range.end);
                    edits.extend(end.zip(to).map(|(from, to)| Edit::delete(from..to)));
                }
            }
            ExprKind::Assign(_, target, value) if is_of(shader, target, name) => {
                edits.extend(only(shader, value, component));
            }
            _ => {}
        }
    }
    edits
}

/// True for a variable or member with a name, and for an element of it.
fn is_of(shader: &Parsed<'_>, id: ExprId, name: &str) -> bool {
    match shader.unit.exprs[id].kind {
        ExprKind::Name(symbol) => shader.unit.interner.text(symbol) == name,
        ExprKind::Field(_, field) => shader.text_of(field.span) == Some(name),
        ExprKind::Index(base, _) => is_of(shader, base, name),
        _ => false,
    }
}

/// Replaces a call by one of its arguments, or by its only one.
fn only(shader: &Parsed<'_>, call: ExprId, component: usize) -> Option<Edit> {
    let expr = &shader.unit.exprs[call];
    let ExprKind::Call(_, arguments) = expr.kind else { return None };
    let arguments = shader.unit.list(arguments);
    let argument = arguments.get(component).or(arguments.first())?;
    shader.replace(expr.span, shader.unit.exprs[*argument].span)
}

/// Puts the type of its only member in place of each structure.
pub(super) fn structures(shaders: &[Source<'_>]) -> Vec<Edit> {
    shader::edits(shaders, |shader| {
        let unit = shader.unit;
        let edits = unit.decls.values().filter_map(|decl| {
            let DeclKind::Variables { ty, declarators, .. } = decl.kind else { return None };
            let TypeKind::Struct(id) = unit.types[ty].kind else { return None };
            let (name, [member]) = (unit.structs[id].name?, unit.list(unit.structs[id].members))
            else {
                return None;
            };
            let member = &unit.members[*member];
            let [field] = *unit.list(member.declarators) else { return None };
            let field = &unit.declarators[field];
            if !declarators.is_empty() || !field.dims.is_empty() {
                return None;
            }
            let by = shader.text_of(unit.types[member.ty].span)?;
            let types = unit
                .types
                .values()
                .filter(|ty| matches!(ty.kind, TypeKind::Name(symbol) if symbol == name.symbol));
            let mut edits: Vec<Edit> = types
                .filter_map(|ty| {
                    let start = shader.range(ty.span)?.start;
                    let range = start..start + shader.text_of(name.span)?.len();
                    Some(Edit { range, text: by.to_owned() })
                })
                .collect();
            edits.extend(unit.exprs.values().filter_map(|expr| match expr.kind {
                ExprKind::Field(base, found) if found.symbol == field.name.symbol => {
                    let base = shader.range(unit.exprs[base].span)?.end;
                    Some(Edit::delete(base..shader.range(expr.span)?.end))
                }
                _ => None,
            }));
            edits.push(shader.remove(decl.span)?);
            joined(shader.text, edits)
        });
        sorted(edits.collect())
    })
}
