//! Logging for people who debug the runner: `RUNNER_LOG=debug`, `RUNNER_LOG=execute=trace`, …
//!
//! The filter is a list of levels, each for all crates or for one (`tracing_subscriber`'s
//! `Targets`). Spans are `worker` (a worker process), `case` (the execution of a test case) and
//! `compile` (the compilation of a stage); the log goes to standard error. Without the variable
//! nothing is logged, and a span costs the test of one flag.

use std::env;
use std::io::{self, Write};

use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::{format::FmtSpan, layer};
use tracing_subscriber::prelude::*;

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
    match env::var(VARIABLE).unwrap_or_default().parse::<Targets>() {
        Ok(filter) => {
            let lines = layer()
                .with_span_events(FmtSpan::CLOSE)
                .with_ansi(false)
                .with_writer(io::stderr)
                .with_filter(filter);
            tracing_subscriber::registry().with(lines).init();
        }
        // Nothing else can report that standard error is closed.
        Err(error) => {
            let _ = writeln!(io::stderr(), "warning: {VARIABLE}: {error}");
        }
    }
}
