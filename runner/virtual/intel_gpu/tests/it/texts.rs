//! Texts of recorded batches equal the driver's own (`INTEL_DEBUG=bat`).
//!
//! The recordings are large and not part of the repository. `PACKETS_CORPUS` names a folder with
//! `dumps/GENERATION/PROGRAM/NUMBER.exec` and `bat.GENERATION.txt`. `PACKETS_TEXTS` names a folder
//! with `GENERATION/PROGRAM/rec/*.exec` and `GENERATION/PROGRAM/out.txt`, the output of a program
//! that ran with `runner gpu --record` and `INTEL_DEBUG=bat`.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use intel_gpu::{Gpu, clock};
use packets::{BaseAddresses, Memory, NoKernels, Printer, Recording, Table};
use vocabulary::Generation;

/// Generations whose driver prints a batch after its submission (crocus; iris prints before).
const PRINTED_AFTERWARDS: [Generation; 3] = [Generation::Ivb, Generation::Hsw, Generation::Chv];

/// The folder that a variable names, or a line that says that the test was skipped.
fn folder(variable: &str) -> Option<PathBuf> {
    let folder = std::env::var_os(variable).map(PathBuf::from);
    if folder.is_none() {
        eprintln!("SKIPPED: {variable} does not name a folder of recorded batches");
    }
    folder
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

/// Sizes of state by address, from the counts in the text: a batch does not contain them. `words`
/// has the double words of a structure, and those of the header before the first.
fn sizes(text: &str, words: &HashMap<&str, (u32, u32)>) -> HashMap<u64, u32> {
    let mut sizes = HashMap::new();
    let mut first = 0;
    let lines: Vec<&str> = text.lines().collect();
    for pair in lines.windows(2) {
        let Some((name, index)) = pair[0].rsplit_once(' ') else { continue };
        let (Some(&(words, header)), Ok(index)) = (words.get(name), index.parse::<u32>()) else {
            continue;
        };
        let address = pair[1].split(':').next().expect("an address").trim_start_matches("0x");
        if index == 0 {
            first = u64::from_str_radix(address, 16).expect("an address");
            first -= 4 * u64::from(header);
        }
        sizes.insert(first, 4 * words * (index + 1));
    }
    sizes
}

#[test]
fn the_text_equals_the_drivers_own() {
    let Some(folder) = folder("PACKETS_CORPUS") else { return };
    for generation in [Generation::Ivb, Generation::Skl] {
        let bat = fs::read_to_string(folder.join(format!("bat.{generation}.txt"))).expect("a file");
        let table = Table::of(generation);
        let texts = batches(&bat);
        assert_eq!(texts.len(), 2, "{generation}");
        assert!(texts[0].lines().count() > 2_900, "{generation}");
        for (i, expected) in texts.iter().enumerate() {
            let path = folder.join(format!("dumps/{generation}/tri/{:04}.exec", i + 1));
            let recording = read(&path);
            if let Some(difference) =
                difference(table, &recording, expected, &mut HashMap::default())
            {
                panic!("{generation} batch {i}:\n{difference}");
            }
        }
    }
}

/// Reads a recorded batch.
fn read(path: &Path) -> Recording {
    Recording::parse(&fs::read(path).expect("a file")).expect("a batch")
}

/// Compares the printer's text of a recorded batch with the driver's; `None` if they are equal.
fn difference(
    table: &Table,
    recording: &Recording,
    expected: &str,
    bases: &mut HashMap<u32, BaseAddresses>,
) -> Option<String> {
    assert!(recording.object(recording.address).is_some());
    let words = ["CC_VIEWPORT", "SF_CLIP_VIEWPORT", "SCISSOR_RECT", "COLOR_CALC_STATE"];
    let words_of = |name| table.structure(name).map_or(0, |structure| structure.words);
    let words = words.into_iter().map(|name| (name, (words_of(name), 0)));
    let blend = ("BLEND_STATE_ENTRY", (words_of("BLEND_STATE_ENTRY"), words_of("BLEND_STATE")));
    let sizes = sizes(expected, &words.chain([blend]).collect());
    let size = |address: u64| sizes.get(&address).copied();
    let mut kernels = NoKernels;
    let mut printer = Printer::new(table, recording, &size, &mut kernels);
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
    let Some(folder) = folder("PACKETS_TEXTS") else { return };
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
            let mut gpu = Gpu::new(generation, clock(generation));
            for (path, expected) in recordings.iter().zip(&texts) {
                let recording = read(path);
                // The text has what the batch itself wrote, such as constants of later draws.
                if PRINTED_AFTERWARDS.contains(&generation) {
                    let executed = gpu.execute(&recording, recording.context, recording.address);
                    executed.unwrap_or_else(|error| panic!("{path:?}: {error}"));
                }
                match difference(Table::of(generation), &recording, expected, &mut bases) {
                    None => equal += 1,
                    Some(difference) => different.push(format!("{path:?}:\n{difference}")),
                }
            }
        }
    }
    let first = different.first().map_or("", String::as_str);
    assert!(different.is_empty(), "{equal} equal, {} different: {first}", different.len());
    eprintln!("{equal} batches have the driver's text");
}
