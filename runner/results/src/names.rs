//! Test names: derived from paths, and in piglit's form.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

/// Suffix of test files.
pub const EXTENSION: &str = "shader_test";

/// Returns the name of a test: `/` between parts, without `.shader_test`, independent of how the
/// path was written.
///
/// `file` must be absolute and free of symbolic links. `given` is the directory argument that it
/// was found under, or its own parent if it was given itself.
///
/// * Inside a piglit tree (the nearest ancestor that holds both `tests` and `generated_tests`),
///   names start at one of these two.
/// * Otherwise, they start after the nearest ancestor called `tests`.
/// * Otherwise, they start at the last component of the given directory.
pub fn test_name(file: &Path, given: &Path) -> String {
    Namer::default().name(file, given)
}

/// Names many tests and inspects each directory once.
#[derive(Default)]
pub struct Namer {
    /// Directories, with true for roots of piglit trees.
    roots: HashMap<PathBuf, bool>,
    /// The last directory, with the tree that it belongs to.
    last: Option<(PathBuf, Option<PathBuf>)>,
}

impl Namer {
    /// Returns the same name as [`test_name`].
    pub fn name(&mut self, file: &Path, given: &Path) -> String {
        let part = self.piglit_part(file);
        joined(part.or_else(|| after_tests(file)).unwrap_or_else(|| below(file, given)))
    }

    fn piglit_part<'a>(&mut self, file: &'a Path) -> Option<&'a Path> {
        let directory = file.parent()?;
        // Files arrive directory by directory.
        if self.last.as_ref().is_none_or(|(last, _)| last.as_os_str() != directory.as_os_str()) {
            let root = directory.ancestors().find(|dir| self.is_root(dir)).map(Path::to_owned);
            self.last = Some((directory.to_owned(), root));
        }
        let root = self.last.as_ref()?.1.as_ref()?;
        let part = file.strip_prefix(root).ok()?;
        let starts = |name| part.starts_with(name);
        (starts("tests") || starts("generated_tests")).then_some(part)
    }

    fn is_root(&mut self, dir: &Path) -> bool {
        if let Some(&known) = self.roots.get(dir) {
            return known;
        }
        let is = dir.join("tests").is_dir() && dir.join("generated_tests").is_dir();
        self.roots.insert(dir.to_owned(), is);
        is
    }
}

/// Returns a file's path from the last component of the directory it was found under.
fn below<'a>(file: &'a Path, given: &Path) -> &'a Path {
    file.strip_prefix(given.parent().unwrap_or(given)).unwrap_or(file)
}

fn joined(part: &Path) -> String {
    part.components()
        .filter_map(|component| match component {
            Component::Normal(part) => Some(part.to_string_lossy()),
            _ => None,
        })
        .collect::<Vec<_>>()
        .join("/")
        .trim_end_matches(&format!(".{EXTENSION}"))
        .to_owned()
}

fn after_tests(file: &Path) -> Option<&Path> {
    let tests =
        file.ancestors().skip(1).find(|dir| dir.file_name().is_some_and(|name| name == "tests"))?;
    file.strip_prefix(tests).ok()
}

/// Folder of piglit's assembly tests, and its part of their names.
const ASSEMBLY_TESTS: (&str, &str) = ("asmparsertest/shaders/", "asmparsertest/");

/// First part of the names of tests that are programs.
const PROGRAMS: &str = "programs/";

/// Extension that piglit leaves out of names, too.
const VULKAN_EXTENSION: &str = ".vk_shader_test";

/// Returns the name of a test that is a program, from piglit's form of it. There `/` is a part of
/// words.
pub fn program_name(piglit: &str) -> String {
    PROGRAMS.to_owned() + &exchanged(piglit)
}

/// Returns true if a test is a program by its name.
pub fn is_program(name: &str) -> bool {
    name.starts_with(PROGRAMS)
}

/// Exchanges the separators of both forms.
fn exchanged(name: &str) -> String {
    let other = |c| match c {
        '/' => '@',
        '@' => '/',
        c => c,
    };
    name.chars().map(other).collect()
}

/// Returns piglit's form of a name: without the first component, `@` between parts, in lower case.
pub fn piglit_name(name: &str) -> String {
    let rest = name.split_once('/').map_or(name, |(_, rest)| rest);
    let rest = rest.strip_suffix(VULKAN_EXTENSION).unwrap_or(rest);
    let (folder, part) = ASSEMBLY_TESTS;
    let parts = match rest.strip_prefix(folder) {
        Some(rest) => [part, rest].concat(),
        None => rest.to_owned(),
    };
    let piglit = if is_program(name) { exchanged(&parts) } else { parts.replace('/', "@") };
    piglit.to_lowercase()
}

