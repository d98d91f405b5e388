//! Atomic replacement of files.

use std::io;
use std::path::Path;

/// A file that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {path}: {reason}")]
pub struct WriteError {
    /// Path of the file or folder.
    pub path: String,
    /// The system's error.
    pub reason: io::Error,
}

impl WriteError {
    pub(crate) fn at(path: &Path) -> impl Fn(io::Error) -> WriteError + '_ {
        |reason| WriteError { path: path.display().to_string(), reason }
    }
}

/// Replaces a file atomically: readers see the old or the new contents.
///
/// # Errors
/// Fails if the file cannot be written; the old contents remain.
pub fn replace_file(path: &Path, contents: &[u8]) -> Result<(), WriteError> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let temporary = path.with_file_name(name);
    let write = || {
        let mut file = std::fs::File::create(&temporary)?;
        io::Write::write_all(&mut file, contents)?;
        file.sync_all()?;
        std::fs::rename(&temporary, path)
    };
    write().map_err(WriteError::at(path))
}
