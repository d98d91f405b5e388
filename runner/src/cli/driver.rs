//! The drivers of `--gen gl` and `--gen vk`: their libraries, and their names, which a process of
//! its own asks for.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Context;
use clap::Args;

use super::args::DriverArgs;
use super::exit::EXPECTED;
use super::install;
use super::options::configure_drivers;
use super::output::print;
use super::values::{Generations, generations};
use super::workers;
use crate::virtual_gpu::{VirtualGpu, check_renderer};
use results::DriverHeader;
use supervise::change_environment;
use vocabulary::{Generation, Target};

/// Name of the command.
const COMMAND: &str = "%driver";

/// Arguments of the hidden command.
#[derive(Debug, Args)]
pub(super) struct DescribeArgs {
    /// `gl` or `vk`.
    #[arg(value_parser = generations)]
    target: Generations,
    #[command(flatten)]
    driver: DriverArgs,
}

/// Prints the names of a driver as JSON: the hidden command.
pub(super) fn describe(args: &DescribeArgs) -> anyhow::Result<u8> {
    install::enter(args.driver.folder())?;
    configure_drivers(&args.driver);
    let header = if args.target.0.contains(&execute::vulkan::TARGET) {
        let identity = execute::vulkan::identity()?;
        DriverHeader {
            renderer: identity.renderer,
            vendor: identity.vendor,
            version: format!("Vulkan {}", identity.version),
        }
    } else {
        let identity = execute::driver::identity()?;
        DriverHeader {
            renderer: identity.renderer,
            vendor: identity.vendor,
            version: identity.version,
        }
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
    target.generation().ok_or_else(no_virtual_gpu)
}

fn no_virtual_gpu() -> anyhow::Error {
    anyhow::anyhow!("--driver needs one generation with hardware, such as --gen ivb")
}

/// Ends the workers of a run, then its virtual GPU, which waits for those that use it. `executed`
/// tells that some test was no skip.
///
/// # Errors
/// Fails if the GPU's counts prove nothing about the driver, which executed tests.
pub(super) fn finish(
    workers: tokio::runtime::Runtime,
    gpu: Option<VirtualGpu>,
    executed: bool,
) -> anyhow::Result<()> {
    drop(workers);
    match gpu.and_then(|gpu| gpu.finish().1).filter(|_| executed) {
        Some(problem) => anyhow::bail!("--driver: {problem}"),
        None => Ok(()),
    }
}

/// Returns the drivers that execute tests: those of the generations, or on a virtual GPU those for
/// the kinds of the files.
pub(super) fn of_files<'a>(
    args: &DriverArgs,
    generations: &[Target],
    files: impl Iterator<Item = &'a Path>,
) -> BTreeSet<Target> {
    match args.is_virtual() {
        true => files.map(|path| execute::kind_of(path).driver()).collect(),
        false => generations.iter().copied().filter(|target| target.has_system_driver()).collect(),
    }
}

/// Returns the names of the drivers that execute tests; `None` if none does. Without tests that
/// need one (`is_needed`), a machine may lack it: programs bring their drivers along.
///
/// # Errors
/// Fails if the machine has no such driver, if a driver crashes, and if it is not that of the GPU.
pub(super) fn identify(
    args: &DriverArgs,
    drivers: &BTreeSet<Target>,
    gpu: Option<&VirtualGpu>,
    is_needed: bool,
) -> anyhow::Result<Option<DriverHeader>> {
    if args.folder().is_some() && drivers.is_empty() {
        anyhow::bail!("--driver DIR needs --gen gl or vk");
    }
    if args.is_virtual() && gpu.is_none() {
        anyhow::bail!("--driver mesa: only runs of tests have a virtual GPU");
    }
    install::enter(args.folder())?;
    let identified = drivers.iter().map(|&driver| identify_one(args, driver, gpu));
    let headers: Vec<DriverHeader> = match identified.collect::<anyhow::Result<_>>() {
        Err(error) if is_needed || gpu.is_some() => return Err(error),
        headers => headers.unwrap_or_default(),
    };
    let all =
        |name: fn(&DriverHeader) -> &str| headers.iter().map(name).collect::<Vec<_>>().join("; ");
    Ok((!headers.is_empty()).then(|| DriverHeader {
        renderer: all(|header| &header.renderer),
        vendor: all(|header| &header.vendor),
        version: all(|header| &header.version),
    }))
}

fn identify_one(
    args: &DriverArgs,
    driver: Target,
    gpu: Option<&VirtualGpu>,
) -> anyhow::Result<DriverHeader> {
    let option = match gpu {
        Some(_) => "--driver".to_owned(),
        None => format!("--gen {driver}"),
    };
    let mut command = Command::new(workers::program()?);
    command.arg(COMMAND).arg(driver.name()).args(words(args)).stdin(Stdio::null());
    if let Some(gpu) = gpu {
        change_environment(&mut command, &gpu.environment());
    }
    let output = command.output().context("the driver")?;
    if !output.status.success() {
        anyhow::bail!("{option}: {} ({})", workers::error_of(&output), output.status);
    }
    let header: DriverHeader =
        serde_json::from_slice(&output.stdout).context("the driver's names")?;
    if gpu.is_some() {
        check_renderer(&header.renderer)?;
    }
    Ok(header)
}

/// Returns the options as they are given on the command line.
pub(super) fn words(args: &DriverArgs) -> Vec<OsString> {
    let platform = args.gl_platform.map(|platform| platform.name().to_owned());
    let device = args.gl_device.as_ref().map(ToString::to_string);
    let vk_device = args.vk_device.as_ref().map(ToString::to_string);
    let options =
        [("--gl-platform", platform), ("--gl-device", device), ("--vk-device", vk_device)];
    let given = options.into_iter().filter_map(|(name, value)| Some([name.to_owned(), value?]));
    let words = given.flatten().map(OsString::from);
    let folder = args.folder().into_iter().flat_map(|folder| ["--driver".into(), folder.into()]);
    let validate = args.vk_validate.then(|| "--vk-validate".into());
    words.chain(folder).chain(validate).collect()
}
