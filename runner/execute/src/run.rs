//! Execution of parsed scripts.

use std::sync::Arc;

use gl_machine::machine::{Machine, MachineOptions};
use program::Capabilities;
use raster::device::DeviceError;
use script::Script;

use crate::compile_only;
use crate::context::{WINDOW, context_for};
use crate::device::{DeviceFactory, DeviceKind, DeviceRequest, statistics};
use crate::driver_run;
use crate::executor::{Executor, Executors, device_verdict};
use crate::explanation::Explanation;
use crate::options::{ExecutorSelection, RunOptions};
use crate::session::Session;
use crate::shared::{ReferenceRecord, SharedTest, Transcript, link};
use results::verdict::{Status, Verdict};
use shader_device::MeteredDevice;
use vocabulary::Generation;

/// Maximum number of instructions of a batch on the simulator: some seconds of work.
const SIMULATOR_STEPS: u64 = 200_000_000;
/// Maximum number of statements of a batch on the interpreter.
const INTERPRETER_STEPS: u64 = 100_000_000;
/// Maximum number of steps of all shading in a test, as a multiple of those of a batch: a minute or
/// two of work.
const STEPS_OF_A_TEST: u64 = 20;

/// Executes a small script, so that the shared tables exist before the first test case.
pub fn prepare(generation: Generation, options: &RunOptions, devices: &dyn DeviceFactory) {
    const SMALL: &[u8] =
        b"[require]\nGLSL >= 1.10\n[vertex shader passthrough]\n[fragment shader]\n\
        void main() { gl_FragColor = vec4(0.0, 1.0, 0.0, 1.0); }\n\
        [test]\ndraw rect -1 -1 2 2\nprobe all rgba 0.0 1.0 0.0 1.0\n";
    // External compilers and binaries start with the first test case.
    if options.execution.compiler.is_none()
        && options.execution.binaries.is_none()
        && let Ok(script) = script::parse(SMALL)
    {
        run_script(&script, "", generation, options, devices);
    }
}

/// Executes a parsed script on one generation.
pub fn run_script(
    script: &Script<'_>,
    test: &str,
    generation: Generation,
    options: &RunOptions,
    devices: &dyn DeviceFactory,
) -> Verdict {
    run_recorded(script, test, generation, options, devices, None)
}

/// Executes a parsed script and records the explanation of its verdict.
pub fn run_explained(
    script: &Script<'_>,
    test: &str,
    generation: Generation,
    options: &RunOptions,
    devices: &dyn DeviceFactory,
    explanation: &mut Explanation,
) -> Verdict {
    run_recorded(script, test, generation, options, devices, Some(explanation))
}

fn run_recorded(
    script: &Script<'_>,
    test: &str,
    generation: Generation,
    options: &RunOptions,
    devices: &dyn DeviceFactory,
    explanation: Option<&mut Explanation>,
) -> Verdict {
    if options.compile_only && generation.is_driver() {
        // Creating the program is all that is left to the driver.
        let script = compile_only::without_commands(script);
        let options = RunOptions { executors: ExecutorSelection::SimulatorOnly, ..options.clone() };
        return driver_run::run(&script, test, &options, devices, None);
    }
    if options.compile_only {
        return compile_only::compile(script, test, generation, options, devices);
    }
    if generation.is_driver() && options.executors != ExecutorSelection::ReferenceOnly {
        return driver_run::run(script, test, options, devices, explanation);
    }
    let prepared = || {
        let capabilities = context_for(script, generation)?;
        session(script, capabilities, test, generation, options, devices)
    };
    match prepared() {
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
        verdict.stages = statistics(&*session.executors.primary().device);
        verdict.passes = session.executors.primary().device.passes();
    }
    verdict
}

/// Executes a test on one generation. Its other test cases share what does not depend on the
/// generation.
pub(crate) fn run_shared(
    shared: &SharedTest,
    test: &str,
    generation: Generation,
    options: &RunOptions,
    devices: &dyn DeviceFactory,
) -> Verdict {
    let script = shared.script();
    let shares = shared.is_shared()
        && !options.compile_only
        && !generation.is_driver()
        && options.executors == ExecutorSelection::Both;
    if !shares {
        return run_script(script, test, generation, options, devices);
    }
    let run = || {
        let context = context_for(script, generation)?;
        let link = shared.link(context);
        let linked = link.linked.as_ref().map_err(Verdict::clone)?;
        let execute = |context: &Arc<Capabilities>, selection, reference| {
            let made = executors(script, context, test, generation, options, selection, devices);
            let executors =
                Executors { reference, ..made.map_err(|error| device_verdict(&error))? };
            let mut session =
                Session::new(script, context, &linked.linked, executors, &linked.initial);
            let verdict = verdict_of(&mut session);
            Ok((verdict, session.executors.reference))
        };
        if let Some(transcript) = link.transcript(context) {
            tracing::debug!("replay the reference");
            let reference = ReferenceRecord::Replaying { transcript, next: 0 };
            let (verdict, end) = execute(context, ExecutorSelection::SimulatorOnly, reference)?;
            if !matches!(end, ReferenceRecord::Diverged) {
                return Ok(verdict);
            }
        }
        let recorded = Arc::new(context.recorded());
        let reference = ReferenceRecord::Recording(Transcript::default());
        let (verdict, end) = execute(&recorded, options.executors, reference)?;
        if let ReferenceRecord::Recorded(transcript) = end {
            link.keep(recorded.consulted(), transcript);
        }
        Ok(verdict)
    };
    run().unwrap_or_else(|verdict| verdict)
}

/// Compiles and links a script for a context, and returns the session that executes its commands.
///
/// # Errors
/// Returns the verdict that ends the test before its commands.
pub(crate) fn session<'a>(
    script: &'a Script<'a>,
    capabilities: &'a Arc<Capabilities>,
    test: &str,
    generation: Generation,
    options: &RunOptions,
    devices: &dyn DeviceFactory,
) -> Result<Session<'a>, Verdict> {
    let linked = link(script, capabilities)?;
    let selection = options.executors;
    let executors = executors(script, capabilities, test, generation, options, selection, devices)
        .map_err(|error| device_verdict(&error))?;
    Ok(Session::new(script, capabilities, &linked.linked, executors, &linked.initial))
}

fn executors(
    script: &Script<'_>,
    capabilities: &Arc<Capabilities>,
    test: &str,
    generation: Generation,
    options: &RunOptions,
    selection: ExecutorSelection,
    devices: &dyn DeviceFactory,
) -> Result<Executors, DeviceError> {
    let (width, height) = script.require.window.unwrap_or(WINDOW);
    let machine =
        MachineOptions { width, height, depth: script.require.depth_buffer, shade: options.shade };
    let executor = |&kind: &DeviceKind| {
        let (step_limit, unit) = match kind {
            DeviceKind::Simulator => (SIMULATOR_STEPS, "instructions for a test"),
            DeviceKind::Interpreter => (INTERPRETER_STEPS, "statements for a test"),
        };
        let request = DeviceRequest {
            kind,
            generation,
            test,
            script,
            options: &options.execution,
            step_limit,
        };
        let device = devices.create(&request)?;
        let device = Box::new(MeteredDevice::new(device, STEPS_OF_A_TEST * step_limit, unit));
        Ok(Executor::new(kind, Machine::new(capabilities.clone(), machine), device))
    };
    selection.kinds().iter().map(executor).collect::<Result<Vec<_>, _>>().map(Executors::new)
}
