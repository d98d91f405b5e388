//! Worker processes: tests are executed in separate processes, so that an abort or a stack overflow
//! costs one test case.
//!
//! The supervising process selects, judges and reports; its workers only execute test cases. A
//! [`Pool`] has one or several workers with one process at a time each: an ordinary run has one
//! process that executes many test cases concurrently; `--isolate` has as many processes as jobs,
//! which execute a batch of test cases one after the other. When a process dies, its running test
//! cases are executed again, each in a separate process, to isolate the crash.
//!
//! ```
//! let mut command = std::process::Command::new("runner");
//! let changes = vec![("LANG".into(), Some("C".into())), ("DISPLAY".into(), None)];
//! supervise::change_environment(&mut command, &changes);
//! assert_eq!(command.get_envs().count(), 2);
//! ```

mod files;
pub mod log;
mod memory;
mod panics;
mod process;
mod protocol;
mod supervisor;
mod worker;

pub use files::{OpenFilesError, ensure_open_files};
pub use memory::{default_limit, want_large_pages};
pub use process::{Environment, Process, Program, cause, change_environment, push_lines};
pub use protocol::{ExplanationRequest, Request};
pub use supervisor::{Finished, Pool, Settings};
pub use worker::{Done, serve};
