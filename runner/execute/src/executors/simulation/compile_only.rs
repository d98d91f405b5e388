//! Compilation without execution: every stage of a linked program, as a driver compiles it at link
//! time.

use program::Program;
use raster::device::{DrawState, ProgramId};
use script::Script;

use super::request::request;
use crate::case::TestCase;
use crate::default_key::default_key;
use crate::device::{DeviceKind, statistics};
use crate::executor::{Executor, context_on};
use crate::front::linked_program;
use crate::machines::device_verdict;
use crate::options::ExecutorSelection;
use results::verdict::Verdict;
use shader_device::ShaderDevice;

/// Compiles the shaders of a script for the target of a test case, in every width, for the
/// draw-time state that a context has at first. The commands of the script are not executed.
pub(super) fn compile(case: &TestCase<'_>, script: &Script<'_>, offers: &dyn Executor) -> Verdict {
    let linked = context_on(offers, case.target, script)
        .and_then(|capabilities| linked_program(script, capabilities));
    let program = match linked {
        Ok(Some(program)) => program,
        Ok(None) => return Verdict::pass(),
        Err(verdict) => return verdict,
    };
    // The interpreter compiles nothing.
    if case.options.executors == ExecutorSelection::ReferenceOnly {
        return Verdict::pass();
    }
    match case.devices.create(&request(case, script, DeviceKind::Simulator, 0)) {
        Ok(mut device) => compile_stages(&program, &mut *device),
        Err(error) => device_verdict(&error),
    }
}

fn compile_stages(program: &Program, device: &mut dyn ShaderDevice) -> Verdict {
    let key = default_key(program);
    let state = DrawState { program, program_id: ProgramId(0), key: &key };
    // A stage that does not compile hides nothing of the others.
    let results: Vec<_> =
        program.stages.iter().map(|stage| device.prepare(stage.shader.stage, &state)).collect();
    let failure = results.into_iter().find_map(Result::err);
    let mut verdict = failure.map_or_else(Verdict::pass, |error| device_verdict(&error));
    verdict.stages = statistics(device);
    verdict.passes = device.passes().into();
    verdict
}
