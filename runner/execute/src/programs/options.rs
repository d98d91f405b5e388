//! Options of programs that are tests.

use std::time::Duration;

/// Platform of windows that needs no window system.
const SURFACELESS: &str = "surfaceless_egl";

/// The options of programs in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramOptions {
    /// Wall-clock limit of a program.
    pub time_limit: Duration,
    /// Memory limit of a program in bytes.
    pub memory: Option<u64>,
    /// Platform of windows, by piglit's name.
    pub platform: String,
}

impl Default for ProgramOptions {
    fn default() -> ProgramOptions {
        ProgramOptions {
            time_limit: Duration::from_secs(300),
            memory: None,
            platform: SURFACELESS.to_owned(),
        }
    }
}
