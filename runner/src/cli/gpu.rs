//! `runner gpu`: runs a program on the virtual GPU.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Context;
use clap::Args;
use gpu_service::Summary;
use vocabulary::Target;

use super::exit::UNEXPECTED;
use super::values::one_generation;
use crate::virtual_gpu::VirtualGpu;
use supervise::change_environment;

#[derive(Debug, Args)]
#[command(after_help = "\
The command sees an Intel GPU of the generation and loads the driver of its own Mesa.
The exit code is that of the command, or 1 if no batch arrived, if a batch failed, or if the
driver fell back to software. INTEL_DEBUG is set to nohiz,noccs,nofc unless it is given.")]
pub(super) struct GpuArgs {
    /// Generation of the GPU.
    #[arg(long = "gen", value_name = "GEN", value_parser = one_generation)]
    generation: Target,
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
    let show = |line: &str| eprintln!("{line}");
    let gpu = VirtualGpu::start(
        super::driver::virtual_generation(args.generation)?,
        args.record.clone(),
        show,
    )?;
    let mut command = Command::new(&args.command[0]);
    command.args(&args.command[1..]);
    change_environment(&mut command, &gpu.environment());
    let name = args.command[0].to_string_lossy().into_owned();
    let status = command.status().with_context(|| format!("cannot run `{name}`"))?;
    let (summary, problem) = gpu.finish();
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    if code.is_none() {
        eprintln!("gpu: `{name}`: {status}");
    }
    let code = code.unwrap_or(UNEXPECTED);
    let Summary { processes, batches, commands, failed, .. } = summary;
    if args.counts {
        eprintln!("gpu: {processes} processes, {batches} batches, {commands} commands");
    }
    let failed = (failed > 0).then(|| format!("{failed} batches failed"));
    Ok(match problem.or(failed) {
        Some(problem) => {
            eprintln!("gpu: {problem}");
            if code == 0 { UNEXPECTED } else { code }
        }
        None => code,
    })
}
