//! Errors of the device.

use compiler::CompileError;
use program::Stage;
use softgl::device::DeviceError;
use vocabulary::Phase;

/// Returns the error of a phase that refused a shader or its binary.
#[cold]
pub(super) fn rejected(phase: Phase, message: String) -> DeviceError {
    DeviceError::Rejected { phase, message }
}

/// Converts an error of the compiler.
pub(super) fn compile_error(stage: Stage, error: CompileError) -> DeviceError {
    let phase = error.phase();
    let message = format!("{stage} shader: {}", error.reason());
    match error.is_internal() {
        true => DeviceError::Crashed { phase, message },
        false => DeviceError::Rejected { phase, message },
    }
}
