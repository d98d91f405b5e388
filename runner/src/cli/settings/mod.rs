//! Options of runs from a settings file, `runner.toml`, and from the environment.
//!
//! The command line is expanded before it is parsed: an option that it does not give is added in
//! front of it, from the first source that has it. Everything after that, `run.json` and worker
//! processes included, sees one complete command line.

mod error;
mod expansion;
mod file;
mod grammar;
mod layer;
mod show;

pub(super) use expansion::expand;
pub(super) use show::show;
