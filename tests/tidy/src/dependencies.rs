//! Unused dependencies.

use crate::offense::Offense;
use crate::source::{File, Kind};

/// Finds dependencies in manifests that no source of the crate names.
pub fn check(files: &[File]) -> Vec<Offense> {
    let manifests: Vec<&File> = files.iter().filter(|f| f.path.ends_with("/Cargo.toml")).collect();
    let folders: Vec<&str> =
        manifests.iter().map(|f| f.path.trim_end_matches("Cargo.toml")).collect();
    let mut offenses = Vec::new();
    for (manifest, folder) in manifests.iter().zip(&folders) {
        // A crate may be the folder of others.
        let inner =
            |path: &str| folders.iter().any(|f| f.len() > folder.len() && path.starts_with(f));
        let below = |f: &&File| f.kind == Kind::Rust && f.path.starts_with(folder);
        let sources: Vec<&File> = files.iter().filter(|f| below(f) && !inner(&f.path)).collect();
        for (line, name) in dependencies(&manifest.text) {
            let identifier = name.replace('-', "_");
            if !sources.iter().any(|f| mentions(&f.text, &identifier)) {
                let message = format!("dependency `{name}` is not used");
                offenses.push(Offense {
                    path: manifest.path.clone(),
                    line,
                    check: "dependency",
                    message,
                });
            }
        }
    }
    offenses
}

/// Names of a manifest's dependencies of all kinds, with their lines.
pub(crate) fn dependencies(text: &str) -> Vec<(usize, &str)> {
    let (mut names, mut inside) = (Vec::new(), false);
    for (i, line) in text.lines().enumerate() {
        if line.starts_with('[') {
            inside = line.trim_end_matches(']').ends_with("dependencies");
        } else if inside && line.starts_with(|c: char| c.is_alphanumeric()) {
            let end = line.find(|c: char| !c.is_alphanumeric() && c != '-' && c != '_');
            names.push((i + 1, &line[..end.unwrap_or(line.len())]));
        }
    }
    names
}

/// True if the text holds the word.
fn mentions(text: &str, word: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back().is_some_and(inside);
        !before && !text[at + word.len()..].chars().next().is_some_and(inside)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unused_dependencies_are_reported() {
        let manifest = "[package]\nname = \"a\"\n\n[dependencies]\nlibtest-mimic = \"1\"\nregex.workspace = true\n";
        let files = [
            File::new("a/Cargo.toml", manifest),
            File::new("a/src/lib.rs", "use libtest_mimic::Trial;\n"),
            File::new("a/b/Cargo.toml", "[package]\n"),
            File::new("a/b/src/lib.rs", "use regex::Regex;\n"),
        ];
        let found: Vec<String> = check(&files).iter().map(ToString::to_string).collect();
        assert_eq!(found, ["a/Cargo.toml:6: dependency: dependency `regex` is not used"]);
    }
}
