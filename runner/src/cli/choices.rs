//! Widths and back ends that do not exist: errors where nothing has them, notes where a stage does
//! not.

use super::args::DeviceArgs;
use crate::console::message::message;
use vocabulary::{Backend, Generation, Width};

/// Checks `--width` and `--backend` of a run and prints notes about stages that they do not apply
/// to. Compilers and binaries from outside have choices of their own.
///
/// # Errors
/// Fails if no stage has kernels of the width.
pub(super) fn check(args: &DeviceArgs, generations: &[Generation]) -> anyhow::Result<()> {
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
fn backend_notes(backend: Backend, generations: &[Generation]) {
    let with = |scalar: bool| -> Vec<&str> {
        let has =
            |g: &&Generation| execute::devinfo(**g).is_some_and(|d| d.has_simd8_urb == scalar);
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
