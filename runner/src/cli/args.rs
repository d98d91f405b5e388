//! Arguments that several commands share, and those of commands that parse a whole command line
//! again.

use std::convert::Infallible;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use clap::Args;
use clap_complete::Shell;

use super::expect::ExpectArgs;
use super::values::{self, Generations, generations};
use crate::bundles::BundlePolicy;
use crate::select::FileKinds;
use execute::Rewriting;
use execute::driver::{DeviceChoice, Platform};
use execute::external::CommandLine;
use execute::vulkan::DeviceChoice as VkDeviceChoice;
use results::passes::PassLimit;
use results::shard::Shard;
use vocabulary::{Backend, Target, Width};

/// Selection of tests.
#[derive(Debug, Args)]
pub(super) struct SelectArgs {
    /// Directories, .shader_test files, and shaders with a [config] block.
    #[arg(value_name = "PATH", required = true)]
    pub(super) paths: Vec<PathBuf>,
    /// Only tests whose name, in either form, matches (repeatable).
    #[arg(short = 't', long = "include", value_name = "RE")]
    pub(super) include: Vec<String>,
    /// No tests whose name matches (repeatable).
    #[arg(short = 'x', long = "exclude", value_name = "RE")]
    pub(super) exclude: Vec<String>,
    /// Only tests named in this file, one per line.
    #[arg(long, value_name = "FILE")]
    pub(super) test_list: Option<PathBuf>,
    /// Print names in piglit's form.
    #[arg(long)]
    pub(super) piglit_names: bool,
}

#[derive(Debug, Args)]
pub(super) struct RunArgs {
    #[command(flatten)]
    pub(super) select: SelectArgs,
    /// ivb, hsw, bdw, chv, skl (intel, default), si, vi (amd), all, gl, vk.
    #[arg(long = "gen", value_name = "LIST", default_value = "intel", hide_default_value = true, value_parser = generations)]
    pub(super) generations: Generations,
    /// Concurrent test cases (default: one per core).
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) jobs: Option<u16>,
    /// Folder of the results (default: results/<date>-<n>).
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Only unexpected results in the JUnit report.
    #[arg(long)]
    pub(super) junit_failures_only: bool,
    /// Stop after N unexpected results.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) max_fails: Option<u32>,
    /// Run every test case N times; different results make it a flake.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), default_value = "1", hide_default_value = true)]
    pub(super) repeat: u32,
    /// Run one test case at a time in each of several processes.
    #[arg(long)]
    pub(super) isolate: bool,
    /// Run only part K of N, or the one that the CI or batch system sets.
    #[arg(long, value_name = "K/N|auto", value_parser = shard_choice)]
    pub(super) shard: Option<ShardChoice>,
    /// Balance shards and order by the durations of an earlier run.
    #[arg(long, value_name = "FILE")]
    pub(super) durations: Option<PathBuf>,
    /// Order of the test cases: name, last-failed, slowest-first or random.
    #[arg(
        long,
        value_enum,
        value_name = "ORDER",
        default_value = "name",
        hide_default_value = true,
        hide_possible_values = true
    )]
    pub(super) order: Order,
    /// Seed of --order random.
    #[arg(long, value_name = "N", default_value_t = 1, hide = true)]
    pub(super) order_seed: u64,
    /// Run only the interpreter, which has all capabilities.
    #[arg(long, conflicts_with_all = ["no_reference", "generations"])]
    pub(super) reference_only: bool,
    #[command(flatten)]
    pub(super) expect: ExpectArgs,
    #[command(flatten)]
    pub(super) execute: ExecuteArgs,
    #[command(flatten)]
    pub(super) bundles: BundleArgs,
    /// An earlier run: results that differ from it get a bundle, too.
    #[arg(long, value_name = "RUN")]
    pub(super) previous: Option<PathBuf>,
    /// Another file of options than the nearest runner.toml, or none.
    #[arg(long, value_name = "FILE")]
    pub(super) settings: Option<String>,
    /// Options of this profile of runner.toml.
    #[arg(long, value_name = "NAME")]
    pub(super) profile: Option<String>,
    /// Exit codes for `git bisect run`: 0 good, 1 bad, 125 cannot be tested.
    #[arg(long)]
    pub(super) git_bisect: bool,
}

/// Options of failure bundles.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct BundleArgs {
    /// Results that get a bundle with an explanation: none, failures or all.
    #[arg(
        long,
        value_enum,
        value_name = "WHICH",
        default_value = "failures",
        hide_default_value = true,
        hide_possible_values = true
    )]
    pub(super) keep: BundlePolicy,
}

