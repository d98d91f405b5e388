//! Samplers and images in uniform blocks (ARB_bindless_texture section 4.1.7): the block holds
//! handles, and variables beside it have the slots that draws and dispatches fill from them.

use std::collections::BTreeMap;

use cranelift_entity::EntitySet;

use super::blocks::{MAX_LEAVES, collect};
use crate::expression::{Expr, ExprId, ExprKind, Literal};
use crate::layout::{Rules, block_instances};
use crate::link::errors::Errors;
use crate::program::{LinkedStage, Program};
use crate::resource::{OpaqueSlot, OpaqueSlots, Placement};
use crate::shader::Shader;
use crate::types::{ArrayLength, MatrixOrder, Scalar, Type, TypeId, TypeTable};
use crate::variable::{Global, GlobalId, Storage};

/// A variable with the slots of a block's handles.
pub(crate) struct Handles {
    stage: usize,
    block: GlobalId,
    slots: GlobalId,
}

/// Changes the type of each uniform block with samplers or images to that of its contents in
/// memory. Expressions that read them get a variable of the type in the source.
pub(crate) fn separate(
    stages: &mut [LinkedStage],
    types: &mut TypeTable,
    errors: &mut Errors,
) -> Vec<Handles> {
    let mut all = Vec::new();
    for (stage, linked) in stages.iter_mut().enumerate() {
        let shader = &mut linked.shader;
        let has_handles = |global: &Global| {
            global.block.is_some()
                && global.storage == Storage::Uniform
                && types.contains_opaque(global.ty)
        };
        let blocks = shader.globals.iter().filter(|(_, global)| has_handles(global));
        for block in blocks.map(|(id, _)| id).collect::<Vec<_>>() {
            let global = &shader.globals[block];
            if block_instances(types, global.ty) > 1 {
                errors.push(format!("samplers in the array of blocks `{}`", global.name));
                continue;
            }
            let mut variable = Global { block: None, active: false, ..global.clone() };
            variable.name = format!("handles of {}", global.name).into();
            shader.globals[block].ty = in_memory(types, variable.ty);
            let slots = shader.globals.push(variable);
            redirect(shader, types, block, slots);
            all.push(Handles { stage, block, slots });
        }
    }
    all
}

/// The type with a handle of 64 bits for each sampler and image.
fn in_memory(types: &mut TypeTable, ty: TypeId) -> TypeId {
    match types.get(ty).clone() {
        Type::Sampler(_) | Type::Image(_) => types.vector(Scalar::Uint, 2),
        Type::Array { element, length } => {
            let element = in_memory(types, element);
            types.array(element, length)
        }
        Type::Struct(mut contents) => {
            for member in &mut contents.members {
                member.ty = in_memory(types, member.ty);
            }
            types.intern(Type::Struct(contents))
        }
        _ => ty,
    }
}

/// Lets the expressions of samplers and images in a block name a variable instead.
fn redirect(shader: &mut Shader, types: &mut TypeTable, block: GlobalId, variable: GlobalId) {
    let mut bases: EntitySet<ExprId> = EntitySet::new();
    for expr in shader.exprs.values() {
        bases.extend(base(&expr.kind));
    }
    let is_handle = |(id, expr): &(ExprId, &Expr)| {
        types.contains_opaque(expr.ty) && !bases.contains(*id) && root(shader, *id) == Some(block)
    };
    let handles: Vec<ExprId> = shader.exprs.iter().filter(is_handle).map(|(id, _)| id).collect();
    for id in handles {
        separate_parts(shader, types, id, variable);
    }
}

