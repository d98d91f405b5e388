//! Recorded submissions of AMD's drivers, executed from their recorded memory.
//!
//! The recordings are `../shared/anchors/pm4` beside the workspace, or in the folder that
//! `PM4_CORPUS` names. Skipped with a warning where they are missing.

use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use amd_gpu::{clock, model};
use gpu_service::{Processor, Start};
use packets::{Memory, Recording};
use submission::Submission;
use vocabulary::Generation;

/// Time after which a recorded submission is stopped: none takes so long.
const LONGEST: Duration = Duration::from_secs(300);
/// The same with mistakes, which may ask for work without end.
const LONGEST_MISTAKE: Duration = Duration::from_secs(2);

/// A program with too much work for a test.
pub(crate) const SLOW: &str = "/big-local/";

/// Unpacks the recordings. Returns the folder of the archive and that of the recordings; `None`
/// without them or without `tar` and `zstd`.
pub(crate) fn unpacked() -> Option<(PathBuf, tempfile::TempDir)> {
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
    Some((folder, target))
}

/// All submissions below a folder: the files of their buffers.
pub(crate) fn submissions(folder: &Path) -> Vec<PathBuf> {
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

/// The recorded memory of a submission.
pub(crate) fn recorded(path: &Path) -> Recording {
    let with = |extension: &str| path.with_extension(extension);
    let map = fs::read_to_string(with("map")).expect("a map");
    let pages = fs::read(with("mem")).expect("memory");
    Recording::of_parts(0, 0, &map, &pages).expect("memory")
}

/// Addresses and lengths of the buffers of a submission for the engine that draws.
pub(crate) fn buffers(path: &Path) -> Vec<(u64, u64)> {
    let text = fs::read_to_string(path).expect("buffers");
    let buffer = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let ["ip", "0", "flags", _, "va", address, "bytes", length] = words[..] else {
            return None;
        };
        let address = u64::from_str_radix(address, 16).expect("an address");
        Some((address, length.parse().expect("a length")))
    };
    text.lines().filter_map(buffer).collect()
}

/// Executes the buffers of a submission and returns the number of packets.
fn run_buffers(path: &Path, gpu: &mut dyn Processor, memory: &Recording) -> Result<usize, String> {
    let mut count = 0;
    for (batch, length) in buffers(path) {
        let submission = Submission { context: 1, engine: 0, batch, length, objects: Vec::new() };
        count += gpu.execute(memory, &submission).map_err(|error| error.to_string())?;
    }
    Ok(count)
}

/// Executes the first submission of a process for at most some time, after `change` has changed its
/// memory.
fn execute(
    path: &Path,
    generation: Generation,
    longest: Duration,
    change: impl Fn(&Recording, u64, u64),
) -> Result<usize, String> {
    let memory = recorded(path);
    let started = Instant::now();
    let is_abandoned = Box::new(move || started.elapsed() > longest);
    let start = Start { generation, clock: clock(generation), is_abandoned, counts_kernels: false };
    let mut gpu = (model(generation).create)(start);
    for (address, length) in buffers(path) {
        change(&memory, address, length);
    }
    run_buffers(path, &mut *gpu, &memory)
}

/// The first submissions of programs, of both drivers and with all flags.
#[test]
fn recorded_submissions() {
    let Some((_, folder)) = unpacked() else { return };
    let mut failures: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut done = 0;
    for path in submissions(folder.path()) {
        let name = path.strip_prefix(folder.path()).expect("below").display().to_string();
        if !name.ends_with(".0.ibs") || name.contains(SLOW) {
            continue;
        }
        let generation = if name.contains("pitcairn") { Generation::Si } else { Generation::Vi };
        match execute(&path, generation, LONGEST, |_, _, _| {}) {
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
    assert!(failures.is_empty() && done >= 150);
}

/// Mistakes in the buffers of a program that draws: `PM4_MISTAKES` is their number, `PM4_FIRST` the
/// number of the first.
#[test]
fn mistakes_are_no_panics() {
    let Some((_, folder)) = unpacked() else { return };
    let variable = |name: &str| std::env::var(name).ok()?.parse::<u64>().ok();
    let first = variable("PM4_FIRST").unwrap_or(0);
    let seeds = first..first + variable("PM4_MISTAKES").unwrap_or(60);
    let mut panics = Vec::new();
    for (chip, generation) in [("pitcairn", Generation::Si), ("polaris10", Generation::Vi)] {
        let program = folder.path().join(format!("pm4/{chip}-plain/tri"));
        let path = &submissions(&program)[0];
        for seed in seeds.clone() {
            let change = |memory: &Recording, address: u64, length: u64| {
                let mut state = seed;
                let mut random = || {
                    state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e);
                    state >> 33
                };
                for _ in 0..4 {
                    let at = address + random() % (length / 4) * 4;
                    let old = memory.read_u32(at).expect("the buffer");
                    let new = if random() & 1 == 0 {
                        old ^ 1 << (random() % 32)
                    } else {
                        random() as u32
                    };
                    memory.write(at, &new.to_le_bytes()).expect("the buffer");
                }
            };
            let run = || execute(path, generation, LONGEST_MISTAKE, change);
            if catch_unwind(AssertUnwindSafe(run)).is_err() {
                panics.push((generation, seed));
            }
        }
    }
    assert!(panics.is_empty(), "{panics:?}");
}
