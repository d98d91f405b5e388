//! Samplers and images in uniform blocks (ARB_bindless_texture section 4.1.7): the block holds
//! handles, and variables beside it have the slots that draws and dispatches fill from them.

use std::collections::BTreeMap;

use super::blocks::{MAX_LEAVES, collect};
use crate::expression::{ExprId, ExprKind};
use crate::layout::{Rules, block_instances};
use crate::link::errors::Errors;
use crate::program::{LinkedStage, Program};
use crate::resource::{OpaqueSlot, OpaqueSlots, Placement};
use crate::shader::Shader;
use crate::types::{MatrixOrder, Scalar, Type, TypeId, TypeTable};
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
fn redirect(shader: &mut Shader, types: &TypeTable, block: GlobalId, variable: GlobalId) {
    let is_opaque =
        |ty| matches!(types.get(types.without_arrays(ty)), Type::Sampler(_) | Type::Image(_));
    let opaque = shader.exprs.iter().filter(|(_, expr)| is_opaque(expr.ty));
    for id in opaque.map(|(id, _)| id).collect::<Vec<ExprId>>() {
        let mut root = id;
        while let ExprKind::Member { base, .. } | ExprKind::Index { base, .. } =
            shader.exprs[root].kind
        {
            root = base;
        }
        if matches!(shader.exprs[root].kind, ExprKind::Global(global) if global == block) {
            shader.exprs[root].kind = ExprKind::Global(variable);
        }
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
