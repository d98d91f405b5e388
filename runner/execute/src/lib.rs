//! Running one script on one target: sections in order, then the commands, on one or two executors.

pub mod capabilities;
pub mod devices;
pub mod diagnostics;
pub mod explain;
pub mod external;
pub mod image;
pub mod passes;

mod buffers;
mod device;
mod display_list;
mod factory;
mod front;
mod initial;
mod keys;
mod light;
mod note;
mod pipeline;
mod probe;
mod query;
mod session;
mod side;
mod state;
mod surfaces;
mod translate;
mod trial;
mod ulps;
mod uniforms;
mod vertex;

pub use device::{DeviceFactory, DeviceKind, DeviceOptions, DeviceRequest, ExecutedKernel, ShaderDevice};
pub use factory::{Devices, Traced, compiler_options, devinfo, seed};
pub use front::{Linked, PASSTHROUGH, build};
pub use keys::{plain_key, stage_keys};
pub use pipeline::Pipeline;
pub use trial::Trial;

use std::path::Path;
use std::sync::Arc;

use program::Capabilities;
use script::Script;
use softgl::deferred::ShadeMode;
use softgl::device::DeviceError;
use softgl::machine::{Machine, MachineOptions};

use crate::capabilities::{check_requirements, context_set};
use crate::explain::Explanation;
use results::verdict::{Phase, StageStatistics, Status, Verdict};
use session::Session;
use side::{Side, Sides, device_verdict};
use vocabulary::Generation;

/// Instructions that all shading of a test may take on the simulator: some seconds of work.
const SIMULATOR_STEPS: u64 = 200_000_000;
/// Statements that all shading of a test may take on the interpreter.
const INTERPRETER_STEPS: u64 = 100_000_000;
/// How the reason of a row starts whose file cannot be read.
pub const UNREADABLE: &str = "cannot read the file";
/// Sides of the window when a script does not say.
const WINDOW: (u32, u32) = (250, 250);

/// Which executors run a test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Executors {
    /// Simulator and interpreter, compared at every probe.
    #[default]
    Both,
    /// Only the simulator.
    SimulatorOnly,
    /// Only the interpreter.
    ReferenceOnly,
}

impl Executors {
    /// The executors, the one whose results count first.
    fn kinds(self) -> &'static [DeviceKind] {
        match self {
            Executors::Both => &[DeviceKind::Simulator, DeviceKind::Interpreter],
            Executors::SimulatorOnly => &[DeviceKind::Simulator],
            Executors::ReferenceOnly => &[DeviceKind::Interpreter],
        }
    }
}

/// What is the same for all rows of a run.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Which executors run.
    pub executors: Executors,
    /// How much is shaded.
    pub shade: ShadeMode,
    /// Options of compiler and simulator.
    pub device: DeviceOptions,
}

/// Executes something small on a target, so that the tables that every row needs are there before the first.
pub fn prepare(target: Generation, options: &RunOptions, devices: &dyn DeviceFactory) {
    const SMALL: &[u8] = b"[require]\nGLSL >= 1.10\n[vertex shader passthrough]\n[fragment shader]\n\
        void main() { gl_FragColor = vec4(0.0, 1.0, 0.0, 1.0); }\n\
        [test]\ndraw rect -1 -1 2 2\nprobe all rgba 0.0 1.0 0.0 1.0\n";
    // What is not ours has its own idea of when it begins.
    if options.device.compiler.is_none()
        && options.device.binaries.is_none()
        && let Ok(script) = script::parse(SMALL)
    {
        run_script(&script, "", target, options, devices);
    }
}

/// Runs one file on one target.
pub fn run_file(
    path: &Path,
    test: &str,
    target: Generation,
    options: &RunOptions,
    devices: &dyn DeviceFactory,
) -> Verdict {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) => return Verdict::fail(Phase::Script, format!("{UNREADABLE}: {error}")),
    };
    run_text(&bytes, test, target, options, devices)
}

/// Runs the text of a file on one target.
pub fn run_text(
    bytes: &[u8],
    test: &str,
    target: Generation,
    options: &RunOptions,
    devices: &dyn DeviceFactory,
) -> Verdict {
    match script::parse(bytes) {
        Ok(script) => run_script(&script, test, target, options, devices),
        Err(error) => script_failure(test, bytes, &error),
    }
}

