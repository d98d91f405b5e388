//! Files of the tree, with the kind that decides what their comments look like.

use crate::lexer::{self, Lexed};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

/// Language of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Rust source.
    Rust,
    /// Markdown document.
    Markdown,
    /// Text whose comments begin with `#`: shell, TOML, YAML, shader tests.
    Hash,
    /// Anything else: only its spelling is checked.
    Other,
}

/// A file with its text.
#[derive(Clone, Debug)]
pub struct File {
    /// Path below the root, with forward slashes.
    pub path: String,
    /// Contents.
    pub text: String,
    /// Language.
    pub kind: Kind,
    /// Comments, strings and code of Rust source; empty for other files.
    pub lexed: Lexed,
}

impl File {
    /// A file in memory.
    pub fn new(path: &str, text: &str) -> File {
        let kind = kind(path);
        let lexed = if kind == Kind::Rust { lexer::lex(text) } else { Lexed::default() };
        File { path: path.to_string(), text: text.to_string(), kind, lexed }
    }

    /// True for Rust tests: integration tests, test modules and benches.
    pub fn is_test(&self) -> bool {
        let stem = self.stem();
        stem == "tests"
            || stem.ends_with("_tests")
            || self.path.split('/').rev().skip(1).any(|d| d == "tests" || d == "benches")
                && !self.path.contains("/src/")
            || self.path.contains("/src/")
                && self.path.contains("/tests/")
                && !self.path.starts_with("tests/")
    }

    /// File name without extension.
    pub fn stem(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or(&self.path);
        name.split('.').next().unwrap_or(name)
    }
}

/// The language of a path.
fn kind(path: &str) -> Kind {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "rs" => Kind::Rust,
        "md" => Kind::Markdown,
        "toml" | "yaml" | "yml" | "sh" | "shader_test" => Kind::Hash,
        _ if path.starts_with(".ci/") || name == ".gitattributes" => Kind::Hash,
        _ => Kind::Other,
    }
}

/// True for files that are only listed: generated tests, expected outputs, the lists of this crate.
fn exempt(path: &str) -> bool {
    let generated = [
        "tests/fp64/",
        "tests/half/",
        "tests/tidy/words.txt",
        "tests/tidy/pending.txt",
        "Cargo.lock",
        "LICENSE",
    ];
    generated.iter().any(|prefix| path.starts_with(prefix))
        || path.ends_with(".snap")
        || path.ends_with(".png")
        || path.ends_with(".csv")
}

/// The root of the repository around the current folder.
///
/// # Errors
/// Fails when git cannot be executed or the folder is in no repository.
pub fn root() -> io::Result<PathBuf> {
    let output = Command::new("git").args(["rev-parse", "--show-toplevel"]).output()?;
    match String::from_utf8_lossy(&output.stdout).trim() {
        "" => Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned())),
        root => Ok(PathBuf::from(root)),
    }
}

/// All files that git tracks or would track; generated ones are listed without their text.
///
/// # Errors
/// Fails when git cannot be executed.
pub fn tree(root: &Path) -> io::Result<Vec<File>> {
    let output = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()?;
    let names = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut files = Vec::new();
    for path in names.lines() {
        if exempt(path) && !path.ends_with("README.md") {
            files.push(File { kind: Kind::Other, ..File::new(path, "") });
            continue;
        }
        // A file that was deleted but not yet staged is listed as well.
        if let Ok(text) = fs::read_to_string(root.join(path)) {
            files.push(File::new(path, &text));
        }
    }
    Ok(files)
}
