//! Errors of the device.

use raster::device::DeviceError;
use vocabulary::Phase;

/// Returns the error of a phase that refused a shader or its binary.
#[cold]
pub(crate) fn rejected(phase: Phase, message: String) -> DeviceError {
    DeviceError::Rejected { phase, message }
}
