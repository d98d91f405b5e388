//! Conversion of command-line options for compiler, devices and results.

use std::collections::BTreeMap;
use std::time::Duration;

use softgl::deferred::ShadeMode;

use super::{ExecuteArgs, RunArgs};
use execute::external::CommandLine;
use execute::{DeviceOptions, ExecutorSelection, RunOptions};
use results::names::quoted;
use results::passes::PassLimit;

/// Returns the options shared by all test cases of a run.
pub(super) fn run_options(args: &RunArgs) -> anyhow::Result<RunOptions> {
    execute_options(&args.execute, args.reference_only)
}

/// Returns the options of executions.
pub(super) fn execute_options(
    args: &ExecuteArgs,
    reference_only: bool,
) -> anyhow::Result<RunOptions> {
    let executors = match (reference_only, args.no_reference) {
        (true, _) => ExecutorSelection::ReferenceOnly,
        (_, true) => ExecutorSelection::SimulatorOnly,
        _ => ExecutorSelection::Both,
    };
    let shade = if args.shade == "all" { ShadeMode::Immediate } else { ShadeMode::Deferred };
    Ok(RunOptions { executors, shade, device: device_options(args)? })
}

/// Returns the options of compiler and simulator.
fn device_options(run: &ExecuteArgs) -> anyhow::Result<DeviceOptions> {
    let args = &run.device;
    if let Some(folder) = args.binaries.as_deref().filter(|folder| !folder.is_dir()) {
        anyhow::bail!("{}: no such folder of binaries", folder.display());
    }
    let mut options = args.compile.device_options()?;
    if let Some(compiler) = &mut options.compiler {
        // A late answer must be distinguishable from a hanging test case.
        compiler.response_timeout =
            compiler.response_timeout.min(Duration::from_millis(u64::from(run.timeout) * 500));
    }
    Ok(DeviceOptions {
        worst_math: args.math == "worst",
        binaries: args.binaries.clone(),
        ..options
    })
}

/// Returns the options that differ from the defaults and can change verdicts, by name. Paths are
/// left out: binaries are distinguished by their hashes.
pub(super) fn changed_options(
    args: &ExecuteArgs,
    options: &DeviceOptions,
) -> BTreeMap<String, String> {
    let mut changed = BTreeMap::new();
    let mut put = |name: &str, value: Option<String>| {
        changed.extend(value.map(|value| (name.to_owned(), value)));
    };
    put("backend", options.backend.map(|b| b.name().to_owned()));
    put("width", options.width.map(|w| w.name().to_owned()));
    let limits: Vec<String> = options.pass_limits.iter().map(PassLimit::to_string).collect();
    put("pass-limit", join(&limits));
    put("disable-pass", join(&options.disabled_passes));
    put("disable-quirk", join(&options.disabled_quirks));
    put("liveness", options.whole_liveness.then(|| "whole".to_owned()));
    put("payload-interference", options.payload_interferes.then(|| "all".to_owned()));
    put("validate", options.no_validate.then(|| "no".to_owned()));
    put("math", options.worst_math.then(|| "worst".to_owned()));
    put("shade", (args.shade == "all").then(|| "all".to_owned()));
    put("reference", args.no_reference.then(|| "no".to_owned()));
    put("binaries", options.binaries.as_ref().map(|_| "given".to_owned()));
    put("compiler", options.compiler.as_ref().map(|_| "given".to_owned()));
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
            "validate" => put("--no-validate".to_owned()),
            "disable-pass" | "disable-quirk" | "pass-limit" => {
                value.split('+').for_each(|v| put(format!("--{name} {v}")));
            }
            "binaries" => {
                let path =
                    args.device.binaries.as_deref().map(|p| quoted(&p.display().to_string()));
                path.into_iter().for_each(|path| put(format!("--binaries {path}")));
            }
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
