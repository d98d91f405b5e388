//! Names and shapes of types in the table of `program`.

use program::types::{ArrayLength, Member, Scalar, StructType, Type, TypeId, TypeTable};

/// Returns an array type.
pub(super) fn array(types: &mut TypeTable, element: TypeId, length: usize) -> TypeId {
    types.array(element, ArrayLength::Fixed(u32::try_from(length).unwrap_or(u32::MAX)))
}

/// Returns element type and length of an array type with known length.
pub(super) fn elements(types: &TypeTable, ty: TypeId) -> Option<(TypeId, usize)> {
    match types.array_of(ty)? {
        (element, ArrayLength::Fixed(length)) => Some((element, length as usize)),
        _ => None,
    }
}

/// Returns scalar type and number of components of a scalar or vector type.
pub(super) fn vector_of(types: &TypeTable, ty: TypeId) -> Option<(Scalar, u8)> {
    match (types.scalar_of(ty)?, types.shape(ty)?) {
        (scalar, (1, rows)) => Some((scalar, rows)),
        _ => None,
    }
}

/// Returns a structure type.
pub(super) fn structure(types: &mut TypeTable, name: &str, members: &[TypeId]) -> TypeId {
    let member = |(k, &ty): (usize, &TypeId)| Member::new(&format!("m{k}"), ty);
    let members = members.iter().enumerate().map(member).collect();
    types.intern(Type::Struct(StructType { name: name.into(), members, scope: 0 }))
}

/// Returns a declarator such as `int a[2]`; `unsized_outer` omits the outermost length.
pub(super) fn declarator(types: &TypeTable, ty: TypeId, name: &str, unsized_outer: bool) -> String {
    let whole = types.name(ty);
    let (base, lengths) = whole.split_at(whole.find('[').unwrap_or(whole.len()));
    match lengths.find(']') {
        Some(end) if unsized_outer => format!("{base} {name}[{}", &lengths[end..]),
        _ => format!("{base} {name}{lengths}"),
    }
}

/// Returns the number of scalars in a value of the type.
pub(super) fn leaves(types: &TypeTable, ty: TypeId) -> usize {
    if let Some((element, length)) = elements(types, ty) {
        return length * leaves(types, element);
    }
    match types.members(ty) {
        Some(members) => members.iter().map(|member| leaves(types, member.ty)).sum(),
        None => usize::from(types.components(ty)),
    }
}

/// Returns true if a type is or has a scalar for which `is` is true.
pub(super) fn any_scalar(types: &TypeTable, ty: TypeId, is: &dyn Fn(Scalar) -> bool) -> bool {
    let inner = types.without_arrays(ty);
    match types.members(inner) {
        Some(members) => members.iter().any(|member| any_scalar(types, member.ty, is)),
        None => types.scalar_of(inner).is_some_and(is),
    }
}

/// Visits every scalar, vector or matrix inside a value, with its path in GLSL.
pub(super) fn parts(
    types: &TypeTable,
    path: &str,
    ty: TypeId,
    visit: &mut dyn FnMut(&str, TypeId),
) {
    if let Some((element, length)) = elements(types, ty) {
        (0..length).for_each(|k| parts(types, &format!("{path}[{k}]"), element, visit));
    } else if let Some(members) = types.members(ty) {
        for member in members {
            parts(types, &format!("{path}.{}", member.name), member.ty, visit);
        }
    } else {
        visit(path, ty);
    }
}
