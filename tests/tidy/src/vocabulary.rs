//! Types of the vocabulary crate, which no other crate defines.

use crate::offense::Offense;
use crate::source::{File, Kind};

/// Types of the vocabulary.
const TYPES: &[&str] = &["Stage", "Width", "Backend", "Phase", "Generation"];

/// The crate that defines them.
const HOME: &str = "compiler/vocabulary/";

/// Finds definitions of the vocabulary's types in other crates.
pub fn check(files: &[File]) -> Vec<Offense> {
    let mut offenses = Vec::new();
    for file in files.iter().filter(|f| f.kind == Kind::Rust && !f.path.starts_with(HOME)) {
        for (i, line) in file.lexed.code.lines().enumerate() {
            let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
            for pair in words.windows(2) {
                if ["enum", "struct", "union", "trait", "type"].contains(&pair[0])
                    && TYPES.contains(&pair[1])
                {
                    let message = format!("`{} {}`: {HOME} defines it", pair[0], pair[1]);
                    offenses.push(Offense {
                        path: file.path.clone(),
                        line: i + 1,
                        check: "vocabulary",
                        message,
                    });
                }
            }
        }
    }
    offenses
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_definitions_are_reported() {
        let text = "pub enum Stage { A }\nstruct StageState;\n// enum Width\n";
        let home = File::new("compiler/vocabulary/src/lib.rs", text);
        let offenses = check(&[File::new("runner/src/a.rs", text), home]);
        assert_eq!(offenses.len(), 1);
        assert_eq!(
            offenses[0].to_string(),
            "runner/src/a.rs:1: vocabulary: `enum Stage`: compiler/vocabulary/ defines it"
        );
    }
}
