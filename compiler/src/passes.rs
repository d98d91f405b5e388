//! The pass lists: which IR passes run, in which order. This is the only place that says so.

use std::collections::BTreeSet;

use eu::DevInfo;
use intel::Backend;
use ir::passes::*;
use ir::varyings::{InputReads, OutputConstants};
use ir::{IrPass, Shader, Stage, ValidationError, pass, passes};

/// The pass manager of the IR.
pub type PassManager<'a> = ir::PassManager<'a, Shader>;
/// An error of an IR pass.
pub type PassError = ir::PassError<ValidationError>;

/// Clean-up that every lowering may need: run until nothing changes.
const CLEAN_UP: &[IrPass] = &passes![
    opt_copy_propagation,
    opt_dce,
    opt_constant_folding,
    opt_algebraic,
    opt_undef,
    opt_dead_cf,
    opt_peephole_select,
    opt_cse,
];

/// Open-coded bit-field operations.
const BITFIELDS: &[IrPass] = &passes![opt_bitfield, opt_copy_propagation];

/// Optional passes that run outside of [`CLEAN_UP`].
const OTHERS: [&str; 6] = [
    "opt_bitfield",
    "opt_combine_stores",
    "opt_constant_inputs",
    "opt_loop_unroll",
    "opt_promote_locals",
    "opt_unread_outputs",
];

/// Names of all passes, here and in the back ends, that can be switched off.
pub fn optional() -> BTreeSet<&'static str> {
    let named = CLEAN_UP.iter().map(|pass| pass.name);
    named.chain(OTHERS).chain(intel::passes::optional()).collect()
}

/// Former names of passes, still accepted, and the present ones.
const FORMER_NAMES: [(&str, &str); 4] = [
    ("lower_locals_to_ladder", "lower_locals_to_select_chain"),
    ("lower_locals_to_ssa", "opt_promote_locals"),
    ("opt_constant_fold", "opt_constant_folding"),
    ("opt_copy_propagate", "ir:opt_copy_propagation"),
];

/// Returns the present name of a pass for a former one, and other names unchanged. A name may be
/// qualified by the representation: `ir:opt_dce` or `lir:opt_dce`.
pub fn canonical(name: &str) -> &str {
    FORMER_NAMES.iter().find(|(former, _)| *former == name).map_or(name, |(_, present)| present)
}

/// Returns the name in the pass lists: the present one, without a representation.
pub fn listed(name: &str) -> &str {
    let name = canonical(name);
    name.split_once(':').map_or(name, |(_, listed)| listed)
}

/// Returns the present names of these passes.
pub(crate) fn canonical_list(names: &[String]) -> Vec<String> {
    names.iter().map(|name| canonical(name).to_owned()).collect()
}

/// Most rounds of [`CLEAN_UP`]; real shaders settle in a handful.
const ROUNDS: usize = 16;
/// Most loops unrolled in a shader: each round of the pass unrolls one.
const UNROLLED_LOOPS: usize = 64;
/// Arrays with more data per invocation than this are in memory: each dword takes one of 128 registers at SIMD8, two at SIMD16.
const REGISTER_ARRAY_DWORDS: u32 = 64;
/// Arrays up to this length become chains of selections when indexed at run time.
const LADDER_LENGTH: u32 = 32;

/// Whether a stage is compiled by the vec4 back end.
pub fn is_vec4(devinfo: &'static DevInfo, stage: Stage, backend: Option<Backend>) -> bool {
    intel::backend_for(devinfo, stage, backend) == Backend::Vec4
}

/// Takes a freshly lowered shader to SSA form, optimised; operations are still those of the language.
pub fn front(manager: &mut PassManager<'_>, shader: &mut Shader) -> Result<(), PassError> {
    // Variables become SSA values; without this nothing else sees much. It is a lowering, although it optimises.
    manager.run_required(shader, pass!(opt_promote_locals))?;
    optimise(manager, shader)?;
    unroll(manager, shader)?;
    lower_arrays(manager, shader)
}

/// Puts what is known of the previous stage's outputs into a shader that went through [`front`].
pub fn constant_inputs(
    manager: &mut PassManager<'_>,
    shader: &mut Shader,
    constants: &OutputConstants,
) -> Result<(), PassError> {
    if manager.run(shader, pass!(opt_constant_inputs(constants)))? {
        optimise(manager, shader)?;
        unroll(manager, shader)?;
    }
    Ok(())
}

