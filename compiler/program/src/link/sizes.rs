//! Unsized arrays get their sizes: from the other stages' declarations, the input primitive or
//! patch size, or the largest constant index used (GLSL 4.60 section 4.1.9).

use rustc_hash::FxHashMap;

use super::errors::Errors;
use crate::expression::{ExprId, ExprKind, Literal};
use crate::shader::{FunctionId, LayoutPrimitive, Shader};
use crate::stage::Stage;
use crate::types::{ArrayLength, Type, TypeId, TypeTable};
use crate::variable::{GlobalId, LocalId, Storage};

/// Size of patch inputs (`gl_MaxPatchVertices`).
const MAX_PATCH_VERTICES: u32 = 32;

/// Replaces every unsized length of every stage.
pub(super) fn fix(stages: &mut [Shader], types: &mut TypeTable, errors: &mut Errors) {
    for shader in stages.iter_mut() {
        fix_stage(shader, types, errors);
    }
}

/// One variable of a shader.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Root {
    Global(GlobalId),
    Local(FunctionId, LocalId),
}

/// A variable and the members selected inside it (array elements do not count).
type Path = (Root, Vec<u32>);

fn is_unsized(types: &TypeTable, ty: TypeId) -> bool {
    match types.get(ty) {
        Type::Array { element, length } => {
            *length == ArrayLength::Unsized || is_unsized(types, *element)
        }
        Type::Struct(s) => s.members.iter().any(|m| is_unsized(types, m.ty)),
        _ => false,
    }
}

fn fix_stage(shader: &mut Shader, types: &mut TypeTable, errors: &mut Errors) {
    let any_global = shader.globals.values().any(|g| is_unsized(types, g.ty));
    let any_local =
        shader.functions.values().any(|f| f.locals.values().any(|l| is_unsized(types, l.ty)));
    let merged = has_stale_types(shader);
    if !any_global
        && !any_local
        && !merged
        && shader.stage != Stage::Geometry
        && shader.stage != Stage::TessControl
    {
        return;
    }
    let used = constant_indices(shader, types);
    for id in shader.globals.keys().collect::<Vec<_>>() {
        let vertices = vertices_of(shader, id, types);
        let global = &shader.globals[id];
        if let (Some(count), Some((_, ArrayLength::Fixed(n)))) =
            (vertices, types.array_of(global.ty))
            && n != count
            && !(global.storage == Storage::Input && shader.stage != Stage::Geometry)
        {
            let (name, stage) = (&global.name, shader.stage);
            errors.push(format!(
                "`{name}` has {n} elements, but the {stage} shader has {count} vertices"
            ));
            continue;
        }
        if !is_unsized(types, global.ty) {
            continue;
        }
        if let Some(count) = vertices
            && let Some((element, length)) = types.array_of(global.ty)
        {
            if let Some(&index) =
                used.get(&(Root::Global(id), Vec::new())).filter(|_| length == ArrayLength::Unsized)
                && index >= count
            {
                errors.push(format!(
                    "index {index} of `{}` is out of range: it has {count} vertices",
                    global.name
                ));
            }
            if length == ArrayLength::Unsized {
                shader.globals[id].ty = types.array(element, ArrayLength::Fixed(count));
            }
        }
        check_storage_sizes(shader, id, types, &used, errors);
        let ty = shader.globals[id].ty;
        shader.globals[id].ty = resolve(types, ty, &(Root::Global(id), Vec::new()), &used);
    }
    for function in shader.functions.keys().collect::<Vec<_>>() {
        for local in shader.functions[function].locals.keys().collect::<Vec<_>>() {
            let ty = shader.functions[function].locals[local].ty;
            let path = (Root::Local(function, local), Vec::new());
            shader.functions[function].locals[local].ty = resolve(types, ty, &path, &used);
        }
    }
    retype(shader, types);
    check_indices(shader, types, errors);
}

/// Returns true if some expression does not have its variable's type: another shader object gave
/// the array its size.
fn has_stale_types(shader: &Shader) -> bool {
    shader
        .exprs
        .values()
        .any(|e| matches!(e.kind, ExprKind::Global(id) if shader.globals[id].ty != e.ty))
}

/// Constant indices must fit the sizes that other declarations gave.
fn check_indices(shader: &Shader, types: &TypeTable, errors: &mut Errors) {
    for expr in shader.exprs.values() {
        let ExprKind::Index { base, index } = expr.kind else { continue };
        let (Some((_, ArrayLength::Fixed(n))), ExprKind::Literal(Literal::Int(index))) =
            (types.array_of(shader.exprs[base].ty), &shader.exprs[index].kind)
        else {
            continue;
        };
        if *index < 0 || *index >= i64::from(n) {
            errors.push(format!("index {index} is out of range of an array of {n}"));
        }
    }
}

/// A member of a storage block that nothing sizes is an error when the block is used.
fn check_storage_sizes(
    shader: &Shader,
    id: GlobalId,
    types: &TypeTable,
    used: &FxHashMap<Path, u32>,
    errors: &mut Errors,
) {
    let global = &shader.globals[id];
    if global.storage != Storage::Buffer || !global.active {
        return;
    }
    for (i, member) in
        types.members(types.without_arrays(global.ty)).unwrap_or_default().iter().enumerate()
    {
        let unsized_member = matches!(types.array_of(member.ty), Some((_, ArrayLength::Unsized)));
        if unsized_member && !used.contains_key(&(Root::Global(id), vec![i as u32])) {
            errors.push(format!("member `{}` of block `{}` has no size", member.name, global.name));
        }
    }
}

