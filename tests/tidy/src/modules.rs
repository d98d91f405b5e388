//! Module tree of a crate, and the files that each file uses.
//!
//! Paths in `use` declarations and in code are resolved through re-exports to the file that
//! defines the item. A re-export alone is no use of its target. Test modules are left out.

use crate::source::{File, Kind};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// A use of one file by another: both paths below the crate's `src/`, and the line of the first.
pub type Uses = BTreeMap<(String, String), usize>;

/// The uses between the files of each crate, by the crate's folder.
pub fn uses(files: &[File]) -> BTreeMap<String, Uses> {
    let mut crates: BTreeMap<&str, BTreeMap<&str, &File>> = BTreeMap::new();
    for file in files.iter().filter(|f| f.kind == Kind::Rust) {
        if let Some((folder, path)) = file.path.split_once("/src/") {
            crates.entry(folder).or_default().insert(path, file);
        }
    }
    let mut all = BTreeMap::new();
    for (folder, files) in crates {
        let mut uses = Uses::new();
        for root in ["lib.rs", "main.rs"] {
            if files.contains_key(root) {
                let mut tree = Tree { files: &files, nodes: Vec::new(), macros: HashMap::new() };
                tree.load(root, None, "");
                uses.extend(tree.edges());
            }
        }
        all.insert(folder.to_string(), uses);
    }
    all
}

/// A path in the source, with its line.
#[derive(Clone, Debug)]
struct Mention {
    segments: Vec<String>,
    line: usize,
    glob: bool,
}

/// A module: a file or a block in one.
#[derive(Debug, Default)]
struct Node {
    parent: Option<usize>,
    file: String,
    /// Folder below `src/` that holds the modules declared here, with a final slash.
    folder: String,
    children: HashMap<String, usize>,
    /// Names that `use` declarations bind.
    bindings: HashMap<String, Vec<String>>,
    globs: Vec<Vec<String>>,
    /// Names of functions, types and constants.
    items: HashSet<String>,
    /// Paths that are used.
    mentions: Vec<Mention>,
    /// Re-exports: uses only if the name occurs in code as well.
    exports: Vec<(String, Mention)>,
    /// Identifiers in code.
    identifiers: HashSet<String>,
}

/// End of a resolved path.
enum Resolved {
    Module(usize),
    Item(String),
}

struct Tree<'a> {
    files: &'a BTreeMap<&'a str, &'a File>,
    nodes: Vec<Node>,
    /// File of each exported macro.
    macros: HashMap<String, String>,
}

