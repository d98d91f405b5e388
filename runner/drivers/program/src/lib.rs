//! Programs that are tests: started, limited, listened to, and ended with all their processes.
//!
//! [`run`] starts a program in a process group of its own and waits for its end. A program cannot
//! harm more than its own test case:
//!
//! * Output is read as it comes. Beginning and end of each stream are kept, the rest is counted, so
//!   that a program may print for hours.
//! * A program that takes too much time or memory is ended.
//! * The end of the program is that of its first process. Processes that it leaves behind are
//!   ended, and a stream that one of them holds open is not waited for.
//! * [`end_all`] ends the programs that still run when their process has to end.
//!
//! ```
//! use external_program::{Call, End, Kept, Limits, run};
//! use std::time::Duration;
//!
//! # if cfg!(unix) {
//! let call = Call {
//!     executable: "/bin/echo".into(),
//!     arguments: vec!["green".into()],
//!     environment: Vec::new(),
//!     directory: "/".into(),
//! };
//! let limits = Limits { time: Duration::from_secs(60), memory: None };
//! let outcome = run(&call, limits, Kept::push)?;
//! assert_eq!((outcome.end, outcome.output.text().as_str()), (End::Exit(0), "green\n"));
//! # }
//! # Ok::<(), std::io::Error>(())
//! ```

mod group;
mod kept;
mod memory;
mod run;
mod stream;

pub use group::{end_all, kill_group, start_group};
pub use kept::Kept;
pub use memory::{kibibytes, resident};
pub use run::{Call, End, Limits, Outcome, run, signal_name};
