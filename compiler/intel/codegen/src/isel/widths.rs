//! Widths of the kernels of stages with one channel per invocation.

use crate::error::CompileError;
use crate::output::{Kernel, Width};

/// Compiles the kernels of a stage that runs at several widths: SIMD8 unless only SIMD16 is wanted
/// (an empty list wants all), SIMD16 unless it fails beside a SIMD8 kernel, or alone, which gives
/// a SIMD8 kernel instead. `simd16` says whether the stage has a SIMD16 kernel at all.
///
/// # Errors
/// The SIMD8 kernel's, and internal errors.
pub fn kernels(
    wanted: &[Width],
    simd16: bool,
    mut compile: impl FnMut(Width) -> Result<Kernel, CompileError>,
) -> Result<Vec<Kernel>, CompileError> {
    let is_wanted = |width: Width| wanted.is_empty() || wanted.contains(&width);
    let mut kernels = Vec::new();
    if is_wanted(Width::Simd8) || !is_wanted(Width::Simd16) {
        kernels.push(compile(Width::Simd8)?);
    }
    if is_wanted(Width::Simd16) && simd16 {
        match compile(Width::Simd16) {
            Ok(kernel) => kernels.push(kernel),
            Err(error) if error.internal.is_some() => return Err(error),
            // The SIMD8 kernel does the work; a wider one is an optimization.
            Err(_) if !kernels.is_empty() => {}
            Err(_) => kernels.push(compile(Width::Simd8)?),
        }
    }
    Ok(kernels)
}
