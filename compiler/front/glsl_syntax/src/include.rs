//! Named strings for `#include` (`GL_ARB_shading_language_include`).

use std::collections::BTreeMap;

/// A string found for an `#include`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Included {
    /// Its position in the tree, the base of relative paths in it.
    pub path: String,
    /// Its text.
    pub text: Vec<u8>,
}

/// Finds included strings.
pub trait IncludeResolver {
    /// Looks up `path` as written. `quoted` is true for `"path"` and false for `<path>`; `from` is
    /// the tree location of the including string, `None` for the shader's own source strings.
    fn resolve(&self, path: &str, quoted: bool, from: Option<&str>) -> Option<Included>;
}

/// The tree of named strings of a GL context, with the search paths given to
/// `glCompileShaderIncludeARB`.
#[derive(Clone, Debug, Default)]
pub struct NamedStrings {
    strings: BTreeMap<String, Vec<u8>>,
    search: Vec<String>,
}

impl NamedStrings {
    /// Sets or replaces the string at an absolute path. Returns false if the path is not valid.
    pub fn insert(&mut self, path: &str, text: &[u8]) -> bool {
        let Some(path) = normalize("/", path).filter(|_| path.starts_with('/')) else {
            return false;
        };
        self.strings.insert(path, text.to_vec());
        true
    }

    /// Appends a search path. Returns false if it is not an absolute path.
    pub fn add_search_path(&mut self, path: &str) -> bool {
        let Some(path) = normalize("/", path).filter(|_| path.starts_with('/')) else {
            return false;
        };
        self.search.push(path);
        true
    }

    fn get(&self, base: &str, path: &str) -> Option<Included> {
        let path = normalize(base, path)?;
        let text = self.strings.get(&path)?.clone();
        Some(Included { path, text })
    }
}

impl IncludeResolver for NamedStrings {
    fn resolve(&self, path: &str, quoted: bool, from: Option<&str>) -> Option<Included> {
        if path.starts_with('/') {
            return self.get("/", path);
        }
        // In an included string, a quoted path is first relative to the place of that string.
        let beside = from.filter(|_| quoted).and_then(|from| {
            let directory = from.rsplit_once('/').map_or("", |(directory, _)| directory);
            self.get(directory, path)
        });
        beside.or_else(|| self.search.iter().find_map(|base| self.get(base, path)))
    }
}

/// `path` in `base` without `.`, `..` and doubled slashes; `None` if it leaves the root or is the
/// root.
fn normalize(base: &str, path: &str) -> Option<String> {
    let base = if path.starts_with('/') { "" } else { base };
    let mut parts: Vec<&str> = Vec::new();
    for part in base.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    if parts.is_empty() {
        return None;
    }
    Some(format!("/{}", parts.join("/")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(
        strings: &NamedStrings,
        path: &str,
        quoted: bool,
        from: Option<&str>,
    ) -> Option<Vec<u8>> {
        strings.resolve(path, quoted, from).map(|i| i.text)
    }

    #[test]
    fn paths_are_normalized_and_strings_replaced() {
        let mut strings = NamedStrings::default();
        assert!(strings.insert("/a b/./c/../d", b"1"));
        assert_eq!(text(&strings, "/a b/d", true, None), Some(b"1".to_vec()));
        assert!(strings.insert("/a b//d", b"2"));
        assert_eq!(text(&strings, "/a b/x/../d", false, None), Some(b"2".to_vec()));
        assert!(!strings.insert("a/b", b""));
        assert!(!strings.insert("/../b", b""));
        assert!(!strings.insert("/", b""));
    }

    #[test]
    fn search_order_depends_on_the_quotes() {
        let mut strings = NamedStrings::default();
        strings.add_search_path("/one");
        strings.add_search_path("/two");
        strings.insert("/one/x", b"one");
        strings.insert("/two/x", b"two");
        strings.insert("/two/y", b"y");
        assert_eq!(text(&strings, "x", true, None), Some(b"one".to_vec()));
        assert_eq!(text(&strings, "x", true, Some("/two/y")), Some(b"two".to_vec()));
        assert_eq!(text(&strings, "x", false, Some("/two/y")), Some(b"one".to_vec()));
        assert_eq!(text(&strings, "y", false, Some("/one/x")), Some(b"y".to_vec()));
        assert_eq!(text(&strings, "z", true, Some("/one/x")), None);
    }
}
