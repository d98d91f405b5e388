//! Test cases: what a file is (its [`Kind`]) is joined with what runs it (the [`Executor`] of its
//! target) to a verdict.
//!
//! ```
//! use execute::{Devices, RunOptions, TestCase, run_text};
//! use results::verdict::Status;
//! use vocabulary::Target;
//!
//! let test = b"[require]\nGLSL >= 1.10\n[vertex shader passthrough]\n[fragment shader]\n\
//!     void main() { gl_FragColor = vec4(0.0, 1.0, 0.0, 1.0); }\n\
//!     [test]\ndraw rect -1 -1 2 2\nprobe all rgba 0.0 1.0 0.0 1.0\n";
//! let (options, devices) = (RunOptions::default(), Devices::default());
//! let verdict = run_text(test, &TestCase::new("green", Target::IVB, &options, &devices));
//! assert_eq!(verdict.status, Status::Pass);
//! ```

pub mod capabilities;
pub mod code_text;
pub mod diagnostics;
pub mod external;

mod case;
mod case_override;
mod default_key;
mod device;
mod executor;
mod executors;
mod front;
mod hardware;
mod keys;
mod kind;
mod kinds;
mod machines;
mod mode;
mod options;
mod programs;
mod run;
mod serve_compiler;
mod shared;
mod vk_explanation;

pub use case::TestCase;
pub use case_override::CaseOverride;
pub use default_key::{default_key, plain_key};
pub use device::{DeviceFactory, DeviceKind, DeviceRequest};
pub use executor::Executor;
pub use executors::gl_driver::{RanKernel, add_kernels, connection as driver};
pub use executors::simulation::{Devices, Traced, TracedWaves, seed};
pub use executors::vk_driver::connection as vulkan;
pub use executors::{context_for, executor};
pub use external_program::end_all as end_programs;
pub use front::pipeline::Pipeline;
pub use front::source_lines::SourceTexts;
pub use front::{Linked, PASSTHROUGH, build, translated_text};
pub use gl_machine::probe::Readback;
pub use hardware::{chip, devinfo};
pub use keys::{StageKeys, stage_keys};
pub use kind::{Kind, TestFile};
pub use kinds::{
    KINDS, is_module, kind_by_extension, kind_of, module_programs, validate_vk_modules, vk_modules,
    vk_programs, vk_rules,
};
pub use machines::{BufferRecord, Explanation, ProbedArea, ProbedValues, image};
pub use mode::Mode;
pub use options::{
    ExecutionOptions, ExecutorSelection, RunOptions, disable_passes, disable_quirks,
};
pub use programs::{ProfileError, ProfileFile, ProgramExplanation, ProgramOptions, read_profile};
pub use run::{
    UNREADABLE, explain_file, prepare, read_script, read_test, run_explained, run_file,
    run_replaced, run_replaced_explained, run_script, run_text,
};
pub use serve_compiler::serve;
pub use shader_tools::{Rewriting, rewrite_modules};
pub use shared::{SharedTests, TestScript, VkTest};
pub use vk_driver::ModuleText;
pub use vk_explanation::VkExplanation;

#[cfg(test)]
mod tests;
