//! Compiler from the typed program to native binaries.
//!
//! [`compile()`] takes one stage of a linked program through lowering, the IR passes ([`passes`]),
//! the back end and the validator of the instruction set. It uses no cache; [`CachedCompiler`]
//! returns the same results, faster. One [`CodegenOptions`] travels from the command line to the
//! pass that reads it. [`Binary`] is the result: machine code with everything that a device must
//! know, also on disk.
//!
//! ```
//! use compiler::{CodegenOptions, compile};
//! use program::{Program, StageKey};
//!
//! fn instructions(program: &Program, key: &StageKey) -> Result<u32, compiler::CompileError> {
//!     let devinfo = eu::DevInfo::get("ivb").expect("a known device");
//!     let stage = program::Stage::Fragment;
//!     let binary = compile(program, stage, key, devinfo, &CodegenOptions::default())?;
//!     Ok(binary.compiled.kernels.iter().map(|kernel| kernel.statistics.instructions).sum())
//! }
//! ```

#![forbid(unsafe_code)]

pub mod binary;
mod cached;
mod compile;
mod error;
mod interface;
pub mod passes;
mod plausible;
mod validation_cache;
mod varyings;

pub use binary::{Binary, BinaryError};
pub use cached::{CachedCompiler, EarlyPassCache};
pub use compile::{Hook, StagePasses, compile, compile_logged, ir_after, validate};
pub use error::{CompileError, InvalidBinary};
pub use intel::output;
pub use intel::{Quirk, QuirkSet};
pub use interface::varying;
pub use ir::{PassLog, PassRun};
pub use validation_cache::ValidationCache;
pub use vocabulary::{Backend, CodegenOptions, LivenessGranularity, PayloadInterference, Phase, StageLimit};
