//! Instructions that only some execution models have, in the functions that entry points reach.

use rspirv::spirv::{ExecutionMode as M, ExecutionModel as X, GlslStd450Op as G, Op};
use rustc_hash::{FxHashMap, FxHashSet};

use super::view::is_derivative;
use crate::error::Error;
use crate::module::{Instruction, Module};

/// Modes of fragment shaders whose invocations exclude each other.
pub(crate) const INTERLOCKS: [M; 6] = [
    M::PixelInterlockOrderedEXT,
    M::PixelInterlockUnorderedEXT,
    M::SampleInterlockOrderedEXT,
    M::SampleInterlockUnorderedEXT,
    M::ShadingRateInterlockOrderedEXT,
    M::ShadingRateInterlockUnorderedEXT,
];

/// First version in which all models have control barriers (1.3).
const BARRIERS: u32 = 0x0001_0300;

pub(crate) fn check(module: &Module) -> Result<(), Error> {
    let grouped = with_mode(module, &[M::DerivativeGroupQuadsNV, M::DerivativeGroupLinearNV]);
    let interlocked = with_mode(module, &INTERLOCKS);
    // Entry points of a kind share functions that are checked already.
    let mut checked: FxHashMap<(X, bool, bool), FxHashSet<u32>> = FxHashMap::default();
    for point in module.globals().iter().filter(|i| i.op == Op::EntryPoint) {
        let model = point.literal_at(0).and_then(X::from_u32);
        let (Some(model), Some(function)) = (model, point.id_at(1)) else { continue };
        super::built_ins::check(module, point, model)?;
        let has_derivatives = model == X::Fragment || grouped.contains(&function);
        let seen =
            checked.entry((model, has_derivatives, interlocked.contains(&function))).or_default();
        let functions = module.reached(function, seen);
        for i in functions.into_iter().flat_map(|function| module.body_of(function)) {
            let fits = match group(module, i) {
                Group::Any => true,
                Group::Derivative => has_derivatives,
                Group::Interlock => model == X::Fragment && interlocked.contains(&function),
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
    /// Fragments with a mode that says which of them exclude each other.
    Interlock,
    Of(&'static [X]),
}

fn group(module: &Module, i: &Instruction) -> Group {
    match i.op {
        Op::Kill
        | Op::TerminateInvocation
        | Op::DemoteToHelperInvocation
        | Op::IsHelperInvocationEXT => Group::Of(&[X::Fragment]),
        Op::BeginInvocationInterlockEXT | Op::EndInvocationInterlockEXT => Group::Interlock,
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
        op if is_derivative(op) => Group::Derivative,
        Op::ImageQueryLod
        | Op::ImageSampleImplicitLod
        | Op::ImageSampleDrefImplicitLod
        | Op::ImageSampleProjImplicitLod
        | Op::ImageSampleProjDrefImplicitLod => Group::Derivative,
        Op::ExtInst if is_interpolation(module, i) => Group::Of(&[X::Fragment]),
        _ => Group::Any,
    }
}

fn is_interpolation(module: &Module, i: &Instruction) -> bool {
    let number = i.literal_at(1).and_then(G::from_u32);
    module.set_of(i) == Some("GLSL.std.450")
        && matches!(
            number,
            Some(G::InterpolateAtCentroid | G::InterpolateAtSample | G::InterpolateAtOffset)
        )
}

/// Entry points that have one of some execution modes.
fn with_mode(module: &Module, modes: &[M]) -> FxHashSet<u32> {
    let all = module.globals().iter().filter(|i| i.op == Op::ExecutionMode);
    let has = |mode: &&Instruction| {
        mode.literal_at(1).and_then(M::from_u32).is_some_and(|mode| modes.contains(&mode))
    };
    all.filter(has).filter_map(|mode| mode.id_at(0)).collect()
}
