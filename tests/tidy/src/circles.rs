//! Circles: files, or folders of one folder, that use each other, directly or through others.
//!
//! Without a circle of files each file stands above everything that it uses. Without a circle of
//! folders the same holds for folders: no import runs back up.

use crate::modules::{Uses, circles, uses};
use crate::offense::Offense;
use crate::source::File;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Finds circles of files in each crate.
pub fn check_files(files: &[File]) -> Vec<Offense> {
    let mut offenses = Vec::new();
    for (folder, uses) in uses(files) {
        offenses.extend(of_level(&folder, &uses, "circle", "files"));
    }
    offenses
}

/// Finds circles among the files and folders of each folder of each crate.
pub fn check_folders(files: &[File]) -> Vec<Offense> {
    let mut offenses = Vec::new();
    for (folder, uses) in uses(files) {
        for (level, uses) in levels(&uses) {
            let place = format!("{folder}/src/{level}");
            let found = of_level(place.trim_end_matches('/'), &uses, "upward", "folders");
            // Circles of files alone are the other check's.
            offenses.extend(found.into_iter().filter(|offense| offense.message.contains('/')));
        }
    }
    offenses
}

fn of_level(folder: &str, uses: &Uses, check: &'static str, what: &str) -> Vec<Offense> {
    let offense = |circle: &BTreeSet<&str>| {
        let names: Vec<&str> = circle.iter().copied().collect();
        let message = format!("circle of {} {what}: {}", names.len(), names.join(", "));
        let root = if check == "circle" { format!("{folder}/src") } else { folder.to_string() };
        let path = format!("{root}/{}", names[0].trim_end_matches('/'));
        Offense { path, line: 1, check, message }
    };
    circles(uses).iter().filter(|circle| circle.len() > 1).map(offense).collect()
}

/// The uses between the members of each folder, by the folder; folders end in a slash. A module's
/// own file belongs into the folder of its submodules, whether it is `a.rs` or `a/mod.rs`.
fn levels(uses: &Uses) -> BTreeMap<String, Uses> {
    let paths: BTreeSet<&str> =
        uses.keys().flat_map(|(from, to)| [from.as_str(), to.as_str()]).collect();
    let inside = |path: &str| {
        let folder = format!("{}/", path.trim_end_matches(".rs"));
        match paths.iter().any(|other| other.starts_with(&folder)) {
            true => format!("{folder}mod.rs"),
            false => path.to_string(),
        }
    };
    let mut levels: BTreeMap<String, Uses> = BTreeMap::new();
    for ((from, to), line) in uses {
        let (from, to) = (inside(from), inside(to));
        let shared = from.bytes().zip(to.bytes()).take_while(|(a, b)| a == b).count();
        let start = from[..shared].rfind('/').map_or(0, |slash| slash + 1);
        let member = |path: &str| match path[start..].split_once('/') {
            Some((folder, _)) => format!("{folder}/"),
            None => path[start..].to_string(),
        };
        let members = (member(&from), member(&to));
        let first = levels.entry(from[..start].to_string()).or_default().entry(members);
        let first = first.or_insert(*line);
        *first = *line.min(first);
    }
    levels
}

/// The circles below a folder with the uses that close them, for people who break one.
pub fn describe(files: &[File], below: &str) -> String {
    let mut text = String::new();
    for (folder, uses) in uses(files).into_iter().filter(|(folder, _)| folder.starts_with(below)) {
        describe_level(&mut text, &folder, &uses);
        for (level, members) in levels(&uses) {
            for circle in circles(&members) {
                if !circle.iter().any(|member| member.ends_with('/')) || circle.len() < 2 {
                    continue;
                }
                let _ = writeln!(text, "{folder}/src/{level}: circle of {} folders", circle.len());
                for ((from, to), line) in &uses {
                    let member = |path: &str| {
                        let rest = path.strip_prefix(level.as_str())?;
                        let (first, _) = rest.split_once('/').unwrap_or((rest, ""));
                        let first = first.trim_end_matches(".rs");
                        let name =
                            |c: &&&str| c.trim_end_matches('/').trim_end_matches(".rs") == first;
                        circle.iter().find(name).copied()
                    };
                    if let (Some(a), Some(b)) = (member(from), member(to))
                        && a != b
                    {
                        let _ = writeln!(text, "  {from}:{line} uses {to}");
                    }
                }
            }
        }
    }
    text
}

fn describe_level(text: &mut String, folder: &str, uses: &Uses) {
    for circle in circles(uses).into_iter().filter(|circle| circle.len() > 1) {
        let _ = writeln!(text, "{folder}: circle of {} files", circle.len());
        for ((from, to), line) in uses {
            if circle.contains(from.as_str()) && circle.contains(to.as_str()) {
                let _ = writeln!(text, "  {from}:{line} uses {to}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(list: &[(&str, &str)]) -> Vec<File> {
        list.iter().map(|(path, text)| File::new(&format!("x/src/{path}"), text)).collect()
    }

    fn messages(offenses: Vec<Offense>) -> Vec<String> {
        offenses.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn circles_of_files_are_reported() {
        let files = files(&[
            ("lib.rs", "mod a;\nmod b;\nmod c;\nmod d;\n"),
            ("a.rs", "use crate::b::B;\npub struct A;\n"),
            ("b.rs", "pub struct B(super::c::C);\n"),
            ("c.rs", "use crate::a::A;\npub struct C;\n"),
            ("d.rs", "use crate::a::A;\n"),
        ]);
        assert_eq!(
            messages(check_files(&files)),
            ["x/src/a.rs:1: circle: circle of 3 files: a.rs, b.rs, c.rs"]
        );
        assert!(check_folders(&files).is_empty());
        assert!(describe(&files, "x").contains("b.rs:1 uses c.rs"));
    }

    #[test]
    fn imports_that_run_back_up_are_reported() {
        let files = files(&[
            ("lib.rs", "mod a;\nmod b;\n"),
            ("a/mod.rs", "mod low;\nmod high;\n"),
            ("a/low.rs", "pub struct Low;\n"),
            ("a/high.rs", "use crate::b::B;\n"),
            ("b.rs", "pub struct B(crate::a::low::Low);\n"),
        ]);
        assert!(check_files(&files).is_empty());
        assert_eq!(
            messages(check_folders(&files)),
            ["x/src/a:1: upward: circle of 2 folders: a/, b.rs"]
        );
        let text = describe(&files, "x");
        assert!(text.contains("a/high.rs:1 uses b.rs") && text.contains("b.rs:1 uses a/low.rs"));
    }
}
