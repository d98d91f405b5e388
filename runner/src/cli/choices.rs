//! Options without a meaning for the executors of a run: errors where nothing has them, notes where
//! a stage does not.

use super::args::{DeviceArgs, DriverArgs};
use crate::console::message::message;
use execute::driver::{Platform, TARGET};
use execute::executor;
use vocabulary::{Backend, Target, Width};

/// Checks options that some generations ignore.
///
/// # Errors
/// Fails if all generations ignore an option; names it.
pub(super) fn with_meaning(args: &DeviceArgs, generations: &[Target]) -> anyhow::Result<()> {
    driver(&args.driver, generations)?;
    let is_foreign = generations.iter().all(|&target| !executor(target).runs_our_code());
    match given(args).filter(|_| is_foreign) {
        Some(option) => anyhow::bail!(
            "{option} has no meaning for --gen gl: the driver compiles and executes by itself"
        ),
        None => Ok(()),
    }
}

/// Checks the options of the OpenGL driver.
///
/// # Errors
/// Fails if an option selects nothing.
pub(super) fn driver(args: &DriverArgs, generations: &[Target]) -> anyhow::Result<()> {
    let given =
        [("--gl-device", args.gl_device.is_some()), ("--gl-platform", args.gl_platform.is_some())];
    let uses_driver = args.is_virtual() || generations.contains(&TARGET);
    if let Some((option, _)) = given.iter().find(|(_, given)| *given && !uses_driver) {
        anyhow::bail!("{option} needs --gen gl");
    }
    let vulkan = [("--vk-device", args.vk_device.is_some()), ("--vk-validate", args.vk_validate)];
    let uses_vulkan = args.is_virtual() || generations.contains(&execute::vulkan::TARGET);
    if let Some((option, _)) = vulkan.iter().find(|(_, given)| *given && !uses_vulkan) {
        anyhow::bail!("{option} needs --gen vk");
    }
    anyhow::ensure!(
        args.gl_device.is_none() || args.gl_platform != Some(Platform::Surfaceless),
        "--gl-device needs another platform than surfaceless, which has no choice of devices"
    );
    Ok(())
}

/// Returns the name of an option for compiler or simulator that is not at its default.
fn given(args: &DeviceArgs) -> Option<&'static str> {
    let compile = &args.compile;
    let options = [
        ("--backend", compile.backend.is_some()),
        ("--width", compile.width.is_some()),
        ("--pass-limit", !compile.pass_limit.is_empty()),
        ("--disable-pass", !compile.disable_pass.is_empty()),
        ("--disable-quirk", !compile.disable_quirk.is_empty()),
        ("--inline-limit", compile.inline_limit.is_some()),
        ("--liveness", compile.liveness != "byte"),
        ("--payload-interference", compile.payload_interference != "last-use"),
        ("--no-validate", compile.no_validate),
        ("--compiler", compile.compiler.is_some()),
        ("--math", args.math != "exact"),
        ("--binaries", args.binaries.is_some()),
    ];
    options.into_iter().find(|(_, is_given)| *is_given).map(|(name, _)| name)
}

/// Checks `--width` and `--backend` of a run and prints notes about stages that they do not apply
/// to. Compilers and binaries from outside have choices of their own.
///
/// # Errors
/// Fails if no stage has kernels of the width.
pub(super) fn check(args: &DeviceArgs, generations: &[Target]) -> anyhow::Result<()> {
    if args.compile.compiler.is_some() || args.binaries.is_some() {
        return Ok(());
    }
    match args.compile.width {
        Some(width @ (Width::Vec4 | Width::Simd32)) => anyhow::bail!(
            "--width {}: fragment and compute shaders have SIMD8 and SIMD16 kernels; other stages \
             have one kernel, whose back end --backend selects",
            width.name()
        ),
        Some(Width::Wave64) => {}
        Some(width) => message!(
            "note: --width {} applies to fragment and compute shaders; other stages have one kernel",
            width.name()
        ),
        None => {}
    }
    if let Some(backend) = args.compile.backend {
        backend_notes(backend, generations);
    }
    Ok(())
}

/// Prints notes about stages that another back end compiles.
fn backend_notes(backend: Backend, generations: &[Target]) {
    let with = |scalar: bool| -> Vec<&str> {
        let has = |g: &&Target| execute::devinfo(**g).is_some_and(|d| d.has_simd8_urb == scalar);
        generations.iter().filter(has).map(|generation| generation.name()).collect()
    };
    let (old, new) = (with(false), with(true));
    if backend == Backend::Scalar && !old.is_empty() {
        message!(
            "note: --backend scalar: on {} vertex, tessellation and geometry shaders have vec4 code \
             only",
            old.join(", ")
        );
    }
    if backend == Backend::Vec4 {
        message!("note: --backend vec4: fragment and compute shaders have scalar code only");
    }
    if backend == Backend::Vec4 && !new.is_empty() {
        message!(
            "note: --backend vec4: on {} tessellation and geometry shaders have scalar code only",
            new.join(", ")
        );
    }
}
