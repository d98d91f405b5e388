//! Circles of modules: files that use each other, directly or through others.

use crate::modules::{circles, uses};
use crate::offense::Offense;
use crate::source::File;
use std::fmt::Write as _;

/// Files of a circle: a file and its helper may know each other.
pub const FILES: usize = 2;

/// Finds circles of more than [`FILES`] files in each crate.
pub fn check(files: &[File]) -> Vec<Offense> {
    let mut offenses = Vec::new();
    for (folder, uses) in uses(files) {
        for circle in circles(&uses).into_iter().filter(|c| c.len() > FILES) {
            let names: Vec<&str> = circle.iter().copied().collect();
            let message = format!("circle of {} files: {}", names.len(), names.join(", "));
            let path = format!("{folder}/src/{}", names[0]);
            offenses.push(Offense { path, line: 1, check: "circle", message });
        }
    }
    offenses
}

/// The circles below a folder with the uses that close them, for people who break one.
pub fn describe(files: &[File], below: &str) -> String {
    let mut text = String::new();
    for (folder, uses) in uses(files).into_iter().filter(|(folder, _)| folder.starts_with(below)) {
        for circle in circles(&uses).into_iter().filter(|c| c.len() > FILES) {
            let _ = writeln!(text, "{folder}: circle of {} files", circle.len());
            for ((from, to), line) in &uses {
                if circle.contains(from.as_str()) && circle.contains(to.as_str()) {
                    let _ = writeln!(text, "  {from}:{line} uses {to}");
                }
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(last: &str) -> Vec<File> {
        let files = [
            ("lib.rs", "mod a;\nmod b;\nmod c;\n"),
            ("a.rs", "use crate::b::B;\npub struct A;\n"),
            ("b.rs", "pub struct B(super::c::C);\n"),
            ("c.rs", last),
        ];
        files.iter().map(|(path, text)| File::new(&format!("x/src/{path}"), text)).collect()
    }

    #[test]
    fn circles_are_reported() {
        let files = files("use crate::a::A;\npub struct C;\n");
        let offenses = check(&files);
        assert_eq!(offenses.len(), 1);
        assert_eq!(
            offenses[0].to_string(),
            "x/src/a.rs:1: circle: circle of 3 files: a.rs, b.rs, c.rs"
        );
        assert!(describe(&files, "x").contains("b.rs:1 uses c.rs"));
    }

    #[test]
    fn circles_of_two_are_allowed() {
        assert!(check(&files("use crate::b::B;\npub struct C;\n")).is_empty());
    }
}
