//! Form of pass files: one public function with the file's name, a listing in the module doc.

use crate::lexer::Marker;
use crate::offense::Offense;
use crate::source::{File, Kind};

/// First parts of a pass's name.
const PREFIXES: &[&str] = &["opt_", "lower_", "legalize_"];

/// Lines of the module doc within which the listing begins.
const OPENING: usize = 15;

/// Finds pass files without a listing or whose public function has another name.
///
/// The module doc opens with a fenced block in which a line that begins with `before` precedes
/// one that begins with `after`.
pub fn check(files: &[File]) -> Vec<Offense> {
    let pass = |f: &&File| {
        f.kind == Kind::Rust
            && f.path.starts_with("compiler/")
            && f.path.contains("/src/")
            && !f.is_test()
            && PREFIXES.iter().any(|prefix| f.stem().starts_with(prefix))
    };
    files.iter().filter(pass).flat_map(check_file).collect()
}

fn check_file(file: &File) -> Vec<Offense> {
    let mut offenses = Vec::new();
    let mut report = |line, message: String| {
        offenses.push(Offense { path: file.path.clone(), line, check: "pass", message });
    };
    if !has_listing(file) {
        report(
            1,
            "the module doc opens with no before/after listing (```text, `before:`, `after:`)"
                .into(),
        );
    }
    let stem = file.stem();
    let functions: Vec<(usize, &str)> = file
        .lexed
        .code
        .lines()
        .enumerate()
        .filter_map(|(i, line)| Some((i + 1, public_function(line)?)))
        .collect();
    if !functions.iter().any(|(_, name)| *name == stem) {
        report(1, format!("no public function `{stem}`"));
    }
    for (line, name) in functions.into_iter().filter(|(_, name)| *name != stem) {
        report(line, format!("public function `{name}` beside `{stem}`"));
    }
    offenses
}

/// The name of the free public function that a line declares.
fn public_function(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("pub ").or_else(|| line.strip_prefix("pub(crate) "))?;
    let rest = rest.strip_prefix("const ").unwrap_or(rest).strip_prefix("fn ")?;
    rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

/// True if the module doc opens with a listing.
fn has_listing(file: &File) -> bool {
    let doc: Vec<&str> = file
        .lexed
        .comments
        .iter()
        .filter(|c| c.marker == Marker::Inner)
        .map(|c| c.text.trim())
        .collect();
    let Some(open) = doc.iter().take(OPENING).position(|line| line.starts_with("```")) else {
        return false;
    };
    let block = doc[open + 1..].iter().take_while(|line| !line.starts_with("```"));
    let words: Vec<String> = block
        .map(|line| line.trim_start_matches([';', '/', '#', ' ', '-', '=']).to_lowercase())
        .collect();
    let before = words.iter().position(|line| line.starts_with("before"));
    let after = words.iter().position(|line| line.starts_with("after"));
    before.zip(after).is_some_and(|(before, after)| before < after)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(text: &str) -> Vec<String> {
        check(&[File::new("compiler/middle/ir/src/passes/opt_x.rs", text)])
            .into_iter()
            .map(|o| o.message)
            .collect()
    }

    const LISTING: &str =
        "//! Removes x.\n//!\n//! ```text\n//! before: a\n//! after:  b\n//! ```\n\n";

    #[test]
    fn complete_passes_are_accepted() {
        assert!(
            messages(&format!("{LISTING}pub fn opt_x() {{}}\npub(super) fn helper() {{}}\n"))
                .is_empty()
        );
    }

    #[test]
    fn missing_listings_are_reported() {
        assert_eq!(
            messages("//! Removes x.\npub fn opt_x() {}\n"),
            ["the module doc opens with no before/after listing (```text, `before:`, `after:`)"]
        );
    }

    #[test]
    fn other_names_are_reported() {
        let found = messages(&format!("{LISTING}pub fn opt_y() {{}}\n"));
        assert_eq!(found, ["no public function `opt_x`", "public function `opt_y` beside `opt_x`"]);
    }
}