impl Tree<'_> {
    /// Adds a file and the modules that it declares; returns its node.
    fn load(&mut self, path: &str, parent: Option<usize>, folder: &str) -> usize {
        let node = self.nodes.len();
        self.nodes.push(Node {
            parent,
            file: path.to_string(),
            folder: folder.to_string(),
            ..Node::default()
        });
        let tokens = tokens(&self.files[path].lexed.code);
        Parser { tree: self, tokens: &tokens, at: 0, stack: vec![(node, 0)], depth: 0 }.parse();
        node
    }

    /// Adds the file of `mod name;`.
    fn declare(&mut self, parent: usize, name: &str) {
        let folder = self.nodes[parent].folder.clone();
        let (plain, nested) = (format!("{folder}{name}.rs"), format!("{folder}{name}/mod.rs"));
        for path in [plain, nested] {
            if self.files.contains_key(path.as_str()) {
                let child = self.load(&path, Some(parent), &format!("{folder}{name}/"));
                self.nodes[parent].children.insert(name.to_string(), child);
            }
        }
    }

    fn edges(&self) -> Uses {
        let mut uses = Uses::new();
        for (id, node) in self.nodes.iter().enumerate() {
            let exports = node
                .exports
                .iter()
                .filter(|(name, _)| node.identifiers.contains(name))
                .map(|(_, m)| m);
            for mention in node.mentions.iter().chain(exports) {
                let target = match self.resolve(id, &mention.segments, 0) {
                    Some(Resolved::Item(file)) => file,
                    Some(Resolved::Module(module)) if mention.glob => {
                        self.nodes[module].file.clone()
                    }
                    _ => continue,
                };
                if target != node.file {
                    let line = uses.entry((node.file.clone(), target)).or_insert(mention.line);
                    *line = mention.line.min(*line);
                }
            }
        }
        uses
    }

    /// The module or the file that a path leads to; none for other crates.
    fn resolve(&self, from: usize, segments: &[String], depth: usize) -> Option<Resolved> {
        let (first, mut rest) = segments.split_first()?;
        let mut module = match first.as_str() {
            "crate" => self.root(from),
            "self" => from,
            "super" => self.nodes[from].parent?,
            name => {
                let node = &self.nodes[from];
                if !node.children.contains_key(name) && !node.bindings.contains_key(name) {
                    return None;
                }
                rest = segments;
                from
            }
        };
        while let Some((segment, after)) = rest.split_first() {
            if segment == "super" {
                module = self.nodes[module].parent?;
            } else if segment == "self" {
            } else {
                match self.member(module, segment, depth)? {
                    Resolved::Module(child) => module = child,
                    item => return Some(item),
                }
            }
            rest = after;
        }
        Some(Resolved::Module(module))
    }

    fn root(&self, mut node: usize) -> usize {
        while let Some(parent) = self.nodes[node].parent {
            node = parent;
        }
        node
    }

    /// A name in a module; an unknown one (made by a macro) is the module's own.
    fn member(&self, module: usize, name: &str, depth: usize) -> Option<Resolved> {
        let node = &self.nodes[module];
        let own = || Some(Resolved::Item(node.file.clone()));
        if depth > 12 {
            return own();
        }
        if let Some(&child) = node.children.get(name) {
            return Some(Resolved::Module(child));
        }
        if node.items.contains(name) {
            return own();
        }
        if let Some(path) = node.bindings.get(name) {
            // A name of another crate, imported here and used below, is no use of this file.
            return self.resolve(module, path, depth + 1);
        }
        for glob in &node.globs {
            if let Some(Resolved::Module(target)) = self.resolve(module, glob, depth + 1)
                && target != module
                && self.defines(target, name)
            {
                return self.member(target, name, depth + 1);
            }
        }
        match self.macros.get(name) {
            Some(file) => Some(Resolved::Item(file.clone())),
            None => own(),
        }
    }

    fn defines(&self, module: usize, name: &str) -> bool {
        let node = &self.nodes[module];
        node.children.contains_key(name)
            || node.items.contains(name)
            || node.bindings.contains_key(name)
    }
}

/// A token with its line.
type Token = (String, usize);

/// Identifiers and punctuation; `::` is one token.
fn tokens(code: &str) -> Vec<Token> {
    let (mut tokens, mut line) = (Vec::new(), 1);
    let mut chars = code.chars().peekable();
    while let Some(c) = chars.next() {
        let mut token = c.to_string();
        if c == '\n' {
            line += 1;
        }
        if c.is_whitespace() {
            continue;
        }
        let word = |c: &char| c.is_alphanumeric() || *c == '_';
        if word(&c) {
            while let Some(next) = chars.next_if(word) {
                token.push(next);
            }
        } else if c == ':' && chars.next_if_eq(&':').is_some() {
            token.push(':');
        }
        tokens.push((token, line));
    }
    tokens
}

struct Parser<'t, 'a> {
    tree: &'t mut Tree<'a>,
    tokens: &'t [Token],
    at: usize,
    /// Modules around the place, each with the depth of braces at which it began.
    stack: Vec<(usize, usize)>,
    depth: usize,
}

impl Parser<'_, '_> {
    fn text(&self, ahead: usize) -> &str {
        self.tokens.get(self.at + ahead).map_or("", |(text, _)| text)
    }

    fn line(&self) -> usize {
        self.tokens.get(self.at).map_or(0, |(_, line)| *line)
    }

    fn node(&mut self) -> &mut Node {
        let (id, _) = *self.stack.last().expect("never empty");
        &mut self.tree.nodes[id]
    }

