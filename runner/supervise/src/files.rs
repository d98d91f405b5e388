//! Limit of open files of this process, where the system has one.

/// The limit of open files is too low.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at most {limit} files may be open (ulimit -n), but {needed} are needed")]
pub struct OpenFilesError {
    /// The limit.
    pub limit: u64,
    /// The needed number.
    pub needed: u64,
}

/// Fails unless this process may open `needed` files. Without this check, the first library that
/// gets no file panics.
///
/// # Errors
/// Names both numbers.
pub fn ensure_open_files(needed: u64) -> Result<(), OpenFilesError> {
    #[cfg(unix)]
    if let Some(limit) = rustix::process::getrlimit(rustix::process::Resource::Nofile).current
        && limit < needed
    {
        return Err(OpenFilesError { limit, needed });
    }
    #[cfg(not(unix))]
    let _ = needed;
    Ok(())
}
