//! Execution of parsed scripts.

use std::sync::Arc;

use program::Capabilities;
use script::Script;
use softgl::device::DeviceError;
use softgl::machine::{Machine, MachineOptions};

use crate::compile_only;
use crate::context::{WINDOW, context_for};
use crate::device::{DeviceFactory, DeviceKind, DeviceRequest, statistics};
use crate::driver_run;
use crate::executor::{Executor, Executors, device_verdict};
use crate::explanation::Explanation;
use crate::metered_device::MeteredDevice;
use crate::options::{ExecutorSelection, RunOptions};
use crate::session::Session;
use crate::shared::{LinkedTest, ReferenceRecord, SharedTest, Transcript, link};
use results::verdict::{Status, Verdict};
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
        let linked = link.linked.clone()?;
        let case = Case { script, test, generation, options, devices };
        if let Some(transcript) = link.transcript(context)
            && let Some(verdict) = case.replay(context, &linked, transcript)?
        {
            return Ok(verdict);
        }
        let recorded = Arc::new(context.recorded());
        let (verdict, transcript) = case.record(&recorded, &linked)?;
        if let Some(transcript) = transcript {
            link.keep(recorded.consulted(), transcript);
        }
        Ok(verdict)
    };
    run().unwrap_or_else(|verdict| verdict)
}

/// A test case whose reference is recorded or replayed.
#[derive(Clone, Copy)]
struct Case<'a> {
    script: &'a Script<'a>,
    test: &'a str,
    generation: Generation,
    options: &'a RunOptions,
    devices: &'a dyn DeviceFactory,
}

impl Case<'_> {
    /// Executes the test, except for the reference, whose answers are in a transcript. Returns
    /// `None` if the test asks for other answers.
    fn replay(
        self,
        context: &Arc<Capabilities>,
        linked: &LinkedTest,
        transcript: Arc<Transcript>,
    ) -> Result<Option<Verdict>, Verdict> {
        let options =
            RunOptions { executors: ExecutorSelection::SimulatorOnly, ..self.options.clone() };
        let mut executors =
            executors(self.script, context, self.test, self.generation, &options, self.devices)
                .map_err(|error| device_verdict(&error))?;
        tracing::debug!("replay the reference");
        executors.reference = ReferenceRecord::Replaying { transcript, next: 0 };
        let mut session =
            Session::new(self.script, context, &linked.linked, executors, &linked.initial);
        let verdict = verdict_of(&mut session);
        let diverged = matches!(session.executors.reference, ReferenceRecord::Diverged);
        Ok((!diverged).then_some(verdict))
    }

    /// Executes the test and returns the transcript of its reference, if the test has reached its
    /// end.
    fn record(
        self,
        context: &Arc<Capabilities>,
        linked: &LinkedTest,
    ) -> Result<(Verdict, Option<Transcript>), Verdict> {
        let mut executors =
            executors(self.script, context, self.test, self.generation, self.options, self.devices)
                .map_err(|error| device_verdict(&error))?;
        executors.reference = ReferenceRecord::Recording(Transcript::default());
        let mut session =
            Session::new(self.script, context, &linked.linked, executors, &linked.initial);
        let verdict = verdict_of(&mut session);
        let is_complete = session.is_complete;
        match session.executors.reference {
            ReferenceRecord::Recording(transcript) if is_complete => {
                Ok((verdict, Some(transcript)))
            }
            _ => Ok((verdict, None)),
        }
    }
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
    let executors = executors(script, capabilities, test, generation, options, devices)
        .map_err(|error| device_verdict(&error))?;
    Ok(Session::new(script, capabilities, &linked.linked, executors, &linked.initial))
}

fn executors(
    script: &Script<'_>,
    capabilities: &Arc<Capabilities>,
    test: &str,
    generation: Generation,
    options: &RunOptions,
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
    options
        .executors
        .kinds()
        .iter()
        .map(executor)
        .collect::<Result<Vec<_>, _>>()
        .map(Executors::new)
}
