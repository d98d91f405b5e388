//! Instructions that only some execution models have, in the functions that entry points reach.

use rspirv::spirv::{ExecutionMode as M, ExecutionModel as X, GlslStd450Op as G, Op};
use rustc_hash::FxHashSet;

use crate::error::Error;
use crate::module::{Instruction, Module};

/// First version in which all models have control barriers (1.3).
const BARRIERS: u32 = 0x0001_0300;

pub(crate) fn check(module: &Module) -> Result<(), Error> {
    let globals = &module.instructions[..module.first_function];
    for point in globals.iter().filter(|i| i.op == Op::EntryPoint) {
        let model = point.literal_at(0).and_then(X::from_u32);
        let (Some(model), Some(function)) = (model, point.id_at(1)) else { continue };
        let has_derivatives = model == X::Fragment || has_groups(module, function);
        for i in reached(module, function) {
            let fits = match group(module, i) {
                Group::Any => true,
                Group::Derivative => has_derivatives,
                Group::Of(models) => models.contains(&model),
            };
            if !fits {
                let message = format!("the execution model {model:?} does not have it");
                return Err(module.error(i, message));
            }
        }
    }
    Ok(())
}

/// Execution models of an instruction.
enum Group {
    Any,
    /// Those in which neighbors form groups.
    Derivative,
    Of(&'static [X]),
}

fn group(module: &Module, i: &Instruction) -> Group {
    match i.op {
        Op::Kill
        | Op::TerminateInvocation
        | Op::DemoteToHelperInvocation
        | Op::IsHelperInvocationEXT
        | Op::BeginInvocationInterlockEXT
        | Op::EndInvocationInterlockEXT => Group::Of(&[X::Fragment]),
        Op::EmitVertex | Op::EndPrimitive | Op::EmitStreamVertex | Op::EndStreamPrimitive => {
            Group::Of(&[X::Geometry])
        }
        Op::ControlBarrier if module.version < BARRIERS => Group::Of(&[
            X::TessellationControl,
            X::GLCompute,
            X::Kernel,
            X::TaskNV,
            X::MeshNV,
            X::TaskEXT,
            X::MeshEXT,
        ]),
        Op::DPdx
        | Op::DPdy
        | Op::Fwidth
        | Op::DPdxFine
        | Op::DPdyFine
        | Op::FwidthFine
        | Op::DPdxCoarse
        | Op::DPdyCoarse
        | Op::FwidthCoarse
        | Op::ImageQueryLod
        | Op::ImageSampleImplicitLod
        | Op::ImageSampleDrefImplicitLod
        | Op::ImageSampleProjImplicitLod
        | Op::ImageSampleProjDrefImplicitLod => Group::Derivative,
        Op::ExtInst if is_interpolation(module, i) => Group::Of(&[X::Fragment]),
        _ => Group::Any,
    }
}

fn is_interpolation(module: &Module, i: &Instruction) -> bool {
    let set = i.id_at(0).and_then(|set| module.get(set)).and_then(|set| set.text_at(0));
    let number = i.literal_at(1).and_then(G::from_u32);
    set == Some("GLSL.std.450")
        && matches!(
            number,
            Some(G::InterpolateAtCentroid | G::InterpolateAtSample | G::InterpolateAtOffset)
        )
}

/// True if the invocations of an entry point's work groups form groups for derivatives.
fn has_groups(module: &Module, function: u32) -> bool {
    let globals = &module.instructions[..module.first_function];
    let mut modes = globals.iter().filter(|i| i.op == Op::ExecutionMode);
    modes.any(|mode| {
        mode.id_at(0) == Some(function)
            && matches!(
                mode.literal_at(1).and_then(M::from_u32),
                Some(M::DerivativeGroupQuadsNV | M::DerivativeGroupLinearNV)
            )
    })
}

/// The instructions of a function and those that it may call.
fn reached(module: &Module, function: u32) -> Vec<&Instruction> {
    let (mut seen, mut open, mut list) = (FxHashSet::default(), vec![function], Vec::new());
    while let Some(id) = open.pop() {
        let index = module.index_of(id).filter(|_| seen.insert(id));
        let found = index.and_then(|at| module.functions.iter().find(|f| f.definition == at));
        for block in found.into_iter().flat_map(|function| &function.blocks) {
            let body = &module.instructions[block.body.clone()];
            let calls = body.iter().filter(|i| i.op == Op::FunctionCall);
            open.extend(calls.filter_map(|call| call.id_at(0)));
            list.extend(body);
        }
    }
    list
}