    fn parse(&mut self) {
        while self.at < self.tokens.len() {
            self.step();
        }
    }

    fn step(&mut self) {
        let test = ["#", "[", "cfg", "(", "test", ")", "]"];
        if test.iter().enumerate().all(|(i, t)| self.text(i) == *t) {
            self.at += test.len();
            return self.skip_item();
        }
        match self.text(0) {
            "{" => self.depth += 1,
            "}" => {
                self.depth = self.depth.saturating_sub(1);
                if self.stack.len() > 1
                    && self.stack.last().is_some_and(|(_, depth)| *depth == self.depth)
                {
                    self.stack.pop();
                }
            }
            "mod" if is_identifier(self.text(1)) => return self.module(),
            "use" if !matches!(self.text(1), "<" | "(") => return self.import(),
            "macro_rules" => {
                let (name, file) = (self.text(2).to_string(), self.node().file.clone());
                self.tree.macros.insert(name, file);
            }
            "fn" | "struct" | "enum" | "union" | "trait" | "type" | "const" | "static" => {
                let name = self.text(1).to_string();
                self.node().items.insert(name);
            }
            _ => {}
        }
        self.path();
    }

    /// Skips the item after an attribute: up to a semicolon or the end of a block.
    fn skip_item(&mut self) {
        let mut depth = 0usize;
        while self.at < self.tokens.len() {
            match self.text(0) {
                "{" | "(" | "[" => depth += 1,
                "}" | ")" | "]" => depth = depth.saturating_sub(1),
                _ => {}
            }
            let end = depth == 0 && matches!(self.text(0), ";" | "}");
            self.at += 1;
            if end {
                return;
            }
        }
    }

    fn module(&mut self) {
        let (name, parent) = (self.text(1).to_string(), self.stack.last().expect("never empty").0);
        match self.text(2) {
            ";" => self.tree.declare(parent, &name),
            "{" => {
                let node = &self.tree.nodes[parent];
                let folder = format!("{}{name}/", node.folder);
                let node = Node {
                    parent: Some(parent),
                    file: node.file.clone(),
                    folder,
                    ..Node::default()
                };
                self.tree.nodes.push(node);
                let child = self.tree.nodes.len() - 1;
                self.tree.nodes[parent].children.insert(name, child);
                self.stack.push((child, self.depth));
                self.depth += 1;
            }
            _ => {}
        }
        self.at += 3;
    }

    /// A `use` declaration.
    fn import(&mut self) {
        let public = self.at > 0 && matches!(self.tokens[self.at - 1].0.as_str(), "pub" | ")");
        self.at += 1;
        self.import_tree(&mut Vec::new(), public);
        self.at += 1;
    }

    /// A branch of a `use` tree, up to a comma, a closing brace or a semicolon.
    fn import_tree(&mut self, prefix: &mut Vec<String>, public: bool) {
        let (length, line) = (prefix.len(), self.line());
        let mut name = None;
        while self.at < self.tokens.len() {
            match self.text(0) {
                "," | "}" | ";" => break,
                "::" => {}
                "*" => {
                    let mention = Mention { segments: prefix.clone(), line, glob: true };
                    self.node().globs.push(prefix.clone());
                    if !public {
                        self.node().mentions.push(mention);
                    }
                    name = None;
                    prefix.clear();
                }
                "as" => {
                    name = Some(self.text(1).to_string());
                    self.at += 1;
                }
                "{" => {
                    loop {
                        self.at += 1;
                        self.import_tree(prefix, public);
                        if self.text(0) != "," {
                            break;
                        }
                    }
                    prefix.clear();
                    name = None;
                }
                segment => {
                    name = Some(segment.to_string());
                    prefix.push(segment.to_string());
                }
            }
            self.at += 1;
        }
        if let Some(name) = name {
            self.bind(name, prefix.clone(), line, public);
        }
        prefix.truncate(length);
    }

