//! `runner gpu`: runs a program on the virtual GPU.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;
use gpu::{Event, Facts, Server, Settings, Summary};
use vocabulary::Generation;

use super::exit::UNEXPECTED;
use super::values::one_generation;

/// File name of the device library.
const LIBRARY: &str = "libpreload.so";
/// Environment variable with the path of the device library.
const LIBRARY_VARIABLE: &str = "RUNNER_GPU_LIBRARY";
/// Longest time for which processes may outlive the command.
const CLOSING_TIME: Duration = Duration::from_secs(5);

#[derive(Debug, Args)]
#[command(after_help = "\
The command sees an Intel GPU of the generation and loads the driver of its own Mesa.
The exit code is that of the command, or 1 if no batch arrived, if a batch failed, or if the
driver fell back to software. INTEL_DEBUG is set to nohiz,noccs,nofc unless it is given.")]
pub(super) struct GpuArgs {
    /// Generation of the GPU.
    #[arg(long = "gen", value_name = "GEN", value_parser = one_generation)]
    generation: Generation,
    /// Write a recording of each batch to this folder.
    #[arg(long, value_name = "DIR")]
    record: Option<PathBuf>,
    /// Print the numbers of processes, batches and commands at the end.
    #[arg(long)]
    counts: bool,
    /// Program and its arguments, after `--`.
    #[arg(value_name = "COMMAND", required = true, last = true)]
    command: Vec<OsString>,
}

/// Runs the program and returns its exit code.
pub(super) fn gpu(args: &GpuArgs) -> anyhow::Result<u8> {
    let library = library()?;
    let folder = std::env::temp_dir().join(format!("runner-gpu-{}", std::process::id()));
    std::fs::create_dir(&folder).with_context(|| folder.display().to_string())?;
    let outcome = run(args, &library, &folder.join("socket"));
    let _ = std::fs::remove_dir_all(&folder);
    let (code, summary) = outcome?;
    if args.counts {
        let Summary { processes, batches, commands, .. } = summary;
        eprintln!("gpu: {processes} processes, {batches} batches, {commands} commands");
    }
    Ok(match problem(&summary, args.generation) {
        Some(problem) => {
            eprintln!("gpu: {problem}");
            if code == 0 { UNEXPECTED } else { code }
        }
        None => code,
    })
}

/// Runs the program with a server at `socket`.
fn run(args: &GpuArgs, library: &Path, socket: &Path) -> anyhow::Result<(u8, Summary)> {
    let settings = Settings {
        generation: args.generation,
        record: args.record.clone(),
        observer: Box::new(show),
    };
    let server = Server::start(socket, settings).context("the service of the virtual GPU")?;
    let mut command = Command::new(&args.command[0]);
    command.args(&args.command[1..]);
    command.env("LD_PRELOAD", preload(library));
    command.env(submission::SOCKET_VARIABLE, socket);
    command.env(submission::GENERATION_VARIABLE, args.generation.name());
    for (name, value) in environment() {
        if std::env::var_os(name).is_none() {
            command.env(name, value);
        }
    }
    for name in ["LIBGL_ALWAYS_SOFTWARE", "GALLIUM_DRIVER", "MESA_LOADER_DRIVER_OVERRIDE"] {
        command.env_remove(name);
    }
    let name = args.command[0].to_string_lossy().into_owned();
    let status = command.status().with_context(|| format!("cannot run `{name}`"))?;
    let summary = server.finish(CLOSING_TIME);
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    if code.is_none() {
        eprintln!("gpu: `{name}`: {status}");
    }
    Ok((code.unwrap_or(UNEXPECTED), summary))
}

/// Variables that are set unless the user has set them.
fn environment() -> [(&'static str, &'static str); 4] {
    [
        ("PIGLIT_PLATFORM", "surfaceless_egl"),
        ("EGL_PLATFORM", "surfaceless"),
        ("MESA_SHADER_CACHE_DISABLE", "true"),
        ("INTEL_DEBUG", "nohiz,noccs,nofc"),
    ]
}

/// The device library, then the libraries that the user preloads.
fn preload(library: &Path) -> OsString {
    let mut list = library.as_os_str().to_owned();
    if let Some(others) = std::env::var_os("LD_PRELOAD").filter(|others| !others.is_empty()) {
        list.push(":");
        list.push(others);
    }
    list
}

/// Finds the device library: by the variable, else beside the program.
fn library() -> anyhow::Result<PathBuf> {
    if let Some(path) = std::env::var_os(LIBRARY_VARIABLE).map(PathBuf::from) {
        if !path.is_file() {
            bail!("{LIBRARY_VARIABLE}: no file {}", path.display());
        }
        return Ok(path.canonicalize()?);
    }
    let program = std::env::current_exe().context("the path of this program")?;
    let path = program.with_file_name(LIBRARY);
    if !path.is_file() {
        bail!(
            "no device library {}: build it with `cargo build -p preload`, with the profile of \
             this program, or name it in {LIBRARY_VARIABLE}",
            path.display()
        );
    }
    Ok(path)
}

/// Prints an event.
fn show(event: Event) {
    match event {
        Event::Log { pid, text } => eprintln!("gpu: process {pid}: {text}"),
        Event::Failed { pid, batch, text } => {
            eprintln!("gpu: process {pid}: batch {batch} failed: {text}");
        }
    }
}

/// Says why the run proves nothing about the driver.
fn problem(summary: &Summary, generation: Generation) -> Option<String> {
    let driver = Facts::of(generation).driver;
    if summary.processes == 0 {
        return Some(format!("no process opened the device; was {driver} loaded?"));
    }
    if summary.batches == 0 {
        return Some(format!("no batch arrived; {driver} was not used"));
    }
    if summary.fallbacks > 0 {
        let count = summary.fallbacks;
        return Some(format!("{count} processes fell back to Mesa's software renderer"));
    }
    (summary.failed > 0).then(|| format!("{} batches failed", summary.failed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_without_batches_are_no_success() {
        let good = Summary { processes: 1, batches: 2, commands: 9, ..Summary::default() };
        assert_eq!(problem(&good, Generation::Ivb), None);
        let silent = Summary { batches: 0, ..good.clone() };
        let text = problem(&silent, Generation::Ivb).expect("a problem");
        assert_eq!(text, "no batch arrived; crocus was not used");
        assert!(problem(&Summary { fallbacks: 1, ..good.clone() }, Generation::Skl).is_some());
        assert!(problem(&Summary { failed: 1, ..good.clone() }, Generation::Skl).is_some());
        assert!(problem(&Summary { processes: 0, ..good }, Generation::Skl).is_some());
    }
}
