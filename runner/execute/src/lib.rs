//! Execution of scripts: sections in order, then the commands, on one or two executors.
//!
//! ```
//! use execute::{Devices, RunOptions, run_text};
//! use results::verdict::Status;
//! use vocabulary::Generation;
//!
//! let test = b"[require]\nGLSL >= 1.10\n[vertex shader passthrough]\n[fragment shader]\n\
//!     void main() { gl_FragColor = vec4(0.0, 1.0, 0.0, 1.0); }\n\
//!     [test]\ndraw rect -1 -1 2 2\nprobe all rgba 0.0 1.0 0.0 1.0\n";
//! let (options, devices) = (RunOptions::default(), Devices::default());
//! let verdict = run_text(test, "green", Generation::Ivb, &options, &devices);
//! assert_eq!(verdict.status, Status::Pass);
//! ```

pub mod capabilities;
pub mod devices;
pub mod diagnostics;
pub mod explain;
pub mod external;
pub mod image;
pub mod passes;

mod buffers;
mod case_override;
mod device;
mod display_list;
mod executor;
mod factory;
mod front;
mod initial;
mod keys;
mod light;
mod pipeline;
mod probe;
mod query;
mod recording;
mod session;
mod state;
mod surfaces;
mod translate;
mod ulps;
mod uniforms;
mod vertex;

pub use case_override::CaseOverride;
pub use device::{
    DeviceFactory, DeviceKind, DeviceOptions, DeviceRequest, ExecutedKernel, ShaderDevice,
};
pub use factory::{Devices, Traced, compiler_options, devinfo, seed};
pub use front::{Linked, PASSTHROUGH, build};
pub use keys::{plain_key, stage_keys};
pub use pipeline::Pipeline;

use std::path::Path;
use std::sync::Arc;

use program::Capabilities;
use script::Script;
use softgl::deferred::ShadeMode;
use softgl::device::DeviceError;
use softgl::machine::{Machine, MachineOptions};

use crate::capabilities::{check_requirements, context_set};
use crate::explain::Explanation;
use executor::{Executor, Executors, device_verdict};
use results::verdict::{Phase, StageStatistics, Status, Verdict};
use session::Session;
use vocabulary::Generation;

/// Maximum number of instructions of all shading in a test on the simulator: some seconds of work.
const SIMULATOR_STEPS: u64 = 200_000_000;
/// Maximum number of statements of all shading in a test on the interpreter.
const INTERPRETER_STEPS: u64 = 100_000_000;
/// Prefix of the reason of a result whose test file cannot be read.
pub const UNREADABLE: &str = "cannot read the file";
/// Default size of the window.
const WINDOW: (u32, u32) = (250, 250);

/// The executors of a test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExecutorSelection {
    /// Simulator and interpreter, compared at every probe.
    #[default]
    Both,
    /// The simulator alone.
    SimulatorOnly,
    /// The interpreter alone.
    ReferenceOnly,
}

impl ExecutorSelection {
    /// Returns the kinds of the executors; the first one's results count.
    fn kinds(self) -> &'static [DeviceKind] {
        match self {
            ExecutorSelection::Both => &[DeviceKind::Simulator, DeviceKind::Interpreter],
            ExecutorSelection::SimulatorOnly => &[DeviceKind::Simulator],
            ExecutorSelection::ReferenceOnly => &[DeviceKind::Interpreter],
        }
    }
}

/// The options shared by all test cases of a run.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Executors of every test.
    pub executors: ExecutorSelection,
    /// Time of shading.
    pub shade: ShadeMode,
    /// Options of compiler and simulator.
    pub device: DeviceOptions,
}

/// Executes a small script, so that the shared tables exist before the first test case.
pub fn prepare(generation: Generation, options: &RunOptions, devices: &dyn DeviceFactory) {
    const SMALL: &[u8] =
        b"[require]\nGLSL >= 1.10\n[vertex shader passthrough]\n[fragment shader]\n\
        void main() { gl_FragColor = vec4(0.0, 1.0, 0.0, 1.0); }\n\
        [test]\ndraw rect -1 -1 2 2\nprobe all rgba 0.0 1.0 0.0 1.0\n";
    // External compilers and binaries start with the first test case.
    if options.device.compiler.is_none()
        && options.device.binaries.is_none()
        && let Ok(script) = script::parse(SMALL)
    {
        run_script(&script, "", generation, options, devices);
    }
}

