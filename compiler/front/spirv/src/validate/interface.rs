//! Entry points, execution modes and global variables.

use rspirv::grammar::ext_inst_table;
use rspirv::spirv::{
    Capability, Decoration, ExecutionMode as M, ExecutionModel as X, Op, StorageClass as C,
};
use rustc_hash::FxHashSet;

use super::view::{Kind, has_invocations};
use crate::error::Error;
use crate::module::{Instruction, Module};

/// Most pairs of entry points and execution modes.
const MAX_PAIRS: usize = 1 << 22;

pub(crate) fn check(module: &Module) -> Result<(), Error> {
    let globals = module.globals();
    let has_linkage = module.capabilities.contains(&Capability::Linkage);
    let (mut points, mut given) = (FxHashSet::default(), FxHashSet::default());
    let calls = module.instructions.iter().filter(|i| i.op == Op::FunctionCall);
    let called: FxHashSet<Option<u32>> = calls.map(|call| call.id_at(0)).collect();
    let is_mode = |i: &&Instruction| matches!(i.op, Op::ExecutionMode | Op::ExecutionModeId);
    let modes: Vec<&Instruction> = globals.iter().filter(is_mode).collect();
    let models: Vec<&Instruction> = globals.iter().filter(|i| i.op == Op::EntryPoint).collect();
    if models.len().saturating_mul(modes.len()) > MAX_PAIRS {
        return Err(Error::new(0, "there are too many entry points with execution modes"));
    }
    for i in globals {
        match i.op {
            Op::EntryPoint => {
                entry_point(module, i)?;
                module.demand(i, !called.contains(&i.id_at(1)), "the entry point is called")?;
                modes_of(module, i, &modes)?;
                listed(module, i)?;
                built_in_blocks(module, i)?;
                shared_blocks(module, i)?;
                let key = (i.literal_at(0), i.text_at(2).map(str::to_owned));
                module.demand(i, points.insert(key), "the entry point is there already")?;
            }
            Op::ExecutionMode | Op::ExecutionModeId => {
                mode(module, i, &models)?;
                let is_first = given.insert((i.id_at(0), mode_key(i)));
                module.demand(i, is_first, "the mode is there already")?;
            }
            Op::Variable => {
                let class = i.literal_at(0).and_then(C::from_u32);
                module.demand(
                    i,
                    class != Some(C::Function),
                    "a global variable has another storage class",
                )?;
                super::memory::variable(module, i)?;
            }
            Op::MemoryModel => memory_model(module, i)?,
            Op::ExtInstImport => {
                let name = i.text_at(0).unwrap_or_default();
                let is_known = ext_inst_table(name).is_some() || name.starts_with("NonSemantic.");
                module.demand(i, is_known, "no such set of instructions is known")?;
            }
            _ => {}
        }
    }
    if points.is_empty() && !has_linkage {
        return Err(Error::new(0, "there is no entry point"));
    }
    Ok(())
}

fn memory_model(module: &Module, i: &Instruction) -> Result<(), Error> {
    let is_vulkan = i.literal_at(1) == Some(3);
    let is_declared = module.capabilities.contains(&Capability::VulkanMemoryModel);
    module.demand(
        i,
        is_vulkan == is_declared,
        "the capability VulkanMemoryModel goes with the model",
    )
}

fn entry_point(module: &Module, i: &Instruction) -> Result<(), Error> {
    let function = i.id_at(1).and_then(|id| module.get(id)).filter(|f| f.op == Op::Function);
    let function = function.ok_or_else(|| module.error(i, "the operand is no function"))?;
    let ty = function.id_at(1).and_then(|ty| module.get(ty));
    let is_plain =
        ty.is_some_and(|ty| ty.operands.len() == 1) && module.kind(function.ty) == Kind::Void;
    module.demand(i, is_plain, "the function has parameters or a result")?;
    let mut seen = FxHashSet::default();
    for id in i.ids_from(2) {
        module.demand(
            i,
            is_listed(module, id),
            "the interface has other than inputs and outputs",
        )?;
        let is_new = seen.insert(id) || module.version < 0x10400;
        module.demand(i, is_new, "the interface has a variable twice")?;
    }
    Ok(())
}

