//! Form of crates: a front page with an example, one binary of integration tests.

use crate::lexer::Marker;
use crate::offense::Offense;
use crate::source::{File, Kind};

/// Finds library crates whose front page has no runnable example, and integration tests that are
/// binaries of their own.
pub fn check(files: &[File]) -> Vec<Offense> {
    let mut offenses = Vec::new();
    for file in files.iter().filter(|f| f.kind == Kind::Rust) {
        let mut report = |message: &str| {
            let (path, message) = (file.path.clone(), message.to_string());
            offenses.push(Offense { path, line: 1, check: "crate", message });
        };
        if file.path.ends_with("/src/lib.rs") && !has_example(file) {
            report("the front page of the crate has no runnable example (a code block of Rust)");
        }
        let binary = file.path.split_once("/tests/").is_some_and(|(_, rest)| !rest.contains('/'));
        if binary && !file.path.contains("/src/") && files.iter().any(|f| is_manifest_of(f, file)) {
            report("an integration test of its own: make it a module of tests/it");
        }
    }
    offenses
}

/// True if the manifest is that of the crate whose integration test the file is.
fn is_manifest_of(manifest: &File, test: &File) -> bool {
    let folder = manifest.path.strip_suffix("Cargo.toml");
    folder.is_some_and(|folder| {
        test.path.strip_prefix(folder).is_some_and(|rest| rest.starts_with("tests/"))
    })
}

/// True if the inner documentation has a code block that is compiled.
fn has_example(file: &File) -> bool {
    let doc = file.lexed.comments.iter().filter(|c| c.marker == Marker::Inner);
    let mut fences = doc.map(|c| c.text.trim()).filter(|text| text.starts_with("```")).step_by(2);
    fences.any(|fence| matches!(fence, "```" | "```rust" | "```no_run"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviations_are_reported() {
        let files = [
            File::new("a/Cargo.toml", ""),
            File::new("a/src/lib.rs", "//! Nothing.\n//!\n//! ```text\n//! x\n//! ```\n"),
            File::new("a/tests/one.rs", ""),
            File::new("a/tests/it/main.rs", ""),
            File::new("b/src/lib.rs", "//! Something.\n//!\n//! ```\n//! b::f();\n//! ```\n"),
        ];
        let found: Vec<_> = check(&files).into_iter().map(|o| o.path).collect();
        assert_eq!(found, ["a/src/lib.rs", "a/tests/one.rs"]);
    }
}
