//! Overrides of one execution: how it differs from the others of the run.

use results::passes::PassLimit;
use serde::{Deserialize, Serialize};

use super::device::DeviceOptions;

/// How an execution differs from the others of the run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Trial {
    /// What takes the place of the file's text.
    pub text: Option<String>,
    /// Further limits on passes.
    pub pass_limits: Vec<PassLimit>,
    /// Further passes to leave out.
    pub disabled_passes: Vec<String>,
    /// Further quirks that the compiler does not handle.
    pub disabled_quirks: Vec<String>,
    /// Whether the verdict tells which passes ran.
    pub log_passes: bool,
    /// Whether the verdict tells what the test exercised.
    pub observe: bool,
}

impl Trial {
    /// The run's options with what is tried.
    pub fn device_options(&self, run: &DeviceOptions) -> DeviceOptions {
        let mut options = run.clone();
        options.pass_limits.extend(&self.pass_limits);
        options.disabled_passes.extend(self.disabled_passes.iter().cloned());
        options.disabled_quirks.extend(self.disabled_quirks.iter().cloned());
        options.log_passes |= self.log_passes;
        options
    }
}