/// A file that does not parse. A word that is no GL enum makes piglit's interpreter abort, which its harness calls a
/// crash; here it is an error like any other.
fn script_failure(test: &str, bytes: &[u8], error: &script::ParseError) -> Verdict {
    let excerpt = diagnostics::script_error(&format!("{test}.shader_test"), bytes, error);
    Verdict::fail(Phase::Script, format!("{error}\n{excerpt}"))
}

/// The context a script gets on a target, when it gets one and its requirements are met.
///
/// # Errors
/// The skip.
pub fn context_for(script: &Script<'_>, target: Generation) -> Result<&'static Arc<Capabilities>, Verdict> {
    let set = context_set(target).map_err(|error| Verdict::fail(Phase::Require, error.to_string()))?;
    let capabilities = set.choose(script.require.context).map_err(Verdict::skip)?;
    check_requirements(&script.require, capabilities)
        .map_err(|unmet| Verdict::skip(format!("line {}: {}", unmet.line, unmet.reason)))?;
    Ok(capabilities)
}

/// Runs a parsed script on one target.
pub fn run_script(
    script: &Script<'_>,
    test: &str,
    target: Generation,
    options: &RunOptions,
    devices: &dyn DeviceFactory,
) -> Verdict {
    run_noting(script, test, target, options, devices, None)
}

/// The same, noting what explains the verdict.
pub fn run_explained(
    script: &Script<'_>,
    test: &str,
    target: Generation,
    options: &RunOptions,
    devices: &dyn DeviceFactory,
    explanation: &mut Explanation,
) -> Verdict {
    run_noting(script, test, target, options, devices, Some(explanation))
}

fn run_noting(
    script: &Script<'_>,
    test: &str,
    target: Generation,
    options: &RunOptions,
    devices: &dyn DeviceFactory,
    explanation: Option<&mut Explanation>,
) -> Verdict {
    let prepared = || -> Result<Session<'_>, Verdict> {
        let capabilities = context_for(script, target)?;
        let linked = build(script, capabilities)?;
        let initial = match &linked {
            Linked::Program(program) | Linked::Pipeline(program, _) => initial::default_block(program)?,
            Linked::Failed(_) | Linked::Nothing => Vec::new(),
        };
        let sides = sides(script, capabilities, test, target, options, devices)
            .map_err(|error| device_verdict(&error))?;
        Ok(Session::new(script, capabilities, &linked, sides, &initial))
    };
    match prepared() {
        Ok(mut session) => {
            session.explanation = explanation;
            let mut verdict = session.run();
            session.note_end();
            if verdict.status != Status::Skip {
                verdict.stages = statistics(&mut session.sides);
                verdict.passes = session.sides.primary().device.passes();
            }
            verdict
        }
        Err(verdict) => verdict,
    }
}

fn sides(
    script: &Script<'_>,
    capabilities: &Arc<Capabilities>,
    test: &str,
    target: Generation,
    options: &RunOptions,
    devices: &dyn DeviceFactory,
) -> Result<Sides, DeviceError> {
    let (width, height) = script.require.window.unwrap_or(WINDOW);
    let machine = MachineOptions { width, height, depth: script.require.depth_buffer, shade: options.shade };
    let side = |&kind: &DeviceKind| {
        let step_limit = match kind {
            DeviceKind::Simulator => SIMULATOR_STEPS,
            DeviceKind::Interpreter => INTERPRETER_STEPS,
        };
        let request = DeviceRequest { kind, target, test, script, options: &options.device, step_limit };
        let device = devices.create(&request)?;
        Ok(Side::new(kind, Machine::new(capabilities.clone(), machine), device))
    };
    options.executors.kinds().iter().map(side).collect::<Result<Vec<_>, _>>().map(|all| Sides { all })
}

fn statistics(sides: &mut Sides) -> Vec<StageStatistics> {
    let mut stages = sides.primary().device.statistics();
    // By pipeline position, then width.
    let position = |s: &StageStatistics| program::Stage::ALL.iter().position(|stage| stage.name() == s.stage);
    stages.sort_by(|a, b| (position(a), &a.width).cmp(&(position(b), &b.width)));
    stages
}

#[cfg(test)]
mod tests;
