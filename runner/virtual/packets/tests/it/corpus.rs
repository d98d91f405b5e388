//! Recorded batches of a driver: all commands are known.
//!
//! The corpus is large and not part of the repository. `PACKETS_CORPUS` names its folder, with
//! `dumps/GENERATION/PROGRAM/NUMBER.exec`.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use packets::{Recording, Table, Walker};
use vocabulary::Generation;

/// The folder of the corpus, or a line that says that the test was skipped.
fn corpus() -> Option<PathBuf> {
    let folder = std::env::var_os("PACKETS_CORPUS").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("SKIPPED: PACKETS_CORPUS does not name a folder of recorded batches");
    }
    folder
}

/// All recordings of a generation.
fn recordings(folder: &Path, generation: Generation) -> Vec<(PathBuf, Recording)> {
    let mut found = Vec::new();
    let programs = fs::read_dir(folder.join("dumps").join(generation.name())).expect("a folder");
    for program in programs.map(|entry| entry.expect("an entry").path()) {
        for file in fs::read_dir(program).expect("a folder") {
            let path = file.expect("an entry").path();
            let recording = Recording::parse(&fs::read(&path).expect("a file"));
            found.push((path.clone(), recording.unwrap_or_else(|e| panic!("{path:?}: {e}"))));
        }
    }
    found
}

#[test]
fn every_recorded_command_is_known() {
    let Some(folder) = corpus() else { return };
    for generation in Generation::INTEL {
        let table = Table::of(generation);
        let mut kinds: HashMap<&str, usize> = HashMap::new();
        let recordings = recordings(&folder, generation);
        for (path, recording) in &recordings {
            let mut walker = Walker::new(table, recording, recording.address);
            let mut ended = false;
            while let Some(command) =
                walker.advance().unwrap_or_else(|error| panic!("{path:?}: {error}"))
            {
                *kinds.entry(command.layout.name).or_default() += 1;
                ended = command.is_end();
            }
            assert!(ended, "{path:?}");
        }
        let commands: usize = kinds.values().sum();
        eprintln!(
            "{generation}: {} batches, {commands} commands, {} kinds",
            recordings.len(),
            kinds.len()
        );
        assert!(recordings.len() > 600 && commands > 100_000 && kinds.len() > 70);
    }
}
