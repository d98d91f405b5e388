//! Pixels of recorded submissions beside those of the interpreter.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use amd_gpu::{Gpu, clock};
use execute::{
    Devices, ExecutorSelection, Explanation, RunOptions, TestCase, run_replaced_explained,
};
use packets::{Fault, Memory, PacketWalker, Recording, Table};
use vocabulary::{Generation, Target};

use crate::recordings::{SLOW, buffers, recorded, submissions, unpacked};

/// Programs that Mesa translates otherwise, with the reason.
const OTHERS: [(&str, &str); 1] =
    [("02-sequence", "the index of an assignment is evaluated after the value, for all chips")];

/// Largest difference of two colors: a step of eight bits.
const TOLERANCE: f32 = 1.001 / 255.0;

/// The script of a recorded program.
fn script(name: &str, corpus: &Path) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let folders = [
        corpus.join("tests"),
        corpus.join("../batches/tests"),
        root.join("runner/virtual/intel_gpu/tests/drivers"),
        root.join("tests/quirks"),
    ];
    let suite = std::fs::read_dir(root.join("tests/fp64")).expect("a suite");
    let families = suite.map(|entry| entry.expect("a family").path());
    let file = format!("{name}.shader_test");
    folders.into_iter().chain(families).map(|folder| folder.join(&file)).find(|path| path.is_file())
}

/// A script up to its first probe of pixels; `None` if it has none.
fn until_probe(text: &str) -> Option<String> {
    let is_probe = |line: &str| {
        let line = line.trim_start();
        line.starts_with("probe ") || line.starts_with("relative probe ")
    };
    let (mut in_test, mut kept) = (false, String::new());
    for line in text.lines() {
        in_test |= line.trim() == "[test]";
        kept.push_str(line);
        kept.push('\n');
        if in_test && is_probe(line) {
            return (!line.contains("ssbo") && !line.contains("atomic")).then_some(kept);
        }
    }
    None
}

/// Width, height and colors of the interpreter's framebuffer after a script.
fn interpreted(path: &Path, text: &str) -> Option<(u32, u32, Vec<[f32; 4]>)> {
    let executors = ExecutorSelection::ReferenceOnly;
    let options = RunOptions { executors, ..RunOptions::default() };
    let devices = Devices::default();
    let case = TestCase::new("recorded", Target::REFERENCE, &options, &devices);
    let mut explanation = Explanation::default();
    run_replaced_explained(path, text.as_bytes(), &case, &mut explanation);
    let (_, readback) = explanation.snapshots.pop()?;
    let (width, height) = (readback.rect.x1.cast_unsigned(), readback.rect.y1.cast_unsigned());
    Some((width, height, readback.colors().collect()))
}

/// Memory of a submission that notes what is written.
struct Noted<'a> {
    memory: &'a Recording,
    writes: RefCell<Vec<(u64, Vec<u8>)>>,
}

impl Memory for Noted<'_> {
    fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), Fault> {
        self.memory.read(address, bytes)
    }

    fn write(&self, address: u64, bytes: &[u8]) -> Result<(), Fault> {
        self.writes.borrow_mut().push((address, bytes.to_vec()));
        self.memory.write(address, bytes)
    }

    fn object(&self, address: u64) -> Option<Range<u64>> {
        self.memory.object(address)
    }
}

/// Addresses and lengths of the pieces of a buffer, each up to the end of a draw.
fn until_draws(table: &Table, memory: &dyn Memory, (start, length): (u64, u64)) -> Vec<(u64, u64)> {
    let mut walker = PacketWalker::new(table, memory, start, length / 4);
    let mut pieces = Vec::new();
    let mut from = start;
    while let Ok(Some(command)) = walker.advance() {
        let end = command.address + 4 * command.words.len() as u64;
        if command.layout.name.starts_with("DRAW_") && (start..=start + length).contains(&end) {
            pieces.push((from, end - from));
            from = end;
        }
    }
    pieces
}

