//! When two declarations mean the same type.

use crate::types::{ArrayLength, Type, TypeId, TypeTable};

/// How strictly arrays and structures are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrays {
    /// Lengths must be equal; an unsized array matches any.
    UnsizedMatchesAny,
    /// Lengths must be equal.
    Exact,
}

/// Returns true if two types match by name and structure, wherever they were declared.
pub(super) fn same(types: &TypeTable, a: TypeId, b: TypeId, arrays: Arrays) -> bool {
    if a == b {
        return true;
    }
    match (types.get(a), types.get(b)) {
        (Type::Array { element: ea, length: la }, Type::Array { element: eb, length: lb }) => {
            let loose = arrays == Arrays::UnsizedMatchesAny
                && (*la == ArrayLength::Unsized || *lb == ArrayLength::Unsized);
            (la == lb || loose) && same(types, *ea, *eb, arrays)
        }
        (Type::Struct(sa), Type::Struct(sb)) => {
            sa.name == sb.name
                && sa.members.len() == sb.members.len()
                && sa.members.iter().zip(&sb.members).all(|(ma, mb)| {
                    ma.name == mb.name
                        && same(types, ma.ty, mb.ty, arrays)
                        && ma.order == mb.order
                        && ma.offset == mb.offset
                        && ma.align == mb.align
                        && ma.component == mb.component
                })
        }
        _ => false,
    }
}

/// The first difference between the members of two structures or blocks, in words.
pub(super) fn member_difference(types: &TypeTable, a: TypeId, b: TypeId) -> Option<String> {
    let (ma, mb) = (types.members(a)?, types.members(b)?);
    if ma.len() != mb.len() {
        return Some(format!("{} members against {}", ma.len(), mb.len()));
    }
    ma.iter().zip(mb).find_map(|(x, y)| {
        if x.name != y.name {
            return Some(format!("member `{}` against `{}`", x.name, y.name));
        }
        let (tx, ty) = (types.name(x.ty), types.name(y.ty));
        (!same(types, x.ty, y.ty, Arrays::UnsizedMatchesAny))
            .then(|| format!("member `{}` is {tx} against {ty}", x.name))
            .or_else(|| {
                (x.order != y.order).then(|| format!("member `{}` differs in matrix order", x.name))
            })
            .or_else(|| {
                (x.offset != y.offset || x.align != y.align)
                    .then(|| format!("member `{}` differs in offset or align", x.name))
            })
            .or_else(|| {
                (x.component != y.component)
                    .then(|| format!("member `{}` differs in component", x.name))
            })
    })
}

/// The type with every unsized length replaced by the other's, when they match otherwise.
pub(super) fn unify(types: &mut TypeTable, a: TypeId, b: TypeId) -> Option<TypeId> {
    if !same(types, a, b, Arrays::UnsizedMatchesAny) {
        return None;
    }
    if a == b {
        return Some(a);
    }
    match (types.get(a).clone(), types.get(b).clone()) {
        (Type::Array { element: ea, length: la }, Type::Array { element: eb, length: lb }) => {
            let element = unify(types, ea, eb)?;
            let length = if la == ArrayLength::Unsized { lb } else { la };
            Some(types.array(element, length))
        }
        (Type::Struct(mut sa), Type::Struct(sb)) => {
            for (m, other) in sa.members.iter_mut().zip(&sb.members) {
                m.ty = unify(types, m.ty, other.ty)?;
            }
            Some(types.intern(Type::Struct(sa)))
        }
        _ => Some(a),
    }
}
