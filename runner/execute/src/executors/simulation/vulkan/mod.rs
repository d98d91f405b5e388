//! Vulkan scripts on simulator and interpreter.

mod agreement;
mod modules;
mod offer;
mod session;

use std::sync::Arc;

use program::Program;
use raster::device::{DeviceError, DrawState, ProgramId};
use vk_machine::Machine;
use vk_script::{BufferId, Script};

use super::run::{STEPS_OF_A_TEST, steps};
use crate::case::TestCase;
use crate::default_key::default_key;
use crate::device::{DeviceKind, DeviceRequest, statistics};
use crate::executors::vk_driver::images::png;
use crate::machines::device_verdict;
use crate::options::ExecutorSelection;
use crate::shared::{ReferenceRecord, VkTest, record, replay};
use crate::vk_explanation::VkExplanation;
use modules::Programs;
use offer::offer;
use results::verdict::{Phase, Status, Verdict};
use session::{Replica, Session};
use shader_device::{MeteredDevice, ShaderDevice};
use vocabulary::Target;

/// Executes a script on the target of a test case.
pub(super) fn run(
    case: &TestCase<'_>,
    test: &VkTest,
    explanation: Option<&mut VkExplanation>,
) -> Verdict {
    verdict(case, test, explanation).unwrap_or_else(|verdict| verdict)
}

/// Returns the verdict of a script, as an error if it ends the test before its commands.
fn verdict(
    case: &TestCase<'_>,
    test: &VkTest,
    explanation: Option<&mut VkExplanation>,
) -> Result<Verdict, Verdict> {
    let executors = case.options.executors;
    let programs = prepare(case, &test.script)?;
    if case.options.compile_only {
        return Ok(compile(case, &programs));
    }
    if explanation.is_none() && test.is_shared() && executors == ExecutorSelection::Both {
        return run_shared(case, test, &programs);
    }
    let absent = (executors, ReferenceRecord::Absent);
    execute(case, &test.script, &programs, absent, explanation).map(|(verdict, _)| verdict)
}

/// Executes a test whose other test cases share the reference's answers.
fn run_shared(
    case: &TestCase<'_>,
    test: &VkTest,
    programs: &[Option<Arc<Program>>],
) -> Result<Verdict, Verdict> {
    let execute =
        |executors, reference| execute(case, &test.script, programs, (executors, reference), None);
    if let Some(transcript) = test.transcript() {
        let replayed = |reference| execute(ExecutorSelection::SimulatorOnly, reference);
        if let Some(verdict) = replay(transcript, replayed)? {
            return Ok(verdict);
        }
    }
    let (verdict, transcript) = record(|reference| execute(ExecutorSelection::Both, reference))?;
    if let Some(transcript) = transcript {
        test.keep(transcript);
    }
    Ok(verdict)
}

/// Returns the programs of a script's pipelines on a target, with the names of the pipelines.
///
/// # Errors
/// Returns the verdict of a script that has none there.
pub(crate) fn programs(
    script: &Script,
    target: Target,
) -> Result<Vec<(String, Arc<Program>)>, Verdict> {
    let offer = offer(target).map_err(|error| Verdict::fail(Phase::Require, error))?;
    let programs = Programs::new(script, offer).make()?;
    let names = script.pipelines.iter().map(|pipeline| pipeline.name.clone());
    Ok(names.zip(programs).filter_map(|(name, program)| Some((name, program?))).collect())
}

/// Returns the programs of a script's pipelines.
fn prepare(case: &TestCase<'_>, script: &Script) -> Result<Vec<Option<Arc<Program>>>, Verdict> {
    if let Some(part) = script.unsupported.first() {
        return Err(Verdict::skip(format!("line {}: {}", part.line, part.reason)));
    }
    if !case.options.execution.is_our_code() {
        return Err(Verdict::skip("other compilers and binaries are for scripts of OpenGL"));
    }
    let offer = offer(case.target).map_err(|error| Verdict::fail(Phase::Require, error))?;
    if let Some(reason) = offer.unmet(&script.requirements) {
        return Err(Verdict::skip(reason));
    }
    Programs::new(script, offer).make()
}

