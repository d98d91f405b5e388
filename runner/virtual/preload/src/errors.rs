//! Error numbers of the system.

use std::io;

/// An error number of the system, or success.
pub(crate) type Answer = Result<(), i32>;

/// The error number of a failure.
pub(crate) fn error_number(error: &io::Error) -> i32 {
    error.raw_os_error().unwrap_or(libc::EIO)
}
