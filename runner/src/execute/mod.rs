//! Running one script on one target.

mod device;

pub use device::{Backend, DeviceFactory, DeviceKind, DeviceOptions, DeviceRequest, ShaderDevice, Width};

use std::path::Path;

use softgl::observe::ShadeMode;

use crate::capabilities::{check_requirements, context_set};
use crate::target::Target;
use crate::verdict::{Layer, Verdict};

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

/// Runs one file on one target.
pub fn run_file(path: &Path, test: &str, target: Target, options: &RunOptions) -> Verdict {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) => {
            return Verdict::fail(Layer::Script, format!("cannot read {}: {error}", path.display()));
        }
    };
    let _ = (test, options);
    match script::parse(&bytes) {
        Ok(script) => {
            let capabilities = match context_set(target) {
                Ok(set) => match set.choose(script.require.context) {
                    Ok(capabilities) => capabilities,
                    Err(reason) => return Verdict::skip(reason),
                },
                Err(error) => return Verdict::fail(Layer::Require, error.to_string()),
            };
            match check_requirements(&script.require, capabilities) {
                Ok(()) => Verdict::fail(Layer::Simulate, "execution is not supported yet"),
                Err(unmet) => Verdict::skip(format!("line {}: {}", unmet.line, unmet.reason)),
            }
        }
        Err(error) => Verdict::fail(
            Layer::Script,
            crate::diagnostics::script_error(&path.display().to_string(), &bytes, &error),
        ),
    }
}
