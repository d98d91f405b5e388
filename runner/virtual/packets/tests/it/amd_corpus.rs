//! Recorded buffers of packets of AMD's drivers: all packets and registers are known.
//!
//! The recordings are `../shared/anchors/pm4` beside the workspace, or in the folder that
//! `PM4_CORPUS` names. Skipped with a warning where they are missing.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use packets::{PacketWalker, Recording, RegisterWrites, Table};
use vocabulary::Generation;

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
        eprintln!("WARNING: no {} or no tar: recorded packets were not walked", archive.display());
        return None;
    }
    Some(target)
}

/// All files below a folder with this extension.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("one").path());
    let below = |path: PathBuf| match path.is_dir() {
        true => files(&path, extension),
        false => vec![path],
    };
    let found = entries.flat_map(below);
    found.filter(|path| path.extension().is_some_and(|e| e == extension)).collect()
}

#[test]
fn every_recorded_packet_is_known() {
    let Some(folder) = unpacked() else { return };
    let mut kinds: BTreeMap<(Generation, &str), usize> = BTreeMap::new();
    let mut registers: BTreeMap<(Generation, u32), usize> = BTreeMap::new();
    let all = files(folder.path(), "ib");
    for path in &all {
        let is_si = path.to_string_lossy().contains("/pitcairn-");
        let generation = if is_si { Generation::Si } else { Generation::Vi };
        let table = Table::of(generation);
        let mut bytes = fs::read(path).expect("a file");
        let words = (bytes.len() / 4) as u64;
        let map = format!("10000 {:x}", bytes.len());
        bytes.resize(bytes.len().next_multiple_of(4096), 0);
        let pages = bytes.chunks_exact(4096).zip((0x10000_u64..).step_by(4096));
        let pages: Vec<u8> =
            pages.flat_map(|(page, at)| [&at.to_le_bytes()[..], page].concat()).collect();
        let memory = Recording::of_parts(0x10000, 0, &map, &pages).expect("memory");
        let mut walker = PacketWalker::new(table, &memory, 0x10000, words);
        while let Some(command) = walker.advance().unwrap_or_else(|e| panic!("{path:?}: {e}")) {
            *kinds.entry((generation, command.layout.name)).or_default() += 1;
            for (address, _) in
                RegisterWrites::of(command.layout, &command.words).into_iter().flatten()
            {
                assert!(table.register(address).is_some(), "{path:?}: register {address:#x}");
                *registers.entry((generation, address)).or_default() += 1;
            }
        }
    }
    for generation in Generation::AMD {
        let kinds = kinds.keys().filter(|key| key.0 == generation).count();
        let registers = registers.keys().filter(|key| key.0 == generation).count();
        eprintln!("{generation}: {kinds} kinds of packets, {registers} registers");
        assert!(kinds >= 13 && registers >= 250);
    }
    eprintln!("{} buffers", all.len());
    assert!(all.len() >= 800);
}