/// Options of modules of SPIR-V.
#[derive(Clone, Debug, Args)]
pub(super) struct ModuleArgs {
    /// Translate GLSL to SPIR-V with glslangValidator, and run that.
    #[arg(long)]
    pub(super) spirv: bool,
    /// Rewrite modules of SPIR-V and keep their meaning: a seed, or SEED:STEPS.
    #[arg(long, value_name = "SEED")]
    pub(super) rewrite: Option<Rewriting>,
}

impl ModuleArgs {
    /// Has the modules of this process rewritten as the options say.
    pub(super) fn enter(&self) {
        self.rewrite.clone().into_iter().for_each(execute::rewrite_modules);
    }

    /// Returns the options as words of a command line.
    pub(super) fn words(&self) -> Vec<String> {
        let spirv = self.spirv.then(|| "--spirv".to_owned());
        let rewrite = self.rewrite.iter().map(|rewriting| format!("--rewrite={rewriting}"));
        spirv.into_iter().chain(rewrite).collect()
    }
}

/// Options that decide the result of a test case, beside the test and the generation.
#[derive(Clone, Debug, Args)]
pub(super) struct ExecuteArgs {
    /// Do not run the interpreter, nor any cross-check.
    #[arg(long)]
    pub(super) no_reference: bool,
    /// Compile every stage and width as at link time, execute nothing.
    #[arg(long)]
    pub(super) compile_only: bool,
    #[command(flatten)]
    pub(super) modules: ModuleArgs,
    #[command(flatten)]
    pub(super) device: DeviceArgs,
    /// observed, or all: shade everything, without sharing equal work.
    #[arg(long, value_name = "WHAT", value_parser = ["observed", "all"], default_value = "observed", hide_default_value = true, hide_possible_values = true)]
    pub(super) shade: String,
    /// Wall-clock limit of a test case (default: 300).
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..), default_value = "300", hide_default_value = true)]
    pub(super) timeout: u32,
    /// Memory limit of a worker (default: 3/4 of the machine's for all).
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(64..))]
    pub(super) memory_limit: Option<u32>,
    /// Only pretend to run tests, as their files say.
    #[arg(long, hide = true)]
    pub(super) mock: bool,
}

impl ExecuteArgs {
    /// Returns the files that a run of these options takes as tests.
    pub(super) fn file_kinds(&self) -> FileKinds {
        if self.compile_only { FileKinds::Shaders } else { FileKinds::Tests }
    }
}

impl RunArgs {
    /// Returns the generations of every test.
    pub(super) fn generations(&self) -> Vec<Target> {
        if self.reference_only { vec![Target::REFERENCE] } else { self.generations.0.clone() }
    }
}

/// The shard to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ShardChoice {
    /// As set by the environment.
    Auto,
    /// As given.
    Given(Shard),
}

fn shard_choice(text: &str) -> Result<ShardChoice, String> {
    if text == "auto" { Ok(ShardChoice::Auto) } else { Shard::parse(text).map(ShardChoice::Given) }
}

/// Order of the test cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Order {
    /// By name.
    Name,
    /// Unexpected results of the latest run first, then by name.
    LastFailed,
    /// Slowest first, by --durations or the latest run.
    SlowestFirst,
    /// Random, but the same for equal seeds.
    Random,
}

/// Options of compiler, simulator and driver.
#[derive(Clone, Debug, Args)]
pub(super) struct DeviceArgs {
    #[command(flatten)]
    pub(super) driver: DriverArgs,
    #[command(flatten)]
    pub(super) compile: CompileArgs,
    /// exact, or worst: the math unit has the maximum documented error.
    #[arg(long, value_name = "HOW", value_parser = ["exact", "worst"], default_value = "exact", hide_default_value = true, hide_possible_values = true)]
    pub(super) math: String,
    /// Execute these binaries instead of compiling.
    #[arg(long, value_name = "DIR")]
    pub(super) binaries: Option<PathBuf>,
}

/// Options of the OpenGL or Vulkan driver.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct DriverArgs {
    /// `mesa` on a virtual GPU, or a driver's folder for --gen gl or vk.
    #[arg(long, value_name = "mesa|DIR", value_parser = DriverChoice::parse)]
    pub(super) driver: Option<DriverChoice>,
    /// EGL platform of --gen gl: surfaceless, device, gbm (default: any).
    #[arg(long, value_name = "NAME", value_parser = values::platform(), hide_possible_values = true)]
    pub(super) gl_platform: Option<Platform>,
    /// Device of --gen gl, by its number in EGL's list or its file.
    #[arg(long, value_name = "N|FILE", value_parser = values::device, hide_short_help = true)]
    pub(super) gl_device: Option<DeviceChoice>,
    /// Device of --gen vk, by its number in the loader's list or a part of its name.
    #[arg(long, value_name = "N|NAME", value_parser = values::vk_device, hide_short_help = true)]
    pub(super) vk_device: Option<VkDeviceChoice>,
    /// Load Vulkan's validation layers: each message is a failure.
    #[arg(long, hide_short_help = true)]
    pub(super) vk_validate: bool,
}

