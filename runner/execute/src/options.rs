//! Options shared by all test cases of a run.

use std::path::PathBuf;

use raster::deferred::ShadeMode;

use crate::external::ExternalCompiler;
use crate::mode::Mode;
use crate::programs::ProgramOptions;
use compiler::{CodegenOptions, Quirk};
use vocabulary::Stage;

/// The executors of a test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExecutorSelection {
    /// Simulator and interpreter, compared at every probe.
    #[default]
    Both,
    /// The simulator alone.
    SimulatorOnly,
    /// The interpreter alone.
    ReferenceOnly,
}

/// The options shared by all test cases of a run.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Executors of every test.
    pub executors: ExecutorSelection,
    /// Compile the shaders of every test, as at link time, and execute nothing.
    pub compile_only: bool,
    /// Translate the GLSL of scripts to SPIR-V, and run that.
    pub is_translated: bool,
    /// Time of shading.
    pub shade: ShadeMode,
    /// Options of compiler and simulator.
    pub execution: ExecutionOptions,
    /// Options of programs that are tests.
    pub programs: ProgramOptions,
}

impl RunOptions {
    /// Returns the mode of the run.
    pub fn mode(&self) -> Mode {
        if self.compile_only { Mode::Compile } else { Mode::Execute }
    }
}

/// Options of compiler and simulator. The defaults are an ordinary run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExecutionOptions {
    /// Options of the compiler.
    pub codegen: CodegenOptions,
    /// Record the optional passes that run.
    pub log_passes: bool,
    /// Stages that the interpreter executes in place of the simulator.
    pub interpreted: Vec<Stage>,
    /// Distance in 256ths of a pixel by which the machines of OpenGL move all primitives.
    pub nudge: i64,
    /// Maximum number of steps of a batch, if lower than that of all tests.
    pub step_limit: Option<u64>,
    /// The math unit has the maximum documented error.
    pub worst_math: bool,
    /// Folder of binaries to execute instead of compiling, with one folder per test and generation.
    pub binaries: Option<PathBuf>,
    /// The user's compiler that replaces this project's.
    pub compiler: Option<ExternalCompiler>,
}

impl ExecutionOptions {
    /// Returns true if the executed binaries come from this project's compiler.
    pub fn is_our_code(&self) -> bool {
        self.binaries.is_none() && self.compiler.is_none()
    }
}

/// Leaves passes out, by their present or earlier names.
pub fn disable_passes(codegen: &mut CodegenOptions, names: &[String]) {
    let present = names.iter().map(|name| compiler::passes::canonical(name).to_owned());
    codegen.disabled_passes.extend(present);
}

/// Switches the handling of quirks off by their names; unknown names have no effect.
pub fn disable_quirks(codegen: &mut CodegenOptions, names: &[String]) {
    let quirks = names.iter().filter_map(|name| Quirk::from_name(name));
    codegen.disabled_quirks = quirks.fold(codegen.disabled_quirks, |set, quirk| set.with(quirk));
}