/// Replaces the block of an expression by the variable where it reads samplers and images alone,
/// otherwise in those of its parts that do.
fn separate_parts(shader: &mut Shader, types: &mut TypeTable, id: ExprId, variable: GlobalId) {
    let Expr { ty, span, .. } = shader.exprs[id];
    let new = |kind, ty| Expr { kind, ty, precise: false, span };
    if is_all_opaque(types, ty) {
        let mut root = id;
        while let Some(base) = base(&shader.exprs[root].kind) {
            root = base;
        }
        shader.exprs[root].kind = ExprKind::Global(variable);
        return;
    }
    let parts: Vec<(u32, TypeId)> = match types.get(ty) {
        Type::Struct(contents) => (0..).zip(contents.members.iter().map(|m| m.ty)).collect(),
        &Type::Array { element, length: ArrayLength::Fixed(n) } => {
            (0..n).map(|k| (k, element)).collect()
        }
        _ => return,
    };
    let is_array = types.array_of(ty).is_some();
    let int = types.scalar(Scalar::Int);
    let mut items = Vec::with_capacity(parts.len());
    for (k, part) in parts {
        let base = copy_path(shader, id);
        let kind = if is_array {
            let literal = ExprKind::Literal(Literal::Int(k.into()));
            ExprKind::Index { base, index: shader.exprs.push(new(literal, int)) }
        } else {
            ExprKind::Member { base, member: k }
        };
        let item = shader.exprs.push(new(kind, part));
        if types.contains_opaque(part) {
            separate_parts(shader, types, item, variable);
        }
        items.push(item);
    }
    shader.exprs[id].kind = ExprKind::Aggregate(items);
}

/// Copies an access to a variable, down to the variable.
fn copy_path(shader: &mut Shader, id: ExprId) -> ExprId {
    let mut copy = shader.exprs[id].clone();
    if let ExprKind::Member { base, .. } | ExprKind::Index { base, .. } = &mut copy.kind {
        *base = copy_path(shader, *base);
    }
    shader.exprs.push(copy)
}

/// The expression that an access selects from.
fn base(kind: &ExprKind) -> Option<ExprId> {
    match *kind {
        ExprKind::Member { base, .. } | ExprKind::Index { base, .. } => Some(base),
        _ => None,
    }
}

/// The global variable that an access is part of.
fn root(shader: &Shader, mut id: ExprId) -> Option<GlobalId> {
    loop {
        match (base(&shader.exprs[id].kind), &shader.exprs[id].kind) {
            (Some(base), _) => id = base,
            (None, ExprKind::Global(global)) => return Some(*global),
            _ => return None,
        }
    }
}

/// True if a type consists of samplers and images.
fn is_all_opaque(types: &TypeTable, ty: TypeId) -> bool {
    match types.get(types.without_arrays(ty)) {
        Type::Struct(contents) => contents.members.iter().all(|m| is_all_opaque(types, m.ty)),
        inner => matches!(inner, Type::Sampler(_) | Type::Image(_)),
    }
}

/// Numbers the slots, after all uniforms are listed.
pub(crate) fn place(
    stages: &mut [LinkedStage],
    program: &mut Program,
    handles: &[Handles],
    errors: &mut Errors,
) {
    let mut placed: BTreeMap<u16, Placement> = BTreeMap::new();
    for Handles { stage, block, slots } in handles {
        let shader = &mut stages[*stage].shader;
        let Placement::UniformBlock { index } = shader.globals[*block].placement else { continue };
        let ty = shader.globals[*slots].ty;
        let placement =
            *placed.entry(index).or_insert_with(|| number(program, ty, index + 1, errors));
        shader.globals[*slots].placement = placement;
    }
}

/// Appends the slots of a block's samplers and images, in the order of its members.
fn number(program: &mut Program, ty: TypeId, block: u16, errors: &mut Errors) -> Placement {
    let (sampler, image) = (program.samplers.len() as u16, program.images.len() as u16);
    let (order, rules) = (MatrixOrder::ColumnMajor, Rules::Std140);
    let mut leaves = Vec::new();
    collect(&program.types, ty, "", 0, order, rules, &mut leaves);
    let members = program.uniforms.iter_mut().enumerate().filter(|(_, u)| u.block == Some(block));
    for ((number, uniform), leaf) in members.zip(leaves) {
        let (list, slots) = match program.types.get(leaf.ty) {
            Type::Sampler(_) => {
                let first = program.samplers.len() as u16;
                (&mut program.samplers, OpaqueSlots::Sampler(first))
            }
            Type::Image(_) => {
                let first = program.images.len() as u16;
                (&mut program.images, OpaqueSlots::Image(first))
            }
            _ => continue,
        };
        (uniform.ty, uniform.opaque) = (leaf.ty, Some(slots));
        for element in 0..uniform.array.unwrap_or(1) {
            list.push(OpaqueSlot { uniform: number as u32, element, binding: 0 });
        }
    }
    if program.samplers.len().max(program.images.len()) > MAX_LEAVES / 16 {
        errors.push("too many samplers or images in uniform blocks".to_owned());
    }
    Placement::Uniform { offset: 0, sampler, image }
}
