//! Length of Rust files, size of folders and of crates.

use crate::offense::Offense;
use crate::source::{File, Kind};
use std::collections::BTreeMap;

/// Lines of a Rust file.
pub const LINES: usize = 800;
/// Rust files of a folder.
pub const FILES: usize = 25;
/// Lines of Rust of a crate, tests aside.
pub const CRATE_LINES: usize = 15_000;

/// Folders with one pass or one command a file.
const FAMILIES: &[&str] = &["compiler/middle/ir/src/passes", "runner/src/cli"];
/// Crates whose parts share too much to be apart.
const LARGE: &[&str] = &["compiler/intel/codegen/"];

/// Finds Rust files that are longer than [`LINES`].
pub fn check(files: &[File]) -> Vec<Offense> {
    let mut offenses = Vec::new();
    for file in files.iter().filter(|f| f.kind == Kind::Rust) {
        let lines = file.text.lines().count();
        if lines > LINES {
            let message = format!("{lines} lines, {LINES} are allowed: split the file by concern");
            offenses.push(Offense {
                path: file.path.clone(),
                line: lines,
                check: "length",
                message,
            });
        }
    }
    offenses
}

/// Finds folders with more than [`FILES`] Rust files, tests aside.
pub fn check_folders(files: &[File]) -> Vec<Offense> {
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    for (folder, _) in sources(files).filter_map(|file| file.path.rsplit_once('/')) {
        *sizes.entry(folder).or_default() += 1;
    }
    let large = |&(folder, size): &(&str, usize)| size > FILES && !FAMILIES.contains(&folder);
    let offense = |(folder, size): (&str, usize)| Offense {
        path: folder.to_string(),
        line: 1,
        check: "folder",
        message: format!("{size} files, {FILES} are allowed: group them by concern"),
    };
    sizes.into_iter().filter(large).map(offense).collect()
}

/// Finds crates with more than [`CRATE_LINES`] of Rust, tests aside.
pub fn check_crates(files: &[File]) -> Vec<Offense> {
    let manifests = files.iter().filter_map(|file| file.path.strip_suffix("Cargo.toml"));
    let folders: Vec<&str> = manifests.filter(|folder| !folder.is_empty()).collect();
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    for file in sources(files) {
        // A crate may be the folder of others.
        let around = folders.iter().filter(|folder| file.path.starts_with(**folder));
        if let Some(folder) = around.max_by_key(|folder| folder.len()) {
            *sizes.entry(folder).or_default() += file.text.lines().count();
        }
    }
    let large = |&(folder, size): &(&str, usize)| size > CRATE_LINES && !LARGE.contains(&folder);
    let offense = |(folder, size): (&str, usize)| Offense {
        path: format!("{folder}Cargo.toml"),
        line: 1,
        check: "size",
        message: format!("{size} lines, {CRATE_LINES} are allowed: divide the crate"),
    };
    sizes.into_iter().filter(large).map(offense).collect()
}

/// The Rust files that are no tests.
fn sources(files: &[File]) -> impl Iterator<Item = &File> {
    files.iter().filter(|file| file.kind == Kind::Rust && !file.is_test())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_files_are_reported() {
        let offenses =
            check(&[File::new("a.rs", &"\n".repeat(801)), File::new("b.rs", &"\n".repeat(800))]);
        assert_eq!(offenses.len(), 1);
        assert_eq!(
            offenses[0].to_string(),
            "a.rs:801: length: 801 lines, 800 are allowed: split the file by concern"
        );
    }

    #[test]
    fn full_folders_are_reported() {
        let folder = |folder: &str, count: usize| -> Vec<File> {
            (0..count).map(|n| File::new(&format!("{folder}/f{n}.rs"), "")).collect()
        };
        let mut files = folder("a/src", 25);
        files.push(File::new("a/src/tests.rs", ""));
        files.extend(folder("runner/src/cli", 26));
        assert_eq!(check_folders(&files), []);
        files.extend(folder("b/src/inner", 26));
        let found: Vec<String> = check_folders(&files).iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            ["b/src/inner:1: folder: 26 files, 25 are allowed: group them by concern"]
        );
    }

    #[test]
    fn large_crates_are_reported() {
        let lines = |count: usize| "\n".repeat(count);
        let mut files = vec![
            File::new("Cargo.toml", ""),
            File::new("a/Cargo.toml", ""),
            File::new("a/inner/Cargo.toml", ""),
            File::new("a/src/lib.rs", &lines(CRATE_LINES)),
            File::new("a/src/tests.rs", &lines(1)),
            File::new("a/inner/src/lib.rs", &lines(1)),
        ];
        assert_eq!(check_crates(&files), []);
        files.push(File::new("a/src/more.rs", &lines(1)));
        let found: Vec<String> = check_crates(&files).iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            ["a/Cargo.toml:1: size: 15001 lines, 15000 are allowed: divide the crate"]
        );
    }
}
