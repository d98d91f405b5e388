//! External compilers (`--compiler CMD`): long-running processes of the user that replace this
//! project's compiler.
//!
//! The protocol consists of lines of JSON, described in `docs/compiler-protocol.md`. Any error of
//! the process becomes the result of the test case that sent the request, and the process is
//! replaced.

mod client;
mod command;
mod protocol;
mod source;

pub use client::{Compiler, ExternalCompiler, Failure, compiler};
pub use command::CommandLine;
pub(crate) use protocol::stage_of_name;
pub use protocol::{Answer, Key, PROTOCOL, Request, Section, sections};
pub use source::{failure, source};
