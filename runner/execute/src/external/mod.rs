//! A user's own compiler in the place of ours (`--compiler CMD`): a long-running process that is asked for binaries.
//!
//! The protocol is lines of JSON, described in `docs/compiler-protocol.md`. Whatever the process does wrong is the result
//! of the row that asked, and the process is replaced.

mod client;
mod command;
mod protocol;
mod serve;
mod source;

pub use client::{Compiler, ExternalCompiler, Failure, compiler};
pub use command::CommandLine;
pub use protocol::{Answer, Key, PROTOCOL, Request, Section, sections};
pub use serve::serve;
pub use source::{failure, source};
