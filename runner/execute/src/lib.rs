//! Execution of scripts: sections in order, then the commands, on one or two executors, or
//! on the system's OpenGL driver.
//!
//! ```
//! use execute::{Devices, RunOptions, run_text};
//! use results::verdict::Status;
//! use vocabulary::Generation;
//!
//! let test = b"[require]\nGLSL >= 1.10\n[vertex shader passthrough]\n[fragment shader]\n\
//!     void main() { gl_FragColor = vec4(0.0, 1.0, 0.0, 1.0); }\n\
//!     [test]\ndraw rect -1 -1 2 2\nprobe all rgba 0.0 1.0 0.0 1.0\n";
//! let (options, devices) = (RunOptions::default(), Devices::default());
//! let verdict = run_text(test, "green", Generation::Ivb, &options, &devices);
//! assert_eq!(verdict.status, Status::Pass);
//! ```

pub mod capabilities;
pub mod code_text;
pub mod diagnostics;
pub mod driver;
pub mod explain;
pub mod external;
pub mod image;

mod buffers;
mod case_override;
mod code_check;
mod commands;
mod compile_only;
mod context;
mod default_key;
mod device;
mod display_list;
mod driver_check;
mod driver_run;
mod driver_stages;
mod executor;
mod explanation;
mod factory;
mod feedback;
mod front;
mod initial;
mod keys;
mod light;
mod options;
mod pipeline;
mod probe;
mod query;
mod recording;
mod run;
mod session;
mod shared;
mod state;
mod surfaces;
mod test_file;
mod translate;
mod uniforms;
mod vertex;

pub use case_override::CaseOverride;
pub use context::context_for;
pub use default_key::plain_key;
pub use device::{DeviceFactory, DeviceKind, DeviceRequest};
pub use explanation::{Explanation, ProbedArea};
pub use factory::{Devices, Traced, TracedWaves, chip, devinfo, seed};
pub use front::{Linked, PASSTHROUGH, build};
pub use keys::{StageKeys, stage_keys};
pub use options::{
    ExecutionOptions, ExecutorSelection, RunOptions, disable_passes, disable_quirks,
};
pub use pipeline::Pipeline;
pub use run::{prepare, run_explained, run_script};
pub use shared::SharedTests;
pub use test_file::{UNREADABLE, read_test, run_file, run_text};

#[cfg(test)]
mod tests;
