//! American spelling in code and prose.

use crate::offense::Offense;
use crate::source::File;
use crate::words::{Entry, WORDS};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Endings of verbs in -ise and -yse, the longest first.
const ENDINGS: &[&str] = &["ations", "ation", "able", "ers", "ing", "er", "ed", "es", "e"];

/// British forms by their first three letters.
static BY_PREFIX: LazyLock<HashMap<&str, Vec<&Entry>>> = LazyLock::new(|| {
    let mut map: HashMap<&str, Vec<&Entry>> = HashMap::new();
    for entry in &WORDS.british {
        map.entry(&entry.word[..3]).or_default().push(entry);
    }
    map
});

/// Finds British forms in comments, strings and the parts of identifiers.
pub fn check(files: &[File]) -> Vec<Offense> {
    let mut offenses = Vec::new();
    for file in
        files.iter().filter(|f| !f.path.starts_with("tests/tidy/") && f.path != "docs/glossary.md")
    {
        for (i, line) in file.text.lines().enumerate() {
            for word in words(line) {
                if let Some(entry) = british(&word) {
                    let message = format!("`{word}`: write {}", american(&word, entry));
                    offenses.push(Offense {
                        path: file.path.clone(),
                        line: i + 1,
                        check: "spelling",
                        message,
                    });
                }
            }
        }
    }
    offenses
}

/// Words of a line: identifiers are split at underscores and at capitals.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut previous = ' ';
    for c in line.chars() {
        if !c.is_alphabetic() || c.is_uppercase() && previous.is_lowercase() {
            words.push(String::new());
        }
        if c.is_alphabetic() {
            words.last_mut().expect("never empty").push(c);
        }
        previous = c;
    }
    words.retain(|w| w.len() >= 4);
    words
}

/// The entry that a word is a form of.
fn british(word: &str) -> Option<&'static Entry> {
    let word = word.to_lowercase();
    let entries = BY_PREFIX.get(word.get(..3)?)?;
    entries.iter().copied().find(|entry| match entry.word.strip_suffix(['~', '*']) {
        Some(stem) if entry.word.ends_with('~') => {
            word.strip_prefix(stem).is_some_and(|rest| ENDINGS.contains(&rest))
        }
        Some(stem) => word.starts_with(stem),
        None => word == entry.word,
    })
}

/// The American form of a word that an entry matches.
fn american(word: &str, entry: &Entry) -> String {
    let stem = entry.word.trim_end_matches(['~', '*']);
    // The replacement of a verb is its form in -e.
    let instead = entry.instead.strip_suffix('e').filter(|_| entry.word.ends_with('~'));
    format!("{}{}", instead.unwrap_or(&entry.instead), &word[stem.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn british_forms_are_reported() {
        let text =
            "fn optimise_colour() {}\nstruct Rasteriser;\n// centre\nlet optimistic = analysis;\n";
        let mut found: Vec<_> =
            check(&[File::new("a.rs", text)]).iter().map(ToString::to_string).collect();
        found.sort();
        assert_eq!(
            found,
            [
                "a.rs:1: spelling: `colour`: write color",
                "a.rs:1: spelling: `optimise`: write optimize",
                "a.rs:2: spelling: `Rasteriser`: write rasterizer",
                "a.rs:3: spelling: `centre`: write center",
            ]
        );
        assert!(
            check(&[File::new("a.rs", "// emphasis, organism, license, analyst, unrealistic\n")])
                .is_empty()
        );
    }
}