/// Mode that an entry point has once; some modes are of a width of floats.
fn mode_key(i: &Instruction) -> (Option<u32>, Option<u32>) {
    match i.literal_at(1).and_then(M::from_u32) {
        Some(
            M::DenormPreserve
            | M::DenormFlushToZero
            | M::SignedZeroInfNanPreserve
            | M::RoundingModeRTE
            | M::RoundingModeRTZ,
        ) => (i.literal_at(1), i.literal_at(2)),
        Some(M::LocalSizeId) => (Some(M::LocalSize as u32), None),
        _ => (i.literal_at(1), None),
    }
}

/// True for variables that the interface of an entry point lists: inputs and outputs; from SPIR-V
/// 1.4 on all but those of functions.
fn is_listed(module: &Module, id: u32) -> bool {
    let variable = module.get(id).filter(|variable| variable.op == Op::Variable);
    match variable.and_then(|variable| variable.literal_at(0)).and_then(C::from_u32) {
        Some(C::Input | C::Output) => true,
        Some(C::Function) | None => false,
        Some(_) => module.version >= 0x10400,
    }
}

/// Inputs and outputs that the functions of an entry point name are those of its interface; from
/// SPIR-V 1.4 on other variables, too.
fn listed(module: &Module, i: &Instruction) -> Result<(), Error> {
    let interface: FxHashSet<u32> = i.ids_from(2).collect();
    let functions = module.reached(i.id_at(1).unwrap_or(0), &mut FxHashSet::default());
    for used in functions.into_iter().flat_map(|function| module.body_of(function)) {
        for id in used.ids_from(0) {
            let is_missing = is_listed(module, id) && !interface.contains(&id);
            module.demand(
                used,
                !is_missing,
                "the interface of the entry point lacks a variable",
            )?;
        }
    }
    Ok(())
}

/// Of inputs and of outputs one block at most has built-in members.
fn built_in_blocks(module: &Module, i: &Instruction) -> Result<(), Error> {
    let class = |id: u32| {
        let variable = module.get(id).filter(|variable| variable.op == Op::Variable)?;
        let mut ty = module.get(variable.ty)?.id_at(1)?;
        while let Kind::Array { element, .. } = module.kind(ty) {
            ty = element;
        }
        let is_built_in = module.member_has(ty, 0, Decoration::BuiltIn);
        variable.literal_at(0).filter(|_| is_built_in)
    };
    let ids: FxHashSet<u32> = i.ids_from(2).collect();
    let mut seen = FxHashSet::default();
    let is_single = ids.into_iter().filter_map(class).all(|class| seen.insert(class));
    module.demand(i, is_single, "two blocks have built-in members")
}

/// Shared variables of an entry point are blocks all or none; if they are, and are several, they
/// share their memory.
fn shared_blocks(module: &Module, i: &Instruction) -> Result<(), Error> {
    let shared = |id: &u32| {
        let variable = module.get(*id).filter(|variable| variable.op == Op::Variable);
        variable.and_then(|v| v.literal_at(0)) == Some(C::Workgroup as u32)
    };
    let is_block = |id: &u32| match module.get(*id).map(|variable| module.kind(variable.ty)) {
        Some(Kind::Pointer { pointee, .. }) => module.has(pointee, Decoration::Block),
        _ => false,
    };
    let ids: FxHashSet<u32> = i.ids_from(2).filter(shared).collect();
    let blocks = ids.iter().filter(|id| is_block(id)).count();
    let has_layout = module.capabilities.contains(&Capability::WorkgroupMemoryExplicitLayoutKHR);
    module.demand(i, blocks == 0 || has_layout, "no capability offers shared blocks")?;
    let is_uniform = blocks == 0 || blocks == ids.len();
    module.demand(i, is_uniform, "some shared variables are blocks, others are not")?;
    let are_aliased = ids.iter().all(|&id| module.has(id, Decoration::Aliased));
    module.demand(i, blocks <= 1 || are_aliased, "several shared blocks are not aliased")
}

