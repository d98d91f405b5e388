//! Execution of scripts on simulator and interpreter.

use std::sync::Arc;

use gl_machine::machine::{Machine, MachineOptions};
use program::Capabilities;
use raster::device::DeviceError;
use script::Script;

use super::compile_only;
use super::request::request;
use crate::case::TestCase;
use crate::default_key::WINDOW;
use crate::device::{DeviceKind, statistics};
use crate::executor::{Executor, context_on};
use crate::machines::{Explanation, Replica, Replicas, Session, device_verdict};
use crate::options::{ExecutionOptions, ExecutorSelection};
use crate::shared::{SharedTest, TestScript, link, record, replay};
use results::verdict::{Status, Verdict};
use shader_device::{MeteredDevice, MixedDevice};

/// Maximum number of instructions of a batch on the simulator: some seconds of work.
const SIMULATOR_STEPS: u64 = 200_000_000;
/// Maximum number of statements of a batch on the interpreter.
const INTERPRETER_STEPS: u64 = 100_000_000;
/// Maximum number of steps of all shading in a test, as a multiple of those of a batch: a minute or
/// two of work.
pub(super) const STEPS_OF_A_TEST: u64 = 20;

/// Returns the maximum number of steps of a batch on a device, and their unit.
pub(super) fn steps(kind: DeviceKind, options: &ExecutionOptions) -> (u64, &'static str) {
    let (most, unit) = match kind {
        DeviceKind::Simulator => (SIMULATOR_STEPS, "instructions for a test"),
        DeviceKind::Interpreter => (INTERPRETER_STEPS, "statements for a test"),
    };
    (options.step_limit.map_or(most, |limit| most.min(limit)), unit)
}

/// Executes a script on the contexts of an executor, which may be another one than this: a driver's
/// contexts can be offered to the interpreter alone.
pub(crate) fn run(
    case: &TestCase<'_>,
    test: TestScript<'_>,
    offers: &dyn Executor,
    explanation: Option<&mut Explanation>,
) -> Verdict {
    if case.options.compile_only {
        return compile_only::compile(case, test.script, offers);
    }
    if let Some(shared) = test.shared
        && explanation.is_none()
        && offers.runs_our_code()
        && case.options.executors == ExecutorSelection::Both
        && case.options.execution.nudge == 0
    {
        return run_shared(case, shared, offers).unwrap_or_else(|verdict| verdict);
    }
    let prepared = context_on(offers, case.target, test.script)
        .and_then(|capabilities| session(case, test.script, capabilities));
    match prepared {
        Ok(mut session) => {
            session.explanation = explanation;
            verdict_of(&mut session)
        }
        Err(verdict) => verdict,
    }
}

/// Executes the commands of a session. The verdict has the statistics of the executed code.
fn verdict_of(session: &mut Session<'_>) -> Verdict {
    let mut verdict = session.run();
    session.record_end();
    if verdict.status != Status::Skip {
        verdict.stages = statistics(&*session.replicas.primary().device);
        verdict.passes = session.replicas.primary().device.passes().into();
    }
    verdict
}

/// Executes a test whose other test cases share what does not depend on the target.
fn run_shared(
    case: &TestCase<'_>,
    shared: &SharedTest,
    offers: &dyn Executor,
) -> Result<Verdict, Verdict> {
    let script = shared.script();
    let context = context_on(offers, case.target, script)?;
    let link = shared.link(context);
    let linked = link.linked.as_ref().map_err(Verdict::clone)?;
    let execute = |context: &Arc<Capabilities>, selection, reference| {
        let made = replicas(case, script, context, selection);
        let replicas = Replicas { reference, ..made.map_err(|error| device_verdict(&error))? };
        let mut session = Session::new(script, context, &linked.linked, replicas, &linked.initial);
        let verdict = verdict_of(&mut session);
        Ok((verdict, session.replicas.reference))
    };
    if let Some(transcript) = link.transcript(context) {
        let replayed = |reference| execute(context, ExecutorSelection::SimulatorOnly, reference);
        if let Some(verdict) = replay(transcript, replayed)? {
            return Ok(verdict);
        }
    }
    let recorded = Arc::new(context.recorded());
    let (verdict, transcript) =
        record(|reference| execute(&recorded, case.options.executors, reference))?;
    if let Some(transcript) = transcript {
        link.keep(recorded.consulted(), transcript);
    }
    Ok(verdict)
}

/// Compiles and links a script for a context, and returns the session that executes its commands.
///
/// # Errors
/// Returns the verdict that ends the test before its commands.
pub(crate) fn session<'a>(
    case: &TestCase<'_>,
    script: &'a Script<'a>,
    capabilities: &'a Arc<Capabilities>,
) -> Result<Session<'a>, Verdict> {
    let linked = link(script, capabilities)?;
    let replicas = replicas(case, script, capabilities, case.options.executors)
        .map_err(|error| device_verdict(&error))?;
    Ok(Session::new(script, capabilities, &linked.linked, replicas, &linked.initial))
}

fn replicas(
    case: &TestCase<'_>,
    script: &Script<'_>,
    capabilities: &Arc<Capabilities>,
    selection: ExecutorSelection,
) -> Result<Replicas, DeviceError> {
    let (width, height) = script.require.window.unwrap_or(WINDOW);
    let (depth, shade) = (script.require.depth_buffer, case.options.shade);
    let nudge = case.options.execution.nudge;
    let machine = MachineOptions { width, height, depth, shade, nudge };
    let replica = |&kind: &DeviceKind| {
        let (step_limit, unit) = steps(kind, &case.options.execution);
        let mut device = case.devices.create(&request(case, script, kind, step_limit))?;
        let interpreted = &case.options.execution.interpreted;
        if kind == DeviceKind::Simulator && !interpreted.is_empty() {
            let (step_limit, _) = steps(DeviceKind::Interpreter, &case.options.execution);
            let other = request(case, script, DeviceKind::Interpreter, step_limit);
            let other = case.devices.create(&other)?;
            device = Box::new(MixedDevice::new(device, other, interpreted.clone()));
        }
        let device = Box::new(MeteredDevice::new(device, STEPS_OF_A_TEST * step_limit, unit));
        Ok(Replica::new(kind, Machine::new(capabilities.clone(), machine), device))
    };
    selection.kinds().iter().map(replica).collect::<Result<Vec<_>, _>>().map(Replicas::new)
}
