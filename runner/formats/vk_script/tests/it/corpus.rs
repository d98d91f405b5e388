//! Measurement on scripts of others: parsing, and mutations of them.

use std::path::{Path, PathBuf};
use std::time::Instant;

use vk_script::Rules;

use crate::hostile::{Random, check, mutate};

/// Scripts below the folder that `VK_SCRIPTS` names.
fn files() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> =
        std::env::var_os("VK_SCRIPTS").map(Into::into).into_iter().collect();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if is_script(&path) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn is_script(path: &Path) -> bool {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    matches!(extension, "amber" | "vkscript" | "shader_test" | "vk_shader_test")
}

fn rules(path: &Path) -> Rules {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    if extension.ends_with("shader_test") { Rules::VkRunner } else { Rules::Amber }
}

/// `VK_SCRIPTS=FOLDER cargo test -p vk_script --release -- --ignored --nocapture corpus`
#[test]
#[ignore = "measures scripts that VK_SCRIPTS names"]
fn corpus_parses() {
    let texts: Vec<(PathBuf, Vec<u8>)> =
        files().into_iter().filter_map(|p| Some((p.clone(), std::fs::read(p).ok()?))).collect();
    let start = Instant::now();
    let (mut unsupported, mut errors) = (0, Vec::new());
    for (path, bytes) in &texts {
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let read = move |name: &str| std::fs::read(folder.join(name)).map_err(|e| e.to_string());
        match vk_script::parse(bytes, rules(path), &read) {
            Ok(script) => unsupported += usize::from(!script.unsupported.is_empty()),
            Err(error) => errors.push(format!("{}: {error}", path.display())),
        }
    }
    let time = start.elapsed();
    println!("{}", errors.join("\n"));
    println!(
        "{} scripts in {time:?}: {unsupported} unsupported, {} errors",
        texts.len(),
        errors.len()
    );
}

/// Mutates scripts that `VK_SCRIPTS` names, or those of this folder, `VK_MUTATIONS` times.
#[test]
#[ignore = "mutates scripts that VK_SCRIPTS names"]
fn corpus_mutations() {
    let mut texts: Vec<Vec<u8>> = files().iter().filter_map(|p| std::fs::read(p).ok()).collect();
    texts.extend(crate::hostile::seeds());
    let count = std::env::var("VK_MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(20_000);
    let mut random = Random::new(1);
    let (mut accepted, mut slowest) = (0, std::time::Duration::ZERO);
    let start = Instant::now();
    for _ in 0..count {
        let seed = &texts[random.below(texts.len())];
        let other = &texts[random.below(texts.len())];
        let text = mutate(&mut random, seed, other);
        let begin = Instant::now();
        accepted += usize::from(check(&text));
        slowest = slowest.max(begin.elapsed());
    }
    println!(
        "{count} mutations of {} scripts in {:?}: {accepted} accepted, the slowest {slowest:?}",
        texts.len(),
        start.elapsed()
    );
}
