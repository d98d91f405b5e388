//! Typed program to native binary: options, pass lists, binaries and statistics.
//!
//! [`compile`] takes one stage of a linked program through lowering, the pass list of its back end, the back end itself and the validator.

#![forbid(unsafe_code)]

pub mod binary;
mod cache;
mod compile;
mod error;
mod fronts;
mod interface;
mod memo;
pub mod passes;
mod plausible;
mod pool;
mod varyings;

pub use binary::{Binary, BinaryError};
pub use cache::Cache;
pub use compile::{StagePasses, compile, compile_cached, compile_logged, ir_after, validate};
pub use error::{CompileError, InvalidBinary};
pub use fronts::Fronts;
pub use intel::output;
pub use intel::{Quirk, QuirkSet, has_quirk};
pub use interface::varying;
pub use ir::{PassLog, PassRun};
pub use pool::Pool;
pub use vocabulary::{Backend, CodegenOptions, LivenessGranularity, PayloadInterference, Phase, StageLimit};
