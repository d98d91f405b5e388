//! Samplers and images that memory holds (ARB_bindless_texture section 4.1.7): a uniform block, or
//! the default block of a program that uses them as values, holds handles. Variables beside it have
//! the slots that draws and dispatches fill from them.

use std::collections::BTreeMap;

use cranelift_entity::EntitySet;

use super::blocks::{MAX_LEAVES, collect};
use crate::expression::{Expr, ExprId, ExprKind, Literal};
use crate::layout::{Rules, block_instances};
use crate::link::errors::Errors;
use crate::program::{LinkedStage, Program};
use crate::resource::{OpaqueSlot, OpaqueSlots, Placement, SlotSource, Uniform};
use crate::shader::Shader;
use crate::types::{ArrayLength, MatrixOrder, Member, Scalar, Type, TypeId, TypeTable};
use crate::variable::{Global, GlobalId, Storage};

/// A variable with the slots of the handles in memory.
pub(crate) struct Handles {
    /// Index of the stage.
    pub(crate) stage: usize,
    /// The uniform or uniform block.
    pub(crate) memory: GlobalId,
    /// The variable.
    pub(crate) slots: GlobalId,
}

/// Changes the type of each uniform block with samplers or images to that of its contents in
/// memory; with `all_uniforms` also of each one that is declared in the default block. Expressions
/// that read samplers and images get a variable of the type in the source.
pub(crate) fn separate(
    stages: &mut [LinkedStage],
    types: &mut TypeTable,
    all_uniforms: bool,
    errors: &mut Errors,
) -> Vec<Handles> {
    let mut all = Vec::new();
    for (stage, linked) in stages.iter_mut().enumerate() {
        let shader = &mut linked.shader;
        let has_handles = |global: &Global| {
            (global.block.is_some() || all_uniforms && global.builtin.is_none())
                && global.storage == Storage::Uniform
                && contains_handles(types, global.ty)
        };
        let uniforms = shader.globals.iter().filter(|(_, global)| has_handles(global));
        for memory in uniforms.map(|(id, _)| id).collect::<Vec<_>>() {
            let global = &shader.globals[memory];
            if global.block.is_some() && block_instances(types, global.ty) > 1 {
                errors.push(format!("samplers in the array of blocks `{}`", global.name));
                continue;
            }
            let mut variable = Global { block: None, active: false, ..global.clone() };
            variable.name = format!("handles of {}", global.name).into();
            shader.globals[memory].ty = in_memory(types, variable.ty);
            let slots = shader.globals.push(variable);
            redirect(shader, types, memory, slots);
            all.push(Handles { stage, memory, slots });
        }
    }
    all
}

/// True if a type is a sampler or an image.
pub(crate) fn is_handle(types: &TypeTable, ty: TypeId) -> bool {
    matches!(types.get(ty), Type::Sampler(_) | Type::Image(_))
}

/// True if a type is or contains a sampler or an image.
pub(crate) fn contains_handles(types: &TypeTable, ty: TypeId) -> bool {
    let ty = types.without_arrays(ty);
    let of_member = |members: &[Member]| members.iter().any(|m| contains_handles(types, m.ty));
    is_handle(types, ty) || types.members(ty).is_some_and(of_member)
}

/// The type with a handle of 64 bits for each sampler and image.
pub(crate) fn in_memory(types: &mut TypeTable, ty: TypeId) -> TypeId {
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

/// Lets the expressions of samplers and images in a uniform name a variable instead.
fn redirect(shader: &mut Shader, types: &mut TypeTable, memory: GlobalId, variable: GlobalId) {
    let mut bases: EntitySet<ExprId> = EntitySet::new();
    for expr in shader.exprs.values() {
        bases.extend(base(&expr.kind));
    }
    let is_handle = |(id, expr): &(ExprId, &Expr)| {
        types.contains_opaque(expr.ty) && !bases.contains(*id) && root(shader, *id) == Some(memory)
    };
    let handles: Vec<ExprId> = shader.exprs.iter().filter(is_handle).map(|(id, _)| id).collect();
    for id in handles {
        separate_parts(shader, types, id, variable);
    }
}

/// Replaces the uniform of an expression by the variable where it reads samplers and images alone,
/// otherwise in those of its parts that do.
fn separate_parts(shader: &mut Shader, types: &mut TypeTable, id: ExprId, variable: GlobalId) {
    let Expr { ty, span, .. } = shader.exprs[id];
    let new = |kind, ty| Expr { kind, ty, precise: false, span };
    if is_all_opaque(types, ty) {
        let root = path(shader, id).last().unwrap_or(id);
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

/// An access and what it selects from, down to the variable.
pub(crate) fn path(shader: &Shader, id: ExprId) -> impl Iterator<Item = ExprId> + '_ {
    std::iter::successors(Some(id), |&id| base(&shader.exprs[id].kind))
}

/// The global variable that an access is part of.
pub(crate) fn root(shader: &Shader, id: ExprId) -> Option<GlobalId> {
    match shader.exprs[path(shader, id).last()?].kind {
        ExprKind::Global(global) => Some(global),
        _ => None,
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
    let mut placed: BTreeMap<(u16, Option<u32>), Placement> = BTreeMap::new();
    for Handles { stage, memory, slots } in handles {
        let shader = &mut stages[*stage].shader;
        let memory = &shader.globals[*memory];
        let ty = shader.globals[*slots].ty;
        // Of a block the members have its index, of the default block the name of the uniform.
        let (name, block, first) = match memory.placement {
            Placement::UniformBlock { index } => ("", index + 1, None),
            Placement::Uniform { offset, .. } => (&*memory.name, 0, Some(offset)),
            _ => continue,
        };
        let binding = memory.layout.binding;
        let placement = *placed
            .entry((block, first))
            .or_insert_with(|| number(program, ty, name, block, binding, errors));
        shader.globals[*slots].placement = placement;
    }
}

/// Appends the slots of a uniform's samplers and images, in the order of its members.
fn number(
    program: &mut Program,
    ty: TypeId,
    name: &str,
    block: u16,
    binding: Option<u32>,
    errors: &mut Errors,
) -> Placement {
    let (sampler, image) = (program.samplers.len() as u16, program.images.len() as u16);
    let (order, rules) = (MatrixOrder::ColumnMajor, Rules::Std140);
    let mut leaves = Vec::new();
    collect(&program.types, ty, name, 0, order, rules, &mut leaves);
    let is_first = |u: &Uniform| {
        u.block == Some(block) && (block > 0 || leaves.first().is_some_and(|l| l.name == u.name))
    };
    let first = program.uniforms.iter().position(is_first).unwrap_or(0);
    let members = program.uniforms.iter_mut().enumerate().skip(first);
    let mut units = binding.into_iter().flat_map(|binding| binding..);
    for ((number, uniform), leaf) in members.filter(|(_, u)| u.block == Some(block)).zip(leaves) {
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
            let source = SlotSource::Unit(units.next().unwrap_or(0));
            list.push(OpaqueSlot { uniform: number as u32, element, source });
        }
    }
    if program.samplers.len().max(program.images.len()) > MAX_LEAVES / 16 {
        errors.push("too many samplers or images in memory".to_owned());
    }
    Placement::Uniform { offset: 0, sampler, image }
}
