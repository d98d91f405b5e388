//! Banned words, riddle openings, foreign documents and retired names.

use crate::offense::Offense;
use crate::prose::{Paragraph, paragraphs};
use crate::source::{File, Kind};
use crate::words::{Entry, WORDS};

/// The glossary quotes the words not to use.
const QUOTES_WORDS: &[&str] = &["docs/glossary.md", "tests/tidy/", "CONTRIBUTING.md"];

/// Finds banned words and riddle openings in comments, documents and messages.
pub fn check(files: &[File]) -> Vec<Offense> {
    let files = files.iter().filter(|f| !QUOTES_WORDS.iter().any(|p| f.path.starts_with(p)));
    files.flat_map(check_file).collect()
}

fn check_file(file: &File) -> Vec<Offense> {
    let mut offenses = Vec::new();
    let mut report = |line, message| {
        offenses.push(Offense { path: file.path.clone(), line, check: "language", message });
    };
    for paragraph in paragraphs(file) {
        for (line, entry, found) in openings(&paragraph) {
            report(line, format!("sentence opens with `{found}`: {}", entry.instead));
        }
        for (at, entry) in phrases(&paragraph.text, &WORDS.word) {
            report(
                paragraph.line(at),
                format!("`{}`: {}", entry.word.replace('_', " "), entry.instead),
            );
        }
        for (at, entry) in phrases(&paragraph.text, &WORDS.document) {
            report(paragraph.line(at), format!("`{}`: {}", entry.word, entry.instead));
        }
    }
    // Messages and help texts: literals of several words outside tests.
    if file.kind == Kind::Rust && !file.is_test() {
        for literal in file.lexed.strings.iter().filter(|l| is_message(&l.text)) {
            for (_, entry) in phrases(&literal.text, &WORDS.word) {
                report(
                    literal.line,
                    format!("`{}` in a message: {}", entry.word.replace('_', " "), entry.instead),
                );
            }
        }
    }
    offenses
}

/// True for literals that read like a sentence, not like source code.
fn is_message(text: &str) -> bool {
    text.split_whitespace().count() >= 3 && !text.contains([';', '\n'])
}

/// Sentences that begin with a banned word and are no questions.
fn openings(paragraph: &Paragraph) -> Vec<(usize, &'static Entry, String)> {
    let mut found = Vec::new();
    for (at, sentence) in paragraph.sentences() {
        let first: String = sentence.chars().take_while(|c| c.is_alphabetic()).collect();
        let followed = sentence[first.len()..].starts_with(' ');
        let entry = WORDS.opening.iter().find(|e| e.word == first.to_lowercase());
        if let Some(entry) = entry.filter(|_| followed && !sentence.ends_with('?')) {
            found.push((paragraph.line(at), entry, first));
        }
    }
    found
}

/// Places of phrases as whole words, whatever their case.
fn phrases(text: &str, list: &'static [Entry]) -> Vec<(usize, &'static Entry)> {
    let lower = text.to_ascii_lowercase();
    let mut found = Vec::new();
    for entry in list {
        let phrase = entry.word.replace('_', " ").to_ascii_lowercase();
        for (at, _) in lower.match_indices(&phrase) {
            let inside = |c: char| c.is_alphanumeric() || c == '_';
            let before = lower[..at].chars().next_back().is_some_and(inside);
            let after = lower[at + phrase.len()..].chars().next().is_some_and(inside);
            if !(before || after && !phrase.ends_with('/')) {
                found.push((at, entry));
            }
        }
    }
    found
}

/// Finds identifiers that have a standard name.
pub fn check_names(files: &[File]) -> Vec<Offense> {
    let mut offenses = Vec::new();
    for file in files.iter().filter(|f| f.kind == Kind::Rust && !f.path.starts_with("tests/tidy/"))
    {
        for (i, line) in file.lexed.code.lines().enumerate() {
            for word in line.split(|c: char| !c.is_alphanumeric() && c != '_') {
                if let Some(entry) = WORDS.name.iter().find(|e| e.word == word) {
                    let message = format!("`{word}`: the standard name is {}", entry.instead);
                    offenses.push(Offense {
                        path: file.path.clone(),
                        line: i + 1,
                        check: "name",
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

    fn messages(path: &str, text: &str) -> Vec<String> {
        check(&[File::new(path, text)]).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn riddle_openings_are_reported() {
        let found = messages(
            "a.rs",
            "/// Whether it is red.\nfn f() {}\n/// Good. What is\n/// left.\nfn g() {}\n",
        );
        assert_eq!(
            found,
            [
                "a.rs:1: language: sentence opens with `Whether`: \"True if …\" or \"Returns whether …\"",
                "a.rs:3: language: sentence opens with `What`: open with a noun or an imperative verb",
            ]
        );
        assert!(messages("a.md", "Which one is it?\n\n`What`: code.\n").is_empty());
    }

    #[test]
    fn banned_words_are_reported() {
        assert_eq!(
            messages("a.md", "One.\nA place that nobody\nreads.\n"),
            ["a.md:2: language: `nobody`: name the subject"]
        );
        assert_eq!(
            messages("a.md", "The pass is\ntold.\n"),
            ["a.md:1: language: `is told`: receives, gets, is passed"]
        );
        assert_eq!(messages("a.rs", "fn f() { panic!(\"the row stands here\") }\n").len(), 1);
        assert!(messages("a.rs", "fn f() { let nobody = \"nobody\"; }\n").is_empty());
    }

    #[test]
    fn foreign_documents_are_reported() {
        assert_eq!(messages("a.rs", "// See HARDWARE.md, 4.2.\n").len(), 1);
    }

    #[test]
    fn retired_names_are_reported() {
        let found = check_names(&[File::new("a.rs", "struct Translator;\n// Translator\n")]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].line, 1);
    }
}
