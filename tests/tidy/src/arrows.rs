//! Arrows between crates: each crate uses only the crates that ARCHITECTURE.md allows it.
//!
//! The table of crates there has a row for each: folder, crate, purpose, and the crates that it
//! may use. Names in that cell are crates, or folders of crates with a final slash; `vocabulary`
//! is free to all.

use crate::dependencies::dependencies;
use crate::offense::Offense;
use crate::source::File;
use std::collections::{BTreeMap, BTreeSet};

/// The document with the table.
const PLAN: &str = "ARCHITECTURE.md";
/// The crate that every crate may use.
const FREE: &str = "vocabulary";

/// A row of the table.
struct Row<'a> {
    line: usize,
    folder: &'a str,
    name: &'a str,
    allowed: Vec<&'a str>,
}

/// Finds crates without a row, rows without a crate, uses against the arrows, and arrows that no
/// crate needs.
pub fn check(files: &[File]) -> Vec<Offense> {
    let Some(plan) = files.iter().find(|file| file.path == PLAN) else { return Vec::new() };
    let rows = rows(&plan.text);
    let crates = crates(files);
    let mut offenses = Vec::new();
    let mut report = |path: &str, line: usize, message: String| {
        offenses.push(Offense { path: path.to_string(), line, check: "arrow", message });
    };
    for row in &rows {
        if crates.get(row.name).is_none_or(|manifest| folder(manifest) != row.folder) {
            report(PLAN, row.line, format!("there is no crate `{}` in {}", row.name, row.folder));
        }
    }
    for (name, manifest) in &crates {
        let Some(row) = rows.iter().find(|row| row.name == *name) else {
            report(&manifest.path, 1, format!("{PLAN} has no row for the crate `{name}`"));
            continue;
        };
        let mut unused: BTreeSet<&str> = row.allowed.iter().copied().collect();
        for (line, used) in dependencies(&manifest.text) {
            let Some(target) = crates.get(used) else { continue };
            let covers = |allowed: &&str| covers(allowed, used, folder(target));
            let covering: Vec<&str> = row.allowed.iter().filter(|a| covers(a)).copied().collect();
            if covering.is_empty() && used != FREE {
                report(&manifest.path, line, format!("`{name}` must not use `{used}` ({PLAN})"));
            }
            covering.iter().for_each(|allowed| _ = unused.remove(allowed));
        }
        for arrow in unused {
            report(PLAN, row.line, format!("`{name}` does not use `{arrow}`"));
        }
    }
    offenses
}

/// True if an entry of the table allows a crate: by its name, or by a folder above it.
fn covers(allowed: &str, name: &str, folder: &str) -> bool {
    allowed == name
        || allowed.strip_suffix('/').is_some_and(|above| {
            folder == above || folder.strip_prefix(above).is_some_and(|rest| rest.starts_with('/'))
        })
}

/// The crates of the workspace by their names.
fn crates(files: &[File]) -> BTreeMap<&str, &File> {
    let manifests = files.iter().filter(|file| file.path.ends_with("/Cargo.toml"));
    manifests.filter_map(|file| Some((package(&file.text)?, file))).collect()
}

fn package(manifest: &str) -> Option<&str> {
    let line = manifest.lines().find_map(|line| line.strip_prefix("name = "))?;
    Some(line.trim().trim_matches('"'))
}

fn folder(manifest: &File) -> &str {
    manifest.path.trim_end_matches("/Cargo.toml")
}

/// The rows of the table whose first two cells are a folder and a crate.
fn rows(text: &str) -> Vec<Row<'_>> {
    let heading = text.lines().position(|line| line.starts_with("| folder | crate |"));
    let lines = text.lines().enumerate().skip(heading.map_or(usize::MAX, |line| line + 2));
    lines
        .take_while(|(_, line)| line.starts_with('|'))
        .filter_map(|(index, line)| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').collect();
            let [folder, name, .., allowed] = cells[..] else { return None };
            Some(Row {
                line: index + 1,
                folder: quoted(folder).next()?,
                name: quoted(name).next()?,
                allowed: quoted(allowed).collect(),
            })
        })
        .collect()
}

/// The texts in backticks.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "# Plan\n\n| folder | crate | purpose | may use |\n|---|---|---|---|\n\
        | `low` | `vocabulary` | words | – |\n\
        | `low/a` | `a` | one | `b` |\n\
        | `high/b` | `b` | two | `low/` |\n";

    fn manifest(name: &str, uses: &[&str]) -> String {
        let lines: String = uses.iter().map(|name| format!("{name}.workspace = true\n")).collect();
        format!("[package]\nname = \"{name}\"\n\n[dependencies]\n{lines}")
    }

    fn offenses(uses_of_a: &[&str], uses_of_b: &[&str]) -> Vec<String> {
        let files = [
            File::new(PLAN, TABLE),
            File::new("low/Cargo.toml", &manifest("vocabulary", &[])),
            File::new("low/a/Cargo.toml", &manifest("a", uses_of_a)),
            File::new("high/b/Cargo.toml", &manifest("b", uses_of_b)),
        ];
        check(&files).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn uses_follow_the_table() {
        assert!(offenses(&["b", "vocabulary", "regex"], &["a"]).is_empty());
        assert_eq!(
            offenses(&[], &["a", "b"]),
            [
                "ARCHITECTURE.md:6: arrow: `a` does not use `b`",
                "high/b/Cargo.toml:6: arrow: `b` must not use `b` (ARCHITECTURE.md)",
            ]
        );
    }

    #[test]
    fn rows_and_crates_belong_together() {
        let files = [
            File::new(PLAN, &TABLE.replace("`low/`", "–")),
            File::new("low/Cargo.toml", &manifest("vocabulary", &[])),
            File::new("low/a/Cargo.toml", &manifest("a", &["b"])),
            File::new("other/b/Cargo.toml", &manifest("b", &[])),
            File::new("new/Cargo.toml", &manifest("new", &[])),
        ];
        let found: Vec<String> = check(&files).iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            [
                "ARCHITECTURE.md:7: arrow: there is no crate `b` in high/b",
                "new/Cargo.toml:1: arrow: ARCHITECTURE.md has no row for the crate `new`",
            ]
        );
    }
}
