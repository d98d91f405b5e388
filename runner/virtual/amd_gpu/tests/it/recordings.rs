//! Recorded submissions of AMD's drivers, executed from their recorded memory.
//!
//! The recordings are `../shared/anchors/pm4` beside the workspace, or in the folder that
//! `PM4_CORPUS` names. Skipped with a warning where they are missing.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use amd_gpu::{Gpu, clock};
use packets::Recording;
use vocabulary::Generation;

/// Programs that are executed: those of few pixels.
const PROGRAMS: [&str; 4] = ["clear", "tri", "rectangle", "fs-multiply-add"];

/// Unpacks the recordings; `None` without them or without `tar` and `zstd`.
fn unpacked() -> Option<tempfile::TempDir> {
    let beside =
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/anchors/pm4");
    let folder = std::env::var_os("PM4_CORPUS").map_or_else(beside, PathBuf::from);
    let archive = folder.join("recordings.tar.zst");
    let target = tempfile::tempdir().expect("a folder");
    let mut command = Command::new("tar");
    command.arg("--zstd").arg("-xf").arg(&archive).arg("-C").arg(target.path());
    if !command.output().is_ok_and(|output| output.status.success()) {
        eprintln!("WARNING: no {} or no tar: recordings were not executed", archive.display());
        return None;
    }
    Some(target)
}

/// All submissions below a folder: the files of their buffers.
fn submissions(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("one").path());
    let below = |path: PathBuf| match path.is_dir() {
        true => submissions(&path),
        false => vec![path],
    };
    let mut found: Vec<PathBuf> = entries.flat_map(below).collect();
    found.retain(|path| path.extension().is_some_and(|e| e == "ibs"));
    found.sort();
    found
}

/// Executes the first submission of a process.
fn execute(path: &Path, generation: Generation) -> Result<usize, String> {
    let with = |extension: &str| path.with_extension(extension);
    let map = fs::read_to_string(with("map")).expect("a map");
    let pages = fs::read(with("mem")).expect("memory");
    let memory = Recording::of_parts(0, 0, &map, &pages).expect("memory");
    let mut gpu = Gpu::new(generation, clock(generation));
    let mut count = 0;
    for line in fs::read_to_string(path).expect("buffers").lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let ["ip", "0", "flags", _, "va", address, "bytes", length] = words[..] else { continue };
        let address = u64::from_str_radix(address, 16).expect("an address");
        let length = length.parse().expect("a length");
        count += gpu.execute(&memory, 1, address, length).map_err(|error| error.to_string())?;
    }
    Ok(count)
}

/// The first submissions of programs.
#[test]
fn recorded_submissions() {
    let Some(folder) = unpacked() else { return };
    let mut failures: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut done = 0;
    for path in submissions(folder.path()) {
        let name = path.strip_prefix(folder.path()).expect("below").display().to_string();
        let is_wanted = |program: &str| name.contains(&format!("-plain/{program}/"));
        if !PROGRAMS.iter().any(|program| is_wanted(program)) || !name.ends_with(".0.ibs") {
            continue;
        }
        let generation = if name.contains("pitcairn") { Generation::Si } else { Generation::Vi };
        match execute(&path, generation) {
            Ok(_) => done += 1,
            Err(error) => {
                let start = error.find(" at ").map_or(0, |at| at + 4);
                let reason = error[start..].split_once(": ").map_or(&*error, |part| part.1);
                failures.entry(reason.to_owned()).or_default().push(name);
            }
        }
    }
    eprintln!("{done} submissions executed");
    for (reason, names) in &failures {
        eprintln!("{} {reason}: {}", names.len(), names[0]);
    }
    assert!(failures.is_empty() && done >= 2 * PROGRAMS.len());
}
