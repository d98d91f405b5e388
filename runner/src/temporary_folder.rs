//! Folders of this process that are removed at the end.

use std::path::{Path, PathBuf};

use anyhow::Context;

/// A folder in the system's folder for temporary files.
#[derive(Debug)]
pub struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    /// Creates an empty folder `runner-PURPOSE-PID`.
    ///
    /// # Errors
    /// Fails if it cannot be created.
    pub fn create(purpose: &str) -> anyhow::Result<TemporaryFolder> {
        let path = std::env::temp_dir().join(format!("runner-{purpose}-{}", std::process::id()));
        // An earlier process of the same number may have been killed.
        let _ = std::fs::remove_dir_all(&path);
        #[cfg_attr(not(unix), allow(unused_mut, reason = "only Unix has modes"))]
        let mut builder = std::fs::DirBuilder::new();
        // For this user alone.
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path).with_context(|| path.display().to_string())?;
        Ok(TemporaryFolder(path))
    }

    /// Returns its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::TemporaryFolder;

    #[test]
    fn folders_are_empty_and_removed() {
        let folder = TemporaryFolder::create("test").expect("a folder");
        let path = folder.path().to_owned();
        std::fs::write(path.join("file"), "text").expect("a file");
        std::mem::forget(folder);
        let again = TemporaryFolder::create("test").expect("a folder");
        assert_eq!(again.path(), path);
        assert_eq!(std::fs::read_dir(&path).expect("a folder").count(), 0);
        drop(again);
        assert!(!path.exists());
    }
}
