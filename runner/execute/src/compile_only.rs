//! Compilation without execution: every stage of a linked program, as a driver compiles it at link
//! time.

use std::sync::Arc;

use program::Program;
use raster::device::{DrawState, ProgramId};
use script::{Command, Script, TestLine};

use crate::context::context_for;
use crate::default_key::default_key;
use crate::device::{DeviceFactory, DeviceKind, DeviceRequest, statistics};
use crate::executor::device_verdict;
use crate::front::{Linked, build};
use crate::options::{ExecutorSelection, RunOptions};
use results::verdict::{Phase, Verdict};
use shader_device::ShaderDevice;
use vocabulary::Generation;

/// Compiles the shaders of a script for one generation, in every width, for the draw-time state
/// that a context has at first. The commands of the script are not executed.
pub(crate) fn compile(
    script: &Script<'_>,
    test: &str,
    generation: Generation,
    options: &RunOptions,
    devices: &dyn DeviceFactory,
) -> Verdict {
    let program = match linked(script, generation) {
        Ok(Some(program)) => program,
        Ok(None) => return Verdict::pass(),
        Err(verdict) => return verdict,
    };
    // The interpreter compiles nothing.
    if options.executors == ExecutorSelection::ReferenceOnly {
        return Verdict::pass();
    }
    let request = DeviceRequest {
        kind: DeviceKind::Simulator,
        generation,
        test,
        script,
        options: &options.execution,
        step_limit: 0,
    };
    match devices.create(&request) {
        Ok(mut device) => compile_stages(&program, &mut *device),
        Err(error) => device_verdict(&error),
    }
}

/// Returns the script without commands, but for those that expect a link error.
pub(crate) fn without_commands<'a>(script: &Script<'a>) -> Script<'a> {
    let mut script = script.clone();
    let commands = script.test.take().into_iter().flatten();
    script.test = Some(commands.filter(is_link_error).collect());
    script
}

/// Returns the program of a script; `None` if it has no shaders, or expects that they do not link.
pub(crate) fn linked(
    script: &Script<'_>,
    generation: Generation,
) -> Result<Option<Arc<Program>>, Verdict> {
    let capabilities = context_for(script, generation)?;
    let is_expected = script.test.iter().flatten().any(is_link_error);
    match build(script, capabilities)? {
        Linked::Program(program) | Linked::Pipeline(program, _) => Ok(Some(program)),
        Linked::Failed(_) if is_expected => Ok(None),
        Linked::Failed(log) => Err(Verdict::fail(Phase::Link, format!("Failed to link: {log}"))),
        Linked::Nothing => Ok(None),
    }
}

fn is_link_error(line: &TestLine<'_>) -> bool {
    matches!(line.command, Command::LinkError)
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
    verdict.passes = device.passes();
    verdict
}