    fn bind(&mut self, mut name: String, mut segments: Vec<String>, line: usize, public: bool) {
        if segments.len() > 1 && segments.last().is_some_and(|s| s == "self") {
            segments.pop();
            if name == "self" {
                name = segments.last().cloned().unwrap_or_default();
            }
        }
        let mention = Mention { segments: segments.clone(), line, glob: false };
        let node = self.node();
        if public {
            node.exports.push((name.clone(), mention));
        } else {
            node.mentions.push(mention);
        }
        node.bindings.insert(name, segments);
    }

    /// A token of code: an identifier, or a path of several.
    fn path(&mut self) {
        let line = self.line();
        let start = self.text(0).to_string();
        let inner = self.at > 0 && matches!(self.tokens[self.at - 1].0.as_str(), "::" | ".");
        self.at += 1;
        if !is_identifier(&start) {
            return;
        }
        if !inner {
            self.node().identifiers.insert(start.clone());
        }
        let mut segments = vec![start];
        while self.text(0) == "::" && is_identifier(self.text(1)) {
            segments.push(self.text(1).to_string());
            self.at += 2;
        }
        if segments.len() > 1 && !inner {
            self.node().mentions.push(Mention { segments, line, glob: false });
        }
    }
}

fn is_identifier(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Groups of files of which each uses every other, directly or not.
pub fn circles(uses: &Uses) -> Vec<BTreeSet<&str>> {
    let mut after: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (from, to) in uses.keys() {
        after.entry(from).or_default().push(to);
    }
    let reach = |start: &str| {
        let (mut seen, mut work) = (BTreeSet::new(), vec![start]);
        while let Some(file) = work.pop() {
            for &next in after.get(file).into_iter().flatten() {
                if seen.insert(next) {
                    work.push(next);
                }
            }
        }
        seen
    };
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        after.keys().map(|file| (*file, reach(file))).collect();
    let mut circles: Vec<BTreeSet<&str>> = Vec::new();
    for (file, targets) in &reached {
        if targets.contains(file) && !circles.iter().any(|c| c.contains(file)) {
            circles.push(
                targets
                    .iter()
                    .copied()
                    .filter(|t| reached.get(t).is_some_and(|r| r.contains(file)))
                    .collect(),
            );
        }
    }
    circles
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(files: &[(&str, &str)]) -> Vec<(String, String)> {
        let files: Vec<File> =
            files.iter().map(|(path, text)| File::new(&format!("c/src/{path}"), text)).collect();
        uses(&files).remove("c").expect("a crate").into_keys().collect()
    }

    fn pair(from: &str, to: &str) -> (String, String) {
        (from.into(), to.into())
    }

    #[test]
    fn paths_lead_to_the_defining_file() {
        let found = edges(&[
            ("lib.rs", "mod a;\nmod b;\npub use b::inner::Thing;\nuse std::fmt;\n"),
            ("a.rs", "use crate::{Thing, b::{self, f as g}};\nfn h() { b::inner::k(); g() }\n"),
            ("b/mod.rs", "pub mod inner;\npub fn f() {}\n"),
            ("b/inner.rs", "pub struct Thing;\npub fn k() { super::f() }\n"),
        ]);
        assert_eq!(
            found,
            [pair("a.rs", "b/inner.rs"), pair("a.rs", "b/mod.rs"), pair("b/inner.rs", "b/mod.rs")]
        );
    }

    #[test]
    fn reexports_count_if_used_and_tests_do_not() {
        let found = edges(&[
            ("lib.rs", "mod a;\nmod b;\nmod c;\npub use a::A;\npub use b::B;\nfn f(_: B) {}\n"),
            ("a.rs", "pub struct A;\n#[cfg(test)]\nmod tests { use crate::b::B; }\n"),
            (
                "b.rs",
                "pub struct B;\n#[cfg(test)]\nmod tests;\nmod inline { use super::super::c::C; }\n",
            ),
            ("b/tests.rs", "use crate::c::C;"),
            ("c.rs", "pub struct C;\n"),
        ]);
        assert_eq!(found, [pair("b.rs", "c.rs"), pair("lib.rs", "b.rs")]);
    }
}
