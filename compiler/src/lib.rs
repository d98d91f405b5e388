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
//! use program::link::{LinkOptions, link};
//! use program::{Api, Capabilities, CapabilityTable, Stage, StageKey, TypeTable};
//!
//! let capabilities = Capabilities::from(CapabilityTable {
//!     generation: "skl".into(),
//!     api: Api::Compatibility,
//!     gl_version: 46,
//!     glsl_version: 460,
//!     extensions: Default::default(),
//!     limits: Default::default(),
//! });
//! let source = "#version 120\nvoid main() { gl_Position = 2.0 * gl_Vertex; }";
//! let mut types = TypeTable::default();
//! let shader = glsl::compile(&[source], Stage::Vertex, Default::default(), &mut types)
//!     .map_err(|errors| errors.to_string())?;
//! let program = link(vec![shader], types, &LinkOptions::new(&capabilities))
//!     .map_err(|error| error.to_string())?;
//!
//! let devinfo = intel_isa::DevInfo::get("skl").expect("a known device");
//! let (key, options) = (StageKey::default(), CodegenOptions::default());
//! let binary = compile(&program, Stage::Vertex, &key, devinfo, &options)
//!     .map_err(|error| error.to_string())?;
//! assert!(binary.compiled.kernels[0].statistics.instructions > 0);
//! # Ok::<(), String>(())
//! ```

#![forbid(unsafe_code)]

pub mod amd_binary;
mod amd_plausible;
mod amd_stage;
pub mod binary;
mod cached;
mod compile;
mod error;
mod interface;
pub mod listing;
pub mod passes;
mod plausible;
mod validation_cache;
mod varyings;

pub use amd_codegen;
pub use amd_stage::{compile_amd, compile_amd_logged, ir_for_amd};
pub use binary::{Binary, BinaryError};
pub use cached::{CachedCompiler, EarlyPassCache};
pub use compile::{Hook, StagePasses, compile, compile_logged, ir_after, validate};
pub use error::{CompileError, InvalidBinary};
pub use intel_codegen::output;
pub use intel_codegen::{Quirk, QuirkSet};
pub use interface::varying;
pub use ir::{PassLog, PassRun};
pub use lower::slot as ir_slot;
pub use validation_cache::ValidationCache;
pub use vocabulary::{
    Backend, CodegenOptions, LivenessGranularity, PassLimit, PayloadInterference, Phase,
};
