//! Worker processes: tests run in a process of their own, so that an abort or a stack overflow costs one row.
//!
//! The supervising process selects, judges and reports; its workers only execute rows. A [`Pool`] has one or several
//! lanes, each with one worker process at a time: an ordinary run has one lane whose worker executes many rows at once,
//! `--isolate` as many lanes as jobs, whose workers execute a batch of rows one after the other. When a worker dies the
//! rows at work are run again, each alone in a fresh process, until it is known which of them it was.

mod lane;
mod memory;
mod panics;
mod process;
mod protocol;
mod worker;

pub use lane::{Finished, Pool, Settings};
pub use memory::{default_limit, want_large_pages};
pub use process::{Process, Program};
pub use protocol::Request;
pub use worker::{STACK, serve};
