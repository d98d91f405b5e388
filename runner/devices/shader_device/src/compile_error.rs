//! Errors of the compiler, as those of devices.

use compiler::CompileError;
use program::Stage;
use raster::device::DeviceError;

/// Converts an error of the compiler.
pub fn compile_error(stage: Stage, error: CompileError) -> DeviceError {
    let phase = error.phase();
    let message = format!("{stage} shader: {}", error.reason());
    match error.is_internal() {
        true => DeviceError::Crashed { phase, message },
        false => DeviceError::Rejected { phase, message },
    }
}