/// Executes one test file on one generation.
pub fn run_file(
    path: &Path,
    test: &str,
    generation: Generation,
    options: &RunOptions,
    devices: &dyn DeviceFactory,
) -> Verdict {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) => return Verdict::fail(Phase::Script, format!("{UNREADABLE}: {error}")),
    };
    run_text(&bytes, test, generation, options, devices)
}

/// Executes the text of a test file on one generation.
pub fn run_text(
    bytes: &[u8],
    test: &str,
    generation: Generation,
    options: &RunOptions,
    devices: &dyn DeviceFactory,
) -> Verdict {
    match script::parse(bytes) {
        Ok(script) => run_script(&script, test, generation, options, devices),
        Err(error) => script_failure(test, bytes, &error),
    }
}

/// Returns the verdict of a malformed file. A word that is no GL enum makes piglit's interpreter
/// abort, which its harness reports as a crash; here it is an ordinary error.
fn script_failure(test: &str, bytes: &[u8], error: &script::ParseError) -> Verdict {
    let excerpt = diagnostics::script_error(&format!("{test}.shader_test"), bytes, error);
    Verdict::fail(Phase::Script, format!("{error}\n{excerpt}"))
}

/// Returns the context of a script on a generation, if it exists and meets the requirements.
///
/// # Errors
/// Returns the skip.
pub fn context_for(
    script: &Script<'_>,
    generation: Generation,
) -> Result<&'static Arc<Capabilities>, Verdict> {
    let set = context_set(generation)
        .map_err(|error| Verdict::fail(Phase::Require, error.to_string()))?;
    let capabilities = set.choose(script.require.context).map_err(Verdict::skip)?;
    check_requirements(&script.require, capabilities)
        .map_err(|unmet| Verdict::skip(format!("line {}: {}", unmet.line, unmet.reason)))?;
    Ok(capabilities)
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
    let prepared = || -> Result<Session<'_>, Verdict> {
        let capabilities = context_for(script, generation)?;
        let linked = build(script, capabilities)?;
        let initial = match &linked {
            Linked::Program(program) | Linked::Pipeline(program, _) => {
                initial::default_block(program)?
            }
            Linked::Failed(_) | Linked::Nothing => Vec::new(),
        };
        let executors = executors(script, capabilities, test, generation, options, devices)
            .map_err(|error| device_verdict(&error))?;
        Ok(Session::new(script, capabilities, &linked, executors, &initial))
    };
    match prepared() {
        Ok(mut session) => {
            session.explanation = explanation;
            let mut verdict = session.run();
            session.record_end();
            if verdict.status != Status::Skip {
                verdict.stages = statistics(&mut session.executors);
                verdict.passes = session.executors.primary().device.passes();
            }
            verdict
        }
        Err(verdict) => verdict,
    }
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
        let step_limit = match kind {
            DeviceKind::Simulator => SIMULATOR_STEPS,
            DeviceKind::Interpreter => INTERPRETER_STEPS,
        };
        let request =
            DeviceRequest { kind, generation, test, script, options: &options.device, step_limit };
        let device = devices.create(&request)?;
        Ok(Executor::new(kind, Machine::new(capabilities.clone(), machine), device))
    };
    options
        .executors
        .kinds()
        .iter()
        .map(executor)
        .collect::<Result<Vec<_>, _>>()
        .map(|all| Executors { all })
}

fn statistics(executors: &mut Executors) -> Vec<StageStatistics> {
    let mut stages = executors.primary().device.statistics();
    // Order by pipeline position, then width.
    let position =
        |s: &StageStatistics| program::Stage::ALL.iter().position(|stage| stage.name() == s.stage);
    stages.sort_by(|a, b| (position(a), &a.width).cmp(&(position(b), &b.width)));
    stages
}

#[cfg(test)]
mod tests;
