//! Conversion of command-line options for compiler, devices and results.

use std::collections::BTreeMap;
use std::time::Duration;

use compiler::{CodegenOptions, LivenessGranularity, PayloadInterference, Quirk};
use raster::deferred::ShadeMode;

use super::args::{CompileArgs, DriverArgs, ExecuteArgs, RunArgs};
use super::install;
use super::suggest;
use super::workers;
use execute::driver::Platform;
use execute::external::{CommandLine, ExternalCompiler};
use execute::{
    ExecutionOptions, ExecutorSelection, ProgramOptions, RunOptions, disable_passes, disable_quirks,
};
use results::Junit;
use results::names::quoted;
use results::passes::PassLimit;
use submission::GENERATION_VARIABLE;

/// Maximum time for an answer of an external compiler; less if the time limit of test cases is
/// short.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(60);

/// Returns the selection of results for a JUnit report.
pub(super) fn junit(failures_only: bool) -> Junit {
    if failures_only { Junit::FailuresOnly } else { Junit::All }
}

/// Returns the options shared by all test cases of a run.
pub(super) fn run_options(args: &RunArgs) -> anyhow::Result<RunOptions> {
    execute_options(&args.execute, args.reference_only)
}

/// Returns the options of executions.
pub(super) fn execute_options(
    args: &ExecuteArgs,
    reference_only: bool,
) -> anyhow::Result<RunOptions> {
    install::enter(args.device.driver.folder())?;
    configure_drivers(&args.device.driver);
    args.modules.enter();
    simulation_options(args, reference_only)
}

/// Returns the options of executions without those of drivers.
pub(super) fn simulation_options(
    args: &ExecuteArgs,
    reference_only: bool,
) -> anyhow::Result<RunOptions> {
    let executors = match (reference_only, args.no_reference) {
        (true, _) => ExecutorSelection::ReferenceOnly,
        (_, true) => ExecutorSelection::SimulatorOnly,
        _ => ExecutorSelection::Both,
    };
    let shade = if args.shade == "all" { ShadeMode::Immediate } else { ShadeMode::Deferred };
    let (compile_only, execution) = (args.compile_only, execution_options(args)?);
    let programs = program_options(args);
    let is_translated = args.modules.spirv;
    Ok(RunOptions { executors, compile_only, is_translated, shade, execution, programs })
}

/// Returns the options of programs that are tests. They end before their worker, so that their
/// output is kept.
fn program_options(args: &ExecuteArgs) -> ProgramOptions {
    let limit = Duration::from_secs(args.timeout.into());
    let memory = args.memory_limit.map(|mebibytes| u64::from(mebibytes) << 20);
    let defaults = ProgramOptions::default();
    ProgramOptions {
        time_limit: limit - (limit / 20).min(Duration::from_secs(1)),
        memory: memory.or_else(|| supervise::default_limit(workers::jobs(None))),
        platform: piglit_platform(&args.device.driver).unwrap_or(defaults.platform),
    }
}

/// Returns piglit's name of the chosen platform of windows.
fn piglit_platform(args: &DriverArgs) -> Option<String> {
    match args.gl_platform {
        Some(Platform::Gbm) => Some("gbm".to_owned()),
        Some(Platform::Surfaceless | Platform::Device) => None,
        None => std::env::var("PIGLIT_PLATFORM").ok().filter(|name| !name.is_empty()),
    }
}

/// Selects the drivers that this process opens when it needs them.
pub(super) fn configure_drivers(args: &DriverArgs) {
    let (platform, device) = (args.gl_platform, args.gl_device.clone());
    execute::driver::configure(execute::driver::Options { platform, device });
    execute::vulkan::configure(execute::vulkan::VkOptions {
        device: args.vk_device.clone(),
        validate: args.vk_validate,
        must_be_virtual: args.is_virtual() || std::env::var_os(GENERATION_VARIABLE).is_some(),
    });
}

/// Returns the options of compiler and simulator.
fn execution_options(run: &ExecuteArgs) -> anyhow::Result<ExecutionOptions> {
    let args = &run.device;
    if let Some(folder) = args.binaries.as_deref().filter(|folder| !folder.is_dir()) {
        anyhow::bail!("{}: no such folder of binaries", folder.display());
    }
    let mut options = compile_options(&args.compile)?;
    if let Some(compiler) = &mut options.compiler {
        // A late answer must be distinguishable from a hanging test case.
        compiler.response_timeout =
            compiler.response_timeout.min(Duration::from_millis(u64::from(run.timeout) * 500));
    }
    Ok(ExecutionOptions {
        worst_math: args.math == "worst",
        binaries: args.binaries.clone(),
        ..options
    })
}

/// Returns the options of the compiler.
pub(super) fn compile_options(args: &CompileArgs) -> anyhow::Result<ExecutionOptions> {
    let (passes, quirks) = (sorted(&args.disable_pass), sorted(&args.disable_quirk));
    check_names(&passes, &quirks)?;
    let mut codegen = CodegenOptions {
        widths: args.width.into_iter().collect(),
        backend: args.backend,
        liveness: match args.liveness.as_str() {
            "whole" => LivenessGranularity::Register,
            _ => LivenessGranularity::Byte,
        },
        payload_interference: match args.payload_interference.as_str() {
            "all" => PayloadInterference::All,
            _ => PayloadInterference::LastUse,
        },
        inline_limit: args.inline_limit,
        no_validate: args.no_validate,
        ..CodegenOptions::default()
    };
    codegen.pass_limits.extend(&args.pass_limit);
    disable_passes(&mut codegen, &passes);
    disable_quirks(&mut codegen, &quirks);
    let external = |command| ExternalCompiler { command, response_timeout: RESPONSE_TIMEOUT };
    let compiler = args.compiler.clone().map(external);
    Ok(ExecutionOptions { codegen, compiler, ..ExecutionOptions::default() })
}

