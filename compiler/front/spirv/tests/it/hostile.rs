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

/// Words of a module's header.
const HEADER: usize = 5;

/// Damages a module: a word or bit, the end cut off, or an instruction. `modules` lend theirs.
fn damage(words: &mut Vec<u32>, modules: &[Vec<u32>], random: &mut Random) {
    if words.len() <= HEADER {
        return;
    }
    let at = HEADER + random.below(words.len() - HEADER);
    match random.below(24) {
        0 => words.truncate(at),
        1 => words[at] = random.next() as u32,
        2 => words[at] ^= 1 << random.below(32),
        3 => words[1] = 0x10000 | (random.below(7) as u32) << 8,
        4 => words[at] = words[HEADER + random.below(words.len() - HEADER)],
        5 => words[at] = words[at].wrapping_add(random.next() as u32 % 3).wrapping_sub(1),
        6 | 7 => words[at] = random.below(words[3].max(1) as usize) as u32,
        8 => words[at] = random.below(64) as u32,
        _ => {
            let mut list = instructions(words);
            match random.below(4) {
                0 => operand(&mut list, words[3], random),
                _ => rearrange(&mut list, modules, random),
            }
            words.truncate(HEADER);
            words.extend(list.into_iter().flatten());
        }
    }
}

/// The words of each instruction.
fn instructions(words: &[u32]) -> Vec<Vec<u32>> {
    let (mut list, mut at) = (Vec::new(), HEADER);
    while at < words.len() {
        let end = (at + (words[at] >> 16).max(1) as usize).min(words.len());
        list.push(words[at..end].to_vec());
        at = end;
    }
    list
}

/// The number of an instruction's operation.
fn code(words: &[u32]) -> u32 {
    words[0] & 0xffff
}

/// Some instruction: of all, or of a kind that is there.
fn some(list: &[Vec<u32>], random: &mut Random) -> usize {
    let at = random.below(list.len());
    if random.below(2) == 0 {
        return at;
    }
    let mut codes: Vec<u32> = list.iter().map(|words| code(words)).collect();
    codes.sort_unstable();
    codes.dedup();
    let chosen = codes[random.below(codes.len())];
    let all: Vec<usize> = (0..list.len()).filter(|&at| code(&list[at]) == chosen).collect();
    all[random.below(all.len())]
}

/// Damages an operand of some instruction, or the storage class of pointers and their variables.
fn operand(list: &mut [Vec<u32>], bound: u32, random: &mut Random) {
    const TYPE_POINTER: u32 = 32;
    const VARIABLE: u32 = 59;
    let at = some(list, random);
    let count = list[at].len() - 1;
    if count == 0 {
        return;
    }
    if code(&list[at]) == TYPE_POINTER && count == 3 {
        let (ty, class) = (list[at][1], random.below(14) as u32);
        list[at][2] = class;
        for variable in list.iter_mut().filter(|words| code(words) == VARIABLE) {
            if variable.len() > 3 && variable[1] == ty {
                variable[3] = class;
            }
        }
        return;
    }
    let place = &mut list[at][1 + random.below(count)];
    *place = match random.below(5) {
        0 => random.below(bound.max(1) as usize) as u32,
        1 => random.below(70) as u32,
        2 => *place ^ 1 << random.below(8),
        3 => place.wrapping_add(1),
        _ => place.wrapping_sub(1),
    };
}

/// Damages an instruction, or the order of instructions.
fn rearrange(list: &mut Vec<Vec<u32>>, modules: &[Vec<u32>], random: &mut Random) {
    let (at, other) = (some(list, random), random.below(list.len()));
    let operand = random.below(list[at].len().saturating_sub(1)) + 1;
    match random.below(12) {
        0 => drop(list.remove(at)),
        1 => list.insert(other, list[at].clone()),
        2 => {
            let moved = list.remove(at);
            list.insert((at + random.below(7)).saturating_sub(3).min(list.len()), moved);
        }
        3 => list.swap(at, other),
        // The operand of another instruction of the kind.
        4 | 5 => {
            let alike = |words: &&Vec<u32>| code(words) == code(&list[at]);
            let all: Vec<&Vec<u32>> = list.iter().filter(alike).collect();
            let word = all[random.below(all.len())].get(operand).copied();
            if let (Some(word), Some(place)) = (word, list[at].get_mut(operand)) {
                *place = word;
            }
        }
        // The operation of another instruction of the length, or one nearby.
        6 => {
            let alike = |words: &&Vec<u32>| words.len() == list[at].len();
            let all: Vec<u32> = list.iter().filter(alike).map(|words| words[0]).collect();
            list[at][0] = all[random.below(all.len())];
        }
        7 => list[at][0] = list[at][0].wrapping_add(random.below(7) as u32).wrapping_sub(3),
        8 if list[at].len() > 2 => {
            let with = random.below(list[at].len() - 1) + 1;
            list[at].swap(operand, with);
        }
        9 => {
            let longer = random.below(2) == 0;
            match longer {
                true => list[at].push(random.below(64) as u32),
                false if list[at].len() > 1 => drop(list[at].pop()),
                false => {}
            }
            list[at][0] = (list[at].len() as u32) << 16 | code(&list[at]);
        }
        10 => {
            let lender = instructions(&modules[random.below(modules.len())]);
            if !lender.is_empty() {
                list.insert(at, lender[random.below(lender.len())].clone());
            }
        }
        _ => exchange_blocks(list, random),
    }
}

/// Exchanges two blocks, labels included.
fn exchange_blocks(list: &mut [Vec<u32>], random: &mut Random) {
    const LABEL: u32 = 2 << 16 | 248;
    let starts: Vec<usize> = (0..list.len()).filter(|&at| list[at][0] == LABEL).collect();
    let Some(last) = starts.len().checked_sub(2) else { return };
    let first = random.below(last + 1);
    let (from, middle) = (starts[first], starts[first + 1]);
    let end = starts.get(first + 2).copied().unwrap_or(list.len());
    list[from..end].rotate_left(middle - from);
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

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

#[test]
fn damaged_modules_are_answered() {
    let mut modules = modules();
    let count = std::env::var("HOSTILE").ok().and_then(|n| n.parse().ok()).unwrap_or(3000);
    let program = std::env::var("SPIRV_VAL").ok();
    let seed = std::env::var("SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let kept = std::env::var_os("MISSED");
    let mut random = Random(seed);
    modules.retain(|words| {
        let own = verdict(words);
        let other = program.as_ref().and_then(|program| tool(program, words));
        match (&own, other) {
            (Some(own), Some(_)) => println!("undamaged: {own}"),
            (Some(own), None) => println!("undamaged, here alone: {own}"),
            (None, Some(other)) => println!("undamaged, missed: {}", first_line(&other)),
            (None, None) => {}
        }
        own.is_none()
    });
    let (mut refused, mut accepted, mut missed, mut wrong) = (0, 0, 0, 0);
    for _ in 0..count {
        let mut words = modules[random.below(modules.len())].clone();
        for _ in 0..=random.below(3) / 2 {
            damage(&mut words, &modules, &mut random);
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
                println!("missed: {}", first_line(other));
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
