//! Location of piglit's files, if they are installed.

use std::path::{Path, PathBuf};

/// The directory that holds piglit's `tests` and `generated_tests`.
pub(crate) fn root() -> Option<PathBuf> {
    if let Some(root) = std::env::var_os("PIGLIT_DIR") {
        return Some(PathBuf::from(root)).filter(|root| root.is_dir());
    }
    let library = Path::new("/usr/lib");
    let multiarch =
        std::fs::read_dir(library).into_iter().flatten().flatten().map(|entry| entry.path());
    let candidates =
        multiarch.chain([library.to_path_buf()]).map(|directory| directory.join("piglit"));
    candidates.into_iter().find(|root| root.join("generated_tests").is_dir())
}

/// Every `.shader_test` file below a directory, sorted.
pub(crate) fn files(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut directories = vec![root.to_path_buf()];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "shader_test") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}
