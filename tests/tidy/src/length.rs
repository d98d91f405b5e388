//! Length of Rust files.

use crate::offense::Offense;
use crate::source::{File, Kind};

/// Lines of a Rust file.
pub const LINES: usize = 800;

/// Finds Rust files that are longer than [`LINES`].
pub fn check(files: &[File]) -> Vec<Offense> {
    let mut offenses = Vec::new();
    for file in files.iter().filter(|f| f.kind == Kind::Rust) {
        let lines = file.text.lines().count();
        if lines > LINES {
            let message = format!("{lines} lines, {LINES} are allowed: split the file by concern");
            offenses.push(Offense {
                path: file.path.clone(),
                line: lines,
                check: "length",
                message,
            });
        }
    }
    offenses
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_files_are_reported() {
        let offenses =
            check(&[File::new("a.rs", &"\n".repeat(801)), File::new("b.rs", &"\n".repeat(800))]);
        assert_eq!(offenses.len(), 1);
        assert_eq!(
            offenses[0].to_string(),
            "a.rs:801: length: 801 lines, 800 are allowed: split the file by concern"
        );
    }
}
