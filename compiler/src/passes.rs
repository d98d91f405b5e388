//! The pass lists: which IR passes run, in which order. This is the only place that says so.

use std::collections::BTreeSet;

use eu::DevInfo;
use intel::Backend;
use ir::pass::PassManager;
use ir::passes::*;
use ir::varyings::{InputReads, OutputConstants};
use ir::{Shader, Stage, ValidationError};

type Pass = (&'static str, fn(&mut Shader) -> bool);

/// Clean-up that every lowering may need: run until nothing changes.
const CLEAN_UP: &[Pass] = &[
    ("opt_copy_propagate", opt_copy_propagate),
    ("opt_dce", opt_dce),
    ("opt_constant_fold", opt_constant_fold),
    ("opt_algebraic", opt_algebraic),
    ("opt_undef", opt_undef),
    ("opt_dead_cf", opt_dead_cf),
    ("opt_peephole_select", opt_peephole_select),
    ("opt_cse", opt_cse),
];

/// Open-coded bit-field operations.
const BITFIELDS: &[Pass] = &[("opt_bitfield", opt_bitfield), ("opt_copy_propagate", opt_copy_propagate)];

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
    let named = CLEAN_UP.iter().map(|(name, _)| *name);
    named.chain(OTHERS).chain(intel::passes::optional()).collect()
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
pub fn front(manager: &mut PassManager<'_>, shader: &mut Shader) -> Result<(), ValidationError> {
    // Variables become SSA values; without this nothing else sees much. It is a lowering, although it optimises.
    manager.run(shader, "lower_locals_to_ssa", opt_promote_locals)?;
    optimise(manager, shader)?;
    unroll(manager, shader)?;
    lower_arrays(manager, shader)
}

/// Puts what is known of the previous stage's outputs into a shader that went through [`front`].
pub fn constant_inputs(
    manager: &mut PassManager<'_>,
    shader: &mut Shader,
    constants: &OutputConstants,
) -> Result<(), ValidationError> {
    if manager.run(shader, "opt_constant_inputs", |s| opt_constant_inputs(s, constants))? {
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
) -> Result<(), ValidationError> {
    if manager.run(shader, "opt_unread_outputs", |s| opt_unread_outputs(s, reads))? {
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
pub fn back(
    manager: &mut PassManager<'_>,
    shader: &mut Shader,
    target: Target,
) -> Result<(), ValidationError> {
    if shader.info.stage == Stage::TessControl {
        manager.run(shader, "opt_combine_stores", opt_combine_stores)?;
    }
    lower_operations(manager, shader, target)?;
    if !target.vec4 {
        manager
            .run(shader, "lower_locals_to_scratch", |s| lower_locals_to_scratch(s, REGISTER_ARRAY_DWORDS))?;
        manager.run(shader, "lower_vectors_to_scalar", lower_vectors_to_scalar)?;
        manager.run(shader, "lower_small_types", lower_small_types)?;
    }
    // What was lowered is dead, and often most of the shader.
    shader.compact();
    optimise(manager, shader)
}

fn optimise(manager: &mut PassManager<'_>, shader: &mut Shader) -> Result<(), ValidationError> {
    manager.run_to_fixpoint(shader, CLEAN_UP, ROUNDS)?;
    shader.compact();
    Ok(())
}

/// Unrolls loops with known trip counts; arrays indexed by their counters become plain variables.
fn unroll(manager: &mut PassManager<'_>, shader: &mut Shader) -> Result<(), ValidationError> {
    for _ in 0..UNROLLED_LOOPS {
        if !manager.run(shader, "opt_loop_unroll", opt_loop_unroll)? {
            break;
        }
        manager.run(shader, "opt_promote_locals", opt_promote_locals)?;
        optimise(manager, shader)?;
    }
    Ok(())
}

/// What is still indexed at run time.
///
/// Longer arrays stay locals: the scalar back end keeps them in registers, or in scratch memory (see [`back`]), the vec4 back end always in
/// scratch memory.
fn lower_arrays(manager: &mut PassManager<'_>, shader: &mut Shader) -> Result<(), ValidationError> {
    manager.run(shader, "lower_locals_to_ladder", |s| lower_locals_to_ladder(s, LADDER_LENGTH))?;
    // Unrolling and folding may just have made the last indices constant: the ladder had nothing to do then, promotion has.
    if manager.run(shader, "lower_locals_to_ssa", opt_promote_locals)? {
        optimise(manager, shader)?;
    }
    Ok(())
}

/// Operations that the machine does not have.
fn lower_operations(
    manager: &mut PassManager<'_>,
    shader: &mut Shader,
    target: Target,
) -> Result<(), ValidationError> {
    if !target.shadow_gradients {
        manager.run(shader, "lower_shadow_gradients", lower_shadow_gradients)?;
    }
    manager.run(shader, "lower_pack", lower_pack)?;
    manager.run(shader, "lower_bitfield", lower_bitfield)?;
    // The lowerings below make masks of their own, with immediate operands.
    manager.run_to_fixpoint(shader, BITFIELDS, ROUNDS)?;
    manager.run(shader, "lower_float_ops", lower_float_ops)?;
    manager.run(shader, "lower_half", |s| lower_half(s, target.has_hf_math))?;
    // 64-bit division and some conversions go through doubles.
    manager.run(shader, "lower_int64", |s| lower_int64(s, target.has_q))?;
    manager.run(shader, "lower_doubles", lower_doubles).map(drop)
}

#[cfg(test)]
mod tests {
    use super::optional;

    /// Every optional pass that this file runs by name can be switched off by that name.
    #[test]
    fn all_optional_passes_are_listed() {
        let text = include_str!("passes.rs");
        let names =
            text.split('"').skip(1).step_by(2).filter(|name| name.starts_with("opt_") && name.len() > 4);
        let listed = optional();
        names.for_each(|name| assert!(listed.contains(name), "{name}"));
        assert!(listed.contains("schedule") && listed.contains("opt_vec4_coalesce"));
    }
}