/// Modes that an execution model needs, and those that exclude each other.
fn modes_of(module: &Module, i: &Instruction, all: &[&Instruction]) -> Result<(), Error> {
    let own = all.iter().filter(|mode| mode.id_at(0) == i.id_at(1));
    let modes: Vec<M> = own.filter_map(|mode| mode.literal_at(1).and_then(M::from_u32)).collect();
    let count = |list: &[M]| modes.iter().filter(|mode| list.contains(mode)).count();
    match i.literal_at(0).and_then(X::from_u32) {
        Some(X::Fragment) => {
            let origins = count(&[M::OriginUpperLeft, M::OriginLowerLeft]);
            module.demand(i, origins == 1, "a fragment shader has one origin")?;
            let depths = count(&[M::DepthGreater, M::DepthLess, M::DepthUnchanged]);
            module.demand(i, depths <= 1, "there are several modes of depth")?;
            let interlocks = count(&super::models::INTERLOCKS);
            module.demand(i, interlocks <= 1, "there are several modes of interlocks")
        }
        Some(X::Geometry) => {
            let inputs = [
                M::InputPoints,
                M::InputLines,
                M::InputLinesAdjacency,
                M::Triangles,
                M::InputTrianglesAdjacency,
            ];
            let outputs = [M::OutputPoints, M::OutputLineStrip, M::OutputTriangleStrip];
            let fits = count(&inputs) == 1 && count(&outputs) == 1;
            module.demand(i, fits, "a geometry shader has one mode of inputs and one of outputs")
        }
        Some(X::TessellationControl | X::TessellationEvaluation) => {
            let spacings =
                count(&[M::SpacingEqual, M::SpacingFractionalEven, M::SpacingFractionalOdd]);
            let domains = count(&[M::Triangles, M::Quads, M::Isolines]);
            let orders = count(&[M::VertexOrderCw, M::VertexOrderCcw]);
            let fits = spacings <= 1 && domains <= 1 && orders <= 1;
            module.demand(i, fits, "modes exclude each other")
        }
        _ => Ok(()),
    }
}

fn mode(module: &Module, i: &Instruction, all: &[&Instruction]) -> Result<(), Error> {
    let own = all.iter().filter(|point| point.id_at(1) == i.id_at(0));
    let points: Vec<X> =
        own.filter_map(|point| point.literal_at(0).and_then(X::from_u32)).collect();
    module.demand(i, !points.is_empty(), "the operand is no entry point")?;
    let Some(mode) = i.literal_at(1).and_then(M::from_u32) else { return Ok(()) };
    let fits = points.iter().all(|model| match mode {
        M::Invocations
        | M::InputPoints
        | M::InputLines
        | M::InputLinesAdjacency
        | M::InputTrianglesAdjacency
        | M::OutputPoints
        | M::OutputLineStrip
        | M::OutputTriangleStrip => {
            matches!(model, X::Geometry | X::MeshEXT | X::MeshNV)
        }
        M::SpacingEqual
        | M::SpacingFractionalEven
        | M::SpacingFractionalOdd
        | M::VertexOrderCw
        | M::VertexOrderCcw
        | M::PointMode
        | M::Quads
        | M::Isolines => {
            matches!(model, X::TessellationControl | X::TessellationEvaluation)
        }
        M::Triangles => {
            matches!(model, X::Geometry | X::TessellationControl | X::TessellationEvaluation)
        }
        M::OutputVertices => !matches!(model, X::Vertex | X::Fragment | X::GLCompute | X::Kernel),
        M::PixelCenterInteger
        | M::OriginUpperLeft
        | M::OriginLowerLeft
        | M::EarlyFragmentTests
        | M::DepthReplacing
        | M::DepthGreater
        | M::DepthLess
        | M::DepthUnchanged
        | M::StencilRefReplacingEXT
        | M::PostDepthCoverage => *model == X::Fragment,
        mode if super::models::INTERLOCKS.contains(&mode) => *model == X::Fragment,
        M::LocalSize | M::LocalSizeId => !matches!(
            model,
            X::Vertex
                | X::Fragment
                | X::Geometry
                | X::TessellationControl
                | X::TessellationEvaluation
        ),
        _ => true,
    });
    module.demand(i, fits, "the mode is none of the execution model")?;
    let size = |index| match mode {
        M::LocalSize => i.literal_at(index).map(u64::from),
        M::LocalSizeId => i.id_at(index).and_then(|id| module.fixed_integer(id)),
        _ => None,
    };
    let is_empty = !has_invocations(&mut (2..5).map(size));
    module.demand(i, !is_empty, "the work group has no invocations")?;
    let takes_ids =
        matches!(mode, M::LocalSizeId | M::LocalSizeHintId | M::SubgroupsPerWorkgroupId);
    module.demand(
        i,
        takes_ids == (i.op == Op::ExecutionModeId),
        "the instruction is for other modes",
    )
}