fn device(case: &TestCase<'_>, kind: DeviceKind) -> Result<Box<dyn ShaderDevice>, DeviceError> {
    let TestCase { test, target, options, .. } = *case;
    let options = &options.execution;
    let (step_limit, unit) = steps(kind, options);
    let request = DeviceRequest { kind, target, test, script: None, options, step_limit };
    let device = case.devices.create(&request)?;
    Ok(Box::new(MeteredDevice::new(device, STEPS_OF_A_TEST * step_limit, unit)))
}

/// Compiles every stage of every pipeline in all widths.
fn compile(case: &TestCase<'_>, programs: &[Option<Arc<Program>>]) -> Verdict {
    // The interpreter compiles nothing.
    if case.options.executors == ExecutorSelection::ReferenceOnly {
        return Verdict::pass();
    }
    let mut device = match device(case, DeviceKind::Simulator) {
        Ok(device) => device,
        Err(error) => return device_verdict(&error),
    };
    let mut verdict = Verdict::pass();
    for (number, program) in (0..).zip(programs) {
        let Some(program) = program else { continue };
        let key = default_key(program);
        let state = DrawState { program, program_id: ProgramId(number), key: &key };
        for stage in &program.stages {
            // A stage that does not compile hides nothing of the others.
            if let Err(error) = device.prepare(stage.shader.stage, &state)
                && verdict.status == Status::Pass
            {
                verdict = device_verdict(&error);
            }
        }
    }
    verdict.stages = statistics(&*device);
    verdict.passes = device.passes().into();
    verdict
}

/// Executes a script on executors, of which the reference may have a record; returns that, too.
///
/// # Errors
/// Returns the verdict if there is no device.
fn execute(
    case: &TestCase<'_>,
    script: &Script,
    programs: &[Option<Arc<Program>>],
    (executors, reference): (ExecutorSelection, ReferenceRecord),
    explanation: Option<&mut VkExplanation>,
) -> Result<(Verdict, ReferenceRecord), Verdict> {
    let replica = |&kind: &DeviceKind| {
        let machine = Machine::new(script, programs.to_vec());
        Ok(Replica::new(kind, machine, device(case, kind)?))
    };
    let replicas: Result<Vec<_>, DeviceError> = executors.kinds().iter().map(replica).collect();
    let replicas = replicas.map_err(|error| device_verdict(&error))?;
    let mut session = Session::new(script, programs, replicas, reference);
    let mut verdict = session.run().err().unwrap_or_else(Verdict::pass);
    if verdict.status != Status::Skip {
        verdict.stages = statistics(&*session.replicas[0].device);
        verdict.passes = session.replicas[0].device.passes().into();
    }
    if let Some(explanation) = explanation {
        explain(&mut session, explanation);
    }
    Ok((verdict, session.reference))
}

/// Records the color attachments of the simulator, and the modules.
fn explain(session: &mut Session<'_>, explanation: &mut VkExplanation) {
    let script = session.script;
    let pipelines = script.pipelines.iter();
    let mut ids: Vec<BufferId> = pipelines
        .flat_map(|pipeline| {
            let colors = pipeline.colors.iter().map(|color| color.buffer);
            colors.chain(pipeline.resolves.iter().copied())
        })
        .collect();
    ids.sort_unstable();
    ids.dedup();
    ids.retain(|&id| script.buffer(id).image.is_none_or(|image| image.samples == 1));
    let machine = &mut session.replicas[0].machine;
    let image = |id: BufferId| {
        machine.update(id);
        Some((script.buffer(id).name.clone(), png(script.buffer(id), machine.bytes(id))?))
    };
    explanation.images = ids.into_iter().filter_map(image).collect();
    let modules = vk_driver::modules(script).into_iter().flatten();
    explanation.modules = modules.map(|module| (module.name, module.text)).collect();
}
