//! Bounded reading and atomic replacement of files.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

/// Reads a regular file of at most `limit` bytes. Pipes and devices are errors: reading them may
/// block or never end.
///
/// # Errors
/// Returns the system's error, or one that names the violated condition.
pub fn read_regular(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    // Without the flag, opening a pipe waits for its writer. Regular files ignore it.
    let file = File::options()
        .read(true)
        .custom_flags(OFlags::NONBLOCK.bits().cast_signed())
        .open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() && !metadata.is_dir() {
        return Err(io::Error::other("not a regular file"));
    }
    // One byte more than the file has: the reader finds the end without another allocation.
    let mut bytes = Vec::with_capacity(metadata.len().min(limit) as usize + 1);
    file.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::other(format!("larger than {} MiB", limit >> 20)));
    }
    Ok(bytes)
}

/// Maximum size of a test file in bytes; the largest of piglit's has 2 MiB.
pub const TEST_BYTES: u64 = 16 << 20;
/// Maximum size of a file that an option names, in bytes.
pub const OPTION_BYTES: u64 = 64 << 20;
/// Maximum size of a results file in bytes.
pub const RESULTS_BYTES: u64 = 8 << 30;

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
/// Fails if the file cannot be written; the old contents remain, and nothing else.
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
    write().map_err(|reason| {
        // The first error is the one to report.
        let _ = std::fs::remove_file(&temporary);
        WriteError::at(path)(reason)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_replacement_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::create_dir(&path).unwrap();
        assert!(replace_file(&path, b"text").is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
