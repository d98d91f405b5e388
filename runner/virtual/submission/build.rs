//! Sets `RUNNER_DEVICE_BUILD` to a number of the sources of the device library, so that a program
//! knows a library of other sources.

use std::fs;
use std::path::{Path, PathBuf};

/// Files of a folder and of those in it, in the order of their names.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    let own = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    paths.into_iter().flat_map(own).collect()
}

fn main() {
    // FNV-1a, which does not depend on the compiler's version.
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for folder in ["src", "../preload/src"] {
        println!("cargo:rerun-if-changed={folder}");
        for path in files(Path::new(folder)) {
            let name = path.to_string_lossy().into_owned().into_bytes();
            for byte in name.into_iter().chain(fs::read(&path).unwrap_or_default()) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
    }
    println!("cargo:rustc-env=RUNNER_DEVICE_BUILD={hash:016x}");
}
