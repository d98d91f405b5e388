//! Damaged modules: none makes the reader, the validator or the translation panic.
//!
//! `HOSTILE=N` damages N modules instead of a few. `SPIRV_CORPUS=FOLDER` adds the `.spv` and
//! `.spvasm` files of a folder to those of `filetests`. `SPIRV_VAL=PROGRAM` compares the verdicts
//! with those of SPIRV-Tools' `spirv-val`, and prints the numbers with the differences; the folder
//! `MISSED` gets modules that it refuses and this crate does not.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use program::{Stage, TypeTable};
use spirv_front::{EntryPoint, Module, assemble};

/// Pseudo-random numbers (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }
}

fn files(folder: &Path, extension: &str, list: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, extension, list);
        } else if path.extension().is_some_and(|e| e == extension) {
            list.push(path);
        }
    }
    list.sort();
}

/// The modules to damage.
fn modules() -> Vec<Vec<u32>> {
    let mut texts = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests"), "spvasm", &mut texts);
    let assembled = |path: &PathBuf| assemble(&fs::read(path).expect("a file test")).ok();
    let mut modules: Vec<Vec<u32>> = texts.iter().filter_map(assembled).map(|a| a.words).collect();
    if let Some(folder) = std::env::var_os("SPIRV_CORPUS") {
        let mut texts = Vec::new();
        files(Path::new(&folder), "spvasm", &mut texts);
        modules.extend(texts.iter().filter_map(assembled).map(|a| a.words));
        let mut binaries = Vec::new();
        files(Path::new(&folder), "spv", &mut binaries);
        modules.extend(binaries.iter().map(|path| {
            let bytes = fs::read(path).expect("a module");
            let word = |c: &[u8]| u32::from_le_bytes([c[0], c[1], c[2], c[3]]);
            bytes.chunks_exact(4).map(word).collect()
        }));
    }
    modules
}

/// Damages a module: a word, an id, a bit, an instruction dropped or repeated, the end cut off, or
/// random words.
fn damage(words: &mut Vec<u32>, random: &mut Random) {
    let at = 5 + random.below(words.len().saturating_sub(5));
    match random.below(10) {
        0 => words.truncate(at),
        1 => words[at] = random.next() as u32,
        2 => words[at] ^= 1 << random.below(32),
        3 => words[at] = words[5 + random.below(words.len() - 5)],
        4 | 5 => {
            let bound = words[3].max(1) as usize;
            words[at] = random.below(bound) as u32;
        }
        6 => words[at] = words[at].wrapping_add(1),
        7 => {
            let range = instruction(words, random);
            words.drain(range);
        }
        8 => {
            let range = instruction(words, random);
            let copy = words[range.clone()].to_vec();
            words.splice(range.start..range.start, copy);
        }
        _ => {
            let range = instruction(words, random);
            for word in &mut words[range] {
                *word = random.below(64) as u32;
            }
        }
    }
}

/// The words of some instruction.
fn instruction(words: &[u32], random: &mut Random) -> std::ops::Range<usize> {
    let (mut starts, mut at) = (Vec::new(), 5);
    while at < words.len() {
        starts.push(at);
        at += (words[at] >> 16).max(1) as usize;
    }
    let start = starts[random.below(starts.len())];
    start..(start + (words[start] >> 16).max(1) as usize).min(words.len())
}

/// The first error of a module; `None` if all entry points are translated.
fn verdict(words: &[u32]) -> Option<String> {
    let module = match Module::checked(words) {
        Ok(module) => module,
        Err(error) => return Some(error.to_string()),
    };
    let mut types = TypeTable::default();
    let shader = |entry| {
        let shader = match module.is_for_vulkan() {
            true => module.vulkan_shader(entry, &[], &mut types),
            false => module.shader(entry, &[], &mut types),
        };
        shader.err().map(|error| error.to_string())
    };
    let mut entries = module.entry_points();
    if entries.is_empty() {
        entries.push(EntryPoint { stage: Stage::Vertex, name: "main" });
    }
    entries.into_iter().find_map(shader)
}

/// The message of `spirv-val`; `None` if the module is valid.
fn tool(program: &str, words: &[u32]) -> Option<String> {
    let mut child = Command::new(program)
        .args(["--target-env", "spv1.6", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("spirv-val");
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    // A tool that stops early says why.
    let _ = child.stdin.take().expect("its input").write_all(&bytes);
    let output = child.wait_with_output().expect("its output");
    let text = [output.stdout, output.stderr].concat();
    (!output.status.success()).then(|| String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn damaged_modules_are_answered() {
    let modules = modules();
    let count = std::env::var("HOSTILE").ok().and_then(|n| n.parse().ok()).unwrap_or(3000);
    let program = std::env::var("SPIRV_VAL").ok();
    let seed = std::env::var("SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let kept = std::env::var_os("MISSED");
    let mut random = Random(seed);
    for words in &modules {
        if let Some(error) = verdict(words) {
            println!("undamaged: {error}");
        }
    }
    let (mut refused, mut accepted, mut missed, mut wrong) = (0, 0, 0, 0);
    for _ in 0..count {
        let mut words = modules[random.below(modules.len())].clone();
        for _ in 0..=random.below(3) / 2 {
            if words.len() > 6 {
                damage(&mut words, &mut random);
            }
        }
        let own = verdict(&words);
        if own.is_some() {
            refused += 1
        } else {
            accepted += 1
        }
        let Some(program) = &program else { continue };
        let other = tool(program, &words);
        wrong += u32::from(other.is_some());
        match (&own, &other) {
            (None, Some(other)) => {
                missed += 1;
                println!("missed: {}", other.lines().next().unwrap_or_default());
                if let Some(folder) = &kept {
                    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                    let name = format!("{seed}-{missed}.spv");
                    fs::write(Path::new(folder).join(name), bytes).expect("a folder to write to");
                }
            }
            (Some(own), None) => println!("more: {own}"),
            _ => {}
        }
    }
    println!(
        "{refused} refused, {accepted} accepted; spirv-val refuses {wrong}, {missed} accepted"
    );
    assert!(refused > 0 && accepted > 0);
}