/// Returns true if a name written by a user, in either form, means this test.
pub fn names_test(written: &str, name: &str) -> bool {
    written == name || written == piglit_name(name)
}

/// Escapes characters of a name or message that do not show themselves, for terminals, CSV and XML:
/// control characters, and those that change the direction or the order of the text around them.
pub fn printable(text: &str) -> String {
    if !text.contains(is_escaped) {
        return text.to_owned();
    }
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if is_escaped(c) { escaped.extend(c.escape_default()) } else { escaped.push(c) }
    }
    escaped
}

fn is_escaped(c: char) -> bool {
    // Invisible and bidirectional formatting (Unicode Standard, section 23.2), line and paragraph
    // separators.
    let formatting = matches!(
        c,
        '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
    );
    formatting || (c.is_control() && c != '\n')
}

/// Escapes control characters of a text of several lines, except tabs: for pages, which show them.
pub fn printable_text(text: &str) -> String {
    text.split('\t').map(printable).collect::<Vec<_>>().join("\t")
}

/// Escapes all control characters of a name, including line ends.
pub fn printable_line(text: &str) -> String {
    printable(text).replace('\n', "\\n")
}

/// Formats a name as a field of a CSV file: escaped, and quoted only if necessary.
pub fn csv_field(text: &str) -> String {
    let text = printable_line(text);
    if text.contains([',', '"']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

/// Quotes a word for a shell.
pub fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=@%:,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", printable_line(text).replace('\'', "'\\''"))
    }
}

/// Truncates a text to at most `limit` bytes.
pub(crate) fn shortened(text: &str, limit: usize) -> &str {
    let end =
        (0..=text.len().min(limit)).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn names_of_programs_lead_back() {
        let name = program_name("spec@a b@<x>/y");
        assert_eq!(name, "programs/spec/a b/<x>@y");
        assert!(is_program(&name) && !is_program("tests/programs/a"));
        assert_eq!(piglit_name(&name), "spec@a b@<x>/y");
    }

    #[test]
    fn names_by_place() {
        let tree = tempfile::tempdir().unwrap();
        let root = tree.path().canonicalize().unwrap();
        let name = |path: &str, given: &str| test_name(&root.join(path), &root.join(given));
        fs::create_dir_all(root.join("piglit/tests/spec")).unwrap();
        fs::create_dir_all(root.join("piglit/generated_tests/spec")).unwrap();
        assert_eq!(
            name("piglit/tests/spec/a/b.shader_test", "piglit/tests/spec"),
            "tests/spec/a/b"
        );
        assert_eq!(name("piglit/generated_tests/c.shader_test", "piglit"), "generated_tests/c");
        // Elsewhere in the tree, the other rules apply.
        assert_eq!(name("piglit/mine/c.shader_test", "piglit/mine"), "mine/c");
        assert_eq!(name("project/tests/fp64/x/y.shader_test", "project"), "fp64/x/y");
        assert_eq!(name("project/tests/fp64/x/y.shader_test", "project/tests/fp64/x"), "fp64/x/y");
        assert_eq!(name("loose/x/y.shader_test", "loose/x"), "x/y");
        assert_eq!(name("loose/x/y.shader_test", "loose"), "loose/x/y");
        assert_eq!(name("loose/x/y.other", "loose/x"), "x/y.other");
    }

    #[test]
    fn piglit_form() {
        assert_eq!(piglit_name("tests/spec/GLSL-1.10/Foo"), "spec@glsl-1.10@foo");
        assert_eq!(piglit_name("alone"), "alone");
        assert_eq!(piglit_name("tests/a@3/b"), "a@3@b");
        assert_eq!(piglit_name("tests/vulkan/a.vk_shader_test"), "vulkan@a");
        let assembly = "tests/asmparsertest/shaders/ARBvp1.0/abs.txt";
        assert_eq!(piglit_name(assembly), "asmparsertest@arbvp1.0@abs.txt");
        assert!(names_test("spec@a", "tests/spec/a") && names_test("tests/spec/a", "tests/spec/a"));
        assert!(!names_test("spec/a", "tests/spec/a"));
    }

    #[test]
    fn control_characters_are_shown() {
        assert_eq!(printable("a\u{1b}[31m\tb\nc"), "a\\u{1b}[31m\\tb\nc");
        assert_eq!(printable_line("a\u{1b}\nc"), "a\\u{1b}\\nc");
        assert_eq!(printable("a\u{202e}b\u{2066}é"), "a\\u{202e}b\\u{2066}é");
        assert_eq!(csv_field("a\n,\"b\""), "\"a\\n,\"\"b\"\"\"");
    }

    #[test]
    fn words_for_a_shell() {
        assert_eq!(quoted("a/b-c.shader_test"), "a/b-c.shader_test");
        assert_eq!(quoted("it's\u{1b}"), "'it'\\''s\\u{1b}'");
    }
}