/// Returns names in order, each once.
fn sorted(names: &[String]) -> Vec<String> {
    let mut names = names.to_vec();
    names.sort();
    names.dedup();
    names
}

/// Fails if a pass or a quirk is unknown.
fn check_names(passes: &[String], quirks: &[String]) -> anyhow::Result<()> {
    let known: Vec<&str> = Quirk::ALL.iter().map(|quirk| quirk.name()).collect();
    suggest::known("quirk", quirks, &known)?;
    let known: Vec<&str> = compiler::passes::optional().into_iter().collect();
    let listed = passes.iter().map(|name| compiler::passes::listed(name).to_owned());
    suggest::known("pass", &listed.collect::<Vec<_>>(), &known)
}

/// Returns the options that differ from the defaults and can change verdicts, by name. Paths are
/// left out: binaries are distinguished by their hashes.
pub(super) fn changed_options(
    args: &ExecuteArgs,
    options: &ExecutionOptions,
) -> BTreeMap<String, String> {
    let mut changed = BTreeMap::new();
    let mut put = |name: &str, value: Option<String>| {
        changed.extend(value.map(|value| (name.to_owned(), value)));
    };
    let (compile, codegen) = (&args.device.compile, &options.codegen);
    put("backend", codegen.backend.map(|b| b.name().to_owned()));
    put("width", compile.width.map(|w| w.name().to_owned()));
    let limits: Vec<String> = compile.pass_limit.iter().map(PassLimit::to_string).collect();
    put("pass-limit", join(&limits));
    put("disable-pass", join(&sorted(&compile.disable_pass)));
    put("disable-quirk", join(&sorted(&compile.disable_quirk)));
    put("inline-limit", compile.inline_limit.map(|limit| limit.to_string()));
    let whole = codegen.liveness == LivenessGranularity::Register;
    put("liveness", whole.then(|| "whole".to_owned()));
    let all = codegen.payload_interference == PayloadInterference::All;
    put("payload-interference", all.then(|| "all".to_owned()));
    put("validate", codegen.no_validate.then(|| "no".to_owned()));
    put("math", options.worst_math.then(|| "worst".to_owned()));
    put("compile-only", args.compile_only.then(|| "yes".to_owned()));
    put("spirv", args.modules.spirv.then(|| "yes".to_owned()));
    put("rewrite", args.modules.rewrite.as_ref().map(ToString::to_string));
    put("shade", (args.shade == "all").then(|| "all".to_owned()));
    put("reference", args.no_reference.then(|| "no".to_owned()));
    put("binaries", options.binaries.as_ref().map(|_| "given".to_owned()));
    put("compiler", options.compiler.as_ref().map(|_| "given".to_owned()));
    let driver = &args.device.driver;
    put("driver", driver.driver.as_ref().map(ToString::to_string));
    put("gl-platform", driver.gl_platform.map(|platform| platform.name().to_owned()));
    put("gl-device", driver.gl_device.as_ref().map(ToString::to_string));
    put("vk-device", driver.vk_device.as_ref().map(ToString::to_string));
    put("vk-validate", driver.vk_validate.then(|| "yes".to_owned()));
    put("mock", args.mock.then(|| "yes".to_owned()));
    changed
}

fn join(list: &[String]) -> Option<String> {
    (!list.is_empty()).then(|| list.join("+"))
}

/// Returns the options of a command that executes a test case in the same way, each with its name
/// in [`changed_options`].
pub(super) fn command_options(
    args: &ExecuteArgs,
    changed: &BTreeMap<String, String>,
) -> Vec<(String, String)> {
    let mut options: Vec<(String, String)> = Vec::new();
    for (name, value) in changed {
        let mut put = |text: String| options.push((name.clone(), text));
        match name.as_str() {
            "reference" => put("--no-reference".to_owned()),
            "spirv" => put("--spirv".to_owned()),
            "validate" => put("--no-validate".to_owned()),
            "disable-pass" | "disable-quirk" | "pass-limit" => {
                value.split('+').for_each(|v| put(format!("--{name} {v}")));
            }
            "binaries" => {
                let path =
                    args.device.binaries.as_deref().map(|p| quoted(&p.display().to_string()));
                path.into_iter().for_each(|path| put(format!("--binaries {path}")));
            }
            "compile-only" => put("--compile-only".to_owned()),
            "vk-validate" => put("--vk-validate".to_owned()),
            "driver" | "gl-device" | "vk-device" => put(format!("--{name} {}", quoted(value))),
            "mock" => put("--mock".to_owned()),
            "compiler" => {
                let command = args.device.compile.compiler.as_ref().map(CommandLine::to_string);
                command
                    .into_iter()
                    .for_each(|command| put(format!("--compiler {}", quoted(&command))));
            }
            _ => put(format!("--{name} {value}")),
        }
    }
    options
}
