//! Case overrides: differences of one execution from the others of the run.

use serde::{Deserialize, Serialize};
use vocabulary::{PassLimit, Stage, Width};

use super::options::{ExecutionOptions, disable_passes, disable_quirks};

/// The differences of one execution from the others of the run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CaseOverride {
    /// Replacement of the file's text.
    pub text: Option<String>,
    /// Additional limits on passes.
    pub pass_limits: Vec<PassLimit>,
    /// Additional passes to leave out.
    pub disabled_passes: Vec<String>,
    /// Additional quirks whose handling is off.
    pub disabled_quirks: Vec<String>,
    /// The one width to compile, instead of those of the run.
    pub width: Option<Width>,
    /// Stages that the interpreter executes in place of the simulator.
    pub interpreted: Vec<Stage>,
    /// Distance in 256ths of a pixel by which the machines move all primitives.
    pub nudge: i64,
    /// Maximum number of steps of a batch, if lower than that of all tests.
    pub step_limit: Option<u64>,
    /// Record the optional passes that run.
    pub log_passes: bool,
    /// Record a coverage sample.
    pub sample_coverage: bool,
}

impl CaseOverride {
    /// Returns the run's options with the overrides applied.
    pub fn execution_options(&self, run: &ExecutionOptions) -> ExecutionOptions {
        let mut options = run.clone();
        options.codegen.pass_limits.extend(&self.pass_limits);
        disable_passes(&mut options.codegen, &self.disabled_passes);
        disable_quirks(&mut options.codegen, &self.disabled_quirks);
        if let Some(width) = self.width {
            options.codegen.widths = vec![width];
        }
        options.interpreted.extend(&self.interpreted);
        options.nudge += self.nudge;
        options.step_limit = self.step_limit.or(options.step_limit);
        options.log_passes |= self.log_passes;
        options
    }
}
