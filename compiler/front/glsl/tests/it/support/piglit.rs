//! The files of an installed piglit.

use std::path::{Path, PathBuf};

/// Where Debian's package installs piglit.
pub(crate) const PIGLIT: &str = "/usr/lib/x86_64-linux-gnu/piglit";

/// piglit's files with one of these extensions, in order; none without an installed piglit.
pub(crate) fn piglit_files(extensions: &[&str]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    collect(Path::new(PIGLIT), extensions, &mut files);
    files
}

fn collect(dir: &Path, extensions: &[&str], files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    let mut entries: Vec<PathBuf> = entries.filter_map(|e| e.ok().map(|e| e.path())).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(&path, extensions, files);
        } else if path.extension().and_then(|e| e.to_str()).is_some_and(|e| extensions.contains(&e))
        {
            files.push(path);
        }
    }
}
