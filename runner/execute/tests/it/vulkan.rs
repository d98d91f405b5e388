//! Vulkan scripts on all generations: simulator and interpreter agree, and expectations hold.

use std::path::{Path, PathBuf};

use execute::{Devices, RunOptions, TestCase, run_file};
use results::verdict::Status;
use vocabulary::Target;

/// Prefix and suffix of the reason of a script that needs a program of Khronos.
const MISSING: [&str; 2] = ["the program ", " is not installed"];

fn scripts() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/vulkan");
    let entries = std::fs::read_dir(folder).expect("the folder of scripts");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

#[test]
fn scripts_pass_on_every_generation() {
    let (options, devices) = (RunOptions::default(), Devices::default());
    let mut passed = Vec::new();
    for path in scripts() {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        for target in Target::hardware() {
            let case = TestCase::new(&name, target, &options, &devices);
            let verdict = run_file(&path, &TestCase { path: Some(&path), ..case });
            let reason = verdict.cause.as_ref().map_or("", |(_, reason)| reason);
            let is_missing = reason.starts_with(MISSING[0]) && reason.ends_with(MISSING[1]);
            match verdict.status {
                Status::Pass => passed.push((name.clone(), target)),
                Status::Skip if is_missing => {}
                _ => panic!("{name} on {target}: {verdict:?}"),
            }
        }
    }
    // Assembly needs no program.
    for target in Target::hardware() {
        assert!(passed.contains(&("spirv.amber".to_owned(), target)), "{target}");
    }
}
