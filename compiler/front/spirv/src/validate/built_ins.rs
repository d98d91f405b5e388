//! Inputs and outputs of execution models: built-in variables that a model has, with their types,
//! and variables that have an element for each vertex (Vulkan and ARB_gl_spirv).

use rspirv::spirv::{BuiltIn as B, Decoration as D, ExecutionModel as X, Op, StorageClass as C};

use super::view::Kind;
use crate::error::Error;
use crate::module::{Instruction, Module};

use X::{
    Fragment as F, GLCompute as K, Geometry as G, TessellationControl as TC,
    TessellationEvaluation as TE, Vertex as V,
};

/// The models of which this crate knows the variables.
const ALL: [X; 6] = [V, TC, TE, G, F, K];

/// The contents of a variable, without arrays.
#[derive(Clone, Copy)]
enum Contents {
    Floats(u32),
    /// Floats in an array of the variable's own.
    FloatArray,
    Ints(u32),
    Bool,
}

use Contents::{Bool, FloatArray, Floats, Ints};

/// A built-in variable: its contents, and the models that read and write it.
type Row = (Contents, &'static [X], &'static [X]);

/// The row of a built-in variable; `None` for those that are checked elsewhere.
fn row(builtin: B) -> Option<Row> {
    Some(match builtin {
        B::Position => (Floats(4), &[TC, TE, G], &[V, TC, TE, G]),
        B::PointSize => (Floats(1), &[TC, TE, G], &[V, TC, TE, G]),
        B::ClipDistance | B::CullDistance => (FloatArray, &[TC, TE, G, F], &[V, TC, TE, G]),
        B::VertexId
        | B::VertexIndex
        | B::InstanceId
        | B::InstanceIndex
        | B::BaseVertex
        | B::BaseInstance
        | B::DrawIndex => (Ints(1), &[V], &[]),
        B::PrimitiveId => (Ints(1), &[TC, TE, G, F], &[G]),
        B::InvocationId => (Ints(1), &[TC, G], &[]),
        B::Layer | B::ViewportIndex => (Ints(1), &[F], &[V, TE, G]),
        B::TessLevelOuter | B::TessLevelInner => (FloatArray, &[TE], &[TC]),
        B::TessCoord => (Floats(3), &[TE], &[]),
        B::PatchVertices => (Ints(1), &[TC, TE], &[]),
        B::FragCoord => (Floats(4), &[F], &[]),
        B::PointCoord | B::SamplePosition => (Floats(2), &[F], &[]),
        B::FrontFacing | B::HelperInvocation => (Bool, &[F], &[]),
        B::SampleId => (Ints(1), &[F], &[]),
        B::SampleMask => (Ints(1), &[F], &[F]),
        B::FragDepth => (Floats(1), &[], &[F]),
        B::FragStencilRefEXT => (Ints(1), &[], &[F]),
        B::NumWorkgroups | B::WorkgroupId | B::LocalInvocationId | B::GlobalInvocationId => {
            (Ints(3), &[K], &[])
        }
        B::LocalInvocationIndex | B::SubgroupId | B::NumSubgroups => (Ints(1), &[K], &[]),
        B::SubgroupSize | B::SubgroupLocalInvocationId => (Ints(1), &ALL, &[]),
        B::SubgroupEqMask
        | B::SubgroupGeMask
        | B::SubgroupGtMask
        | B::SubgroupLeMask
        | B::SubgroupLtMask => (Ints(4), &ALL, &[]),
        _ => return None,
    })
}

/// Checks the interface of an entry point.
pub(crate) fn check(module: &Module, point: &Instruction, model: X) -> Result<(), Error> {
    if !ALL.contains(&model) {
        return Ok(());
    }
    for id in point.ids_from(2) {
        let Some(variable) = module.get(id).filter(|variable| variable.op == Op::Variable) else {
            continue;
        };
        let Kind::Pointer { class, pointee } = module.kind(variable.ty) else { continue };
        if !matches!(class, C::Input | C::Output) {
            continue;
        }
        let own = module.literal(id, D::BuiltIn).and_then(B::from_u32);
        if let Some(builtin) = own {
            built_in(module, variable, (model, class), builtin, pointee)?;
        }
        let contents = super::decorations::innermost(module, pointee);
        let members = module.get(contents).filter(|ty| ty.op == Op::TypeStruct);
        for (index, member) in (0..).zip(members.into_iter().flat_map(|ty| ty.ids_from(0))) {
            let word = module.member_literal(contents, index, D::BuiltIn);
            if let Some(builtin) = word.and_then(B::from_u32) {
                built_in(module, variable, (model, class), builtin, member)?;
            }
        }
        per_vertex(module, variable, (model, class), own, pointee)?;
    }
    Ok(())
}

fn built_in(
    module: &Module,
    variable: &Instruction,
    (model, class): (X, C),
    builtin: B,
    ty: u32,
) -> Result<(), Error> {
    let Some((contents, inputs, outputs)) = row(builtin) else { return Ok(()) };
    let models = if class == C::Input { inputs } else { outputs };
    let message = format!("BuiltIn {builtin:?} is no {class:?} of {model:?}");
    module.demand(variable, models.contains(&model), &message)?;
    let shape = module.shape(super::decorations::innermost(module, ty));
    let is_array = matches!(module.kind(ty), Kind::Array { .. });
    let fits = shape.is_some_and(|shape| match contents {
        Floats(count) => shape.is_float() && shape.bits() == 32 && shape.count == count,
        FloatArray => is_array && shape.is_float() && shape.bits() == 32 && shape.count == 1,
        Ints(count) => shape.is_int() && shape.bits() == 32 && shape.count == count,
        Bool => shape.is_bool() && shape.count == 1,
    });
    module.demand(variable, fits, &format!("BuiltIn {builtin:?} has another type"))
}

/// Variables with an element for each vertex are arrays.
fn per_vertex(
    module: &Module,
    variable: &Instruction,
    (model, class): (X, C),
    builtin: Option<B>,
    pointee: u32,
) -> Result<(), Error> {
    let has_vertices = matches!((model, class), (TC, _) | (TE | G, C::Input));
    let is_of_vertex = builtin.is_none_or(|builtin| {
        matches!(builtin, B::Position | B::PointSize | B::ClipDistance | B::CullDistance)
    });
    let contents = super::decorations::innermost(module, pointee);
    let is_patch_block = module.has(contents, D::Block) && module.member_has(contents, 0, D::Patch);
    let is_patch = is_patch_block || module.has(variable.id, D::Patch);
    let is_array = matches!(module.kind(pointee), Kind::Array { .. });
    let fits = !has_vertices || !is_of_vertex || is_patch || is_array;
    module.demand(variable, fits, "the variable has no element for each vertex")
}
