//! Recorded batches of a driver: all commands are known, and the text equals the driver's own.
//!
//! The corpus is large and not part of the repository. `PACKETS_CORPUS` names its folder, with
//! `dumps/GENERATION/PROGRAM/NUMBER.exec` and `bat.GENERATION.txt`. `PACKETS_TEXTS` names a folder
//! with `GENERATION/PROGRAM/rec/*.exec` and `GENERATION/PROGRAM/out.txt`, the output of a program
//! that ran with `runner gpu --record` and `INTEL_DEBUG=bat`.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use packets::{BaseAddresses, Memory, NoKernels, Printer, Recording, Table, Walker};
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

/// The driver's text without its own messages and the instructions of kernels.
fn reference(text: &str) -> String {
    let mut lines = Vec::new();
    let mut in_kernel = false;
    let mut rest = text.lines().peekable();
    while let Some(line) = rest.next() {
        if in_kernel {
            // An empty line ends a kernel, unless it is before a label.
            let is_label = rest.peek().is_some_and(|next| next.starts_with("LABEL"));
            in_kernel = !line.is_empty() || is_label;
            // The next kernel of the same command follows directly.
            if in_kernel {
                continue;
            }
        }
        lines.push(line);
        in_kernel = line.starts_with("Referenced");
    }
    lines.join("\n")
}

/// Splits the driver's output into the texts of its batches.
fn batches(text: &str) -> Vec<String> {
    let mut batches = Vec::new();
    let mut current: Option<Vec<&str>> = None;
    for line in text.lines() {
        let is_command = line.starts_with("0x") && line.ends_with("  ");
        if current.is_none() && is_command {
            current = Some(Vec::new());
        }
        if let Some(lines) = &mut current {
            lines.push(line);
            if line.starts_with("0x") && line.contains(":  0x05000000 : Dword 0") {
                batches.push(reference(&lines.join("\n")));
                current = None;
            }
        }
    }
    batches
}

/// Sizes of state by address, from the counts in the text: a batch does not contain them.
fn sizes(text: &str, words: &HashMap<&str, u32>) -> HashMap<u64, u32> {
    let mut sizes = HashMap::new();
    let mut first = 0;
    let lines: Vec<&str> = text.lines().collect();
    for pair in lines.windows(2) {
        let Some((name, index)) = pair[0].rsplit_once(' ') else { continue };
        let (Some(&words), Ok(index)) = (words.get(name), index.parse::<u32>()) else { continue };
        let address = pair[1].split(':').next().expect("an address").trim_start_matches("0x");
        if index == 0 {
            first = u64::from_str_radix(address, 16).expect("an address");
        }
        sizes.insert(first, 4 * words * (index + 1));
    }
    sizes
}

#[test]
fn the_text_equals_the_drivers_own() {
    let Some(folder) = corpus() else { return };
    for generation in [Generation::Ivb, Generation::Skl] {
        let bat = fs::read_to_string(folder.join(format!("bat.{generation}.txt"))).expect("a file");
        let table = Table::of(generation);
        let texts = batches(&bat);
        assert_eq!(texts.len(), 2, "{generation}");
        assert!(texts[0].lines().count() > 2_900, "{generation}");
        for (i, expected) in texts.iter().enumerate() {
            let path = folder.join(format!("dumps/{generation}/tri/{:04}.exec", i + 1));
            if let Some(difference) = difference(table, &path, expected, &mut HashMap::default()) {
                panic!("{generation} batch {i}:\n{difference}");
            }
        }
    }
}

/// Compares the printer's text of a recorded batch with the driver's; `None` if they are equal.
fn difference(
    table: &Table,
    recording: &Path,
    expected: &str,
    bases: &mut HashMap<u32, BaseAddresses>,
) -> Option<String> {
    let recording = fs::read(recording).expect("a file");
    let recording = Recording::parse(&recording).expect("a batch");
    assert!(recording.object(recording.address).is_some());
    let words = ["CC_VIEWPORT", "SF_CLIP_VIEWPORT", "SCISSOR_RECT", "COLOR_CALC_STATE"];
    let words = words.map(|w| (w, table.structure(w).expect("a structure").words));
    let sizes = sizes(expected, &words.into_iter().collect());
    let size = |address: u64| sizes.get(&address).copied();
    let mut kernels = NoKernels;
    let mut printer = Printer::new(table, &recording, &size, &mut kernels);
    // Base addresses persist in each context.
    let known = bases.entry(recording.context).or_default();
    printer.bases = *known;
    let text = printer.batch(recording.address).expect("a batch");
    *known = printer.bases;
    // The driver knows the end of a binding table, a batch does not.
    let known = |text: &str| {
        let lines = text.trim_end().lines().filter(|line| !line.ends_with("<not valid>"));
        lines.collect::<Vec<&str>>().join("\n")
    };
    let (text, expected) = (known(&text), known(expected));
    (text != expected).then(|| {
        let difference = similar::TextDiff::from_lines(expected.as_str(), text.as_str());
        difference.unified_diff().context_radius(3).to_string()
    })
}

#[test]
fn texts_of_more_programs() {
    let Some(folder) = std::env::var_os("PACKETS_TEXTS").map(PathBuf::from) else {
        eprintln!("SKIPPED: PACKETS_TEXTS does not name a folder of recorded programs");
        return;
    };
    let paths = |folder: &Path| {
        let mut paths: Vec<PathBuf> = fs::read_dir(folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        paths.sort();
        paths
    };
    let (mut equal, mut different) = (0, Vec::new());
    for generation in Generation::INTEL {
        for program in paths(&folder.join(generation.name())) {
            let output = fs::read(program.join("out.txt")).expect("a file");
            let texts = batches(&String::from_utf8_lossy(&output));
            let recordings = paths(&program.join("rec"));
            assert_eq!(texts.len(), recordings.len(), "{program:?}");
            let mut bases = HashMap::default();
            for (recording, expected) in recordings.iter().zip(&texts) {
                match difference(Table::of(generation), recording, expected, &mut bases) {
                    None => equal += 1,
                    Some(difference) => different.push(format!("{recording:?}:\n{difference}")),
                }
            }
        }
    }
    let first = different.first().map_or("", String::as_str);
    assert!(different.is_empty(), "{equal} equal, {} different: {first}", different.len());
    eprintln!("{equal} batches have the driver's text");
}