impl DriverArgs {
    /// True if tests execute with a driver on a virtual GPU.
    pub(super) fn is_virtual(&self) -> bool {
        self.driver == Some(DriverChoice::Mesa)
    }

    /// Returns the folder of a driver that is not the system's.
    pub(super) fn folder(&self) -> Option<&Path> {
        match &self.driver {
            Some(DriverChoice::Folder(folder)) => Some(folder),
            Some(DriverChoice::Mesa) | None => None,
        }
    }
}

/// Driver that executes tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum DriverChoice {
    /// Mesa's driver of the generation, on a virtual GPU.
    Mesa,
    /// An OpenGL or Vulkan driver that is installed in a folder.
    Folder(PathBuf),
}

impl DriverChoice {
    pub(super) fn parse(text: &str) -> Result<DriverChoice, Infallible> {
        Ok(match text {
            "mesa" => DriverChoice::Mesa,
            folder => DriverChoice::Folder(folder.into()),
        })
    }
}

impl fmt::Display for DriverChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DriverChoice::Mesa => f.write_str("mesa"),
            DriverChoice::Folder(folder) => folder.display().fmt(f),
        }
    }
}

/// Options of the compiler.
#[derive(Clone, Debug, Args)]
pub(super) struct CompileArgs {
    /// Back end for stages with a choice.
    #[arg(long, value_parser = values::backend(), value_name = "NAME")]
    pub(super) backend: Option<Backend>,
    /// Run only one width: vec4, SIMD8, SIMD16, SIMD32, wave64.
    #[arg(long, value_parser = values::width(), value_name = "W", hide_possible_values = true)]
    pub(super) width: Option<Width>,
    /// Run at most N optional passes, of all or of one kernel (repeatable).
    #[arg(long, value_name = "[SCOPE=]N", value_parser = PassLimit::parse)]
    pub(super) pass_limit: Vec<PassLimit>,
    /// Leave an optional compiler pass out (repeatable).
    #[arg(long, value_name = "PASS")]
    pub(super) disable_pass: Vec<String>,
    /// Inline calls up to N expressions in a stage, rather than up to a limit for real programs; 0
    /// inlines none.
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub(super) inline_limit: Option<u32>,
    /// Compile with this command (docs/compiler-protocol.md).
    #[arg(long, value_name = "CMD", value_parser = CommandLine::parse)]
    pub(super) compiler: Option<CommandLine>,
    /// Switch off the compiler's handling of a hardware quirk (repeatable).
    #[arg(long, value_name = "QUIRK")]
    pub(super) disable_quirk: Vec<String>,
    /// Liveness in the allocator: byte is exact, whole is for comparison (partial writes define
    /// nothing).
    #[arg(long, value_name = "HOW", value_parser = ["byte", "whole"], default_value = "byte", hide_default_value = true, hide_short_help = true)]
    pub(super) liveness: String,
    /// Interference of payload registers: last-use is exact, all is for comparison.
    #[arg(long, value_name = "WHAT", value_parser = ["last-use", "all"], default_value = "last-use", hide_default_value = true, hide_short_help = true)]
    pub(super) payload_interference: String,
    /// Run binaries that break the instruction set's rules, for experiments.
    #[arg(long, hide_short_help = true)]
    pub(super) no_validate: bool,
}

#[derive(Debug, Args)]
pub(super) struct SettingsArgs {
    /// Options and paths, as for a run.
    #[arg(value_name = "ARGUMENT", trailing_var_arg = true, allow_hyphen_values = true)]
    pub(super) run: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(super) struct ResumeArgs {
    /// The run's folder.
    #[arg(value_name = "RUN")]
    pub(super) run: PathBuf,
    /// Concurrent test cases (default: as in the run).
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) jobs: Option<u16>,
}

#[derive(Debug, Args)]
pub(super) struct RerunArgs {
    /// The run's folder.
    #[arg(value_name = "RUN", default_value = "results/latest")]
    pub(super) run: PathBuf,
    /// Folder of the results (default: results/<date>-<n>).
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// Write a page for every command to this folder (default: print the main page).
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum, value_name = "SHELL")]
    pub(super) shell: Shell,
}

#[derive(Debug, Args)]
pub(super) struct WorkerArgs {
    /// Concurrent test cases.
    pub(super) threads: usize,
    /// Arguments of the run.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(super) run: Vec<OsString>,
}