/// Vertices of a per-vertex input or output array; `None` for other variables.
fn vertices_of(shader: &Shader, id: GlobalId, types: &TypeTable) -> Option<u32> {
    let global = &shader.globals[id];
    if !global.is_per_vertex_array(shader.stage, types) {
        return None;
    }
    match (shader.stage, global.storage) {
        (Stage::Geometry, Storage::Input) => {
            shader.layout.input_primitive.map(LayoutPrimitive::vertices)
        }
        (Stage::TessControl, Storage::Output) => shader.layout.vertices,
        (Stage::TessControl | Stage::TessEval, Storage::Input) => Some(MAX_PATCH_VERTICES),
        _ => None,
    }
}

/// Largest constant index of each unsized array.
fn constant_indices(shader: &Shader, types: &TypeTable) -> FxHashMap<Path, u32> {
    let owner = owners(shader);
    let mut used: FxHashMap<Path, u32> = FxHashMap::default();
    for (id, expr) in shader.exprs.iter() {
        let ExprKind::Index { base, index } = &expr.kind else { continue };
        if !matches!(
            types.get(shader.exprs[*base].ty),
            Type::Array { length: ArrayLength::Unsized, .. }
        ) {
            continue;
        }
        let index = match shader.exprs[*index].kind {
            ExprKind::Literal(Literal::Int(v)) => u32::try_from(v).ok(),
            ExprKind::Literal(Literal::Uint(v)) => u32::try_from(v).ok(),
            _ => None,
        };
        if let (Some(index), Some(path)) = (index, path_of(shader, *base, owner.get(&id).copied()))
        {
            let entry = used.entry(path).or_insert(index);
            *entry = (*entry).max(index);
        }
    }
    used
}

/// The function each expression belongs to.
fn owners(shader: &Shader) -> FxHashMap<ExprId, FunctionId> {
    let mut owner: FxHashMap<ExprId, FunctionId> = FxHashMap::default();
    for (id, function) in shader.functions.iter() {
        let mut stack = Vec::new();
        for statement in function.body.iter().flatten() {
            statement.for_each_expr(&mut |e| stack.push(e));
        }
        while let Some(e) = stack.pop() {
            if owner.insert(e, id).is_none() {
                shader.exprs[e].kind.for_each_child(|child| stack.push(child));
            }
        }
    }
    owner
}

fn path_of(shader: &Shader, mut place: ExprId, function: Option<FunctionId>) -> Option<Path> {
    let mut members = Vec::new();
    let root = loop {
        match &shader.exprs[place].kind {
            ExprKind::Global(id) => break Root::Global(*id),
            ExprKind::Local(id) => break Root::Local(function?, *id),
            ExprKind::Index { base, .. } => place = *base,
            ExprKind::Member { base, member } => {
                members.push(*member);
                place = *base;
            }
            _ => return None,
        }
    };
    members.reverse();
    Some((root, members))
}

fn resolve(types: &mut TypeTable, ty: TypeId, path: &Path, used: &FxHashMap<Path, u32>) -> TypeId {
    match types.get(ty).clone() {
        Type::Array { element, length } => {
            let element = resolve(types, element, path, used);
            let length = match length {
                ArrayLength::Unsized => {
                    ArrayLength::Fixed(used.get(path).map_or(1, |&index| index.saturating_add(1)))
                }
                known => known,
            };
            types.array(element, length)
        }
        Type::Struct(mut s) => {
            let mut changed = false;
            for (i, member) in s.members.iter_mut().enumerate() {
                let mut inner = path.clone();
                inner.1.push(i as u32);
                let ty = resolve(types, member.ty, &inner, used);
                changed |= ty != member.ty;
                member.ty = ty;
            }
            if changed { types.intern(Type::Struct(s)) } else { ty }
        }
        _ => ty,
    }
}

/// Updates the types of places to their variables' new types. Operands come before the expressions
/// that use them in the arena.
fn retype(shader: &mut Shader, types: &mut TypeTable) {
    let owner = owners(shader);
    for id in shader.exprs.keys().collect::<Vec<_>>() {
        let expr = &shader.exprs[id];
        let base_type = |base: ExprId| shader.exprs[base].ty;
        let ty = match &expr.kind {
            ExprKind::Global(global) => Some(shader.globals[*global].ty),
            ExprKind::Local(local) => {
                owner.get(&id).and_then(|f| shader.functions[*f].locals.get(*local)).map(|l| l.ty)
            }
            ExprKind::Index { base, .. } => {
                types.array_of(base_type(*base)).map(|(element, _)| element)
            }
            ExprKind::Member { base, member } => {
                types.members(base_type(*base)).and_then(|m| m.get(*member as usize)).map(|m| m.ty)
            }
            ExprKind::Assign { place, .. } if is_unsized(types, expr.ty) => Some(base_type(*place)),
            _ => None,
        };
        if let Some(ty) = ty {
            shader.exprs[id].ty = ty;
        }
        if let ExprKind::RuntimeLength(base) = shader.exprs[id].kind
            && let Some((_, ArrayLength::Fixed(n))) = types.array_of(shader.exprs[base].ty)
        {
            shader.exprs[id].kind = ExprKind::Literal(Literal::Int(i64::from(n)));
        }
    }
}
