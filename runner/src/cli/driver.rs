//! The OpenGL driver of `--gen gl`: its libraries, and its names, which a process of its own asks
//! for.

use std::ffi::OsString;
use std::process::{Command, Stdio};

use anyhow::Context;

use super::args::DriverArgs;
use super::exit::EXPECTED;
use super::install;
use super::options::driver_options;
use super::output::print;
use super::workers;
use crate::supervise::change_environment;
use crate::virtual_gpu::{VirtualGpu, check_renderer};
use results::DriverHeader;
use vocabulary::{Generation, Target};

/// Name of the command.
const COMMAND: &str = "%driver";

/// Prints the names of the driver as JSON: the hidden command.
pub(super) fn describe(args: &DriverArgs) -> anyhow::Result<u8> {
    install::enter(args.folder())?;
    execute::driver::configure(driver_options(args));
    let identity = execute::driver::identity()?;
    let header = DriverHeader {
        renderer: identity.renderer,
        vendor: identity.vendor,
        version: identity.version,
    };
    print(&serde_json::to_vec(&header)?)?;
    Ok(EXPECTED)
}

/// Starts the virtual GPU of a run with `--driver`.
///
/// # Errors
/// Fails unless there is one generation with hardware, and if the GPU cannot be started.
pub(super) fn virtual_gpu(
    args: &DriverArgs,
    generations: &[Target],
) -> anyhow::Result<Option<VirtualGpu>> {
    if !args.is_virtual() {
        return Ok(None);
    }
    match generations {
        &[target] => VirtualGpu::start(virtual_generation(target)?, None, |_| {}).map(Some),
        _ => Err(no_virtual_gpu()),
    }
}

/// Returns the generation of a target that has a virtual GPU.
///
/// # Errors
/// Fails for other targets.
pub(super) fn virtual_generation(target: Target) -> anyhow::Result<Generation> {
    let is_intel = |generation: &Generation| Generation::INTEL.contains(generation);
    target.generation().filter(is_intel).ok_or_else(no_virtual_gpu)
}

fn no_virtual_gpu() -> anyhow::Error {
    anyhow::anyhow!("--driver needs one generation with hardware, such as --gen ivb")
}

/// Ends the workers of a run, then its virtual GPU, which waits for those that use it.
///
/// # Errors
/// Fails if the GPU's counts prove nothing about the driver.
pub(super) fn finish(
    workers: tokio::runtime::Runtime,
    gpu: Option<VirtualGpu>,
) -> anyhow::Result<()> {
    drop(workers);
    match gpu.and_then(|gpu| gpu.finish().1) {
        Some(problem) => anyhow::bail!("--driver: {problem}"),
        None => Ok(()),
    }
}

/// Returns the names of the driver if one of the generations is `gl`, or of the driver on a virtual
/// GPU.
///
/// # Errors
/// Fails if the machine has no OpenGL, if the driver crashes, and if it is not that of the GPU.
pub(super) fn identify(
    args: &DriverArgs,
    generations: &[Target],
    gpu: Option<&VirtualGpu>,
) -> anyhow::Result<Option<DriverHeader>> {
    let is_given = generations.contains(&execute::driver::TARGET);
    if args.folder().is_some() && !is_given {
        anyhow::bail!("--driver DIR needs --gen gl");
    }
    if args.is_virtual() && gpu.is_none() {
        anyhow::bail!("--driver mesa: only runs of tests have a virtual GPU");
    }
    if !is_given && gpu.is_none() {
        return Ok(None);
    }
    install::enter(args.folder())?;
    let option = if is_given { "--gen gl" } else { "--driver" };
    let mut command = Command::new(workers::program()?);
    command.arg(COMMAND).args(words(args)).stdin(Stdio::null());
    if let Some(gpu) = gpu {
        change_environment(&mut command, &gpu.environment());
    }
    let output = command.output().context("the OpenGL driver")?;
    if !output.status.success() {
        anyhow::bail!("{option}: {} ({})", workers::error_of(&output), output.status);
    }
    let header: DriverHeader =
        serde_json::from_slice(&output.stdout).context("the OpenGL driver's names")?;
    if gpu.is_some() {
        check_renderer(&header.renderer)?;
    }
    Ok(Some(header))
}

/// Returns the options as they are given on the command line.
pub(super) fn words(args: &DriverArgs) -> Vec<OsString> {
    let platform = args.gl_platform.map(|platform| platform.name().to_owned());
    let device = args.gl_device.as_ref().map(ToString::to_string);
    let options = [("--gl-platform", platform), ("--gl-device", device)];
    let given = options.into_iter().filter_map(|(name, value)| Some([name.to_owned(), value?]));
    let words = given.flatten().map(OsString::from);
    let folder = args.folder().into_iter().flat_map(|folder| ["--driver".into(), folder.into()]);
    words.chain(folder).collect()
}
