//! Links, paths and names of items in documents lead to things that exist.

use crate::offense::Offense;
use crate::source::{File, Kind};
use std::collections::{HashMap, HashSet};

/// Folders whose contents documents name by path.
const ROOTS: &[&str] = &["compiler/", "runner/", "tests/", "docs/", "deploy/", ".ci/", ".cargo/"];

/// Paths of piglit and of runs.
const FOREIGN: &[&str] = &["tests/spec/", "tests/fuzz-"];

/// Finds links and code paths in Markdown that lead nowhere, and documents named in comments
/// that do not exist.
pub fn check(files: &[File]) -> Vec<Offense> {
    let mut known: HashSet<&str> = HashSet::new();
    for file in files {
        known.insert(&file.path);
        known.extend(file.path.match_indices('/').map(|(at, _)| &file.path[..at]));
    }
    // Names of tests have no extension.
    known.extend(files.iter().filter_map(|f| f.path.strip_suffix(".shader_test")));
    let names = names(files);
    let mut offenses = Vec::new();
    for file in files {
        let mut report = |line, message| {
            offenses.push(Offense { path: file.path.clone(), line, check: "link", message });
        };
        let mut fenced = false;
        for (i, line) in file.text.lines().enumerate().filter(|_| file.kind == Kind::Markdown) {
            if line.trim_start().starts_with("```") {
                fenced = !fenced;
            }
            if fenced {
                continue;
            }
            for target in links(line) {
                if !exists(&known, &join(&file.path, target)) {
                    report(i + 1, format!("link to `{target}`: no such file"));
                }
            }
            for path in code_paths(line) {
                if !exists(&known, path) {
                    report(i + 1, format!("`{path}`: no such file"));
                }
            }
            for (package, item) in items(line) {
                if !names.get(package).is_none_or(|names| names.contains(item)) {
                    report(i + 1, format!("`{item}`: no such name in {package}"));
                }
            }
        }
        for comment in &file.lexed.comments {
            for word in comment.text.split(|c: char| c.is_whitespace() || "`(),;:[]\"".contains(c))
            {
                let document =
                    word.starts_with("docs/") && word.trim_end_matches('.').ends_with(".md");
                if document && !exists(&known, word.trim_end_matches('.')) {
                    report(comment.line, format!("`{word}`: no such document"));
                }
            }
        }
    }
    offenses
}

/// Targets of a line's links to files, without fragments.
fn links(line: &str) -> Vec<&str> {
    let targets = line.match_indices("](").filter_map(|(at, _)| line[at + 2..].split(')').next());
    let files = targets.map(|t| t.split('#').next().unwrap_or(t));
    files.filter(|t| !t.is_empty() && !t.contains("://") && !t.starts_with("mailto:")).collect()
}

/// Inline code of a line that names a place in the repository.
fn code_paths(line: &str) -> Vec<&str> {
    let code = line.split('`').skip(1).step_by(2);
    let under = |c: &str, roots: &[&str]| roots.iter().any(|root| c.starts_with(root));
    code.filter(|c| under(c, ROOTS) && !under(c, FOREIGN) && !c.contains(' ')).collect()
}

/// Paths of items in a line's inline code, as crate and last name.
fn items(line: &str) -> Vec<(&str, &str)> {
    let code = line.split('`').skip(1).step_by(2);
    let path = |c: &&str| c.chars().all(|c| c.is_alphanumeric() || c == '_' || c == ':');
    code.filter(path)
        .filter_map(|c| Some((c.split("::").next()?, c.rsplit_once("::")?.1)))
        .collect()
}

/// Identifiers of each crate, by the name of its folder.
fn names(files: &[File]) -> HashMap<&str, HashSet<&str>> {
    let mut names: HashMap<&str, HashSet<&str>> = HashMap::new();
    for file in files.iter().filter(|f| f.kind == Kind::Rust) {
        if let Some((folder, _)) = file.path.split_once("/src/") {
            let package = folder.rsplit('/').next().unwrap_or(folder);
            let words = file.lexed.code.split(|c: char| !c.is_alphanumeric() && c != '_');
            names.entry(package).or_default().extend(words);
        }
    }
    names
}

/// A link's target below the root.
fn join(from: &str, target: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// True if a path exists; `*`, `<name>` and capital placeholders match anything, braces a choice.
fn exists(known: &HashSet<&str>, path: &str) -> bool {
    if let Some((before, rest)) = path.split_once('{') {
        let Some((choice, after)) = rest.split_once('}') else { return false };
        return choice.split(',').all(|part| exists(known, &format!("{before}{part}{after}")));
    }
    let path = path.split(':').next().unwrap_or(path).trim_end_matches('/');
    let wild = |part: &str| {
        part.contains(['*', '<', '…']) || part.len() > 1 && part.chars().all(|c| c.is_uppercase())
    };
    if !path.split('/').any(wild) {
        return known.contains(path);
    }
    let parts: Vec<&str> = path.split('/').collect();
    let fits = |part: &str, name: &str| {
        let (before, after) =
            (part.split(['*', '<', '…']).next(), part.rsplit(['*', '>', '…']).next());
        part == name
            || wild(part)
                && (part.chars().all(char::is_uppercase)
                    || name.starts_with(before.unwrap_or(""))
                        && name.ends_with(after.unwrap_or("")))
    };
    known.iter().any(|k| {
        let names: Vec<&str> = k.split('/').collect();
        names.len() == parts.len() && parts.iter().zip(names).all(|(part, name)| fits(part, name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_do_not_exist_are_reported() {
        let files = [
            File::new(
                "docs/a.md",
                "`ir::Shader`, `ir::Shade`, `std::fmt`, `ir::shader::Shader::new`\n",
            ),
            File::new("compiler/middle/ir/src/shader.rs", "impl Shader { fn new() {} }\n"),
        ];
        let found: Vec<String> = check(&files).iter().map(ToString::to_string).collect();
        assert_eq!(found, ["docs/a.md:1: link: `Shade`: no such name in ir"]);
    }

    #[test]
    fn dead_links_are_reported() {
        let text = "[a](b.md) [b](../README.md#x) [c](https://x.org/y)\n`docs/none.md` `compiler/middle/ir/src/ops.rs:10`\n\
                    `compiler/middle/ir/src/*.rs` `compiler/{ir,none}`\n";
        let files = [
            File::new("docs/a.md", text),
            File::new("README.md", ""),
            File::new("compiler/middle/ir/src/ops.rs", "// See docs/none.md.\n"),
        ];
        let found: Vec<String> = check(&files).iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            [
                "docs/a.md:1: link: link to `b.md`: no such file",
                "docs/a.md:2: link: `docs/none.md`: no such file",
                "docs/a.md:3: link: `compiler/{ir,none}`: no such file",
                "compiler/middle/ir/src/ops.rs:1: link: `docs/none.md.`: no such document",
            ]
        );
    }
}
