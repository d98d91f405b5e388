//! Logging for people who debug the runner: `RUNNER_LOG=debug`, `RUNNER_LOG=execute=trace`, …
//!
//! The filter has the syntax of `tracing_subscriber::EnvFilter`. Spans are `worker` (a worker
//! process), `case` (the execution of a test case) and `compile` (the compilation of a stage); the
//! log goes to standard error. Without the variable nothing is logged, and a span costs the test
//! of one flag.

use std::env;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;

use crate::console::message::message;

/// Name of the environment variable.
pub const VARIABLE: &str = "RUNNER_LOG";

/// Returns true if logging is requested.
pub fn is_on() -> bool {
    env::var_os(VARIABLE).is_some_and(|filter| !filter.is_empty())
}

/// Starts logging if it is requested; a malformed filter is a warning.
pub fn start() {
    if !is_on() {
        return;
    }
    match EnvFilter::try_from_env(VARIABLE) {
        Ok(filter) => tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_span_events(FmtSpan::CLOSE)
            .with_ansi(false)
            .with_writer(std::io::stderr)
            .init(),
        Err(error) => message!("warning: {VARIABLE}: {error}"),
    }
}
