//! Types of the vocabulary crate, which no other crate defines, and words that need a qualifier.

use std::collections::BTreeMap;

use crate::offense::Offense;
use crate::source::{File, Kind};

/// Types of the vocabulary.
const TYPES: &[&str] = &["Stage", "Width", "Backend", "Phase", "Generation"];

/// The crate that defines them.
const HOME: &str = "compiler/vocabulary/";

/// Words with several meanings: one public type at most may have such a name without a qualifier.
const AMBIGUOUS: &[&str] = &["Block", "Layout", "Options", "Shape", "Source", "Target"];

/// Finds definitions of the vocabulary's types in other crates, and second definitions of words
/// with several meanings.
pub fn check(files: &[File]) -> Vec<Offense> {
    let mut offenses = Vec::new();
    let mut first: BTreeMap<&str, String> = BTreeMap::new();
    for file in files.iter().filter(|f| f.kind == Kind::Rust && !f.path.starts_with(HOME)) {
        for (i, line) in file.lexed.code.lines().enumerate() {
            let Some((kind, name)) = definition(line) else { continue };
            let place = format!("{}:{}", file.path, i + 1);
            let reason = if TYPES.contains(&name) {
                format!("{HOME} defines it")
            } else if AMBIGUOUS.contains(&name) && line.trim_start().starts_with("pub") {
                match first.get(name) {
                    Some(first) => format!("{first} defines one, so this one needs a qualifier"),
                    None => {
                        first.insert(name, place);
                        continue;
                    }
                }
            } else {
                continue;
            };
            offenses.push(Offense {
                path: file.path.clone(),
                line: i + 1,
                check: "vocabulary",
                message: format!("`{kind} {name}`: {reason}"),
            });
        }
    }
    offenses
}

/// Returns the keyword and the name of the type that a line defines.
fn definition(line: &str) -> Option<(&str, &str)> {
    let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let is_keyword = |word: &str| ["enum", "struct", "union", "trait", "type"].contains(&word);
    words.windows(2).find(|pair| is_keyword(pair[0])).map(|pair| (pair[0], pair[1]))
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

    #[test]
    fn ambiguous_names_are_public_once() {
        let block = |path| File::new(path, "struct Shape;\npub struct Block;\n");
        let offenses = check(&[block("runner/src/a.rs"), block("runner/src/b.rs")]);
        let texts: Vec<String> = offenses.iter().map(ToString::to_string).collect();
        let expected = "runner/src/b.rs:2: vocabulary: `struct Block`: runner/src/a.rs:2 defines \
                        one, so this one needs a qualifier";
        assert_eq!(texts, [expected]);
    }
}