/// Executes the submissions of a program until the target of a draw has these colors. Otherwise
/// returns the difference after each draw.
fn find_colors(
    paths: &[PathBuf],
    generation: Generation,
    (width, height, expected): &(u32, u32, Vec<[f32; 4]>),
) -> Result<(), Vec<String>> {
    let mut gpu = Gpu::new(generation, clock(generation));
    let mut written: Vec<(u64, Vec<u8>)> = Vec::new();
    let mut problems = Vec::new();
    for path in paths {
        let recording = recorded(path);
        // The device executed nothing: earlier results are missing in the recorded memory.
        for (address, bytes) in &written {
            let _ = recording.write(*address, bytes);
        }
        let memory = Noted { memory: &recording, writes: RefCell::default() };
        for buffer in buffers(path) {
            for (address, length) in until_draws(Table::of(generation), &memory, buffer) {
                let found = gpu
                    .execute(&memory, 1, address, length)
                    .map_err(|error| vec![error.to_string()])
                    .map(|_| gpu.target_colors(&memory, 1, (*width, *height)))?;
                match found {
                    Ok(Some(found)) => match difference(&found, expected) {
                        None => return Ok(()),
                        Some(text) => problems.push(text),
                    },
                    Ok(None) => {}
                    // Another target, which is smaller.
                    Err(error) => problems.push(error.to_string()),
                }
            }
        }
        written.extend(memory.writes.take());
    }
    Err(problems)
}

/// Describes the difference of colors; `None` if there is none.
fn difference(found: &[[u32; 4]], expected: &[[f32; 4]]) -> Option<String> {
    let differs = |(found, expected): &(&[u32; 4], &[f32; 4])| {
        let mut channels = found.iter().zip(*expected);
        channels.any(|(a, b)| (f32::from_bits(*a) - b).abs() > TOLERANCE)
    };
    let count = found.iter().zip(expected).filter(differs).count();
    let first = found.iter().zip(expected).position(|pair| differs(&pair))?;
    let [found, expected] = [found[first].map(f32::from_bits), expected[first]];
    Some(format!("{count} pixels, first {first}: {found:?} instead of {expected:?}"))
}

#[test]
fn first_draws_are_as_on_the_interpreter() {
    let Some((corpus, folder)) = unpacked() else { return };
    let (mut compared, mut problems) = (0, Vec::new());
    let mut programs: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    for path in submissions(folder.path()) {
        let name = path.display().to_string();
        if !name.contains("-radv") && !name.contains(SLOW) {
            programs.entry(path.parent().expect("a program").to_owned()).or_default().push(path);
        }
    }
    for (program, mut paths) in programs {
        let number = |path: &PathBuf| -> Option<u32> {
            path.file_stem()?.to_str()?.rsplit('.').next()?.parse().ok()
        };
        paths.sort_by_key(number);
        let place = program.strip_prefix(folder.path()).expect("below").display().to_string();
        let name = program.file_name().expect("a name").to_string_lossy();
        let is_other = OTHERS.iter().any(|(other, _)| name == *other);
        let Some(file) = script(&name, &corpus) else {
            problems.push(format!("{place}: no script"));
            continue;
        };
        let text = std::fs::read_to_string(&file).expect("a script");
        let Some(expected) = until_probe(&text).and_then(|text| interpreted(&file, &text)) else {
            eprintln!("{place}: no pixels");
            continue;
        };
        let generation = if place.contains("pitcairn") { Generation::Si } else { Generation::Vi };
        compared += 1;
        match find_colors(&paths, generation, &expected) {
            Ok(()) if is_other => {
                problems.push(format!("{place}: the same, which was not expected"));
            }
            Err(found) if !is_other => {
                problems.push(format!("{place}: {}", found.join("; ")));
            }
            _ => {}
        }
    }
    eprintln!("{compared} programs compared");
    assert!(problems.is_empty() && compared >= 100, "{}", problems.join("\n"));
}
