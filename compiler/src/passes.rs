//! The pass lists: which IR passes run, in which order. This is the only place that says so.

use eu::DevInfo;
use intel::Backend;
use ir::pass::PassManager;
use ir::passes::*;
use ir::{Shader, Stage, ValidationError};

type Pass = (&'static str, fn(&mut Shader) -> bool);

/// Clean-up that every lowering may need: run until nothing changes.
const CLEAN_UP: &[Pass] = &[
    ("opt_copy_propagate", opt_copy_propagate),
    ("opt_dce", opt_dce),
    ("opt_constant_fold", opt_constant_fold),
    ("opt_algebraic", opt_algebraic),
    ("opt_dead_cf", opt_dead_cf),
    ("opt_cse", opt_cse),
];

/// Most rounds of [`CLEAN_UP`]; real shaders settle in a handful.
const ROUNDS: usize = 16;

/// Whether a stage is compiled by the vec4 back end.
pub fn is_vec4(devinfo: &'static DevInfo, stage: Stage, backend: Option<Backend>) -> bool {
    intel::backend_for(devinfo, stage, backend) == Backend::Vec4
}

/// Takes a freshly lowered shader to what its back end accepts.
pub fn run(
    manager: &mut PassManager<'_>,
    shader: &mut Shader,
    devinfo: &'static DevInfo,
    backend: Option<Backend>,
) -> Result<(), ValidationError> {
    let vec4 = is_vec4(devinfo, shader.info.stage, backend);
    // Variables become SSA values; without this nothing else sees much. It is a lowering, although it optimises.
    manager.run(shader, "lower_locals_to_ssa", opt_promote_locals)?;
    manager.run_to_fixpoint(shader, CLEAN_UP, ROUNDS)?;
    manager.run(shader, "lower_doubles", lower_doubles)?;
    if !vec4 {
        manager.run(shader, "lower_vectors_to_scalar", lower_vectors_to_scalar)?;
    }
    manager.run_to_fixpoint(shader, CLEAN_UP, ROUNDS)?;
    Ok(())
}