/// Removes what the next stage does not read from a shader that went through [`front`].
pub fn unread_outputs(
    manager: &mut PassManager<'_>,
    shader: &mut Shader,
    reads: &InputReads,
) -> Result<(), PassError> {
    if manager.run(shader, pass!(opt_unread_outputs(reads)))? {
        optimise(manager, shader)?;
    }
    Ok(())
}

/// What the IR passes know of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// Operations have vectors; otherwise one component each.
    pub vec4: bool,
    /// There are 64-bit integers.
    pub has_q: bool,
    /// The extended-math unit takes halves.
    pub has_hf_math: bool,
    /// Comparing samples take explicit gradients.
    pub shadow_gradients: bool,
}

impl Target {
    /// What compiles `stage` for a device.
    pub fn of(devinfo: &'static DevInfo, stage: Stage, backend: Option<Backend>) -> Target {
        Target {
            vec4: is_vec4(devinfo, stage, backend),
            has_q: devinfo.has_q,
            has_hf_math: devinfo.has_hf_math,
            shadow_gradients: intel::has_shadow_gradients(devinfo),
        }
    }
}

/// Takes a shader from [`front`] on to what its back end accepts.
pub fn back(manager: &mut PassManager<'_>, shader: &mut Shader, target: Target) -> Result<(), PassError> {
    if shader.info.stage == Stage::TessControl {
        manager.run(shader, pass!(opt_combine_stores))?;
    }
    lower_operations(manager, shader, target)?;
    if !target.vec4 {
        manager.run(shader, pass!(lower_locals_to_scratch(REGISTER_ARRAY_DWORDS)))?;
        manager.run(shader, pass!(lower_vectors_to_scalar))?;
        manager.run(shader, pass!(lower_small_types))?;
    }
    // What was lowered is dead, and often most of the shader.
    shader.compact();
    optimise(manager, shader)
}

fn optimise(manager: &mut PassManager<'_>, shader: &mut Shader) -> Result<(), PassError> {
    manager.run_to_fixpoint(shader, CLEAN_UP, ROUNDS, |pass, s| pass(s))?;
    shader.compact();
    Ok(())
}

/// Unrolls loops with known trip counts; arrays indexed by their counters become plain variables.
fn unroll(manager: &mut PassManager<'_>, shader: &mut Shader) -> Result<(), PassError> {
    for _ in 0..UNROLLED_LOOPS {
        if !manager.run(shader, pass!(opt_loop_unroll))? {
            break;
        }
        manager.run(shader, pass!(opt_promote_locals))?;
        optimise(manager, shader)?;
    }
    Ok(())
}

/// What is still indexed at run time.
///
/// Longer arrays stay locals: the scalar back end keeps them in registers, or in scratch memory (see [`back`]), the vec4 back end always in
/// scratch memory.
fn lower_arrays(manager: &mut PassManager<'_>, shader: &mut Shader) -> Result<(), PassError> {
    manager.run(shader, pass!(lower_locals_to_select_chain(LADDER_LENGTH)))?;
    // Unrolling and folding may just have made the last indices constant: the ladder had nothing to do then, promotion has.
    if manager.run_required(shader, pass!(opt_promote_locals))? {
        optimise(manager, shader)?;
    }
    Ok(())
}

/// Operations that the machine does not have.
fn lower_operations(
    manager: &mut PassManager<'_>,
    shader: &mut Shader,
    target: Target,
) -> Result<(), PassError> {
    if !target.shadow_gradients {
        manager.run(shader, pass!(lower_shadow_gradients))?;
    }
    manager.run(shader, pass!(lower_pack))?;
    manager.run(shader, pass!(lower_bitfield))?;
    // The lowerings below make masks of their own, with immediate operands.
    manager.run_to_fixpoint(shader, BITFIELDS, ROUNDS, |pass, s| pass(s))?;
    manager.run(shader, pass!(lower_float_ops))?;
    manager.run(shader, pass!(lower_half(target.has_hf_math)))?;
    // 64-bit division and some conversions go through doubles.
    manager.run(shader, pass!(lower_int64(target.has_q)))?;
    manager.run(shader, pass!(lower_doubles)).map(drop)
}

#[cfg(test)]
mod tests {
    use super::optional;

    /// Every optional pass that this file runs can be switched off by its name.
    #[test]
    fn all_optional_passes_are_listed() {
        let text = include_str!("passes.rs");
        let ends = |c: char| !c.is_ascii_alphanumeric() && c != '_';
        let run = text.split("pass!(").skip(1).filter_map(|rest| rest.split(ends).next());
        let listed = optional();
        run.filter(|name| name.starts_with("opt_")).for_each(|name| assert!(listed.contains(name), "{name}"));
    }
}
