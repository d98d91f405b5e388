//! Width of comments and of prose in documents.

use crate::offense::Offense;
use crate::prose::wrapped_lines;
use crate::source::File;

/// Columns of comments and prose.
pub const COLUMNS: usize = 100;

/// Finds comments and prose that are wider than [`COLUMNS`].
///
/// Code blocks, tables and lines whose excess is a link are no offenses.
pub fn check(files: &[File]) -> Vec<Offense> {
    let mut offenses = Vec::new();
    for file in files {
        let lines: Vec<&str> = file.text.lines().collect();
        for line in wrapped_lines(file) {
            let Some(text) = lines.get(line - 1) else { continue };
            let width = text.chars().count();
            if width > COLUMNS && !excess_is_link(text) {
                let message = format!("{width} columns, {COLUMNS} are allowed");
                offenses.push(Offense { path: file.path.clone(), line, check: "width", message });
            }
        }
    }
    offenses
}

/// True if the line is narrow enough without the targets of its links.
fn excess_is_link(line: &str) -> bool {
    let (mut width, mut rest) = (0, line);
    while let Some(at) = rest.find("](").or_else(|| rest.find("http")) {
        width += rest[..at].chars().count();
        rest = rest[at + 2..].trim_start_matches(|c: char| !c.is_whitespace() && c != ')');
    }
    rest.len() < line.len() && width + rest.chars().count() <= COLUMNS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&[File::new(path, text)]).iter().map(|o| o.line).collect()
    }

    #[test]
    fn wide_prose_is_reported() {
        let wide = "word ".repeat(21);
        assert_eq!(lines("a.md", &format!("x\n{wide}\n")), [2]);
        assert_eq!(lines("a.rs", &format!("/// {wide}\nfn f() {{}}\n")), [1]);
        assert_eq!(lines("a.yaml", &format!("# {wide}\n")), [1]);
    }

    #[test]
    fn tables_links_and_code_are_exempt() {
        let wide = "word ".repeat(21);
        assert!(lines("a.md", &format!("| {wide} |\n\n```\n{wide}\n```\n")).is_empty());
        assert!(
            lines("a.md", &format!("see [it](https://example.org/{})\n", "x".repeat(90)))
                .is_empty()
        );
        assert!(lines("a.rs", &format!("fn f() {{ g(\"{wide}\") }}\n")).is_empty());
    }
}
